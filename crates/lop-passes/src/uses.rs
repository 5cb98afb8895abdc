//! Removes definitions and parameters with all their uses: the mirror image of the [cascade](super::cascade).
//!
//! ```text
//! struct a { int b; a() : b() {} };              becomes  struct a { a() {} };
//! struct A<T, U>(T, U); impl B for A<u8, u8> {}  becomes  struct A<U>(U); impl B for A<u8> {}
//! ```

use std::collections::BTreeSet;

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, NodeId};

use super::alternatives::{Alternative, Class};
use super::cascade::{WithScopes, scopes};
use super::definitions::{Definitions, Name};
use super::parameters::{columns, lists, rules};
use super::pass::{Facts, Pass, Proposals, Stage, Tree, View, Wanted};
use super::removal::{NodeSet, removal_edits};
use super::trial_parser::{Clearance, TrialParser};

/// Tokens of a text above which nothing is proposed: a larger one has more definitions than pay a test each.
const MOST_TOKENS: usize = 2_000;
/// Parts that go together at most: a name with more references is one that the text is about.
const MOST_PARTS: usize = 64;

/// Definitions and parameters with all that refers to them.
pub(super) struct Uses;

impl Pass for Uses {
    fn facts(&self) -> Facts {
        Facts::new("uses", Stage::Late, "definitions and parameters, with all that refers to them").by_rules()
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let is_small = |tree: &&Tree<'_>| tree.document.tokens() <= MOST_TOKENS;
        let tree = view.tree.as_ref().filter(|_| view.wanted != Wanted::Sequences).filter(is_small);
        tree.map(with_uses).unwrap_or_default().into()
    }
}

/// Each definition and each parameter that something refers to, with all of that.
fn with_uses(tree: &Tree<'_>) -> Vec<Alternative> {
    let (document, grammar) = (tree.document, tree.grammar);
    let definitions = Definitions::of(document, grammar);
    let search = Search {
        document,
        grammar,
        scopes: scopes(document, &definitions),
        found: definitions.found().collect(),
        is_kept: &|name| definitions.is_kept(name),
    };
    let lists = lists(document, grammar);
    let columns =
        lists.values().flat_map(|lists| columns(lists).into_iter().map(|column| (column, rules(lists).collect())));
    let mut starts: Vec<(Vec<NodeId>, Vec<RuleId>)> = columns.collect();
    let parameters: BTreeSet<NodeId> = starts.iter().flat_map(|(column, _)| column).copied().collect();
    // A part that defines all that the unit around it does is that unit: `a = 1` of `let a = 1;`.
    let mut around: Option<&WithScopes> = None;
    for unit in &search.scopes {
        let is_part = around.is_some_and(|around| document.contains(around.0, unit.0) && around.1 == unit.1);
        if !is_part && !parameters.contains(&unit.0) {
            starts.push((vec![unit.0], definitions.rules(unit.0).collect()));
        }
        around = Some(unit);
    }
    let mut all = Vec::new();
    for (nodes, rules) in starts {
        let Some(dead) = search.with_references(&mut tree.shapes(), &nodes) else { continue };
        let class = Class { outer: document.node(nodes[0]).kind, inner: 0, depth: u16::from(nodes.len() > 1) };
        let edits = removal_edits(document, grammar, &dead);
        let made = Alternative::of_edits(document, tree.prints(), class, edits, ());
        all.extend(made.map(|made| made.by(rules)));
    }
    all
}

/// References by name, and the smallest part around each that may go.
struct Search<'d> {
    document: &'d Document,
    grammar: &'d Grammar,
    scopes: Vec<WithScopes>,
    found: Vec<(Name, NodeId)>,
    is_kept: &'d dyn Fn(Name) -> bool,
}

