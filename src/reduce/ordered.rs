//! Candidates asked in order, as many at a time as there are workers.

use std::collections::BTreeMap;

use crate::engine::Verdict;

use super::current::{Candidate, Current};
use super::halt::Halt;
use super::question_source::QuestionSource;
use super::session::Session;

/// A row of candidates, made one by one when it is their turn.
pub(super) trait Row {
    /// What is known of a candidate besides its text.
    type Item;
    /// How many there are.
    fn len(&self) -> usize;
    /// Makes one of the current state.
    fn make(&mut self, at: usize, current: &Current<'_>) -> (Self::Item, Candidate);
    /// Whether an interesting one becomes the best result. Asked in the order of the row.
    fn takes(&mut self, item: &Self::Item, candidate: &Candidate) -> bool;
    /// What it is, for people.
    fn describe(&self, item: &Self::Item) -> String;
}

/// How far a row is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// To the first that is interesting. Those behind it may be asked in vain, and change nothing.
    First,
    /// To the end.
    End,
}

/// A row as a source of questions. Its outcome does not depend on the number of workers: answers are used
/// in the order of the row.
pub(super) struct Ordered<'r, R: Row> {
    row: &'r mut R,
    until: Until,
    /// Those that were made and are not dealt with.
    made: BTreeMap<usize, (R::Item, Candidate)>,
    verdicts: Vec<Option<Verdict>>,
    /// All before this one are dealt with.
    front: usize,
    /// From this one on none is wanted.
    end: usize,
    /// The first interesting one.
    first: Option<usize>,
}

/// Asks about so many candidates in their order, makes the first that is interesting the best result, and says which that
/// is. `what` they are is for people.
pub(super) fn first_interesting(
    session: &mut Session<'_, '_>,
    count: usize,
    what: &str,
    make: impl FnMut(usize, &Current<'_>) -> Candidate,
) -> Result<Option<usize>, Halt> {
    let mut row = Alternatives { count, what, make };
    let mut ordered = Ordered::new(&mut row, Until::First);
    session.pursue(&mut ordered)?;
    Ok(ordered.first())
}

/// A row of which any interesting one is taken.
struct Alternatives<'w, F> {
    count: usize,
    what: &'w str,
    make: F,
}

impl<F: FnMut(usize, &Current<'_>) -> Candidate> Row for Alternatives<'_, F> {
    type Item = ();

    fn len(&self) -> usize {
        self.count
    }

    fn make(&mut self, at: usize, current: &Current<'_>) -> ((), Candidate) {
        ((), (self.make)(at, current))
    }

    fn takes(&mut self, (): &(), _: &Candidate) -> bool {
        true
    }

    fn describe(&self, (): &()) -> String {
        self.what.to_owned()
    }
}

impl<'r, R: Row> Ordered<'r, R> {
    pub(super) fn new(row: &'r mut R, until: Until) -> Self {
        let end = row.len();
        Ordered { row, until, made: BTreeMap::new(), verdicts: vec![None; end], front: 0, end, first: None }
    }

    /// The first interesting one.
    pub(super) fn first(&self) -> Option<usize> {
        self.first
    }

    /// The answers; all are there when it was pursued to the end of the row.
    pub(super) fn into_verdicts(self) -> Vec<Option<Verdict>> {
        self.verdicts
    }

    /// Deals with the answers that have none missing before them. The last that was taken.
    fn advance(&mut self) -> Option<usize> {
        let mut taken = None;
        while (self.until == Until::End || self.first.is_none())
            && let Some(&Some(verdict)) = self.verdicts.get(self.front)
        {
            let at = self.front;
            self.front += 1;
            let (item, candidate) = self.made.remove(&at).expect("it was made before it was asked");
            if verdict != Verdict::Interesting {
                continue;
            }
            self.first.get_or_insert(at);
            if self.row.takes(&item, &candidate) {
                taken = Some(at);
            }
        }
        taken
    }
}

impl<R: Row> QuestionSource for Ordered<'_, R> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        let open = (self.front..self.end).filter(|&at| self.verdicts[at].is_none());
        open.take(most).map(|at| at as u64).collect()
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        let at = index(question);
        let (_, candidate) = self.made.entry(at).or_insert_with(|| self.row.make(at, current));
        candidate.clone()
    }

    fn wants(&self, question: u64) -> bool {
        let at = index(question);
        at < self.end && self.verdicts[at].is_none()
    }

    fn may_accept(&self, question: u64) -> bool {
        let at = index(question);
        at >= self.front && (self.until == Until::End || self.first.is_none())
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        let at = index(question);
        self.verdicts[at] = Some(verdict);
        if self.until == Until::First && verdict == Verdict::Interesting {
            self.end = self.end.min(at);
        }
        self.advance().map(|at| at as u64)
    }

    fn describe(&self, question: u64) -> String {
        self.made.get(&index(question)).map_or_else(String::new, |(item, _)| self.row.describe(item))
    }
}

