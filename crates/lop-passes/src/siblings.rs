//! Sibling sequences: the children of a node that can be removed separately.

use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId};

use super::indentation::{filler_tokens, is_filler};
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit};
use super::trial_parser::{Clearance, TrialParser};

/// Elements of lists, statements, declarations: the units of the tree.
pub struct Siblings;

impl Pass for Siblings {
    fn facts(&self) -> Facts {
        Facts::new("siblings", Stage::Deletion, "runs of statements, declarations and elements of lists")
            .led("the lists wait in a queue, by expected gain")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| {
            let shapes = &mut *tree.shapes();
            let list = |node| siblings(tree.document, tree.grammar, shapes, node, |_| false);
            tree.document.ids().filter_map(list).collect::<Vec<_>>()
        })
    }
}

/// Proposes the removable children of a node as a sequence. Returns `None` if there are none.
///
/// `skip` returns `true` for a child that was refused before.
pub fn siblings(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut TrialParser,
    parent: NodeId,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    if grammar.is_opaque(document.node(parent).kind) {
        return None;
    }
    let mut units = Vec::new();
    for child in document.children(parent) {
        if owned_separator(document, grammar, child) || is_filler(document, grammar, child) || skip(child) {
            continue;
        }
        let clearance = shapes.clearance(document, grammar, child);
        let Some(nodes) = clearance.nodes(document, child) else { continue };
        let tokens: u32 = nodes.iter().map(|n| document.tokens_of(*n)).sum();
        let filler = filler_tokens(document, grammar, child);
        // The filler for it would be as large.
        if filler > 0 && filler >= tokens {
            continue;
        }
        units.push(Unit {
            tokens: tokens - filler,
            removal: Removal::Nodes(nodes.into()),
            known_to_parse: clearance != Clearance::Unchecked,
        });
    }
    units.shrink_to_fit();
    let (kind, depth) = (document.node(parent).kind.into(), document.depth(parent));
    (!units.is_empty()).then_some(Sequence { depth, ..Sequence::of(kind, units) })
}

