//! `-j auto`: [`Measured`] finds the number of parallel tests that gives the most outcomes per second.
//!
//! It measures the run's own tests and starts no others. It starts with one test at a time, and doubles the number as
//! long as that gives at least a tenth more outcomes per second, up to the executor's limit. Otherwise it goes back,
//! and waits a long time before it tries a larger number again.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::{Executor, Job, Ticket};
use crate::oracle::Outcome;

/// Answers per slot that make a measurement.
const ANSWERS: usize = 6;
/// Measurements at the number that was found before a larger one is tried again.
const PATIENCE: usize = 16;
/// A larger number of workers is worth while if it gives this many times the answers per second.
const WORTH_WHILE: f64 = 1.1;

/// An executor that uses as many slots of another as pay.
#[derive(Debug)]
pub struct Measured<E> {
    inner: E,
    gauge: Gauge,
    /// Jobs that wait for a slot.
    queued: VecDeque<Job>,
    running: usize,
    /// Since when all slots have been busy, or since the last answer that came while they were.
    full_since: Option<Instant>,
    /// Jobs that were cancelled before they had a slot.
    cancelled: VecDeque<Ticket>,
}

impl<E: Executor> Measured<E> {
    /// Uses at most all slots of `inner`, in which nothing may be in flight.
    pub fn new(inner: E) -> Self {
        let gauge = Gauge::new(inner.slots());
        let (queued, cancelled) = Default::default();
        Self { inner, gauge, queued, running: 0, full_since: None, cancelled }
    }

    fn start(&mut self) {
        while self.running < self.gauge.slots
            && let Some(job) = self.queued.pop_front()
        {
            self.running += 1;
            self.inner.submit(job);
        }
        let is_full = self.running == self.gauge.slots;
        self.full_since = self.full_since.or_else(|| Some(Instant::now())).filter(|_| is_full);
    }

    fn finish(&mut self, answer: (Ticket, Outcome)) -> (Ticket, Outcome) {
        // Slots without a job say nothing, and neither do tests that were stopped.
        if let Some(since) = self.full_since.take() {
            self.gauge.learn(since.elapsed(), answer.1.verdict.is_some());
        }
        self.running -= 1;
        self.start();
        answer
    }
}

impl<E: Executor> Executor for Measured<E> {
    fn slots(&self) -> usize {
        self.gauge.slots
    }

    fn submit(&mut self, job: Job) {
        self.queued.push_back(job);
        self.start();
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(ticket) = self.cancelled.pop_front() {
            return Some((ticket, Outcome::cancelled()));
        }
        let answer = self.inner.wait()?;
        Some(self.finish(answer))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(ticket) = self.cancelled.pop_front() {
            return Some((ticket, Outcome::cancelled()));
        }
        let answer = self.inner.try_wait()?;
        Some(self.finish(answer))
    }

    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        self.try_wait().or_else(|| {
            let answer = self.inner.wait_for(most)?;
            Some(self.finish(answer))
        })
    }

    fn cancel(&mut self, ticket: Ticket) {
        match self.queued.iter().position(|job| job.ticket == ticket) {
            Some(at) => {
                self.queued.remove(at);
                self.cancelled.push_back(ticket);
            }
            None => self.inner.cancel(ticket),
        }
    }

    fn shutdown(&mut self) {
        self.cancelled.extend(self.queued.drain(..).map(|job| job.ticket));
        self.inner.shutdown();
    }
}

/// Finds the number of slots from answers and the time they took.
#[derive(Debug)]
struct Gauge {
    slots: usize,
    most: usize,
    /// Answers per second at half as many slots, while a larger number is tried.
    before: Option<f64>,
    /// Measurements that are left before a larger number is tried.
    patience: usize,
    answers: usize,
    time: Duration,
}

impl Gauge {
    fn new(most: usize) -> Self {
        Gauge { slots: 1, most, before: None, patience: 0, answers: 0, time: Duration::ZERO }
    }

