//! Coupled deletion: where the test refuses definitions that nothing refers to, they go along with the last that does.
//!
//! A language may say that it refuses such definitions. Of others it is learnt, by the kind of the definition: where an
//! interesting text has had one, the test does not mind; where only both could go together, it does.

use std::collections::BTreeSet;

use crate::grammar::Grammar;
use crate::passes::{Alternative, Cascade, Coupled, Pass, Standing};

use super::halt::Halt;
use super::reducer::Reducer;

/// What is known of definitions that nothing refers to, by their kinds.
#[derive(Default)]
pub(super) struct Unused {
    tolerated: BTreeSet<u16>,
    refused: BTreeSet<u16>,
}

impl Unused {
    /// An interesting text has such a definition.
    pub(super) fn tolerate(&mut self, kind: u16) {
        self.tolerated.insert(kind);
    }

    /// What has gone along with an edit did not go before.
    pub(super) fn learn(&mut self, taken: &[Alternative]) {
        let coupled = taken.iter().filter(|edit| edit.pass == Coupled.name());
        self.refused.extend(coupled.map(|edit| edit.class.outer));
    }

    /// What is known of a kind, and what the language says of it.
    pub(super) fn standing(&self, grammar: Option<&Grammar>, kind: u16) -> Standing {
        if grammar.is_some_and(|grammar| grammar.must_be_used(kind)) {
            Standing::Refused
        } else if self.tolerated.contains(&kind) {
            Standing::Tolerated
        } else if self.refused.contains(&kind) {
            Standing::Refused
        } else {
            Standing::Unknown
        }
    }
}

impl Reducer<'_, '_> {
    /// Whether definitions of some kind are refused when nothing refers to them.
    pub(super) fn refuses_unused(&self) -> bool {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(&Coupled)) else { return false };
        tools.grammar.refuses_unused() || self.unused.refused.difference(&self.unused.tolerated).next().is_some()
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
