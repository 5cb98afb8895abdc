//! ddrmin: delta debugging by recursion over halves.

use std::ops::Range;

use super::also_without;
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// The recursive form (Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, algorithm dd):
/// of a range, with everything around it kept, test the first half alone, then the second alone, and continue with the
/// interesting one. If neither is (the paper's *interference*), both halves contain something needed: continue with the
/// first while the second is kept, then with the second.
///
/// The paper continues with the second half while *all* of the first is kept. So its two results together were never
/// judged, and with a test that needs one of two units both would be removed. Here, as in the form published as
/// `ddrmin` (Gopinath, *Delta Debugging*, 2019), only the rest of the first half is kept, so the result was judged
/// interesting. With a monotone test in which every needed unit is needed independently, the result and the number of
/// tests are the same.
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

/// Removes the removable units of `range`, none of which is removed yet. Halving limits the depth.
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
