//! The grid of Markov parameters that every posterior of one run shares.

use std::sync::{Arc, OnceLock};

use crate::config::Waste;
use crate::model::logarithms::{LOG_FLOOR, logistic, logit, weights};

/// Grid points for a = P(removable | removable).
const A_POINTS: usize = 24;
/// Grid points for b = P(removable | needed).
const B_POINTS: usize = 16;
/// The smallest a of the grid.
const A_LOWEST: f64 = 0.02;
/// The smallest b of the grid; the largest is 1 minus this.
const B_LOWEST: f64 = 0.005;
/// The share of the prior that expects a unit to say nothing of the next: with it, 99 and 99.5 %
/// waste without correlation take 43.2 and 25.5 tests (n = 500), without 43.8 and 25.7.
const INDEPENDENT: f64 = 0.25;
/// The exponent of 1 − b in the rest of the prior.
const B_EXPONENT: f64 = 0.25;
/// A grid for fewer leaves than this would not reach sparse data at all.
const MIN_LEAVES: usize = 8;
/// Units that a stated expectation is worth.
const EXPECTED_UNITS: f64 = 1000.0;
/// The points (a, b) over which the model is a mixture.
///
/// Cells are numbered `a_index * b_count() + b_index`. All logarithms come from δ = 1 − a by
/// `log1p`, because a itself is as near to 1 as 1 − 1/(4·leaves).
#[derive(Debug)]
pub(crate) struct Grid {
    leaves: usize,
    /// ln a.
    pub(crate) ln_a: Vec<f64>,
    /// ln (1 − a).
    pub(crate) ln_not_a: Vec<f64>,
    /// ln b.
    pub(crate) ln_b: Vec<f64>,
    /// ln (1 − b).
    pub(crate) ln_not_b: Vec<f64>,
    /// ln π per cell, π = b / (1 − a + b) being the stationary share of removable units.
    pub(crate) ln_pi: Vec<f64>,
    /// ln (1 − π) per cell.
    pub(crate) ln_not_pi: Vec<f64>,
    /// a and 1 − a, b and 1 − b, π and 1 − π: the same as numbers.
    pub(crate) linear: Linear,
    /// Expected tests per unit at each cell; tabulated by `estimate` when first asked for.
    pub(crate) tests_per_unit: OnceLock<Vec<f64>>,
}

/// The grid's probabilities as numbers, which every start of a run needs.
#[derive(Debug)]
pub(crate) struct Linear {
    pub(crate) a: Vec<(f64, f64)>,
    pub(crate) b: Vec<(f64, f64)>,
    pub(crate) pi: Vec<(f64, f64)>,
}

impl Grid {
    /// The grid for an input of `leaves` leaves: 24 points for a, logit-spaced over
    /// [0.02, 1 − 1/(4·leaves)], times 16 points for b, logit-spaced over [0.005, 0.995].
    pub(crate) fn new(leaves: usize) -> Arc<Self> {
        let leaves = leaves.max(MIN_LEAVES);
        let lowest = logit(A_LOWEST);
        let highest = -logit(1.0 / (4.0 * leaves as f64));
        let a = spaced(lowest, highest, A_POINTS);
        let b = spaced(logit(B_LOWEST), -logit(B_LOWEST), B_POINTS);
        let odds =
            |points: &[f64]| -> Vec<(f64, f64)> { points.iter().map(|&x| (logistic(x), logistic(-x))).collect() };
        Arc::new(Self::from_points(leaves, &odds(&a), &odds(&b)))
    }

