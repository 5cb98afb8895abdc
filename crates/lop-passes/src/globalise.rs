//! Moves nodes out of the node around them, so that the outer node can be removed.

use std::collections::HashMap;

use lop_grammar::{ByRule, Grammar};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::captured::{class, find};
use super::fingerprint::Fingerprints;
use super::parameters::{List, lists};
use super::pass::{EditsOfTree, Facts, Growth, MOST_MORE, Stage};
use super::removal::{NodeSet, removal_edits};
use super::rewrites::written;

/// A declaration moved outwards.
pub(super) static GLOBALISE: EditsOfTree = EditsOfTree {
    facts: Facts::new("globalise", Stage::Rules, "declarations move out of the enclosing block")
        .by_rules()
        .growing(Growth::Tokens(MOST_MORE)),
    make: globalised,
};

/// Number of bytes at its start that distinguish the outer node from others with the same content.
const HEADER: usize = 48;
/// In the place of the depth, which a move does not have.
const WITH_ARGUMENTS: u16 = 1;

/// Proposes everything that a rule can move outwards; a parameter together with the arguments of all calls, which often
/// have the same name. The text need not become smaller; the pass ends because each move brings something nearer to the
/// root.
#[must_use]
pub(super) fn globalised(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let source = document.source();
    let found = grammar.rules().globalised(document.tree().root(), source);
    let mut all = Vec::new();
    if found.is_empty() {
        return all;
    }
    let lists: Vec<Vec<_>> = lists(document, grammar).into_values().map(elements).collect();
    let places = places(lists.iter());
    let text = |rule: &ByRule<lop_grammar::Globalise>| &source[rule.moved.range.clone()];
    let mut alike: HashMap<&[u8], usize> = HashMap::new();
    found.iter().for_each(|rule| *alike.entry(text(rule)).or_default() += 1);
    for rule in &found {
        let Some((before, moved)) = find(document, &rule.before).zip(find(document, &rule.moved)) else { continue };
        let at = rule.before.range.start;
        // Out of the enclosing node, but never along a list, which would not end.
        if !(at <= rule.moved.range.start && rule.moved.range.end <= rule.before.range.end) || before == moved {
            continue;
        }
        let moved_text = [&written(grammar, source, &rule.text)[..], b"\n"].concat();
        let header = prints.of(at..rule.before.range.end.min(at + HEADER));
        let alone = (class(document, before, moved), &[][..], 0);
        let others = others(&places, moved);
        let with = others.as_ref().map(|others| {
            // Arguments of this name are defined once another parameter of this name has moved: then it is asked again.
            (Class { depth: WITH_ARGUMENTS, ..alone.0 }, &others[..], alike[text(rule)])
        });
        for (class, others, alike) in std::iter::once(alone).chain(with) {
            let mut dead = NodeSet::new(document);
            dead.insert(moved);
            others.iter().for_each(|&node| dead.insert(node));
            let mut edits = removal_edits(document, grammar, &dead);
            edits.push(Edit::replace(at..at, moved_text.clone()));
            let made = Alternative::moving(document, prints, class, edits, (header, alike));
            all.extend(made.map(|made| made.by([rule.rule])));
        }
    }
    all
}

/// The elements in the same place of the other lists that belong to the one of `element`.
fn others(places: &HashMap<NodeId, (&[Vec<NodeId>], usize, usize)>, element: NodeId) -> Option<Vec<NodeId>> {
    let &(lists, own, at) = places.get(&element)?;
    let others = lists.iter().enumerate().filter(|(other, _)| *other != own);
    let others: Vec<_> = others.filter_map(|(_, list)| list.get(at)).copied().collect();
    (!others.is_empty()).then_some(others)
}

/// The elements of each list.
fn elements(lists: Vec<List>) -> Vec<Vec<NodeId>> {
    lists.into_iter().map(|list| list.elements).collect()
}

/// The place of each parameter and argument: its group of lists, and its number in the list.
fn places<'l>(lists: impl Iterator<Item = &'l Vec<Vec<NodeId>>>) -> HashMap<NodeId, (&'l [Vec<NodeId>], usize, usize)> {
    let mut places = HashMap::new();
    for together in lists {
        for (own, list) in together.iter().enumerate() {
            places.extend(list.iter().enumerate().map(|(at, &element)| (element, (&together[..], own, at))));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn what_a_function_declares_moves_in_front_of_it() {
        assert_proposals(
            globalised,
            &[
                ("x.c", "int f(void) { int a; b(); }", &["int a;\nint f(void) { b(); }"]),
                ("x.c", "int f(int a) { }", &["int a;\nint f() { }"]),
                (
                    "x.c",
                    "int f(int a, int b) { } int g(int a) { f(1, a); }",
                    &[
                        "int a;\nint f(int b) { } int g(int a) { f(1, a); }",
                        "int a;\nint f(int b) { } int g(int a) { f(a); }",
                        "int b;\nint f(int a) { } int g(int a) { f(1, a); }",
                        "int b;\nint f(int a) { } int g(int a) { f(1); }",
                        "int f(int a, int b) { } int a;\nint g() { f(1, a); }",
                    ],
                ),
                (
                    "x.c",
                    "int f(void) { int *a, b = 1; }",
                    &[
                        "int *a, b = 1;\nint f(void) { }",
                        "int *a;\nint f(void) { int b = 1; }",
                        "int b = 1;\nint f(void) { int *a; }",
                    ],
                ),
                ("x.c", "int a; int f(void) { }", &[]),
                ("x.js", "function f() { var a; return a; }", &["var a;\nfunction f() { return a; }"]),
                ("x.js", "var a; function f() { return a; }", &[]),
                ("x.json", "[[1]]", &[]),
            ],
        );
    }

    #[test]
    fn moves_come_to_an_end() {
        let mut text = "function f() { function g() { var a; let b; } function h() { } }".to_owned();
        let mut moves = 0;
        loop {
            let sample = crate::testing::Languages.sample("x.js", text.as_str());
            let found = globalised(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            let Some(first) = found.first() else { break };
            text = sample.results(std::slice::from_ref(first)).remove(0);
            moves += 1;
            assert!(moves < 20, "{text}");
        }
        assert_eq!(moves, 4, "{text}");
    }
}