    /// All slots were busy for this long, and then a test ended, with an answer or without.
    fn learn(&mut self, time: Duration, answered: bool) {
        self.time += time;
        self.answers += usize::from(answered);
        if self.answers < ANSWERS * self.slots {
            return;
        }
        let rate = self.answers as f64 / self.time.as_secs_f64().max(f64::MIN_POSITIVE);
        (self.answers, self.time) = (0, Duration::ZERO);
        if self.before.take().is_some_and(|before| rate < before * WORTH_WHILE) {
            self.slots = self.slots.div_ceil(2);
            self.patience = PATIENCE;
        } else if self.patience > 0 {
            self.patience -= 1;
        } else if self.slots < self.most {
            self.before = Some(rate);
            self.slots = (self.slots * 2).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Inline;
    use lop_engine::Verdict;

    /// Returns the number of slots after some outcomes, on a machine that runs this number of tests at once as fast as
    /// one.
    fn found(most: usize, at_once: usize, answers: usize) -> usize {
        let mut gauge = Gauge::new(most);
        for _ in 0..answers {
            let rate = 10.0 * gauge.slots.min(at_once) as f64;
            gauge.learn(Duration::from_secs_f64(1.0 / rate), true);
        }
        gauge.slots
    }

    #[test]
    fn more_slots_are_used_while_they_pay() {
        assert_eq!(found(8, 1, 60), 1);
        assert_eq!(found(8, 2, 100), 2);
        assert_eq!(found(8, 4, 150), 4);
        assert_eq!(found(8, 99, 200), 8);
        assert_eq!(found(6, 99, 200), 6, "never more than there are");
        assert_eq!(found(1, 99, 200), 1);
    }

    #[test]
    fn a_larger_number_is_tried_again_after_a_while_only() {
        let mut gauge = Gauge::new(8);
        let mut tried = Vec::new();
        for _ in 0..400 {
            gauge.learn(Duration::from_millis(100), true);
            tried.push(gauge.slots);
        }
        let trials = tried.windows(2).filter(|pair| pair == &[1, 2]).count();
        assert!((2..=4).contains(&trials), "{trials} trials of two slots");
        assert!(tried.iter().all(|slots| *slots <= 2));
    }

    #[test]
    fn tests_without_an_answer_are_time_without_one() {
        let mut gauge = Gauge::new(4);
        (0..99).for_each(|_| gauge.learn(Duration::from_millis(1), false));
        assert_eq!((gauge.slots, gauge.answers), (1, 0));
    }

    #[test]
    fn answers_that_are_there_already_count_as_well() {
        let mut executor = Measured::new(Inline::new(|_| Verdict::Interesting).with_slots(4));
        let job = |number| Job { ticket: Ticket(number), candidate: [0].into(), deadline: Duration::from_secs(9) };
        (0..5).for_each(|number| executor.submit(job(number)));
        (0..5).for_each(|_| assert!(executor.try_wait().is_some()));
        assert_eq!((executor.gauge.answers, executor.gauge.slots), (5, 1));
    }

    #[test]
    fn every_ticket_comes_back_once_and_no_more_run_than_there_are_slots() {
        let mut executor = Measured::new(Inline::new(|_| Verdict::Interesting).with_slots(4));
        let job = |number| Job { ticket: Ticket(number), candidate: [0].into(), deadline: Duration::from_secs(9) };
        (0..40).for_each(|number| executor.submit(job(number)));
        executor.cancel(Ticket(39));
        assert_eq!((executor.running, executor.slots()), (1, 1));
        let mut back = Vec::new();
        while back.len() < 40 {
            let (ticket, _) = executor.wait().expect("some are in flight");
            assert!(executor.running <= executor.slots() && executor.slots() <= 4);
            back.push(ticket.0);
        }
        assert!(executor.wait().is_none());
        assert_eq!(back[0], 39, "nobody waits for a slot to be told that");
        back.sort_unstable();
        assert_eq!(back, (0..40).collect::<Vec<_>>());
    }
}
