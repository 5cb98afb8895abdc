//! What a reduction has learnt of definitions that nothing refers to.

use std::collections::BTreeSet;

use crate::grammar::Grammar;
use crate::passes::{Alternative, Coupled, Pass, Tolerance};

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
    pub(super) fn tolerance(&self, grammar: Option<&Grammar>, kind: u16) -> Tolerance {
        if grammar.is_some_and(|grammar| grammar.must_be_used(kind)) {
            Tolerance::Refused
        } else if self.tolerated.contains(&kind) {
            Tolerance::Tolerated
        } else if self.refused.contains(&kind) {
            Tolerance::Refused
        } else {
            Tolerance::Unknown
        }
    }

    /// Whether definitions of some kind were found to be refused.
    pub(super) fn are_refused(&self) -> bool {
        self.refused.difference(&self.tolerated).next().is_some()
    }
}
