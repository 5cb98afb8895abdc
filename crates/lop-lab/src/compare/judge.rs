//! The judge of a comparison: answers from memory, and counts all other tests.

use std::collections::HashMap;

use crate::algorithm::{Judge, Stopped};
use lop_engine::{BitSet, Verdict};

use super::subject::Subject;

/// Judges candidates of a subject, and counts. A candidate that was judged before is no test.
pub(super) struct Counting<'a> {
    subject: &'a mut dyn Subject,
    /// Whether the algorithm's first unit is the subject's last.
    backward: bool,
    width: usize,
    known: HashMap<u64, Verdict>,
    /// Distinct candidates judged.
    pub(super) tests: usize,
    /// Rounds in which at least one was.
    pub(super) rounds: usize,
}

impl<'a> Counting<'a> {
    /// Judges at most `width` candidates at once. That the whole list is interesting is known, and
    /// with `empty_is_known`, that without any unit it is not.
    pub(super) fn new(subject: &'a mut dyn Subject, backward: bool, width: usize, empty_is_known: bool) -> Self {
        let len = subject.sizes().len();
        let mut known = HashMap::new();
        if empty_is_known {
            let mut all = BitSet::with_capacity(len);
            all.insert_range(0..len);
            known.insert(subject.key(&all), Verdict::NotInteresting);
        }
        known.insert(subject.key(&BitSet::with_capacity(len)), Verdict::Interesting);
        Counting { subject, backward, width, known, tests: 0, rounds: 0 }
    }

    /// The units' sizes as the algorithm sees them.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let sizes = self.subject.sizes().iter().copied();
        if self.backward { sizes.rev().collect() } else { sizes.collect() }
    }

    /// A candidate as the subject sees it.
    fn turned(&self, candidate: &BitSet) -> BitSet {
        if !self.backward {
            return candidate.clone();
        }
        let mut turned = BitSet::with_capacity(candidate.len());
        for position in candidate.ones() {
            turned.insert(candidate.len() - 1 - position);
        }
        turned
    }
}

impl Judge for Counting<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        assert!(candidates.len() <= self.width, "{} candidates in a round of {}", candidates.len(), self.width);
        let candidates: Vec<BitSet> = candidates.iter().map(|candidate| self.turned(candidate)).collect();
        let keys: Vec<u64> = candidates.iter().map(|candidate| self.subject.key(candidate)).collect();
        let (mut new_keys, mut new) = (Vec::new(), Vec::new());
        for (key, candidate) in keys.iter().zip(candidates) {
            if !self.known.contains_key(key) && !new_keys.contains(key) {
                new_keys.push(*key);
                new.push(candidate);
            }
        }
        if !new.is_empty() {
            let verdicts = self.subject.judge(&new)?;
            self.tests += new.len();
            self.rounds += 1;
            self.known.extend(new_keys.into_iter().zip(verdicts));
        }
        Ok(keys.iter().map(|key| self.known[key]).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithm::Judge;
    use lop_engine::{BitSet, Verdict};

    use super::Counting;
    use crate::simulate::Simulated;

    fn gone(len: usize, units: &[usize]) -> BitSet {
        let mut gone = BitSet::with_capacity(len);
        units.iter().for_each(|&unit| {
            gone.insert(unit);
        });
        gone
    }

    #[test]
    fn a_candidate_is_one_test_however_often_it_is_asked_about() {
        let mut list = Simulated::monotone(vec![true, false, false, false]);
        let mut judge = Counting::new(&mut list, false, 3, false);
        let (first, second) = (gone(4, &[0]), gone(4, &[1, 2]));
        let verdicts = judge.round(&[first.clone(), second.clone(), first.clone()]).expect("it answers");
        assert_eq!(verdicts, [Verdict::NotInteresting, Verdict::Interesting, Verdict::NotInteresting]);
        assert_eq!((judge.tests, judge.rounds), (2, 1));
        judge.round(&[second, first]).expect("it answers");
        assert_eq!((judge.tests, judge.rounds), (2, 1), "a round of known answers is none");
        judge.round(&[gone(4, &[3])]).expect("it answers");
        assert_eq!((judge.tests, judge.rounds), (3, 2));
    }

    #[test]
    fn the_whole_list_is_known_and_the_empty_one_where_it_is_said_to_be() {
        let mut list = Simulated::monotone(vec![false; 3]);
        let all = gone(3, &[0, 1, 2]);
        for (empty_is_known, verdict, tests) in [(true, Verdict::NotInteresting, 0), (false, Verdict::Interesting, 1)] {
            let mut judge = Counting::new(&mut list, false, 1, empty_is_known);
            assert_eq!(judge.is_interesting(&gone(3, &[])), Ok(true));
            assert_eq!(judge.round(std::slice::from_ref(&all)).expect("it answers"), [verdict]);
            assert_eq!(judge.tests, tests);
        }
    }

    #[test]
    fn backward_the_first_unit_is_the_last_of_the_list() {
        let mut list = Simulated::monotone(vec![true, false, false]);
        let mut judge = Counting::new(&mut list, true, 1, false);
        assert_eq!(judge.is_interesting(&gone(3, &[0, 1])), Ok(true));
        assert_eq!(judge.is_interesting(&gone(3, &[2])), Ok(false));
    }
}
