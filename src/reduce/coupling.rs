//! Coupled deletion: where the test refuses definitions that nothing refers to, they go along with the last that does.
//!
//! A language may say that it refuses such definitions. Of others it is learnt, by the kind of the definition: where an
//! interesting text has had one, the test does not mind; where only both could go together, it does.

use crate::passes::{Cascade, Coupled, Standing};

use super::halt::Halt;
use super::reducer::Reducer;

impl Reducer<'_, '_> {
    /// Whether definitions of some kind are refused when nothing refers to them.
    pub(super) fn refuses_unused(&self) -> bool {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(&Coupled)) else { return false };
        tools.grammar.refuses_unused() || self.unused.are_refused()
    }

    /// Does something while definitions go along with what refers to them.
    pub(super) fn coupled<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Halt>) -> Result<T, Halt> {
        let before = std::mem::replace(&mut self.couples, true);
        let result = part(self);
        self.couples = before;
        result
    }

    /// Sees to it that candidates take along what they should, and nothing else.
    pub(super) fn couple(&mut self) {
        if !self.couples || !self.refuses_unused() {
            self.session.couple(None);
        } else if !self.current().is_coupling() {
            let Some(tools) = &mut self.tools else { return };
            let (current, unused, grammar) = (self.session.current(), &self.unused, tools.grammar);
            let document = current.document();
            let is_refused = |node| unused.standing(Some(grammar), document.node(node).kind) == Standing::Refused;
            let may_go = |node| is_refused(node) && !current.node_is_kept(node);
            let cascade = Cascade::of(document, grammar, &mut tools.shapes, may_go);
            if !cascade.is_empty() {
                self.session.couple(Some(cascade));
            }
        }
    }
}
