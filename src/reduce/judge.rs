//! Any algorithm over one sequence in the place of lop's own search: its candidates become texts,
//! and what it finds becomes the best result.

use std::rc::Rc;

use crate::engine::{Algorithm, BitSet, Judge, Stopped, Verdict};

use super::current::{Candidate, Current, Pending};
use super::halt::Halt;
use super::ordered::{Ordered, Row, Until};
use super::positions::Positions;
use super::session::Session;

/// Drives an algorithm over a sequence to its end, and returns what is gone then.
pub(super) fn reduce(
    algorithm: &dyn Algorithm,
    session: &mut Session<'_, '_>,
    positions: Positions<'_>,
) -> (BitSet, Result<(), Halt>) {
    let (best, from) = (session.best().len(), Rc::clone(session.current().pending()));
    let gone = BitSet::new(positions.len());
    let mut judge = SessionJudge { session, state: State { from, positions, gone, best }, halt: None };
    // Of the lists of a tree many can go as a whole.
    let all_gone = takes_for_granted_that_something_stays(algorithm) && judge.all_may_go() == Ok(true);
    if !all_gone {
        // What counts is what was accepted. An algorithm ends there, or at something larger.
        let _ = algorithm.reduce(&positions.sizes(), &mut judge);
    }
    let SessionJudge { state: State { gone, .. }, halt, .. } = judge;
    (gone, halt.map_or(Ok(()), Err))
}

/// Whether an algorithm is made for sequences of which not everything can go, and leaves it to others
/// to find that out: ddmin does, and asks nothing about a single unit.
fn takes_for_granted_that_something_stays(algorithm: &dyn Algorithm) -> bool {
    struct Nobody;
    impl Judge for Nobody {
        fn width(&self) -> usize {
            1
        }
        fn round(&mut self, _: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
            Err(Stopped)
        }
    }
    algorithm.reduce(&[1], &mut Nobody).is_ok()
}

/// Answers an algorithm from the session: cache, gate and tests.
struct SessionJudge<'j, 's, 'g> {
    session: &'j mut Session<'s, 'g>,
    state: State<'j>,
    /// Why there are no more answers.
    halt: Option<Halt>,
}

struct State<'j> {
    /// What was pending when it began: its candidates are not made from one another.
    from: Rc<Pending>,
    positions: Positions<'j>,
    /// What is gone in the best result.
    gone: BitSet,
    /// Bytes of the best result.
    best: usize,
}

impl SessionJudge<'_, '_, '_> {
    fn all_may_go(&mut self) -> Result<bool, Stopped> {
        let mut all = BitSet::new(self.state.positions.len());
        all.insert_range(0..all.len());
        self.is_interesting(&all)
    }

    fn ask(
        &mut self,
        count: usize,
        candidate: &mut dyn FnMut(usize) -> BitSet,
        until: Until,
    ) -> Result<(Option<usize>, Vec<Option<Verdict>>), Stopped> {
        if self.halt.is_some() {
            return Err(Stopped);
        }
        let mut row = Sets { state: &mut self.state, count, candidate };
        let mut ordered = Ordered::new(&mut row, until);
        match self.session.pursue(&mut ordered) {
            Ok(()) => Ok((ordered.first(), ordered.into_verdicts())),
            Err(halt) => {
                self.halt = Some(halt);
                Err(Stopped)
            }
        }
    }
}

impl Judge for SessionJudge<'_, '_, '_> {
    fn width(&self) -> usize {
        self.session.slots()
    }

    fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        let (_, verdicts) = self.ask(candidates.len(), &mut |at| candidates[at].clone(), Until::End)?;
        Ok(verdicts.into_iter().map(|verdict| verdict.expect("asked to the end")).collect())
    }

    /// Without waiting for a whole round: a worker that is free takes the next candidate.
    fn first_interesting(
        &mut self,
        count: usize,
        candidate: &mut dyn FnMut(usize) -> BitSet,
    ) -> Result<Option<usize>, Stopped> {
        let (first, _) = self.ask(count, candidate, Until::First)?;
        Ok(first)
    }
}

/// The row of an algorithm's candidates.
struct Sets<'r, 'j> {
    state: &'r mut State<'j>,
    count: usize,
    candidate: &'r mut dyn FnMut(usize) -> BitSet,
}

impl Row for Sets<'_, '_> {
    type Item = BitSet;

    fn len(&self) -> usize {
        self.count
    }

    fn make(&mut self, at: usize, current: &Current<'_>) -> (BitSet, Candidate) {
        let set = (self.candidate)(at);
        let State { from, positions, gone, .. } = &*self.state;
        let units = || (0..set.len()).filter(|&at| set.contains(at)).map(|at| (at, positions.unit(at)));
        let cleared = units().all(|(at, unit)| unit.cleared || gone.contains(at));
        let candidate = current.candidate_from(from, units().map(|(_, unit)| &unit.removal), cleared);
        (set, candidate)
    }

    /// An interesting candidate in which more is gone than in the best result is where the algorithm
    /// goes on, or it could. One in which something else is gone is a side track: it is taken when it
    /// is shorter.
    fn takes(&mut self, set: &BitSet, candidate: &Candidate) -> bool {
        let state = &mut *self.state;
        let more = set.count() > state.gone.count()
            && (0..set.len()).all(|position| set.contains(position) || !state.gone.contains(position));
        let takes = more || candidate.text.len() < state.best;
        if takes {
            state.gone = set.clone();
            state.best = candidate.text.len();
        }
        takes
    }

