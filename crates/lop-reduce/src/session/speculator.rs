//! The speculative tests of a session, running or finished.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::rehearsal::{BranchQueue, Checkpoint, Known, SpeculativeRun};
use lop_run::exec::{Key, Ticket};
use lop_run::oracle::Outcome;

use super::expectation::Expectations;

/// Number of questions to find per worker: the search won't ask some of them.
const PER_WORKER: usize = 2;
/// Rehearsals take at most one of this number of seconds that tests take.
const SHARE: u32 = 4;
/// Behind each answer they take at most one of this number of seconds that a test takes on average.
const OF_A_TEST: u32 = 2;
/// They may take so long all the same.
const SHORT: Duration = Duration::from_millis(10);

/// The speculation of a session.
pub(super) enum Speculation<'a> {
    Sees(Box<Speculator<'a>>),
    /// The session is the copy in a speculative run.
    Rehearses(SpeculativeRun<'a>, Rc<RefCell<Expectations>>),
}

/// The running tests, and the likely questions.
#[derive(Default)]
pub(super) struct Speculator<'a> {
    pub(super) mark: Option<Checkpoint<'a>>,
    known: Known,
    pub(super) running: BTreeMap<Ticket, RunningTest>,
    /// The tests that have ended and whose questions were not asked yet.
    pub(super) ended: HashMap<Key, Vec<Ended>>,
    /// The bytes of the smallest text of these that shows another failure, by the failure.
    smallest: HashMap<String, usize>,
    /// Outcomes for questions that were asked.
    pub(super) ready: VecDeque<(Ticket, Key, Outcome)>,
    /// The branches since the last checkpoint; `None` if the search has taken another path.
    pub(super) branches: Option<BranchQueue<'a>>,
    /// Whether an answer has arrived since the last speculative run.
    is_due: bool,
    /// The end of the time for speculation; `None` if everything is found.
    until: Option<Instant>,
    /// A text that may be asked about this number of times in the end.
    pub(super) idle_runs: Option<(Arc<[u8]>, usize)>,
    pub(super) expectations: Rc<RefCell<Expectations>>,
    /// Numbers of answered questions, of started tests and of finished tests, their time, and the time of the
    /// speculative runs.
    pub(super) answered: usize,
    begun: usize,
    tests: u32,
    tested: Duration,
    pub(super) spent: Duration,
}

/// A test that has ended before its question was asked.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) bytes: usize,
    /// Its text, if it shows another failure, and no smaller one did so before it.
    pub(super) slipped: Option<Arc<[u8]>>,
}

/// A test that runs.
pub(super) struct RunningTest {
    pub(super) key: Key,
    pub(super) text: Arc<[u8]>,
    pub(super) stage: Stage,
}

/// The certainty that the question of a test will be asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It is not likely any more, and the test is cancelled.
    Left,
    /// Its question may be asked.
    Early,
    /// Its question will be asked.
    Sure,
    PendingQuestion,
}

