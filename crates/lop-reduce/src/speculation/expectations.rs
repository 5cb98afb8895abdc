//! The search's estimates that candidates are interesting, corrected by its past accuracy.

use std::collections::HashMap;

use lop_run::exec::Key;

/// Number of classes of probabilities.
const STEPS: usize = 5;
/// The share of interesting candidates in each class, as measured on four C and JavaScript files: the search is
/// optimistic if it knows little, because a question about everything is worth its price.
const BEFORE: [f64; STEPS] = [0.10, 0.25, 0.45, 0.48, 0.45];
/// The number of answers that is worth.
const WEIGHT: f64 = 4.0;
/// No expectation is surer than this.
const SUREST: f64 = 0.97;

/// The share of interesting candidates in each pass.
#[derive(Default)]
pub(crate) struct Expectations {
    /// Interesting ones, and all, by the pass and the step of the chance.
    seen: HashMap<(&'static str, usize), (u32, u32)>,
    /// The questions that are open.
    open: HashMap<Key, (&'static str, usize)>,
}

fn step(chance: f64) -> usize {
    ((chance * STEPS as f64) as usize).min(STEPS - 1)
}

impl Expectations {
    /// A candidate of a pass is asked about.
    pub(crate) fn expect(&mut self, key: Key, pass: &'static str, chance: f64) {
        self.open.insert(key, (pass, step(chance)));
    }

    /// It was answered.
    pub(crate) fn learn(&mut self, key: &Key, is_interesting: bool) {
        if let Some(kind) = self.open.remove(key) {
            let (yes, all) = self.seen.entry(kind).or_default();
            *yes += u32::from(is_interesting);
            *all += 1;
        }
    }

    /// Returns the probability from the experience with such candidates. A certain one stays certain.
    pub(crate) fn corrected(&self, pass: &'static str, chance: f64) -> f64 {
        if chance >= 1.0 {
            return SUREST;
        }
        let step = step(chance);
        let (yes, all) = self.seen.get(&(pass, step)).copied().unwrap_or_default();
        let corrected = (f64::from(yes) + WEIGHT * BEFORE[step]) / (f64::from(all) + WEIGHT);
        corrected.clamp(1.0 - SUREST, SUREST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_run::exec::key;

    #[test]
    fn expectations_follow_what_a_pass_has_found() {
        let mut expectations = Expectations::default();
        let first = expectations.corrected("siblings", 0.9);
        for number in 0..20_u8 {
            expectations.expect(key(&[number]), "siblings", 0.9);
            expectations.learn(&key(&[number]), number % 10 == 0);
        }
        let then = expectations.corrected("siblings", 0.9);
        assert!(then < 0.2 && then < first, "{first} became {then}");
        assert_eq!(expectations.corrected("lift", 0.9), first, "other passes learn nothing");
        assert_eq!(expectations.corrected("siblings", 1.0), SUREST);
    }
}
