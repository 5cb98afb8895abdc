//! Runs one process until it ends, reaches its time limit, is cancelled, or writes too much, and then kills all of it.
//! This is the only place that starts processes.
//!
//! A test is a tree of processes, and three nets catch it:
//!
//! 1. It leads a process group of its own, which is killed before its leader is reaped, so that the group's number
//!    cannot belong to another group yet.
//! 2. A process that left the group (`setsid`, and `timeout(1)`, which makes a group of its own) becomes our child when
//!    its parent dies, because we are the reaper of our descendants. [`ProcessRegistry`] finds it by the mark in its
//!    environment or by its working directory.
//! 3. The same search again at the end of the run.

mod lasting;
mod limited;
mod process_registry;
mod unix;

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use lasting::{Lasting, Patience, Reply, resident};
pub use limited::run_limited;
pub(crate) use limited::{Orders, probe, unstarted};
pub(crate) use process_registry::{MARK, ProcessRegistry};

use super::{Cancel, Exit};

/// The interval between checks of the output's size. A process that writes a gigabyte a second is stopped after 50 MB.
const OUTPUT_CHECK: Duration = Duration::from_millis(50);

/// Maximum number of bytes of each output: a test that writes more is killed and counts as not interesting.
pub(crate) const OUTPUT_LIMIT: u64 = 64 << 20;

/// Number of attempts for a busy executable or a full process table, and the first pause; each further one is twice as
/// long, 0.6 s in total.
const START_TRIES: u32 = 8;
const START_PAUSE: Duration = Duration::from_millis(5);

/// Ends all processes of tests of this program, for one that ends without having shut its executors down.
pub fn end_tests_at_once() {
    ProcessRegistry::end_at_once();
}

/// The reasons to end a process early.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    pub(crate) deadline: Duration,
    pub(crate) cancel: &'a Cancel,
    /// The files it writes to, and how long each may become, in bytes.
    pub(crate) outputs: [&'a File; 2],
    pub(crate) output_limit: u64,
    /// The list for processes that are still running when the test has ended, and the slot of the test. Finding them
    /// means looking at every process of the machine.
    pub(crate) left: Option<(&'a RefCell<Left>, &'a Path)>,
}

/// The processes that a test left running.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// The names of the processes.
    pub(crate) names: Vec<String>,
    /// The time it took to find them, which isn't part of the test's time.
    pub(crate) search: Duration,
}

/// Why a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Exited(Exit),
    TimedOut,
    /// The terminal has stopped it by this signal, and nothing would let it continue.
    Stopped(i32),
    Cancelled,
    TooMuchOutput,
}

/// Runs `command` to its end, or ends it; no process of its group is alive afterwards.
pub(crate) fn run(
    command: &mut Command,
    watch: &Watch<'_>,
    registry: &Arc<ProcessRegistry>,
) -> io::Result<(Ending, Duration)> {
    let start = Instant::now();
    let mut pause = START_PAUSE;
    for _ in 1..START_TRIES {
        match unix::run(command, watch, registry, start) {
            Err(error) if is_passing(&error) => {
                if watch.cancel.sleep(pause) {
                    return Ok((Ending::Cancelled, start.elapsed()));
                }
                pause *= 2;
            }
            other => return other.map(|ending| (ending, watch.taken(start))),
        }
    }
    unix::run(command, watch, registry, start).map(|ending| (ending, watch.taken(start)))
}

/// A process still has the executable open for writing, or there are too many processes at the moment.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ExecutableFileBusy | io::ErrorKind::WouldBlock)
}

impl Watch<'_> {
    /// The duration of the test so far.
    fn taken(&self, start: Instant) -> Duration {
        let search = self.left.map_or(Duration::ZERO, |(left, _)| left.borrow().search);
        start.elapsed().saturating_sub(search)
    }

    /// Maximum time to sleep before the next check; zero when the time is up.
    fn nap(&self, start: Instant) -> Duration {
        self.deadline.saturating_sub(start.elapsed()).min(OUTPUT_CHECK)
    }

    /// The reason to end the process now, if there is one.
    fn verdict(&self, start: Instant) -> Option<Ending> {
        let too_long = |file: &&File| file.metadata().is_ok_and(|metadata| metadata.len() > self.output_limit);
        if self.cancel.is_stopped() {
            Some(Ending::Cancelled)
        } else if self.outputs.iter().any(too_long) {
            Some(Ending::TooMuchOutput)
        } else if start.elapsed() >= self.deadline {
            Some(Ending::TimedOut)
        } else {
            None
        }
    }
}
