//! From nodes that go to edits of the text: separators go with their element.

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, NodeId};

/// A set of nodes, iterated in preorder.
#[derive(Clone, Debug, Default)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// The empty set for a document.
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

    /// The nodes, in preorder.
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

/// The edits that take a set of nodes out of the text.
///
/// In `element (separator element)*` an element owns the separator before it, and the first element
/// that survives drops its own:
///
/// ```text
/// a, b, c   without b: a, c     without a: b, c     without a and b: c
/// ```
///
/// A separator that is in the set itself goes alone. Nodes inside nodes of the set add nothing.
#[must_use]
pub fn removal_edits(document: &Document, grammar: &Grammar, dead: &NodeSet) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut covered = 0;
    for node in dead.iter() {
        if node < covered {
            continue;
        }
        covered = document.subtree_end(node);
        let range = document.node(node).range();
        if grammar.is_separator(document.node(node).kind) {
            edits.push(Edit::delete(range));
            continue;
        }
        let before = neighbour(document, node, Document::previous_sibling);
        if let Some(separator) = separator(document, grammar, before) {
            edits.push(with_gap(document, separator, range.start));
        } else if separator(
            document,
            grammar,
            neighbour(document, node, Document::next_sibling),
        )
        .is_some()
            && let Some((separator, survivor)) = first_survivor(document, grammar, dead, node)
        {
            edits.push(with_gap(document, separator, document.node(survivor).start as usize));
        }
        edits.push(Edit::delete(range));
    }
    edits
}

/// The next sibling in one direction that is not a comment.
fn neighbour(
    document: &Document,
    node: NodeId,
    step: impl Fn(&Document, NodeId) -> Option<NodeId>,
) -> Option<NodeId> {
    let mut at = step(document, node)?;
    while document.node(at).is_extra() {
        at = step(document, at)?;
    }
    Some(at)
}

fn separator(document: &Document, grammar: &Grammar, node: Option<NodeId>) -> Option<NodeId> {
    node.filter(|n| grammar.is_separator(document.node(*n).kind))
}

/// Of the elements behind a first element that goes, the first that stays, with its separator.
fn first_survivor(
    document: &Document,
    grammar: &Grammar,
    dead: &NodeSet,
    first: NodeId,
) -> Option<(NodeId, NodeId)> {
    let mut element = first;
    loop {
        let next = neighbour(document, element, Document::next_sibling);
        let separator = separator(document, grammar, next)?;
        element = neighbour(document, separator, Document::next_sibling)?;
        if !dead.contains(element) {
            // A separator with no element behind it is a unit of its own.
            return document.node(element).is_named().then_some((separator, element));
        }
    }
}

/// Takes a separator out, with the blanks between it and `until` if there is nothing else.
fn with_gap(document: &Document, separator: NodeId, until: usize) -> Edit {
    let node = document.node(separator).range();
    let gap = document.source().get(node.end..until).unwrap_or_default();
    let blank = gap.iter().all(u8::is_ascii_whitespace);
    Edit::delete(node.start..if blank { until.max(node.end) } else { node.end })
}
