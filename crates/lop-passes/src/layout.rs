//! Layout: places whitespace and newlines between tokens, which stay the same.

use std::collections::HashMap;
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId, is_blank, is_identifier, melt};

use super::pass::{Facts, Growth, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit, list_kind};
use super::style::{Format, Style};

/// Blanks and line breaks.
pub struct Whitespace;

impl Pass for Whitespace {
    fn facts(&self) -> Facts {
        Facts::new("whitespace", Stage::Finish, "whitespace is removed, or placed so that the text reads well")
            .growing(Growth::Blanks)
            .led("its plans are tried one after the other")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Style { format, ends_line, .. } = view.style;
        let plan = |joins| {
            let tree = view.tree.as_ref()?;
            layout(tree.document, tree.grammar, format, joins, (ends_line, &view.parts))
        };
        Proposals { sequences: [true, false].into_iter().filter_map(plan).collect(), ..Proposals::default() }
    }
}

/// Blanks of one level of indentation.
const INDENT: usize = 2;
/// Maximum indentation: otherwise blanks would be most of a deep text.
const DEEPEST: usize = 40;
/// Maximum number of comments in a row that are skipped to find the node after them.
const MOST_COMMENTS: usize = 8;
/// Maximum number of non-blank bytes of a node that is joined to one line, and of one that stays on one line.
const WIDE: usize = 80;

/// Proposes the gaps between tokens that a format wants otherwise as one sequence: a removed unit is a gap with the
/// wanted blanks. Returns `None` if the text already has the format.
///
/// Only blanks change, and none inside texts, comments and opaque tokens. Lines that end a construct of the language
/// are never joined. In a language where any line break can matter, none is removed inside a line unless `joins`; then
/// the caller has to check that the text still means the same. In a pretty text, each of the `parts` ends with a line
/// break if `ends_line`.
#[must_use]
pub fn layout(
    document: &Document,
    grammar: &Grammar,
    format: Format,
    joins: bool,
    (ends_line, parts): (bool, &[Range<usize>]),
) -> Option<Sequence> {
    let ends_line = ends_line && format == Format::Pretty;
    let format = match format {
        Format::None => return None,
        Format::Pretty if grammar.is_written_compact() => Format::Compact,
        other => other,
    };
    let source = document.source();
    let atoms = atoms(document, grammar);
    let starts = line_starts(document, grammar);
    let mut indented = grammar.is_indented().then(|| Indented::new(document, grammar));
    let mut free = (!grammar.has_blocks() && !grammar.is_indented()).then(|| Free::new(document));
    let mut units = Vec::new();
    let mut write = |range: Range<usize>, text: Vec<u8>| {
        if source[range.clone()] != text[..] {
            let edit = Edit { raw: true, ..Edit::replace(range, text) };
            units.push(Unit { tokens: 1, removal: Removal::Edits(vec![edit]), known_to_parse: false });
        }
    };
    let end_of = |atom: NodeId| document.node(atom).end as usize;
    if let (Some(&first), Some(indented)) = (atoms.first(), &mut indented) {
        indented.begin(first);
    }
    for part in parts {
        let next = atoms.partition_point(|&atom| (document.node(atom).start as usize) < part.start);
        let lead = atoms.get(next).map(|&first| part.start..document.node(first).start as usize);
        if let Some(lead) = lead.filter(|lead| lead.end <= part.end && is_all_blank(&source[lead.clone()])) {
            write(lead, Vec::new());
        }
    }
    for pair in atoms.windows(2) {
        let range = end_of(pair[0])..document.node(pair[1]).start as usize;
        if !source.get(range.clone()).is_some_and(is_all_blank) {
            continue;
        }
        let gap = Gap { document, grammar, left: pair[0], right: pair[1], old: &source[range.clone()], joins };
        let text = match (&mut indented, &mut free, format) {
            (Some(indented), ..) => indented.gap(&gap, format),
            (_, _, Format::Compact) => gap.compact(),
            (_, Some(free), _) => free.gap(&gap),
            _ => gap.pretty(starts.get(pair[1] as usize).copied().flatten()),
        };
        write(range, text);
    }
    for part in parts {
        let next = atoms.partition_point(|&atom| (document.node(atom).start as usize) < part.end);
        let Some(last) = next.checked_sub(1).map(|last| end_of(atoms[last])) else { continue };
        let rest = last..part.end;
        if part.start < last && last <= part.end && is_all_blank(&source[rest.clone()]) {
            let ends = ends_line && !source[..rest.start].ends_with(b"\n");
            write(rest, if ends { b"\n".to_vec() } else { Vec::new() });
        }
    }
    (!units.is_empty()).then_some(Sequence::of(list_kind::LAYOUT, units))
}

