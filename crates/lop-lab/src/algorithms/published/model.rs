//! The Markov model of needed and removable units, estimated from counts, and the alphabet of run
//! lengths with the probabilities that the model gives them.

/// The knowledge of the unit before the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// Nothing: the sequence begins.
    Unknown,
    /// It is needed.
    Needed,
    /// It was removed.
    Removable,
}

/// The counts of observed units, and of those after removable ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    units: u64,
    removable: u64,
    after_removable: u64,
    removable_after_removable: u64,
}

impl Counts {
    /// A unit was sampled.
    pub(super) fn sampled(&mut self, removable: bool) {
        self.units += 1;
        self.removable += u64::from(removable);
    }

    /// The unit after a removable one was sampled.
    pub(super) fn neighbour_sampled(&mut self, removable: bool) {
        self.sampled(removable);
        self.after_removable += 1;
        self.removable_after_removable += u64::from(removable);
    }

    /// `run` removable units were read off, `ended` by a needed one.
    pub(super) fn read(&mut self, before: Before, run: usize, ended: bool) {
        let (run, read) = (run as u64, run as u64 + u64::from(ended));
        self.units += read;
        self.removable += run;
        // The first unit has no predecessor, unless one is given.
        let first = u64::from(before != Before::Removable);
        self.after_removable += read.saturating_sub(first);
        self.removable_after_removable += run.saturating_sub(first);
    }

    /// The chain that the counts suggest, each probability by Laplace's rule of succession,
    /// (hits + 1) / (trials + 2).
    ///
    /// P(i|i) = (P(i) − P(u)·P(i|u)) / P(i) makes P(i) the stationary share (paper, "Presampling"). The
    /// two estimates need not fit each other, and then it is negative and P(u|i) above 1: it is cut at
    /// 0 unless `improper`.
    pub(super) fn chain(&self, improper: bool) -> Chain {
        let rate = |hits: u64, trials: u64| (hits + 1) as f64 / (trials + 2) as f64;
        let needed = 1.0 - rate(self.removable, self.units);
        let after_removable = 1.0 - rate(self.removable_after_removable, self.after_removable);
        let derived = (needed - (1.0 - needed) * after_removable) / needed;
        let after_needed = if improper { derived } else { derived.max(0.0) };
        Chain { needed, after_removable, after_needed }
    }
}

/// A Markov chain of needed and removable units, as the probabilities of a needed one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Chain {
    needed: f64,
    after_removable: f64,
    after_needed: f64,
}

impl Chain {
    /// The probability that the next unit is needed.
    pub(super) fn needed(&self, before: Before) -> f64 {
        match before {
            Before::Unknown => self.needed,
            Before::Needed => self.after_needed,
            Before::Removable => self.after_removable,
        }
    }

    /// Returns the probabilities of the symbols i, ui, uui, … and finally u^k, after which anything can follow. Symbols
    /// are at most `limit` units long (at least 1), and end at P(u^k) < `threshold`.
    pub(super) fn alphabet(&self, before: Before, limit: usize, threshold: f64) -> Vec<f64> {
        let mut weights = vec![self.needed(before)];
        let mut reached = 1.0 - self.needed(before);
        while weights.len() < limit && reached >= threshold {
            weights.push(reached * self.after_removable);
            reached *= 1.0 - self.after_removable;
        }
        weights.push(reached);
        weights
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Before, Counts};

    const ALL: [Before; 3] = [Before::Unknown, Before::Needed, Before::Removable];

    #[test]
    fn five_samples_that_all_hit_make_the_chances_of_the_reference() {
        let mut counts = Counts::default();
        for _ in 0..5 {
            counts.sampled(true);
            counts.neighbour_sampled(true);
        }
        let chain = counts.chain(true);
        assert!((chain.needed(Before::Unknown) - 1.0 / 12.0).abs() < 1e-12);
        assert!((chain.needed(Before::Removable) - 1.0 / 7.0).abs() < 1e-12);
        assert!(chain.needed(Before::Needed) < -0.5, "the fault that is mended by default");
        assert_eq!(counts.chain(false).needed(Before::Needed), 0.0);
    }

    #[test]
    fn a_run_counts_what_follows_removable_units() {
        let read = |before, run, ended| {
            let mut counts = Counts::default();
            counts.read(before, run, ended);
            let Counts { units, removable, after_removable, removable_after_removable } = counts;
            (removable, units, removable_after_removable, after_removable)
        };
        assert_eq!(read(Before::Unknown, 3, true), (3, 4, 2, 3));
        assert_eq!(read(Before::Needed, 3, false), (3, 3, 2, 2));
        assert_eq!(read(Before::Removable, 3, true), (3, 4, 3, 4));
        assert_eq!(read(Before::Removable, 3, false), (3, 3, 3, 3));
        assert_eq!(read(Before::Needed, 0, true), (0, 1, 0, 0));
        assert_eq!(read(Before::Removable, 0, true), (0, 1, 0, 1));
    }

    #[test]
    fn an_alphabet_ends_at_the_threshold_at_the_limit_or_after_one_unit() {
        let chain = Counts::default().chain(false);
        assert_eq!(chain.alphabet(Before::Unknown, 1000, 0.3), [0.5, 0.25, 0.25]);
        assert_eq!(chain.alphabet(Before::Unknown, 1, 0.3), [0.5, 0.5]);
        assert_eq!(chain.alphabet(Before::Unknown, 1000, 0.9), [0.5, 0.5]);
        assert_eq!(chain.alphabet(Before::Unknown, 4, 0.0).len(), 5);
    }

    proptest! {
        #[test]
        fn probabilities_stay_probabilities_after_any_history(
            samples in prop::collection::vec((any::<bool>(), any::<bool>()), 0..30),
            runs in prop::collection::vec((0_usize..3, 0_usize..2000, any::<bool>()), 0..60),
            limit in 1_usize..50,
        ) {
            let mut counts = Counts::default();
            for (pair, hit) in samples {
                if pair { counts.neighbour_sampled(hit) } else { counts.sampled(hit) }
            }
            for (before, run, ended) in runs {
                counts.read(ALL[before], run, ended);
                let chain = counts.chain(false);
                for before in ALL {
                    prop_assert!((0.0..=1.0).contains(&chain.needed(before)));
                    let weights = chain.alphabet(before, limit, 0.3);
                    prop_assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
                    prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                    prop_assert!((2..=limit + 1).contains(&weights.len()));
                }
            }
        }
    }
}
