//! Empties the bodies of definitions that stay: often a body isn't needed, whatever it contains.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lop_grammar::{ByRule, Grammar, Rewrite, RuleId};
use lop_syntax::{Document, Edit, NodeId, count_words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::place::place;
use super::rewrites::written;
use super::sequence::{Ask, Remembered, Removal, Sequence, Unit, list_kind};
use super::trial_parser::TrialParser;

/// Bodies of definitions that stay.
pub struct Bodies;

impl Pass for Bodies {
    fn facts(&self) -> Facts {
        Facts::new("bodies", Stage::Deletion, "bodies of definitions that stay")
            .by_rules()
            .led("they go after the lists")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| {
            let skip = |node| tree.is_refused(Ask::Body, node);
            bodies(tree.document, tree.grammar, &mut tree.shapes(), skip)
        })
    }
}

/// Proposes one sequence for each kind of the bodies that the grammar's rules name, the longest first. A removed body
/// becomes the first smaller text that fits: the rule's text, then the minimal texts, else the empty brackets. A body
/// that has the rule's text is proposed again with the next text.
pub(super) fn bodies(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut TrialParser,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Vec<Sequence> {
    let tree = document.tree();
    let mut by_kind: BTreeMap<u16, Vec<Body>> = BTreeMap::new();
    for body in grammar.rules().bodies(tree.root(), document.source()) {
        let kind = body.what.outer.kind;
        by_kind.entry(kind).or_default().extend(smaller(document, grammar, shapes, &body, &mut skip));
    }
    let mut sequences: Vec<_> = by_kind
        .into_iter()
        .filter(|(_, bodies)| !bodies.is_empty())
        .map(|(kind, bodies)| {
            let mut nodes = Vec::new();
            let (units, rules) =
                bodies.into_iter().map(|body| (nodes.push(body.node), (body.unit, body.rules)).1).unzip();
            let remembered = Remembered::Nodes(Ask::Body, nodes);
            Sequence { rules, remembered, ..Sequence::of(list_kind::bodies(kind), units) }
        })
        .collect();
    sequences.sort_by_key(|sequence| Reverse(sequence.units.len()));
    sequences
}

struct Body {
    node: NodeId,
    unit: Unit,
    rules: Vec<RuleId>,
}

/// A body that becomes smaller.
fn smaller(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut TrialParser,
    body: &ByRule<Rewrite>,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Body> {
    let Rewrite { outer, pieces } = &body.what;
    let id = document.find(outer.range.start, outer.range.end, outer.kind).filter(|id| !skip(*id))?;
    let (node, tokens, place) = (document.node(id), document.tokens_of(id), place(document, id));
    let by_rule = (!pieces.is_empty()).then(|| written(grammar, document.source(), pieces));
    // A shorter text may not fit, so it is proposed when this one has been accepted.
    let is_first = by_rule.as_ref().is_some_and(|text| text != document.text(id));
    let by_rule = by_rule.map(|text| (String::from_utf8_lossy(&text).into_owned(), vec![body.rule]));
    let minimal = grammar.minimal(place).map(|text| ((*text).to_owned(), vec![body.rule, text.rule]));
    // A language that has no text for the place leaves it to the brackets; one that forbids any does not.
    let brackets = brackets(document, id).filter(|_| !grammar.forbids_other_texts(place));
    let texts = by_rule.into_iter().chain(minimal).chain(brackets.map(|text| (text, vec![body.rule])));
    let texts = texts.take(if is_first { 1 } else { usize::MAX });
    let smaller = texts.filter_map(|(text, rules)| {
        let left = u32::try_from(count_words(text.as_bytes())).ok()?;
        (left < tokens).then(|| (text, rules, tokens - left))
    });
    let mut fitting = smaller.filter(|(text, ..)| shapes.accepts_replacement(document, grammar, id, text));
    let (text, rules, tokens) = fitting.next()?;
    let edit = Edit::replace(node.range(), text.into_bytes());
    Some(Body { node: id, unit: Unit { removal: Removal::Edits(vec![edit]), tokens, known_to_parse: false }, rules })
}

/// Returns the first and the last token of a node without anything between them, or `None` if they aren't a pair.
fn brackets(document: &Document, id: NodeId) -> Option<String> {
    let mut children = document.children(id).filter(|&child| !document.node(child).is_extra());
    let (first, last) = (children.next()?, children.last()?);
    let pair = [document.text(first), document.text(last)];
    let is_pair = matches!(pair, [b"{", b"}"] | [b"(", b")"] | [b"[", b"]"]);
    is_pair.then(|| String::from_utf8_lossy(&pair.concat()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    #[test]
    fn a_body_becomes_the_first_minimal_text_that_fits() {
        // Text, and the text after each body's replacement.
        let rows: [(&str, &str, &[&str]); 22] = [
            ("x.c", "int f(void) { return 1; }", &["int f(void) ;"]),
            ("x.c", "int f(void) {}", &["int f(void) ;"]),
            (
                "x.c",
                "int f(a) int a; { return a; } int g(int a) { return a; }",
                &["int f(a) int a; {} int g(int a) { return a; }", "int f(a) int a; { return a; } int g(int a) ;"],
            ),
            ("x.c", "struct s { int a; } x;", &["struct s {} x;"]),
            ("x.c", "int a[] = { 1, 2 };", &[]),
            ("x.c", "int a = 1;", &[]),
            ("x.js", "function f() { a(); }", &["function f() {}"]),
            ("x.js", "x = () => { a(); };", &["x = () => {};"]),
            ("x.js", "class A { b() { a(); } }", &["class A { b() {} }"]),
            ("x.json", "[{}]", &[]),
            ("x.rs", "const A: B = B { c: 1 };", &[]),
            ("x.sh", "f() { a; }", &[]),
            // The rule's text comes first: it fits the definition.
            ("x.java", "class A { int f() { return 1 + 2; } }", &["class A { int f() {throw null;} }", "class A {}"]),
            ("x.java", "class A { void f() { g(); } }", &["class A { void f() {} }", "class A {}"]),
            (
                "x.java",
                "class A { A(int a) { super(a); b = a; } }",
                &["class A {}", "class A { A(int a) {super(a);throw null;} }"],
            ),
            ("x.rs", "fn f() -> u8 { g(1, 2); 0 }", &["fn f() -> u8 {loop{}}"]),
            ("x.rs", "fn f() { g(1, 2); }", &["fn f() {}"]),
            ("x.go", "package a\nfunc f() int { return g(1) + 2 }", &["package a\nfunc f() int {panic(0)}"]),
            ("x.ts", "function f(): A { return g(1); }", &["function f(): A {throw 0}"]),
            ("x.ts", "function f(): void { g(1); }", &["function f(): void {}"]),
            ("x.java", "class A { int f() { return 1; } }", &["class A {}"]),
            // It is there, so the next shorter one is asked about.
            ("x.java", "class A { int f() {throw null;} }", &["class A { int f() {} }", "class A {}"]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let mut sample = languages.sample(file, text);
            let found = bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false);
            let units: Vec<_> = found.iter().flat_map(|bodies| sample.units(Some(bodies))).collect();
            assert_eq!(units, expected, "{text}");
        }
    }

    #[test]
    fn bodies_that_are_minimal_already_are_no_units() {
        let mut languages = Languages;
        for (file, text) in [("x.js", "function f() {}"), ("x.c", "struct s {} x;"), ("x.c", "int f(void);")] {
            let mut sample = languages.sample(file, text);
            assert!(bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false).is_empty(), "{text}");
        }
    }

    #[test]
    fn units_come_with_their_nodes_and_refused_ones_are_skipped() {
        let nodes = |sequence: &Sequence| match &sequence.remembered {
            Remembered::Nodes(Ask::Body, nodes) => nodes.clone(),
            other => panic!("bodies are remembered by their nodes, not {other:?}"),
        };
        let text = "int f(void) { return 1; } int g(void) { return 2 + 3; }";
        let mut sample = Languages.sample("x.c", text);
        let (first, second) = (sample.node("{ return 1; }"), sample.node("{ return 2 + 3; }"));
        let [sequence] = &bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false)[..] else {
            panic!("bodies of one kind")
        };
        assert_eq!(nodes(sequence), [first, second]);
        assert_eq!(sequence.units.iter().map(|unit| unit.tokens).collect::<Vec<_>>(), [4, 6]);
        let left = bodies(&sample.document, &sample.grammar, &mut sample.shapes, |node| node == first);
        assert_eq!(nodes(&left[0]), [second]);
    }
}
