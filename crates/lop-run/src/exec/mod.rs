//! Executors: [`Executor`] takes jobs and returns their outcomes, one by one, in any order.
//!
//! [`Inline`] calls a closure in the caller's thread, and [`Threads`] on several threads, for library users and for
//! tests. [`LocalWorkers`] runs an [`Oracle`] on threads of this machine. [`Remembering`] wraps any of them and answers
//! from a [`Memory`]; [`Measured`] uses as many slots as pay off. An oracle's command may run on another machine,
//! through lop-remote, while a thread here waits for it.

mod auto;
mod inline;
mod local;
mod memory;
mod threads;

pub use auto::Measured;
pub use inline::Inline;
pub use local::{LocalOptions, LocalWorkers, StartError};
pub use memory::{Key, Memory, Remembering, key};
pub use threads::Threads;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::oracle::{Cancel, Oracle, Outcome, SlotOptions};

/// Number of parallel tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jobs {
    /// The number that gives the most outcomes per second, at most two per core.
    Auto,
    /// This number.
    Exactly(usize),
}

/// Starts the workers of a program, with slots of these options. Without a number of jobs, starts one per core. This is the only place that chooses an executor.
///
/// # Errors
/// [`StartError`] if a directory or a thread cannot be created.
pub fn start(
    oracle: Arc<dyn Oracle>,
    jobs: Option<Jobs>,
    slots: &SlotOptions,
    cancel: &Cancel,
) -> Result<Box<dyn Executor>, StartError> {
    let workers = match jobs {
        None => 0,
        Some(Jobs::Exactly(jobs)) => jobs,
        Some(Jobs::Auto) => 2 * thread::available_parallelism().map_or(1, usize::from),
    };
    let options = LocalOptions { workers, cancel: cancel.clone(), slots: slots.clone(), while_waiting: true };
    let workers = LocalWorkers::new(oracle, &options)?;
    Ok(if jobs == Some(Jobs::Auto) { Box::new(Measured::new(workers)) } else { Box::new(workers) })
}

/// The name of a job. The caller chooses it, and can use it again after the outcome has come back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Ticket(pub u64);

/// One candidate to be judged.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name under which the outcome comes back.
    pub ticket: Ticket,
    /// The candidate's content.
    pub candidate: Arc<[u8]>,
    /// The test's time limit.
    pub deadline: Duration,
}

/// Runs jobs.
///
/// Requirements: each submitted job comes back from `wait` or `try_wait` exactly once in every case (judged, cancelled,
/// failed, worker crashed, executor shut down). Outcomes can come in any order. A run that failed, or whose worker
/// crashed, comes back after a second attempt. Never more jobs run than there are slots. With one slot, jobs run in the
/// order of submission. Dropping an executor shuts it down, and nothing runs afterwards. `tests/it/contract.rs` checks
/// this for every executor. `examples/remote_executor.rs` explains one that sends candidates elsewhere.
///
/// Example:
///
/// ```
/// # mod lop { pub use lop_run::{Verdict, exec::*}; }
/// use std::time::Duration;
///
/// use lop::{Executor, Inline, Job, Ticket, Verdict};
///
/// let mut executor = Inline::new(|candidate: &[u8]| candidate.contains(&b'x'));
/// for (number, candidate) in ["xy", "y", "x"].into_iter().enumerate() {
///     let (ticket, deadline) = (Ticket(number as u64), Duration::from_secs(1));
///     executor.submit(Job { ticket, candidate: candidate.as_bytes().into(), deadline });
/// }
/// executor.cancel(Ticket(2));
///
/// let verdicts: Vec<_> = std::iter::from_fn(|| executor.wait()).map(|(_, outcome)| outcome.verdict).collect();
/// assert_eq!(verdicts, [Some(Verdict::Interesting), Some(Verdict::NotInteresting), None]);
/// ```
pub trait Executor {
    /// Number of parallel jobs, at least 1. It can change with every outcome. Further jobs wait in a queue.
    fn slots(&self) -> usize;

    /// Whether jobs run in the background, so that speculative jobs cost the caller no time. `true` by default.
    fn runs_beside(&self) -> bool {
        true
    }

    /// Submits a job, without waiting for it or for a slot. After `shutdown`, the job comes back cancelled.
    ///
    /// # Panics
    /// If a job with the same ticket is in flight.
    fn submit(&mut self, job: Job);

    /// Returns an outcome, and waits for one if necessary. `None` means that no job is in flight.
    fn wait(&mut self) -> Option<(Ticket, Outcome)>;

    /// Returns an outcome if there is one. With `None`, jobs may still be in flight.
    fn try_wait(&mut self) -> Option<(Ticket, Outcome)>;

    /// Returns an outcome, and waits for one for at most this long. With `None`, jobs may still be in flight.
    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        self.try_wait().or_else(|| {
            thread::sleep(most);
            self.try_wait()
        })
    }

    /// Cancels a job: kills its test, or doesn't start it. The job still comes back, as cancelled unless it was judged
    /// already. Ignores unknown tickets.
    fn cancel(&mut self, ticket: Ticket);

    /// Cancels all jobs, waits for the workers to end, and removes their files. Afterwards no test process is left.
    /// Remaining outcomes still come back. A second call does nothing.
    fn shutdown(&mut self);
}

impl<E: Executor + ?Sized> Executor for &mut E {
    fn slots(&self) -> usize {
        (**self).slots()
    }

    fn runs_beside(&self) -> bool {
        (**self).runs_beside()
    }

    fn submit(&mut self, job: Job) {
        (**self).submit(job);
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        (**self).wait()
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        (**self).try_wait()
    }

    fn wait_for(&mut self, most: Duration) -> Option<(Ticket, Outcome)> {
        (**self).wait_for(most)
    }

    fn cancel(&mut self, ticket: Ticket) {
        (**self).cancel(ticket);
    }

    fn shutdown(&mut self) {
        (**self).shutdown();
    }
}