fn is_all_blank(text: &[u8]) -> bool {
    text.iter().copied().all(is_blank)
}

/// The nodes whose inside is ignored: leaves, and those that the language declares as texts, comments or opaque.
pub(super) fn atoms(document: &Document, grammar: &Grammar) -> Vec<NodeId> {
    let mut end = 0;
    let mut all = Vec::new();
    for id in document.ids() {
        let node = document.node(id);
        if id < end || node.is_empty() {
            continue;
        }
        let whole = grammar.is_string(node.kind) || grammar.is_opaque(node.kind) || grammar.is_comment(node.kind);
        if whole || document.is_leaf(id) {
            end = document.subtree_end(id);
            all.push(id);
        }
    }
    all
}

/// For the nodes that begin a line, how deep it is indented; by node.
fn line_starts(document: &Document, grammar: &Grammar) -> Vec<Option<usize>> {
    let mut starts = vec![None; document.node_count()];
    let mut levels = vec![0_usize; document.node_count()];
    for id in document.ids() {
        let parent = document.parent(id);
        let level = parent.map_or(0, |parent| levels[parent as usize]);
        levels[id as usize] = level;
        if !grammar.is_block(document.node(id).kind) {
            continue;
        }
        let children: Vec<_> = document.children(id).filter(|&child| !document.node(child).is_empty()).collect();
        let bracket = |child: Option<&NodeId>| child.is_some_and(|child| id > 0 && !document.node(*child).is_named());
        let directive = grammar.is_newline_sensitive(document.node(id).kind);
        let inner = if bracket(children.first()) { level + 1 } else { level };
        levels[id as usize] = inner;
        let element = |child: &&NodeId| {
            let node = document.node(**child);
            // The fields of a directive are on its first line, or are directives themselves.
            node.is_named() && !node.is_extra() && !(directive && node.field != 0)
        };
        for &child in children.iter().filter(element) {
            mark(document, &mut starts, child, inner);
        }
        if let Some(&last) = children.last()
            && children.iter().any(|child| element(&child))
            && bracket(Some(&last))
        {
            mark(document, &mut starts, last, level);
        }
    }
    starts
}

/// All nodes with the same start as `node` start its line: one of them is the leaf.
fn mark(document: &Document, starts: &mut [Option<usize>], node: NodeId, level: usize) {
    let start = document.node(node).start;
    for id in node..document.subtree_end(node) {
        if document.node(id).start != start {
            break;
        }
        starts[id as usize] = Some(level);
    }
}

/// Brackets that are open between the atoms of a text.
#[derive(Default)]
struct Open(usize);

impl Open {
    fn pass(&mut self, document: &Document, atom: NodeId) {
        match bracket(document, atom) {
            Some(true) => self.0 += 1,
            Some(false) => self.0 = self.0.saturating_sub(1),
            None => {}
        }
    }
}

/// Whether a token opens or closes brackets; `None` if it does neither.
fn bracket(document: &Document, atom: NodeId) -> Option<bool> {
    let text = (!document.node(atom).is_named()).then(|| document.text(atom))?;
    match text {
        b"(" | b"[" | b"{" => Some(true),
        b")" | b"]" | b"}" => Some(false),
        _ => None,
    }
}

/// Whether a node has too many non-blank bytes for one line.
fn is_wide(document: &Document, node: NodeId) -> bool {
    document.text(node).iter().filter(|byte| !is_blank(**byte)).nth(WIDE).is_some()
}

/// A text whose indentation is syntax: the column of the elements of each block.
struct Indented {
    /// The block whose element a node is, and whether it is the first one; by node.
    elements: Vec<Option<(NodeId, bool)>>,
    /// The innermost block around a node; by node.
    around: Vec<NodeId>,
    /// Whether the block's element has an earlier token of its language; by node.
    deeper: Vec<bool>,
    /// The column of each block's elements, once the first one is written.
    columns: HashMap<NodeId, usize>,
    open: Open,
    /// The column after the written text.
    column: usize,
}

