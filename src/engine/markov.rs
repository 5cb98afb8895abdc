//! The model: a mixture over Markov chains of needed and removable units, what it predicts for the
//! length of the next removable run, and what it learns from a run.

use std::sync::Arc;

use super::config::Config;
use super::evidence::EvidenceView;
use super::probability::{Grid, LOG_FLOOR, weights};

/// Fixed share no longer slows down from so many times 1/ρ units on.
const OLDEST: f64 = 9.0;

/// The exponent of the prior that fixed share pulls back to: a regime that begins inside a list is dense
/// more often than a list is.
const HOME_EXPONENT: f64 = -0.4;

/// What is known of the unit before the cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// Nothing: the start of a list, or a unit that only a timeout kept.
    Unknown,
    /// It is needed.
    Needed,
    /// It is removable.
    Removable,
}

/// How far a run of removable units is known to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// Removable units from the cursor on.
    pub(super) length: usize,
    /// Whether a needed unit is known to follow; otherwise the run is "at least `length`".
    pub(super) ended: bool,
}

/// The mixture weights after what was learnt so far.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    grid: Arc<Grid>,
    /// What fixed share pulls back to.
    home: Arc<[f64]>,
    fixed_share: f64,
    /// Units taken in since the start.
    units: usize,
    log_weights: Vec<f64>,
    weights: Vec<f64>,
}

impl Posterior {
    /// Starts from one set of weights, and lets fixed share pull back to another (`log_home`); both
    /// given by their logarithms, up to a constant.
    pub(super) fn new(grid: Arc<Grid>, log_start: &[f64], log_home: &[f64], fixed_share: f64) -> Self {
        assert_eq!(grid.cells(), log_start.len(), "weights belong to their grid");
        assert_eq!(grid.cells(), log_home.len(), "weights belong to their grid");
        let start = weights(log_start);
        Self {
            grid,
            home: weights(log_home).into(),
            fixed_share,
            units: 0,
            log_weights: start.iter().map(|w| w.ln().max(LOG_FLOOR)).collect(),
            weights: start,
        }
    }

    /// The weights that a search begins with: the prior, or what the caller expects, and what the
    /// view knows besides.
    ///
    /// Fixed share goes home to a prior that leans to sparse less than the start does, and never to the
    /// shared evidence. Where the regime changes inside a list, evidence is an average that fits no part
    /// of it, and pulling back to it would undo the forgetting: a tenth more tests on eight lists of 500
    /// units with four regimes, for 0.2 % fewer on 60 short lists (see `oracles`).
    ///
    /// `not_all` units are known not to be removable all at once.
    pub(super) fn start(config: &Config, view: &EvidenceView, not_all: Option<usize>) -> Self {
        let prior = match config.expect {
            Some(waste) => view.grid.log_expected(waste),
            None => view.grid.log_prior(config.prior_exponent),
        };
        let mut log_start: Vec<f64> = prior.iter().zip(&view.log_likelihood).map(|(prior, log)| prior + log).collect();
        if let Some(units) = not_all {
            // The prior is about lists of this kind. Without this, that there is a needed unit at all
            // would count against the chains that make the fewest of them: one needed unit of 8 would
            // take 5.1 tests on average instead of 4.75, one of 31 7.7 instead of 6.6.
            log_start.iter_mut().zip(view.grid.log_not_all(units)).for_each(|(log, not_all)| *log -= not_all);
        }
        let home = match config.expect {
            Some(_) => prior,
            None => view.grid.log_prior(HOME_EXPONENT),
        };
        Self::new(Arc::clone(&view.grid), &log_start, &home, config.fixed_share)
    }

