//! Removes parameters with the arguments of all calls: neither can be removed without the other. A parameter for which
//! all calls pass the same short argument is replaced by this argument.

use std::collections::{BTreeMap, HashMap};

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::captured::find;
use super::definitions::Definitions;
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};

/// A parameter with its arguments.
pub(super) static PARAMETERS: EditsOfTree = EditsOfTree {
    facts: Facts::new("parameters", Stage::Rules, "parameters, with the arguments of all calls").by_rules(),
    make: parameters,
};

/// Maximum number of tokens of an argument that replaces a parameter.
const SHORT: u32 = 4;
/// Maximum number of definitions of a function whose parameters are replaced, with its prototypes, and of its parameters: for
/// each of them all definitions are searched for uses, and a name with more definitions is hardly one function.
const MOST_DEFINITIONS: usize = 4;
const MOST_PARAMETERS: usize = 16;

/// A list of parameters or of arguments.
pub(super) struct List {
    /// The node of the list.
    node: NodeId,
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
    let lists = lists(document, grammar);
    let units = if lists.is_empty() { HashMap::new() } else { units(document, grammar) };
    for (function, lists) in &lists {
        all.extend(constants(document, grammar, prints, lists, units.get(function.0).map_or(&[], Vec::as_slice)));
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

/// The definitions of each name.
fn units<'d>(document: &'d Document, grammar: &Grammar) -> HashMap<&'d [u8], Vec<NodeId>> {
    let definitions = Definitions::of(document, grammar);
    let texts: HashMap<_, _> = definitions.found().map(|(name, node)| (name, document.text(node))).collect();
    let mut units: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
    for (unit, names) in definitions.units_with_names() {
        names.iter().filter_map(|name| texts.get(name)).for_each(|text| units.entry(text).or_default().push(unit));
    }
    units
}

/// For each parameter of a function whose argument is the same short text in all calls: the parameter and the arguments
/// go, and the argument takes the parameter's place in the function.
fn constants(
    document: &Document,
    grammar: &Grammar,
    prints: &Fingerprints,
    lists: &[List],
    units: &[NodeId],
) -> Vec<Alternative> {
    if units.len() > MOST_DEFINITIONS {
        return Vec::new();
    }
    // The first list in a definition has its parameters; others in it are calls of itself.
    let first =
        |unit: &NodeId| lists.iter().filter(|list| document.contains(*unit, list.node)).min_by_key(|list| list.node);
    let defined: Vec<(NodeId, &List)> = units.iter().filter_map(|unit| Some((*unit, first(unit)?))).collect();
    let is_call = |list: &&List| defined.iter().all(|(_, other)| other.node != list.node);
    let calls: Vec<&List> = lists.iter().filter(is_call).collect();
    let count = calls.iter().map(|list| list.elements.len()).min().unwrap_or(0).min(MOST_PARAMETERS);
    let constant = |at: usize| {
        let argument = calls.first()?.elements[at];
        let text = document.text(argument);
        let is_same = calls.iter().all(|list| document.text(list.elements[at]) == text);
        if !is_same || document.tokens_of(argument) > SHORT || defined.iter().any(|(_, list)| list.elements.len() <= at)
        {
            return None;
        }
        let single = document.tokens_of(argument) == 1;
        let text = if single { text.to_vec() } else { [b"(", text, b")"].concat() };
        let mut dead = NodeSet::new(document);
        lists.iter().filter_map(|list| list.elements.get(at)).for_each(|&node| dead.insert(node));
        let mut edits = removal_edits(document, grammar, &dead);
        let before = edits.len();
        for (unit, list) in &defined {
            let uses = uses_in(document, grammar, list.elements[at], document.subtree_end(list.node), *unit);
            edits.extend(uses.into_iter().map(|node| Edit::replace(document.node(node).range(), text.clone())));
        }
        // Without a use the parameter can simply be removed.
        let class = Class { outer: document.node(argument).kind, inner: 0, depth: 2 };
        let made = (edits.len() > before).then(|| Alternative::of_edits(document, prints, class, edits, at))??;
        Some(made.by(rules(lists)))
    };
    (0..count).filter_map(constant).collect()
}

/// Finds where a definition uses a parameter after the list of its parameters. A parameter can contain several
/// identifiers, such as a type. Its name is the last one that is used there.
fn uses_in(document: &Document, grammar: &Grammar, parameter: NodeId, from: NodeId, unit: NodeId) -> Vec<NodeId> {
    let is_name = |node: &NodeId| grammar.is_identifier(document.node(*node).kind);
    let names = (parameter..document.subtree_end(parameter)).rev().filter(is_name);
    let uses = |name: NodeId| -> Vec<NodeId> {
        let inside = from..document.subtree_end(unit);
        let is_use = |node: &NodeId| grammar.may_replace_others(document.node(*node).kind);
        inside.filter(is_name).filter(is_use).filter(|node| document.text(*node) == document.text(name)).collect()
    };
    names.map(uses).find(|uses| !uses.is_empty()).unwrap_or_default()
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
        let list = List { node, elements, rule: found.rule };
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
    fn the_same_argument_of_all_calls_takes_the_place_of_its_parameter() {
        assert_proposals(
            parameters,
            &[
                (
                    "x.c",
                    "int f(int a) { return a; } int g() { return f(3) + f(3); }",
                    &[
                        "int f() { return 3; } int g() { return f() + f(); }",
                        "int f() { return a; } int g() { return f() + f(); }",
                    ],
                ),
                (
                    "x.c",
                    "int b; void f(int *a) { *a = 1; } void g() { f(&b); }",
                    &[
                        "int b; void f() { *(&b) = 1; } void g() { f(); }",
                        "int b; void f() { *a = 1; } void g() { f(); }",
                    ],
                ),
                (
                    "x.c",
                    "int f(int a) { return a; } int g() { return f(3) + f(4); }",
                    &["int f() { return a; } int g() { return f() + f(); }"],
                ),
                (
                    "x.js",
                    "function f(a) { g(a.a); } f(b);",
                    &["function f() { g(b.a); } f();", "function f() { g(a.a); } f();"],
                ),
                (
                    "x.rs",
                    "fn f(a: u8) { g(a) } fn h() { f(1) }",
                    &["fn f() { g(1) } fn h() { f() }", "fn f() { g(a) } fn h() { f() }"],
                ),
                ("x.py", "def f(a):\n    g(a)\nf(1)\n", &["def f():\n    g(1)\nf()\n", "def f():\n    g(a)\nf()\n"]),
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
