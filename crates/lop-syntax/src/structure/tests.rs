//! Trees of texts without a grammar, as nested lists.

use std::sync::Arc;

use proptest::prelude::*;

use crate::{Document, NodeId, Notation, SyntaxParser};
use lop_testing::any_text;

fn document(notation: Notation, text: &[u8]) -> Document {
    Document::parse(&mut SyntaxParser::structure(&Arc::new(notation)), text).expect("any text has a structure")
}

/// Shows the tree of a text: the leaves as they are, and inner nodes in brackets.
fn shown(text: &str) -> String {
    let document = document(Notation::of(text.as_bytes()), text.as_bytes());
    fn of(document: &Document, id: NodeId) -> String {
        if document.is_leaf(id) {
            return String::from_utf8_lossy(document.text(id)).into_owned();
        }
        let inside: Vec<_> = document.children(id).map(|child| of(document, child)).collect();
        format!("<{}>", inside.join(" "))
    }
    of(&document, 0)
}

#[test]
fn a_text_is_split_by_the_strongest_separator() {
    let rows = [
        ("", ""),
        ("a", "<a>"),
        ("a b\nc d\n", "<<a b> <c d>>"),
        ("a=1;b=2;", "<<a = 1 ;> <b = 2 ;>>"),
        ("f(a, b c)", "<f <( a , <b c> )>>"),
        ("x f(a) y", "<x <f <( a )>> y>"),
        ("[\n 1,\n 2\n]", "<<[ 1 , 2 ]>>"),
        ("if a:\n  b\n  c\nd\n", "<<if <a :> <<b> <c>>> <d>>"),
        ("while a\n  b\nend\nc\n", "<<while a <<b>> end> <c>>"),
        ("int f()\n{\n  a;\n}\nint b;\n", "<<int <f <( )>> <{ a ; }>> <int b ;>>"),
        ("a\nb\n\nc\nd\n", "<<<a> <b>> <<c> <d>>>"),
        ("begin a begin b end end", "<<begin a <begin b end> end>>"),
        ("<p>a</p> <p>b</p> <br> <i>c</i>", "<<<p> a </p>> <<p> b </p>> <br> <<i> c </i>>>"),
        ("it's (a ] b", "<<it ' s> <( a> ] b>"),
        ("\"a (\" b", "<\"a (\" b>"),
    ];
    for (text, tree) in rows {
        assert_eq!(shown(text), tree, "{text:?}");
    }
}

#[test]
fn brackets_and_quotes_without_a_partner_are_errors() {
    let rows = [("", 0), ("(a)", 0), ("(a", 1), ("a)", 1), ("([)]", 2), ("\"a\nb", 1), ("\"(\" b", 0), ("((((", 4)];
    for (text, errors) in rows {
        assert_eq!(document(Notation::default(), text.as_bytes()).errors(), errors, "{text:?}");
    }
}

#[test]
fn apostrophes_and_smileys_are_neither_quotes_nor_brackets() {
    let prose = "It's late :)\nDon't wait :)\nWe're off :)\nThat's it :)\n".repeat(9);
    assert_eq!(document(Notation::of(prose.as_bytes()), prose.as_bytes()).errors(), 0);
}

#[test]
fn records_have_the_same_number_of_fields() {
    let rows = [
        ("a,b\n1,2\n3,4\n5,6\n", Some(b',')),
        ("a\tb\n1\t2\n3\t4\n5\t6\n", Some(b'\t')),
        ("a,b\n1\n3,4,5\n5,6\n", None),
        ("a,\"b,c\"\n1,2\n3,4\n5,6\n", Some(b',')),
        ("a\nb\nc\nd\n", None),
    ];
    for (text, separator) in rows {
        let notation = Notation::of(text.as_bytes());
        let found = notation.separators.first().copied().filter(|_| notation.records);
        assert_eq!(found, separator, "{text:?}");
    }
}

#[test]
fn a_million_levels_are_no_matter() {
    let text = "(".repeat(1_000_000) + &")".repeat(1_000_000);
    let document = document(Notation::default(), text.as_bytes());
    let deepest = document.ids().map(|id| document.depth(id)).max();
    assert_eq!((document.errors(), deepest), (0, Some(1_000_001)));
    let stairs: String = (0..2_000).map(|column| " ".repeat(column) + "a\n").collect();
    assert_eq!(self::document(Notation::default(), stairs.as_bytes()).tokens(), 2_000);
}

/// The outline has the same nodes, in the same places.
#[test]
fn rules_see_the_tree_as_it_is() {
    for text in ["", "a", "f(a, \"b\") { c; }\nbegin d end\n", "( [", "# a\n# b\n# c\nd"] {
        let document = document(Notation::of(text.as_bytes()), text.as_bytes());
        let tree = document.tree();
        let root = tree.root();
        let mut cursor = root.node().walk();
        for id in document.ids() {
            cursor.goto_descendant(id as usize);
            let node = cursor.node();
            assert_eq!(
                (root.range(node), node.kind_id()),
                (document.node(id).range(), document.node(id).kind),
                "{text:?}"
            );
        }
        assert_eq!(root.node().descendant_count(), document.node_count(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_a_tree_of_all_that_is_not_blank(text in any_text()) {
        for notation in [Notation::of(&text), Notation::default()] {
            let document = document(notation, &text);
            let mut end = 0;
            for id in document.ids().filter(|id| document.is_leaf(*id) && *id > 0) {
                let leaf = document.node(id).range();
                prop_assert!(leaf.start >= end && !leaf.is_empty());
                prop_assert!(text[end..leaf.start].iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0B));
                end = leaf.end;
            }
            prop_assert!(text[end..].iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0B));
        }
    }
}
