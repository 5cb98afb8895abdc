//! The evidence that the search over a list begins with.

use std::sync::Arc;

use crate::config::Config;
use crate::model::chain::Markov;
use crate::model::chances::Chances;
use crate::model::exposure::PerExponent;
use crate::model::grid::Grid;

/// The logarithm of the likelihood of a chain that is ruled out.
const NEVER: f64 = -1e6;

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

    /// The parameters are those of one of these chains, each as likely as the others, if `config` has no expectation. Those
    /// of a single chain are known.
    ///
    /// # Panics
    /// When there is no chain, or one has a parameter that is no probability.
    pub fn among(chains: &[Markov], config: &Config) -> Self {
        let is_probability = |p: &f64| (0.0..=1.0).contains(p);
        assert!(!chains.is_empty() && chains.iter().all(|chain| is_probability(&chain.a) && is_probability(&chain.b)));
        let points = |of: fn(&Markov) -> f64| {
            let mut points: Vec<f64> = chains.iter().map(of).collect();
            points.sort_by(f64::total_cmp);
            points.dedup();
            points
        };
        let (a, b) = (points(|chain| chain.a), points(|chain| chain.b));
        let is_one = |(a, b): (f64, f64)| chains.iter().any(|chain| chain.a == a && chain.b == b);
        let cells = a.iter().flat_map(|a| b.iter().map(|b| (*a, *b)));
        let cells: Vec<bool> = cells.map(is_one).collect();
        let mut view = Self::of_grid(Grid::of(&a, &b));
        let prior = view.grid.log_prior(config.prior_exponent);
        view.log_likelihood = cells.iter().zip(prior).map(|(is_one, log)| if *is_one { -log } else { NEVER }).collect();
        view
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
