//! The naive sweep: one unit at a time.

use super::also_without;
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// One pass from the first unit to the last; a unit is removed if the candidate without it, and without earlier removed
/// ones, is interesting.
///
/// It is the usual first reducer, and has no other source. It takes as many tests as there are units,
/// needed or not. The result is 1-minimal for monotone tests only: with others, a unit that was
/// needed when its turn came may be removable now, and the pass does not ask again.
///
/// It tests the empty candidate if everything but the last unit is removed, and so also for a single unit. The rest of
/// the pass can be judged at once, as if nothing of it were removable.
#[derive(Clone, Copy, Debug)]
pub struct Naive;

impl Algorithm for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let len = sizes.len();
        let mut gone = BitSet::with_capacity(len);
        let mut next = 0;
        while let Some(kept) = judge.first_interesting(len - next, &mut |i| also_without(&gone, [next + i]))? {
            gone.insert(next + kept);
            next += kept + 1;
        }
        Ok(gone)
    }
}
