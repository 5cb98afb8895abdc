//! [`Remembering`] answers jobs from a [`Memory`], runs the test if the outcome is unknown, and stores new outcomes.
//!
//! These are outcomes of runs, from an interrupted run or from other reductions, and each replaces a test. `memory` in
//! lop-reduce has the conclusions of the current reduction, and the candidates that need no test.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::{Executor, Job, Ticket};
use crate::oracle::Outcome;

/// 128 bits of the BLAKE3 hash of a text: two texts with one key would need 2^64 texts to be likely.
pub type Key = [u8; 16];

/// The key of a text.
#[must_use]
pub fn key(text: &[u8]) -> Key {
    let hash = blake3::hash(text);
    let mut key = Key::default();
    key.copy_from_slice(&hash.as_bytes()[..size_of::<Key>()]);
    key
}

/// Outcomes of candidates that were tested before.
///
/// There are two ways to know an outcome: by the order in which an interrupted run received it, and by candidate. While
/// the order is followed, several workers act like one: a reduction that asks the same questions and receives the same
/// outcomes in the same order continues in the same way. No method can fail: file errors are kept and reported to the
/// caller that drives the reduction.
pub trait Memory {
    /// Whether the order of an interrupted run is still followed.
    fn is_following(&self) -> bool;

    /// The next outcome in that order, if a job waits for it. `waits` says whether one does for a candidate, and, when
    /// its second argument is `true`, whether that one was cancelled: a run that was not wanted any more is given back
    /// as such. `None` ends the order, because nothing more is known or the questions are others now.
    fn follow(&mut self, waits: &dyn Fn(&Key, bool) -> bool) -> Option<(Key, Outcome)>;

    /// The next outcome known of a candidate, each once, so that one that is tested twice (the input, or one that ran
    /// into the deadline) is answered as it was then.
    fn recall(&mut self, candidate: &Key) -> Option<Outcome>;

    /// Remembers an outcome as soon as it is known, before the caller gets it. Runs without a verdict are included only
    /// if they were cancelled.
    fn record(&mut self, candidate: &Key, outcome: &Outcome);
}

/// An executor that asks a memory first.
pub struct Remembering<'a> {
    inner: &'a mut dyn Executor,
    memory: &'a mut dyn Memory,
    /// Jobs whose outcomes may come next in the order of an interrupted run.
    held: Vec<Held>,
    /// Jobs that run, and whether they were cancelled.
    running: HashMap<Ticket, (Key, bool)>,
    ready: VecDeque<(Ticket, Outcome)>,
}

struct Held {
    key: Key,
    job: Job,
    is_cancelled: bool,
}

impl<'a> Remembering<'a> {
    /// Puts a memory before an executor.
    pub fn new(inner: &'a mut dyn Executor, memory: &'a mut dyn Memory) -> Self {
        Self { inner, memory, held: Vec::new(), running: HashMap::new(), ready: VecDeque::new() }
    }

    fn start(&mut self, key: Key, job: Job) {
        match self.memory.recall(&key) {
            Some(outcome) => self.ready.push_back((job.ticket, outcome)),
            None => {
                self.running.insert(job.ticket, (key, false));
                self.inner.submit(job);
            }
        }
    }

    /// Returns an outcome without a test. At the end of the interrupted run's order, the waiting candidates are
    /// started.
    fn known(&mut self) -> Option<(Ticket, Outcome)> {
        if self.memory.is_following() && !self.held.is_empty() {
            let held = &self.held;
            let waits =
                |key: &Key, cancelled: bool| held.iter().any(|h| h.key == *key && (h.is_cancelled || !cancelled));
            if let Some((key, outcome)) = self.memory.follow(&waits) {
                let cancelled = outcome.verdict.is_none();
                let at = self.held.iter().position(|h| h.key == key && (h.is_cancelled || !cancelled));
                let held = self.held.remove(at.expect("the memory was told that it waits"));
                return Some((held.job.ticket, outcome));
            }
        }
        for Held { key, job, is_cancelled } in std::mem::take(&mut self.held) {
            if is_cancelled {
                self.memory.record(&key, &Outcome::cancelled());
                self.ready.push_back((job.ticket, Outcome::cancelled()));
            } else {
                self.start(key, job);
            }
        }
        self.ready.pop_front()
    }

    fn note(&mut self, (ticket, outcome): (Ticket, Outcome)) -> (Ticket, Outcome) {
        if let Some((key, is_cancelled)) = self.running.remove(&ticket)
            && (outcome.verdict.is_some() || is_cancelled)
        {
            self.memory.record(&key, &outcome);
        }
        (ticket, outcome)
    }
}

