//! ddrmin: delta debugging by recursion over halves.

use std::ops::Range;

use super::also_without;
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// The recursive form (Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE
/// 1999, algorithm dd): of a range, with everything around it kept, ask for the first half alone,
/// then for the second alone; go on with the one that is interesting. When neither is (the paper's
/// *interference*), both halves hold something needed: go on with the first while the second is
/// kept, then with the second.
///
/// The paper goes on with the second half while *all* of the first is kept. Its two results together
/// were then never judged, and with a test that can do with one of two units both would go. Here,
/// as in the form published as `ddrmin` (Gopinath, *Delta Debugging*, 2019), only what was left of the
/// first half is kept, so the result was judged interesting. With a monotone test of which every
/// needed unit is needed for itself the result is the same, and so is the number of tests.
///
/// It relies on the empty candidate not being interesting and never asks for it: one unit of a range
/// always stays, and a sequence of one unit, or of none (which the sources do not provide for), costs
/// no test. 1-minimal for monotone tests only. The two halves of a range can be judged in parallel,
/// so a third worker has nothing to do.
#[derive(Clone, Copy, Debug)]
pub struct Ddrmin;

impl Algorithm for Ddrmin {
    fn name(&self) -> &'static str {
        "ddrmin"
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let mut gone = BitSet::with_capacity(sizes.len());
        narrow(0..sizes.len(), &mut gone, judge)?;
        Ok(gone)
    }
}

/// Removes from `range`, of which nothing is gone, what can go. Halving bounds the depth.
fn narrow(mut range: Range<usize>, gone: &mut BitSet, judge: &mut dyn Judge) -> Result<(), Stopped> {
    while range.len() > 1 {
        let middle = range.start + range.len() / 2;
        let halves = [range.start..middle, middle..range.end];
        match judge.first_interesting(2, &mut |alone| also_without(gone, halves[1 - alone].clone()))? {
            Some(alone) => {
                gone.insert_range(halves[1 - alone].clone());
                range = halves[alone].clone();
            }
            None => {
                narrow(halves[0].clone(), gone, judge)?;
                range = halves[1].clone();
            }
        }
    }
    Ok(())
}
