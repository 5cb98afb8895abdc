//! Which length to ask about next: the root of an optimal alphabetic tree (Gilbert–Moore,
//! Hu–Tucker) over the possible lengths, found by the Garsia–Wachs algorithm.
//!
//! Subtrees of an optimal tree are optimal for the conditional distribution, and conditioning on an
//! answer is cutting the interval. So only the root is ever computed, and no tree is stored.

use crate::model::weak_evidence::Masses;

/// More possible lengths than this are grouped before the tree is built.
const MAX_LEAVES: usize = 64;

/// The depth of each leaf in an optimal alphabetic tree over `weights`, by Garsia–Wachs.
///
/// The working sequence is kept so that each weight is smaller than its second neighbour to the
/// left; both parities are therefore sorted, the place of a new node is found by bisection, and the
/// comparisons are O(n log n). Negative weights and NaN do not occur: masses are clamped before.
pub(crate) fn depths(weights: &[f64]) -> Vec<u32> {
    let leaves = weights.len();
    if leaves < 2 {
        return vec![0; leaves];
    }
    let mut forest = Forest { stack: Vec::with_capacity(leaves), children: Vec::with_capacity(leaves - 1), leaves };
    for (leaf, &weight) in weights.iter().enumerate() {
        while let [.., (left, _), _] = forest.stack[..]
            && left <= weight
        {
            forest.combine(forest.stack.len() - 1);
        }
        forest.stack.push((weight, leaf));
    }
    while forest.stack.len() > 1 {
        forest.combine(forest.stack.len() - 1);
    }
    let mut depth = vec![0_u32; leaves + forest.children.len()];
    // A parent is made after its children, so going backwards meets it first.
    for (index, &(left, right)) in forest.children.iter().enumerate().rev() {
        let below = depth[leaves + index] + 1;
        depth[left] = below;
        depth[right] = below;
    }
    depth.truncate(leaves);
    depth
}

/// The nodes of Garsia–Wachs' first phase that have no parent yet.
struct Forest {
    /// (weight, node), in sequence order.
    stack: Vec<(f64, usize)>,
    /// The children of node `leaves + index`.
    children: Vec<(usize, usize)>,
    leaves: usize,
}

impl Forest {
    /// Joins the nodes at `at − 1` and `at`, moves the new one left until a node is at least as heavy, and continues if
    /// that makes a new minimal pair.
    fn combine(&mut self, at: usize) {
        let mut at = at;
        // Distances from the end of the places that still have to be looked at, innermost last: the
        // textbook's recursion as a list, since it can go as deep as the sequence is long.
        let mut pending: Vec<usize> = Vec::new();
        loop {
            let (right, left) = (self.stack[at], self.stack[at - 1]);
            let weight = left.0 + right.0;
            let node = self.leaves + self.children.len();
            self.children.push((left.1, right.1));
            self.stack.remove(at);
            let place = self.place(at - 1, weight);
            // The nodes between move one to the right, over the removed left node.
            self.stack[place..at].rotate_right(1);
            self.stack[place] = (weight, node);
            pending.push(self.stack.len() - place);
            loop {
                let Some(&from_end) = pending.last() else {
                    return;
                };
                let place = self.stack.len() - from_end;
                if place >= 2 && self.stack[place - 2].0 <= self.stack[place].0 {
                    at = place - 1;
                    break;
                }
                pending.pop();
            }
        }
    }

