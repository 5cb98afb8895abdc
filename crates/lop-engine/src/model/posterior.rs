//! The model: a mixture of Markov chains of needed and removable units, its prediction for the length of the next
//! removable run, and its update after a run.

use std::sync::Arc;

use crate::config::Config;
use crate::model::exposure::{self, Ahead, PerExponent};
use crate::model::grid::Grid;
use crate::model::logarithms::{LOG_FLOOR, log_sum_exp, weights};
use crate::model::run_length::{Before, Run, Survival, Terms};
use crate::model::view::EvidenceView;

/// Fixed share slows down until this number of times 1/ρ units.
const OLDEST: f64 = 9.0;

/// The exponent of the prior that fixed share pulls back to: a regime that begins inside a list is dense
/// more often than a list is.
const HOME_EXPONENT: f64 = -0.4;

/// The mixture weights after the evidence so far.
///
/// Cells and exponents of exposure count as independent: each has its weight, not every pair of them. With pairs, lists
/// of 500 units took up to 1.8 % fewer tests, sixty short lists and real inputs more, and evidence would be three times
/// as large.
#[derive(Clone, Debug)]
pub(crate) struct Posterior {
    grid: Arc<Grid>,
    /// The weights that fixed share pulls back to.
    home: Arc<[f64]>,
    fixed_share: f64,
    /// Units taken in since the start.
    units: usize,
    log_weights: Vec<f64>,
    weights: Vec<f64>,
    /// The weights of the exponents of exposure.
    exponents: PerExponent,
}

