//! The tests of a session, running or finished.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use lop_run::exec::{Executor, Job, Key, Ticket, key};
use lop_run::oracle::Outcome;

use crate::event::EventSink;
use crate::report::Counts;
use crate::speculation::board::{SharedBranch, Speculation};

/// The number of outcomes to keep that no question has asked for yet.
const MOST_ENDED: usize = 4_096;

/// The side of a session that answers its questions.
pub(crate) enum Link<'a> {
    /// Tests.
    Tests(Box<Tests<'a>>),
    /// A branch of speculation: the session is a copy.
    Branch(SharedBranch<'a>),
}

/// The test and its sink, the running tests, and the speculation.
pub(crate) struct Tests<'a> {
    pub(super) executor: Box<dyn Executor + 'a>,
    pub(super) sink: Box<dyn EventSink + 'a>,
    pub(super) speculation: Arc<Speculation<'a>>,
    pub(super) running_tests: RunningTests,
}

impl<'a> Tests<'a> {
    /// No test runs yet.
    pub(crate) fn new(
        executor: &'a mut dyn Executor,
        sink: &'a mut dyn EventSink,
        speculation: Arc<Speculation<'a>>,
    ) -> Self {
        Tests {
            executor: Box::new(executor),
            sink: Box::new(sink),
            speculation,
            running_tests: RunningTests::default(),
        }
    }

    /// The workers, if one of them can run tests ahead of their time.
    pub(super) fn workers_ahead(&self) -> usize {
        if self.executor.runs_beside() { self.executor.slots() } else { 1 }
    }

    /// Starts tests on a text that will be asked about this number of times, as far as workers are free.
    pub(crate) fn start_early(&mut self, text: &Arc<[u8]>, times: usize, deadline: Duration) {
        let free = self.workers_ahead().saturating_sub(self.running_tests.running.len());
        for _ in 0..times.min(if self.workers_ahead() > 1 { free } else { 0 }) {
            self.start(Job { ticket: Ticket(0), candidate: Arc::clone(text), deadline }, key(text), Stage::Sure);
        }
    }

    /// Starts a test whose question was not asked yet.
    pub(super) fn start(&mut self, job: Job, key: Key, stage: Stage) -> Ticket {
        let ticket = self.running_tests.new_ticket();
        self.running_tests.running.insert(ticket, RunningTest { key, text: Arc::clone(&job.candidate), stage });
        self.executor.submit(Job { ticket, ..job });
        ticket
    }

    /// Takes an outcome.
    pub(super) fn take(&mut self, ticket: Ticket, outcome: Outcome) {
        let Some(run) = self.running_tests.running.get(&ticket) else { return };
        if let Some(verdict) = outcome.verdict.filter(|_| self.workers_ahead() > 1) {
            self.speculation.board().learn(run.key, verdict);
            self.speculation.wake();
        }
        self.running_tests.take(ticket, outcome);
    }

    /// Cancels all running tests, and waits for their end. Returns their tickets.
    pub(crate) fn stop(&mut self) -> Vec<Ticket> {
        let mut ended = Vec::new();
        for ticket in self.running_tests.running.keys() {
            self.executor.cancel(*ticket);
        }
        while !self.running_tests.running.is_empty()
            && let Some((ticket, outcome)) = self.executor.wait()
        {
            self.take(ticket, outcome);
            ended.push(ticket);
        }
        ended
    }
}

/// The running tests, and the finished ones whose questions were not asked yet.
#[derive(Default)]
pub(super) struct RunningTests {
    pub(super) running: BTreeMap<Ticket, RunningTest>,
    /// The tests that have ended and whose questions were not asked yet.
    pub(super) ended: HashMap<Key, Vec<Ended>>,
    /// Their keys, the oldest first.
    order: VecDeque<Key>,
    /// Those that were too many to keep, and the time of their tests.
    pub(super) dropped: (Counts, Duration),
    /// The bytes of the smallest text of these that shows another failure, by the failure.
    smallest: HashMap<String, usize>,
    /// Outcomes for questions that were asked.
    pub(super) ready: VecDeque<(Ticket, Key, Outcome)>,
    /// The number of tickets so far.
    tickets: u64,
    /// A text that may be asked about this number of times in the end.
    pub(super) idle_runs: Option<(Arc<[u8]>, usize)>,
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

impl RunningTests {
    /// A ticket that no test has.
    pub(super) fn new_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// The workers for the current questions.
    pub(super) fn asked(&self) -> usize {
        self.running.values().filter(|run| run.stage > Stage::Early).count()
    }

    /// Whether a test on a text is running and still needed.
    pub(super) fn runs(&self, key: &Key) -> bool {
        self.running.values().any(|run| run.key == *key && run.stage != Stage::Left)
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

    /// Takes an outcome.
    pub(super) fn take(&mut self, ticket: Ticket, outcome: Outcome) {
        let Some(RunningTest { key, text, stage }) = self.running.remove(&ticket) else { return };
        if stage == Stage::PendingQuestion {
            self.ready.push_back((ticket, key, outcome));
            return;
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
            self.order.push_back(key);
            self.drop_oldest();
        }
    }

    /// Forgets the oldest outcomes if there are too many.
    fn drop_oldest(&mut self) {
        while self.order.len() > MOST_ENDED
            && let Some(key) = self.order.pop_front()
        {
            if let Some(Ended { outcome, .. }) = self.pop_ended(&key) {
                self.dropped.0.add(outcome.verdict);
                self.dropped.1 += outcome.duration;
            }
        }
    }

    fn pop_ended(&mut self, key: &Key) -> Option<Ended> {
        let all = self.ended.get_mut(key)?;
        let ended = all.pop();
        if all.is_empty() {
            self.ended.remove(key);
        }
        ended
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
        self.pop_ended(key).map(|ended| ended.outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::Verdict;

    /// The bytes of output that are kept of a test on a text of this length.
    fn kept(running_tests: &mut RunningTests, bytes: usize, stage: Stage, slip: Option<&str>) -> usize {
        let (key, ticket) = ([bytes as u8; 16], Ticket(bytes as u64));
        running_tests.running.insert(ticket, RunningTest { key, text: vec![b'x'; bytes].into(), stage });
        let output = || vec![b'o'; Outcome::TAIL];
        let slip = slip.map(str::to_owned);
        let outcome = Outcome::of(Verdict::NotInteresting);
        running_tests.take(ticket, Outcome { stdout_tail: output(), stderr_tail: output(), slip, ..outcome });
        let outcome = running_tests.ended.remove(&key).expect("it has ended").remove(0).outcome;
        outcome.stdout_tail.capacity() + outcome.stderr_tail.capacity()
    }

    #[test]
    fn output_of_answers_that_may_never_be_asked_for_is_not_kept() {
        let all = 2 * Outcome::TAIL;
        let mut running_tests = RunningTests::default();
        assert_eq!(kept(&mut running_tests, 1, Stage::Early, None), 0);
        assert_eq!(kept(&mut running_tests, 2, Stage::Left, None), 0);
        assert_eq!(kept(&mut running_tests, 3, Stage::Sure, None), all, "the input's own may be shown");
        assert_eq!(kept(&mut running_tests, 20, Stage::Early, Some("a crash")), all);
        assert_eq!(kept(&mut running_tests, 21, Stage::Early, Some("a crash")), 0, "the smallest is the one to keep");
        assert_eq!(kept(&mut running_tests, 19, Stage::Early, Some("a crash")), all);
    }
}
