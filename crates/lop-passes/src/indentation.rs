//! The structure of a document's indentation, for languages in which it is syntax.

use lop_grammar::Grammar;
use lop_syntax::{
    Block, Document, Edit, Indents, LineStart, NodeId, Rendering, count_words, render_around, unindented,
};

use super::place::place;

/// Returns the indentation of a document, or `None` if it isn't syntax.
#[must_use]
pub fn indents(document: &Document, grammar: &Grammar) -> Option<Indents> {
    if !grammar.is_indented() {
        return None;
    }
    let (mut anchors, mut blocks) = (Vec::new(), Vec::new());
    for id in document.ids().filter(|&id| grammar.is_indented_kind(document.node(id).kind)) {
        anchors.push(document.node(id).start as usize);
        blocks.extend(filler(document, grammar, id).map(|filler| Block {
            header_end: header_end(document, id),
            elements: elements(document, id).map(|element| document.node(element).range()).collect(),
            filler: filler.to_owned(),
        }));
    }
    anchors.dedup();
    let mut leaves = Leaves { document, grammar, next: 0, inside: 0, last: None };
    let source = document.source();
    Some(Indents::new(source, anchors, blocks, |start, first| {
        let goes_on = source[..start]
            .strip_suffix(b"\n")
            .is_some_and(|before| before.strip_suffix(b"\r").unwrap_or(before).ends_with(b"\\"));
        leaves.line(first, goes_on)
    }))
}

/// [`render_around`] for edits of a document.
#[must_use]
pub fn rendered(document: &Document, grammar: &Grammar, edits: Vec<Edit>) -> Rendering {
    render_around(document.source(), edits, &[], indents(document, grammar).as_ref())
}

/// A text that stood at `at` of the source and moves elsewhere, with its lines as an [`Edit`]'s text has them.
#[must_use]
pub(super) fn moved(grammar: &Grammar, source: &[u8], at: usize, text: Vec<u8>) -> Vec<u8> {
    if grammar.is_indented() { unindented(source, at, &text) } else { text }
}

/// Returns the text of an indented block that contains nothing else.
pub(super) fn filler<'g>(document: &Document, grammar: &'g Grammar, block: NodeId) -> Option<&'g str> {
    if !grammar.is_indented_kind(document.node(block).kind) || document.node(block).is_empty() {
        return None;
    }
    // Otherwise blanks around it would be added each time.
    grammar.minimal(place(document, block)).next().map(|text| text.what.trim())
}

/// Whether a node is the whole content of an indented block, and already has the text of its replacement.
pub(super) fn is_filler(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let reads_so = |block| filler(document, grammar, block).is_some_and(|text| text.as_bytes() == document.text(node));
    grammar.is_indented() && alike(document, node).any(reads_so)
}

/// The number of tokens that replace a node that is removed alone.
pub(super) fn filler_tokens(document: &Document, grammar: &Grammar, node: NodeId) -> u32 {
    if !grammar.is_indented() {
        return 0;
    }
    let emptied = |&around: &NodeId| {
        let block = document.parent(around).filter(|&block| elements(document, block).eq([around]));
        [Some(around), block].into_iter().flatten().find_map(|block| filler(document, grammar, block))
    };
    let text = alike(document, node).find_map(|around| emptied(&around));
    text.map_or(0, |text| u32::try_from(count_words(text.as_bytes())).unwrap_or(u32::MAX))
}

/// A node and those around it that hold nothing else.
fn alike(document: &Document, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let range = document.node(node).range();
    std::iter::once(node)
        .chain(document.ancestors(node))
        .take_while(move |&around| document.node(around).range() == range)
}

/// The elements of a block.
fn elements(document: &Document, block: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    document.children(block).filter(|&child| {
        let node = document.node(child);
        node.is_named() && !node.is_extra() && !node.is_empty()
    })
}

/// Returns the end of the token before a node, apart from comments.
fn header_end(document: &Document, node: NodeId) -> usize {
    let mut at = document.previous_sibling(node);
    while let Some(before) = at.filter(|&before| document.node(before).is_extra()) {
        at = document.previous_sibling(before);
    }
    at.map_or(document.node(node).start as usize, |before| document.node(before).end as usize)
}

