//! [`Inline`] judges candidates by a closure in the caller's thread. Deterministic, without processes.

use std::collections::VecDeque;
use std::time::Instant;

use super::{Executor, Job, Ticket};
use crate::oracle::Outcome;
use lop_engine::Verdict;

/// Asks a closure, when its outcome is waited for, in the order of submission.
///
/// The closure can change its captures, and returns a [`Verdict`] or a `bool`. Nothing can interrupt it: the job's
/// deadline has no effect.
#[derive(Debug)]
pub struct Inline<F> {
    judge: F,
    slots: usize,
    queue: VecDeque<(Job, Pending)>,
    is_shut_down: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pending {
    Waiting,
    Cancelled,
}

impl<V: Into<Verdict>, F: FnMut(&[u8]) -> V> Inline<F> {
    /// An executor with one slot. A panic of `judge` reaches the caller of `wait`, and the next call judges the
    /// candidate again.
    pub fn new(judge: F) -> Self {
        Self { judge, slots: 1, queue: VecDeque::new(), is_shut_down: false }
    }

    /// Makes an executor with more slots, so that callers submit more candidates at a time.
    ///
    /// # Panics
    /// When `slots` is 0.
    #[must_use]
    pub fn with_slots(self, slots: usize) -> Self {
        assert!(slots > 0, "an executor has at least one slot");
        Self { slots, ..self }
    }
}

impl<V: Into<Verdict>, F: FnMut(&[u8]) -> V> Executor for Inline<F> {
    fn runs_beside(&self) -> bool {
        false
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        assert!(self.queue.iter().all(|(queued, _)| queued.ticket != job.ticket), "{:?} is in flight", job.ticket);
        let state = if self.is_shut_down { Pending::Cancelled } else { Pending::Waiting };
        self.queue.push_back((job, state));
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        // It stays in the queue until there is an outcome: after a panic of the closure it is judged again.
        let (job, state) = self.queue.front()?;
        let ticket = job.ticket;
        let outcome = if *state == Pending::Cancelled {
            Outcome::cancelled()
        } else {
            let start = Instant::now();
            let verdict = (self.judge)(&job.candidate).into();
            Outcome { duration: start.elapsed(), ..Outcome::of(verdict) }
        };
        self.queue.pop_front();
        Some((ticket, outcome))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.wait()
    }

    fn cancel(&mut self, ticket: Ticket) {
        for (job, state) in &mut self.queue {
            if job.ticket == ticket {
                *state = Pending::Cancelled;
            }
        }
    }

    fn shutdown(&mut self) {
        self.is_shut_down = true;
        for (_, state) in &mut self.queue {
            *state = Pending::Cancelled;
        }
    }
}
