//! Closures: definitions with all that they refer to.
//!
//! A candidate that has a definition and lacks one that it refers to is refused if the test asks for valid code. So the
//! driver tests closures: sets of units that refer to nothing outside the set. The idea is from Kalhauge and Palsberg,
//! "Binary Reduction of Dependency Graphs" (ESEC/FSE 2019). A unit refers to another one by a name that the other
//! defines, as far as the language's rules know.

use lop_engine::BitSet;
use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId};

use super::definitions::{Definitions, Name, outermost};
use super::sequence::Removal;
use super::siblings::siblings;
use super::trial_parser::TrialParser;

/// A definition of more than this share of the text, with more than this number of nodes inside, isn't one unit: its
/// parts are units.
const SHARE: usize = 4;
const MEMBERS: usize = 8;
/// Maximum number of units in a list: the closures of more would take 32 MB.
const MOST_UNITS: usize = 1 << 14;
/// Number of iterations for definitions that refer to each other in circles; after that, further references are
/// ignored.
const MOST_LOOKS: usize = 16;

/// The units of a text and their references.
pub struct References {
    units: Vec<Unit>,
    /// The units to which text outside all units refers.
    always: BitSet,
    /// All that a unit refers to, itself included.
    closures: Vec<BitSet>,
}

struct Unit {
    nodes: Vec<NodeId>,
    tokens: u64,
}

impl References {
    /// Finds the units of a document and their references; `may_go` says which nodes can be removed at all. Returns
    /// `None` if there are too many, or fewer than `least`.
    #[must_use]
    pub fn of(
        document: &Document,
        grammar: &Grammar,
        shapes: &mut TrialParser,
        least: usize,
        may_go: impl Fn(NodeId) -> bool,
    ) -> Option<Self> {
        let definitions = Definitions::of(document, grammar);
        let defined: Vec<(NodeId, Vec<Name>)> = definitions.units_with_names().collect();
        let units = units(document, grammar, shapes, &defined, may_go);
        if units.len() < least || units.len() > MOST_UNITS {
            return None;
        }
        let all_nodes = units.iter().enumerate().flat_map(|(at, unit)| unit.nodes.iter().map(move |node| (*node, at)));
        let mut nodes: Vec<(NodeId, usize)> = all_nodes.collect();
        nodes.sort_unstable();
        let unit_of = |place: NodeId| {
            let &(node, unit) = nodes.get(nodes.partition_point(|(node, _)| *node <= place).checked_sub(1)?)?;
            document.contains(node, place).then_some((node, unit))
        };
        let exported = exported(document, grammar, definitions.names_count(), &defined, unit_of);
        // The units, then the text outside them, then names that several units define.
        let outside = units.len();
        let mut refers: Vec<Vec<usize>> = vec![Vec::new(); outside + 1];
        let mut leads_to = vec![None; exported.len()];
        for (leads_to, units) in leads_to.iter_mut().zip(exported) {
            *leads_to = match units[..] {
                [] => None,
                [unit] => Some(unit),
                _ => Some(refers.len()),
            };
            if units.len() > 1 {
                refers.push(units);
            }
        }
        for (name, place) in definitions.found() {
            refers[unit_of(place).map_or(outside, |(_, unit)| unit)].extend(leads_to[name as usize]);
        }
        for list in &mut refers {
            list.sort_unstable();
            list.dedup();
        }
        let mut closures = closures(&refers, units.len());
        let always = closures.swap_remove(outside);
        closures.truncate(units.len());
        Some(References { units, always, closures })
    }

    /// The units that every candidate has.
    #[must_use]
    pub fn always(&self) -> &BitSet {
        &self.always
    }

