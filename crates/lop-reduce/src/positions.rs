//! The order in which the units of a sequence are tried.

use lop_grammar::RuleId;
use lop_passes::{NO_DEPTH, Removal, Sequence, Unit};

/// Tells sequences apart: the kind, the depth, the number of units, and the first and the last one.
#[derive(PartialEq, Eq)]
pub(super) struct Outline(u32, u32, usize, [Option<Removal>; 2]);

/// The units of a sequence in the order of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Positions<'s> {
    pub(super) sequence: &'s Sequence,
    order: &'s [u32],
}

impl<'s> Positions<'s> {
    /// `order` has the number of the unit at each position.
    pub(super) fn new(sequence: &'s Sequence, order: &'s [u32]) -> Self {
        Positions { sequence, order }
    }

    pub(super) fn outline(&self) -> Outline {
        let Sequence { kind, depth, units, .. } = self.sequence;
        let ends = [units.first(), units.last()].map(|unit| unit.map(|unit| unit.removal.clone()));
        Outline(*kind, *depth, units.len(), ends)
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn unit(self, position: usize) -> &'s Unit {
        &self.sequence.units[self.order[position] as usize]
    }

    /// The grammar's rules that made a unit.
    pub(super) fn rules(self, position: usize) -> &'s [RuleId] {
        self.sequence.rules.get(self.order[position] as usize).map_or(&[], Vec::as_slice)
    }

    /// A candidate without this number of further units, for people.
    pub(super) fn describe(&self, units: usize) -> String {
        let what = format!("{units} of {} units", self.len());
        match self.sequence.depth {
            NO_DEPTH => what,
            depth => format!("depth {depth}, {what}"),
        }
    }
}
