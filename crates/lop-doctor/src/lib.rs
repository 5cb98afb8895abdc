//! Responsible for finding out whether a test can be relied on, before hours are spent on what it says.
//!
//! ```text
//!   Examination ──► exam: runs the test in different circumstances ──► Facts ──► checks: a table of functions ──► Findings
//! ```
//!
//! The checks see facts and nothing else, so that each can be tested without a process. [`examine`] is the whole
//! examination; [`Checkup`] makes a few runs of it when a reduction has judged its input.
//!
//! Internal to lop: no version of this crate promises anything.

mod away;
mod checks;
mod checkup;
mod exam;
mod facts;
mod missing;
mod rewording;
mod traces;
mod trivial_inputs;
mod trouble;

use std::fmt;

pub use away::Away;
pub use checks::findings;
pub use checkup::{Checkup, CheckupLevel};
pub use exam::{Examination, examine};
pub use facts::Facts;
pub use missing::{Missing, missing, named};
pub use rewording::{Reworded, reworded, settled_words};
pub use trivial_inputs::{TrivialInput, TrivialInputs};
pub use trouble::Trouble;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Good to know; nothing has to be done.
    Note,
    /// The reduction may become slow or misled.
    Warning,
    /// The reduction would not start, or its result would be worth nothing.
    Fault,
}

impl Level {
    /// The word for it.
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
    /// The check, in a word or two.
    pub check: &'static str,
    /// How serious it is.
    pub level: Level,
    /// The observation.
    pub seen: String,
    /// The meaning of it; empty where it is plain.
    pub means: String,
    /// How to fix it; empty where nothing has to be done.
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
    /// All of it in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.seen, &self.means, &self.fix].into_iter().filter(|part| !part.is_empty());
        f.write_str(&parts.map(String::as_str).collect::<Vec<_>>().join("; "))
    }
}
