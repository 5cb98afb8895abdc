//! Weak evidence about the length of a run: the outcomes of an intermittent test, as long as they don't decide a
//! question.
//!
//! A question asks whether a run is at least m units long. The outcome of a deterministic test cuts off the lengths
//! on one side of m. The outcomes of an intermittent test so far only make those from m on likelier or less likely, by the ratio
//! of the likelihoods of the outcomes: a step function over the lengths, by which their distribution is multiplied. This is
//! search with noisy answers (M. V. Burnashev and K. Sh. Zigangirov, *An interval estimation problem for controlled
//! observations*, 1974), with the model's distribution as the prior.

use crate::model::run_length::Tail;

/// The ratio ln P(outcomes | reached) / P(outcomes | not reached) for some lengths, ascending by length.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeakEvidence(Vec<(usize, f64)>);

impl WeakEvidence {
    /// Sets the ratio for a run of at least `length`; it replaces an earlier one.
    pub(crate) fn weigh(&mut self, length: usize, ratio: f64) {
        match self.0.binary_search_by_key(&length, |&(length, _)| length) {
            Ok(at) => self.0[at].1 = ratio,
            Err(at) => self.0.insert(at, (length, ratio)),
        }
    }

    /// Returns the ratio for a run of at least `length`, 0 without evidence on it.
    #[cfg(test)]
    fn ratio(&self, length: usize) -> f64 {
        self.0.iter().find(|&&(other, _)| other == length).map_or(0.0, |&(_, ratio)| ratio)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops the ratios for lengths that are decided: the run is at least `lo` and less than `hi` long.
    pub(crate) fn keep_between(&mut self, lo: usize, hi: usize) {
        self.0.retain(|&(length, _)| lo < length && length < hi);
    }
}

/// The masses of intervals of lengths that begin at one length.
pub(crate) trait Masses {
    /// The mass of the lengths from the first one on that are less than `m`.
    fn below(&self, m: usize) -> f64;
    /// The mass of the lengths of at least `m`.
    fn at_least(&self, m: usize) -> f64;
}

impl Masses for Tail {
    fn below(&self, m: usize) -> f64 {
        Tail::below(self, m)
    }

    fn at_least(&self, m: usize) -> f64 {
        Tail::at_least(self, m)
    }
}

/// A distribution with weak evidence.
pub(crate) struct Weighed<'a> {
    tail: &'a Tail,
    /// Where the factor changes, what it is from there on, and the mass below.
    steps: Vec<Step>,
}

struct Step {
    from: usize,
    factor: f64,
    below: f64,
    /// The mass below `from` without evidence.
    plain: f64,
}

impl<'a> Weighed<'a> {
    /// Multiplies a distribution that begins at some length with the evidence.
    pub(crate) fn new(tail: &'a Tail, evidence: &WeakEvidence) -> Self {
        // The largest factor is 1: ratios of thousands of runs would overflow.
        let logs = evidence.0.iter().scan(0.0, |sum, &(_, ratio)| {
            *sum += ratio;
            Some(*sum)
        });
        let most = logs.fold(0.0, f64::max);
        let mut log = 0.0;
        let mut steps = vec![Step { from: 0, factor: (-most).exp(), below: 0.0, plain: 0.0 }];
        for &(length, ratio) in &evidence.0 {
            log += ratio;
            let before = steps.last().expect("there is a first one");
            let plain = tail.below(length);
            let below = before.below + before.factor * (plain - before.plain).max(0.0);
            steps.push(Step { from: length, factor: (log - most).exp(), below, plain });
        }
        Weighed { tail, steps }
    }
}

impl Masses for Weighed<'_> {
    fn below(&self, m: usize) -> f64 {
        let step = &self.steps[self.steps.partition_point(|step| step.from < m).max(1) - 1];
        step.below + step.factor * (self.tail.below(m) - step.plain).max(0.0)
    }

    fn at_least(&self, m: usize) -> f64 {
        let after = self.steps.partition_point(|step| step.from <= m).max(1) - 1;
        let last = self.steps.last().expect("there is a first one");
        let mut mass = last.factor * self.tail.at_least(last.from.max(m));
        for pair in self.steps[after..].windows(2) {
            let from = self.tail.below(m).max(pair[0].plain);
            mass += pair[0].factor * (pair[1].plain - from).max(0.0);
        }
        mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::run_length::Survival;

    fn geometric(a: f64) -> Tail {
        Survival::single(a, 1.0 - a, a.ln()).tail(0)
    }

    #[test]
    fn evidence_multiplies_the_lengths_that_it_is_about() {
        let tail = geometric(0.8);
        let mut evidence = WeakEvidence::default();
        evidence.weigh(6, 0.5_f64.ln());
        evidence.weigh(2, 0.1_f64.ln());
        evidence.weigh(2, 0.25_f64.ln());
        let weighed = Weighed::new(&tail, &evidence);
        let factor = |length: i32| match length {
            ..2 => 1.0,
            2..6 => 0.25,
            _ => 0.125,
        };
        let mass = |length: i32| factor(length) * 0.2 * 0.8_f64.powi(length);
        for m in 0..12 {
            let below: f64 = (0..m).map(mass).sum();
            let above: f64 = (m..200).map(mass).sum();
            let m = m as usize;
            assert!((weighed.below(m) - below).abs() < 1e-12, "{m}: {} and not {below}", weighed.below(m));
            assert!((weighed.at_least(m) - above).abs() < 1e-12, "{m}: {} and not {above}", weighed.at_least(m));
        }
    }

    #[test]
    fn any_amount_of_evidence_leaves_numbers() {
        let tail = geometric(0.9);
        let mut evidence = WeakEvidence::default();
        evidence.weigh(3, 5_000.0);
        evidence.weigh(7, -9_000.0);
        let weighed = Weighed::new(&tail, &evidence);
        assert!(weighed.below(9).is_finite() && weighed.below(7) > 0.0 && weighed.at_least(7) < 1e-300);
    }

    #[test]
    fn evidence_on_lengths_that_are_decided_is_forgotten() {
        let mut evidence = WeakEvidence::default();
        [2, 4, 8].into_iter().for_each(|length| evidence.weigh(length, -1.0));
        evidence.keep_between(2, 8);
        assert_eq!((evidence.ratio(2), evidence.ratio(4), evidence.ratio(8)), (0.0, -1.0, 0.0));
        evidence.keep_between(4, 8);
        assert!(evidence.is_empty());
    }
}
