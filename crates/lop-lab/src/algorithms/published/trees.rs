//! Ordered decision trees over the symbols of an alphabet: optimal ones, and the paper's two quick
//! ways to nearly optimal ones.
//!
//! Symbols are ordered by the length of their run, so a node of a tree is a range of symbols, which its cut divides in
//! two. One test decides between them: whether the units of the cut's length are removable together.

use super::Trees;

/// A decision tree over symbols 0, 1, …: a cut for every stretch of symbols that is a node.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tree {
    /// Every stretch's best cut, by its first symbol and one past its last.
    Optimal(Vec<Vec<usize>>),
    /// When the stretches below and from each cut were joined. A node's cut is its latest.
    Joined(Vec<usize>),
    /// The weights of the symbols: cuts are looked for when they are asked for.
    Weighed(Vec<f64>),
}

impl Tree {
    /// A tree over `weights`, of a kind that does not take long.
    pub(super) fn new(weights: Vec<f64>, trees: Trees) -> Self {
        match trees {
            Trees::LightestNeighbours => Self::Joined(join_lightest(&weights)),
            Trees::InformationGain => Self::Weighed(weights),
        }
    }

    /// The tree with the smallest expected depth, by a dynamic programme over all stretches of
    /// symbols: O(n³) time, O(n²) space. Of equally good cuts the lowest is taken.
    pub(super) fn optimal(weights: &[f64]) -> Self {
        let n = weights.len();
        let mut cost = vec![vec![0.0_f64; n + 1]; n + 1];
        let mut cuts = vec![vec![0; n + 1]; n + 1];
        for length in 2..=n {
            for from in 0..=n - length {
                let to = from + length;
                let (best, at) = (from + 1..to)
                    .map(|cut| (cost[from][cut] + cost[cut][to], cut))
                    .min_by(|x, y| x.0.total_cmp(&y.0))
                    .expect("two symbols have a cut");
                cost[from][to] = best + weights[from..to].iter().sum::<f64>();
                cuts[from][to] = at;
            }
        }
        Self::Optimal(cuts)
    }

    /// Where the node over the symbols `from..to`, at least two, parts: the first symbol of its upper
    /// branch.
    pub(super) fn cut(&self, from: usize, to: usize) -> usize {
        match self {
            Self::Optimal(cuts) => cuts[from][to],
            Self::Joined(times) => (from + 1..to).max_by_key(|&cut| times[cut]).expect("two symbols have a cut"),
            Self::Weighed(weights) => evenest(weights, from, to),
        }
    }
}

/// Joins the two neighbours that weigh least together, the first such pair, until one node is left.
/// Returns the time of each join, by its cut; there is none below symbol 0.
fn join_lightest(weights: &[f64]) -> Vec<usize> {
    let mut times = vec![0; weights.len()];
    // The weight and the first symbol of each node that has no parent yet.
    let mut nodes: Vec<(f64, usize)> = weights.iter().copied().zip(0..).collect();
    for time in 1..weights.len() {
        let mut lightest = 0;
        for index in 1..nodes.len() - 1 {
            if nodes[index].0 + nodes[index + 1].0 < nodes[lightest].0 + nodes[lightest + 1].0 {
                lightest = index;
            }
        }
        let (weight, cut) = nodes.remove(lightest + 1);
        nodes[lightest].0 += weight;
        times[cut] = time;
    }
    times
}

/// The cut with the largest information gain: H(all) − H(below) − H(above) with entropies weighted by
/// probability is P·h(P(below) / P), which is the larger the more even the parts. The lowest of equal
/// ones.
fn evenest(weights: &[f64], from: usize, to: usize) -> usize {
    let total: f64 = weights[from..to].iter().sum();
    let mut below = 0.0;
    let (mut least, mut at) = (f64::INFINITY, from + 1);
    for cut in from + 1..to {
        below += weights[cut - 1];
        let unevenness = (total - 2.0 * below).abs();
        if unevenness < least {
            (least, at) = (unevenness, cut);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Tree;
    use crate::algorithms::published::Trees;

    /// The expected depth of the node over `from..to`, times its weight.
    fn cost_of(tree: &Tree, weights: &[f64], from: usize, to: usize) -> f64 {
        if to - from < 2 {
            return 0.0;
        }
        let cut = tree.cut(from, to);
        assert!(from < cut && cut < to, "{from} {cut} {to}");
        weights[from..to].iter().sum::<f64>() + cost_of(tree, weights, from, cut) + cost_of(tree, weights, cut, to)
    }

    fn cost(tree: &Tree, weights: &[f64]) -> f64 {
        cost_of(tree, weights, 0, weights.len())
    }

    /// The cost of the best of all trees, each tried.
    fn brute_force(weights: &[f64]) -> f64 {
        if weights.len() < 2 {
            return 0.0;
        }
        let best = (1..weights.len()).map(|cut| brute_force(&weights[..cut]) + brute_force(&weights[cut..]));
        best.fold(f64::INFINITY, f64::min) + weights.iter().sum::<f64>()
    }

    /// An optimal one, one of lightest neighbours, one by information gain.
    fn all(weights: &[f64]) -> [Tree; 3] {
        let of = |trees| Tree::new(weights.to_vec(), trees);
        [Tree::optimal(weights), of(Trees::LightestNeighbours), of(Trees::InformationGain)]
    }

    proptest! {
        #[test]
        fn the_optimal_tree_is_the_best_of_all_trees(
            weights in prop::collection::vec(prop_oneof![0.0..1.0, Just(0.0), Just(0.25)], 1..9)
        ) {
            prop_assert!((cost(&Tree::optimal(&weights), &weights) - brute_force(&weights)).abs() < 1e-9);
        }

        #[test]
        fn no_tree_beats_the_optimal_one_even_with_the_references_negative_weights(
            weights in prop::collection::vec(prop_oneof![0.0..1.0, Just(0.0), -0.5..0.0], 1..40)
        ) {
            let [optimal, joined, weighed] = all(&weights);
            for tree in [&joined, &weighed] {
                prop_assert!(cost(&optimal, &weights) <= cost(tree, &weights) + 1e-9);
            }
        }
    }

    #[test]
    fn joining_the_lightest_neighbours_misses_the_best_tree_of_the_papers_example() {
        let weights = [26.0, 24.0, 24.0, 26.0];
        assert_eq!(all(&weights).map(|tree| cost(&tree, &weights)), [200.0, 222.0, 200.0]);
    }

    #[test]
    fn the_optimal_tree_costs_what_garsia_and_wachs_find() {
        let weights: Vec<f64> = (0..60).map(|k| 0.05 * 0.95_f64.powi(k)).chain([0.95_f64.powi(60)]).collect();
        let expected = lop_engine::tree_cost(&weights);
        assert!((cost(&Tree::optimal(&weights), &weights) - expected).abs() < 1e-12);
    }

    #[test]
    fn information_gain_asks_the_most_even_question_first() {
        assert_eq!(Tree::new(vec![0.1, 0.3, 0.2, 0.4], Trees::InformationGain).cut(0, 4), 2);
        assert_eq!(Tree::new(vec![0.0; 4], Trees::InformationGain).cut(0, 4), 1);
    }
}