/// The leaves of a document from the first to the last, texts and comments as one each.
struct Leaves<'d> {
    document: &'d Document,
    grammar: &'d Grammar,
    next: NodeId,
    /// Brackets that are open.
    inside: usize,
    last: Option<NodeId>,
}

impl Leaves<'_> {
    /// Classifies the line whose first byte that isn't blank is at `first`; it `goes_on` if the line break before it is
    /// escaped. Must be called in the order of the lines.
    fn line(&mut self, first: usize, goes_on: bool) -> LineStart {
        let document = self.document;
        while (self.next as usize) < document.node_count() {
            let node = self.document.node(self.next);
            if node.start as usize >= first && !node.is_empty() {
                break;
            }
            let is_whole = self.grammar.is_string(node.kind)
                || self.grammar.is_opaque(node.kind)
                || self.grammar.is_comment(node.kind);
            if node.is_empty() || !(is_whole || self.document.is_leaf(self.next)) {
                self.next += 1;
                continue;
            }
            if !node.is_named() {
                match self.document.text(self.next) {
                    b"(" | b"[" | b"{" => self.inside += 1,
                    b")" | b"]" | b"}" => self.inside = self.inside.saturating_sub(1),
                    _ => {}
                }
            }
            self.last = Some(self.next);
            self.next = self.document.subtree_end(self.next);
        }
        let is = |id: NodeId, of: &dyn Fn(u16) -> bool| of(self.document.node(id).kind);
        if let Some(last) = self.last.filter(|&last| self.document.node(last).end as usize > first) {
            let is_text = is(last, &|kind| self.grammar.is_string(kind));
            return if is_text { LineStart::Fixed } else { LineStart::Free };
        }
        let begins =
            (self.next as usize) < document.node_count() && self.document.node(self.next).start as usize == first;
        let is_comment = begins && is(self.next, &|kind| self.grammar.is_comment(kind));
        if begins && !is_comment && !goes_on && self.inside == 0 { LineStart::Syntax } else { LineStart::Free }
    }
}

#[cfg(test)]
mod tests {
    use crate::Fingerprints;
    use crate::deep_splice::deep_splices;
    use crate::hoist::hoists;
    use crate::splice::splices;
    use crate::testing::{Languages, lossy};
    use lop_syntax::Edit;

    /// The text without some nodes, each named by its text.
    fn without(file: &str, text: &str, parts: &[&str]) -> String {
        let sample = Languages.sample(file, text);
        let nodes: Vec<_> = parts.iter().map(|part| sample.node(part)).collect();
        sample.without(&nodes)
    }

    /// The text after every edit that replaces something by a part of it.
    fn after(file: &str, text: &str) -> Vec<String> {
        let sample = Languages.sample(file, text);
        let prints = Fingerprints::new(text.as_bytes());
        let (document, grammar) = (&sample.document, &sample.grammar);
        let mut all = splices(document, grammar, &prints);
        all.extend(hoists(document, grammar, &prints));
        all.extend(deep_splices(document, grammar, &prints));
        sample.results(&all)
    }

    #[test]
    fn what_follows_a_hole_keeps_its_indentation() {
        let rows = [
            ("if a:\n    b\nc\n", &["b"][..], "if a:\n    pass\nc\n"),
            ("if a:\n    b\n    k\nd\n", &["k"], "if a:\n    b\nd\n"),
            ("if a:\n    b\n\n\n    c\nd\n", &["b"], "if a:\n    c\nd\n"),
            ("if a:\n    if b:\n        c\n    d\n", &["if b:\n        c"], "if a:\n    d\n"),
            ("a\nif b:\n  c\n", &["a"], "if b:\n  c\n"),
            ("if a: b; c\nd\n", &["b"], "if a: c\nd\n"),
            ("if a:\r\n    b\r\n    k\r\nd\r\n", &["k"], "if a:\r\n    b\r\nd\r\n"),
        ];
        for (text, gone, left) in rows {
            assert_eq!(without("x.py", text, gone), left, "{text}");
        }
        assert_eq!(without("x.yaml", "a:\n  b: 1\n  d: 2\ne: 3\n", &["d: 2"]), "a:\n  b: 1\ne: 3\n");
    }

