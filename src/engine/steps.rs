//! Counts of steps from unit to unit: everything that lists teach the model, on whatever grid.

use super::markov::{Before, Run};
use super::probability::Grid;

/// No count grows beyond this: no row of tests gets that far, and sums of logarithms stay finite.
pub(super) const MOST: u64 = 1_000_000_000_000;

/// How often a removable unit, and how often a needed one, was seen behind a unit of either state, as
/// pairs (removable, needed).
///
/// They are sufficient: under a chain with a = P(removable | removable), b = P(removable | needed)
/// and the stationary share π, a list is as likely as the product of π or 1 − π for its first unit, b
/// or 1 − b for every unit behind a needed one, and a or 1 − a for every unit behind a removable one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// Behind nothing that is known: first units of lists, and units behind one that only a timeout
    /// kept.
    pub first: (u64, u64),
    /// Behind a needed unit.
    pub after_needed: (u64, u64),
    /// Behind a removable unit.
    pub after_removable: (u64, u64),
}

impl Steps {
    /// Counts the units of a run.
    pub(super) fn count(&mut self, before: Before, run: Run) {
        let first = match before {
            Before::Unknown => &mut self.first,
            Before::Needed => &mut self.after_needed,
            Before::Removable => &mut self.after_removable,
        };
        if run.length == 0 {
            first.1 += u64::from(run.ended);
            return;
        }
        first.0 += 1;
        self.after_removable.0 += run.length as u64 - 1;
        self.after_removable.1 += u64::from(run.ended);
    }

    /// Adds what was counted elsewhere, as far as counts go.
    pub fn add(&mut self, other: &Self) {
        let pairs = [&mut self.first, &mut self.after_needed, &mut self.after_removable];
        for (mine, theirs) in pairs.into_iter().zip(other.pairs()) {
            mine.0 = mine.0.saturating_add(theirs.0).min(MOST);
            mine.1 = mine.1.saturating_add(theirs.1).min(MOST);
        }
    }

    /// Units counted.
    pub fn units(&self) -> u64 {
        self.pairs().iter().map(|pair| pair.0.saturating_add(pair.1)).fold(0, u64::saturating_add)
    }

    /// Whether runs of lop can have counted this.
    pub(super) fn is_possible(&self) -> bool {
        self.pairs().iter().all(|pair| pair.0 <= MOST && pair.1 <= MOST)
    }

    fn pairs(&self) -> [(u64, u64); 3] {
        [self.first, self.after_needed, self.after_removable]
    }

    /// The log likelihood per cell of a grid.
    pub(super) fn log_likelihood(&self, grid: &Grid) -> Vec<f64> {
        let [first, after_needed, after_removable] =
            self.pairs().map(|(removable, needed)| (removable as f64, needed as f64));
        let bs = grid.b_count();
        let cell = |cell: usize| {
            let (row, column) = (cell / bs, cell % bs);
            first.0 * grid.ln_pi[cell]
                + first.1 * grid.ln_not_pi[cell]
                + after_needed.0 * grid.ln_b[column]
                + after_needed.1 * grid.ln_not_b[column]
                + after_removable.0 * grid.ln_a[row]
                + after_removable.1 * grid.ln_not_a[row]
        };
        (0..grid.cells()).map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::Steps;
    use crate::engine::{Config, EvidenceView, Markov, Search, Verdict, drive, monotone};

    #[test]
    fn every_unit_is_counted_behind_the_one_before_it() {
        let needed = [false, false, true, true, false, true];
        let mut search = Search::new(6, &Config { theta: None, ..Config::default() }, &EvidenceView::blank(8));
        drive(&mut search, 1, |question| monotone(&needed, question));
        let steps = search.take_evidence().steps;
        assert_eq!(steps, Steps { first: (1, 0), after_needed: (1, 1), after_removable: (1, 2) });
        assert_eq!(steps.units(), 6);
        assert_eq!(search.take_evidence().steps, Steps::default(), "taken evidence is not taken again");
    }

    #[test]
    fn what_a_timeout_kept_is_not_counted_and_the_next_unit_is_a_first_one() {
        let mut search = Search::new(3, &Config { theta: None, ..Config::default() }, &EvidenceView::blank(8));
        drive(&mut search, 1, |question| {
            let loops = question.remove.iter().any(|range| range.contains(&1));
            if loops { Verdict::Timeout } else { Verdict::Interesting }
        });
        let steps = search.take_evidence().steps;
        assert_eq!(steps, Steps { first: (2, 0), ..Steps::default() });
    }

    /// The counts and the increments of the search are two ways to the same likelihood.
    #[test]
    fn the_likelihood_of_the_counts_is_what_the_search_learnt() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for chain in [Markov { a: 0.9, b: 0.3 }, Markov { a: 0.4, b: 0.1 }, Markov { a: 0.99, b: 0.9 }] {
            let needed = chain.sequence(300, &mut rng);
            let mut search = Search::new(300, &Config::default(), &EvidenceView::blank(1000));
            drive(&mut search, 1, |question| monotone(&needed, question));
            let evidence = search.take_evidence();
            let logs = evidence.steps.log_likelihood(&evidence.grid);
            for (log, increment) in logs.iter().zip(&evidence.increments) {
                assert!((log - increment).abs() <= 1e-9 * increment.abs(), "{log} {increment}");
            }
        }
    }

    #[test]
    fn counts_stop_at_the_largest() {
        let full = Steps { first: (u64::MAX, 1), ..Steps::default() };
        assert!(!full.is_possible());
        let mut sum = full;
        sum.add(&full);
        assert!(sum.is_possible());
        assert_eq!(sum.first.1, 2);
        assert_eq!(full.units(), u64::MAX);
    }
}