impl Indented {
    fn new(document: &Document, grammar: &Grammar) -> Self {
        let mut elements = vec![None; document.node_count()];
        let mut around = vec![0; document.node_count()];
        let mut element_of = vec![0; document.node_count()];
        let mut deeper = vec![false; document.node_count()];
        for id in document.ids() {
            let parent = document.parent(id).unwrap_or_default();
            let is_block = |node: NodeId| node == 0 || grammar.is_indented_kind(document.node(node).kind);
            around[id as usize] = if is_block(parent) { parent } else { around[parent as usize] };
            // A comment between a header and its block looks better as one of the block.
            let after = std::iter::successors(Some(id), |&at| document.next_sibling(at))
                .take(MOST_COMMENTS)
                .find(|&at| !document.node(at).is_extra());
            if let Some(block) = after.filter(|&at| at != id && is_block(at)) {
                around[id as usize] = block;
            }
            element_of[id as usize] = if is_block(parent) { id } else { element_of[parent as usize] };
            if !is_block(id) {
                continue;
            }
            let is_element = |child: &NodeId| {
                let node = document.node(*child);
                node.is_named() && !node.is_extra() && !node.is_empty()
            };
            if id > 0 {
                let element = element_of[id as usize];
                let between = document.node(element).start as usize..document.node(id).start as usize;
                deeper[id as usize] = document.tokens_in(between) > 0;
            }
            for (number, child) in document.children(id).filter(is_element).enumerate() {
                let start = document.node(child).start;
                let first = (child..document.subtree_end(child)).take_while(|&id| document.node(id).start == start);
                first.for_each(|node| elements[node as usize] = Some((id, number == 0)));
            }
        }
        Indented { elements, around, deeper, columns: HashMap::from([(0, 0)]), open: Open::default(), column: 0 }
    }

    /// The text begins with this atom.
    fn begin(&mut self, first: NodeId) {
        if let Some((block, true)) = self.elements[first as usize] {
            self.columns.insert(block, 0);
        }
    }

    fn gap(&mut self, gap: &Gap<'_>, format: Format) -> Vec<u8> {
        let (document, grammar) = (gap.document, gap.grammar);
        self.open.pass(document, gap.left);
        let step = if format == Format::Compact && !self.stands_in_lines(gap) { 1 } else { INDENT };
        let element = self.elements[gap.right as usize];
        let block = element.map_or(self.around[gap.right as usize], |(block, _)| block);
        let has_break = gap.old.contains(&b'\n') || document.text(gap.left).ends_with(b"\n");
        let is_broken = format == Format::Pretty && element.is_some() && grammar.is_block(document.node(block).kind);
        let column = self.columns.get(&block).copied();
        let column = column.unwrap_or_else(|| {
            self.columns.get(&self.around[block as usize]).copied().unwrap_or(0)
                + if self.deeper[block as usize] { step } else { 0 }
        });
        let masked = document.text(gap.left).ends_with(b"\\\n") || document.text(gap.left).ends_with(b"\\\r\n");
        let text = if self.open.0 > 0 || masked {
            self.inside(gap, format, column)
        } else if has_break || is_broken {
            let mut text = if document.text(gap.left).ends_with(b"\n") { Vec::new() } else { b"\n".to_vec() };
            text.resize(text.len() + column, b' ');
            text
        } else if self.stands_in_lines(gap) && !gap.old.is_empty() {
            b" ".to_vec()
        } else if format == Format::Compact {
            gap.compact()
        } else if document.text(gap.right) == b":" {
            // The colon that ends a header is at it.
            Vec::new()
        } else {
            gap.pretty(None)
        };
        let left = document.text(gap.left);
        let written = [left, &text[..]].concat();
        self.column = match written.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => written.len() - end - 1,
            None => self.column + written.len(),
        };
        if let Some((block, true)) = element {
            self.columns.insert(block, self.column);
        }
        text
    }

    /// Whether blocks can start inside a line, as in `- a: 1`: then the width of the text before the block decides.
    fn stands_in_lines(&self, gap: &Gap<'_>) -> bool {
        !gap.grammar.has_blocks()
    }

    /// In brackets line breaks mean nothing.
    fn inside(&self, gap: &Gap<'_>, format: Format, column: usize) -> Vec<u8> {
        let comment = |id: NodeId| gap.grammar.is_comment(gap.document.node(id).kind);
        let has_break = gap.old.contains(&b'\n');
        let around = gap.document.ancestors(gap.right).take_while(|&node| {
            gap.document.node(node).start > gap.document.node(self.around[gap.right as usize]).start
        });
        let statement = around.last();
        let is_wide = || statement.is_some_and(|node| is_wide(gap.document, node));
        if has_break && (comment(gap.left) || comment(gap.right) || (format == Format::Pretty && is_wide())) {
            let closes = bracket(gap.document, gap.right) == Some(false);
            let mut text = b"\n".to_vec();
            text.resize(1 + column + if closes { 0 } else { INDENT }, b' ');
            return text;
        }
        let space = if self.stands_in_lines(gap) {
            !gap.old.is_empty()
        } else if format == Format::Compact {
            !gap.old.is_empty() && gap.melts()
        } else {
            !gap.old.is_empty() && !gap.is_tight()
        };
        if space { b" ".to_vec() } else { Vec::new() }
    }
}

