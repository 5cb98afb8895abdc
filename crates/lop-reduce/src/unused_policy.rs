//! The evidence of a reduction about unreferenced definitions.

use std::collections::BTreeSet;

use lop_grammar::Grammar;
use lop_passes::{Alternative, Coupled, Pass, Tolerance};

/// The kinds of definitions that may, and may not, stay without a reference.
#[derive(Clone, Default)]
pub(super) struct UnusedDefinitionPolicy {
    tolerated: BTreeSet<u16>,
    refused: BTreeSet<u16>,
}

impl UnusedDefinitionPolicy {
    /// An interesting text has such a definition.
    pub(super) fn tolerate(&mut self, kind: u16) {
        self.tolerated.insert(kind);
    }

    /// Counts the kinds of definitions that went along with an edit as refused.
    pub(super) fn learn(&mut self, taken: Option<&Alternative>) {
        let coupled = taken.filter(|edit| edit.pass == Coupled.name());
        self.refused.extend(coupled.map(|edit| edit.class.outer));
    }

    /// The tolerance of a kind, by the language and the evidence.
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
