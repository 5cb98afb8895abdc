//! The expected number of tests for the rest of a list.

use crate::model::decision_tree;
use crate::model::grid::Grid;
use crate::model::posterior::Posterior;
use crate::model::run_length::Survival;

/// A probability that is too small to matter for an estimate.
const NEGLIGIBLE: f64 = 1e-7;
/// Longer runs than this multiple of the input do not exist.
const LENGTHS_PER_LEAF: usize = 4;

/// An estimate of the tests still needed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Expected number.
    pub mean: f64,
    /// Standard deviation due to unknown parameters.
    pub deviation: f64,
}

/// The estimate for `units` undecided units.
pub(crate) fn remaining(posterior: &Posterior, units: usize) -> Estimate {
    let grid = posterior.grid();
    let table = grid.tests_per_unit.get_or_init(|| tests_per_unit(grid));
    let pairs = || posterior.weights().iter().zip(table);
    let mean: f64 = pairs().map(|(w, t)| w * t).sum();
    let variance: f64 = pairs().map(|(w, t)| w * (t - mean) * (t - mean)).sum();
    Estimate { mean: mean * units as f64, deviation: variance.sqrt() * units as f64 }
}

/// Per cell: expected depth of the optimal tree of one run, over the expected run length plus the
/// unit that ends it.
fn tests_per_unit(grid: &Grid) -> Vec<f64> {
    let most = LENGTHS_PER_LEAF * grid.leaves();
    let mut table = Vec::with_capacity(grid.cells());
    for (&ln_a, &ln_not_a) in grid.ln_a.iter().zip(&grid.ln_not_a) {
        for (&ln_b, &ln_not_b) in grid.ln_b.iter().zip(&grid.ln_not_b) {
            let run = Survival::single(ln_b.exp(), ln_not_b.exp(), ln_a);
            let cap = run.cap(most, NEGLIGIBLE).max(1);
            let tests = decision_tree::expected_depth(&run.tail(0), cap);
            let units = 1.0 + (ln_b - ln_not_a).exp();
            table.push(tests / units);
        }
    }
    debug_assert_eq!(table.len(), grid.cells());
    table
}

#[cfg(test)]
mod tests {
    use super::remaining;
    use crate::model::grid::Grid;
    use crate::model::posterior::Posterior;

    #[test]
    fn coin_flips_cost_one_test_a_unit() {
        let posterior = Posterior::new(Grid::of(&[0.5], &[0.5]), &[0.0], &[0.0], 0.0);
        let estimate = remaining(&posterior, 500);
        assert!((estimate.mean - 500.0).abs() < 0.01, "{estimate:?}");
        assert!(estimate.deviation < 1e-3);
    }
}
