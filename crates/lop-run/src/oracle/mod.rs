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
mod remote_runner;
mod remove;
mod second_command;
mod shell;
mod side_file;
mod signal;
mod signature;
mod slippage;
mod slot;
mod surroundings;
mod template;

use std::error::Error;
use std::fmt;
use std::time::Duration;

pub use cancel::Cancel;
pub use command::{CommandOracle, Subject};
pub use condition_error::ConditionError;
pub use conditions::{ConditionSpec, Conditions};
pub use confine::is_root;
pub use confine::{ConfineError, Confinement, Isolation};
pub use output::Written;
pub use private::PrivateDirectory;
pub use process::{end_tests_at_once, run_limited};
pub use program::CommandError;
pub use program::has_program;
pub use remote_runner::{Action, CASE, Content, Folder, Node, RemoteResult, RemoteRunner};
pub use second_command::{Guarded, SecondCommand};
pub use shell::{exact_line as exact_shell_line, line as shell_line};
pub use side_file::{CopyLimits, SideFile, SideFileError};
pub use signal::{SignalError, signal_name, signal_number};
pub use signature::{Groups, Mark, Seen, Signature, Table};
pub use slot::{Slot, SlotError, SlotOptions};
pub use surroundings::{SurroundingsError, check_surroundings, is_device};

use lop_engine::Verdict;

/// Exit code 124 means that the test itself noticed a timeout: what `timeout(1)` of GNU coreutils returns.
pub const TIMEOUT_CODE: i32 = 124;

/// Exit code 125 marks an invalid candidate unless the user chose another code: what `git bisect run` calls "skip".
pub const INVALID_CODE: i32 = 125;

/// The interestingness test: says of a candidate whether it still shows what the user is after.
///
/// Requirements: the answer depends on the candidate's bytes alone as far as the test allows; several threads may
/// call `judge` at the same time, each with a slot of its own; when `judge` returns, or unwinds, no process that it
/// started is running any more; it returns soon after `cancel` is stopped, and soon after `deadline` has passed.
pub trait Oracle: Send + Sync {
    /// Runs the test once on `candidate`, for at most `deadline`.
    ///
    /// * A verdict is what the search learns from. Running into the deadline is [`Verdict::Timeout`].
    /// * [`Unresolved::Cancelled`] when `cancel` was stopped before there was a verdict.
    /// * [`Unresolved::Failed`] when the test could not be run. Executors repeat such a run once and then report it;
    ///   it never counts as an answer.
    fn judge(&self, candidate: &[u8], slot: &mut Slot, deadline: Duration, cancel: &Cancel) -> Outcome;

    /// The test as a line for people, such as a shell command.
    fn describe(&self) -> String;
}

/// Everything known of one run of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer; `None` when the run gave none, and then `unresolved` says why.
    pub verdict: Option<Verdict>,
    /// Why there is no verdict; `None` when there is one.
    pub unresolved: Option<Unresolved>,
    /// How the test ended.
    pub exit: Exit,
    /// Wall time from the start of the test to its end.
    pub duration: Duration,
    /// The last bytes of its standard output, at most [`Outcome::TAIL`].
    pub stdout_tail: Vec<u8>,
    /// The last bytes of its standard error, at most [`Outcome::TAIL`].
    pub stderr_tail: Vec<u8>,
    /// The signature of another crash than the one that is looked for, where the run shows one.
    pub slip: Option<String>,
    /// Something a reader of the report should know, such as that the test was killed for writing too much.
    pub note: Option<String>,
    /// Where the outcome is known from when the test was not run for it.
    pub recalled: Option<Recalled>,
}

/// Where an outcome is known from without a run of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// The same reduction, before it was interrupted.
    Journal {
        /// Working time of the reduction when the outcome was known.
        at: Duration,
    },
    /// Another reduction with the same test.
    Cache,
}

impl Outcome {
    /// How many bytes of each output are kept for reports.
    pub const TAIL: usize = 8 << 10;

    /// An outcome of which nothing but the verdict is known.
    #[must_use]
    pub fn of(verdict: Verdict) -> Self {
        Self::with(Some(verdict), None)
    }

    /// An outcome that was cancelled before there was an answer.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::with(None, Some(Unresolved::Cancelled))
    }

    /// An outcome of a run that could not be made; `message` says why and, where there is one, the way out.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::with(None, Some(Unresolved::Failed(message.into())))
    }

    /// The verdict is [`Verdict::Interesting`].
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
        }
    }
}

/// Why a run gave no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// A [`Cancel`] asked it to stop. Nothing is wrong, and nothing is known.
    Cancelled,
    /// The test could not be run; the message says why and what to do about it.
    Failed(String),
}

/// How a run of the test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exit {
    /// It exited with this code. A shell whose last command died of signal *n* exits with 128 + *n*.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It was killed because it ran into the deadline.
    TimedOut,
    /// It was killed for another reason, did not start, or was not a process at all.
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

/// An error and what caused it, in one line: an outcome keeps text, not errors.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The last place between two characters that is at most `most` bytes into a text.
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