    /// The grid.
    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The normalised weights.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What the mixture predicts for the run that starts after a unit in state `before`.
    pub(super) fn survival(&self, before: Before) -> Survival {
        let grid = &*self.grid;
        let bs = grid.b_count();
        let mut survival = Survival { zero: 0.0, terms: Vec::with_capacity(grid.ln_a.len()) };
        for (row, &ln_a) in grid.ln_a.iter().enumerate() {
            let mut coefficient = 0.0;
            for (column, weight) in self.weights[row * bs..][..bs].iter().enumerate() {
                let (yes, no) = match before {
                    Before::Unknown => grid.linear.pi[row * bs + column],
                    Before::Needed => grid.linear.b[column],
                    Before::Removable => grid.linear.a[row],
                };
                coefficient += weight * yes;
                survival.zero += weight * no;
            }
            survival.terms.push((coefficient, ln_a));
        }
        survival
    }

    /// What the mixture predicts for a run of which it was already told, by `learn_answer`, that it is
    /// at least `lo` and, where `hi` is given, less than `hi` long. Only lengths from `lo` on count.
    pub(super) fn survival_of_known(&self, before: Before, lo: usize, hi: Option<usize>) -> Survival {
        let grid = &*self.grid;
        let bs = grid.b_count();
        let mut untold = self.clone();
        for (cell, weight) in untold.weights.iter_mut().enumerate() {
            let (row, column) = (cell / bs, cell % bs);
            let (q, not_q) = match before {
                Before::Unknown => grid.linear.pi[cell],
                Before::Needed => grid.linear.b[column],
                Before::Removable => grid.linear.a[row],
            };
            let ln_a = grid.ln_a[row];
            // P(lo ≤ length < hi): what was told of this run, which must not count twice.
            let from = lo.max(1);
            let reached = if lo == 0 { 1.0 } else { q * ((lo - 1) as f64 * ln_a).exp() };
            let within = match hi {
                None => reached,
                Some(hi) => {
                    let first = if lo == 0 { not_q } else { 0.0 };
                    first + q * ((from - 1) as f64 * ln_a).exp() * -((hi - from) as f64 * ln_a).exp_m1()
                }
            };
            *weight /= within.max(1e-30);
        }
        let sum: f64 = untold.weights.iter().sum();
        untold.weights.iter_mut().for_each(|weight| *weight /= sum);
        untold.survival(before)
    }

    /// Takes in one answer about a run that was known to be at least `lo` and, where `hi` is given, less
    /// than `hi` long: whether it is at least `m` long. Returns the chance of yes before the answer.
    ///
    /// All answers about a run together teach what `learn` teaches of it, but for fixed share.
    pub(super) fn learn_answer(&mut self, before: Before, lo: usize, m: usize, hi: Option<usize>, yes: bool) -> f64 {
        let grid = &*self.grid;
        let bs = grid.b_count();
        let mut chance = 0.0;
        for cell in 0..grid.cells() {
            let (row, column) = (cell / bs, cell % bs);
            let (q, _) = match before {
                Before::Unknown => grid.linear.pi[cell],
                Before::Needed => grid.linear.b[column],
                Before::Removable => grid.linear.a[row],
            };
            // P(at least `to` | at least `from`).
            let ln_a = grid.ln_a[row];
            let reach = |from: usize, to: usize| match from {
                0 => q * ((to - 1) as f64 * ln_a).exp(),
                _ => ((to - from) as f64 * ln_a).exp(),
            };
            let beyond = hi.map_or(0.0, |hi| reach(lo, hi));
            let possible = (1.0 - beyond).max(f64::MIN_POSITIVE);
            let p = ((reach(lo, m) - beyond) / possible).clamp(0.0, 1.0);
            chance += self.weights[cell] * p;
            self.log_weights[cell] += if yes { p } else { 1.0 - p }.ln().max(LOG_FLOOR);
        }
        self.weights = weights(&self.log_weights);
        chance.clamp(0.0, 1.0)
    }

    /// Forgets as much as `units` units make it forget (fixed share).
    pub(super) fn forget(&mut self, units: usize) {
        if self.fixed_share > 0.0 {
            let kept = self.memory(units);
            for (weight, home) in self.weights.iter_mut().zip(self.home.iter()) {
                *weight = kept * *weight + (1.0 - kept) * home;
            }
        }
        self.units += units;
        for (log, weight) in self.log_weights.iter_mut().zip(&self.weights) {
            *log = weight.ln().max(LOG_FLOOR);
        }
    }

