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

/// Tests at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jobs {
    /// As many as give the most answers per second, at most two per core.
    Auto,
    /// This number.
    Exactly(usize),
}

/// Starts the workers of a program that starts no children but tests, for candidates of about this length in bytes;
/// without a number of jobs as many as there are cores. The one place that decides on an executor.
///
/// # Errors
/// [`StartError`] when a directory or a thread cannot be made.
pub fn start(
    oracle: Arc<dyn Oracle>,
    jobs: Option<Jobs>,
    candidate_len: usize,
    cancel: &Cancel,
) -> Result<Box<dyn Executor>, StartError> {
    let workers = match jobs {
        None => 0,
        Some(Jobs::Exactly(jobs)) => jobs,
        Some(Jobs::Auto) => 2 * thread::available_parallelism().map_or(1, usize::from),
    };
    let slots = SlotOptions::of_program(candidate_len);
    let options = LocalOptions { workers, cancel: cancel.clone(), slots, while_waiting: true };
    let workers = LocalWorkers::new(oracle, &options)?;
    Ok(if jobs == Some(Jobs::Auto) { Box::new(Measured::new(workers)) } else { Box::new(workers) })
}

/// Names a job. The caller chooses it, and may use it again once its outcome was given back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Ticket(pub u64);

/// One candidate to be judged.
#[derive(Clone, Debug)]
pub struct Job {
    /// By what name the outcome will be given back.
    pub ticket: Ticket,
    /// The candidate's content.
    pub candidate: Arc<[u8]>,
    /// How long the test may take.
    pub deadline: Duration,
}

/// Runs jobs.
///
/// Requirements: each submitted job comes back from `wait` or `try_wait` exactly once, in every case: judged,
/// cancelled, failed, its worker crashed, the executor shut down. Outcomes may come in any order. A run that failed,
/// or whose worker crashed, was tried twice before it is given back. At no time do more jobs run than there are slots.
/// With one slot, jobs are run in the order in which they were submitted. Dropping an executor shuts it down, and
/// nothing runs afterwards. `tests/it/contract.rs` holds every executor to this. `examples/remote_executor.rs` is one
/// that sends candidates elsewhere, explained step by step.
///
/// A caller's view of it:
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
    /// How many jobs run at the same time, at least 1; it may change with every answer. More may be submitted; they
    /// queue.
    fn slots(&self) -> usize;

    /// Whether jobs run while the caller does something else, so that a job may run ahead of its time at no cost to others;
    /// yes unless an executor says otherwise.
    fn runs_beside(&self) -> bool {
        true
    }

    /// Hands a job over. Does not wait for it, nor for a slot. After `shutdown` the job comes back cancelled.
    ///
    /// # Panics
    /// When a job with the same ticket is in flight.
    fn submit(&mut self, job: Job);

    /// Gives an outcome back, and waits for one if there is none yet. `None` means that nothing is in flight.
    fn wait(&mut self) -> Option<(Ticket, Outcome)>;

    /// Gives an outcome back if there is one. `None` says nothing about what is in flight.
    fn try_wait(&mut self) -> Option<(Ticket, Outcome)>;

    /// Cancels a job whose outcome is not wanted any more. Its test is killed if it runs, and it is not started if it
    /// does not. It still comes back, as cancelled unless it had been judged already. Unknown tickets are ignored.
    fn cancel(&mut self, ticket: Ticket);

    /// Cancels all jobs, waits for the workers to end and removes what they had. Afterwards no process of a test is
    /// left. Outcomes that were not given back yet still are. A second call does nothing.
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

    fn cancel(&mut self, ticket: Ticket) {
        (**self).cancel(ticket);
    }

    fn shutdown(&mut self) {
        (**self).shutdown();
    }
}
