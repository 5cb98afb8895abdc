//! Candidates asked in order up to the first that is interesting.

use std::collections::BTreeMap;

use crate::engine::Verdict;

use super::current::{Candidate, Current};
use super::interrupt::Interrupt;
use super::question_source::QuestionSource;
use super::session::Session;

/// A row of candidates as a source of questions. Its outcome does not depend on the number of workers: answers are used in
/// the order of the row. Candidates behind the first interesting one may be asked in vain, and change nothing.
struct Ordered<'w, F> {
    what: &'w str,
    /// The chance that one of them is interesting.
    chance: f64,
    /// Makes a candidate of the current state.
    make: F,
    /// Those that were made and are not dealt with.
    made: BTreeMap<usize, Candidate>,
    verdicts: Vec<Option<Verdict>>,
    /// All before this one are dealt with.
    front: usize,
    /// From this one on none is wanted.
    end: usize,
    /// The first interesting one.
    first: Option<usize>,
}

/// Asks about `count` candidates in their order, makes the first that is interesting the best result, and says which that
/// is. `what` they are is for people; each of them is expected to be interesting with this chance.
pub(super) fn first_interesting(
    session: &mut Session<'_, '_>,
    count: usize,
    what: &str,
    chance: f64,
    make: impl FnMut(usize, &Current<'_>) -> Candidate,
) -> Result<Option<usize>, Interrupt> {
    let mut ordered = Ordered::new(count, what, chance, make);
    session.pursue(&mut ordered)?;
    Ok(ordered.first)
}

impl<'w, F: FnMut(usize, &Current<'_>) -> Candidate> Ordered<'w, F> {
    fn new(count: usize, what: &'w str, chance: f64, make: F) -> Self {
        let (made, verdicts) = (BTreeMap::new(), vec![None; count]);
        Ordered { what, chance, make, made, verdicts, front: 0, end: count, first: None }
    }
}

impl<F: FnMut(usize, &Current<'_>) -> Candidate> QuestionSource for Ordered<'_, F> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        let open = (self.front..self.end).filter(|&at| self.verdicts[at].is_none());
        open.take(most).map(|at| at as u64).collect()
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        let at = index(question);
        self.made.entry(at).or_insert_with(|| (self.make)(at, current)).clone()
    }

    fn wants(&self, question: u64) -> bool {
        let at = index(question);
        at < self.end && self.verdicts[at].is_none()
    }

    fn may_accept(&self, question: u64) -> bool {
        index(question) >= self.front && self.first.is_none()
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        let at = index(question);
        self.verdicts[at] = Some(verdict);
        if verdict == Verdict::Interesting {
            self.end = self.end.min(at);
        }
        // Answers that have none missing before them are dealt with.
        while self.first.is_none()
            && let Some(&Some(verdict)) = self.verdicts.get(self.front)
        {
            let at = self.front;
            self.front += 1;
            self.made.remove(&at);
            if verdict == Verdict::Interesting {
                self.first = Some(at);
                return Some(at as u64);
            }
        }
        None
    }

    fn chance(&self, _: u64) -> f64 {
        self.chance
    }

    fn describe(&self, _: u64) -> String {
        self.what.to_owned()
    }
}

fn index(question: u64) -> usize {
    usize::try_from(question).expect("a position in the row")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::size::Size;

    /// The next questions, with their candidates made.
    fn ask<F: FnMut(usize, &Current<'_>) -> Candidate>(ordered: &mut Ordered<'_, F>, most: usize) -> Vec<u64> {
        let current = Current::new([].into(), Size::default(), Vec::new());
        let questions = ordered.questions(most);
        questions.iter().for_each(|&question| drop(ordered.candidate(question, &current)));
        questions
    }

    #[test]
    fn the_first_in_the_row_counts_and_not_the_first_to_be_answered() {
        let mut made = Vec::new();
        let mut ordered = Ordered::new(9, "a number", 0.5, |at, current: &Current<'_>| {
            made.push(at);
            current.candidate(std::iter::empty(), true)
        });
        assert_eq!(ask(&mut ordered, 4), [0, 1, 2, 3]);
        assert_eq!(ordered.describe(3), "a number");
        assert_eq!(ordered.observe(2, Verdict::Interesting), None, "one before it may be, too");
        assert!(ordered.may_accept(2) && ordered.wants(1) && !ordered.wants(3));
        assert_eq!(ordered.questions(4), [0, 1], "nothing behind it is needed");
        assert_eq!(ordered.observe(0, Verdict::NotInteresting), None);
        assert_eq!(ordered.observe(1, Verdict::Interesting), Some(1));
        assert!(ordered.questions(4).is_empty() && !ordered.wants(3) && !ordered.may_accept(2));
        assert_eq!(ordered.observe(3, Verdict::Interesting), None, "too late");
        assert_eq!(ordered.first, Some(1));
        drop(ordered);
        assert_eq!(made, [0, 1, 2, 3]);
    }

    #[test]
    fn a_row_of_nothing_asks_nothing() {
        let mut ordered =
            Ordered::new(0, "nothing", 0.5, |_, current: &Current<'_>| current.candidate(std::iter::empty(), true));
        assert!(ordered.questions(3).is_empty());
        assert_eq!(ordered.first, None);
    }
}
