//! The fewest tests that could have been enough, to report efficiency against.

/// Binary entropy in bits.
pub(crate) fn binary_entropy(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return 0.0;
    }
    -p * p.log2() - (1.0 - p) * (1.0 - p).log2()
}

/// The smallest t ≥ max(kept, entropy) with t·h(max(½, kept/t)) ≥ entropy.
///
/// Each of the `kept` units needs a refusal of its own, and the `entropy` bits must be distinguished by outcomes, at
/// least `kept` of which are refusals. Proved for monotone tests and known parameters.
pub fn lower_bound(kept: f64, entropy: f64) -> f64 {
    let least = kept.max(entropy).max(0.0);
    let told = |t: f64| t * binary_entropy((kept / t).max(0.5));
    if least == 0.0 || told(least) >= entropy {
        return least;
    }
    // From 2·kept on the share of refusals no longer binds, and t answers tell t bits.
    let (mut low, mut high) = (least, (2.0 * kept).max(entropy));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if told(middle) >= entropy {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::lower_bound;

    #[test]
    fn few_kept_units_leave_the_entropy_as_the_bound() {
        assert_eq!(lower_bound(3.0, 20.0), 20.0);
        assert_eq!(lower_bound(0.0, 0.0), 0.0);
        assert_eq!(lower_bound(10.0, 0.0), 10.0);
    }

    #[test]
    fn mostly_refusals_cost_more_than_either_term() {
        let bound = lower_bound(90.0, 80.0);
        assert!(bound > 90.0 && bound < 180.0, "{bound}");
        let share: f64 = 90.0 / bound;
        let told = bound * (-share * share.log2() - (1.0 - share) * (1.0 - share).log2());
        assert!((told - 80.0).abs() < 1e-6);
    }
}
