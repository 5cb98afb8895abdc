//! Replaces calls by the body of the called function.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lop_grammar::{ByRule, Call, Capture, Grammar, Inlined};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::Alternative;
use super::captured::{class, find, inside};
use super::fingerprint::Fingerprints;
use super::indentation::moved;
use super::names::words;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};

/// A call replaced by the body of the function.
pub(super) static INLINE: EditsOfTree = EditsOfTree {
    facts: Facts::new("inline", Stage::Rules, "calls replaced by the body of what they call").by_rules(),
    make: inlined,
};

/// Maximum number of calls that are replaced in one edit. The text must get smaller, so with several calls the body is
/// short: that of a function that only forwards to another one.
const MOST_CALLS: usize = 4;

/// Edits that put a definition in the place of its only call, or of its few calls.
#[must_use]
pub(super) fn inlined(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let (tree, source) = (document.tree(), document.source());
    let root = tree.root();
    let (bodies, sites) = grammar.rules().bodies_and_sites(root, source);
    let (values, expressions) = grammar.rules().values_and_expressions(root, source);
    let mut all = Vec::new();
    for (is_block, definitions, calls) in [(true, bodies, sites), (false, values, expressions)] {
        let mut by_name: HashMap<&[u8], Vec<&ByRule<Call>>> = HashMap::new();
        for call in &calls {
            by_name.entry(&source[call.name.range.clone()]).or_default().push(call);
        }
        for definition in &definitions {
            let Some(calls) = by_name.get(&source[definition.name.range.clone()]) else { continue };
            let most = if definition.before.is_some() { 1 } else { MOST_CALLS };
            if calls.len() <= most {
                all.extend(inline(document, grammar, prints, definition, calls, is_block));
            }
        }
    }
    all
}

fn inline(
    document: &Document,
    grammar: &Grammar,
    prints: &Fingerprints,
    definition: &ByRule<Inlined>,
    calls: &[&ByRule<Call>],
    is_block: bool,
) -> Option<Alternative> {
    let (unit, body) = (find(document, &definition.unit)?, find(document, &definition.body)?);
    let first = find(document, &calls.first()?.site)?;
    let unit_range = &definition.unit.range;
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    // A recursive function cannot replace its own call, and neither can an enclosing function.
    if calls.iter().any(|call| overlap(unit_range, &call.site.range))
        || calls.windows(2).any(|pair| overlap(&pair[0].site.range, &pair[1].site.range))
    {
        return None;
    }
    let part = if is_block { inside(document, grammar, body)?.0 } else { definition.body.range.clone() };
    let whole = around(document, body, definition.before.as_ref().unwrap_or(&definition.body));
    let names = definition.parameters.as_ref().map(|list| parameter_names(document, grammar, list, whole));
    let names = names.unwrap_or_default();
    let mut dead = NodeSet::new(document);
    dead.insert(unit);
    let mut edits = removal_edits(document, grammar, &dead);
    for call in calls {
        let arguments = call.arguments.as_ref().map(|list| elements(document, grammar, list)).unwrap_or_default();
        let text = substituted(document, grammar, body, part.clone(), &names, &arguments);
        let text = moved(grammar, document.source(), part.start, text);
        edits.push(Edit::replace(call.site.range.clone(), text));
        if let Some(before) = &definition.before {
            let statement = statement(document, whole, find(document, &call.site)?)?;
            let text = substituted(document, grammar, whole, before.range.clone(), &names, &arguments);
            let text = moved(grammar, document.source(), before.range.start, text);
            let start = document.node(statement).start as usize;
            edits.push(Edit::replace(start..start, [&text[..], b"\n"].concat()));
        }
    }
    let made = Alternative::of_edits(document, prints, class(document, unit, first), edits, is_block)?;
    Some(made.by(calls.iter().map(|call| call.rule).chain([definition.rule])))
}

