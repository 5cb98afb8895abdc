//! Sizes as evidence: a larger unit contains more, so that it may be needed with a higher probability.
//!
//! A chain over equal units continues a run of removable ones with probability a at each unit. Over unequal units this
//! is a^e, with the unit's *exposure* e ∝ size^γ, which is 1 on average over the list. So the probability of a run of m
//! units depends on its total exposure, a difference of two sums that are stored here. γ is unknown: it is learnt
//! together with the chain's parameters.

use std::ops::Range;
use std::sync::Arc;

use crate::model::logarithms::{LOG_FLOOR, weights};

/// The exponents γ the model is a mixture of: 0, with which sizes say nothing, ½ and 1.
pub(crate) const EXPONENTS: usize = 3;

/// size^γ for the exponents but 0.
const POWERS: [fn(f64) -> f64; EXPONENTS - 1] = [f64::sqrt, |size| size];

/// One number per exponent.
pub(crate) type PerExponent = [f64; EXPONENTS];

/// The prior weights of the exponents. If sizes matter, a few runs show it; with only a few runs, a wrong prior costs
/// most. With equal weights, lists of 500 units with five needed ones took up to 3.3 % more tests if sizes meant
/// nothing or the opposite; with these, 1.5 %.
const PRIOR: PerExponent = [4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0];

/// The weights to start from: the prior, and the log likelihood that other lists have given.
pub(crate) fn start_weights(log_likelihood: &PerExponent) -> PerExponent {
    learnt(&PRIOR, log_likelihood)
}

/// The weights after a run with these log likelihoods.
pub(crate) fn learnt(old: &PerExponent, log_likelihood: &PerExponent) -> PerExponent {
    let logs: PerExponent =
        std::array::from_fn(|exponent| old[exponent].ln().max(LOG_FLOOR) + log_likelihood[exponent]);
    let weights = weights(&logs);
    std::array::from_fn(|exponent| weights[exponent])
}

/// The weights after fixed share has left `kept` of them.
pub(crate) fn shared(weights: &PerExponent, kept: f64) -> PerExponent {
    std::array::from_fn(|exponent| kept * weights[exponent] + (1.0 - kept) * PRIOR[exponent])
}

/// The accumulated exposures of the units of one list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exposure {
    /// For each exponent but the first, the exposure of the units before position i. `None` if all units have the same
    /// size.
    sums: Option<Arc<[Vec<f64>; EXPONENTS - 1]>>,
}

impl Exposure {
    /// The exposures of units with these sizes, in sweep order. A size of 0 counts as 1.
    pub(crate) fn new(sizes: &[u32]) -> Self {
        if sizes.windows(2).all(|pair| pair[0] == pair[1]) {
            return Self::default();
        }
        let accumulated = |power: fn(f64) -> f64| {
            let mut sums = Vec::with_capacity(sizes.len() + 1);
            let mut sum = 0.0;
            sums.push(sum);
            for &size in sizes {
                sum += power(f64::from(size.max(1)));
                sums.push(sum);
            }
            let scale = sizes.len() as f64 / sum;
            sums.iter_mut().for_each(|sum| *sum *= scale);
            sums
        };
        Self { sums: Some(Arc::new(POWERS.map(accumulated))) }
    }
}

/// The exposures of the units that a run may consist of, counted from its first unit on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    exposure: Exposure,
    /// The run's first unit.
    start: usize,
}

impl Ahead {
    /// The exposures ahead of a run that starts at this unit.
    pub(crate) fn new(exposure: Exposure, start: usize) -> Self {
        Self { exposure, start }
    }

    /// Returns the number of exponents with a different effect: all, or only the first if all units have the same size.
    pub(crate) fn exponents(&self) -> usize {
        if self.exposure.sums.is_some() { EXPONENTS } else { 1 }
    }

