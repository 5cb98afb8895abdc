//! Adaptive consumption: the sequence is read off from left to right, one symbol at a time, and each
//! symbol improves the model for the next (paper, "Adaptive Consumption").

use super::PublishedConfig;
use super::model::{Before, Counts};
use super::rest::Rest;
use super::trees::Tree;
use crate::algorithm::{Judge, Stopped};

/// Reads all remaining symbols. Returns the position of the last removal: the kept units from that index on were needed
/// after it, and those before it may have become removable. `None` if nothing was removed.
pub(super) fn consume(
    config: &PublishedConfig,
    rest: &mut Rest,
    counts: &mut Counts,
    judge: &mut dyn Judge,
) -> Result<Option<usize>, Stopped> {
    let mut before = Before::Unknown;
    let mut at = 0;
    let mut last_removal = None;
    while at < rest.len() {
        let left = rest.len() - at;
        let chain = counts.chain(config.reference);
        let weights = chain.alphabet(before, limit(left, config.longest), config.threshold);
        let symbols = weights.len();
        let few = if config.reference { left } else { symbols };
        let tree = if few <= config.optimal_up_to { Tree::optimal(&weights) } else { Tree::new(weights, config.trees) };
        // The symbol is one of these; each has the length of its run as its index.
        let (mut run, mut end) = (0, symbols);
        while end - run > 1 {
            let cut = tree.cut(run, end);
            if judge.is_interesting(&rest.without(at..at + cut))? {
                run = cut;
            } else {
                end = cut;
            }
        }
        // Only the last symbol is open; every other one was distinguished from the next by a no.
        let ended = run + 1 < symbols;
        if run > 0 {
            rest.remove(at..at + run);
            last_removal = Some(at);
        }
        counts.read(before, run, ended);
        at += usize::from(ended);
        before = if ended { Before::Needed } else { Before::Removable };
    }
    Ok(last_removal)
}

/// The longest symbol when `left` units are left: all of them, or an even share that is not longer than
/// `longest`.
fn limit(left: usize, longest: usize) -> usize {
    left.div_ceil(left.div_ceil(longest.max(1)))
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn long_rests_are_shared_out_evenly() {
        assert_eq!([1, 999, 1000].map(|left| limit(left, 1000)), [1, 999, 1000]);
        assert_eq!([1001, 1647, 2001].map(|left| limit(left, 1000)), [501, 824, 667]);
        assert_eq!(limit(7, 0), 1);
    }
}
