//! [`Threads`] judges candidates by a closure on several scoped threads, so that the closure can borrow.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{Builder, Result as Unwound, Scope};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{Executor, Job, StartError, Ticket};
use crate::oracle::Outcome;
use lop_engine::Verdict;

/// Asks a closure on threads of a scope.
///
/// A job is handed to a thread only when one is free, so that a queued one that is cancelled is never begun. Nothing
/// can interrupt the closure: a job's deadline is not heeded, and one that is cancelled while it runs is judged to its
/// end. A panic of the closure goes through to the caller that waits for the next outcome, and the candidate is asked
/// about again.
#[derive(Debug)]
pub struct Threads {
    slots: usize,
    /// `None` after shutdown. The threads end when this end of the channel is dropped.
    jobs: Option<Sender<Job>>,
    answers: Receiver<(Job, Unwound<Outcome>)>,
    running: HashSet<Ticket>,
    queued: VecDeque<Job>,
    /// Outcomes that need no waiting.
    ready: VecDeque<(Ticket, Outcome)>,
}

impl Threads {
    /// Starts `count` threads that ask `judge`; 0 means as many as the machine has cores.
    ///
    /// # Errors
    /// [`StartError::Thread`] when the system refuses one.
    pub fn new<'scope, 'env, V, F>(
        scope: &'scope Scope<'scope, 'env>,
        count: usize,
        judge: &'scope F,
    ) -> Result<Self, StartError>
    where
        F: Fn(&[u8]) -> V + Sync + ?Sized,
        V: Into<Verdict>,
    {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let slots = if count == 0 { cores() } else { count };
        let (jobs, queue) = unbounded::<Job>();
        let (sender, answers) = unbounded();
        for number in 1..=slots {
            let (queue, sender) = (queue.clone(), sender.clone());
            let work = move || {
                while let Ok(job) = queue.recv() {
                    let outcome = catch_unwind(AssertUnwindSafe(|| ask(judge, &job)));
                    if sender.send((job, outcome)).is_err() {
                        // The receiver was dropped.
                        return;
                    }
                }
            };
            let thread = Builder::new().name(format!("lop-closure-{number}")).spawn_scoped(scope, work);
            thread.map_err(|source| StartError::Thread { number, source })?;
        }
        let (running, queued, ready) = Default::default();
        Ok(Self { slots, jobs: Some(jobs), answers, running, queued, ready })
    }

    /// Hands jobs to the threads that are free.
    fn start(&mut self) {
        while let Some(jobs) = &self.jobs
            && self.running.len() < self.slots
            && let Some(job) = self.queued.pop_front()
        {
            self.running.insert(job.ticket);
            jobs.send(job).expect("the threads wait as long as this end of the channel is there");
        }
    }

    fn finish(&mut self, (job, outcome): (Job, Unwound<Outcome>)) -> (Ticket, Outcome) {
        let ticket = job.ticket;
        self.running.remove(&ticket);
        match outcome {
            Ok(outcome) => {
                self.start();
                (ticket, outcome)
            }
            Err(panic) => {
                self.queued.push_front(job);
                resume_unwind(panic)
            }
        }
    }
}

/// Asks the closure, and takes the time.
fn ask<V: Into<Verdict>>(judge: &(impl Fn(&[u8]) -> V + ?Sized), job: &Job) -> Outcome {
    let start = Instant::now();
    let verdict = judge(&job.candidate).into();
    Outcome { duration: start.elapsed(), ..Outcome::of(verdict) }
}

impl Executor for Threads {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        let ticket = job.ticket;
        let is_in_flight = self.running.contains(&ticket)
            || self.queued.iter().any(|queued| queued.ticket == ticket)
            || self.ready.iter().any(|(ready, _)| *ready == ticket);
        assert!(!is_in_flight, "{ticket:?} is in flight");
        if self.jobs.is_none() {
            self.ready.push_back((ticket, Outcome::cancelled()));
            return;
        }
        self.queued.push_back(job);
        self.start();
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        // After a panic, the waiting jobs haven't started yet.
        self.start();
        if let Some(outcome) = self.ready.pop_front() {
            return Some(outcome);
        }
        if self.running.is_empty() {
            return None;
        }
        let answer = self.answers.recv().expect("a thread answers every job");
        Some(self.finish(answer))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.start();
        if let Some(outcome) = self.ready.pop_front() {
            return Some(outcome);
        }
        let answer = self.answers.try_recv().ok()?;
        Some(self.finish(answer))
    }

    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        self.try_wait().or_else(|| {
            let answer = self.answers.recv_timeout(most).ok()?;
            Some(self.finish(answer))
        })
    }

    fn cancel(&mut self, ticket: Ticket) {
        if let Some(at) = self.queued.iter().position(|job| job.ticket == ticket) {
            self.queued.remove(at);
            self.ready.push_back((ticket, Outcome::cancelled()));
        }
    }

    fn shutdown(&mut self) {
        self.jobs = None;
        let cancelled = self.queued.drain(..).map(|job| (job.ticket, Outcome::cancelled()));
        self.ready.extend(cancelled);
        while !self.running.is_empty()
            && let Ok((job, outcome)) = self.answers.recv()
        {
            self.running.remove(&job.ticket);
            let outcome = outcome.unwrap_or_else(|_| Outcome::failed("the closure panicked"));
            self.ready.push_back((job.ticket, outcome));
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shutdown();
    }
}
