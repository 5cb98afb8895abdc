//! Other expansions: a node is made anew, by a shorter expansion of its kind, from pieces of it.
//!
//! This is the second strategy of the grammar reducer in *The Fuzzing Book* (Zeller, Gopinath, Böhme,
//! Fraser and Holler, chapter "Reducing Failure-Inducing Inputs"). What deleting or hoisting one thing
//! in the node would also make is left to those passes.

use std::ops::Range;

use crate::grammar::{Expansion, Grammar, Part, Productions};
use crate::syntax::{Document, Edit, NodeId, join};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;
use super::hoist::nearby;

/// Expansions of a kind that are looked at, those with the fewest children.
const MAX_EXPANSIONS: usize = 16;
/// Pieces that are tried in a place, the nearest.
const MAX_CHOICES: usize = 6;
/// Ways to fill an expansion that are looked at.
const MAX_WAYS: usize = 24;
/// Proposals per expansion of a node, and per node.
const MAX_FILLINGS: usize = 2;
const MAX_CANDIDATES: usize = 4;

/// All other expansions of the nodes of a document; none when the grammar has no productions.
#[must_use]
pub fn expansions(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let Ok(Some(productions)) = grammar.productions() else { return Vec::new() };
    let mut all = Vec::new();
    for outer in document.ids().skip(1) {
        let node = document.node(outer);
        let plain = node.is_named() && !node.is_extra() && !node.is_error() && !document.is_leaf(outer);
        if plain && !grammar.is_opaque(node.kind) && !grammar.is_newline_sensitive(node.kind) {
            all.extend(of_node(document, grammar, productions, prints, outer));
        }
    }
    all
}

/// The other expansions of a node.
fn of_node(
    document: &Document,
    grammar: &Grammar,
    productions: &Productions,
    prints: &Fingerprints,
    outer: NodeId,
) -> Vec<Alternative> {
    let kind = document.node(outer).kind;
    let parent = document.parent(outer).map(|parent| document.node(parent).kind);
    let inside: Vec<_> = nearby(document, grammar, outer).map(|(piece, _)| piece).collect();
    let mut made = Vec::new();
    for (number, expansion) in (0..).zip(productions.alternatives(kind).iter().take(MAX_EXPANSIONS)) {
        let class = Class { action: Action::Expand, outer: kind, inner: number, depth: 0 };
        let filled = fillings(document, outer, &inside, expansion);
        let new = filled.into_iter().filter(|pieces| is_new(document, outer, pieces));
        let smaller = new.filter_map(|pieces| {
            Alternative::of_edits(document, prints, class, edits(document, outer, &pieces), parent)
        });
        // One that saves blanks only is the same text, written anew.
        for next in smaller.filter(|made| made.tokens > 0).take(MAX_FILLINGS) {
            // Two expansions may be filled with the same pieces.
            if made.iter().all(|other: &Alternative| other.edits != next.edits) {
                made.push(next);
            }
        }
        if made.len() >= MAX_CANDIDATES {
            break;
        }
    }
    made.truncate(MAX_CANDIDATES);
    made
}

/// Ways to fill an expansion with pieces of a node, none of which overlap.
fn fillings(document: &Document, outer: NodeId, inside: &[NodeId], expansion: &Expansion) -> Vec<Vec<NodeId>> {
    let choices: Vec<Vec<NodeId>> = expansion
        .children
        .iter()
        .map(|child| {
            let fitting = inside.iter().copied().filter(|&piece| fits(document, &child.part, piece));
            // Tokens that are spelled the same need no choice.
            fitting.take(if matches!(child.part, Part::Node(_)) { MAX_CHOICES } else { 1 }).collect()
        })
        .collect();
    let ways = ways(&choices);
    (0..ways.min(MAX_WAYS))
        .map(|way| in_order(document, outer, pick(&choices, way)))
        .filter(|pieces| !overlap(document, pieces))
        .collect()
}

/// Puts the tokens of a node between the pieces where they stand already.
fn in_order(document: &Document, outer: NodeId, mut pieces: Vec<NodeId>) -> Vec<NodeId> {
    let mut at = document.node(outer).start;
    for piece in &mut pieces {
        if !document.node(*piece).is_named() {
            let kind = document.node(*piece).kind;
            let next = document
                .children(outer)
                .take(64)
                .find(|&child| document.node(child).start >= at && document.node(child).kind == kind);
            *piece = next.unwrap_or(*piece);
        }
        at = at.max(document.node(*piece).end);
    }
    pieces
}

fn overlap(document: &Document, pieces: &[NodeId]) -> bool {
    let named: Vec<_> = pieces.iter().copied().filter(|&piece| document.node(piece).is_named()).collect();
    let inside = |&outer: &NodeId, &inner: &NodeId| document.contains(outer, inner);
    named.iter().enumerate().any(|(at, a)| named[at + 1..].iter().any(|b| inside(a, b) || inside(b, a)))
}

/// Whether more than one child of a node has to be deleted or to become a part of itself to make it of
/// these pieces.
fn is_new(document: &Document, outer: NodeId, pieces: &[NodeId]) -> bool {
    let mut next = Some(outer + 1);
    let mut changes = 0;
    for &piece in pieces {
        let Some(child) = child_with(document, outer, piece) else { return true };
        let Some(expected) = next.filter(|&next| next <= child) else { return true };
        changes += usize::from(child != expected) + usize::from(child != piece);
        next = document.next_sibling(child);
    }
    changes += usize::from(next.is_some());
    changes > 1
}

