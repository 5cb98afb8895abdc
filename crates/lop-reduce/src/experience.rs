//! The experience with a command that proposes candidates: which comes first, and how long its turns are.

use crate::tally::Tally;

/// A turn ends after this number of tests without a success, …
const PATIENCE: u32 = 32;
/// … and if the proposer has never had one, after this number.
const LITTLE_PATIENCE: u32 = 8;
/// The experience with a proposer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Experience {
    /// The candidates that were interesting, and the others.
    pub(crate) found: Tally,
    pub(crate) turns: u32,
    /// Whether it failed, and gets no further turn.
    pub(crate) failed: bool,
}

impl Experience {
    /// The share of interesting candidates, with one of each kind assumed.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(self.found.yes + 1) / f64::from(self.found.runs() + 2)
    }

    /// Number of refusals that end a turn.
    pub(crate) fn patience(&self) -> u32 {
        if self.turns > 0 && self.found.yes == 0 { LITTLE_PATIENCE } else { PATIENCE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_successful_come_first_and_others_get_short_turns() {
        let of = |yes, no, turns| Experience { found: Tally { yes, no }, turns, failed: false };
        assert!(of(3, 1, 1).rate() > Experience::default().rate());
        assert!(of(0, 8, 1).rate() < Experience::default().rate());
        assert_eq!((of(0, 8, 1).patience(), of(1, 8, 1).patience(), of(0, 0, 0).patience()), (8, 32, 32));
    }
}