fn index(question: u64) -> usize {
    usize::try_from(question).expect("a position in the row")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::size::Size;

    /// Candidates with numbers; those in `refused` are not taken.
    struct Numbers {
        len: usize,
        made: Vec<usize>,
        taken: Vec<usize>,
        refused: Vec<usize>,
    }

    impl Numbers {
        fn new(len: usize) -> Self {
            Numbers { len, made: Vec::new(), taken: Vec::new(), refused: Vec::new() }
        }
    }

    impl Row for Numbers {
        type Item = usize;

        fn len(&self) -> usize {
            self.len
        }

        fn make(&mut self, at: usize, current: &Current<'_>) -> (usize, Candidate) {
            self.made.push(at);
            (at, current.candidate(std::iter::empty(), true))
        }

        fn takes(&mut self, item: &usize, _: &Candidate) -> bool {
            self.taken.push(*item);
            !self.refused.contains(item)
        }

        fn describe(&self, item: &usize) -> String {
            format!("number {item}")
        }
    }

    /// The next questions, with their candidates made.
    fn ask(ordered: &mut Ordered<'_, Numbers>, most: usize) -> Vec<u64> {
        let current = Current::new([].into(), Size::default(), Vec::new());
        let questions = ordered.questions(most);
        questions.iter().for_each(|&question| drop(ordered.candidate(question, &current)));
        questions
    }

    #[test]
    fn the_first_in_the_row_counts_and_not_the_first_to_be_answered() {
        let mut numbers = Numbers::new(9);
        let mut ordered = Ordered::new(&mut numbers, Until::First);
        assert_eq!(ask(&mut ordered, 4), [0, 1, 2, 3]);
        assert_eq!(ordered.describe(3), "number 3");
        assert_eq!(ordered.observe(2, Verdict::Interesting), None, "one before it may be, too");
        assert!(ordered.may_accept(2) && ordered.wants(1) && !ordered.wants(3));
        assert_eq!(ordered.questions(4), [0, 1], "nothing behind it is needed");
        assert_eq!(ordered.observe(0, Verdict::NotInteresting), None);
        assert_eq!(ordered.observe(1, Verdict::Interesting), Some(1));
        assert!(ordered.questions(4).is_empty() && !ordered.wants(3) && !ordered.may_accept(2));
        assert_eq!(ordered.observe(3, Verdict::Interesting), None, "too late");
        assert_eq!(ordered.first(), Some(1));
        assert_eq!((numbers.made, numbers.taken), (vec![0, 1, 2, 3], vec![1]));
    }

    #[test]
    fn a_whole_row_is_answered_and_taken_in_its_order() {
        let mut numbers = Numbers::new(4);
        numbers.refused = vec![3];
        let mut ordered = Ordered::new(&mut numbers, Until::End);
        assert_eq!(ask(&mut ordered, 9), [0, 1, 2, 3]);
        assert_eq!(ordered.observe(3, Verdict::Interesting), None);
        assert_eq!(ordered.observe(1, Verdict::Interesting), None);
        assert_eq!(ordered.observe(0, Verdict::Timeout), Some(1));
        assert_eq!(ordered.questions(9), [2]);
        assert_eq!(ordered.observe(2, Verdict::Interesting), Some(2), "the last one is not taken");
        assert!(ordered.questions(9).is_empty());
        assert_eq!(ordered.first(), Some(1));
        let verdicts = ordered.into_verdicts();
        assert_eq!(verdicts[..2], [Some(Verdict::Timeout), Some(Verdict::Interesting)]);
        assert_eq!(numbers.taken, [1, 2, 3]);
    }

    #[test]
    fn a_row_of_nothing_asks_nothing() {
        let mut numbers = Numbers::new(0);
        let mut ordered = Ordered::new(&mut numbers, Until::First);
        assert!(ordered.questions(3).is_empty());
        assert_eq!(ordered.first(), None);
    }
}
