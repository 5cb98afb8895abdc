//! Single tokens, whatever the tree says, in one sweep. Runs of tokens and brackets with their partners
//! are single edits and asked about by expected gain.

use crate::passes::{token_units, tokens};
use crate::syntax::NodeId;

use super::memory::Ask;
use super::pass::Pass;
use super::reducer::Reducer;
use super::session::Halt;

impl Reducer<'_, '_> {
    /// Single tokens, right to left.
    pub(super) fn single_tokens(&mut self) -> Result<(), Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Tokens)) else { return Ok(()) };
        let (session, document) = (&self.session, self.current().document());
        let mut leaves: Vec<NodeId> = tokens(document, tools.grammar).collect();
        leaves.retain(|&leaf| !session.is_refused(Ask::Token, leaf) && !session.is_refused(Ask::Unit, leaf));
        let Some(sequence) = token_units(document, &leaves) else { return Ok(()) };
        self.session.enter_pass(Pass::Tokens.name(), self.round)?;
        let mut sweep = self.new_sweep(sequence);
        self.finish(&mut sweep)?;
        for unit in sweep.kept().collect::<Vec<_>>() {
            self.session.refuse(Ask::Token, leaves[unit]);
        }
        self.rebase()
    }
}