    /// Returns the closures, the smallest first, without those that add nothing to the needed units and all closures
    /// before them.
    #[must_use]
    pub fn waiting(&self, needed: &BitSet, among: Option<&[usize]>) -> Vec<usize> {
        let all = || (0..self.units.len()).collect::<Vec<_>>();
        let mut waiting = among.map_or_else(all, <[usize]>::to_vec);
        if among.is_none() {
            let tokens: Vec<u64> = self.closures.iter().map(|closure| self.tokens(closure)).collect();
            waiting.sort_by_key(|&unit| (tokens[unit], unit));
        }
        let mut kept = needed.clone();
        waiting.retain(|&unit| self.add(&mut kept, unit));
        waiting
    }

    /// The needed units together with some closures.
    #[must_use]
    pub fn with(&self, needed: &BitSet, closures: &[usize]) -> BitSet {
        let mut kept = needed.clone();
        for &unit in closures {
            self.add(&mut kept, unit);
        }
        kept
    }

    /// Removes everything else.
    #[must_use]
    pub fn without_others(&self, kept: &BitSet) -> Removal {
        let others = (0..self.units.len()).filter(|unit| !kept.contains(*unit));
        let nodes: Vec<NodeId> = others.flat_map(|unit| self.units[unit].nodes.iter().copied()).collect();
        Removal::Nodes(nodes.into())
    }

    /// Tokens of some units.
    #[must_use]
    pub fn tokens(&self, units: &BitSet) -> u64 {
        units.ones().map(|unit| self.units[unit].tokens).sum()
    }

    /// Adds a closure; `true` if something of it is new.
    fn add(&self, kept: &mut BitSet, unit: usize) -> bool {
        take_in(kept, &self.closures[unit])
    }
}

/// Adds all of another set; `true` if something of it is new.
fn take_in(set: &mut BitSet, other: &BitSet) -> bool {
    let is_new = !other.is_subset(set);
    set.union_with(other);
    is_new
}

/// Returns the units of a text: the elements of its outermost list. A unit that defines nothing and holds several, or
/// that is a large share of the text, is replaced by the elements of its own lists.
fn units(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut TrialParser,
    defined: &[(NodeId, Vec<Name>)],
    may_go: impl Fn(NodeId) -> bool,
) -> Vec<Unit> {
    let all = document.tokens();
    let definitions: Vec<NodeId> = defined.iter().map(|(node, _)| *node).collect();
    let inside = |node: NodeId| {
        let from = definitions.partition_point(|definition| *definition < node);
        let to = definitions.partition_point(|definition| *definition < document.subtree_end(node));
        &definitions[from..to]
    };
    let is_open = |node: NodeId| {
        let &[first, .., last] = inside(node) else { return false };
        let is_large = document.tokens_of(node) as usize * SHARE > all && inside(node).len() > MEMBERS;
        is_large || first != node && last >= document.subtree_end(first)
    };
    let (mut units, mut open): (Vec<Unit>, _) = (Vec::new(), vec![0]);
    while let Some(parent) = open.pop() {
        let list = siblings(document, grammar, shapes, parent, |child| !may_go(child));
        let mut elements = list.into_iter().flat_map(|list| list.units).peekable();
        // Other children of a node with a list, such as its name, are no units.
        let is_list =
            parent == 0 || document.children(parent).filter(|&child| !inside(child).is_empty()).nth(1).is_some();
        let (from, mut is_behind_error) = (units.len(), false);
        for child in document.children(parent) {
            let is_error = document.node(child).is_error();
            let is_behind_error = std::mem::replace(&mut is_behind_error, is_error);
            let is_element = |unit: &super::Unit| matches!(&unit.removal, Removal::Nodes(nodes) if nodes[0] == child);
            let element = elements.next_if(is_element);
            match element {
                _ if is_open(child) => open.push(child),
                Some(unit) if is_list => {
                    let Removal::Nodes(nodes) = unit.removal else { continue };
                    // The borders of an error are chance, and a semicolon belongs to the node before it.
                    let is_loose = is_error || is_behind_error || !document.node(child).is_named();
                    match units[from..].last_mut().filter(|_| is_loose) {
                        Some(last) => {
                            last.nodes.extend(nodes.iter());
                            last.tokens += u64::from(unit.tokens);
                        }
                        None => units.push(Unit { nodes: nodes.to_vec(), tokens: unit.tokens.into() }),
                    }
                }
                Some(_) | None => {}
            }
        }
    }
    units
}

