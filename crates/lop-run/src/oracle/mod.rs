//! The interestingness test: runs the user's command on a candidate, and judges the outcome.
//!
//! ```text
//!   candidate ─► CommandOracle ──► process ──► exit status, output ──► Conditions ──► Outcome
//!                     │   (one run, watched, killed whole)
//!                     └─ Slot: the directory of one worker, emptied for every test
//! ```
//!
//! [`Oracle`] is the boundary: executors call it and know nothing of commands, and library users can pass their own.

mod cancel;
mod command;
mod condition_error;
mod conditions;
mod confine;
mod output;
mod patterns;
mod position;
mod private;
mod process;
mod program;
mod proposer;
mod remote_runner;
mod second_command;
mod server;
mod service;
mod shell;
mod side_file;
mod signal;
mod signature;
mod slippage;
mod slot;
mod subject;
mod surroundings;
mod template;

use std::error::Error;
use std::fmt;
use std::time::Duration;

pub use cancel::Cancel;
pub use command::CommandOracle;
pub use condition_error::ConditionError;
pub use conditions::{ConditionSpec, Conditions};
pub use confine::is_root;
pub use confine::{ConfineError, Confinement, Isolation, can_start};
pub use output::Written;
pub use private::PrivateDirectory;
pub use process::{end_tests_at_once, run_limited};
pub use program::CommandError;
pub use program::has_program;
pub use proposer::{PARALLELISM, Proposer, ProposerError};
pub use remote_runner::{Action, CASE, Content, Folder, Node, RemoteResult, RemoteRunner, RunnerError};
pub use second_command::{Guarded, SecondCommand};
pub use service::Service;
pub use shell::{exact_line as exact_shell_line, line as shell_line};
pub use side_file::{SideFile, SideFileError};
pub use signal::{SignalError, signal_name, signal_number};
pub use signature::{Groups, Mark, Seen, Signature, Table};
pub use slot::{KnownTests, Slot, SlotError, SlotOptions};
pub use subject::Subject;
pub use surroundings::{SurroundingsError, check_surroundings, is_device};

use lop_engine::Verdict;

/// Exit code 124 means that the test itself timed out; `timeout(1)` of GNU coreutils returns it.
pub const TIMEOUT_CODE: i32 = 124;

/// Exit code 125 marks an invalid candidate, unless the user chose another code; `git bisect run` skips on it.
pub const INVALID_CODE: i32 = 125;

/// The interestingness test: decides whether a candidate still shows the user's bug.
///
/// Requirements: the outcome only depends on the candidate's bytes, as far as the test allows. Several threads can call
/// `judge` at the same time, each with its own slot. When `judge` returns or unwinds, no process that it started is
/// running. It returns soon after `cancel` is stopped or `deadline` has passed.
pub trait Oracle: Send + Sync {
    /// Runs the test once on `candidate`, for at most `deadline`.
    ///
    /// * The search learns from a verdict. A test that exceeds the deadline gets [`Verdict::Timeout`].
    /// * [`Unresolved::Cancelled`] when `cancel` was stopped before there was a verdict.
    /// * [`Unresolved::Failed`] when the test could not be run. Executors repeat such a run once and then report it;
    ///   it never counts as an answer.
    fn judge(&self, candidate: &[u8], slot: &mut Slot, deadline: Duration, cancel: &Cancel) -> Outcome;

    /// Describes the test in a line, for example as a shell command.
    fn describe(&self) -> String;
}