/// Returns the smallest node around `node` that contains the range of a capture.
fn around(document: &Document, node: NodeId, capture: &Capture) -> NodeId {
    let is_around = |node: &NodeId| {
        let range = document.node(*node).range();
        range.start <= capture.range.start && capture.range.end <= range.end
    };
    std::iter::once(node).chain(document.ancestors(node)).find(is_around).unwrap_or(node)
}

/// Finds the statement with a call: it is in a block of the same kind as the function's block, or in no block.
fn statement(document: &Document, block: NodeId, call: NodeId) -> Option<NodeId> {
    let kind = document.node(block).kind;
    let is_block = |node: NodeId| document.node(node).kind == kind || document.parent(node).is_none();
    let is_in_block = |&node: &NodeId| document.parent(node).is_some_and(is_block);
    std::iter::once(call).chain(document.ancestors(call)).find(is_in_block)
}

/// The elements of a list of parameters or arguments.
fn elements(document: &Document, grammar: &Grammar, list: &Capture) -> Vec<NodeId> {
    let Some(list) = find(document, list) else { return Vec::new() };
    let is_element = |&id: &NodeId| {
        let node = document.node(id);
        node.is_named() && !node.is_extra() && !node.is_empty() && !grammar.is_separator(node.kind)
    };
    document.children(list).filter(is_element).collect()
}

/// Returns the name of each parameter: the last identifier in it that the body uses. Others are parts of its type.
fn parameter_names<'d>(document: &'d Document, grammar: &Grammar, list: &Capture, body: NodeId) -> Vec<&'d [u8]> {
    let elements = elements(document, grammar, list);
    if elements.is_empty() {
        return Vec::new();
    }
    let source = document.source();
    let used: HashSet<&[u8]> = names_in(document, grammar, body).into_iter().map(|range| &source[range]).collect();
    let name = |element: NodeId| {
        let last = (element..document.subtree_end(element)).rev();
        let names = last.filter(|&id| grammar.is_identifier(document.node(id).kind)).map(|id| document.text(id));
        names.into_iter().find(|name| used.contains(name)).unwrap_or_default()
    };
    elements.into_iter().map(name).collect()
}

/// A part of a body with arguments in the place of the parameters' names.
fn substituted(
    document: &Document,
    grammar: &Grammar,
    body: NodeId,
    part: Range<usize>,
    names: &[&[u8]],
    arguments: &[NodeId],
) -> Vec<u8> {
    let source = document.source();
    let (mut text, mut at) = (Vec::new(), part.start);
    for range in names_in(document, grammar, body) {
        if range.start < at || range.end > part.end {
            continue;
        }
        let parameter = names.iter().position(|name| *name == &source[range.clone()]);
        let Some(argument) = parameter.and_then(|at| arguments.get(at)) else { continue };
        text.extend_from_slice(&source[at..range.start]);
        text.extend_from_slice(document.text(*argument));
        at = range.end;
    }
    text.extend_from_slice(&source[at..part.end]);
    text
}