    /// The exposure of the run's units in `units` under an exponent, by its index.
    pub(crate) fn of(&self, units: Range<usize>, exponent: usize) -> f64 {
        match &self.exposure.sums {
            Some(sums) if exponent > 0 => {
                let sums = &sums[exponent - 1];
                sums[self.start + units.end] - sums[self.start + units.start]
            }
            _ => units.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::{Ahead, EXPONENTS, Exposure};
    use crate::{Config, EvidenceView, Knowledge, Question, Search, Verdict, drive, monotone};

    fn sweep_only() -> Config {
        Config { theta: None, ..Config::default() }
    }

    #[test]
    fn a_list_has_as_much_exposure_as_units() {
        let ahead = Ahead::new(Exposure::new(&[3, 0, 100, 7, 1, 20_000]), 0);
        for exponent in 0..EXPONENTS {
            assert!((ahead.of(0..6, exponent) - 6.0).abs() < 1e-12);
            let parts: f64 = (0..6).map(|unit| ahead.of(unit..unit + 1, exponent)).sum();
            assert!((parts - 6.0).abs() < 1e-12);
            assert_eq!(ahead.of(4..4, exponent), 0.0);
        }
        let ratio = |exponent: usize| ahead.of(2..3, exponent) / ahead.of(4..5, exponent);
        assert!((ratio(0) - 1.0).abs() < 1e-12 && (ratio(1) - 10.0).abs() < 1e-9 && (ratio(2) - 100.0).abs() < 1e-9);
        assert!((ahead.of(1..2, 2) / ahead.of(4..5, 2) - 1.0).abs() < 1e-9, "a size of 0 counts as 1");
    }

    #[test]
    fn a_run_sees_what_lies_ahead_of_it() {
        let exposure = Exposure::new(&[3, 5, 100, 7, 1, 20]);
        let whole = Ahead::new(exposure.clone(), 0);
        let part = Ahead::new(exposure, 1);
        for exponent in 0..EXPONENTS {
            let unit = |at: usize| whole.of(at..at + 1, exponent);
            let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-12, "{got} {expected}");
            close(part.of(0..2, exponent), unit(1) + unit(2));
        }
    }

    #[test]
    fn equal_sizes_ask_what_no_sizes_ask() {
        let needed: Vec<bool> = (0..200).map(|i| i % 9 == 0).collect();
        let trace = |size: u32| {
            let mut search = Search::with_sizes(&vec![size; 200], &Config::default(), &EvidenceView::blank(200));
            let mut questions = Vec::new();
            drive(&mut search, |question| {
                questions.push(question.clone());
                monotone(&needed, question)
            });
            questions
        };
        assert_eq!(trace(1), trace(700));
        assert_eq!(trace(1), trace(0));
    }

    /// Sizes over five orders of magnitude, 0 among them.
    fn wild_sizes(len: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        (0..len).map(|_| 10_f64.powf(rng.random_range(-1.0..5.0)) as u32).collect()
    }

    #[test]
    fn what_is_kept_is_what_is_needed_for_every_subset_of_ten_with_any_sizes() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        for set in 0..1024 {
            let needed: Vec<bool> = (0..10).map(|i| set >> i & 1 == 1).collect();
            let sizes = wild_sizes(10, &mut rng);
            let config = Config {
                theta: [None, Some(0.0)][set % 2],
                empty_known_uninteresting: set % 3 == 1,
                ..Config::default()
            };
            let mut search = Search::with_sizes(&sizes, &config, &EvidenceView::blank(10));
            drive(&mut search, |question| monotone(&needed, question));
            let kept: Vec<bool> = (0..10).map(|i| !search.removed().contains(i)).collect();
            assert_eq!(kept, needed, "sizes {sizes:?}");
        }
    }

