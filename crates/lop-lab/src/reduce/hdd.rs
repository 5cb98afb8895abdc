//! HDD: hierarchical delta debugging.

use lop_syntax::NodeId;

use crate::algorithm::Stopped;
use crate::algorithms::Ddmin;

use super::current::Current;

/// Hierarchical delta debugging (Misherghi and Su, *HDD: Hierarchical Delta Debugging*, ICSE 2006):
/// level by level from the root, ddmin over all nodes of the level that are still there, under
/// all parents; a node that goes is pruned with all that is below it.
///
/// Nodes that their place requires are no units; the source replaces them by a shortest text in languages for which
/// it has one.
pub(super) fn reduce(current: &mut Current<'_>) -> Result<(), Stopped> {
    let mut parents = vec![0];
    while !parents.is_empty() {
        parents = delete_level(current, &parents)?;
    }
    Ok(())
}

/// Removes nodes below some nodes of one level by ddmin; returns the remaining nodes of the next level.
pub(super) fn delete_level(current: &mut Current<'_>, parents: &[NodeId]) -> Result<Vec<NodeId>, Stopped> {
    let lists: Vec<_> = parents.iter().filter_map(|&parent| current.list(parent)).collect();
    let units: Vec<_> = lists.iter().flat_map(super::perses::nodes_of).map(|node| vec![node]).collect();
    if !units.is_empty() {
        current.reduce_nodes(&Ddmin::MINIMISE, &units)?;
    }
    let document = current.document();
    let children = parents.iter().flat_map(|&parent| document.children(parent));
    Ok(children.filter(|&child| !document.is_leaf(child) && !current.is_gone(child)).collect())
}
