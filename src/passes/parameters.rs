//! Parameters, each with the arguments of all calls: neither may go without the other.

use std::collections::BTreeMap;

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;
use super::removal::{NodeSet, removal_edits};
use super::splice_lift::find;

/// For each function that is declared or called in several places: all its parameters, then each
/// from the last to the first.
#[must_use]
pub fn parameters(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for (function, lists) in lists(document, grammar).iter().filter(|(_, lists)| lists.len() > 1) {
        let most = lists.iter().map(Vec::len).max().unwrap_or(0);
        let every: Vec<NodeId> = lists.iter().flatten().copied().collect();
        let each = (0..most).rev().map(|at| lists.iter().filter_map(|list| list.get(at)).copied().collect::<Vec<_>>());
        // With one parameter all is the same as each.
        let together = (most > 1).then_some((1, every));
        for (depth, nodes) in together.into_iter().chain(each.map(|nodes| (0, nodes))) {
            let Some(&first) = nodes.first() else { continue };
            let mut dead = NodeSet::new(document);
            nodes.iter().for_each(|&node| dead.insert(node));
            let kind = document.node(first).kind;
            let class = Class { action: Action::Parameters, outer: kind, inner: 0, depth };
            let edits = removal_edits(document, grammar, &dead);
            all.extend(Alternative::of_edits(document, prints, class, edits, (function, most)));
        }
    }
    all
}

/// The lists of parameters and of arguments that belong together, by what they belong to, each with its elements.
pub(super) fn lists<'d>(document: &'d Document, grammar: &Grammar) -> BTreeMap<&'d [u8], Vec<Vec<NodeId>>> {
    let mut lists: BTreeMap<&[u8], Vec<Vec<NodeId>>> = BTreeMap::new();
    for found in grammar.rules().parameters(document.tree().root_node(), document.source()) {
        let Some(list) = find(document, &found.list) else { continue };
        let elements = document.children(list).filter(|&id| is_element(document, grammar, id)).collect();
        lists.entry(&document.source()[found.function.range]).or_default().push(elements);
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
    use crate::passes::testing::assert_proposals;

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