    /// One past the last position below `end` whose weight is at least `weight`.
    fn place(&self, end: usize, weight: f64) -> usize {
        let search = |parity: usize| {
            // Positions parity, parity + 2, … below `end` have descending weights.
            let (mut low, mut high) = (0, (end + 1).saturating_sub(parity) / 2);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.stack[2 * middle + parity].0 >= weight {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if low == 0 { 0 } else { 2 * (low - 1) + parity + 1 }
        };
        search(0).max(search(1))
    }
}

/// Σ weight · depth of an optimal tree: the expected number of questions, times the total weight.
pub fn cost(weights: &[f64]) -> f64 {
    weights.iter().zip(depths(weights)).map(|(weight, depth)| weight * f64::from(depth)).sum()
}

/// The number of leaves to the left of the root of an optimal tree over at least two weights.
///
/// Leaves are put on a stack in order and equal depths joined, as the second phase of Garsia–Wachs
/// rebuilds the tree; the root's left subtree is complete when a node of depth 1 lies at the bottom.
pub(crate) fn root_split(weights: &[f64]) -> usize {
    let mut stack: Vec<u32> = Vec::new();
    for (index, depth) in depths(weights).into_iter().enumerate() {
        let mut depth = depth;
        while stack.last() == Some(&depth) {
            stack.pop();
            depth -= 1;
        }
        stack.push(depth);
        if stack == [1] {
            return index + 1;
        }
    }
    unreachable!("a tree over at least two leaves has a left subtree")
}

/// The length m in (lo, hi) to ask about so that the length is known after the fewest questions, and
/// the probability of yes, when the length is known to be in lo..hi. `tail` begins at lo; with `open`
/// the last length means "hi − 1 or more".
pub(crate) fn choose(tail: &impl Masses, lo: usize, hi: usize, open: bool) -> (usize, f64) {
    debug_assert!(hi - lo >= 2, "one possible length needs no question");
    let last = if open { tail.at_least(hi - 1) } else { (tail.below(hi) - tail.below(hi - 1)).max(0.0) };
    let cuts = cuts(tail, lo, hi);
    let total = cuts.last().map_or(0.0, |&(_, mass)| mass) + last;
    if total <= 0.0 {
        // The model excludes these outcomes: halve, and learn from the result.
        return (lo + (hi - lo) / 2, 0.5);
    }
    let mut below = 0.0;
    let mut weights = Vec::with_capacity(cuts.len() + 1);
    for &(_, mass) in &cuts {
        weights.push((mass - below).max(0.0));
        below = mass;
    }
    weights.push(last);
    let (m, mass) = cuts[root_split(&weights) - 1];
    (m, ((total - mass) / total).clamp(0.0, 1.0))
}

/// The expected number of questions that tell the length in 0..=cap, `tail` beginning at 0 and cap
/// meaning "cap or more"; groups of lengths count as if they were uniform inside.
pub(crate) fn expected_depth(tail: &impl Masses, cap: usize) -> f64 {
    let cuts = cuts(tail, 0, cap + 1);
    let (mut from, mut below, mut inside) = (0, 0.0, 0.0);
    let mut weights = Vec::with_capacity(cuts.len() + 1);
    for (m, mass) in cuts {
        let weight = (mass - below).max(0.0);
        inside += weight * ((m - from) as f64).log2();
        weights.push(weight);
        (from, below) = (m, mass);
    }
    weights.push(tail.at_least(cap));
    cost(&weights) + inside
}

/// The cuts between (groups of) lengths, each with the mass below it. The last is always hi − 1, as
/// "everything to the end" is the one length that is worth a question of its own.
fn cuts(tail: &impl Masses, lo: usize, hi: usize) -> Vec<(usize, f64)> {
    if hi - lo <= MAX_LEAVES {
        return (lo + 1..hi).map(|m| (m, tail.below(m))).collect();
    }
    let groups = MAX_LEAVES - 1;
    let end = (hi - 1, tail.below(hi - 1));
    let mut cuts = Vec::with_capacity(groups);
    let mut previous = lo;
    let mut below = 0.0;
    let mut stride = 1;
    for left in (2..=groups).rev() {
        // An equal share of the rest, so that one heavy length doesn't use up several groups.
        let target = below + (end.1 - below) / left as f64;
        let Some(cut) = quantile(tail, target, previous, hi - 1, stride) else {
            break;
        };
        stride = cut.0 - previous;
        (previous, below) = cut;
        cuts.push(cut);
    }
    cuts.push(end);
    cuts
}

/// The first m in (after, end) with mass `target` below it; gallops with `stride` and bisects, as
/// neighbouring quantiles are about equally far apart.
fn quantile(tail: &impl Masses, target: f64, after: usize, end: usize, stride: usize) -> Option<(usize, f64)> {
    let mut low = after;
    let mut step = stride;
    let mut found;
    loop {
        let m = (low + step).min(end - 1);
        if m <= low {
            return None;
        }
        found = (m, tail.below(m));
        if found.1 >= target {
            break;
        }
        low = m;
        step *= 2;
    }
    while found.0 - low > 1 {
        let middle = low + (found.0 - low) / 2;
        let mass = tail.below(middle);
        if mass >= target {
            found = (middle, mass);
        } else {
            low = middle;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{cost, depths, root_split};

    /// Knuth's O(n²) dynamic programme for the cheapest alphabetic tree.
    fn knuth(weights: &[f64]) -> f64 {
        let n = weights.len();
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(weights.iter().scan(0.0, |sum, w| {
                *sum += w;
                Some(*sum)
            }))
            .collect();
        let mut cost = vec![vec![0.0_f64; n + 1]; n + 1];
        let mut root = vec![vec![0; n + 1]; n + 1];
        for i in 0..n {
            root[i][i + 1] = i + 1;
        }
        for length in 2..=n {
            for i in 0..=n - length {
                let j = i + length;
                let (low, high) = (root[i][j - 1].max(i + 1), root[i + 1][j].min(j - 1));
                let (best, at) = (low..=high.max(low))
                    .map(|m| (cost[i][m] + cost[m][j], m))
                    .min_by(|x, y| x.0.total_cmp(&y.0))
                    .expect("there is a split");
                cost[i][j] = best + sums[j] - sums[i];
                root[i][j] = at;
            }
        }
        cost[0][n]
    }

    /// The cost of the tree that `root_split` builds when it is asked again for each half, as the
    /// search does.
    fn cost_of_repeated_splits(weights: &[f64]) -> f64 {
        if weights.len() < 2 {
            return 0.0;
        }
        let (left, right) = weights.split_at(root_split(weights));
        weights.iter().sum::<f64>() + cost_of_repeated_splits(left) + cost_of_repeated_splits(right)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn garsia_wachs_costs_what_the_dynamic_programme_costs(
            weights in prop::collection::vec(prop_oneof![0.0..1.0, Just(0.0), Just(0.25), 0.0..1e-6], 1..40)
        ) {
            prop_assert!((cost(&weights) - knuth(&weights)).abs() < 1e-9);
        }

        #[test]
        fn splitting_again_and_again_gives_an_optimal_tree(
            weights in prop::collection::vec((0_u32..30).prop_map(f64::from), 2..40)
        ) {
            prop_assert_eq!(cost_of_repeated_splits(&weights), knuth(&weights));
        }

        #[test]
        fn depths_fill_a_binary_tree(weights in prop::collection::vec(0.0..1.0, 2..50)) {
            let kraft: f64 = depths(&weights).iter().map(|&d| 0.5_f64.powf(f64::from(d))).sum();
            prop_assert!((kraft - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_optimum_is_not_merging_the_lightest_neighbours() {
        assert_eq!(cost(&[26.0, 24.0, 24.0, 26.0]), 200.0);
    }

    #[test]
    fn expected_depths_of_known_distributions() {
        let geometric = |a: f64| -> Vec<f64> {
            let mut weights: Vec<f64> = (0..1000).map(|k| (1.0 - a) * a.powi(k)).collect();
            weights.push(a.powi(1000));
            weights
        };
        let harmonic: Vec<f64> =
            (0..1000).map(|m| 1.0 / f64::from(m + 1) - 1.0 / f64::from(m + 2)).chain([1.0 / 1001.0]).collect();
        let expected =
            [(geometric(0.5), 2.0000), (geometric(0.9), 4.7251), (geometric(0.99), 8.1047), (harmonic, 2.9685)];
        for (weights, depth) in expected {
            let cost = cost(&weights);
            assert!((cost - depth).abs() < 5e-5, "{cost} for {depth}");
        }
    }

    #[test]
    fn long_descending_and_ascending_lists_are_no_trap() {
        let ascending: Vec<f64> = (0..20_000).map(|i| f64::from(i) + 1.0).collect();
        let descending: Vec<f64> = ascending.iter().rev().copied().collect();
        assert!((cost(&ascending) / cost(&descending) - 1.0).abs() < 1e-12);
    }
}
