//! [`LocalWorkers`] runs tests on this machine, with one thread and one slot for each parallel test.
//!
//! ```text
//!   submit ──► jobs channel ──► worker 1 ─┐
//!                 (queue)       worker 2 ─┼─► results channel ──► wait
//!                               worker n ─┘
//! ```
//!
//! Either a worker or `cancel` takes a queued job, whichever comes first (`JobState`), so a cancelled job is returned
//! immediately.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{Executor, Job, Ticket};
use crate::oracle::{Cancel, Oracle, Outcome, Slot, SlotError, SlotOptions, Unresolved, with_causes};

/// The options of the workers.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// Number of parallel tests; 0 means one per core.
    pub workers: usize,
    /// Stops all tests, and prevents new ones.
    pub cancel: Cancel,
    /// The slots in which tests run.
    pub slots: SlotOptions,
    /// Whether a single worker runs its tests in the caller's thread: two threads would wake each other twice per test.
    pub while_waiting: bool,
}

/// The workers could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No directory for tests can be created.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// The system refuses another thread.
    #[error("cannot start worker {number}; use fewer with -j")]
    Thread {
        /// Its number, from 1.
        number: usize,
        /// The cause.
        source: std::io::Error,
    },
}

/// Runs an oracle on threads of this machine, or in the caller's thread.
#[derive(Debug)]
pub struct LocalWorkers {
    slots: usize,
    cancel: Cancel,
    /// `None` after shutdown. The workers end when the channel closes.
    jobs: Option<Sender<Arc<Task>>>,
    results: Receiver<(Ticket, Outcome)>,
    in_flight: HashMap<Ticket, Arc<Task>>,
    /// Outcomes without a run.
    ready: VecDeque<(Ticket, Outcome)>,
    threads: Vec<JoinHandle<()>>,
    /// The worker without a thread.
    alone: Option<Worker>,
}

/// A job and its owner.
#[derive(Debug)]
struct Task {
    job: Job,
    state: Mutex<JobState>,
}

#[derive(Debug)]
enum JobState {
    Queued,
    /// A worker runs it. Stopping the `Cancel` ends its test; it is only created here because it needs file
    /// descriptors.
    Running(Cancel),
    /// No worker runs it: it has been judged, or it was dropped.
    Over,
}

impl Task {
    fn state(&self) -> MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a queued job for a worker; `None` if it was dropped.
    fn take(&self, run: &Cancel) -> Option<Cancel> {
        let mut state = self.state();
        if !matches!(*state, JobState::Queued) {
            return None;
        }
        let cancel = run.child();
        *state = JobState::Running(cancel.clone());
        Some(cancel)
    }

    /// Closes the file descriptors of the job's `Cancel`, whose outcome may wait for a long time to be fetched.
    fn judged(&self) {
        *self.state() = JobState::Over;
    }

    /// Stops a running job's test or drops a queued job. Returns whether it dropped the job.
    fn stop(&self) -> bool {
        let mut state = self.state();
        match &*state {
            JobState::Running(cancel) => cancel.stop(),
            JobState::Over => {}
            JobState::Queued => {
                *state = JobState::Over;
                return true;
            }
        }
        false
    }
}