/// The child of a node that is or holds a piece of it.
fn child_with(document: &Document, outer: NodeId, piece: NodeId) -> Option<NodeId> {
    std::iter::successors(Some(piece), |&at| document.parent(at)).find(|&at| document.parent(at) == Some(outer))
}

/// The edits that make a node of pieces of it. What stays in its order is not written anew.
fn edits(document: &Document, outer: NodeId, pieces: &[NodeId]) -> Vec<Edit> {
    let whole = document.node(outer).range();
    let kept = stretches(document, pieces);
    if !kept.is_sorted_by(|a, b| a.end <= b.start) {
        return vec![Edit::replace(whole, text_of(document, pieces))];
    }
    let starts = kept.iter().map(|part| part.start).chain([whole.end]);
    let ends = [whole.start].into_iter().chain(kept.iter().map(|part| part.end));
    ends.zip(starts).filter(|(end, start)| end < start).map(|(end, start)| Edit::delete(end..start)).collect()
}

/// Whether a node may stand in a place of an expansion.
#[must_use]
pub fn fits(document: &Document, part: &Part, piece: NodeId) -> bool {
    let node = document.node(piece);
    match part {
        Part::Node(kinds) => node.is_named() && !node.is_empty() && kinds.contains(&node.kind),
        Part::Token { kinds, .. } => !node.is_empty() && kinds.contains(&node.kind),
        Part::Hidden => false,
    }
}

/// The texts of some nodes, one behind the other; neighbours keep the blanks that are between them.
#[must_use]
pub fn text_of(document: &Document, pieces: &[NodeId]) -> Vec<u8> {
    join(stretches(document, pieces).into_iter().map(|stretch| &document.source()[stretch]))
}

/// The parts of the source that nodes cover, neighbours united.
fn stretches(document: &Document, pieces: &[NodeId]) -> Vec<Range<usize>> {
    let source = document.source();
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for &piece in pieces {
        let next = document.node(piece).range();
        match stretches.last_mut() {
            Some(last) if last.end <= next.start && source[last.end..next.start].trim_ascii().is_empty() => {
                last.end = next.end;
            }
            _ => stretches.push(next),
        }
    }
    stretches
}

/// Ways to choose one from each row.
#[must_use]
pub fn ways(choices: &[Vec<NodeId>]) -> usize {
    choices.iter().map(Vec::len).fold(1, usize::saturating_mul)
}

/// One of the ways to choose from each row; the choice from the last changes fastest.
#[must_use]
pub fn pick(choices: &[Vec<NodeId>], mut way: usize) -> Vec<NodeId> {
    let mut picked: Vec<NodeId> = Vec::with_capacity(choices.len());
    for row in choices.iter().rev() {
        picked.push(row[way % row.len()]);
        way /= row.len();
    }
    picked.reverse();
    picked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::{FILES, Languages, assert_most_parse, shipped_sample};

    #[test]
    fn a_node_is_made_anew_from_its_pieces() {
        // Text, a node, and the texts after each new expansion of it.
        let rows: [(&str, &str, &str, &[&str]); 5] = [
            (
                "x.c",
                "void f(void) { if (a) b(); else d(); }",
                "if (a) b(); else d();",
                &["void f(void) { if (a)d(); }"],
            ),
            (
                "x.c",
                "int x = f(a, g(b), d);",
                "(a, g(b), d)",
                &["int x = f(g(b));", "int x = f(g);", "int x = f(a, g);", "int x = f(a,b);"],
            ),
            (
                "x.js",
                "x = f(a, g(b), d);",
                "(a, g(b), d)",
                &["x = f(g(b));", "x = f(g);", "x = f(,);", "x = f(g(b),);"],
            ),
            ("x.js", "x = a + b;", "a + b", &[]),
            (
                "x.json",
                "[[1, [2], 3]]",
                "[1, [2], 3]",
                &["[1, [2]]", "[1,3]", "[[[2]]]", "[[2]]", "[[1,2]]", "[[[2],1]]"],
            ),
        ];
        let mut languages = Languages;
        for (file, text, part, expected) in rows {
            let sample = languages.sample(file, text);
            let node = sample.node(part);
            let range = sample.document.node(node).range();
            let mut found = expansions(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            found.retain(|made| range.start <= made.range.start && made.range.end <= range.end);
            found.retain(|made| made.class.outer == sample.document.node(node).kind);
            assert_eq!(sample.results(&found), expected, "{part} in {text}");
        }
    }

    #[test]
    fn proposals_for_the_sample_are_smaller_and_most_of_them_parse() {
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let found = expansions(&sample.document, &sample.grammar, &Fingerprints::new(sample.document.source()));
            assert_most_parse(&mut sample, &found);
        }
    }

    #[test]
    fn long_lists_and_deep_nesting_are_no_matter() {
        let long = format!("[0{}]", ",0".repeat(100_000));
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for text in [long, deep] {
            let sample = Languages.sample("x.json", text);
            let found = expansions(&sample.document, &sample.grammar, &Fingerprints::new(sample.document.source()));
            assert!(found.len() <= MAX_CANDIDATES * 100_000);
        }
    }
}
