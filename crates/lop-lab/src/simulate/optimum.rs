//! The number of tests that the best possible sweep takes when the parameters of the source are known. Searches that have
//! to learn the parameters are measured against it.

use lop_engine::{Markov, tree_cost as cost};

/// Runs that are less probable than this change no figure.
const NEGLIGIBLE: f64 = 1e-13;

/// The exact expected number of tests of the best policy that decides `n` units of a Markov chain
/// from one end to the other, run by run, and knows the chain's parameters. That no unit is needed is
/// a possible outcome like any other.
///
/// Backward over the number of remaining units: an optimal alphabetic tree over the lengths of the next run, plus the
/// tests of the rest after the needed unit that ended it. O(l² log l + n·l) with l the [`longest_run`]: 25 ms for l =
/// 500, five seconds for l = 5,000.
pub fn optimum(n: usize, chain: Markov) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let longest = longest_run(n, chain);
    let mut after_needed = vec![0.0; n + 1];
    let mut tree = 0.0;
    for left in 1..n {
        let weights = masses(chain, chain.b, left.min(longest));
        // Beyond the longest run there are no further lengths, and so no other tree.
        if left <= longest {
            tree = cost(&weights);
        }
        after_needed[left] = tree + rest(&weights, left, &after_needed);
    }
    let weights = masses(chain, chain.share(), longest);
    cost(&weights) + rest(&weights, n, &after_needed)
}

/// The length of the longest run of removable units in `n` units of the chain; the probability of longer ones is
/// negligible.
pub fn longest_run(n: usize, chain: Markov) -> usize {
    let length = NEGLIGIBLE.ln() / chain.a.ln();
    if chain.a < 1.0 && length < n as f64 { (length.ceil() as usize).max(1) } else { n }
}

/// Expected tests after the run, when `left` units were left before it.
fn rest(weights: &[f64], left: usize, after_needed: &[f64]) -> f64 {
    let ended = &weights[..weights.len() - 1];
    ended.iter().enumerate().map(|(k, weight)| weight * after_needed[left - k - 1]).sum()
}

/// P(the run of removable units is k long), for k in `0..=most`; the last means `most` and more.
fn masses(chain: Markov, first: f64, most: usize) -> Vec<f64> {
    let mut weights = vec![1.0 - first];
    let mut survival = first;
    for _ in 1..most {
        weights.push(survival * (1.0 - chain.a));
        survival *= chain.a;
    }
    weights.push(survival);
    weights
}

#[cfg(test)]
mod tests {
    use lop_engine::{Markov, lower_bound};

    use super::{longest_run, optimum};
    use crate::simulate::oracles::OPTIMA;

    #[test]
    fn exact_optimum_with_known_parameters() {
        for (share, a, expected) in OPTIMA {
            let got = optimum(500, Markov::from_share(share, a));
            assert!((got - expected).abs() < 6e-4, "{share} {a}: {got} for {expected}");
        }
    }

    #[test]
    fn one_fair_unit_takes_one_test_and_none_takes_none() {
        let coin = Markov { a: 0.5, b: 0.5 };
        assert_eq!((optimum(0, coin), optimum(1, coin)), (0.0, 1.0));
        assert!((optimum(7, coin) - 7.0).abs() < 1e-12);
    }

    #[test]
    fn runs_that_do_not_occur_change_nothing() {
        let chain = Markov::from_share(0.5, 0.75);
        assert_eq!((longest_run(500, chain), longest_run(50, chain)), (105, 50));
        // From some length on each unit adds the same: 455.471 for 500.
        let step = optimum(501, chain) - optimum(500, chain);
        assert!((optimum(1500, chain) - optimum(500, chain) - 1000.0 * step).abs() < 1e-6);
    }

    #[test]
    fn the_optimum_is_not_below_the_bound() {
        for (share, a) in [(0.5, 0.75), (0.9, 0.95), (0.99, 0.999), (0.2, 0.3)] {
            let chain = Markov::from_share(share, a);
            let bound = lower_bound(500.0 * (1.0 - share), chain.entropy(500));
            let optimum = optimum(500, chain);
            assert!(optimum >= bound && optimum < 1.4 * bound, "{share} {a}: {optimum} {bound}");
        }
    }
}