impl Speculator<'_> {
    /// The workers for the current questions.
    pub(super) fn asked(&self) -> usize {
        self.running.values().filter(|run| run.stage > Stage::Early).count()
    }

    /// Whether a test on a text is running and still needed.
    pub(super) fn runs(&self, key: &Key) -> bool {
        self.running.values().any(|run| run.key == *key && run.stage != Stage::Left)
    }

    /// A test begins.
    pub(super) fn begin(&mut self, ticket: Ticket, run: RunningTest) {
        self.begun += 1;
        self.running.insert(ticket, run);
    }

    /// The number of tests that may start if `spend` may start for each needed one. A cancelled test counts.
    pub(super) fn affordable(&self, spend: f64) -> usize {
        let needed = self.answered + self.asked();
        ((spend * needed as f64) as usize).saturating_sub(self.begun)
    }

    /// Has a test of the last ones go whose questions may not be asked.
    pub(super) fn leave_one(&mut self) -> Option<Ticket> {
        let (ticket, run) = self.running.iter_mut().rev().find(|(_, run)| run.stage == Stage::Early)?;
        run.stage = Stage::Left;
        Some(*ticket)
    }

    /// The test of a question that is asked now, if it runs.
    pub(super) fn adopt(&mut self, key: Key) -> Option<Ticket> {
        let is_open = |run: &RunningTest| run.key == key && matches!(run.stage, Stage::Early | Stage::Sure);
        let (ticket, run) = self.running.iter_mut().find(|(_, run)| is_open(run))?;
        run.stage = Stage::PendingQuestion;
        Some(*ticket)
    }

    /// Whether a test on a text that may be asked about has ended or is running.
    pub(super) fn has_runs(&self, key: &Key) -> bool {
        let is_open = |run: &RunningTest| run.key == *key && matches!(run.stage, Stage::Early | Stage::Sure);
        self.ended.contains_key(key) || self.running.values().any(is_open)
    }

    /// Has the tests on a text go.
    pub(super) fn leave_runs(&mut self, key: &Key) -> Vec<Ticket> {
        let is_open = |run: &RunningTest| run.key == *key && matches!(run.stage, Stage::Early | Stage::Sure);
        let open = self.running.iter_mut().filter(|(_, run)| is_open(run));
        let leave = |(ticket, run): (&Ticket, &mut RunningTest)| {
            run.stage = Stage::Left;
            *ticket
        };
        open.map(leave).collect()
    }

    /// Has the tests go whose questions are not among the wanted ones.
    pub(super) fn leave_others(&mut self, wanted: &[Key]) -> Vec<Ticket> {
        let others = self.running.iter_mut().filter(|(_, run)| run.stage == Stage::Early && !wanted.contains(&run.key));
        let leave = |(ticket, run): (&Ticket, &mut RunningTest)| {
            run.stage = Stage::Left;
            *ticket
        };
        others.map(leave).collect()
    }

    /// Takes an outcome. Returns the ticket of a test whose question was not asked yet.
    pub(super) fn take(&mut self, ticket: Ticket, outcome: Outcome) -> Option<Ticket> {
        let RunningTest { key, text, stage } = self.running.remove(&ticket)?;
        self.is_due = true;
        self.tests += u32::from(outcome.verdict.is_some());
        self.tested += outcome.duration;
        if let Some(verdict) = outcome.verdict {
            Rc::make_mut(&mut self.known).insert(key, verdict);
        }
        if stage == Stage::PendingQuestion {
            self.ready.push_back((ticket, key, outcome));
            return None;
        }
        if outcome.verdict.is_some() {
            let bytes = text.len();
            let slipped = self.is_smallest(&outcome, bytes).then_some(text);
            let mut outcome = outcome;
            // Most of these questions are never asked, and the output of their tests would stay until the end.
            if stage != Stage::Sure && slipped.is_none() {
                (outcome.stdout_tail, outcome.stderr_tail) = Default::default();
            }
            self.ended.entry(key).or_default().push(Ended { outcome, bytes, slipped });
        }
        Some(ticket)
    }

    /// Whether an outcome shows another failure, on a smaller text than all before it.
    fn is_smallest(&mut self, outcome: &Outcome, bytes: usize) -> bool {
        let Some(slip) = &outcome.slip else { return false };
        let is_smallest = self.smallest.get(slip).is_none_or(|smallest| bytes < *smallest);
        if is_smallest {
            self.smallest.insert(slip.clone(), bytes);
        }
        is_smallest
    }

    /// The outcome of a test whose question is asked now.
    pub(super) fn take_ended(&mut self, key: &Key) -> Option<Outcome> {
        let all = self.ended.get_mut(key)?;
        let ended = all.pop();
        if all.is_empty() {
            self.ended.remove(key);
        }
        ended.map(|ended| ended.outcome)
    }

    /// Whether there is time for speculation.
    pub(super) fn has_time(&self) -> bool {
        self.spent * SHARE <= self.tested + SHORT
    }

    /// Lists the predicted questions that are still possible and not asked yet, the likeliest first. While there are
    /// more to find, it only lists those that are likelier than any of those could be.
    pub(super) fn wanted(&self, slots: usize, is_whole: bool) -> Vec<Key> {
        let Some(branches) = &self.branches else { return Vec::new() };
        let asked: Vec<Key> = self.running.values().filter(|run| run.stage > Stage::Early).map(|run| run.key).collect();
        let least = if is_whole { 0.0 } else { branches.is_whole_from(&self.known) };
        let open = branches.open(&self.known, slots).into_iter().take_while(|(reach, _)| *reach >= least);
        open.map(|(_, key)| key).filter(|key| !asked.contains(key)).collect()
    }

    /// Handles a question. If no branch has it, speculation starts again.
    pub(super) fn ask(&mut self, key: &Key) {
        let is_foreseen = self.branches.as_ref().is_some_and(|branches| branches.job(key).is_some());
        if !is_foreseen && !self.known.contains_key(key) {
            self.branches = None;
        }
    }

    /// Makes one speculative run, if there is something new to find and time for it. Returns whether it did.
    pub(super) fn rehearse(&mut self, slots: usize) -> bool {
        let Some(mark) = self.mark.as_ref().filter(|_| self.has_time()) else { return false };
        let from = Instant::now();
        if std::mem::take(&mut self.is_due) {
            self.until = Some(from + (self.tested / self.tests.max(1) / OF_A_TEST).max(SHORT));
        }
        let Some(until) = self.until.filter(|until| from < *until) else { return false };
        let branches = self.branches.get_or_insert_with(|| BranchQueue::new(mark.clone()));
        let has_found = branches.go_on(&self.known, slots, PER_WORKER * slots, until);
        self.until = self.until.filter(|_| has_found);
        self.spent += from.elapsed();
        has_found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::Verdict;

    /// The bytes of output that are kept of a test on a text of this length.
    fn kept(speculator: &mut Speculator<'_>, bytes: usize, stage: Stage, slip: Option<&str>) -> usize {
        let (key, ticket) = ([bytes as u8; 16], Ticket(bytes as u64));
        speculator.begin(ticket, RunningTest { key, text: vec![b'x'; bytes].into(), stage });
        let output = || vec![b'o'; Outcome::TAIL];
        let slip = slip.map(str::to_owned);
        let outcome = Outcome::of(Verdict::NotInteresting);
        assert!(
            speculator
                .take(ticket, Outcome { stdout_tail: output(), stderr_tail: output(), slip, ..outcome })
                .is_some()
        );
        let outcome = speculator.ended.remove(&key).expect("it has ended").remove(0).outcome;
        outcome.stdout_tail.capacity() + outcome.stderr_tail.capacity()
    }

    #[test]
    fn output_of_answers_that_may_never_be_asked_for_is_not_kept() {
        let all = 2 * Outcome::TAIL;
        let mut speculator = Speculator::default();
        assert_eq!(kept(&mut speculator, 1, Stage::Early, None), 0);
        assert_eq!(kept(&mut speculator, 2, Stage::Left, None), 0);
        assert_eq!(kept(&mut speculator, 3, Stage::Sure, None), all, "the input's own may be shown");
        assert_eq!(kept(&mut speculator, 20, Stage::Early, Some("a crash")), all);
        assert_eq!(kept(&mut speculator, 21, Stage::Early, Some("a crash")), 0, "the smallest is the one to keep");
        assert_eq!(kept(&mut speculator, 19, Stage::Early, Some("a crash")), all);
    }
}