impl Search<'_> {
    /// Returns some nodes with all references to their definitions, and to the definitions in these references; `None`
    /// if there are no further nodes, or one of them may not be removed.
    fn with_references(&self, shapes: &mut TrialParser, nodes: &[NodeId]) -> Option<NodeSet> {
        let document = self.document;
        let mut gone: Vec<NodeId> = Vec::new();
        let mut new = Vec::new();
        for &node in nodes {
            // An element of a list is removed with its separator, whatever its shape is.
            let alone = if nodes.len() > 1 { Some(vec![node]) } else { self.removable(shapes, node) };
            new.extend(alone?);
        }
        let own = new.len();
        while let Some(node) = new.pop() {
            gone.push(node);
            let is_gone =
                |place: NodeId, new: &[NodeId]| gone.iter().chain(new).any(|&gone| document.contains(gone, place));
            let from = self.scopes.partition_point(|&(unit, _)| unit < node);
            let inside = self.scopes[from..].iter().take_while(|&&(unit, _)| unit < document.subtree_end(node));
            let names: Vec<_> = inside.flat_map(|(_, names)| names).copied().collect();
            for (name, scope) in names {
                let from = self.found.partition_point(|&(other, _)| other < name);
                let places = self.found[from..].iter().take_while(|&&(other, _)| other == name);
                let places: Vec<NodeId> = places.map(|&(_, place)| place).collect();
                for place in places {
                    let is_meant = scope.is_none_or(|scope| document.contains(scope, place));
                    if is_meant && !is_gone(place, &new) {
                        if (self.is_kept)(name) {
                            return None;
                        }
                        new.extend(self.removable(shapes, place)?);
                        if gone.len() + new.len() > MOST_PARTS {
                            return None;
                        }
                    }
                }
            }
        }
        if gone.len() <= own {
            return None;
        }
        let mut dead = NodeSet::new(document);
        gone.into_iter().for_each(|node| dead.insert(node));
        Some(dead)
    }

    /// The smallest part around a node that may go.
    fn removable(&self, shapes: &mut TrialParser, node: NodeId) -> Option<Vec<NodeId>> {
        let mut at = node;
        loop {
            let clearance = shapes.clearance(self.document, self.grammar, at);
            if clearance != Clearance::Refused {
                return clearance.nodes(self.document, at);
            }
            at = self.document.parent(at)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    /// Rows of file, text, and the texts after each single edit, with single spaces.
    #[track_caller]
    fn assert_uses(rows: &[(&str, &str, &[&str])]) {
        for &(file, text, expected) in rows {
            assert_eq!(Languages.sample(file, text).words_after(&Uses), expected, "{text}");
        }
    }

    #[test]
    fn uses_takes_a_definition_with_all_that_refers_to_it() {
        assert_uses(&[
            ("x.cpp", "struct a { int b; a() : b() {} };", &["struct a { a() {} };", "struct { int b; };"]),
            ("x.c", "int a; int b = 1; int f(void) { a = 2; return 3; }", &["int b = 1; int f(void) { 2; return 3; }"]),
            ("x.js", "let a = 1; let b = a; f(b); g(a);", &["let b ; f(b); g();", "let a = 1; f(); g(a);"]),
        ]);
    }

    #[test]
    fn uses_takes_a_parameter_with_its_arguments_and_all_that_refers_to_it() {
        let text = "struct A<T, U>(T, U); impl B for A<u8, u16> {}";
        let results = Languages.sample("x.rs", text).words_after(&Uses);
        for expected in ["struct A<U>(U); impl B for A<u16> {}", "struct A<T>(T); impl B for A<u8> {}"] {
            assert!(results.iter().any(|result| result == expected), "{expected} in {results:#?}");
        }
    }

    #[test]
    fn uses_proposes_nothing_where_nothing_refers_to_a_definition_or_the_file_is_not_all() {
        assert_uses(&[
            ("x.c", "int a; int b;", &[]),
            ("x.c", "int main(void) { return 0; } int a = 1;", &[]),
            ("x.json", "[1, 2]", &[]),
        ]);
    }

    #[test]
    fn uses_leaves_a_name_alone_that_is_everywhere() {
        let text = format!("int a; int f(void) {{ {} }}", "a; ".repeat(MOST_PARTS + 1));
        assert_uses(&[("x.c", &text, &[])]);
    }
}
