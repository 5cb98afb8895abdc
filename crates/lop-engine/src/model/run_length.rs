//! Runs of removable units, and the distribution of their lengths: P(at least m) for any m, and the mass of any interval
//! of lengths without loss of digits.

use std::ops::Range;
use std::sync::Arc;

use crate::model::exposure::Ahead;

/// The knowledge of the unit before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Before {
    /// Nothing: the start of a list, or a unit that only a timeout kept.
    Unknown,
    /// It is needed.
    Needed,
    /// It is removable.
    Removable,
}

/// How far a run of removable units is known to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Removable units from its first on.
    pub(crate) length: usize,
    /// Whether a needed unit is known to follow; otherwise the run is "at least `length`".
    pub(crate) ended: bool,
}

/// The terms of a sum over the grid points of a, for each exponent of exposure.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) ahead: Ahead,
    /// (c, ln a) per exponent and grid point.
    pub(crate) pairs: Vec<Vec<(f64, f64)>>,
}

impl Terms {
    /// Σ c·part(E·ln a), E being the exposure of these units.
    ///
    /// Not inlined: inside a caller's loops the compiler moves the sum through memory twice a term, and
    /// a step takes 12 % longer.
    #[inline(never)]
    fn sum(&self, units: Range<usize>, part: impl Fn(f64) -> f64) -> f64 {
        let of_exponent = |(exponent, pairs): (usize, &Vec<(f64, f64)>)| -> f64 {
            let exposure = self.ahead.of(units.clone(), exponent);
            pairs.iter().map(|&(c, ln_a)| c * part(exposure * ln_a)).sum()
        };
        self.pairs.iter().enumerate().map(of_exponent).sum()
    }

    /// With c·a^E for c, E being the exposure of these units.
    fn after(&self, units: Range<usize>) -> Self {
        let after = |(exponent, pairs): (usize, &Vec<(f64, f64)>)| {
            let exposure = self.ahead.of(units.clone(), exponent);
            pairs.iter().map(|&(c, ln_a)| (c * (exposure * ln_a).exp(), ln_a)).collect()
        };
        Self { ahead: self.ahead.clone(), pairs: self.pairs.iter().enumerate().map(after).collect() }
    }
}

/// The distribution of the length of one run: S(m) = P(at least m removable units) = Σ c·a^(m−1), or for unequal units
/// Σ c·a^E with the exposure E of all but the first.
#[derive(Clone, Debug)]
pub(crate) struct Survival {
    /// P(length 0), kept apart because 1 − S(1) would lose its digits.
    pub(crate) zero: f64,
    pub(crate) terms: Arc<Terms>,
}

impl Survival {
    /// A single chain: the first unit is removable with probability `first`, later ones with a.
    pub(crate) fn single(first: f64, not_first: f64, ln_a: f64) -> Self {
        let terms = Terms { ahead: Ahead::default(), pairs: vec![vec![(first, ln_a)]] };
        Self { zero: not_first, terms: Arc::new(terms) }
    }

    /// The exposures ahead of the run.
    pub(crate) fn ahead(&self) -> &Ahead {
        &self.terms.ahead
    }

    /// S(m).
    pub(crate) fn at(&self, m: usize) -> f64 {
        if m == 0 {
            return 1.0;
        }
        self.terms.sum(1..m, f64::exp)
    }

    /// The smallest m ≤ `most` with S(m) < `least`, or `most`.
    pub(crate) fn cap(&self, most: usize, least: f64) -> usize {
        if self.at(most) >= least {
            return most;
        }
        let (mut low, mut high) = (0, most);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.at(middle) < least {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// The distribution seen from length `from` on.
    pub(crate) fn tail(&self, from: usize) -> Tail {
        let base = from.max(1);
        Tail { from, base, zero: if from == 0 { self.zero } else { 0.0 }, terms: self.terms.after(1..base) }
    }
}

/// Masses of intervals of lengths that begin at a fixed length, by `expm1`: no cancellation, so that
/// an interval that was a surprise keeps its shape.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    from: usize,
    base: usize,
    zero: f64,
    terms: Terms,
}

impl Tail {
    /// P(from ≤ length < m).
    pub(crate) fn below(&self, m: usize) -> f64 {
        if m <= self.from {
            return 0.0;
        }
        let sum = self.terms.sum(self.base..m, |log| -log.exp_m1());
        self.zero + sum.max(0.0)
    }

    /// P(length ≥ m), for m ≥ `from`.
    pub(crate) fn at_least(&self, m: usize) -> f64 {
        if m < self.base {
            return 1.0;
        }
        self.terms.sum(self.base..m, f64::exp)
    }
}
