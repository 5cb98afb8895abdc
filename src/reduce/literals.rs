//! The sweep over literals that could be simpler: all in one test if that goes well.

use crate::passes::simplest_literals;
use crate::syntax::{Document, NodeId};

use super::memory;
use super::pass::Pass;
use super::reducer::Reducer;
use super::session::Halt;

impl Reducer<'_, '_> {
    /// Numbers and texts become the simplest of their kind; `true` if one did.
    pub(super) fn literals(&mut self) -> Result<bool, Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Literals)) else { return Ok(false) };
        let document = self.current().document();
        let Some((mut sequence, nodes)) = simplest_literals(document, tools.grammar) else { return Ok(false) };
        let memos: Vec<_> = nodes.into_iter().map(|node| memo(document, node)).collect();
        let asks = |memo: &u64| !self.session.is_proposal_refused(*memo);
        let mut asked = memos.iter().map(asks);
        sequence.units.retain(|_| asked.next().unwrap_or(false));
        if sequence.units.is_empty() {
            return Ok(false);
        }
        let asked: Vec<_> = memos.into_iter().filter(asks).collect();
        self.session.enter_pass(Pass::Literals.name(), self.round)?;
        let mut sweep = self.new_sweep(sequence);
        self.finish(&mut sweep)?;
        let tokens = self.tokens();
        sweep.kept().for_each(|unit| self.session.refuse_proposal(asked[unit], tokens));
        self.rebase()?;
        Ok(sweep.removed_count() > 0)
    }
}

/// A literal in its place, wherever that is.
fn memo(document: &Document, node: NodeId) -> u64 {
    let parent = document.parent(node).map(|parent| document.node(parent).kind);
    memory::memo(("literal", document.text(node), document.node(node).field, parent))
}