    /// A grid of these values of a and b.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Arc<Self> {
        let pairs = |points: &[f64]| points.iter().map(|p| (*p, 1.0 - p)).collect::<Vec<_>>();
        Arc::new(Self::from_points(MIN_LEAVES, &pairs(a), &pairs(b)))
    }

    /// From pairs (p, 1 − p), both given because neither can be had exactly from the other.
    fn from_points(leaves: usize, a: &[(f64, f64)], b: &[(f64, f64)]) -> Self {
        let ln_yes = |&(_, no): &(f64, f64)| (-no).ln_1p().max(LOG_FLOOR);
        let ln_no = |&(yes, no): &(f64, f64)| {
            // The smaller of the two is the accurate one.
            if no < yes { no.ln() } else { (-yes).ln_1p() }.max(LOG_FLOOR)
        };
        let stationary = |&(_, not_a): &(f64, f64), &(b, _): &(f64, f64)| match not_a + b {
            // Neither state is ever left, so that either may be the first.
            0.0 => (0.5, 0.5),
            sum => (b / sum, not_a / sum),
        };
        let pi: Vec<(f64, f64)> = a.iter().flat_map(|a| b.iter().map(move |b| stationary(a, b))).collect();
        Self {
            leaves,
            ln_a: a.iter().map(ln_yes).collect(),
            ln_not_a: a.iter().map(ln_no).collect(),
            ln_b: b.iter().map(|pair| pair.0.ln().max(LOG_FLOOR)).collect(),
            ln_not_b: b.iter().map(ln_no).collect(),
            ln_pi: pi.iter().map(|pair| pair.0.ln().max(LOG_FLOOR)).collect(),
            ln_not_pi: pi.iter().map(|pair| pair.1.ln().max(LOG_FLOOR)).collect(),
            linear: Linear { a: a.to_vec(), b: b.to_vec(), pi },
            tests_per_unit: OnceLock::new(),
        }
    }

    /// Number of points for b.
    pub(crate) fn b_count(&self) -> usize {
        self.ln_b.len()
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> usize {
        self.ln_a.len() * self.ln_b.len()
    }

    /// The number of leaves this grid was made for.
    pub(crate) fn leaves(&self) -> usize {
        self.leaves
    }

    /// Whether evidence gathered on `other` can be added to evidence gathered here.
    pub(crate) fn same_points(&self, other: &Self) -> bool {
        self.ln_a == other.ln_a && self.ln_b == other.ln_b
    }

    /// The logarithm of the prior per cell, up to a constant: (1 − a)^exponent over a. Over b, three quarters are ∝ (1
    /// − b)^¼ and one quarter is at b = a, where units are independent: a mixture of chains with and without memory.
    pub(crate) fn log_prior(&self, exponent: f64) -> Vec<f64> {
        let logit_b: Vec<f64> = self.ln_b.iter().zip(&self.ln_not_b).map(|(yes, no)| yes - no).collect();
        let over_b = self.ln_not_b.iter().map(|no| B_EXPONENT * no).collect::<Vec<_>>();
        let over_b = weights(&over_b);
        let mut logs = Vec::with_capacity(self.cells());
        for (ln_a, ln_not_a) in self.ln_a.iter().zip(&self.ln_not_a) {
            let distance = |b: &f64| (b - (ln_a - ln_not_a)).abs();
            let nearest = logit_b.iter().map(distance).fold(f64::INFINITY, f64::min);
            logs.extend(logit_b.iter().zip(&over_b).map(|(b, over_b)| {
                let independent = if distance(b) == nearest { INDEPENDENT } else { 0.0 };
                exponent * ln_not_a + ((1.0 - INDEPENDENT) * over_b + independent).ln()
            }));
        }
        logs
    }

    /// The logarithm of the weights of a caller who expects that much waste, up to a constant: the
    /// likelihood of a sequence of 1,000 units that is exactly like it.
    pub(crate) fn log_expected(&self, waste: Waste) -> Vec<f64> {
        let share = waste.share.clamp(0.0, 1.0);
        let a = waste.after_removable.unwrap_or(share).clamp(0.0, 1.0);
        // Stationary: the inflow equals the outflow.
        let b = if share < 1.0 { (share * (1.0 - a) / (1.0 - share)).min(1.0) } else { 1.0 };
        let mut logs = Vec::with_capacity(self.cells());
        for (&ln_a, &ln_not_a) in self.ln_a.iter().zip(&self.ln_not_a) {
            for (&ln_b, &ln_not_b) in self.ln_b.iter().zip(&self.ln_not_b) {
                let after_removable = a * ln_a + (1.0 - a) * ln_not_a;
                let after_needed = b * ln_b + (1.0 - b) * ln_not_b;
                logs.push(EXPECTED_UNITS * (share * after_removable + (1.0 - share) * after_needed));
            }
        }
        logs
    }

    /// The logarithm, per cell, of the probability that not all of `units` units are removable.
    pub(crate) fn log_not_all(&self, units: usize) -> Vec<f64> {
        let bs = self.b_count();
        let log = |cell: usize| {
            let all = self.ln_pi[cell] + units.saturating_sub(1) as f64 * self.ln_a[cell / bs];
            (-all.exp_m1()).ln().max(LOG_FLOOR)
        };
        (0..self.cells()).map(log).collect()
    }
}

/// `count` equally spaced points from `first` to `last`, both included.
fn spaced(first: f64, last: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| first + (last - first) * i as f64 / (count - 1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::model::logarithms::{LOG_FLOOR, logit, weights};

    #[test]
    fn the_grid_spans_what_the_design_says() {
        let grid = Grid::new(500);
        assert_eq!(grid.cells(), 384);
        assert!((grid.ln_a[0].exp() - 0.02).abs() < 1e-12);
        assert!((grid.ln_not_a[23].exp() * 2000.0 - 1.0).abs() < 1e-9);
        assert!((grid.ln_b[0].exp() - 0.005).abs() < 1e-12);
        assert!((grid.ln_b[15].exp() - 0.995).abs() < 1e-12);
    }

    #[test]
    fn a_and_its_complement_sum_to_one_even_next_to_one() {
        let grid = Grid::new(10_000_000);
        for (a, not_a) in grid.ln_a.iter().zip(&grid.ln_not_a) {
            assert!((-a.exp_m1() / not_a.exp() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_quarter_of_the_prior_expects_independent_units() {
        let grid = Grid::new(500);
        let prior = weights(&grid.log_prior(-0.65));
        let near = |cell: usize| {
            let (a, b) = (grid.linear.a[cell / 16], grid.linear.b[cell % 16]);
            // Within half a step of the grid of b, or beyond its end.
            (logit(a.0) - logit(b.0)).abs() < 0.36
                || (cell % 16 == 15 && a.0 > b.0)
                || (cell.is_multiple_of(16) && a.0 < b.0)
        };
        let share: f64 = (0..grid.cells()).filter(|&cell| near(cell)).map(|cell| prior[cell]).sum();
        assert!((0.25..0.3).contains(&share), "{share}: a quarter, and what is spread evenly");
    }

    #[test]
    fn the_chance_that_something_is_needed_is_exact_for_sparse_chains() {
        let grid = Grid::new(1_000_000);
        for (cell, log) in grid.log_not_all(3).into_iter().enumerate() {
            let (pi, a) = (grid.linear.pi[cell], grid.linear.a[cell / grid.b_count()]);
            // A needed unit at the first, second or third place.
            let exact = pi.1 + pi.0 * a.1 + pi.0 * a.0 * a.1;
            assert!((log.exp() / exact - 1.0).abs() < 1e-6, "{cell}");
        }
    }

    #[test]
    fn certain_parameters_stay_finite() {
        let grid = Grid::of(&[1.0], &[0.0]);
        let all = [&grid.ln_a, &grid.ln_not_a, &grid.ln_b, &grid.ln_not_b];
        assert!(all.iter().all(|logs| logs.iter().all(|log| log.is_finite() && *log >= LOG_FLOOR)));
    }
}
