//! Finds out by trial parses which children of a node can be removed.
//!
//! Whether a child is optional depends on the grammar's rule, which tree-sitter doesn't export in a usable form
//! (node-types alone miss too much). So lop removes the first child of each *shape* and parses the rest: without new
//! syntax errors, children of this shape are removable. This is correct for about 97 % of the nodes and costs about a
//! hundred parses per file, and no test.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, Errors, NodeId, SyntaxParser, error_count, render};

use super::indentation::rendered;

use super::removal::{NodeSet, removal_edits};

/// Size in bytes from which a trial only parses a part of the text, if that is at least `MUCH_LESS` times smaller.
const LARGE: usize = 1 << 16;
const MUCH_LESS: usize = 4;
/// Number of neighbouring siblings in a node's trial parse.
const NEAR: usize = 4;
/// Number of siblings at the ends of a list, and after the near ones, among which a gap can start or end.
const ENDS: usize = 8;
/// Size in bytes of the siblings on one side of a node from which leaving some out pays off.
const LEAST_HOLE: usize = 1 << 10;

/// Maximum number of parser steps for trials of a whole long text, 10 to 20 µs each. An ordinary trial takes some
/// hundreds. One with an error at a depth of a hundred thousand levels takes all of them.
const LONG: usize = 1 << 19;
const MOST_STEPS: usize = 60_000;

/// The knowledge about removing a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clearance {
    /// A trial parse of its shape made no new syntax errors.
    Cleared,
    /// The result for the node with the token after it (`int` `;`).
    ClearedWithNext,
    /// The result for the node with the token before it (`=` `value`).
    ClearedWithPrevious,
    /// Unknown: its surroundings have syntax errors, or a trial would take too long.
    Unchecked,
    /// The rest has new syntax errors.
    Refused,
}

impl Clearance {
    /// Returns the nodes to remove: `node`, and the token that must go with it. `None` if the node cannot be removed.
    #[must_use]
    pub fn nodes(self, document: &Document, node: NodeId) -> Option<Vec<NodeId>> {
        let companion = match self {
            Clearance::Refused => return None,
            Clearance::Cleared | Clearance::Unchecked => None,
            Clearance::ClearedWithNext => document.next_sibling(node),
            Clearance::ClearedWithPrevious => document.previous_sibling(node),
        };
        Some(std::iter::once(node).chain(companion).collect())
    }
}

/// The shape of a node: the facts that decide whether it can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    parent: u16,
    field: u16,
    kind: u16,
    /// Whether another sibling is in the same field.
    repeated: bool,
    first: bool,
    last: bool,
    /// The tokens around it that could be removed with it; 0 for none.
    next: u16,
    previous: u16,
}

/// Trial parses of one run, by shape.
#[derive(Clone)]
pub struct TrialParser {
    trials: Trials,
    known: HashMap<Shape, Clearance>,
    /// Shapes without an answer, because the text is too long: a shorter one may tell.
    untold: HashSet<Shape>,
    replaced: HashMap<(u16, u16, u16, String), bool>,
}

impl TrialParser {
    /// Makes a trial parser without any knowledge.
    #[must_use]
    pub fn new(parser: SyntaxParser) -> Self {
        TrialParser {
            trials: Trials { parser, of_parts: None, left: MOST_STEPS },
            known: HashMap::new(),
            untold: HashSet::new(),
            replaced: HashMap::new(),
        }
    }

    /// Makes a trial parser for texts with parts in the language; `parser` selects these.
    #[must_use]
    pub fn of_parts(mut self, parser: SyntaxParser) -> Self {
        self.trials.of_parts = Some(parser);
        self
    }