    /// κ: how much of the weights outlasts the next `units` units.
    ///
    /// A unit that comes after t others pulls by ρ_t = ρ / (1 + ρ·t), so that the product telescopes. The
    /// longer a list was all alike, the less likely a change is at the next unit; with a constant ρ a
    /// list of 20,000 like units costs 4 % more tests. From [`OLDEST`] on ρ_t stays as it is, so that a
    /// list that goes on changing is not given up.
    fn memory(&self, units: usize) -> f64 {
        let oldest = OLDEST / self.fixed_share;
        let young = (units as f64).min((oldest - self.units as f64).max(0.0));
        let age = 1.0 + self.fixed_share * (self.units as f64).min(oldest);
        let constant = self.fixed_share / (1.0 + OLDEST);
        age / (age + self.fixed_share * young) * (1.0 - constant).powf(units as f64 - young)
    }

    /// Takes in a run: w ← κ·w·likelihood + (1 − κ)·home, where κ = Π (1 − ρ_t) over the k + ended units
    /// taken in.
    pub(super) fn learn(&mut self, before: Before, run: Run) {
        let units = run.length + usize::from(run.ended);
        if units == 0 {
            return;
        }
        self.grid.add_likelihood(before, run, &mut self.log_weights);
        self.weights = weights(&self.log_weights);
        self.forget(units);
    }
}

impl Grid {
    /// Adds the log likelihood of a run to `logs`, per cell.
    ///
    /// Length k > 0: ln q + (k−1)·ln a + ended·ln(1−a); k = 0: ln(1−q) if it ended, where q is the
    /// chance of the first removable unit.
    pub(super) fn add_likelihood(&self, before: Before, run: Run, logs: &mut [f64]) {
        if run.length == 0 && !run.ended {
            return;
        }
        let bs = self.b_count();
        for (cell, log) in logs.iter_mut().enumerate() {
            let (yes, no) = first_step(self, before, cell);
            let row = cell / bs;
            *log += if run.length == 0 {
                no
            } else {
                let end = if run.ended { self.ln_not_a[row] } else { 0.0 };
                yes + (run.length - 1) as f64 * self.ln_a[row] + end
            };
        }
    }
}

/// ln q and ln(1−q): whether the first unit after one in state `before` is removable.
fn first_step(grid: &Grid, before: Before, cell: usize) -> (f64, f64) {
    let bs = grid.b_count();
    match before {
        Before::Unknown => (grid.ln_pi[cell], grid.ln_not_pi[cell]),
        Before::Needed => (grid.ln_b[cell % bs], grid.ln_not_b[cell % bs]),
        Before::Removable => (grid.ln_a[cell / bs], grid.ln_not_a[cell / bs]),
    }
}

/// The distribution of the length of one run: S(m) = P(at least m removable units) = Σ c·a^(m−1).
#[derive(Clone, Debug)]
pub(super) struct Survival {
    /// P(length 0), kept apart because 1 − S(1) would lose its digits.
    zero: f64,
    /// (c, ln a) per grid point of a.
    terms: Vec<(f64, f64)>,
}

impl Survival {
    /// A single chain: the first unit is removable with probability `first`, later ones with a.
    pub(super) fn single(first: f64, not_first: f64, ln_a: f64) -> Self {
        Self { zero: not_first, terms: vec![(first, ln_a)] }
    }

    /// S(m).
    pub(super) fn at(&self, m: usize) -> f64 {
        if m == 0 {
            return 1.0;
        }
        let steps = (m - 1) as f64;
        self.terms.iter().map(|&(c, ln_a)| c * (steps * ln_a).exp()).sum()
    }

