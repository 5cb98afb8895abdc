//! The model's expectation for undecided units: the number of needed ones, and of tests to find them.

use crate::config::Config;
use crate::model::estimate::{self, Estimate};
use crate::model::evidence::Knowledge;
use crate::model::posterior::Posterior;

/// The expectation for one kind of lists at one depth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expectation {
    /// P(needed): the share of needed units in a long list. In a Markov chain with P(removable | removable) = a and
    /// P(removable | needed) = b it is (1 − a) / (1 − a + b); this is its mean over the posterior of a and b.
    pub needed: f64,
    /// Tests for one unit. The deviation comes from not knowing a and b, so all units share it: for n units both
    /// numbers are n times as large.
    pub tests: Estimate,
}

impl Knowledge {
    /// The expectation for a new list of this kind at this depth. Costs some microseconds; the first call costs some
    /// milliseconds more, for a table of the grid.
    pub fn expectation(&self, kind: u32, depth: u32, config: &Config) -> Expectation {
        let posterior = Posterior::start(config, &self.view(kind, depth), None);
        let grid = posterior.grid();
        let rows = grid.ln_a.iter().zip(&grid.ln_not_a);
        let cells =
            rows.flat_map(|(_, ln_not_a)| grid.ln_b.iter().map(move |ln_b| 1.0 / (1.0 + (ln_b - ln_not_a).exp())));
        let needed = posterior.weights().iter().zip(cells).map(|(weight, share)| weight * share).sum();
        Expectation { needed, tests: estimate::remaining(&posterior, 1) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Knowledge, Search, drive, monotone};

    /// Returns the expectation after lists in which every `nth` unit was needed.
    fn after(lists: usize, nth: usize) -> super::Expectation {
        let mut knowledge = Knowledge::new(400);
        for _ in 0..lists {
            let needed: Vec<bool> = (0..120).map(|unit| unit % nth == 0).collect();
            let mut search = Search::new(120, &Config::default(), &knowledge.view(1, 2));
            drive(&mut search, |question| monotone(&needed, question));
            knowledge.absorb(1, 2, &search.take_evidence());
        }
        knowledge.expectation(1, 2, &Config::default())
    }

    #[test]
    fn the_expected_share_follows_what_was_found() {
        let (few, many) = (after(3, 30), after(3, 3));
        assert!((few.needed - 1.0 / 30.0).abs() < 0.02, "{few:?}");
        assert!((many.needed - 1.0 / 3.0).abs() < 0.08, "{many:?}");
        assert!(few.tests.mean < many.tests.mean);
    }

    #[test]
    fn evidence_narrows_the_spread() {
        let (before, little, much) = (after(0, 4), after(1, 4), after(6, 4));
        assert!(before.tests.deviation > little.tests.deviation, "{before:?} {little:?}");
        assert!(little.tests.deviation > much.tests.deviation, "{little:?} {much:?}");
    }

    /// The estimate is right for such lists, within its deviation.
    #[test]
    fn the_expected_tests_are_those_that_lists_take() {
        let expected = after(3, 10);
        let mut knowledge = Knowledge::new(400);
        let needed: Vec<bool> = (0..120).map(|unit| unit % 10 == 0).collect();
        let mut tests = 0;
        for _ in 0..4 {
            let mut search = Search::new(120, &Config { theta: None, ..Config::default() }, &knowledge.view(1, 2));
            tests = drive(&mut search, |question| monotone(&needed, question));
            knowledge.absorb(1, 2, &search.take_evidence());
        }
        let mean = expected.tests.mean * 120.0;
        assert!((mean - tests as f64).abs() < 0.25 * mean, "{tests} tests, {expected:?} a unit");
    }
}
