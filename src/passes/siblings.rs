//! Sibling sequences: the children of a node that may go by themselves.

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::shapes::{Clearance, Shapes};
use super::{Removal, Sequence, Unit};

/// The children of a node that may go, as a sequence; `None` if there are none.
///
/// `skip` says of a child that there is no point in asking about it (it was refused before).
pub fn siblings(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut Shapes,
    parent: NodeId,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    if grammar.is_opaque(document.node(parent).kind) {
        return None;
    }
    let mut units = Vec::new();
    for child in document.children(parent) {
        if owned_separator(document, grammar, child) || skip(child) {
            continue;
        }
        let clearance = shapes.clearance(document, grammar, child);
        let companion = match clearance {
            Clearance::Refused => continue,
            Clearance::Cleared | Clearance::Blind => None,
            Clearance::ClearedWithNext => document.next_sibling(child),
            Clearance::ClearedWithPrevious => document.previous_sibling(child),
        };
        let nodes: Vec<_> = std::iter::once(child).chain(companion).collect();
        units.push(Unit {
            tokens: nodes.iter().map(|n| document.node(*n).tokens).sum(),
            removal: Removal::Nodes(nodes),
            cleared: clearance != Clearance::Blind,
        });
    }
    let node = document.node(parent);
    (!units.is_empty()).then_some(Sequence { kind: node.kind.into(), depth: node.depth, units })
}

/// Whether it is a separator that goes with the element behind it.
fn owned_separator(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let kind = document.node(node).kind;
    grammar.is_separator(kind)
        && document.next_sibling(node).is_some_and(|next| {
            let next = document.node(next);
            next.is_named() && !next.is_extra()
        })
        && !document.parent(node).is_some_and(|p| document.node(p).is_error())
}
