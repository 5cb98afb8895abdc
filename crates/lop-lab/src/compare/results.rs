//! The results of a comparison, as data: cells, rows, and all cells together.

/// A mean over trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error; `None` for a single trial.
    pub error: Option<f64>,
}

impl Mean {
    /// The mean of these values.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        assert!(!values.is_empty(), "a mean is of something");
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        Mean { mean, error }
    }

    /// Returns the ratio of the means of pairs, with the remaining error if both are of the same trial: a hard instance
    /// is hard for both. `None` if all second values are 0.
    #[must_use]
    pub fn ratio(pairs: &[(f64, f64)]) -> Option<Self> {
        let (above, below) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        let mean = (below > 0.0).then(|| above / below)?;
        let rest: Vec<f64> = pairs.iter().map(|(above, below)| above - mean * below).collect();
        let error = Mean::of(&rest).error.map(|error| error * pairs.len() as f64 / below);
        Some(Mean { mean, error })
    }
}

/// The median and the largest of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median; of an even number the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub worst: f64,
}

impl Spread {
    /// Those of these values.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Spread { median: f64::midpoint(low, high), worst: values[values.len() - 1] }
    }
}

/// The results of one algorithm in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The algorithm.
    pub algorithm: &'static str,
    /// Distinct candidates judged, by one worker or the fewest that were asked for.
    pub tests: Mean,
    /// Units left.
    pub left: Mean,
    /// Rounds for each requested number of workers, ascending; `None` if they aren't counted.
    pub rounds: Vec<(usize, Option<Mean>)>,
    /// Tests relative to the optimum on the same instances, if the cell has one.
    pub to_optimum: Option<Mean>,
    /// How tests and units left differ between instances, for whole reductions.
    pub spread: Option<[Spread; 2]>,
}

/// Which model says how much information is in the instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSource {
    /// The known parameters of the source.
    Parameters,
    /// lop's own, as it learnt: the code length is its ideal one.
    CodeLength,
}

/// The fewest tests that may be enough on these instances, on average, see
/// [`lower_bound`](lop_engine::lower_bound).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Tests.
    pub tests: f64,
    /// Where the figure comes from.
    pub source: BoundSource,
}

/// The tests that the best sweep needs, which knows the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// Mean tests on these instances.
    pub here: f64,
    /// The exact expectation over all instances; `None` if it takes too long to compute.
    pub expected: Option<f64>,
}

/// A problem at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The problem's name.
    pub problem: String,
    /// Units, on average over the trials.
    pub units: f64,
    /// Trials.
    pub trials: usize,
    /// The lower bound, if there is one.
    pub bound: Option<Bound>,
    /// The tests of the best sweep with known parameters, if they are known.
    pub optimum: Option<Optimum>,
    /// A row for each algorithm.
    pub rows: Vec<Row>,
}

impl Cell {
    /// The cell as words: the problem, and its size.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} n={:.0}", self.problem, self.units)
    }

    /// Tests of a row relative to the lower bound.
    #[must_use]
    pub fn to_bound(&self, row: &Row) -> Option<f64> {
        let bound = self.bound?.tests;
        (bound > 0.0).then(|| row.tests.mean / bound)
    }
}

/// A ratio over several cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Geometric mean.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
    /// The title of the cell with the largest.
    pub worst_cell: String,
    /// How many cells it is over.
    pub cells: usize,
}

/// An algorithm over all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// The algorithm.
    pub algorithm: &'static str,
    /// Geometric mean of its tests.
    pub tests: f64,
    /// Relative to the lower bound, over the cells that have one.
    pub to_bound: Option<Ratio>,
    /// Relative to the optimum, over the cells that have one.
    pub to_optimum: Option<Ratio>,
}

/// Each algorithm over all cells, in the order of the rows.
#[must_use]
pub fn overall(cells: &[Cell]) -> Vec<Overall> {
    let mut names: Vec<&'static str> = Vec::new();
    for row in cells.iter().flat_map(|cell| &cell.rows) {
        if !names.contains(&row.algorithm) {
            names.push(row.algorithm);
        }
    }
    names
        .into_iter()
        .map(|algorithm| {
            let rows: Vec<(&Cell, &Row)> = cells
                .iter()
                .flat_map(|cell| cell.rows.iter().map(move |row| (cell, row)))
                .filter(|(_, row)| row.algorithm == algorithm)
                .collect();
            // A problem that is solved without a test would make every geometric mean 0.
            let tests: Vec<f64> = rows.iter().map(|(_, row)| row.tests.mean.max(1.0)).collect();
            Overall {
                algorithm,
                tests: geometric(&tests),
                to_bound: combine(&rows, Cell::to_bound),
                to_optimum: combine(&rows, |_, row| Some(row.to_optimum?.mean)),
            }
        })
        .collect()
}

