//! Merges names: a definition is removed, and its uses get another name of the same kind.

use std::collections::HashMap;
use std::ops::Range;

use lop_grammar::{ByRule, Definition, Grammar, RuleId};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::captured::find;
use super::fingerprint::Fingerprints;
use super::names::occurrences;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};

/// A name replaced by another one, and its definition removed.
pub(super) static MERGE: EditsOfTree = EditsOfTree {
    facts: Facts::new("merge", Stage::Late, "a definition goes, and a similar one replaces it").by_rules(),
    make: merges,
};

/// Texts of more tokens, and with more definitions, are left alone: every two names are a proposal.
const MOST_TOKENS: usize = 300;
const MOST_NAMES: usize = 40;

/// A unit that defines a name, and the place of the name in it.
struct Defined {
    unit: NodeId,
    name: NodeId,
    rule: RuleId,
}

/// Merges two names with equal definitions: the first definition is removed, and the second name replaces the first.
#[must_use]
pub(super) fn merges(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let found = grammar.rules().definitions(document.tree().root(), document.source());
    let mut all: Vec<(&[u8], Vec<Defined>)> = Vec::new();
    for ByRule { what: Definition { unit, name }, rule } in &found {
        let Some((unit, id)) = find(document, unit).zip(find(document, name)) else { continue };
        let text = document.text(id);
        let defined = Defined { unit, name: id, rule: *rule };
        match all.iter_mut().find(|(other, _)| *other == text) {
            Some((_, units)) => units.push(defined),
            None => all.push((text, vec![defined])),
        }
    }
    if all.len() > MOST_NAMES {
        return Vec::new();
    }
    let places = occurrences(document, grammar).into_iter();
    let places: HashMap<&[u8], _> = places.map(|places| (&document.source()[places[0].clone()], places)).collect();
    let mut made = Vec::new();
    for (name, units) in &all {
        let (Some(places), Some(first)) = (places.get(name), units.first()) else { continue };
        if grammar.keep_names().iter().any(|keep| keep.as_bytes() == *name) {
            continue;
        }
        let mut dead = NodeSet::new(document);
        let gone: Vec<_> = units.iter().map(|defined| part(document, &all, defined)).collect();
        gone.iter().for_each(|&node| dead.insert(node));
        let removal = removal_edits(document, grammar, &dead);
        let is_left = |place: &&Range<usize>| {
            gone.iter().map(|&node| document.node(node).range()).all(|g| place.end <= g.start || g.end <= place.start)
        };
        let left: Vec<_> = places.iter().filter(is_left).collect();
        // A name that nothing uses is a definition without use.
        if left.is_empty() {
            continue;
        }
        for (other, others) in all.iter().filter(|(other, _)| other != name) {
            if !others.iter().any(|defined| role(document, defined) == role(document, first)) {
                continue;
            }
            let rename = |place: &&Range<usize>| Edit::replace((*place).clone(), other.to_vec());
            let edits = removal.iter().cloned().chain(left.iter().map(rename)).collect();
            let kind = |id: NodeId| document.node(id).kind;
            let class = Class { outer: kind(first.unit), inner: kind(first.name), depth: 0 };
            let rules = units.iter().chain(others).map(|defined| defined.rule);
            made.extend(Alternative::of_edits(document, prints, class, edits, ()).map(|made| made.by(rules)));
        }
    }
    made
}

/// The node to remove with a name: its unit, or if the unit defines others as well, the largest part that only defines
/// the name.
fn part(document: &Document, all: &[(&[u8], Vec<Defined>)], defined: &Defined) -> NodeId {
    let name = document.text(defined.name);
    let others: Vec<NodeId> = all
        .iter()
        .filter(|(other, _)| *other != name)
        .flat_map(|(_, units)| units.iter().filter(|other| other.unit == defined.unit))
        .map(|other| other.name)
        .collect();
    let holds_others = |node: NodeId| others.iter().any(|&other| document.contains(node, other));
    let above = |node: &NodeId| document.parent(*node);
    std::iter::successors(Some(defined.name), above)
        .take_while(|&node| document.contains(defined.unit, node) && !holds_others(node))
        .last()
        .unwrap_or(defined.unit)
}

/// Names with the same role belong to things of one kind.
fn role(document: &Document, defined: &Defined) -> (u16, Option<u16>) {
    let kind = |id: NodeId| document.node(id).kind;
    (kind(defined.name), document.parent(defined.name).map(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn a_name_becomes_another_and_its_definition_goes() {
        assert_proposals(
            merges,
            &[
                (
                    "x.c",
                    "int a(), b(int); int d() { b(a(1)); }",
                    &[
                        "int b(int); int d() { b(b(1)); }",
                        "int b(int); int d() { b(d(1)); }",
                        "int a(); int d() { a(a(1)); }",
                        "int a(); int d() { d(a(1)); }",
                    ],
                ),
                ("x.c", "int a; int b; int f() { return a; }", &["int b; int f() { return b; }"]),
                ("x.c", "int a; int f() { return a; }", &[]),
                ("x.js", "function f() {} function g() {} f();", &["function g() {} g();"]),
                ("x.js", "let a = 1, b = 2; c(a);", &["let b = 2; c(b);"]),
                ("x.json", "{\"a\": 1, \"b\": 1}", &[]),
            ],
        );
    }

    #[test]
    fn texts_with_many_tokens_are_left_alone() {
        let text = format!("int a; int b; int x[] = {{ a{} }};", ", a".repeat(MOST_TOKENS));
        assert_proposals(merges, &[("x.c", &text, &[])]);
    }
}
