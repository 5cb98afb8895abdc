//! Tries candidates in order until one is interesting.

use lop_engine::Verdict;

use super::current::{Candidate, Current};
use super::interrupt::Interrupt;
use super::question_source::QuestionSource;
use super::session::Session;

/// A row of candidates as a source of questions, one after the other.
struct Ordered<'w, F> {
    what: &'w str,
    /// The chance that one of them is interesting.
    chance: f64,
    /// Makes a candidate of the current state.
    make: F,
    count: u64,
    /// The one that is asked about.
    at: u64,
    is_found: bool,
}

/// Tests `count` candidates in their order, makes the first interesting one the best result, and returns its index.
/// `what` describes them for people; each is expected to be interesting with this probability.
pub(super) fn first_interesting(
    session: &mut Session<'_, '_>,
    count: usize,
    what: &str,
    chance: f64,
    make: impl FnMut(usize, &Current<'_>) -> Candidate,
) -> Result<Option<usize>, Interrupt> {
    let mut ordered = Ordered { what, chance, make, count: count as u64, at: 0, is_found: false };
    session.pursue(&mut ordered)?;
    Ok(ordered.is_found.then(|| index(ordered.at)))
}

impl<F: FnMut(usize, &Current<'_>) -> Candidate> QuestionSource for Ordered<'_, F> {
    fn questions(&mut self, _: usize) -> Vec<u64> {
        Vec::from_iter((self.at < self.count && !self.is_found).then_some(self.at))
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        (self.make)(index(question), current)
    }

    fn wants(&self, question: u64) -> bool {
        self.at == question && !self.is_found
    }

    fn may_accept(&self, _: u64) -> bool {
        false
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        self.is_found = verdict == Verdict::Interesting;
        self.at += u64::from(!self.is_found);
        self.is_found.then_some(question)
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
    use crate::size::Size;

    #[test]
    fn the_first_in_the_row_counts() {
        let current = Current::new([].into(), Size::default(), Vec::new());
        let mut made = Vec::new();
        let make = |at, current: &Current<'_>| {
            made.push(at);
            current.candidate(std::iter::empty(), true)
        };
        let mut ordered = Ordered { what: "a number", chance: 0.5, make, count: 9, at: 0, is_found: false };
        for verdict in [Verdict::NotInteresting, Verdict::Timeout, Verdict::Interesting] {
            let [question] = ordered.questions(4)[..] else { panic!("one is asked about at a time") };
            ordered.candidate(question, &current);
            assert!(ordered.wants(question) && !ordered.wants(question + 1));
            let accepted = ordered.observe(question, verdict);
            assert_eq!(accepted, (verdict == Verdict::Interesting).then_some(question));
        }
        assert!(ordered.questions(4).is_empty() && !ordered.wants(2) && !ordered.wants(3));
        assert_eq!(ordered.describe(2), "a number");
        assert_eq!(made, [0, 1, 2]);
    }

    #[test]
    fn a_row_of_nothing_asks_nothing() {
        let make = |_, current: &Current<'_>| current.candidate(std::iter::empty(), true);
        let mut ordered = Ordered { what: "nothing", chance: 0.5, make, count: 0, at: 0, is_found: false };
        assert!(ordered.questions(3).is_empty() && !ordered.is_found);
    }
}