fn combine(rows: &[(&Cell, &Row)], ratio: fn(&Cell, &Row) -> Option<f64>) -> Option<Ratio> {
    let ratios: Vec<(f64, &Cell)> = rows.iter().filter_map(|(cell, row)| Some((ratio(cell, row)?, *cell))).collect();
    let &(worst, cell) = ratios.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
    let values: Vec<f64> = ratios.iter().map(|(ratio, _)| *ratio).filter(|ratio| *ratio > 0.0).collect();
    Some(Ratio { mean: geometric(&values), worst, worst_cell: cell.title(), cells: ratios.len() })
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A cell with a row of these tests for each algorithm.
    pub(in crate::compare) fn cell(problem: &str, units: f64, tests: &[(&'static str, f64)]) -> Cell {
        let row = |&(algorithm, mean): &(&'static str, f64)| Row {
            algorithm,
            tests: Mean { mean, error: Some(0.5) },
            left: Mean { mean: 3.0, error: None },
            rounds: vec![(1, Some(Mean { mean, error: None })), (4, None)],
            to_optimum: (units < 1000.0).then_some(Mean { mean: mean / 20.0, error: Some(0.125) }),
            spread: None,
        };
        Cell {
            problem: problem.to_owned(),
            units,
            trials: 20,
            bound: Some(Bound { tests: 10.0, source: BoundSource::Parameters }),
            optimum: (units < 1000.0).then_some(Optimum { here: 20.0, expected: Some(21.0) }),
            rows: tests.iter().map(row).collect(),
        }
    }

    #[test]
    fn a_mean_has_a_standard_error_from_two_values_on() {
        assert_eq!(Mean::of(&[7.0]), Mean { mean: 7.0, error: None });
        let mean = Mean::of(&[1.0, 2.0, 3.0]);
        assert_eq!(mean.mean, 2.0);
        assert!((mean.error.expect("three values") - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_spread_has_the_middle_and_the_largest() {
        assert_eq!(Spread::of(&[5.0, 1.0, 2.0]), Spread { median: 2.0, worst: 5.0 });
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]), Spread { median: 3.0, worst: 9.0 });
    }

    #[test]
    fn a_ratio_of_pairs_has_no_error_where_both_rise_together() {
        let ratio = Mean::ratio(&[(2.0, 1.0), (20.0, 10.0), (200.0, 100.0)]).expect("something is below");
        assert_eq!((ratio.mean, ratio.error), (2.0, Some(0.0)));
        let ratio = Mean::ratio(&[(3.0, 1.0), (5.0, 3.0)]).expect("something is below");
        // Means 4 and 2; the residuals of 3 − 2·1 and 5 − 2·3 are 1 and −1, with a standard error of 1.
        assert_eq!((ratio.mean, ratio.error), (2.0, Some(0.5)));
        assert_eq!(Mean::ratio(&[(3.0, 0.0)]), None);
    }

    #[test]
    fn ratios_over_cells_are_geometric_means_with_the_worst_named() {
        let cells = [
            cell("x", 100.0, &[("one", 20.0), ("other", 30.0)]),
            cell("y", 100.0, &[("one", 80.0), ("other", 30.0)]),
            cell("z", 5000.0, &[("one", 40.0)]),
        ];
        let [one, other] = <[Overall; 2]>::try_from(overall(&cells)).expect("two algorithms");
        assert!((one.tests - 40.0).abs() < 1e-9 && (other.tests - 30.0).abs() < 1e-9);
        let to_optimum = one.to_optimum.expect("two cells have an optimum");
        assert!((to_optimum.mean - 2.0).abs() < 1e-12);
        assert_eq!((to_optimum.worst, to_optimum.cells), (4.0, 2));
        assert_eq!(to_optimum.worst_cell, "y n=100");
        assert_eq!(one.to_bound.expect("all cells have a bound").cells, 3);
    }

    #[test]
    fn nothing_is_relative_to_a_bound_of_zero() {
        let mut cell = cell("x", 100.0, &[("one", 20.0)]);
        cell.bound = Some(Bound { tests: 0.0, source: BoundSource::CodeLength });
        assert_eq!(cell.to_bound(&cell.rows[0]), None);
    }
}
