//! The memory of answers: what was refused, and how large the file was then.

use std::collections::HashMap;

use crate::syntax::NodeId;

/// What was refused is asked again when the file has shrunk below this share of its size then.
const ASK_AGAIN_BELOW: f64 = 0.75;

/// Whether something that was refused when the file had `then` tokens is worth another test.
pub(super) fn worth_asking_again(then: usize, now: usize) -> bool {
    (now as f64) < ASK_AGAIN_BELOW * then as f64
}

/// What was asked about a node: each is remembered by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ask {
    /// May it go, with its separator?
    Unit,
    /// May it go together with all other definitions of its name?
    Definition,
    /// May it be emptied?
    Body,
    /// May this token go, alone?
    Token,
}

/// What was refused.
#[derive(Default)]
pub(super) struct Memory {
    /// What was refused of the tree's nodes, with the tokens of the file then.
    nodes: HashMap<(Ask, NodeId), usize>,
}

impl Memory {
    /// Notes that the file of `tokens` tokens is not interesting when this is done to a node.
    pub(super) fn refuse_node(&mut self, ask: Ask, node: NodeId, tokens: usize) {
        self.nodes.insert((ask, node), tokens);
    }

    /// Whether this was refused when the file was not much larger than now.
    pub(super) fn is_node_refused(&self, ask: Ask, node: NodeId, tokens: usize) -> bool {
        self.nodes.get(&(ask, node)).is_some_and(|&then| !worth_asking_again(then, tokens))
    }

    /// The tree is another one: what was refused of its nodes is carried over to those that `find` gives for them, in the
    /// same order. What is forgotten costs tests and never correctness.
    pub(super) fn carry_over<E>(
        &mut self,
        find: impl FnOnce(&mut dyn Iterator<Item = NodeId>) -> Result<Vec<Option<NodeId>>, E>,
    ) -> Result<(), E> {
        let old: Vec<_> = self.nodes.drain().collect();
        let found = find(&mut old.iter().map(|((_, node), _)| *node))?;
        for (((ask, _), then), node) in old.into_iter().zip(found) {
            if let Some(node) = node {
                // Two nodes may have become one; the order of the map must not decide.
                self.nodes.entry((ask, node)).and_modify(|other| *other = then.max(*other)).or_insert(then);
            }
        }
        Ok(())
    }

    /// Forgets what was refused of nodes: the tree is gone, or everything is to be asked again.
    pub(super) fn forget_nodes(&mut self) {
        self.nodes.clear();
    }
}
