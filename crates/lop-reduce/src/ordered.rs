//! Tries candidates in order until one is interesting.

use lop_engine::Verdict;

use super::current::{Candidate, Current};
use super::interrupt::Interrupt;
use super::question_source::{QuestionSource, SourceState};
use super::session::Session;

/// A row of candidates as a source of questions, one after the other.
struct Ordered<'w, F> {
    what: &'w str,
    /// The chance that one of them is interesting.
    chance: f64,
    /// Makes a candidate of the current state.
    make: F,
    count: usize,
    /// The one that is asked about.
    at: usize,
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
    let mut ordered = Ordered { what, chance, make, count, at: 0, is_found: false };
    session.pursue(&mut ordered)?;
    Ok(ordered.is_found.then_some(ordered.at))
}

impl<F: FnMut(usize, &Current<'_>) -> Candidate> QuestionSource for Ordered<'_, F> {
    fn ask(&mut self) -> bool {
        self.at < self.count && !self.is_found
    }

    fn candidate(&mut self, current: &Current<'_>) -> Candidate {
        (self.make)(self.at, current)
    }

    fn observe(&mut self, verdict: Verdict) {
        self.is_found = verdict == Verdict::Interesting;
        self.at += usize::from(!self.is_found);
    }

    fn chance(&self) -> f64 {
        self.chance
    }

    fn state(&self) -> SourceState {
        Box::new((self.what.to_owned(), self.count, self.at, self.is_found))
    }

    fn take_over(&mut self, state: &SourceState) -> bool {
        let is_same = |(what, count, ..): &&(String, usize, usize, bool)| *what == self.what && *count == self.count;
        let state = state.downcast_ref().filter(is_same);
        state.map(|&(_, _, at, is_found)| (self.at, self.is_found) = (at, is_found)).is_some()
    }

    fn describe(&self) -> String {
        self.what.to_owned()
    }
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
            assert!(ordered.ask() && ordered.ask(), "until it is answered");
            ordered.candidate(&current);
            ordered.observe(verdict);
        }
        assert!(!ordered.ask() && ordered.is_found);
        assert_eq!((ordered.at, &*ordered.describe()), (2, "a number"));
        assert_eq!(made, [0, 1, 2]);
    }

    #[test]
    fn a_row_of_nothing_asks_nothing() {
        let make = |_, current: &Current<'_>| current.candidate(std::iter::empty(), true);
        let mut ordered = Ordered { what: "nothing", chance: 0.5, make, count: 0, at: 0, is_found: false };
        assert!(!ordered.ask() && !ordered.is_found);
    }
}
