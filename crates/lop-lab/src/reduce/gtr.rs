//! GTR: generalized tree reduction.

use crate::algorithm::Stopped;

use super::current::Current;
use super::hdd::delete_level;

/// Generalized tree reduction (Herfert, Patra and Pradel, *Automatically Reducing Tree-Structured Test Inputs*, ASE 2017):
/// level by level from the root, first ddmin over the nodes of the level, then each node that stays is replaced by a child
/// of its own, the largest first, as long as that is interesting.
///
/// The source learns from a corpus which children may take a node's place; here the grammar says it.
pub(super) fn reduce(current: &mut Current<'_>) -> Result<(), Stopped> {
    let mut level = vec![0];
    while !level.is_empty() {
        let stay = delete_level(current, &level)?;
        let mut next = Vec::new();
        for mut node in stay {
            loop {
                let (document, grammar) = (current.document(), current.grammar());
                let this = document.node(node);
                let mut inner: Vec<_> = document
                    .children(node)
                    .filter(|&child| {
                        let child_node = document.node(child);
                        let fits = child_node.is_named() && !child_node.is_extra() && child_node.len() < this.len();
                        fits && !current.is_gone(child) && grammar.may_replace(this.kind, child_node.kind)
                    })
                    .collect();
                inner.sort_by_key(|&child| std::cmp::Reverse(document.tokens_of(child)));
                match current.replace(node, &inner)? {
                    Some(made) => node = inner[made],
                    None => break,
                }
            }
            if !current.document().is_leaf(node) {
                next.push(node);
            }
        }
        level = next;
    }
    Ok(())
}