    /// Whether a node can be removed.
    pub fn clearance(&mut self, document: &Document, grammar: &Grammar, node: NodeId) -> Clearance {
        let (this, Some(parent)) = (document.node(node), document.parent(node)) else {
            return Clearance::Refused;
        };
        let above = document.node(parent);
        if this.is_empty() {
            return Clearance::Refused;
        }
        if this.is_extra() && !this.is_error() {
            return Clearance::Cleared;
        }
        if this.is_error() || above.is_error() || (above.has_error() && this.is_named()) {
            return Clearance::Unchecked;
        }
        // Brackets are removed with their content.
        if grammar.notation().is_some() {
            return if this.is_named() || grammar.is_separator(this.kind) {
                Clearance::Cleared
            } else {
                Clearance::Refused
            };
        }
        let companion = |sibling: Option<NodeId>| {
            sibling.filter(|s| {
                let token = document.node(*s);
                !grammar.is_word(this)
                    && grammar.is_word(token)
                    && !token.is_empty()
                    && !grammar.is_separator(token.kind)
            })
        };
        let next = companion(document.next_sibling(node));
        let previous = companion(document.previous_sibling(node));
        let shape = Shape {
            parent: above.kind,
            field: this.field,
            kind: this.kind,
            repeated: has_like_sibling(document, node),
            first: document.previous_sibling(node).is_none(),
            last: document.next_sibling(node).is_none(),
            next: next.map_or(0, |n| document.node(n).kind),
            previous: previous.map_or(0, |n| document.node(n).kind),
        };
        if let Some(known) = self.known.get(&shape) {
            return *known;
        }
        if document.source().len() >= LONG && self.untold.contains(&shape) {
            return Clearance::Unchecked;
        }
        let trials = &mut self.trials;
        let mut goes = |with: Option<NodeId>| {
            let mut dead = NodeSet::new(document);
            dead.insert(node);
            with.into_iter().for_each(|n| dead.insert(n));
            trials.parses(document, grammar, node, removal_edits(document, grammar, &dead))
        };
        // Try the larger part first: a type definition removed without its semicolon leaves an empty statement, which
        // many tools reject.
        let tried = [
            (next, Clearance::ClearedWithNext),
            (None, Clearance::Cleared),
            (previous, Clearance::ClearedWithPrevious),
        ];
        let mut clearance = Clearance::Refused;
        for (with, known_to_parse) in tried {
            if with.is_none() && known_to_parse != Clearance::Cleared {
                continue;
            }
            match goes(with) {
                Some(true) => {
                    clearance = known_to_parse;
                    break;
                }
                Some(false) => {}
                None => {
                    self.untold.insert(shape);
                    return Clearance::Unchecked;
                }
            }
        }
        self.known.insert(shape, clearance);
        clearance
    }

    /// Whether a text can replace nodes with this node's parent, field and kind.
    pub fn accepts_replacement(&mut self, document: &Document, grammar: &Grammar, node: NodeId, text: &str) -> bool {
        let this = document.node(node);
        let parent = document.parent(node).map_or(0, |p| document.node(p).kind);
        let key = (parent, this.field, this.kind, text.to_owned());
        if let Some(known) = self.replaced.get(&key) {
            return *known;
        }
        let edit = Edit::replace(this.range(), text.as_bytes().to_vec());
        let Some(parses) = self.trials.parses(document, grammar, node, vec![edit]) else { return false };
        self.replaced.insert(key, parses);
        parses
    }
}

/// The parser for trials, with its remaining steps.
#[derive(Clone)]
struct Trials {
    parser: SyntaxParser,
    /// The parser of whole texts, if only some parts are in the language.
    of_parts: Option<SyntaxParser>,
    /// Remaining steps for trials of a whole long text.
    left: usize,
}

impl Trials {
    /// Whether edits at a node make no new syntax errors; `None` if the trial would take too long.
    fn parses(&mut self, document: &Document, grammar: &Grammar, node: NodeId, edits: Vec<Edit>) -> Option<bool> {
        let parser = &mut self.parser;
        // A part of a text has other indentation than the whole.
        let part = if grammar.is_indented() { None } else { surroundings(document, node, &edits) };
        if let Some((part, mut holes)) = part {
            let source = &document.source()[part.clone()];
            let moved = |edit: Edit| Edit { start: edit.start - part.start, end: edit.end - part.start, ..edit };
            holes = holes.into_iter().map(moved).collect();
            let before = render(source, holes.clone()).text;
            holes.extend(edits.iter().cloned().map(moved));
            let after = render(source, holes).text;
            let mut errors = |text: &[u8]| parser.parse(text).map(|tree| error_count(&tree));
            // A part with more errors than the whole text isn't representative.
            if let Some(most) = errors(&before).ok().filter(|before| *before <= document.errors()) {
                return Some(errors(&after).is_ok_and(|after| after <= most));
            }
        }
        // If indentation is syntax, there is no other way.
        let is_limited = document.source().len() >= LONG && !grammar.is_indented();
        let most = if is_limited { self.left } else { usize::MAX };
        if most == 0 {
            return None;
        }
        let text = rendered(document, grammar, edits).text;
        let parser = self.of_parts.as_mut().unwrap_or(parser);
        let parsed = parser.reparse_within(&document.tree(), document.source(), &text, most);
        let errors = parsed.ok().map(|tree| Errors::of(&tree));
        if is_limited {
            self.left = self.left.saturating_sub(parser.steps() + errors.map_or(0, |errors| errors.steps()));
            if errors.is_none() && self.left == 0 {
                return None;
            }
        }
        Some(errors.is_some_and(|errors| errors.count <= document.errors()))
    }
}

