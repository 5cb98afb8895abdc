//! What the units of a sequence are, for algorithms that go by nodes.

use crate::passes::{Removal, Sequence};
use crate::syntax::NodeId;

/// The nodes of a sequence whose units are single nodes.
pub(super) fn nodes_of(sequence: &Sequence) -> impl Iterator<Item = NodeId> + '_ {
    sequence.units.iter().filter_map(|u| match &u.removal {
        Removal::Nodes(nodes) => nodes.first().copied(),
        Removal::Edits(_) => None,
    })
}