    /// The smallest m ≤ `most` with S(m) < `least`, or `most`.
    pub(super) fn cap(&self, most: usize, least: f64) -> usize {
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
    pub(super) fn tail(&self, from: usize) -> Tail {
        let base = from.max(1);
        let steps = (base - 1) as f64;
        Tail {
            from,
            base,
            zero: if from == 0 { self.zero } else { 0.0 },
            terms: self.terms.iter().map(|&(c, ln_a)| (c * (steps * ln_a).exp(), ln_a)).collect(),
        }
    }
}

/// Masses of intervals of lengths that begin at a fixed length, by `expm1`: no cancellation, so that
/// an interval that was a surprise keeps its shape.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    from: usize,
    base: usize,
    zero: f64,
    terms: Vec<(f64, f64)>,
}

impl Tail {
    /// P(from ≤ length < m).
    pub(super) fn below(&self, m: usize) -> f64 {
        if m <= self.from {
            return 0.0;
        }
        let steps = (m - self.base) as f64;
        let sum: f64 = self.terms.iter().map(|&(c, ln_a)| -c * (steps * ln_a).exp_m1()).sum();
        self.zero + sum.max(0.0)
    }

    /// P(length ≥ m), for m ≥ `from`.
    pub(super) fn at_least(&self, m: usize) -> f64 {
        if m < self.base {
            return 1.0;
        }
        let steps = (m - self.base) as f64;
        self.terms.iter().map(|&(c, ln_a)| c * (steps * ln_a).exp()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Posterior, Run};
    use crate::engine::probability::Grid;

    fn posterior(leaves: usize) -> Posterior {
        let grid = Grid::new(leaves);
        let start = grid.log_prior(-0.65);
        Posterior::new(grid, &start, &start, 0.003)
    }

    #[test]
    fn leaf_masses_sum_to_one() {
        for before in [Before::Unknown, Before::Needed, Before::Removable] {
            let survival = posterior(500).survival(before);
            let tail = survival.tail(0);
            assert!((tail.below(301) + tail.at_least(301) - 1.0).abs() < 1e-12);
            let sum: f64 = (0..301).map(|k| survival.tail(k).below(k + 1)).sum();
            assert!((sum - tail.below(301)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_run_is_as_probable_as_its_units_one_by_one() {
        // Learning "2 removable, then a needed one" at once or in three steps gives the same weights
        // when nothing is forgotten.
        let grid = Grid::new(50);
        let start = grid.log_prior(-0.65);
        let mut at_once = Posterior::new(grid.clone(), &start, &start, 0.0);
        let mut in_steps = at_once.clone();
        at_once.learn(Before::Needed, Run { length: 2, ended: true });
        let one = Run { length: 1, ended: false };
        in_steps.learn(Before::Needed, one);
        in_steps.learn(Before::Removable, one);
        in_steps.learn(Before::Removable, Run { length: 0, ended: true });
        for (a, b) in at_once.weights().iter().zip(in_steps.weights()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn memory_does_not_depend_on_how_units_are_grouped_and_fixed_share_slows_down() {
        let mut posterior = posterior(500);
        let one_by_one: f64 = (0..5000)
            .map(|age| {
                posterior.units = age;
                posterior.memory(1)
            })
            .product();
        posterior.units = 0;
        assert!((posterior.memory(5000) / one_by_one - 1.0).abs() < 1e-9);
        let share = |age| 1.0 - Posterior { units: age, ..posterior.clone() }.memory(1);
        assert!((share(0) / 0.003 - 1.0).abs() < 0.01 && (share(1000) / 0.003 - 0.25).abs() < 0.01);
        assert!((share(100_000) / 0.0003 - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_long_removable_run_leaves_finite_weights() {
        let mut posterior = posterior(100_000);
        for _ in 0..50 {
            posterior.learn(Before::Removable, Run { length: 90_000, ended: true });
            posterior.learn(Before::Needed, Run { length: 0, ended: true });
        }
        let sum: f64 = posterior.weights().iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
