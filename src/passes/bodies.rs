//! Bodies: the inside of definitions that stay is often not needed, whatever it contains.

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, NodeId, count_words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::place::place;
use super::sequence::{Ask, Remembered, Removal, Sequence, Unit, list_kind};
use super::shapes::Shapes;

/// Bodies of definitions that stay.
pub struct Bodies;

impl Pass for Bodies {
    fn facts(&self) -> Facts {
        Facts::new("bodies", Stage::Deletion, "bodies of definitions that stay").by_rules().led()
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| {
            let skip = |node| tree.is_refused(Ask::Body, node);
            bodies(tree.document, tree.grammar, &mut tree.shapes(), skip)
        })
    }
}

/// The bodies named by the grammar's rules as one sequence, in which to go means to become the
/// first minimal text that fits, else nothing between their brackets; `None` if there are none.
pub(super) fn bodies(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut Shapes,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    let tree = document.tree();
    let root = tree.root_node();
    let (nodes, made): (Vec<_>, Vec<_>) = grammar
        .rules()
        .bodies(root, document.source())
        .into_iter()
        .filter_map(|body| {
            let id = document.find(body.range.start, body.range.end, body.kind)?;
            if skip(id) {
                return None;
            }
            let node = document.node(id);
            let place = place(document, id);
            let minimal = grammar.minimal(place).map(|text| ((*text).to_owned(), vec![body.rule, text.rule]));
            // A language that has no text for the place leaves it to the brackets; one that forbids any does not.
            let brackets = brackets(document, id).filter(|_| !grammar.forbids_other_texts(place));
            let mut texts = minimal.chain(brackets.map(|text| (text, vec![body.rule])));
            let (text, rules) = texts.find(|(text, _)| shapes.accepts_replacement(document, grammar, id, text))?;
            let tokens = document.tokens_of(id).checked_sub(u32::try_from(count_words(text.as_bytes())).ok()?)?;
            let edit = Edit::replace(node.range(), text.into_bytes());
            let unit = Unit { removal: Removal::Edits(vec![edit]), tokens, cleared: false };
            (tokens > 0).then_some((id, (unit, rules)))
        })
        .unzip();
    let (units, rules): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let remembered = Remembered::Nodes(Ask::Body, nodes);
    (!units.is_empty()).then(|| Sequence { rules, remembered, ..Sequence::of(list_kind::BODIES, units) })
}

/// What is left of a node when there is nothing between its first and its last token; `None` if these are no pair.
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
    use crate::passes::testing::Languages;

    #[test]
    fn a_body_becomes_the_first_minimal_text_that_fits() {
        // Text, and the text after each body's replacement.
        let rows: [(&str, &str, &[&str]); 12] = [
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
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let mut sample = languages.sample(file, text);
            let found = bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false);
            assert_eq!(sample.units(found.as_ref()), expected, "{text}");
            assert_eq!(found.is_none(), expected.is_empty());
        }
    }

    #[test]
    fn bodies_that_are_minimal_already_are_no_units() {
        let mut languages = Languages;
        for (file, text) in [("x.js", "function f() {}"), ("x.c", "struct s {} x;"), ("x.c", "int f(void);")] {
            let mut sample = languages.sample(file, text);
            assert!(bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false).is_none(), "{text}");
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
        let sequence = bodies(&sample.document, &sample.grammar, &mut sample.shapes, |_| false).expect("two functions");
        assert_eq!(nodes(&sequence), [first, second]);
        assert_eq!(sequence.units.iter().map(|unit| unit.tokens).collect::<Vec<_>>(), [4, 6]);
        let sequence =
            bodies(&sample.document, &sample.grammar, &mut sample.shapes, |node| node == first).expect("one is left");
        assert_eq!(nodes(&sequence), [second]);
    }
}