/// Returns the names in a body, and the words if the parser finds no names.
fn names_in(document: &Document, grammar: &Grammar, body: NodeId) -> Vec<Range<usize>> {
    if grammar.holds_names(document.node(body).kind) {
        return words(document.source(), document.node(body).range()).collect();
    }
    // A member of the same name is another thing.
    let is_name = |kind| grammar.is_identifier(kind) && grammar.may_replace_others(kind);
    let nodes = (body..document.subtree_end(body)).map(|id| document.node(id));
    nodes.filter(|node| is_name(node.kind)).map(|node| node.range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn what_is_called_once_takes_the_place_of_its_call() {
        assert_proposals(
            inlined,
            &[
                ("x.c", "void f(int a) { b(a); } void g(void) { f(1); }", &["void g(void) { b(1); }"]),
                ("x.c", "int f(int a) { return a + 2; } int x = f(1);", &["int x = 1 + 2;"]),
                ("x.c", "#define F(a) (a + a2)\nint x = F(1), y = F(2);", &["int x = (1 + a2), y = (2 + a2);"]),
                ("x.c", "#define F(a) if (a) b(a)\nvoid g(void) { F(1); }", &["void g(void) { if (1) b(1); }"]),
                ("x.js", "function f(a) { b(a); } f(1);", &["b(1);"]),
                ("x.js", "var f = (a) => a + 2; x = f(1);", &["x = 1 + 2;"]),
                ("x.js", "class A { constructor(a) { b(a); } } new A(1);", &["b(1);"]),
                ("x.js", "function f(a) { b(d.a, a); } f(1);", &["b(d.a, 1);"]),
                ("x.js", "x = { m(a) { b(a); } }; x.m(1);", &["x = { }; b(1);"]),
                (
                    "x.rs",
                    "fn f(a: u8) -> u8 { a + 2 } fn g() { h(f(1)) }",
                    &["fn g() { h({ 1 + 2 }) }", "fn g() { h(1 + 2) }"],
                ),
                ("x.rs", "fn f(a: u8) -> u8 { b(); a } fn g() { h(f(1)) }", &["fn g() { h({ b(); 1 }) }"]),
                ("x.py", "def f(a):\n  b(a)\n  d()\nif x:\n    f(1)\n", &["if x:\n    b(1)\n    d()\n"]),
                ("x.py", "def f(a):\n  return a + 2\nx = f(1)\n", &["x = 1 + 2\n"]),
                ("x.go", "func f(a int) int { return a + 2 }\nvar x = f(1)\n", &["var x = 1 + 2\n"]),
                (
                    "x.cpp",
                    "template <class T> T f(T a) { return a + 2; } int x = f<int>(1);",
                    &["template <class T> int x = 1 + 2;"],
                ),
                ("X.java", "class A { int f(int a) { return a + 2; } int x = f(1); }", &["class A { int x = 1 + 2; }"]),
                ("x.json", "[1]", &[]),
            ],
        );
    }

    #[test]
    fn the_statements_before_a_value_move_before_the_statement_with_the_call() {
        assert_proposals(
            inlined,
            &[
                (
                    "x.c",
                    "int f(int a) { b(a); return a + 2; } void g(void) { d(); if (f(1)) d(); }",
                    &["void g(void) { d(); b(1);\nif (1 + 2) d(); }"],
                ),
                ("x.js", "function f(a) { b(a); return a; } if (f(1)) { d(f); }", &["b(1);\nif (1) { d(f); }"]),
                (
                    "x.py",
                    "def f(a):\n  b(a)\n  d()\n  return a\ndef g():\n    x = f(1)\n",
                    &["def g():\n    b(1)\n    d()\n    x = 1\n"],
                ),
            ],
        );
    }

    #[test]
    fn a_function_that_only_forwards_takes_the_place_of_several_calls() {
        assert_proposals(
            inlined,
            &[
                ("x.c", "void f(void) { b(); } void g(void) { f(); f(); }", &["void g(void) { b(); b(); }"]),
                ("x.c", "int f(int a) { return a; } int x = f(1), y = f(2);", &["int x = 1, y = 2;"]),
                ("x.js", "function f() { b(); } f(); f();", &["b(); b();"]),
                ("x.js", "function f() { b(1, 2, 3, 4, 5, 6, 7, 8); } f(); f();", &[]),
            ],
        );
    }

    #[test]
    fn what_calls_itself_or_is_called_too_often_stays() {
        assert_proposals(
            inlined,
            &[
                ("x.c", "void f(void) { f(); }", &[]),
                ("x.c", "#define F(a) a + 1\nint x = F(F(1));", &[]),
                ("x.c", "#define F(a) b(a, a, a, a, a, a, a, a)\nint x = F(1), y = F(2), z = F(3);", &[]),
                ("x.c", "#define F(a) a\nint x = F(1), y = F(2), z = F(3), u = F(4), v = F(5);", &[]),
                ("x.js", "function f() { f(); }", &[]),
            ],
        );
    }

    #[test]
    fn a_parameter_without_an_argument_keeps_its_name() {
        assert_proposals(inlined, &[("x.js", "function f(a, d) { b(a, d); } f(1);", &["b(1, d);"])]);
    }
}