/// A text in an unknown layout: its line breaks stay, each line is indented by the number of brackets around it, and
/// lines that are too wide are broken.
struct Free {
    /// Nodes that begin a line in any case.
    starts: Vec<bool>,
    open: Open,
}

impl Free {
    fn new(document: &Document) -> Self {
        let mut starts = vec![false; document.node_count()];
        for id in document.ids() {
            let children: Vec<_> = document.children(id).filter(|&child| !document.node(child).is_empty()).collect();
            let is = |child: Option<&NodeId>, text: &[u8]| child.is_some_and(|&child| document.text(child) == text);
            let (first, last) = (children.first(), children.last());
            if !(id == 0 || (is(first, b"{") && is(last, b"}"))) || !is_wide(document, id) {
                continue;
            }
            for &child in &children {
                let node = document.node(child);
                if id > 0 && Some(&child) == last || node.is_named() && !node.is_extra() {
                    let inner =
                        (child..document.subtree_end(child)).take_while(|&id| document.node(id).start == node.start);
                    inner.for_each(|node| starts[node as usize] = true);
                }
            }
        }
        Free { starts, open: Open::default() }
    }

    fn gap(&mut self, gap: &Gap<'_>) -> Vec<u8> {
        self.open.pass(gap.document, gap.left);
        let stays = gap.old.contains(&b'\n');
        if !(stays || self.starts[gap.right as usize]) || gap.ends_line() {
            return gap.pretty(None);
        }
        let closes = bracket(gap.document, gap.right) == Some(false);
        gap.pretty(Some(self.open.0.saturating_sub(usize::from(closes))))
    }
}

/// The blanks between two tokens.
struct Gap<'d> {
    document: &'d Document,
    grammar: &'d Grammar,
    left: NodeId,
    right: NodeId,
    old: &'d [u8],
    joins: bool,
}

