//! ddmin as it is taught: by complements only.

use super::remaining::{Cut, Remaining};
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// The `DeltaDebuggingReducer` of *The Fuzzing Book* (Zeller, Gopinath, Böhme, Fraser and Holler,
/// chapter "Reducing Failure-Inducing Inputs"): ddmin without its first step. The sweep asks for the
/// remaining units without each of n parts in turn; when one goes, n is one less, at least 2, and the
/// sweep starts again at the first part; when none goes, n is doubled, at most one part a unit.
///
/// A part is len / n units long, a fraction: it reaches from ⌊start⌋ to ⌊start + len / n⌋, and `start`
/// is a sum of floating-point numbers, as in the book; where rounding leaves it a little short of the
/// end, one more part follows. (*The Debugging Book* rounds len / n down first, which gives up to n
/// parts more.) As in the book's `CachingReducer`, a candidate that was judged is not asked for again.
///
/// A sequence of one unit, or of none, costs no test, and one unit always stays: the empty candidate
/// is never asked for. 1-minimal apart from that for any test. One sweep can be judged in parallel.
#[derive(Clone, Copy, Debug)]
pub struct Complement;

impl Algorithm for Complement {
    fn name(&self) -> &'static str {
        "ddmin-complement"
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let mut left = Remaining::new(sizes.len());
        let mut parts = 2;
        while left.len() >= 2 {
            if left.cut_first(&cuts(left.len(), parts), judge)?.is_some() {
                parts = (parts - 1).max(2);
            } else if parts < left.len() {
                parts = (2 * parts).min(left.len());
            } else {
                break;
            }
        }
        Ok(left.into_gone())
    }
}

fn cuts(len: usize, parts: usize) -> Vec<Cut> {
    let part = len as f64 / parts as f64;
    let starts = std::iter::successors(Some(0.0), |start| Some(start + part)).take_while(|&start| start < len as f64);
    starts.map(|start| Cut::Without(start as usize..((start + part) as usize).min(len))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cut, cuts};

    #[test]
    fn fractions_of_units_are_cut_off_at_both_ends() {
        assert_eq!(cuts(5, 2), [Cut::Without(0..2), Cut::Without(2..5)]);
        assert_eq!(cuts(7, 3), [Cut::Without(0..2), Cut::Without(2..4), Cut::Without(4..7)]);
    }

    #[test]
    fn rounding_may_leave_one_part_more() {
        let odd = (2..400).find(|&len| cuts(len, 10.min(len)).len() > 10).expect("sums of tenths are inexact");
        assert_eq!(cuts(odd, 10).last(), Some(&Cut::Without(odd - 1..odd)));
    }

    #[test]
    fn no_part_is_empty_or_everything() {
        for len in 2..200 {
            for parts in 2..=len {
                for cut in cuts(len, parts) {
                    let Cut::Without(range) = cut else { panic!("{cut:?}") };
                    assert!(!range.is_empty() && range.len() < len, "{len} {parts} {range:?}");
                }
            }
        }
    }
}