impl Executor for Remembering<'_> {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn runs_beside(&self) -> bool {
        self.inner.runs_beside()
    }

    fn submit(&mut self, job: Job) {
        let key = key(&job.candidate);
        if self.memory.is_following() {
            self.held.push(Held { key, job, is_cancelled: false });
        } else {
            self.start(key, job);
        }
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        let known = self.known();
        known.or_else(|| self.inner.wait().map(|answer| self.note(answer)))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        let known = self.known();
        known.or_else(|| self.inner.try_wait().map(|answer| self.note(answer)))
    }

    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        let known = self.known();
        known.or_else(|| self.inner.wait_for(most).map(|answer| self.note(answer)))
    }

    /// A job that the memory answered is already judged and is returned unchanged.
    fn cancel(&mut self, ticket: Ticket) {
        if let Some(held) = self.held.iter_mut().find(|held| held.job.ticket == ticket) {
            held.is_cancelled = true;
            return;
        }
        if let Some((_, is_cancelled)) = self.running.get_mut(&ticket) {
            *is_cancelled = true;
        }
        self.inner.cancel(ticket);
    }

    fn shutdown(&mut self) {
        self.inner.shutdown();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::exec::Inline;
    use crate::oracle::Recalled;
    use lop_engine::Verdict;

    /// The candidates that were recorded, and the known outcomes.
    #[derive(Default)]
    struct Notes {
        order: VecDeque<(Key, Outcome)>,
        known: HashMap<Key, Verdict>,
        recorded: Vec<Key>,
    }

    impl Memory for Notes {
        fn is_following(&self) -> bool {
            !self.order.is_empty()
        }

        fn follow(&mut self, waits: &dyn Fn(&Key, bool) -> bool) -> Option<(Key, Outcome)> {
            let (key, outcome) = self.order.pop_front()?;
            waits(&key, outcome.verdict.is_none()).then_some((key, outcome))
        }

        fn recall(&mut self, candidate: &Key) -> Option<Outcome> {
            let verdict = self.known.remove(candidate)?;
            Some(Outcome { recalled: Some(Recalled::Cache), ..Outcome::of(verdict) })
        }

        fn record(&mut self, candidate: &Key, _: &Outcome) {
            self.recorded.push(*candidate);
        }
    }

    fn job(number: u64, text: &str) -> Job {
        Job { ticket: Ticket(number), candidate: Arc::from(text.as_bytes()), deadline: Duration::MAX }
    }

    #[test]
    fn what_is_known_runs_no_test_and_is_not_recorded_again() {
        let mut notes = Notes::default();
        notes.known.insert(key(b"a"), Verdict::Timeout);
        let mut runs = 0;
        let mut inner = Inline::new(|_: &[u8]| {
            runs += 1;
            Verdict::Invalid
        });
        let mut executor = Remembering::new(&mut inner, &mut notes);
        executor.submit(job(1, "b"));
        executor.submit(job(2, "a"));
        executor.submit(job(3, "a"));
        let mut verdicts = Vec::new();
        while let Some((ticket, outcome)) = executor.wait() {
            verdicts.push((ticket.0, outcome.verdict, outcome.recalled.is_some()));
        }
        let (known, tested) = (Some(Verdict::Timeout), Some(Verdict::Invalid));
        assert_eq!(verdicts, [(2, known, true), (1, tested, false), (3, tested, false)]);
        assert_eq!((runs, notes.recorded), (2, vec![key(b"b"), key(b"a")]));
    }

    #[test]
    fn an_order_is_followed_with_several_jobs_at_a_time() {
        let mut notes = Notes::default();
        let verdict = |text: &[u8], verdict| (key(text), Outcome::of(verdict));
        notes.order.push_back(verdict(b"b", Verdict::Interesting));
        notes.order.push_back((key(b"a"), Outcome::cancelled()));
        notes.order.push_back(verdict(b"x", Verdict::Invalid));
        let mut runs = Vec::new();
        let mut inner = Inline::new(|text: &[u8]| {
            runs.push(text.to_vec());
            Verdict::NotInteresting
        })
        .with_slots(2);
        let mut executor = Remembering::new(&mut inner, &mut notes);
        executor.submit(job(1, "a"));
        executor.submit(job(2, "b"));
        assert_eq!(
            executor.wait().map(|(ticket, outcome)| (ticket.0, outcome.verdict)),
            Some((2, Some(Verdict::Interesting)))
        );
        executor.cancel(Ticket(1));
        executor.submit(job(3, "d"));
        executor.submit(job(4, "x"));
        assert_eq!(executor.wait(), Some((Ticket(1), Outcome::cancelled())));
        assert_eq!(
            executor.wait().map(|(ticket, outcome)| (ticket.0, outcome.verdict)),
            Some((4, Some(Verdict::Invalid)))
        );
        // The job that was held when the order ended is run now.
        assert_eq!(
            executor.wait().map(|(ticket, outcome)| (ticket.0, outcome.verdict)),
            Some((3, Some(Verdict::NotInteresting)))
        );
        assert_eq!((runs, notes.recorded), (vec![b"d".to_vec()], vec![key(b"d")]));
    }

    #[test]
    fn a_run_without_a_verdict_is_recorded_only_if_nobody_wanted_it() {
        let mut notes = Notes::default();
        let mut inner = Inline::new(|_: &[u8]| Verdict::Interesting);
        let mut executor = Remembering::new(&mut inner, &mut notes);
        executor.submit(job(1, "a"));
        executor.submit(job(2, "b"));
        executor.cancel(Ticket(1));
        executor.shutdown();
        assert_eq!(executor.wait(), Some((Ticket(1), Outcome::cancelled())));
        assert_eq!(executor.wait(), Some((Ticket(2), Outcome::cancelled())));
        assert_eq!(notes.recorded, [key(b"a")]);
    }
}
