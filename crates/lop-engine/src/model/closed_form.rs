//! The same search from a closed form, as an independent check of the grid: run lengths under Beta priors, without
//! fixed share and without trees. Test code only.

/// ln Γ(x + k) − ln Γ(x), by Stirling's series above 12 and the recurrence below.
fn ln_rising(x: f64, k: usize) -> f64 {
    ln_gamma(x + k as f64) - ln_gamma(x)
}

fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 12.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// P(run ≥ k) for a first step of probability `first` and a ~ Beta(alpha, beta) afterwards.
pub(crate) fn survival(first: f64, (alpha, beta): (f64, f64), k: usize) -> f64 {
    if k == 0 {
        return 1.0;
    }
    first * (ln_rising(alpha, k - 1) - ln_rising(alpha + beta, k - 1)).exp()
}

/// Tests that a sweep with balanced splits takes: P(u|i) ~ Beta(1, 1), P(u|u) ~ Beta(2, 0.5), the
/// first outcome of a run counted to the parameter of the state before it, later ones to P(u|u).
pub(crate) fn sweep_tests(needed: &[bool], start_removable: bool) -> usize {
    let mut after_needed: (f64, f64) = (1.0, 1.0);
    let mut after_removable: (f64, f64) = (2.0, 0.5);
    let (mut pos, mut tests, mut removable) = (0, 0, start_removable);
    while pos < needed.len() {
        let left = needed.len() - pos;
        let (alpha, beta) = if removable { after_removable } else { after_needed };
        let first = (alpha / (alpha + beta)).clamp(1e-4, 1.0 - 1e-6);
        let at = |m: usize| {
            if m > left { 0.0 } else { survival(first, after_removable, m) }
        };
        let (mut lo, mut hi) = (0, left + 1);
        while hi - lo > 1 {
            let target = 0.5 * (at(lo) + at(hi));
            let (mut low, mut high) = (lo, hi);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if at(middle) > target { low = middle } else { high = middle }
            }
            // The length nearer to the balance, inside the interval.
            let nearer = if at(low) - target < target - at(high) { low } else { high };
            let m = nearer.clamp(lo + 1, hi - 1);
            tests += 1;
            if needed[pos + lo..pos + m].contains(&true) { hi = m } else { lo = m }
        }
        let ended = lo < left;
        let previous = if removable { &mut after_removable } else { &mut after_needed };
        if lo > 0 {
            previous.0 += 1.0;
            after_removable.0 += (lo - 1) as f64;
            after_removable.1 += f64::from(u8::from(ended));
        } else {
            previous.1 += 1.0;
        }
        removable = !ended;
        pos += lo + usize::from(ended);
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::{ln_gamma, survival, sweep_tests};
    use crate::model::exposure::Ahead;
    use crate::model::grid::Grid;
    use crate::model::posterior::Posterior;
    use crate::model::run_length::{Before, Run};

    #[test]
    fn ln_gamma_knows_factorials() {
        assert!((ln_gamma(11.0) - 3_628_800_f64.ln()).abs() < 1e-10);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-10);
    }

    #[test]
    fn balanced_splits_gallop() {
        let tests =
            |n: usize, needed: &dyn Fn(usize) -> bool| sweep_tests(&(0..n).map(needed).collect::<Vec<_>>(), false);
        assert_eq!(tests(100_000, &|i| i == 50_000), 28);
        assert_eq!(tests(1000, &|i| i % 100 == 99), 89);
        assert_eq!(tests(1000, &|i| (45..55).contains(&(i % 100))), 185);
    }

    #[test]
    fn the_grid_agrees_with_the_closed_form() {
        for (alpha, beta) in [(2.0, 0.5), (2.0, 2.0), (20.0, 3.0), (100.0, 1.0)] {
            let grid = Grid::new(100_000);
            // A Beta density over a has these logarithms per equal step of logit a.
            let start: Vec<f64> = (0..grid.cells())
                .map(|cell| {
                    let row = cell / grid.b_count();
                    alpha * grid.ln_a[row] + beta * grid.ln_not_a[row]
                })
                .collect();
            let posterior = Posterior::new(grid, &start, &start, 0.0);
            let run = posterior.survival(Before::Needed, &Ahead::default());
            for (k, tolerance) in [(1, 1e-9), (2, 1e-3), (10, 4e-3), (100, 2e-2), (1000, 5e-2)] {
                let (got, exact) = (run.at(k), survival(run.at(1), (alpha, beta), k));
                assert!((got / exact - 1.0).abs() < tolerance, "{alpha} {beta} {k}: {got} {exact}");
            }
        }
    }

    #[test]
    fn learning_on_the_grid_follows_the_closed_form() {
        let (alpha, beta) = (2.0, 2.0);
        let grid = Grid::new(100_000);
        let start: Vec<f64> = (0..grid.cells())
            .map(|cell| {
                let row = cell / grid.b_count();
                alpha * grid.ln_a[row] + beta * grid.ln_not_a[row]
            })
            .collect();
        let mut posterior = Posterior::new(grid, &start, &start, 0.0);
        let run = Run { length: 9, ended: true };
        posterior.learn(Before::Needed, run, &Ahead::default());
        posterior.learn(Before::Needed, run, &Ahead::default());
        let survival_now = posterior.survival(Before::Needed, &Ahead::default());
        for k in [2, 5, 20, 80] {
            let exact = survival(survival_now.at(1), (alpha + 16.0, beta + 2.0), k);
            assert!((survival_now.at(k) / exact - 1.0).abs() < 1e-2);
        }
    }
}
