//! Removes parameters with the arguments of all calls: neither can be removed without the other.

use std::collections::BTreeMap;

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, NodeId};

use super::alternatives::{Alternative, Class};
use super::captured::find;
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};

/// A parameter with its arguments.
pub(super) static PARAMETERS: EditsOfTree = EditsOfTree {
    facts: Facts::new("parameters", Stage::Rules, "parameters, with the arguments of all calls").by_rules(),
    make: parameters,
};

/// A list of parameters or of arguments.
pub(super) struct List {
    /// Its elements.
    pub(super) elements: Vec<NodeId>,
    /// The rule that defines its role.
    rule: RuleId,
}

/// For each function that is declared or called in several places: all its parameters, then each
/// from the last to the first.
#[must_use]
pub(super) fn parameters(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for (function, lists) in &lists(document, grammar) {
        let columns = columns(lists);
        let most = columns.len();
        let every: Vec<NodeId> = columns.iter().flatten().copied().collect();
        // With one parameter all is the same as each.
        let together = (most > 1).then_some((1, every));
        for (depth, nodes) in together.into_iter().chain(columns.into_iter().map(|nodes| (0, nodes))) {
            let mut dead = NodeSet::new(document);
            nodes.iter().for_each(|&node| dead.insert(node));
            let kind = document.node(nodes[0]).kind;
            let class = Class { outer: kind, inner: 0, depth };
            let edits = removal_edits(document, grammar, &dead);
            let made = Alternative::of_edits(document, prints, class, edits, (function, most));
            all.extend(made.map(|made| made.by(rules(lists))));
        }
    }
    all
}

/// Groups the elements of lists that belong together, from the ends. A list without a partner has no groups.
pub(super) fn columns(lists: &[List]) -> Vec<Vec<NodeId>> {
    let most = if lists.len() > 1 { lists.iter().map(|list| list.elements.len()).max().unwrap_or(0) } else { 0 };
    let at = |at: usize| lists.iter().filter_map(|list| list.elements.get(at)).copied().collect();
    (0..most).rev().map(at).collect()
}

/// The rules that define the roles of these lists.
pub(super) fn rules(lists: &[List]) -> impl Iterator<Item = RuleId> {
    lists.iter().map(|list| list.rule)
}

/// A function's name, and which of its lists it is.
pub(super) type Whose<'d> = (&'d [u8], String);

/// Groups the lists of parameters and of arguments by their function, each list with its elements.
pub(super) fn lists<'d>(document: &'d Document, grammar: &Grammar) -> BTreeMap<Whose<'d>, Vec<List>> {
    let mut lists: BTreeMap<Whose<'_>, Vec<List>> = BTreeMap::new();
    for found in grammar.rules().parameters(document.tree().root(), document.source()) {
        let Some(node) = find(document, &found.list) else { continue };
        let elements = document.children(node).filter(|&id| is_element(document, grammar, id)).collect();
        let list = List { elements, rule: found.rule };
        let name = &document.source()[found.function.range.clone()];
        lists.entry((name, found.what.which)).or_default().push(list);
    }
    lists
}

fn is_element(document: &Document, grammar: &Grammar, id: NodeId) -> bool {
    let node = document.node(id);
    node.is_named() && !node.is_extra() && !node.is_empty() && !grammar.is_separator(node.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn parameters_go_with_the_arguments_of_all_calls() {
        assert_proposals(
            parameters,
            &[
                (
                    "x.c",
                    "int f(int a, int b) { f(1, 2); }",
                    &["int f() { f(); }", "int f(int a) { f(1); }", "int f(int b) { f(2); }"],
                ),
                ("x.c", "int f(int a); int f(int a) { }", &["int f(); int f() { }"]),
                ("x.c", "void f(int a) { } void g(void) { f(1); f(2); }", &["void f() { } void g(void) { f(); f(); }"]),
                ("x.js", "function f(a) { } f(b);", &["function f() { } f();"]),
                ("x.js", "var f = (a = 1) => 1; f(b);", &["var f = () => 1; f();"]),
                ("x.js", "class A { m(a) { } } x.m(1);", &["class A { m() { } } x.m();"]),
                ("x.js", "class A { constructor(a) { } } new A(1);", &["class A { constructor() { } } new A();"]),
                ("x.js", "(function (a) { })(1);", &["(function () { })();"]),
                ("x.json", "[1]", &[]),
            ],
        );
    }

    #[test]
    fn what_stands_in_one_place_is_a_list_like_any_other() {
        assert_proposals(
            parameters,
            &[("x.c", "int f(int a) { }", &[]), ("x.js", "f(a);", &[]), ("x.js", "function f() { } f();", &[])],
        );
    }
}
