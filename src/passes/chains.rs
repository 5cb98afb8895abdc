//! Chains: nodes nested in their like, level below level.
//!
//! Hoisting takes one level a test. A chain of nodes each of which may stand in the place of the
//! one around it is a sequence too: a unit is the shell between one node and the next, and any
//! subset of shells may go. The engine then needs about log₂ tests for nesting of any depth.
//!
//! ```text
//! [ 1, [ [ 2, X ] ] ]      shells  [ 1,  ]   [ ]   [ 2, ]     around X
//! ```

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, NodeId};

use super::hoist::compatible_descendants;
use super::removal::NodeSet;
use super::{Removal, Sequence, Unit, list_kind};

/// Nodes that make a chain worth more than hoisting.
pub const MIN_CHAIN: usize = 8;

/// All chains of at least [`MIN_CHAIN`] nodes, outermost first.
#[must_use]
pub fn chains(document: &Document, grammar: &Grammar) -> Vec<Sequence> {
    let mut seen = NodeSet::new(document);
    let mut all = Vec::new();
    for start in document.ids().skip(1) {
        let node = document.node(start);
        if seen.contains(start) || !node.is_named() || node.is_extra() || node.is_error() {
            continue;
        }
        let mut chain = vec![start];
        let mut at = start;
        while let Some(next) = heaviest(document, grammar, at) {
            if seen.contains(next) {
                break;
            }
            seen.insert(next);
            chain.push(next);
            at = next;
        }
        if chain.len() >= MIN_CHAIN {
            all.push(Sequence {
                kind: list_kind::CHAIN,
                depth: node.depth,
                units: chain.windows(2).map(|pair| shell(document, pair[0], pair[1])).collect(),
            });
        }
    }
    all
}

/// The descendant with the most tokens that may stand where a node stands.
fn heaviest(document: &Document, grammar: &Grammar, node: NodeId) -> Option<NodeId> {
    compatible_descendants(document, grammar, node, usize::MAX)
        .into_iter()
        .map(|(inner, _)| inner)
        .filter(|inner| document.node(*inner).tokens < document.node(node).tokens)
        // The first of equals: the outermost, and so the longest chain.
        .rev()
        .max_by_key(|inner| document.node(*inner).tokens)
}

fn shell(document: &Document, outer: NodeId, inner: NodeId) -> Unit {
    let (around, kept) = (document.node(outer), document.node(inner));
    Unit {
        removal: Removal::Edits(vec![
            Edit::delete(around.start as usize..kept.start as usize),
            Edit::delete(kept.end as usize..around.end as usize),
        ]),
        tokens: around.tokens - kept.tokens,
        cleared: false,
    }
}
