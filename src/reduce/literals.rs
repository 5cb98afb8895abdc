//! The sweep over literals that could be simpler: all in one test if that goes well.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::passes::simplest_literals;
use crate::syntax::{Document, NodeId};

use super::memory::worth_asking_again;
use super::pass::Pass;
use super::reducer::Reducer;
use super::session::Halt;

impl Reducer<'_, '_> {
    /// Numbers and texts become the simplest of their kind; `true` if one did.
    pub(super) fn literals(&mut self) -> Result<bool, Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Literals)) else { return Ok(false) };
        let (document, tokens) = (self.current().document(), self.tokens());
        let Some((mut sequence, nodes)) = simplest_literals(document, tools.grammar) else { return Ok(false) };
        let memos: Vec<_> = nodes.into_iter().map(|node| memo(document, node)).collect();
        let asks = |memo: &u64| self.memo.get(memo).is_none_or(|&then| worth_asking_again(then, tokens));
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
        self.memo.extend(sweep.kept().map(|unit| (asked[unit], tokens)));
        self.rebase()?;
        Ok(sweep.removed_count() > 0)
    }
}

/// A literal in its place, wherever that is.
fn memo(document: &Document, node: NodeId) -> u64 {
    let mut hasher = DefaultHasher::new();
    let parent = document.parent(node).map(|parent| document.node(parent).kind);
    ("literal", document.text(node), document.node(node).field, parent).hash(&mut hasher);
    hasher.finish()
}