/// Whether it is a separator that belongs to the element after it.
fn owned_separator(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let kind = document.node(node).kind;
    grammar.is_separator(kind)
        && document.next_sibling(node).is_some_and(|next| {
            let next = document.node(next);
            next.is_named() && !next.is_extra()
        })
        && !document.parent(node).is_some_and(|p| document.node(p).is_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FILES, Languages, Sample, parser, shipped_sample};
    use lop_syntax::error_count;
    use lop_testing::nodes;

    /// The units among the children of the node that reads `parent`.
    fn units(sample: &mut Sample, parent: &str) -> Vec<String> {
        let parent = sample.node(parent);
        let sequence = sample.siblings(parent);
        sample.units(sequence.as_ref())
    }

    /// Each row has the file, the text, a node of it, and the units among the node's children; `+` joins those that are
    /// removed together.
    #[track_caller]
    fn assert_units(rows: &[(&str, &str, &str, &[&str])]) {
        let mut languages = Languages;
        for &(file, text, parent, expected) in rows {
            let mut sample = languages.sample(file, text);
            assert_eq!(sample.document.errors(), 0, "{text}");
            let units = units(&mut sample, parent);
            assert_eq!(units, expected, "{parent} in {text}");
        }
    }

    #[test]
    fn what_a_rule_repeats_is_a_unit() {
        assert_units(&[
            ("x.c", "int a;\nint b;\nint d;\n", "int a;\nint b;\nint d;\n", &["int a;", "int b;", "int d;"]),
            ("x.c", "void f(void) { a(); b(); }", "{ a(); b(); }", &["a();", "b();"]),
            ("x.c", "int f(int a, int b);", "(int a, int b)", &["int a", "int b"]),
            ("x.c", "int x[] = {1, 2};", "{1, 2}", &["1", "2"]),
            ("x.c", "enum { A, B } x;", "{ A, B }", &["A", "B"]),
            ("x.c", "struct { int a; int b; } x;", "{ int a; int b; }", &["int a;", "int b;"]),
            ("x.js", "a();\nb();\n", "a();\nb();\n", &["a();", "b();"]),
            ("x.js", "x = [1, 2];", "[1, 2]", &["1", "2"]),
            ("x.js", "x = {a: 1, b() {}};", "{a: 1, b() {}}", &["a: 1", "b() {}"]),
            ("x.js", "f(1, 2);", "(1, 2)", &["1", "2"]),
            ("x.js", "class A { a() {} b() {} }", "{ a() {} b() {} }", &["a() {}", "b() {}"]),
            (
                "x.js",
                "switch (a) { case 1: b(); default: d(); }",
                "{ case 1: b(); default: d(); }",
                &["case 1: b();", "default: d();"],
            ),
            ("x.json", "[1, 2, 3]", "[1, 2, 3]", &["1", "2", "3"]),
            ("x.json", "[[1, 2, 3]]", "[1, 2, 3]", &["1", "2", "3"]),
            ("x.json", "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2}", &["\"a\": 1", "\"b\": 2"]),
        ]);
    }

    #[test]
    fn what_a_rule_leaves_open_is_a_unit() {
        assert_units(&[
            ("x.c", "static const int a;", "static const int a;", &["static", "const"]),
            ("x.c", "int f(void) { if (1) a(); else b(); }", "if (1) a(); else b();", &["else b();"]),
            ("x.c", "int f(void) { for (a; b; d) e(); }", "for (a; b; d) e();", &["a", "b", "d"]),
            ("x.c", "struct s { int a; } x;", "struct s { int a; }", &["s", "{ int a; }"]),
            ("x.js", "f(async function () { });", "async function () { }", &["async"]),
            ("x.js", "f(class extends B { });", "class extends B { }", &["extends B"]),
            (
                "x.js",
                "try { a(); } catch (e) { b(); } finally { d(); }",
                "try { a(); } catch (e) { b(); } finally { d(); }",
                &["catch (e) { b(); }", "finally { d(); }"],
            ),
        ]);
    }

    #[test]
    fn a_unit_takes_the_token_along_without_which_it_cannot_go() {
        assert_units(&[
            ("x.c", "int a = 1;", "a = 1", &["1+="]),
            ("x.c", "enum { A = 1, B };", "A = 1", &["1+="]),
            ("x.c", "int f(void) { return a + b; }", "a + b", &["a++", "b++"]),
            ("x.js", "const a = 1;", "a = 1", &["1+="]),
            ("x.js", "function f(a = 1) {}", "a = 1", &["1+="]),
            ("x.js", "f(a.b);", "a.b", &["a+.", "b+."]),
            ("x.c", "int;\nint a;\n", "int;\nint a;\n", &["int+;", "int a;"]),
        ]);
    }

    #[test]
    fn a_unit_takes_a_keyword_along_that_the_parser_gives_a_name() {
        assert_units(&[
            ("x.sql", "SELECT a FROM b WHERE c AND d;", "c AND d", &["c+AND", "d+AND"]),
            ("x.sql", "SELECT a FROM b LIMIT 1;", "LIMIT 1", &["1+LIMIT"]),
        ]);
    }

    /// A semicolon left alone is an empty statement, which many tools do not accept everywhere.
    #[test]
    fn a_unit_takes_the_token_behind_it_along_where_both_may_go() {
        assert_units(&[
            ("x.js", "class A { a = 1; b() {} }", "{ a = 1; b() {} }", &["a = 1+;", "b() {}"]),
            (
                "x.c",
                "struct s { int a; };\nint b;\n",
                "struct s { int a; };\nint b;\n",
                &["struct s { int a; }+;", "int b;"],
            ),
        ]);
    }

    /// An empty block gets a statement, which is no smaller than a name.
    #[test]
    fn what_would_be_replaced_by_as_much_is_no_unit() {
        let mut sample = Languages.sample("x.py", "if a:\n  x\n");
        let before = sample.document.source().len();
        for unit in sample.all_siblings().iter().flat_map(|list| &list.units) {
            assert!(sample.after([&unit.removal]).len() < before);
        }
    }

    #[test]
    fn what_a_rule_requires_is_no_unit() {
        assert_units(&[
            ("x.c", "int f(void) { x = a[b]; }", "a[b]", &[]),
            ("x.js", "x = a ? b : d;", "a ? b : d", &[]),
            ("x.json", "{\"a\": 1}", "\"a\": 1", &[]),
            ("x.json", "[1, 2]", "1", &[]),
        ]);
    }

    #[test]
    fn inside_opaque_nodes_nothing_is_a_unit() {
        assert_units(&[
            ("x.c", "char *s = \"a\\n\";", "\"a\\n\"", &[]),
            ("x.js", "s = 'a\\n';", "'a\\n'", &[]),
            ("x.json", "[\"a\\n\"]", "\"a\\n\"", &[]),
        ]);
    }

    #[test]
    fn a_separator_behind_the_last_element_is_a_unit() {
        assert_units(&[
            ("x.js", "x = [1, 2,];", "[1, 2,]", &["1", "2", ","]),
            ("x.c", "int x[] = {1, 2,};", "{1, 2,}", &["1", "2", ","]),
            ("x.c", "enum { A, B, };", "{ A, B, }", &["A", "B", ","]),
        ]);
    }

    #[test]
    fn comments_are_units() {
        assert_units(&[
            ("x.c", "int f(/* 1 */ int a);", "(/* 1 */ int a)", &["/* 1 */", "int a"]),
            ("x.json", "[1, /* 1 */ 2]", "[1, /* 1 */ 2]", &["1", "/* 1 */", "2"]),
        ]);
    }

    #[test]
    fn where_the_parent_does_not_parse_every_named_child_is_a_unit_that_is_not_cleared() {
        let mut sample = Languages.sample("x.json", "[1, ?? 2, 3]");
        let root = sample.siblings(1).expect("the array has elements");
        let known_to_parse: Vec<_> = root.units.iter().map(|unit| unit.known_to_parse).collect();
        // Taking the comma out as well leaves one error as before.
        assert_eq!(sample.units(Some(&root)), ["1", ",", "??", "2", "3"]);
        assert_eq!(known_to_parse, [false, true, false, false, false]);
    }

    #[test]
    fn refused_children_are_skipped_and_lists_know_where_they_are() {
        let mut sample = Languages.sample("x.json", "[[1, 2, 3]]");
        let (parent, two) = (sample.node("[1, 2, 3]"), sample.node("2"));
        let sequence = siblings(&sample.document, &sample.grammar, &mut sample.shapes, parent, |node| node == two);
        let sequence = sequence.expect("two elements are left");
        assert_eq!(sample.units(Some(&sequence)), ["1", "3"]);
        let kind = sample.document.node(parent).kind;
        assert_eq!((sequence.kind, sequence.depth), (kind.into(), sample.document.depth(parent)));
        assert_eq!(sequence.tokens(), 2);
        assert!(sequence.units.iter().all(|unit| unit.known_to_parse));
        assert!(siblings(&sample.document, &sample.grammar, &mut sample.shapes, parent, |_| true).is_none());
    }

    #[test]
    fn parsing_again_without_any_one_unit_equals_parsing() {
        for file in FILES {
            let mut sample = Languages.sample(file, shipped_sample(file));
            let mut parser = parser(file);
            let old = sample.document.source().to_vec();
            let mut compared = 0;
            for unit in sample.all_siblings().into_iter().flat_map(|list| list.units) {
                let new = sample.after([&unit.removal]);
                let fresh = parser.parse(&new).expect("the sample has a tree");
                if error_count(&fresh) == 0 {
                    let again = parser.reparse(&sample.document.tree(), &old, &new).expect("the sample has a tree");
                    assert_eq!(nodes(again.root().node()), nodes(fresh.root().node()), "{file} without {unit:?}");
                    compared += 1;
                }
            }
            assert!(compared > 40, "{file}: {compared}");
        }
    }
}
