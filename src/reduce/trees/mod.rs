//! Published algorithms on trees, in the place of lop's pipeline: yardsticks for it.
//!
//! Each is repeated while it makes the text smaller, and what is left is verified by lop. That, the
//! rendering (separators go with their elements), the units (what may go is found out by trial
//! parses), the gate and the cache are lop's own for all of them, and better than what their sources
//! have: the comparison favours them.

mod grammar_reducer;
mod hdd;
mod perses;
mod units;

use crate::passes::Removal;
use crate::syntax::{Document, Edit, NodeId};

use super::halt::Halt;
use super::method::OnTree;
use super::ordered::first_interesting;
use super::reducer::{MAX_ROUNDS, Reducer};

impl Reducer<'_, '_> {
    /// Reduces by an algorithm on trees, to the fixpoint.
    pub(super) fn run_on_tree_by(&mut self, algorithm: OnTree) -> Result<(), Halt> {
        while self.tools.is_some() {
            self.round += 1;
            let before = self.weight();
            self.session.enter_pass(algorithm.name(), self.round)?;
            match algorithm {
                OnTree::Hdd => self.hdd()?,
                OnTree::GrammarReducer => self.grammar_reducer()?,
                OnTree::Perses => self.perses()?,
            }
            if self.weight() < before && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() && (!self.verify()? || self.round >= MAX_ROUNDS) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Makes the first of some edits, in their order, after which the text is interesting; none of
    /// them may leave it as large as it was.
    fn make_first(&mut self, edits: &[Removal], what: &str) -> Result<Option<usize>, Halt> {
        first_interesting(&mut self.session, edits.len(), what, |at, current| {
            current.candidate(std::iter::once(&edits[at]), false)
        })
    }
}

/// A descendant in the place of a node.
fn keep_only(document: &Document, outer: NodeId, inner: NodeId) -> Removal {
    let (around, kept) = (document.node(outer).range(), document.node(inner).range());
    Removal::Edits(vec![Edit::delete(around.start..kept.start), Edit::delete(kept.end..around.end)])
}