impl Gap<'_> {
    fn compact(&self) -> Vec<u8> {
        if self.keeps_line() {
            return b"\n".to_vec();
        }
        if self.ends_line() || self.old.is_empty() || (!self.is_marked() && !self.melts()) {
            Vec::new()
        } else {
            b" ".to_vec()
        }
    }

    fn pretty(&self, line: Option<usize>) -> Vec<u8> {
        let blank_line = self.document.text(self.left).ends_with(b"\n");
        if let Some(level) = line {
            let mut text = if blank_line { Vec::new() } else { b"\n".to_vec() };
            text.resize(text.len() + INDENT * level.min(DEEPEST), b' ');
            return text;
        }
        if self.keeps_line() {
            return b"\n".to_vec();
        }
        if self.ends_line() || self.old.is_empty() || blank_line || (self.is_tight() && !self.is_marked()) {
            return Vec::new();
        }
        b" ".to_vec()
    }

    /// Whether the two are on different lines and have to be.
    fn keeps_line(&self) -> bool {
        if !self.old.contains(&b'\n') || self.document.text(self.left).ends_with(b"\n") {
            return false;
        }
        let comment = |id: NodeId| self.grammar.is_comment(self.document.node(id).kind);
        let (left, right) = (self.document.text(self.left), self.document.text(self.right));
        let free =
            left.last().is_some_and(|b| b"([{,;".contains(b)) || right.first().is_some_and(|b| b")]},".contains(b));
        comment(self.left)
            || comment(self.right)
            || self.is_at_border()
            || (self.grammar.keeps_newlines() && !self.joins && !free)
    }

    /// Whether a line break that is a token follows.
    fn ends_line(&self) -> bool {
        self.document.text(self.right).iter().copied().all(is_blank)
    }

    /// Whether one of the two is at an end of a node with its own line, or directly inside it.
    fn is_at_border(&self) -> bool {
        let sensitive = |node: NodeId| self.grammar.is_newline_sensitive(self.document.node(node).kind);
        let touches = |id: NodeId, same_border: &dyn Fn(NodeId) -> bool| {
            let mut at = self.document.parent(id);
            let direct = at.is_some_and(sensitive);
            while let Some(node) = at.filter(|&node| same_border(node)) {
                if sensitive(node) {
                    return true;
                }
                at = self.document.parent(node);
            }
            direct
        };
        let (left, right) = (self.document.node(self.left), self.document.node(self.right));
        touches(self.left, &|node| self.document.node(node).end == left.end)
            || touches(self.right, &|node| self.document.node(node).start == right.start)
    }

    /// Whether both are inside a node with its own line, where even one blank can matter.
    fn is_marked(&self) -> bool {
        let parent = self.document.parent(self.left);
        parent.is_some_and(|parent| self.grammar.is_newline_sensitive(self.document.node(parent).kind))
    }

    /// Whether the two could become one token, or something else, without a blank.
    fn melts(&self) -> bool {
        let (left, right) = (self.document.text(self.left), self.document.text(self.right));
        let (Some(&last), Some(&next)) = (left.last(), right.first()) else { return false };
        let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
        melt(last, next) || (is_identifier(last) && (quote(next) || next == b'.')) || (quote(last) && quote(next))
    }

    /// Whether people write no blank here: inside round and square brackets, before a closing or separating sign, and
    /// before the end of a tag.
    fn is_tight(&self) -> bool {
        let is = |id: NodeId, texts: &[&[u8]]| texts.contains(&self.document.text(id));
        is(self.left, &[b"(", b"["]) || is(self.right, &[b")", b"]", b",", b";"]) || self.is_at_tag_end()
    }

    /// Whether the right one ends the content of `<` and `>`.
    fn is_at_tag_end(&self) -> bool {
        self.document.text(self.right).ends_with(b">")
            && !self.melts()
            && self.document.parent(self.right).is_some_and(|parent| {
                self.document.node(parent).end == self.document.node(self.right).end
                    && self.document.text(parent).starts_with(b"<")
            })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{FILES, Languages, Sample, any_text, lossy, shipped_sample};
    use lop_syntax::shape;

    fn all(sample: &Sample) -> Vec<Range<usize>> {
        std::iter::once(0..sample.document.source().len()).collect()
    }

    fn laid_out(sample: &Sample, format: Format, joins: bool) -> String {
        let ends_line = sample.document.source().ends_with(b"\n");
        let sequence = layout(&sample.document, &sample.grammar, format, joins, (ends_line, &all(sample)));
        let units = sequence.iter().flat_map(|sequence| &sequence.units);
        lossy(&sample.after(units.map(|unit| &unit.removal)))
    }

    #[test]
    fn texts_are_written_as_the_format_wants_them() {
        // Text, the same compact, the same pretty.
        let rows = [
            ("x.c", "\n\nint  a ;\n\n\nint b;\n\n", "int a;int b;", "int a;\nint b;\n"),
            ("x.c", "int f( ) { return 1 ; }", "int f(){return 1;}", "int f() {\n  return 1;\n}"),
            (
                "x.c",
                "void f() { if (a)\n { b( ) ; } else\n d(); }",
                "void f(){if(a){b();}else d();}",
                "void f() {\n  if (a) {\n    b();\n  } else d();\n}",
            ),
            ("x.c", "void f() { for (int i; ;\n ) ; }", "void f(){for(int i;;);}", "void f() {\n  for (int i;;);\n}"),
            (
                "x.c",
                "struct s { int a; int b; } x;",
                "struct s{int a;int b;}x;",
                "struct s {\n  int a;\n  int b;\n} x;",
            ),
            ("x.c", "#define A  (1)\n\n\nint a;", "#define A (1)\nint a;", "#define A (1)\nint a;"),
            (
                "x.c",
                "int a;\n\n#include <a.h>\nint b;",
                "int a;\n#include <a.h>\nint b;",
                "int a;\n#include <a.h>\nint b;",
            ),
            (
                "x.c",
                "int a;\n#if 1\nint b;\n\n#endif\nint d;",
                "int a;\n#if 1\nint b;\n#endif\nint d;",
                "int a;\n#if 1\n  int b;\n#endif\nint d;",
            ),
            ("x.c", "int a = b - - c + + d;", "int a=b- -c+ +d;", "int a = b - - c + + d;"),
            ("x.c", "int a; // b\n\nint d;", "int a;// b\nint d;", "int a; // b\nint d;"),
            ("x.c", "char *s = L \"  a  \" ;", "char*s=L \"  a  \";", "char *s = L \"  a  \";"),
            ("x.c", "", "", ""),
            ("x.js", "a();\n\n\nb( )\n\nd()", "a();b()\nd()", "a();\nb()\nd()"),
            ("x.js", "function f() { return\n}", "function f(){return}", "function f() {\n  return\n}"),
            ("x.js", "class A { a() { } b = 1; }", "class A{a(){}b=1;}", "class A {\n  a() { }\n  b = 1;\n}"),
            ("x.js", "x = 1 .a", "x=1 .a", "x = 1 .a"),
            ("x.js", "x = `a  ${ b }  `", "x=`a  ${ b }  `", "x = `a  ${ b }  `"),
            ("x.js", "return 'a'\n", "return 'a'", "return 'a'\n"),
            (
                "x.py",
                "if  a :\n      b( 1,\n  2 ); c\n\n\nelse: d\n",
                "if a:\n b(1,2);c\nelse:d",
                "if a:\n  b(1, 2);\n  c\nelse:\n  d\n",
            ),
            (
                "x.py",
                "@a\n\ndef f( ) :\n\t# b\n\treturn  [ 1 ]\n",
                "@a\ndef f():\n # b\n return[1]",
                "@a\ndef f():\n  # b\n  return [1]\n",
            ),
            ("x.yaml", "a:\n     b: 1\n\n     c:  2\n", "a:\n  b: 1\n  c: 2", "a:\n  b: 1\n  c: 2\n"),
            ("x.yaml", "-    a: 1\n     b: [ 2 ]\n", "- a: 1\n  b: [ 2 ]", "- a: 1\n  b: [ 2 ]\n"),
            ("x.json", "[\n\n1,\n]\n", "[1,]", "[1,]\n"),
            ("x.html", "<p ><br  id=a /></p >", "<p><br id=a/></p>", "<p>\n<br id=a/>\n</p>"),
            ("x.svg", "<g  a=\" \" />", "<g a=\" \"/>", "<g a=\" \"/>"),
            ("x.json", "{ \"a b\" : [ true ] }", "{\"a b\":[true]}", "{\"a b\":[true]}"),
        ];
        let mut languages = Languages;
        for (file, text, compact, pretty) in rows {
            let sample = languages.sample(file, text);
            assert_eq!(laid_out(&sample, Format::Compact, false), compact, "{text}");
            assert_eq!(laid_out(&sample, Format::Pretty, false), pretty, "{text}");
            assert!(layout(&sample.document, &sample.grammar, Format::None, true, (true, &all(&sample))).is_none());
        }
    }

    #[test]
    fn lines_are_joined_only_where_the_caller_makes_sure() {
        let sample = Languages.sample("x.js", "x = a\n+ b");
        assert_eq!(laid_out(&sample, Format::Pretty, false), "x = a\n+ b");
        assert_eq!(laid_out(&sample, Format::Pretty, true), "x = a + b");
    }

    #[test]
    fn what_is_laid_out_stays_so() {
        let mut languages = Languages;
        for file in FILES {
            for format in [Format::Compact, Format::Pretty] {
                let sample = languages.sample(file, shipped_sample(file));
                let once = laid_out(&sample, format, false);
                let again = laid_out(&languages.sample(file, once.as_str()), format, false);
                assert_eq!(once, again, "{file} {format:?}");
            }
        }
    }

    #[test]
    fn the_samples_keep_their_shape() {
        let mut languages = Languages;
        for file in FILES {
            for format in [Format::Compact, Format::Pretty] {
                let sample = languages.sample(file, shipped_sample(file));
                let left = laid_out(&sample, format, false);
                let after = languages.sample(file, left.as_str());
                let shape_of = |sample: &Sample| shape(&sample.document.tree(), sample.document.source());
                assert_eq!(shape_of(&sample), shape_of(&after), "{file} {format:?}:\n{left}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn only_blanks_are_changed(text in any_text(), file in prop::sample::select(&FILES[..]), joins in any::<bool>()) {
            let sample = Languages.sample(file, text.clone());
            for format in [Format::Compact, Format::Pretty] {
                let left = laid_out(&sample, format, joins);
                let solid = |text: &str| text.bytes().filter(|b| !is_blank(*b)).collect::<Vec<_>>();
                assert_eq!(solid(&left), solid(&lossy(&text)));
            }
        }
    }
}