impl Posterior {
    /// Starts from one set of weights, and lets fixed share pull back to another (`log_home`); both
    /// given by their logarithms, up to a constant.
    pub(crate) fn new(grid: Arc<Grid>, log_start: &[f64], log_home: &[f64], fixed_share: f64) -> Self {
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
            exponents: exposure::start_weights(&PerExponent::default()),
        }
    }

    /// The weights at the start of a search: the prior, or the caller's expectation, together with the evidence of the
    /// view.
    ///
    /// Fixed share pulls back to a prior that expects fewer removable units than the start does, and never to the
    /// evidence of other lists. Where the regime changes inside a list, evidence is an average that fits no part
    /// of it, and pulling back to it would undo the forgetting: a tenth more tests on eight lists of 500
    /// units with four regimes, for 0.2 % fewer on 60 short lists (see `oracles`).
    ///
    /// `not_all` units aren't removable all together.
    pub(crate) fn start(config: &Config, view: &EvidenceView, not_all: Option<usize>) -> Self {
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
        Self {
            exponents: exposure::start_weights(&view.log_exponents),
            ..Self::new(Arc::clone(&view.grid), &log_start, &home, config.fixed_share)
        }
    }

    /// The grid.
    pub(crate) fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The normalised weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weights of the exponents of exposure.
    pub(crate) fn exponents(&self) -> PerExponent {
        self.exponents
    }

    /// The weights for all exponents with a different effect.
    fn shares(&self, ahead: &Ahead) -> &[f64] {
        if ahead.exponents() == 1 { &[1.0] } else { &self.exponents }
    }

    /// The mixture's prediction for the run that starts after a unit in state `before`.
    pub(crate) fn survival(&self, before: Before, ahead: &Ahead) -> Survival {
        let grid = &*self.grid;
        let bs = grid.b_count();
        let mut zero = 0.0;
        let mut pairs = Vec::with_capacity(ahead.exponents());
        for (exponent, share) in self.shares(ahead).iter().enumerate() {
            let first = ahead.of(0..1, exponent);
            let mut of_exponent = Vec::with_capacity(grid.ln_a.len());
            for (row, &ln_a) in grid.ln_a.iter().enumerate() {
                let mut coefficient = 0.0;
                for (column, weight) in self.weights[row * bs..][..bs].iter().enumerate() {
                    let (yes, no) = first_step(grid, before, row * bs + column, first);
                    coefficient += weight * yes;
                    zero += share * weight * no;
                }
                of_exponent.push((share * coefficient, ln_a));
            }
            pairs.push(of_exponent);
        }
        Survival { zero, terms: Arc::new(Terms { ahead: ahead.clone(), pairs }) }
    }

    /// Forgets as much as `units` units make it forget (fixed share).
    pub(crate) fn forget(&mut self, units: usize) {
        if self.fixed_share > 0.0 {
            let kept = self.memory(units);
            self.exponents = exposure::shared(&self.exponents, kept);
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
    /// A unit after t others pulls by ρ_t = ρ / (1 + ρ·t), so that the product telescopes. The longer a list was
    /// uniform, the less likely is a change at the next unit; with a constant ρ a uniform list of 20,000 units costs 4
    /// % more tests. From [`OLDEST`] on ρ_t is constant, so that a list that keeps changing isn't given up.
    fn memory(&self, units: usize) -> f64 {
        let oldest = OLDEST / self.fixed_share;
        let young = (units as f64).min((oldest - self.units as f64).max(0.0));
        let age = 1.0 + self.fixed_share * (self.units as f64).min(oldest);
        let constant = self.fixed_share / (1.0 + OLDEST);
        age / (age + self.fixed_share * young) * (1.0 - constant).powf(units as f64 - young)
    }

    /// Learns a run: w ← κ·w·likelihood + (1 − κ)·home, with κ = Π (1 − ρ_t) over its k + ended units. Returns its log
    /// likelihood under each exponent of exposure, 0 for those without effect.
    pub(crate) fn learn(&mut self, before: Before, run: Run, ahead: &Ahead) -> PerExponent {
        let mut told = PerExponent::default();
        let units = run.length + usize::from(run.ended);
        if units == 0 {
            return told;
        }
        let logs = self.grid.log_likelihoods(before, run, ahead);
        if logs.len() > 1 {
            let mean =
                |logs: &Vec<f64>| log_sum_exp(self.log_weights.iter().zip(logs).map(|(weight, log)| weight + log));
            told = std::array::from_fn(|exponent| mean(&logs[exponent]));
        }
        add_mixed(&logs, &self.exponents, &mut self.log_weights);
        self.weights = weights(&self.log_weights);
        self.exponents = exposure::learnt(&self.exponents, &told);
        self.forget(units);
        told
    }
}

impl Grid {
    /// Adds the log likelihood of a run to `logs`, per cell, with these weights of the exponents.
    pub(crate) fn add_likelihood(
        &self,
        before: Before,
        run: Run,
        ahead: &Ahead,
        exponents: &PerExponent,
        logs: &mut [f64],
    ) {
        if run.length > 0 || run.ended {
            add_mixed(&self.log_likelihoods(before, run, ahead), exponents, logs);
        }
    }

    /// The log likelihood of a run per exponent that makes a difference, and per cell.
    ///
    /// Length k > 0: e·ln q + E·ln a + ended·ln(1−a^e); k = 0: ln(1−q^e) if it ended. Here q is the probability of the
    /// first removable unit, e the exposure of a unit, and E the exposure of the k − 1 others.
    fn log_likelihoods(&self, before: Before, run: Run, ahead: &Ahead) -> Vec<Vec<f64>> {
        let of_exponent = |exponent: usize| {
            let first = ahead.of(0..1, exponent);
            if run.length == 0 {
                let first_needed = |cell| {
                    let (ln_yes, ln_no) = first_step_logs(self, before, cell);
                    ln_not_power(ln_yes, ln_no, first)
                };
                return (0..self.cells()).map(first_needed).collect();
            }
            let others = ahead.of(1..run.length, exponent);
            let last = run.ended.then(|| ahead.of(run.length..run.length + 1, exponent));
            let mut logs = Vec::with_capacity(self.cells());
            for (row, (&ln_a, &ln_not_a)) in self.ln_a.iter().zip(&self.ln_not_a).enumerate() {
                let end = last.map_or(0.0, |last| ln_not_power(ln_a, ln_not_a, last));
                let cells = row * self.b_count()..(row + 1) * self.b_count();
                logs.extend(cells.map(|cell| first * first_step_logs(self, before, cell).0 + others * ln_a + end));
            }
            logs
        };
        (0..ahead.exponents()).map(of_exponent).collect()
    }
}

/// Adds the logarithm of the mean over the exponents to `sums`.
fn add_mixed(logs: &[Vec<f64>], exponents: &PerExponent, sums: &mut [f64]) {
    if let [only] = logs {
        sums.iter_mut().zip(only).for_each(|(sum, log)| *sum += log);
        return;
    }
    let shares = exponents.map(|share| share.ln().max(LOG_FLOOR));
    for (cell, sum) in sums.iter_mut().enumerate() {
        *sum += log_sum_exp(shares.iter().zip(logs).map(|(share, logs)| share + logs[cell]));
    }
}

/// ln q and ln(1−q): whether the first unit after one in state `before` is removable.
fn first_step_logs(grid: &Grid, before: Before, cell: usize) -> (f64, f64) {
    let bs = grid.b_count();
    match before {
        Before::Unknown => (grid.ln_pi[cell], grid.ln_not_pi[cell]),
        Before::Needed => (grid.ln_b[cell % bs], grid.ln_not_b[cell % bs]),
        Before::Removable => (grid.ln_a[cell / bs], grid.ln_not_a[cell / bs]),
    }
}

/// q^e and 1 − q^e, with the first unit's exposure e.
fn first_step(grid: &Grid, before: Before, cell: usize, exposure: f64) -> (f64, f64) {
    if exposure == 1.0 {
        let bs = grid.b_count();
        return match before {
            Before::Unknown => grid.linear.pi[cell],
            Before::Needed => grid.linear.b[cell % bs],
            Before::Removable => grid.linear.a[cell / bs],
        };
    }
    let log = exposure * first_step_logs(grid, before, cell).0;
    (log.exp(), -log.exp_m1())
}

/// ln (1 − p^exponent), given ln p and ln (1 − p).
fn ln_not_power(ln_p: f64, ln_not_p: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        return ln_not_p;
    }
    (-(exponent * ln_p).exp_m1()).ln().max(LOG_FLOOR)
}

#[cfg(test)]
mod tests {
    use super::{Before, Posterior, Run};
    use crate::model::exposure::Ahead;
    use crate::model::grid::Grid;

    fn posterior(leaves: usize) -> Posterior {
        let grid = Grid::new(leaves);
        let start = grid.log_prior(-0.65);
        Posterior::new(grid, &start, &start, 0.003)
    }

    #[test]
    fn leaf_masses_sum_to_one() {
        for before in [Before::Unknown, Before::Needed, Before::Removable] {
            let survival = posterior(500).survival(before, &Ahead::default());
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
        at_once.learn(Before::Needed, Run { length: 2, ended: true }, &Ahead::default());
        let one = Run { length: 1, ended: false };
        in_steps.learn(Before::Needed, one, &Ahead::default());
        in_steps.learn(Before::Removable, one, &Ahead::default());
        in_steps.learn(Before::Removable, Run { length: 0, ended: true }, &Ahead::default());
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
            posterior.learn(Before::Removable, Run { length: 90_000, ended: true }, &Ahead::default());
            posterior.learn(Before::Needed, Run { length: 0, ended: true }, &Ahead::default());
        }
        let sum: f64 = posterior.weights().iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