    #[test]
    fn a_block_of_which_nothing_would_be_left_keeps_a_statement() {
        let rows = [
            ("if a:\n    b\n    k\nd\n", &["b", "k"][..], "if a:\n    pass\nd\n"),
            ("if a: b; k\n", &["b", "k"], "if a: pass\n"),
            ("def f():\n    if a:\n        b\n", &["if a:\n        b"], "def f():\n    pass\n"),
            ("if a:\n    b\n", &["if a:\n    b"], ""),
            ("if a:\n    b\nelse:\n    k\n", &["k"], "if a:\n    b\nelse:\n    pass\n"),
            ("match a:\n    case 1:\n        b\n", &["b"], "match a:\n    case 1:\n        pass\n"),
        ];
        for (text, gone, left) in rows {
            assert_eq!(without("x.py", text, gone), left, "{text}");
        }
        let mut sample = Languages.sample("x.py", "if a:\n    pass\n");
        assert!(sample.all_siblings().iter().all(|list| list.units.iter().all(|unit| unit.tokens > 1)));
    }

    #[test]
    fn lines_move_with_what_they_belong_to() {
        let rows = [
            ("if a:\n    if b:\n        c\n        d\n    e\nf\n", "if b:\n    c\n    d\nf\n"),
            ("if a:\n    if b:\n        c\n        d\n    e\nf\n", "c\nd\nf\n"),
            (
                "def f():\n    try:\n        with a:\n            b(1,\n              2)\n            c\n    finally:\n        d\n",
                "def f():\n    with a:\n        b(1,\n          2)\n        c\n",
            ),
            ("if a:\n\tif b:\n\t\tc\n\td\n", "if b:\n\tc\n"),
            ("if a:\r\n  if b:\r\n    c\r\n  d\r\n", "if b:\r\n  c\r\n"),
            ("if a:\n    b = '''\n    x\n  y'''\n    c\n", "b = '''\n    x\n  y'''\nc\n"),
            ("class A:\n    @x\n    def f():\n        # no\n        a\n", "@x\ndef f():\n    # no\n    a\n"),
            ("match a:\n    case 1:\n        b\n        c\n", "b\nc\n"),
            ("if a: b; c\nd\n", "b; c\nd\n"),
            ("if a:\n  if b:\n     c\n     if d:\n      e\n  f\n", "c\nif d:\n e\n"),
        ];
        for (text, expected) in rows {
            let found = after("x.py", text);
            assert!(found.iter().any(|text| text == expected), "{expected:?} is not in {found:#?}");
        }
        let rows = [
            ("a:\n    b: 1\n    c: |\n      d\n       e\nf: 2\n", "b: 1\nc: |\n  d\n   e\nf: 2\n"),
            ("- - a: 1\n    b: 2\n  - c\n", "- a: 1\n  b: 2\n"),
            ("a:\n  - b:\n      - c: 1\n        d: 2\n", "a:\n  - b:\n      c: 1\n      d: 2\n"),
        ];
        for (text, expected) in rows {
            let found = after("x.yaml", text);
            assert!(found.iter().any(|text| text == expected), "{expected:?} is not in {found:#?}");
        }
    }

    #[test]
    fn hoists_in_hoists_move_their_lines_as_far_as_both() {
        let text = "if a:\n  if b:\n    c\n    if d:\n      if e:\n        f\n        g\n  h\n";
        let sample = Languages.sample("x.py", text);
        let place = |part: &str| text.find(part).expect("it is there");
        let hole = |from: &str, to: &str| Edit::delete(place(from)..place(to));
        let end = place("\n  h");
        let edits = vec![hole("if a", "if b"), hole("if d", "if e"), Edit::delete(end..end + 4)];
        assert_eq!(lossy(&sample.rendered(edits)), "if b:\n  c\n  if e:\n    f\n    g\n");
    }

    #[test]
    fn lines_that_are_put_in_stand_where_they_go() {
        let sample = Languages.sample("x.py", "if a:\n    b\n    c\n");
        let edits = vec![Edit::replace(10..11, "while x:\n  y\n  z".as_bytes())];
        assert_eq!(lossy(&sample.rendered(edits)), "if a:\n    while x:\n      y\n      z\n    c\n");
        let edits = vec![Edit::replace(10..10, "x\n".as_bytes())];
        assert_eq!(lossy(&sample.rendered(edits)), "if a:\n    x\n    b\n    c\n");
    }
}