/// Returns the units that define each name for others; none if text outside all units defines it, and so always does.
/// Names that a body or a list of parameters defines are only known there.
fn exported(
    document: &Document,
    grammar: &Grammar,
    names: usize,
    defined: &[(NodeId, Vec<Name>)],
    unit_of: impl Fn(NodeId) -> Option<(NodeId, usize)>,
) -> Vec<Vec<usize>> {
    let (root, source) = (document.tree(), document.source());
    let bodies = grammar.rules().bodies(root.root(), source).into_iter().map(|body| body.what.outer);
    let lists = grammar.rules().parameters(root.root(), source).into_iter().map(|found| found.what.list);
    let mut hiding: Vec<NodeId> = bodies
        .chain(lists)
        .filter_map(|scope| document.find(scope.range.start, scope.range.end, scope.kind))
        // A scope around units hides nothing from them.
        .filter(|scope| unit_of(*scope).is_some_and(|(node, _)| node < *scope))
        .collect();
    hiding.sort_unstable();
    let hiding = outermost(document, &hiding);
    let is_hidden = |node: NodeId| {
        let at = hiding.partition_point(|scope| *scope <= node);
        at > 0 && document.contains(hiding[at - 1], node)
    };
    let mut by_name = vec![Vec::new(); names];
    let mut is_outside = vec![false; names];
    for (node, names) in defined {
        match unit_of(*node) {
            None => names.iter().for_each(|&name| is_outside[name as usize] = true),
            Some(_) if is_hidden(*node) => {}
            Some((_, unit)) => names.iter().for_each(|&name| by_name[name as usize].push(unit)),
        }
    }
    by_name.iter_mut().zip(is_outside).filter(|(_, is_outside)| *is_outside).for_each(|(units, _)| units.clear());
    by_name
}

/// Returns the set of the first `units` nodes that each node of a graph leads to, including itself.
fn closures(refers: &[Vec<usize>], units: usize) -> Vec<BitSet> {
    let mut reached: Vec<BitSet> = (0..refers.len())
        .map(|node| {
            let mut own = BitSet::with_capacity(units);
            if node < units {
                own.insert(node);
            }
            own
        })
        .collect();
    let order = successors_first(refers);
    for _ in 0..MOST_LOOKS {
        let mut is_new = false;
        for &node in &order {
            let mut own = std::mem::take(&mut reached[node]);
            for &next in refers[node].iter().filter(|next| **next != node) {
                is_new |= take_in(&mut own, &reached[next]);
            }
            reached[node] = own;
        }
        if !is_new {
            break;
        }
    }
    reached
}