/// All facts about one run of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict; `None` if the run gave none, with the reason in `unresolved`.
    pub verdict: Option<Verdict>,
    /// The reason for a missing verdict.
    pub unresolved: Option<Unresolved>,
    /// How the test ended.
    pub exit: Exit,
    /// Wall time from the start of the test to its end.
    pub duration: Duration,
    /// The last bytes of its standard output, at most [`Outcome::TAIL`].
    pub stdout_tail: Vec<u8>,
    /// The last bytes of its standard error, at most [`Outcome::TAIL`].
    pub stderr_tail: Vec<u8>,
    /// The signature of another crash, if the run shows one.
    pub slip: Option<String>,
    /// A note for the report, for example that the test was killed for writing too much.
    pub note: Option<String>,
    /// The source of the outcome, if the test didn't run.
    pub recalled: Option<Recalled>,
    /// How this run has shown that earlier outcomes of the test may be wrong, if it has.
    pub contradiction: Option<String>,
}

/// The source of an outcome without a run of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// The same reduction before it was interrupted.
    Journal {
        /// Working time of the reduction when the outcome was known.
        at: Duration,
    },
    /// Another reduction with the same test.
    Cache,
}

impl Outcome {
    /// Number of bytes of each output that are kept for reports.
    pub const TAIL: usize = 8 << 10;

    /// Makes an outcome with only a verdict.
    #[must_use]
    pub fn of(verdict: Verdict) -> Self {
        Self::with(Some(verdict), None)
    }

    /// Makes the outcome of a run that was cancelled before a verdict.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::with(None, Some(Unresolved::Cancelled))
    }

    /// Makes the outcome of a run that failed; `message` has the reason and, if possible, the fix.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::with(None, Some(Unresolved::Failed(message.into())))
    }

    /// Whether the verdict is [`Verdict::Interesting`].
    #[must_use]
    pub fn is_interesting(&self) -> bool {
        self.verdict == Some(Verdict::Interesting)
    }

    fn with(verdict: Option<Verdict>, unresolved: Option<Unresolved>) -> Self {
        Self {
            verdict,
            unresolved,
            exit: Exit::Unknown,
            duration: Duration::ZERO,
            stdout_tail: Vec::new(),
            stderr_tail: Vec::new(),
            slip: None,
            note: None,
            recalled: None,
            contradiction: None,
        }
    }
}

/// The reason why a run gave no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// A [`Cancel`] stopped it.
    Cancelled,
    /// The test could not run; the message has the reason and the fix.
    Failed(String),
}

/// How a run of the test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exit {
    /// It exited with this code. A shell whose last command died of signal *n* exits with 128 + *n*.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was killed at the time limit.
    TimedOut,
    /// It was killed for another reason, did not start, or was not a process.
    Unknown,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => {
                write!(f, "exit code {code}")?;
                match code.checked_sub(128).and_then(signal_name) {
                    Some(name) => write!(f, " (128 + {name})"),
                    None => Ok(()),
                }
            }
            Self::Signal(number) => match signal_name(number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
            Self::TimedOut => f.write_str("timed out"),
            Self::Unknown => f.write_str("no exit status"),
        }
    }
}

/// Formats an error with its causes in one line, because outcomes store text.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Returns the last character boundary within the first `most` bytes of a text.
fn char_boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_has_a_verdict_or_a_reason_for_having_none() {
        let answer = Outcome::of(Verdict::Invalid);
        assert_eq!((answer.verdict, answer.unresolved), (Some(Verdict::Invalid), None));
        let none = Outcome::cancelled();
        assert_eq!((none.verdict, none.unresolved), (None, Some(Unresolved::Cancelled)));
        assert!(Outcome::of(Verdict::Interesting).is_interesting());
        assert!(!Outcome::failed("x").is_interesting());
    }

    #[test]
    fn an_exit_names_the_signal_behind_a_shells_code() {
        assert_eq!(Exit::Code(1).to_string(), "exit code 1");
        assert_eq!(Exit::Code(139).to_string(), "exit code 139 (128 + SIGSEGV)");
        assert_eq!(Exit::Signal(6).to_string(), "signal 6 (SIGABRT)");
        assert_eq!(Exit::Signal(63).to_string(), "signal 63");
        assert_eq!(Exit::Code(-1).to_string(), "exit code -1");
    }
}