impl LocalWorkers {
    /// Starts the workers.
    ///
    /// # Errors
    /// [`StartError`] when a directory or a thread cannot be made.
    pub fn new(oracle: Arc<dyn Oracle>, options: &LocalOptions) -> Result<Self, StartError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = if options.workers == 0 { cores() } else { options.workers };
        let (jobs, queue) = unbounded();
        let (sender, results) = unbounded();
        let mut workers = Self {
            slots: count,
            // A child `Cancel`, so that a shutdown stops these workers and not the whole run.
            cancel: options.cancel.child(),
            jobs: Some(jobs),
            results,
            in_flight: HashMap::new(),
            ready: VecDeque::new(),
            threads: Vec::new(),
            alone: None,
        };
        for (index, slot) in Slot::several(count, &options.slots)?.into_iter().enumerate() {
            let number = index + 1;
            let worker = Worker {
                oracle: oracle.clone(),
                cancel: workers.cancel.clone(),
                queue: queue.clone(),
                results: sender.clone(),
                slot,
            };
            if count == 1 && options.while_waiting {
                workers.alone = Some(worker);
                break;
            }
            let thread = std::thread::Builder::new()
                .name(format!("lop-worker-{number}"))
                .spawn(move || worker.run())
                .map_err(|source| StartError::Thread { number, source })?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    fn finish(&mut self, (ticket, outcome): (Ticket, Outcome)) -> (Ticket, Outcome) {
        self.in_flight.remove(&ticket);
        (ticket, outcome)
    }

    /// Returns a job that cannot be judged because the workers have ended. This only happens after a bug in a worker.
    fn give_up(&mut self) -> Option<(Ticket, Outcome)> {
        let ticket = self.in_flight.keys().min().copied()?;
        Some(self.finish((ticket, Outcome::failed("all workers have ended"))))
    }
}

impl Executor for LocalWorkers {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        let ticket = job.ticket;
        let task = Arc::new(Task { job, state: Mutex::new(JobState::Queued) });
        let before = self.in_flight.insert(ticket, task.clone());
        assert!(before.is_none(), "{ticket:?} is in flight");
        let sent = match &self.jobs {
            Some(jobs) if !self.cancel.is_stopped() => jobs.send(task.clone()).is_ok(),
            _ => false,
        };
        if !sent && task.stop() {
            self.ready.push_back((ticket, Outcome::cancelled()));
        }
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(outcome) = self.try_wait() {
            return Some(outcome);
        }
        if self.in_flight.is_empty() {
            return None;
        }
        if self.alone.is_some() {
            return self.give_up();
        }
        match self.results.recv() {
            Ok(outcome) => Some(self.finish(outcome)),
            Err(_) => self.give_up(),
        }
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(self.finish(ready));
        }
        if let Some(worker) = &mut self.alone {
            worker.run_next();
        }
        let outcome = self.results.try_recv().ok()?;
        Some(self.finish(outcome))
    }

    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        self.try_wait().or_else(|| {
            let outcome = self.results.recv_timeout(most).ok()?;
            Some(self.finish(outcome))
        })
    }

    fn cancel(&mut self, ticket: Ticket) {
        let Some(task) = self.in_flight.get(&ticket) else { return };
        if task.stop() {
            self.ready.push_back((ticket, Outcome::cancelled()));
        }
    }

    fn shutdown(&mut self) {
        self.cancel.stop();
        let mut tickets: Vec<Ticket> = self.in_flight.keys().copied().collect();
        // Use the order of the tickets, so that equal runs shut down equally.
        tickets.sort_unstable();
        for ticket in tickets {
            self.cancel(ticket);
        }
        self.jobs = None;
        self.alone = None;
        for thread in self.threads.drain(..) {
            // A worker catches the oracle's panics; `give_up` returns its job.
            let _ = thread.join();
        }
    }
}

impl Drop for LocalWorkers {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// The state of one worker.
struct Worker {
    oracle: Arc<dyn Oracle>,
    cancel: Cancel,
    queue: Receiver<Arc<Task>>,
    results: Sender<(Ticket, Outcome)>,
    slot: Slot,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("slot", &self.slot).finish_non_exhaustive()
    }
}

impl Worker {
    fn run(mut self) {
        while let Ok(task) = self.queue.recv() {
            let Some(cancel) = task.take(&self.cancel) else { continue };
            let outcome = self.judge(&task.job, &cancel);
            task.judged();
            if self.results.send((task.job.ticket, outcome)).is_err() {
                // The receiver was dropped.
                return;
            }
        }
    }

    /// Runs the next queued job, if there is one.
    fn run_next(&mut self) {
        while let Ok(task) = self.queue.try_recv() {
            if let Some(cancel) = task.take(&self.cancel) {
                let outcome = self.judge(&task.job, &cancel);
                task.judged();
                // The caller holds the other end.
                let _ = self.results.send((task.job.ticket, outcome));
                return;
            }
        }
    }

    /// Runs a job, and repeats a failed run: a full process table or a busy file is temporary.
    fn judge(&mut self, job: &Job, cancel: &Cancel) -> Outcome {
        let first = self.judge_once(job, cancel);
        if matches!(first.unresolved, Some(Unresolved::Failed(_))) { self.judge_once(job, cancel) } else { first }
    }

    fn judge_once(&mut self, job: &Job, cancel: &Cancel) -> Outcome {
        if cancel.is_stopped() {
            return Outcome::cancelled();
        }
        let Self { oracle, slot, .. } = self;
        let attempt = || oracle.judge(&job.candidate, slot, job.deadline, cancel);
        catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
            let message = format!("the worker panicked: {}", panic_text(panic.as_ref()));
            // Incomplete files stay in the old slot.
            match self.slot.another() {
                Ok(slot) => {
                    self.slot = slot;
                    Outcome::failed(message)
                }
                Err(error) => Outcome::failed(format!("{message}; {}", with_causes(&error))),
            }
        })
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
