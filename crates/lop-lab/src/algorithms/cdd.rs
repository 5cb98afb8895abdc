//! CDD: delta debugging by counters.

use std::collections::BTreeSet;

use super::chooser::{Chooser, run};
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// P₀, the probability of the first round.
const INITIAL: f64 = 0.1;

/// Gains that differ by less are taken for equal, as in Perses.
const SAME_GAIN: f64 = 1e-6;

/// Counter-based delta debugging (Zhang, Xu, Tian, Cheng and Sun, *Toward a Better Understanding of
/// Probabilistic Delta Debugging*, ICSE 2025), which shows that in ProbDD a unit's probability is
/// little more than a count of the refused sets it was in. So every unit has a counter r, 0 at the
/// start, that stands for the probability p = p₀ / (1 − 1/e)^r with p₀ = 0.1. Tried next is the removal
/// of the first s units with the lowest counters, where s maximises s · (1 − p)^s for the lowest
/// counter: 10, 6, 3, 2 and then 1. Refused, the counters of all of them go up; a unit that was
/// refused alone is needed.
///
/// As in the implementation of the paper's authors in Perses: of equal counters the first position
/// comes first; where a round's last set is too short it is filled up with units of the next round; of
/// equal gains the larger set is taken. (The artefact of the paper rounds every size down from the one
/// before, 9, 5, 3 and 1, and first of all asks for the empty candidate.)
///
/// The empty candidate is asked for when it is chosen, so of a single unit it is, but never twice; no
/// units, no test. 1-minimal for monotone tests only. With several workers the sets that follow if all
/// before them are refused are judged in advance.
#[derive(Clone, Copy, Debug)]
pub struct Cdd;

impl Algorithm for Cdd {
    fn name(&self) -> &'static str {
        "cdd"
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        run(Counters::new(sizes.len()), sizes.len(), judge)
    }
}

/// The counters of the units that are not decided.
#[derive(Clone)]
struct Counters {
    counters: Vec<u32>,
    /// By counter, then by position.
    undecided: BTreeSet<(u32, usize)>,
    /// How many units are left, decided or not.
    left: usize,
}

impl Counters {
    fn new(len: usize) -> Self {
        Self { counters: vec![0; len], undecided: (0..len).map(|unit| (0, unit)).collect(), left: len }
    }
}

impl Chooser for Counters {
    fn choose(&self) -> Option<Vec<usize>> {
        let &(lowest, _) = self.undecided.first()?;
        Some(self.undecided.iter().take(set_size(lowest, self.left)).map(|&(_, unit)| unit).collect())
    }

    fn refuse(&mut self, set: &[usize]) {
        for &unit in set {
            self.undecided.remove(&(self.counters[unit], unit));
            if set.len() > 1 {
                self.counters[unit] += 1;
                self.undecided.insert((self.counters[unit], unit));
            }
        }
    }

    fn remove(&mut self, set: &[usize]) {
        self.left -= set.len();
        for &unit in set {
            self.undecided.remove(&(self.counters[unit], unit));
        }
    }
}

/// The number of units, at most `left`, with the greatest expected gain if each is needed with the probability for
/// `counter`.
fn set_size(counter: u32, left: usize) -> usize {
    let mut probability = INITIAL;
    for _ in 0..counter {
        probability /= 1.0 - (-1.0_f64).exp();
    }
    let mut best = (1, 0.0);
    for size in 1..=left {
        let gain = size as f64 * (1.0 - probability).powf(size as f64);
        if gain > best.1 + SAME_GAIN {
            best = (size, gain);
        } else if (gain - best.1).abs() <= SAME_GAIN {
            best.0 = size;
        } else {
            break;
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::set_size;

    #[test]
    fn sizes_fall_by_the_counter_and_are_bounded_by_what_is_left() {
        let sizes: Vec<usize> = (0..8).map(|counter| set_size(counter, 500)).collect();
        assert_eq!(sizes, [10, 6, 3, 2, 1, 1, 1, 1]);
        assert_eq!(set_size(0, 4), 4);
    }
}
