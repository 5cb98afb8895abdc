//! Turns removed nodes into edits of the text, which also remove the separators of an element.

use std::ops::{Deref, Range};

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

/// The nodes of a unit: usually one, because a list can have a hundred thousand units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// A single node.
    One(NodeId),
    /// None or several.
    Several(Box<[NodeId]>),
}

impl From<Vec<NodeId>> for Nodes {
    fn from(nodes: Vec<NodeId>) -> Self {
        if let [one] = nodes[..] { Nodes::One(one) } else { Nodes::Several(nodes.into()) }
    }
}

impl Deref for Nodes {
    type Target = [NodeId];

    fn deref(&self) -> &[NodeId] {
        match self {
            Nodes::One(node) => std::slice::from_ref(node),
            Nodes::Several(nodes) => nodes,
        }
    }
}

/// A set of nodes, iterated in preorder.
#[derive(Clone, Debug, Default)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// Makes the empty set for a document.
    #[must_use]
    pub fn new(document: &Document) -> Self {
        NodeSet { words: vec![0; document.node_count().div_ceil(64)] }
    }

    /// Adds a node.
    ///
    /// # Panics
    /// If the node is not one of the document's.
    pub fn insert(&mut self, node: NodeId) {
        self.words[node as usize / 64] |= 1 << (node % 64);
    }

    /// Whether a node is in the set itself (not only an ancestor).
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.words.get(node as usize / 64).is_some_and(|w| w >> (node % 64) & 1 == 1)
    }

    /// Whether nothing is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// Lists the nodes in preorder.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..).zip(&self.words).flat_map(|(block, word): (NodeId, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    block * 64 + bit
                })
            })
        })
    }
}

/// Makes the edits that remove a set of nodes: one for each of its [`holes`].
#[must_use]
pub fn removal_edits(document: &Document, grammar: &Grammar, dead: &NodeSet) -> Vec<Edit> {
    let mut edits = Vec::new();
    holes(document, grammar, dead, |hole| edits.push(Edit::delete(hole)));
    edits
}

/// Calls `hole` with each range of the text that is removed with a set of nodes.
///
/// In `element (separator element)*` an element owns the separator before it, and the first element
/// that survives drops its own:
///
/// ```text
/// a, b, c   without b: a, c     without a: b, c     without a and b: c
/// ```
///
/// A separator in the set is removed alone. Nodes inside other nodes of the set have no effect.
pub fn holes(document: &Document, grammar: &Grammar, dead: &NodeSet, mut hole: impl FnMut(Range<usize>)) {
    let mut covered = 0;
    for node in dead.iter() {
        if node < covered {
            continue;
        }
        covered = document.subtree_end(node);
        let range = document.node(node).range();
        // A comment between elements owns no separator.
        if grammar.is_separator(document.node(node).kind) || document.node(node).is_extra() {
            hole(range);
            continue;
        }
        let before = neighbour(document, node, Document::previous_sibling);
        if let Some(separator) = separator(document, grammar, before) {
            hole(with_gap(document, separator, range.start));
        } else if separator(document, grammar, neighbour(document, node, Document::next_sibling)).is_some()
            && let Some((separator, survivor)) = first_survivor(document, grammar, dead, node)
        {
            hole(with_gap(document, separator, document.node(survivor).start as usize));
        }
        hole(range);
    }
}

/// Finds the next sibling in one direction that isn't a comment.
fn neighbour(document: &Document, node: NodeId, step: impl Fn(&Document, NodeId) -> Option<NodeId>) -> Option<NodeId> {
    let mut at = step(document, node)?;
    while document.node(at).is_extra() {
        at = step(document, at)?;
    }
    Some(at)
}

fn separator(document: &Document, grammar: &Grammar, node: Option<NodeId>) -> Option<NodeId> {
    node.filter(|n| grammar.is_separator(document.node(*n).kind))
}

/// Finds the first remaining element after a removed first element, with its separator.
fn first_survivor(document: &Document, grammar: &Grammar, dead: &NodeSet, first: NodeId) -> Option<(NodeId, NodeId)> {
    let mut element = first;
    loop {
        let next = neighbour(document, element, Document::next_sibling);
        let separator = separator(document, grammar, next)?;
        element = neighbour(document, separator, Document::next_sibling)?;
        if !dead.contains(element) {
            // A separator without an element after it is a separate unit.
            return document.node(element).is_named().then_some((separator, element));
        }
    }
}

