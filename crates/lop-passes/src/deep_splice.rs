//! Deep splices: the content of a block replaces a statement around it, at any distance.
//!
//! They come last. Earlier they lead astray: the definitions that a block needs from outside are removed with the
//! statement, and the result cannot shrink further.

use std::collections::BTreeSet;

use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId};

use super::alternatives::Alternative;
use super::captured::{class, find, inside, line_end};
use super::fingerprint::Fingerprints;
use super::hoist;
use super::pass::{EditsOfTree, Facts, Stage};

/// A statement replaced by the inside of any block in it.
pub(super) static DEEP_SPLICE: EditsOfTree = EditsOfTree {
    facts: Facts::new("deep-splice", Stage::Late, "the content of any block replaces a statement around it"),
    make: deep_splices,
};

/// Levels above a block in which a statement is looked for: with 100,000 levels the search would be
/// quadratic.
const MAX_LEVELS: usize = 100;
/// Statements around a block whose place it may take, the nearest.
const MAX_OUTER: usize = 10;
/// Number of statements at the start of a block that are tried alone.
const MAX_STATEMENTS: usize = 10;

/// Finds all deep splices of a document. A block is a node that a rule splices or calls a body, and every node of the
/// same kind. The splices of the rules themselves belong to [`splices`](super::splice::splices), and near ones to
/// [`hoists`](super::hoist::hoists).
#[must_use]
pub(super) fn deep_splices(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let (rules, tree, source) = (grammar.rules(), document.tree(), document.source());
    let root = tree.root();
    let (by_rule, bodies) = (rules.splices(root, source), rules.bodies(root, source));
    let kinds: BTreeSet<u16> =
        by_rule.iter().map(|splice| splice.inner.kind).chain(bodies.iter().map(|body| body.outer.kind)).collect();
    let by_rule: BTreeSet<_> =
        by_rule.iter().filter_map(|s| find(document, &s.outer).zip(find(document, &s.inner))).collect();
    let mut all = Vec::new();
    for block in document.ids().filter(|&id| kinds.contains(&document.node(id).kind)) {
        let statements: Vec<_> = statements(document, block).take(MAX_STATEMENTS).collect();
        let (Some(&first), Some(part)) = (statements.first(), inside(document, grammar, block)) else { continue };
        let near = document.depth(block).saturating_sub(u32::from(hoist::MAX_DEPTH));
        for outer in outer_statements(document, grammar, &kinds, block, first) {
            if !by_rule.contains(&(outer, block)) {
                let class = class(document, outer, block);
                let end = line_end(document, grammar, outer);
                all.extend(Alternative::keep_part(document, prints, class, outer, part.clone(), end));
            }
            if statements.len() > 1 && document.depth(outer) <= near {
                let alone = statements.iter().filter_map(|&statement| {
                    let class = class(document, outer, statement);
                    let part = (document.node(statement).range(), document.tokens_of(statement));
                    Alternative::keep_part(document, prints, class, outer, part, "")
                });
                all.extend(alone);
            }
        }
    }
    all
}

/// The statements of a block.
fn statements(document: &Document, block: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    document.children(block).filter(|&child| {
        let node = document.node(child);
        node.is_named() && !node.is_extra() && !node.is_empty()
    })
}

/// Returns the nearest nodes around a block that one of its statements can replace, from the inside out. Other blocks
/// aren't among them: usually only a block can be in their place.
fn outer_statements<'d>(
    document: &'d Document,
    grammar: &'d Grammar,
    blocks: &'d BTreeSet<u16>,
    block: NodeId,
    statement: NodeId,
) -> impl Iterator<Item = NodeId> + 'd {
    let inner = document.node(statement).kind;
    document
        .ancestors(block)
        .take(MAX_LEVELS)
        .filter(|&node| node != 0)
        .filter(move |&node| {
            let outer = document.node(node).kind;
            !blocks.contains(&outer) && grammar.may_replace(outer, inner)
        })
        .take(MAX_OUTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FILES, Languages, assert_most_parse, assert_proposals, shipped_sample};

    #[test]
    fn the_inside_of_a_block_takes_the_place_of_statements_further_out() {
        assert_proposals(
            deep_splices,
            &[
                ("x.c", "void f(void) { while (a) if (b) { d(); e(); } }", &["void f(void) { d(); e(); }"]),
                ("x.c", "void f(void) { if (b) { d(); } }", &[]),
                ("x.c", "void f(void) { if (b) { } }", &[]),
                ("x.js", "a(b(function () { d(); e(); }));", &["d(); e();", "d();", "e();"]),
                ("x.json", "[[[[[[[1, 2]]]]]]]", &[]),
            ],
        );
    }

    #[test]
    fn a_statement_takes_the_place_of_one_that_hoists_do_not_reach() {
        let near = "if (a) { d(); e(); }";
        let far = "if (a) a(b(b(function () { d(); e(); })));";
        let mut languages = Languages;
        for (text, reached) in [(near, false), (far, true)] {
            let sample = languages.sample("x.js", text);
            let found = deep_splices(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            let results = sample.results(&found);
            assert_eq!(results.contains(&"e();".to_owned()), reached, "{results:?}");
        }
    }

    #[test]
    fn proposals_for_the_sample_are_smaller_and_most_of_them_parse() {
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let found = deep_splices(&sample.document, &sample.grammar, &Fingerprints::new(sample.document.source()));
            assert_most_parse(&mut sample, &found);
        }
    }

    #[test]
    fn long_blocks_and_deep_nesting_are_no_matter() {
        let long = format!("function f() {{ {} }}", "a();".repeat(100_000));
        let deep = "{".repeat(100_000) + "a();" + &"}".repeat(100_000);
        for (text, most) in [(long, 10), (deep, 0)] {
            let sample = Languages.sample("x.js", text);
            let found = deep_splices(&sample.document, &sample.grammar, &Fingerprints::new(sample.document.source()));
            assert!(found.len() <= most, "{}", found.len());
        }
    }
}