/// Sorts the nodes of a graph topologically, successors first, except in circles.
fn successors_first(refers: &[Vec<usize>]) -> Vec<usize> {
    let mut is_seen = vec![false; refers.len()];
    let mut order = Vec::with_capacity(refers.len());
    for start in 0..refers.len() {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        while let Some((node, at)) = path.last_mut() {
            match refers[*node].get(*at) {
                Some(&next) => {
                    *at += 1;
                    if !std::mem::replace(&mut is_seen[next], true) {
                        path.push((next, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    /// The texts of the closures with these names in them, smallest first.
    fn shown(file: &str, text: &str) -> Vec<String> {
        let mut sample = Languages.sample(file, text);
        let references = References::of(&sample.document, &sample.grammar, &mut sample.shapes, 1, |_| true);
        let references = references.expect("a few units");
        let nothing = BitSet::with_capacity(references.units.len());
        let mut order: Vec<usize> = (0..references.units.len()).collect();
        order.sort_by_key(|&unit| (references.closures[unit].count_ones(..), unit));
        let text = |unit: &usize| {
            let kept = references.with(&nothing, &[*unit]);
            let left = sample.after([&references.without_others(&kept)]);
            String::from_utf8_lossy(&left).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        order.iter().map(text).collect()
    }

    #[test]
    fn a_closure_has_all_that_it_refers_to() {
        let rows: [(&str, &str, &[&str]); 6] = [
            (
                "x.c",
                "typedef int t; t a; int i; int f(void) { int i; return a + i; } int g(void) { return f(); }",
                &[
                    "typedef int t;",
                    "int i;",
                    "typedef int t; t a;",
                    "typedef int t; t a; int i; int f(void) { int i; return a + i; }",
                    "typedef int t; t a; int i; int f(void) { int i; return a + i; } int g(void) { return f(); }",
                ],
            ),
            // Circles; a name that is a local elsewhere.
            (
                "x.c",
                "int f(void); int g(void) { int i; return f(); } int f(void) { return g(); } int h(int i) { return i; }",
                &[
                    "int h(int i) { return i; }",
                    "int f(void); int g(void) { int i; return f(); } int f(void) { return g(); }",
                    "int f(void); int g(void) { int i; return f(); } int f(void) { return g(); }",
                    "int f(void); int g(void) { int i; return f(); } int f(void) { return g(); }",
                ],
            ),
            ("x.c", "enum { A, B }; int a = A; int b;", &["enum { A, B };", "int b;", "enum { A, B }; int a = A;"]),
            (
                "x.c",
                "int a; int b;\n#define A a\nint c = A;\n",
                &["int a;", "int b;", "int a; #define A a", "int a; #define A a int c = A;"],
            ),
            // A statement that defines nothing is a unit, too.
            (
                "x.js",
                "function f() { g() } function g() {} f(); h();",
                &[
                    "function g() {}",
                    "h();",
                    "function f() { g() } function g() {}",
                    "function f() { g() } function g() {} f();",
                ],
            ),
            // The members of a large unit.
            (
                "x.java",
                "class A { int a; int f() { return g(); } int g() { return a; } void h() { } int i; int j; int k; int l; int m; }",
                &[
                    "class A { int a; }",
                    "class A { void h() { } }",
                    "class A { int i; }",
                    "class A { int j; }",
                    "class A { int k; }",
                    "class A { int l; }",
                    "class A { int m; }",
                    "class A { int a; int g() { return a; } }",
                    "class A { int a; int f() { return g(); } int g() { return a; } }",
                ],
            ),
        ];
        for (file, text, expected) in rows {
            assert_eq!(shown(file, text), expected, "{text}");
        }
    }

    #[test]
    fn closures_that_add_nothing_do_not_wait() {
        let mut sample = Languages.sample("x.c", "int a; int b = a; int c = b; int d;");
        let references = References::of(&sample.document, &sample.grammar, &mut sample.shapes, 1, |_| true);
        let references = references.expect("a few units");
        let nothing = BitSet::with_capacity(4);
        assert_eq!(references.waiting(&nothing, None), [0, 3, 1, 2]);
        let needed = references.with(&nothing, &[1]);
        assert_eq!(references.waiting(&needed, Some(&[0, 3, 1, 2])), [3, 2]);
        assert!(References::of(&sample.document, &sample.grammar, &mut sample.shapes, 5, |_| true).is_none());
    }

    #[test]
    fn a_long_chain_in_any_order_and_a_circle_have_an_end() {
        let chain: Vec<Vec<usize>> =
            (0..5_000).map(|node| if node < 4_999 { vec![node + 1] } else { vec![] }).collect();
        let back: Vec<Vec<usize>> = (0..5_000_usize).map(|node| node.checked_sub(1).into_iter().collect()).collect();
        let circle: Vec<Vec<usize>> = (0..5_000).map(|node| vec![(node + 1) % 5_000]).collect();
        for (graph, first) in [(chain, 5_000), (back, 1), (circle, 5_000)] {
            assert_eq!(closures(&graph, 5_000)[0].count_ones(..), first);
        }
    }
}