    fn describe(&self, set: &BitSet) -> String {
        self.state.positions.describe(set.count().saturating_sub(self.state.gone.count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Inline;
    use crate::oracle::Cancel;
    use crate::passes::{Removal, Sequence, Unit};
    use crate::reduce::{Ended, Options, Silent, Size};
    use crate::syntax::Edit;

    /// Asks some rounds of candidates, and says at the end that some units are gone.
    struct Asks {
        rounds: Vec<Vec<&'static [usize]>>,
        says: &'static [usize],
    }

    fn set(len: usize, positions: &[usize]) -> BitSet {
        let mut set = BitSet::new(len);
        positions.iter().for_each(|&position| assert!(set.insert(position)));
        set
    }

    impl Algorithm for Asks {
        fn name(&self) -> &'static str {
            "asks"
        }

        fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
            let within = |positions: &[usize]| {
                let there: Vec<usize> = positions.iter().copied().filter(|&at| at < sizes.len()).collect();
                set(sizes.len(), &there)
            };
            let mut result = Ok(within(self.says));
            for round in &self.rounds {
                let round: Vec<BitSet> = round.iter().map(|positions| within(positions)).collect();
                // It goes on asking when there are no more answers.
                result = judge.round(&round).map(|_| within(self.says));
            }
            result
        }
    }

    /// What an algorithm comes to on the characters of a text: what is gone, the best result, the tests and how it
    /// ended.
    fn reduced(
        algorithm: &dyn Algorithm,
        text: &[u8],
        options: &Options,
        slots: usize,
        test: impl Fn(&[u8]) -> bool,
    ) -> (Vec<usize>, String, u64, Option<Ended>) {
        let mut executor = Inline::new(
            |candidate: &[u8]| {
                if test(candidate) { Verdict::Interesting } else { Verdict::NotInteresting }
            },
        )
        .with_slots(slots);
        let cancel = Cancel::new();
        let mut sink = Silent;
        let mut session = Session::new(text.into(), Size::default(), None, &mut executor, &mut sink, &cancel, options);
        let unit = |at| Unit { removal: Removal::Edits(vec![Edit::delete_raw(at..at + 1)]), tokens: 1, cleared: true };
        let sequence = Sequence::of(0, (0..text.len()).map(unit).collect());
        let order: Vec<u32> = (0..).take(text.len()).collect();
        let (gone, result) = reduce(algorithm, &mut session, Positions::new(&sequence, &order));
        let best = String::from_utf8_lossy(session.best()).into_owned();
        let made = session.current().candidate(std::iter::empty(), true).text;
        assert_eq!(String::from_utf8_lossy(&made), best, "the pending edits make the best result");
        let ended = match result {
            Ok(()) => None,
            Err(Halt::Ended(ended)) => Some(ended),
            Err(halt) => panic!("{halt:?}"),
        };
        ((0..gone.len()).filter(|&at| gone.contains(at)).collect(), best, session.statistics.counts.total(), ended)
    }

    /// Each answer is believed, so that only the algorithm's own questions are counted.
    fn believing() -> Options {
        Options { confirm: Some(1), ..Options::default() }
    }

    #[test]
    fn what_was_accepted_counts_and_not_what_the_algorithm_says() {
        let asks = Asks { rounds: vec![vec![&[0], &[1, 2], &[3]], vec![&[0, 4]]], says: &[0, 1, 2, 3, 4] };
        for slots in [1, 3] {
            let (gone, best, tests, ended) = reduced(&asks, b"abcdef", &believing(), slots, |_| true);
            // First without `a`; then a shorter one; the others are neither shorter nor less of the same.
            assert_eq!((gone, best.as_str(), tests, ended), (vec![1, 2], "adef", 4, None));
        }
    }

    #[test]
    fn the_way_of_the_algorithm_is_followed() {
        let asks = Asks { rounds: vec![vec![&[0]], vec![&[0, 1], &[0, 1, 2]], vec![&[0, 1, 5]]], says: &[0, 1, 5] };
        let needs_c = |candidate: &[u8]| candidate.contains(&b'c');
        let (gone, best, tests, _) = reduced(&asks, b"abcdef", &believing(), 1, needs_c);
        assert_eq!((gone, best.as_str(), tests), (vec![0, 1, 5], "cde", 4));
    }

    #[test]
    fn what_nobody_judged_is_not_gone() {
        let says = Asks { rounds: Vec::new(), says: &[0, 1] };
        let (gone, best, tests, _) = reduced(&says, b"ab", &believing(), 1, |candidate| !candidate.is_empty());
        assert_eq!(
            (gone, best.as_str(), tests),
            (vec![], "ab", 1),
            "it asks nothing, so the driver asks for nothing left"
        );
        let (gone, best, tests, _) = reduced(&says, b"ab", &believing(), 1, |_| true);
        assert_eq!((gone, best.as_str(), tests), (vec![0, 1], "", 1));
    }

    #[test]
    fn a_limit_stops_an_algorithm_and_what_was_found_stays() {
        let asks = Asks { rounds: vec![vec![&[0]], vec![&[0, 1]], vec![&[0, 1, 2]], vec![&[3]]], says: &[] };
        let options = Options { max_tests: Some(2), ..believing() };
        let (gone, best, tests, ended) = reduced(&asks, b"abcdef", &options, 1, |_| true);
        assert_eq!((gone, best.as_str(), tests, ended), (vec![0, 1], "cdef", 2, Some(Ended::Budget)));
    }

    #[test]
    fn the_same_candidate_is_tested_once() {
        let asks = Asks { rounds: vec![vec![&[0]], vec![&[0], &[1]], vec![&[0]]], says: &[] };
        let (_, _, tests, _) = reduced(&asks, b"ab", &believing(), 2, |candidate| candidate == b"ab");
        assert_eq!(tests, 2);
    }
}
