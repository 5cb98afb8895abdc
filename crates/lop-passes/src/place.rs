//! The place of a node, as the rules of a grammar match it.

use lop_grammar::Place;
use lop_syntax::{Document, NodeId};

/// Returns the place of a node.
pub(super) fn place(document: &Document, id: NodeId) -> Place {
    let kind = |id: NodeId| document.node(id).kind;
    let field = document.node(id).field;
    Place {
        kind: kind(id),
        parent: document.parent(id).map(kind),
        field: (field != 0).then_some(field),
        previous: document.previous_sibling(id).map(kind),
    }
}