/// Selects the surroundings of a node in a large text: the top-level neighbours that it could merge with, without the
/// middle of long lists. Text further away parses as before. `None` if the surroundings aren't much smaller than the
/// text.
fn surroundings(document: &Document, node: NodeId, edits: &[Edit]) -> Option<(Range<usize>, Vec<Edit>)> {
    if document.source().len() < LARGE {
        return None;
    }
    let (mut top, mut holes) = (node, Vec::new());
    while document.depth(top) > 1 {
        holes.extend(far_siblings(document, top).map(Edit::delete_raw));
        top = document.parent(top)?;
    }
    let first = document.previous_sibling(top).map_or(0, |before| document.node(before).start as usize);
    let after = document.next_sibling(top).map_or(document.source().len(), |after| document.node(after).range().end);
    let is_left_out = |edit: &Edit| holes.iter().any(|hole| edit.start < hole.end && hole.start < edit.end);
    let inside = edits.iter().all(|edit| first <= edit.start && edit.end <= after && !is_left_out(edit));
    let length = after - first - holes.iter().map(|hole| hole.end - hole.start).sum::<usize>();
    (inside && length <= document.source().len() / MUCH_LESS).then_some((first..after, holes))
}

/// Selects parts of a long list, far before and after a node, without which it is still a list: from the end of a
/// sibling to the end of another one of its kind, element or separator.
fn far_siblings(document: &Document, node: NodeId) -> impl Iterator<Item = Range<usize>> {
    let siblings = |from: Option<NodeId>, step: fn(&Document, NodeId) -> Option<NodeId>| {
        std::iter::successors(from, move |id| step(document, *id))
    };
    let (back, on) = (Document::previous_sibling, Document::next_sibling);
    let near = |step| siblings(Some(node), step).skip(NEAR).take(ENDS).collect::<Vec<_>>();
    let parent = document.parent(node);
    let ends = parent.map(|id| document.node(id).range()).unwrap_or_default();
    let this = document.node(node).range();
    let before = (this.start - ends.start >= LEAST_HOLE).then(|| {
        let first = siblings(parent.map(|id| id + 1), on).take(ENDS).collect::<Vec<_>>();
        widest(document, &first, &near(back))
    });
    let behind = (ends.end - this.end >= LEAST_HOLE).then(|| {
        let last = siblings(parent.and_then(|id| document.last_child(id)), back).take(ENDS).collect::<Vec<_>>();
        widest(document, &near(on), &last)
    });
    before.into_iter().chain(behind).flatten()
}

/// Finds the longest range from the end of one of the first nodes to the end of one of the last ones of the same kind.
fn widest(document: &Document, first: &[NodeId], last: &[NodeId]) -> Option<Range<usize>> {
    let pairs = first.iter().flat_map(|from| last.iter().map(move |to| (document.node(*from), document.node(*to))));
    let alike = pairs.filter(|(from, to)| from.kind == to.kind && from.end < to.end);
    alike.map(|(from, to)| from.end as usize..to.end as usize).max_by_key(ExactSizeIterator::len)
}

