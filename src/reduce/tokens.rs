//! Single tokens, whatever the tree says, in one sweep. Runs of tokens and brackets with their partners
//! are single edits and asked about by expected gain.

use crate::passes::{token_units, tokens};
use crate::syntax::NodeId;

use super::pass::Pass;
use super::reducer::Reducer;
use super::session::Halt;
use super::work::Ask;

impl Reducer<'_, '_> {
    /// Single tokens, right to left.
    pub(super) fn single_tokens(&mut self) -> Result<(), Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Tokens)) else { return Ok(()) };
        let (document, now) = (self.work.document(), self.tokens());
        let mut leaves: Vec<NodeId> = tokens(document, tools.grammar).collect();
        leaves.retain(|&leaf| {
            !self.work.is_refused(Ask::Token, leaf, now) && !self.work.is_refused(Ask::Unit, leaf, now)
        });
        let Some(sequence) = token_units(document, &leaves) else { return Ok(()) };
        self.session.enter_pass(Pass::Tokens.name(), self.round)?;
        let mut sweep = self.new_sweep(sequence);
        self.finish(&mut sweep)?;
        for unit in sweep.kept().collect::<Vec<_>>() {
            self.work.refuse(Ask::Token, leaves[unit], self.session.size().tokens);
        }
        self.rebase()
    }
}
