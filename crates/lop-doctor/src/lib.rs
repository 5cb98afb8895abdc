//! Checks whether a test is reliable, before a long reduction relies on it.
//!
//! ```text
//!   Examination ──► exam: runs the test in different circumstances ──► Facts ──► checks: a table of functions ──► Findings
//! ```
//!
//! The checks only see facts, so each can be tested without a process. [`examine`] is the full examination; [`Checkup`]
//! makes a few of its runs after the baseline of a reduction.
//!
//! Internal to lop: no version of this crate promises anything.

mod causes;
mod checks;
mod checkup;
mod exam;
mod facts;
mod missing;
mod remote;
mod rewording;
mod traces;
mod trivial_inputs;
mod trouble;

use std::fmt;

pub use checks::findings;
pub use checkup::{Checkup, CheckupLevel};
pub use exam::{Examination, examine};
pub use facts::Facts;
pub use missing::{Missing, missing, named};
pub use remote::RemoteComparison;
pub use rewording::{Reworded, reworded, settled_words};
pub use trivial_inputs::{TrivialInput, TrivialInputs};
pub use trouble::Trouble;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All is well.
    Ok,
    /// Information; no action is needed.
    Note,
    /// The reduction may be slow or end on another bug.
    Warning,
    /// The reduction would not start, or its result would be useless.
    Fault,
}

impl Level {
    /// Its name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Fault => "fault",
        }
    }
}

/// The finding of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// A short name of the check.
    pub check: &'static str,
    /// How serious it is.
    pub level: Level,
    /// The observation.
    pub seen: String,
    /// Its meaning; empty if that is clear.
    pub means: String,
    /// How to fix it; empty if no action is needed.
    pub fix: String,
}

impl Finding {
    fn ok(check: &'static str, seen: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, seen: seen.into(), means: String::new(), fix: String::new() }
    }

    fn new(check: &'static str, level: Level, seen: impl Into<String>) -> Self {
        Self { level, ..Self::ok(check, seen) }
    }

    fn means(self, means: impl Into<String>) -> Self {
        Self { means: means.into(), ..self }
    }

    fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }
}

impl fmt::Display for Finding {
    /// Formats the finding as one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.seen, &self.means, &self.fix].into_iter().filter(|part| !part.is_empty());
        f.write_str(&parts.map(String::as_str).collect::<Vec<_>>().join("; "))
    }
}
