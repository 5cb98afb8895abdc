//! Responsible for outcomes that are known from earlier: [`Remembering`] answers a job from a [`Memory`] where that
//! knows the outcome, has the test run where it does not, and lets the memory take note.

use std::collections::{HashMap, VecDeque};

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
/// What must hold: outcomes that were recorded for one candidate are recalled in their order, each once, so that a
/// candidate that is tested twice (the input, or one that ran into the deadline) is answered as it was then. Neither
/// method can fail: trouble with a file is kept and told to whoever drives the reduction.
pub trait Memory {
    /// The next outcome known of a candidate; it must have a verdict and say by [`Outcome::recalled`] where it is from.
    fn recall(&mut self, candidate: &Key) -> Option<Outcome>;

    /// Takes note of an outcome right when it is known, before anybody is told. Runs without a verdict are not shown.
    fn record(&mut self, candidate: &Key, outcome: &Outcome);
}

/// An executor that asks a memory first.
pub struct Remembering<'a> {
    inner: &'a mut dyn Executor,
    memory: &'a mut dyn Memory,
    keys: HashMap<Ticket, Key>,
    ready: VecDeque<(Ticket, Outcome)>,
}

impl<'a> Remembering<'a> {
    /// Puts a memory before an executor.
    pub fn new(inner: &'a mut dyn Executor, memory: &'a mut dyn Memory) -> Self {
        Self { inner, memory, keys: HashMap::new(), ready: VecDeque::new() }
    }

    fn note(&mut self, (ticket, outcome): (Ticket, Outcome)) -> (Ticket, Outcome) {
        let key = self.keys.remove(&ticket);
        if let Some(key) = key.filter(|_| outcome.verdict.is_some()) {
            self.memory.record(&key, &outcome);
        }
        (ticket, outcome)
    }
}

impl Executor for Remembering<'_> {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn submit(&mut self, job: Job) {
        let key = key(&job.candidate);
        match self.memory.recall(&key) {
            Some(outcome) => self.ready.push_back((job.ticket, outcome)),
            None => {
                self.keys.insert(job.ticket, key);
                self.inner.submit(job);
            }
        }
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        let known = self.ready.pop_front();
        known.or_else(|| self.inner.wait().map(|answer| self.note(answer)))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        let known = self.ready.pop_front();
        known.or_else(|| self.inner.try_wait().map(|answer| self.note(answer)))
    }

    /// What the memory answered has been judged already and comes back as it is.
    fn cancel(&mut self, ticket: Ticket) {
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
    use crate::engine::Verdict;
    use crate::exec::Inline;
    use crate::oracle::Recalled;

    /// What was recorded, and what is known.
    #[derive(Default)]
    struct Notes {
        known: HashMap<Key, Verdict>,
        recorded: Vec<Key>,
    }

    impl Memory for Notes {
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
    fn a_run_without_a_verdict_is_not_recorded() {
        let mut notes = Notes::default();
        let mut inner = Inline::new(|_: &[u8]| Verdict::Interesting);
        let mut executor = Remembering::new(&mut inner, &mut notes);
        executor.submit(job(1, "a"));
        executor.cancel(Ticket(1));
        assert_eq!(executor.wait(), Some((Ticket(1), Outcome::cancelled())));
        assert!(notes.recorded.is_empty());
    }
}