/// Removes a separator, with the whitespace up to `until` if there is nothing else.
fn with_gap(document: &Document, separator: NodeId, until: usize) -> Range<usize> {
    let node = document.node(separator).range();
    let gap = document.source().get(node.end..until).unwrap_or_default();
    let blank = gap.iter().all(u8::is_ascii_whitespace);
    node.start..if blank { until.max(node.end) } else { node.end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, Sample};

    #[test]
    fn separators_go_with_their_element() {
        // Before the list, its elements, and after it.
        let rows: [(&str, &str, [&str; 4], &str); 14] = [
            ("x.c", "int f(", ["int a", "char *b", "float x[2]", "char d"], ");"),
            ("x.c", "int y = f(", ["a", "1 + 2", "g(1, 2)", "\"s\""], ");"),
            ("x.c", "int x[] = {", ["1", "{2, 3}", "y", "[3] = 4"], "};"),
            ("x.c", "enum e {", ["A", "B = 2", "D", "E"], "};"),
            ("x.c", "#define F(", ["p", "q", "r", "s"], ") 1\n"),
            ("x.c", "struct s { int ", ["a", "*b", "x[2]", "d[2]"], "; };"),
            ("x.js", "x = [", ["1", "[2, 3]", "a", "...b"], "];"),
            ("x.js", "x = {", ["a: 1", "b", "f() {}", "...d"], "};"),
            ("x.js", "f(", ["1", "a => 2", "(3, 4)", "'s'"], ");"),
            ("x.js", "function f(", ["a", "b = 1", "{x, y}", "...d"], ") {}"),
            ("x.js", "let ", ["a", "b = 1", "[x, y] = z", "d"], ";"),
            ("x.js", "import {", ["a", "b as x", "d", "e"], "} from 'm';"),
            ("x.json", "[", ["1", "[2, 3]", "\"s\"", "null"], "]"),
            ("x.json", "{", ["\"a\": 1", "\"b\": [2, 3]", "\"d\": {}", "\"e\": null"], "}"),
        ];
        let mut languages = Languages;
        for (file, before, elements, after) in rows {
            for separator in [", ", ",", " , ", ",\n    "] {
                let text = [before, &elements.join(separator), after].concat();
                let sample = languages.sample(file, text.as_str());
                assert_eq!(sample.document.errors(), 0, "{text}");
                let nodes = elements.map(|element| sample.node(element));
                for subset in 0..16_u32 {
                    let stays = |at: &usize| subset >> at & 1 == 1;
                    let dead: Vec<_> = (0..4).filter(|at| !stays(at)).map(|at| nodes[at]).collect();
                    let kept: Vec<_> = (0..4).filter(stays).map(|at| elements[at]).collect();
                    let without = sample.without(&dead);
                    assert_eq!(unspaced(&without), unspaced(&[before, &kept.join(separator), after].concat()));
                    if separator == ", " && !kept.is_empty() {
                        assert_eq!(without, [before, &kept.join(", "), after].concat());
                    }
                }
            }
        }
    }

    fn unspaced(text: &str) -> String {
        text.split_whitespace().collect()
    }

    /// Rows of file, text, the removed nodes, and the remaining text.
    #[track_caller]
    fn assert_left(rows: &[(&str, &str, &[&str], &str)]) {
        let mut languages = Languages;
        for &(file, text, dead, left) in rows {
            let sample = languages.sample(file, text);
            let dead: Vec<_> = dead.iter().map(|part| sample.node(part)).collect();
            assert_eq!(sample.without(&dead), left, "{text}");
        }
    }

    #[test]
    fn declarators_go_with_their_separators() {
        assert_left(&[
            ("x.c", "int a, *b, x[2];", &["a"], "int *b, x[2];"),
            ("x.c", "int a, *b, x[2];", &["*b"], "int a, x[2];"),
            ("x.c", "int a, *b, x[2];", &["a", "*b"], "int x[2];"),
            ("x.c", "int a, *b, x[2];", &["*b", "x[2]"], "int a;"),
            ("x.c", "int a = 1, b = 2;", &["a = 1"], "int b = 2;"),
            ("x.js", "for (var a = 1, b = 2;;) {}", &["a = 1"], "for (var b = 2;;) {}"),
        ]);
    }

    #[test]
    fn a_separator_behind_the_last_element_stays() {
        assert_left(&[
            ("x.js", "x = [1, 2,];", &["2"], "x = [1,];"),
            ("x.js", "x = [1, 2,];", &["1"], "x = [2,];"),
            ("x.js", "x = {a: 1, b: 2,};", &["b: 2"], "x = {a: 1,};"),
            ("x.c", "int x[] = {1, 2,};", &["1"], "int x[] = {2,};"),
            ("x.c", "int x[] = {1, 2,};", &["2"], "int x[] = {1,};"),
            ("x.c", "enum { A, B, };", &["A"], "enum { B, };"),
            ("x.c", "enum { A, B, };", &["B"], "enum { A, };"),
        ]);
    }

    #[test]
    fn a_separator_that_is_a_unit_goes_alone() {
        let mut languages = Languages;
        for (file, text, left) in
            [("x.js", "x = [1, 2,];", "x = [1, 2];"), ("x.c", "enum { A, B, };", "enum { A, B };")]
        {
            let sample = languages.sample(file, text);
            let last = last_separator(&sample);
            assert_eq!(sample.without(&[last]), left);
        }
        let sample = languages.sample("x.js", "x = [1, 2,];");
        let last = last_separator(&sample);
        assert_eq!(sample.without(&[sample.node("2"), last]), "x = [1];");
        assert_eq!(sample.without(&[sample.node("1"), sample.node("2"), last]), "x = [];");
    }

    fn last_separator(sample: &Sample) -> NodeId {
        let document = &sample.document;
        let last = document.ids().filter(|&id| sample.grammar.is_separator(document.node(id).kind)).last();
        last.expect("the text has separators")
    }

    #[test]
    fn comments_between_elements_stay() {
        assert_left(&[
            ("x.c", "int x = f(a, /* 1 */ b, d);", &["b"], "int x = f(a /* 1 */ , d);"),
            ("x.c", "int x = f(/* 1 */ a, b);", &["a"], "int x = f(/* 1 */ b);"),
            ("x.c", "int x = f(a /* 1 */, b);", &["a"], "int x = f( /* 1 */b);"),
            ("x.c", "int x = f(a /* 1 */, b);", &["b"], "int x = f(a /* 1 */);"),
            ("x.c", "int x = f(a, b /* 1 */);", &["b"], "int x = f(a /* 1 */);"),
            ("x.js", "x = [1, // one\n 2];", &["1"], "x = [ // one\n 2];"),
            ("x.js", "x = [1, // one\n 2];", &["2"], "x = [1 // one\n ];"),
        ]);
    }

    #[test]
    fn nodes_inside_nodes_that_go_add_nothing() {
        assert_left(&[
            ("x.json", "[1, [2, [3, 4]], 5]", &["[2, [3, 4]]", "3", "4", "2"], "[1, 5]"),
            ("x.json", "[1, [2, [3, 4]], 5]", &["1", "3", "2"], "[[[4]], 5]"),
            ("x.c", "int f(int a, int b) { return a; }", &["int a", "return a;", "return"], "int f(int b) { }"),
        ]);
    }

    #[test]
    fn empty_places_of_a_list_stay() {
        assert_left(&[
            ("x.js", "x = [a, , b];", &["a"], "x = [, , b];"),
            ("x.js", "x = [a, , b];", &["b"], "x = [a, ];"),
            ("x.js", "x = [, a, b];", &["a"], "x = [, b];"),
        ]);
    }

    #[test]
    fn what_is_not_in_a_list_goes_alone() {
        assert_left(&[
            ("x.c", "int a; int b; int d;", &["int b;"], "int a; int d;"),
            ("x.c", "int b; static int a;", &["static"], "int b; int a;"),
            ("x.c", "int f(void) { if (1) a(); else b(); }", &["else b();"], "int f(void) { if (1) a(); }"),
            ("x.c", "int a;\n#define B 1\nint d;\n", &["#define B 1\n"], "int a;\nint d;\n"),
            ("x.js", "a()\nb()\nd()", &["b()"], "a()\nd()"),
            ("x.json", "[1]", &["1"], "[]"),
        ]);
    }

    #[test]
    fn a_set_of_nodes_is_read_in_preorder() {
        let sample = Languages.sample("x.json", format!("[{}0]", "0,".repeat(200)));
        let mut set = NodeSet::new(&sample.document);
        assert!(set.is_empty());
        for node in [130, 0, 63, 64, 128, 64] {
            set.insert(node);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 128, 130]);
        assert!(set.contains(63) && !set.contains(65) && !set.contains(100_000) && !set.is_empty());
    }
}
