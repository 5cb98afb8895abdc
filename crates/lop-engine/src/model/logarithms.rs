//! Arithmetic on logarithms of weights and of probabilities.

/// Logarithms of weights stop here. e^−300 is still a normal number, so that nothing that was ever
/// excluded turns into 0 and then into −∞ and NaN.
pub(crate) const LOG_FLOOR: f64 = -300.0;

/// ln(p / (1 − p)).
pub(crate) fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// 1 / (1 + e^−x), accurate for very negative x; the complement is `logistic(-x)`.
pub(crate) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// Subtracts the maximum, and raises smaller values to `floor`.
pub(crate) fn subtract_max(logs: &mut [f64], floor: f64) {
    let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for log in logs {
        *log = (*log - max).max(floor);
    }
}

/// ln Σ e^log, −∞ of nothing.
pub(crate) fn log_sum_exp(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return max;
    }
    max + logs.map(|log| (log - max).exp()).sum::<f64>().ln()
}

/// Normalised weights of logarithms that are only known up to a constant.
pub(crate) fn weights(logs: &[f64]) -> Vec<f64> {
    let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = logs.iter().map(|log| (log - max).max(LOG_FLOOR).exp()).collect();
    let sum: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= sum;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::{logistic, logit, subtract_max, weights};

    #[test]
    fn logistic_inverts_logit_at_both_ends() {
        for p in [1e-12, 0.02, 0.5, 0.995] {
            assert!((logistic(logit(p)) / p - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn weights_survive_huge_differences() {
        let mut logs = [-5000.0, 0.0, -1e300];
        assert_eq!(weights(&logs)[1], 1.0);
        subtract_max(&mut logs, -40.0);
        assert_eq!(logs, [-40.0, 0.0, -40.0]);
    }
}
