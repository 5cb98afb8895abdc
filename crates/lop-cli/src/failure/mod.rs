//! The failures of lop for a user: what happened, to which file, and what to do next.

mod error;
mod lines;
mod unfinished;

use std::error::Error;
use std::io::{self, Write};

use miette::Diagnostic;

use lop_grammar::LoadedError;
use lop_report::text::{self, BAD, shown};

use lines::hint_line;

pub use error::{Failure, RulesError};
pub(super) use lines::BY_HAND;
pub use unfinished::{Cause, Unfinished};

impl Failure {
    /// Prints it on standard error. If that is closed, the exit code has to be enough.
    pub fn report(&self) {
        let _ = self.write(&mut text::stderr());
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{BAD}error:{BAD:#} {}", self.in_lines())?;
        if let Failure::Reduce(run) = self {
            return run.explain(out);
        }
        causes(out, self)?;
        self.help().map_or(Ok(()), |hint| hint_line(out, &hint.to_string()))
    }

    /// The error, with nothing hidden in it. An error in a file of rules has several lines.
    fn in_lines(&self) -> String {
        match self {
            Failure::Grammar(_) | Failure::Loaded(LoadedError::Language(_)) | Failure::Rules(_) | Failure::Keep(_) => {
                shown(self.headline().as_bytes())
            }
            _ => text::one_line(&self.headline()),
        }
    }
}

/// Writes the chain of causes below an error, each on its own lines. Some (regular expressions) have several lines.
fn causes(out: &mut dyn Write, error: &dyn Error) -> io::Result<()> {
    let mut cause = error.source();
    while let Some(error) = cause {
        for line in error.to_string().lines() {
            writeln!(out, "  {}", text::one_line(line))?;
        }
        cause = error.source();
    }
    Ok(())
}
