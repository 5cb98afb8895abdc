//! ProbDD: probabilistic delta debugging.

use std::collections::BTreeSet;

use super::chooser::{Chooser, run};
use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;

/// Probabilistic delta debugging (Wang, Shen, Chen, Xiong and Zhang, *Probabilistic Delta Debugging*,
/// ESEC/FSE 2021). Every unit has a probability p of being needed, p₀ at the start. Tried next is the
/// removal of the units with the lowest probabilities, as many of them as maximise the expected gain
/// s · ∏(1 − p) over their number s. Refused, each of them gets p / (1 − ∏(1 − p)); a unit that was
/// refused alone gets 1. The end is reached when every unit left has probability 1.
///
/// Where the paper is silent: of equal probabilities the first position comes first, as in the
/// authors' C++ program and in Perses; of equal gains the larger set is taken, as in all of them; and a
/// candidate that was judged is not asked for again, as in the authors' two programs. Where a program
/// goes beyond the paper it is not followed. The authors' Python one keeps, among equal probabilities,
/// the order in which they were sorted before, and computes the factor of a refusal anew from
/// probabilities it has already raised. Their C++ one takes a unit for needed when it is all that is
/// left of a set refused before, and computes in single precision. It and Perses leave units with
/// p ≥ 0.8 without asking for them.
///
/// The empty candidate is asked for when it is chosen, so of a single unit it is; no units, no test.
/// 1-minimal for monotone tests only, as nothing is asked for again once it has probability 1. With
/// several workers the sets that follow if all before them are refused are judged in advance.
#[derive(Clone, Copy, Debug)]
pub struct ProbDd {
    name: &'static str,
    initial: f64,
}

impl ProbDd {
    /// With p₀ = `initial`.
    ///
    /// # Panics
    /// When `initial` is not between 0 and 1.
    pub fn new(name: &'static str, initial: f64) -> Self {
        assert!(initial > 0.0 && initial < 1.0, "{initial} is not between 0 and 1");
        Self { name, initial }
    }
}

impl Algorithm for ProbDd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        run(Belief::new(sizes.len(), self.initial), sizes.len(), judge)
    }
}

/// The probabilities of the units that are not decided.
#[derive(Clone)]
struct Belief {
    probabilities: Vec<f64>,
    /// By probability, then by position. The bits of numbers that are not negative are in their order.
    undecided: BTreeSet<(u64, usize)>,
}

impl Belief {
    fn new(len: usize, initial: f64) -> Self {
        let undecided = (0..len).map(|unit| (initial.to_bits(), unit)).collect();
        Self { probabilities: vec![initial; len], undecided }
    }

    fn decide(&mut self, unit: usize) {
        self.undecided.remove(&(self.probabilities[unit].to_bits(), unit));
    }
}

impl Chooser for Belief {
    fn choose(&self) -> Option<Vec<usize>> {
        let mut set = Vec::new();
        let mut all_removable = 1.0;
        let mut best = 0.0;
        for &(_, unit) in &self.undecided {
            all_removable *= 1.0 - self.probabilities[unit];
            let gain = all_removable * (set.len() + 1) as f64;
            if gain < best {
                break;
            }
            best = gain;
            set.push(unit);
        }
        (!set.is_empty()).then_some(set)
    }

    fn refuse(&mut self, set: &[usize]) {
        let all_removable: f64 = set.iter().map(|&unit| 1.0 - self.probabilities[unit]).product();
        for &unit in set {
            self.decide(unit);
            let probability = self.probabilities[unit] / (1.0 - all_removable);
            // It can only be rounded up to certainty by a set with another unit of nearly no probability, but even then
            // the algorithm must end.
            if set.len() > 1 && probability < 1.0 {
                self.probabilities[unit] = probability;
                self.undecided.insert((probability.to_bits(), unit));
            }
        }
    }

    fn remove(&mut self, set: &[usize]) {
        for &unit in set {
            self.decide(unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Belief, Chooser};

    #[test]
    fn the_first_sets_are_those_of_the_greatest_gain() {
        let mut belief = Belief::new(40, 0.1);
        // 9 · 0.9⁹ = 10 · 0.9¹⁰, and the larger set is taken.
        assert_eq!(belief.choose(), Some((0..10).collect()));
        belief.refuse(&(0..10).collect::<Vec<_>>());
        let raised = 0.1 / (1.0 - 0.9_f64.powi(10));
        assert!((belief.probabilities[9] - raised).abs() < 1e-12);
        assert_eq!(belief.choose(), Some((10..20).collect()));
    }

    #[test]
    fn a_unit_refused_alone_is_decided() {
        let mut belief = Belief::new(1, 0.25);
        belief.refuse(&[0]);
        assert_eq!(belief.choose(), None);
    }
}
