//! The evidence that the search over a list begins with.

use std::sync::Arc;

use crate::model::chances::Chances;
use crate::model::exposure::PerExponent;
use crate::model::grid::Grid;

/// Where a new list starts from.
#[derive(Clone, Debug)]
pub struct EvidenceView {
    pub(crate) grid: Arc<Grid>,
    /// Log likelihood per cell, discounted; the prior of `Config` is added to it.
    pub(crate) log_likelihood: Vec<f64>,
    /// Log likelihood per exponent of exposure, discounted.
    pub(crate) log_exponents: PerExponent,
    pub(crate) chances: Chances,
}

impl EvidenceView {
    /// No evidence, on the grid for an input of `leaves` leaves.
    pub fn blank(leaves: usize) -> Self {
        Self::of_grid(Grid::new(leaves))
    }

    /// The parameters are known: `a` = P(removable | removable), `b` = P(removable | needed).
    ///
    /// # Panics
    /// When one of them is no probability.
    pub fn known(a: f64, b: f64) -> Self {
        assert!((0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b), "a = {a}, b = {b}");
        Self::of_grid(Grid::known(a, b))
    }

    fn of_grid(grid: Arc<Grid>) -> Self {
        Self {
            log_likelihood: vec![0.0; grid.cells()],
            log_exponents: PerExponent::default(),
            grid,
            chances: Chances::default(),
        }
    }
}