    #[test]
    fn odd_histories_and_sizes_keep_every_probability_between_0_and_1() {
        let mut rng = ChaCha8Rng::seed_from_u64(32);
        for trial in 0..200 {
            let len = rng.random_range(1..120);
            let mut sizes = wild_sizes(len, &mut rng);
            if trial % 4 == 0 {
                sizes[len / 2] = u32::MAX;
            }
            let mut knowledge = Knowledge::new(len);
            for _ in 0..2 {
                let mut search = Search::with_sizes(&sizes, &Config::default(), &knowledge.view(0, 0));
                let mut probabilities = Vec::new();
                drive(&mut search, |question| {
                    probabilities.extend([question.p_yes]);
                    let verdicts = [Verdict::Interesting, Verdict::NotInteresting, Verdict::Invalid, Verdict::Timeout];
                    // Outcomes that are independent of the sizes, or the opposite.
                    let size: u32 = question.remove.iter().cloned().flatten().map(|unit| sizes[unit].min(9)).sum();
                    verdicts[if trial % 2 == 0 { rng.random_range(0..4) } else { usize::from(size % 7 < 3) }]
                });
                assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{probabilities:?}");
                let estimate = search.remaining_tests();
                assert!(estimate.mean.is_finite() && estimate.deviation.is_finite());
                let evidence = search.take_evidence();
                assert!(evidence.code_length >= 0.0 && evidence.code_length.is_finite());
                assert!(evidence.exponents.iter().all(|log| log.is_finite()));
                knowledge.absorb(0, 0, &evidence);
            }
        }
    }

    /// Sizes from 1 to 10,000, and units needed with a chance that grows with size^`exponent`.
    fn list(len: usize, share: f64, exponent: f64, rng: &mut ChaCha8Rng) -> (Vec<u32>, Vec<bool>) {
        let sizes: Vec<u32> = (0..len).map(|_| (1.0 / rng.random_range(1e-4_f64..1.0)).floor() as u32).collect();
        let powers: Vec<f64> = sizes.iter().map(|&size| f64::from(size).powf(exponent)).collect();
        let mean = powers.iter().sum::<f64>() / len as f64;
        let needed = powers.iter().map(|power| rng.random::<f64>() < share * power / mean).collect();
        (sizes, needed)
    }

    fn tests(sizes: &[u32], needed: &[bool], view: &EvidenceView) -> (usize, Search) {
        let mut search = Search::with_sizes(sizes, &sweep_only(), view);
        let tally = drive(&mut search, |question: &Question| monotone(needed, question));
        (tally, search)
    }

    /// Ratio of the tests with and without sizes, on lists of 500 units with one needed unit in ten.
    fn ratio(exponent: f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(33);
        let (mut with, mut without) = (0, 0);
        for _ in 0..12 {
            let (sizes, needed) = list(500, 0.1, exponent, &mut rng);
            with += tests(&sizes, &needed, &EvidenceView::blank(500)).0;
            without += tests(&[1; 500], &needed, &EvidenceView::blank(500)).0;
        }
        with as f64 / without as f64
    }

    #[test]
    fn sizes_save_tests_where_bigger_units_are_likelier_needed_and_cost_few_elsewhere() {
        let (bigger, neither, smaller) = (ratio(1.0), ratio(0.0), ratio(-0.5));
        assert!(bigger < 0.88, "{bigger}");
        assert!(neither < 1.02, "{neither}");
        assert!(smaller < 1.02, "{smaller}");
    }

    #[test]
    fn what_sizes_say_is_learnt_from_other_lists() {
        let mut rng = ChaCha8Rng::seed_from_u64(34);
        let (mut alone, mut taught) = (0, 0);
        for _ in 0..20 {
            let mut knowledge = Knowledge::new(600);
            for list_number in 0..30 {
                let (sizes, needed) = list(12, 0.2, 1.0, &mut rng);
                // A kind of its own for every list: they share nothing but the exponents and the rest
                // that all lists share.
                let view = knowledge.view(list_number, 0);
                let blind = EvidenceView { log_exponents: [0.0; 3], ..view.clone() };
                alone += tests(&sizes, &needed, &blind).0;
                let (count, mut search) = tests(&sizes, &needed, &view);
                taught += count;
                knowledge.absorb(list_number, 0, &search.take_evidence());
            }
        }
        assert!(taught * 50 < alone * 49, "{taught} {alone}");
    }
}
