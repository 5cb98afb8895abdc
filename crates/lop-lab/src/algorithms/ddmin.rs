//! ddmin: delta debugging as its inventors run it.

use std::ops::Range;

use super::remaining::{Cut, Remaining};
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// Minimising delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, TSE 28(2),
/// 2002): cuts the rest into n parts and tests
///
/// 1. each part alone; the first interesting one becomes the rest, and n = 2 again;
/// 2. the rest without each part; the first interesting one becomes the rest, and n is reduced by one, to at least 2;
/// 3. otherwise n is doubled, up to one part per unit; if that is impossible, the algorithm ends.
///
/// The paper doesn't specify the order and the cuts. Here they are as in Zeller's own program (DD.py 1.2 of 2001): in
/// order, with a remainder of the division added to the *last* parts, so that 5 units make 2 and 3; step 2 continues
/// after the removed part, in a circle, and its position is scaled when n is doubled; and a judged candidate isn't
/// tested again. (His shorter ddmin.py of 2005 has no step 1 and starts step 2 at the first part.)
///
/// The source requires that the empty candidate be not interesting, and checks it; here it is never
/// asked for. So one unit always stays, and a sequence of one unit, or of none, costs no test.
/// 1-minimal apart from that for any test. Steps 1 and 2 can each be judged in parallel.
///
/// To *simplify*, it asks once about each unit that is left at the finest parts, and ends: the result is 1-minimal for
/// monotone tests, as that of the other algorithms here.
#[derive(Clone, Copy, Debug)]
pub struct Ddmin {
    name: &'static str,
    simplifies: bool,
}

impl Ddmin {
    /// To 1-minimality.
    pub const MINIMISE: Ddmin = Ddmin { name: "ddmin", simplifies: false };

    /// Each unit at most once.
    pub const SIMPLIFY: Ddmin = Ddmin { name: "ddmin-simplify", simplifies: true };
}

impl Algorithm for Ddmin {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let mut left = Remaining::new(sizes.len());
        let mut parts = 2;
        let mut first = 0;
        while parts <= left.len() {
            if self.simplifies && parts == left.len() {
                simplify(&mut left, judge)?;
                break;
            }
            let split = split(left.len(), parts);
            let alone: Vec<Cut> = split.iter().cloned().map(Cut::Only).collect();
            let without = |i: usize| Cut::Without(split[i % parts].clone());
            if left.cut_first(&alone, judge)?.is_some() {
                parts = 2;
                first = 0;
            } else if let Some(index) =
                left.cut_first(&(first..first + parts).map(without).collect::<Vec<_>>(), judge)?
            {
                first = (first + index) % parts;
                parts = (parts - 1).max(2);
            } else if parts < left.len() {
                let finer = (2 * parts).min(left.len());
                first = first * finer / parts;
                parts = finer;
            } else {
                break;
            }
        }
        Ok(left.into_gone())
    }
}

/// Asks about each unit without the others that could go before it.
fn simplify(left: &mut Remaining, judge: &mut dyn Judge) -> Result<(), Stopped> {
    let mut unit = 0;
    while unit < left.len() && left.len() > 1 {
        let units: Vec<Cut> = (unit..left.len()).map(|unit| Cut::Without(unit..unit + 1)).collect();
        let Some(gone) = left.cut_first(&units, judge)? else { break };
        // The next unit has its place now.
        unit += gone;
    }
    Ok(())
}

/// Cuts `0..len` into `parts` parts, none of them empty while `parts <= len`.
fn split(len: usize, parts: usize) -> Vec<Range<usize>> {
    let mut start = 0;
    (0..parts)
        .map(|part| {
            let end = start + (len - start) / (parts - part);
            std::mem::replace(&mut start, end)..end
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_last_parts_get_the_remainder() {
        assert_eq!(split(5, 2), [0..2, 2..5]);
        assert_eq!(split(11, 4), [0..2, 2..5, 5..8, 8..11]);
        assert_eq!(split(3, 3), [0..1, 1..2, 2..3]);
    }
}
