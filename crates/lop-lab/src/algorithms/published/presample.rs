//! Presampling: a few random units and their right neighbours are tried before anything else, for a
//! first estimate of the model (paper, "Presampling").

use super::PublishedConfig;
use super::model::Counts;
use super::rest::Rest;
use crate::algorithm::{Judge, Stopped};

/// Samples `config.samples` units, each once. Those that may go do go, and their right neighbours are
/// tried as well.
pub(super) fn presample(
    config: &PublishedConfig,
    rest: &mut Rest,
    counts: &mut Counts,
    judge: &mut dyn Judge,
) -> Result<(), Stopped> {
    let mut chance = SplitMix(config.seed);
    // Units that turned out to be needed, by position.
    let mut needed = Vec::new();
    for _ in 0..config.samples {
        if config.reference {
            reference_sample(rest, counts, judge)?;
            continue;
        }
        // A sample has a right neighbour.
        let left = (0..rest.len().saturating_sub(1)).filter(|&index| !needed.contains(&rest.position(index)));
        let left: Vec<usize> = left.collect();
        if left.is_empty() {
            break;
        }
        let index = left[chance.below(left.len())];
        let removable = judge.is_interesting(&rest.without(index..index + 1))?;
        counts.sampled(removable);
        if !removable {
            needed.push(rest.position(index));
            continue;
        }
        rest.remove(index..index + 1);
        // The neighbour has moved up.
        let removable = judge.is_interesting(&rest.without(index..index + 1))?;
        counts.neighbour_sampled(removable);
        if removable {
            rest.remove(index..index + 1);
        } else {
            needed.push(rest.position(index));
        }
    }
    Ok(())
}

/// A sample of the reference implementation: it looks for a unit that *equals* the random index, and
/// a text has none. So the whole sequence is tried twice.
fn reference_sample(rest: &Rest, counts: &mut Counts, judge: &mut dyn Judge) -> Result<(), Stopped> {
    if rest.len() < 2 {
        return Ok(());
    }
    let removable = judge.is_interesting(&rest.without(0..0))?;
    counts.sampled(removable);
    if removable {
        let removable = judge.is_interesting(&rest.without(0..0))?;
        counts.neighbour_sampled(removable);
    }
    Ok(())
}

/// A generator of numbers: SplitMix64 (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    /// A number below `bound`, which is at least 1. The bias is at most bound / 2⁶⁴.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}
