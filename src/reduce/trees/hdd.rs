//! HDD: hierarchical delta debugging.

use crate::passes::{Sequence, list_kind, siblings};
use crate::reduce::halt::Halt;
use crate::reduce::reducer::Reducer;

/// Hierarchical delta debugging (Misherghi and Su, *HDD: Hierarchical Delta Debugging*, ICSE 2006):
/// level by level from the root, ddmin over all nodes of the level that are still there, whoever
/// their parents are; what it takes out is pruned with all that is below it.
///
/// Nodes that their place requires are no units; the source has them replaced by a shortest text
/// in languages for which somebody wrote one down.
pub(super) fn hdd(reducer: &mut Reducer<'_, '_>) -> Result<(), Halt> {
    let mut level = 0;
    let mut parents = vec![0];
    while !parents.is_empty()
        && let Some(tools) = &mut reducer.tools
    {
        let document = reducer.session.current().document();
        let lists = parents.iter().filter_map(|&parent| {
            let list = siblings(document, tools.grammar, &mut tools.shapes, parent, |_| false);
            list.map(|list| list.units)
        });
        let units = lists.flatten().collect::<Vec<_>>();
        level += 1;
        if !units.is_empty() {
            let mut sweep = reducer.new_sweep(Sequence { depth: level, ..Sequence::of(list_kind::LEVEL, units) });
            reducer.finish(&mut sweep)?;
        }
        let document = reducer.session.current().document();
        let children = parents.iter().flat_map(|&parent| document.children(parent));
        parents = children
            .filter(|&child| !document.is_leaf(child) && !reducer.session.current().is_taken_out(child))
            .collect();
    }
    reducer.rebase()
}
