//! Hoisting: a descendant replaces its ancestor.
//!
//! After deletion this removes most (Perses calls it replacement by a compatible descendant; Sun et al., ICSE 2018).

use std::collections::VecDeque;

use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId};

use super::alternatives::{Alternative, Class};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};

/// A descendant in the place of its ancestor.
pub(super) static HOIST: EditsOfTree = EditsOfTree {
    facts: Facts::new("hoist", Stage::LocalEdits, "a part replaces a whole of the same class"),
    make: hoists,
};

/// Levels below a node in which a replacement is looked for.
pub(super) const MAX_DEPTH: u16 = 4;
/// Candidates a node. More cost tests and were not found to make anything smaller.
const MAX_CANDIDATES: usize = 10;
/// A node of more tokens is large.
const LARGE: u32 = 8;
/// Maximum number of nodes to examine below one node: a list of 100,000 elements would make the search quadratic.
const MAX_VISITED: usize = 200;

/// All hoists of a document.
#[must_use]
pub(super) fn hoists(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for outer in document.ids().skip(1) {
        let node = document.node(outer);
        if !node.is_named() || node.is_extra() || node.is_error() || grammar.is_opaque(node.kind) {
            continue;
        }
        let alternatives = compatible_descendants(document, grammar, outer, MAX_CANDIDATES);
        // One name or number is as good as another one as a replacement of something large; later the rest is tested
        // with all of them.
        let mut single = 0;
        let is_small = document.tokens_of(outer) <= LARGE;
        let promising = alternatives.into_iter().filter(|(inner, _)| {
            single += usize::from(document.tokens_of(*inner) == 1);
            is_small || document.tokens_of(*inner) > 1 || single == 1
        });
        all.extend(promising.filter_map(|(inner, depth)| {
            let kept = document.node(inner);
            let class = Class { outer: node.kind, inner: kept.kind, depth };
            let part = (kept.range(), document.tokens_of(inner));
            Alternative::keep_part(document, prints, class, outer, part, "")
        }));
    }
    all
}

/// Returns descendants that can replace `outer`, breadth first, with their distances.
pub(super) fn compatible_descendants(
    document: &Document,
    grammar: &Grammar,
    outer: NodeId,
    most: usize,
) -> Vec<(NodeId, u16)> {
    let kind = document.node(outer).kind;
    let compatible = nearby(document, grammar, outer).filter(|&(id, _)| {
        let node = document.node(id);
        node.is_named() && grammar.may_replace(kind, node.kind)
    });
    compatible.take(most).collect()
}

/// The first few descendants of a node that are not far below it and not empty, breadth first, with
/// their distance. Comments are left out.
fn nearby<'d>(document: &'d Document, grammar: &'d Grammar, outer: NodeId) -> impl Iterator<Item = (NodeId, u16)> + 'd {
    let mut below = VecDeque::from([(document.children(outer), 1)]);
    let mut visited = 0;
    std::iter::from_fn(move || {
        while visited < MAX_VISITED {
            let (children, depth) = below.front_mut()?;
            let depth = *depth;
            let Some(child) = children.next() else {
                below.pop_front();
                continue;
            };
            visited += 1;
            let node = document.node(child);
            if node.is_extra() || node.is_empty() {
                continue;
            }
            if depth < MAX_DEPTH && node.is_named() && !grammar.is_opaque(node.kind) {
                below.push_back((document.children(child), depth + 1));
            }
            return Some((child, depth));
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    /// Rows of file, text, a node, and the texts after each hoist into that node's place.
    #[track_caller]
    fn assert_hoists(rows: &[(&str, &str, &str, &[&str])]) {
        let mut languages = Languages;
        for &(file, text, outer, expected) in rows {
            let sample = languages.sample(file, text);
            let outer_node = sample.node(outer);
            let mut found = hoists(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            found.retain(|hoist| hoist.range == sample.document.node(outer_node).range());
            assert_eq!(sample.results(&found), expected, "{outer} in {text}");
        }
    }

    #[test]
    fn compatible_descendants_take_their_ancestors_place() {
        assert_hoists(&[
            ("x.c", "int x = a + b;", "a + b", &["int x = a;", "int x = b;"]),
            (
                "x.c",
                "int x = (a + b) * d;",
                "(a + b) * d",
                &["int x = (a + b);", "int x = d;", "int x = a + b;", "int x = a;", "int x = b;"],
            ),
            (
                "x.c",
                "void f(void) { if (a) b(); else d(); }",
                "if (a) b(); else d();",
                &["void f(void) { b(); }", "void f(void) { d(); }"],
            ),
            ("x.c", "void f(void) { { a(); } }", "{ { a(); } }", &["void f(void) { a(); }", "void f(void) a();"]),
            ("x.js", "x = f(a, b);", "f(a, b)", &["x = f;", "x = a;", "x = b;"]),
            ("x.js", "x = [[1]];", "[[1]]", &["x = [1];", "x = 1;"]),
            ("x.json", "[[1], 2]", "[1]", &["[1, 2]"]),
            ("x.json", "{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}", &["\"a\"", "{\"b\": 1}", "\"b\"", "1"]),
        ]);
    }

    #[test]
    fn nothing_takes_the_place_of_a_token_or_of_the_whole() {
        assert_hoists(&[
            ("x.c", "int x = 1;", "1", &[]),
            ("x.js", "x = 'a';", "'a'", &[]),
            ("x.json", "[1]\n", "[1]\n", &[]),
        ]);
    }

    #[test]
    fn replacements_are_looked_for_a_few_levels_below_and_no_further() {
        let sample = Languages.sample("x.json", "[[[[[[[1]]]]]]]");
        let found = compatible_descendants(&sample.document, &sample.grammar, 1, usize::MAX);
        let depths: Vec<_> = found.iter().map(|(_, depth)| *depth).collect();
        assert_eq!(depths, [1, 2, 3, 4]);
        let wide = Languages.sample("x.json", format!("[0{}]", ",0".repeat(5_000)));
        let found = compatible_descendants(&wide.document, &wide.grammar, 1, usize::MAX);
        assert!(found.len() < MAX_VISITED);
        let found = hoists(&wide.document, &wide.grammar, &Fingerprints::new(wide.document.source()));
        assert_eq!(found.len(), 1, "one number is as good as another");
    }

    #[test]
    fn what_is_saved_is_known() {
        let text = "int x = (a + b) * d;";
        let sample = Languages.sample("x.c", text);
        let found = hoists(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        let result = sample.results(&found);
        for (hoist, result) in found.iter().zip(result) {
            assert_eq!(hoist.bytes, i64::try_from(text.len() - result.len()).expect("a small text"));
            assert!(hoist.tokens > 0);
        }
        assert_eq!(found[0].tokens, 2, "the product and its right operand go");
        assert_eq!(found[1].tokens, 6, "all but the right operand goes");
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_matter() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        let sample = Languages.sample("x.json", text);
        let found = hoists(&sample.document, &sample.grammar, &Fingerprints::new(sample.document.source()));
        assert!(found.len() > 300_000);
    }
}