/// Whether a sibling is in the same field, or, without fields, has the same kind.
fn has_like_sibling(document: &Document, node: NodeId) -> bool {
    let this = document.node(node);
    let alike = |other: Option<NodeId>| {
        other.is_some_and(|o| {
            let other = document.node(o);
            other.field == this.field && (this.field != 0 || other.kind == this.kind)
        })
    };
    // Elements of one list are at most a separator apart, so four neighbours are enough; comparing all of them would
    // make wide lists quadratic.
    let before = document.previous_sibling(node);
    let after = document.next_sibling(node);
    alike(before)
        || alike(after)
        || alike(before.and_then(|b| document.previous_sibling(b)))
        || alike(after.and_then(|a| document.next_sibling(a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, Sample};

    #[test]
    fn trials_of_all_of_a_long_text_have_an_end_and_those_of_a_short_one_go_on() {
        let mut languages = Languages;
        let mut clearance = |name: &str, left: usize| {
            let mut sample = languages.sample("x.js", format!("f({name});"));
            sample.shapes.trials.left = left;
            let node = sample.node(name);
            let clearance = sample.shapes.clearance(&sample.document, &sample.grammar, node);
            (clearance, left - sample.shapes.trials.left)
        };
        let long = "a".repeat(LONG);
        let (known, steps) = clearance(&long, MOST_STEPS);
        assert_eq!(known, Clearance::Cleared);
        assert!((1..1_000).contains(&steps), "{steps} steps");
        assert_eq!(clearance(&long, 1), (Clearance::Unchecked, 1));
        assert_eq!(clearance(&long, 0), (Clearance::Unchecked, 0));
        assert_eq!(clearance("a", 0), (Clearance::Cleared, 0));
    }

    /// Asserts that the clearance of a node is the same in two documents.
    fn assert_alike((small, id): (&mut Sample, NodeId), (large, twin): (&mut Sample, NodeId)) {
        assert_eq!(
            large.shapes.clearance(&large.document, &large.grammar, twin),
            small.shapes.clearance(&small.document, &small.grammar, id),
            "{:?}",
            String::from_utf8_lossy(small.document.text(id)),
        );
    }

    #[test]
    fn clearance_is_what_a_trial_parse_says() {
        use Clearance::{Cleared, ClearedWithNext, ClearedWithPrevious, Refused, Unchecked};
        let rows = [
            ("x.c", "int a; int b;", "int a;", Cleared),
            ("x.c", "static int a;", "static", Cleared),
            ("x.c", "static int a;", "a", Refused),
            ("x.c", "int a = 1;", "1", ClearedWithPrevious),
            ("x.c", "int f(void) { a = 1; }", "1", ClearedWithPrevious),
            ("x.c", "int f(void) { a = 1; }", "f(void)", Refused),
            ("x.c", "int; int a;", "int", ClearedWithNext),
            ("x.c", "int f(void) { if (a) b(); else d(); }", "else d();", Cleared),
            ("x.c", "int f(void) { if (a) b(); else d(); }", "(a)", Refused),
            ("x.js", "let a = 1;", "1", ClearedWithPrevious),
            ("x.js", "x = a + b;", "a", ClearedWithNext),
            ("x.js", "x = a[b];", "b", Refused),
            ("x.js", "// a\nb", "// a", Cleared),
            ("x.json", "[1, 2]", "1", Cleared),
            ("x.json", "{\"a\": 1}", "\"a\"", Refused),
            ("x.json", "[1, ?? 2]", "??", Unchecked),
            ("x.json", "[1, ?? 2]", "1", Unchecked),
            ("x.json", "[1, [2], ??]", "2", Cleared),
        ];
        let mut languages = Languages;
        for (file, text, part, expected) in rows {
            let mut sample = languages.sample(file, text);
            let node = sample.node(part);
            let clearance = sample.shapes.clearance(&sample.document, &sample.grammar, node);
            assert_eq!(clearance, expected, "{part} in {text}");
        }
    }

    #[test]
    fn neither_the_root_nor_what_has_no_bytes_may_go() {
        let mut sample = Languages.sample("x.c", "int f(void) { return 1 }");
        let missing = sample.document.ids().find(|&id| sample.document.node(id).is_missing());
        for node in [0, missing.expect("the semicolon is missing")] {
            let clearance = sample.shapes.clearance(&sample.document, &sample.grammar, node);
            assert_eq!(clearance, Clearance::Refused);
        }
    }

    #[test]
    fn a_shape_is_tried_once() {
        let mut sample = Languages.sample("x.json", format!("[0{}]", ",0".repeat(999)));
        for node in sample.document.ids() {
            sample.shapes.clearance(&sample.document, &sample.grammar, node);
        }
        // The array, its brackets, the first, the last and all other elements, and their separators.
        assert!(sample.shapes.known.len() <= 10, "{}", sample.shapes.known.len());
    }

    #[test]
    fn in_a_large_text_the_surroundings_decide_as_the_whole_does() {
        let rows = [
            ("x.c", "int before;\n", "struct s { int a; };\nint after;\nint f(int a) { if (a) a = 1; return a; }\n"),
            ("x.js", "before();\n", "let a = 1;\nclass A { b() {} }\nif (a) { b(); } else b(a, 2);\n"),
        ];
        let mut languages = Languages;
        for (file, other, text) in rows {
            let many = other.repeat(LARGE / other.len());
            let mut small = languages.sample(file, format!("{other}{text}{other}"));
            let mut large = languages.sample(file, format!("{many}{other}{text}{other}{many}"));
            let (from, to) = (many.len() + other.len(), many.len() + other.len() + text.len());
            let mut seen = 0;
            for id in small.document.ids().filter(|&id| id > 0) {
                let node = small.document.node(id);
                let (start, end) = (node.start as usize + many.len(), node.end as usize + many.len());
                if start < from || end > to {
                    continue;
                }
                let twin = large.document.find(start, end, node.kind).expect("the same text has the same nodes");
                let part = surroundings(&large.document, twin, &[]).map(|(part, _)| part.len());
                assert!(part.is_some_and(|part| part < text.len() + 60), "{part:?}");
                assert_alike((&mut small, id), (&mut large, twin));
                seen += 1;
            }
            assert!(seen > 20, "{seen}");
        }
    }

    #[test]
    fn of_a_long_list_its_ends_and_what_is_near_decide_as_the_whole_does() {
        let rows = [
            ("x.json", "[", "1, ", "{\"a\": [2, 3]}, \"b\"", ", 4", "]"),
            ("x.js", "f(function () {\n", "b();\nlet c = 1;\n", "let a = [1, 2];\na(b);\n", "d(a);\n", "});"),
            ("x.c", "void f(void) {\n", "b(); c = 1;\n", "if (a) { a = 1; }\nint b, c;\n", "d(a);\n", "}"),
        ];
        let mut languages = Languages;
        for (file, open, before, text, behind, close) in rows {
            let of = |times: usize| {
                let (before, behind) = (before.repeat(times), behind.repeat(times));
                (format!("{open}{before}{text}{behind}{close}"), open.len() + before.len())
            };
            let ((few, from), (many, far)) = (of(20), of(LARGE / before.len()));
            let (mut small, mut large) = (languages.sample(file, few), languages.sample(file, many));
            let mut seen = 0;
            for id in small.document.ids() {
                let node = small.document.node(id);
                if (node.start as usize) < from || node.end as usize > from + text.len() {
                    continue;
                }
                let (start, end) = (node.start as usize + far - from, node.end as usize + far - from);
                let twin = large.document.find(start, end, node.kind).expect("the same text has the same nodes");
                let (part, holes) = surroundings(&large.document, twin, &[]).expect("much can be left out");
                let length = part.len() - holes.iter().map(|hole| hole.end - hole.start).sum::<usize>();
                assert!(length < 1000, "{length} bytes for {node:?}");
                assert_alike((&mut small, id), (&mut large, twin));
                seen += 1;
            }
            assert!(seen > 8, "{seen}");
        }
    }

    #[test]
    fn a_wide_list_is_no_matter() {
        let mut sample = Languages.sample("x.js", format!("x = [0{}];", ",0".repeat(100_000)));
        let list = sample.all_siblings().into_iter().map(|sequence| sequence.units.len()).max();
        assert_eq!(list, Some(100_001));
    }

    #[test]
    fn replacements_are_tried_by_place() {
        let rows = [
            ("x.c", "int f(void) { return 1; }", "{ return 1; }", ";", true),
            ("x.c", "int f(void) { return 1; }", "{ return 1; }", "{}", true),
            ("x.c", "int f(void) { return 1; }", "1", "0", true),
            ("x.c", "int f(void) { return 1; }", "1", "{", false),
            ("x.js", "function f() { a(); }", "{ a(); }", "{}", true),
            ("x.js", "function f() { a(); }", "{ a(); }", "0", false),
            ("x.json", "[[1, 2]]", "[1, 2]", "0", true),
            ("x.json", "{\"a\": 1}", "\"a\"", "0", false),
        ];
        let mut languages = Languages;
        for (file, text, part, replacement, accepted) in rows {
            let mut sample = languages.sample(file, text);
            let node = sample.node(part);
            let answer = sample.shapes.accepts_replacement(&sample.document, &sample.grammar, node, replacement);
            assert_eq!(answer, accepted, "{replacement} for {part} in {text}");
        }
    }
}
