//! Commands that run before each test: `--fix` changes the candidate, and `--generator` makes the file to test of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lop_reduce::{Formatter, FormatterError};
use lop_run::oracle::{CommandOracle, Conditions, Confinement, SideFile, Slot, SlotOptions, Subject};

use super::command_words::settled_command;
use super::failure::Failure;

/// The time that the command gets, unless the tests have a deadline.
const DEADLINE: Duration = Duration::from_secs(60);

/// Returns the command as a step before a test of this name, and as one before a result is written. It has the
/// confinement and the side files of the test.
///
/// # Errors
/// When the command cannot be run, or the test case has several files.
pub(super) fn fixing(
    line: &str,
    (subject, path): (&Subject, &Path),
    deadline: Option<Duration>,
    confinement: &Confinement,
    beside: Vec<Arc<SideFile>>,
) -> Result<(CommandOracle, Formatter), Failure> {
    if !matches!(subject, Subject::File(_)) {
        return Err(Failure::Usage {
            message: "--fix works only with a single file".to_owned(),
            hint: "let the test itself change its files before it runs the program".to_owned(),
        });
    }
    let fix = before_test("--fix", line, (subject, path), confinement, beside)?;
    let (own, deadline) = (fix.clone(), deadline.unwrap_or(DEADLINE));
    let formatter = Formatter::new(move |text, cancel| {
        // Tests run at the same time, and this must not end their processes.
        let options = SlotOptions { candidate_len: text.len(), ..SlotOptions::default() };
        let mut slot = Slot::new(&options).map_err(|error| FormatterError(error.into()))?;
        own.change(text, &mut slot, deadline, cancel).map_err(|outcome| FormatterError(outcome.exit.to_string().into()))
    });
    Ok((fix, formatter))
}

/// Returns the command of an option that runs on this machine before each test, with the confinement and the side files
/// of the test.
///
/// # Errors
/// When the command cannot be run.
pub(super) fn before_test(
    option: &str,
    line: &str,
    (subject, path): (&Subject, &Path),
    confinement: &Confinement,
    beside: Vec<Arc<SideFile>>,
) -> Result<CommandOracle, Failure> {
    let words = settled_command(option, line, path)?;
    let confinement = Confinement { remote: None, inputs: Vec::new(), ..confinement.clone() };
    let command = CommandOracle::command(&words, subject.clone(), Conditions::default())?;
    Ok(command.confined(confinement)?.with_belongings(beside)?)
}
