//! The formatter of `--format CMD`.

use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::format_arg::FormatArg;
use crate::incomplete_test::Probe;
use lop_doctor::{reworded, settled_words};
use lop_reduce::{Formatter, FormatterError};
use lop_report::text;
use lop_run::oracle::{CommandOracle, Conditions, Exit, Subject};

/// The time that a formatter gets, unless the tests have a deadline.
const DEADLINE: Duration = Duration::from_secs(60);

/// The formatter that a command is, for a test case of this name. It is run as a test is, and ended after `deadline`.
///
/// # Errors
/// When the command cannot be run, or the test case has several files.
pub(super) fn formatter(
    format: &FormatArg,
    subject: &Subject,
    path: &Path,
    deadline: Option<Duration>,
) -> Result<Option<Formatter>, Failure> {
    let FormatArg::Command(words) = format else { return Ok(None) };
    if !matches!(subject, Subject::File(_)) {
        return Err(Failure::Usage {
            message: "a formatter works only with a single file".to_owned(),
            hint: "use --format none, compact or pretty".to_owned(),
        });
    }
    let here = std::env::current_dir().unwrap_or_default();
    let words = reworded(words, &settled_words(words, &here, path));
    let oracle = CommandOracle::command(&words, subject.clone(), Conditions::default())?;
    let deadline = deadline.unwrap_or(DEADLINE);
    Ok(Some(Formatter::new(move |text, cancel| {
        let mut probe = Probe::new(text.len(), Some(deadline), cancel).map_err(|error| FormatterError(error.into()))?;
        let (outcome, written) = probe.run(&oracle, text);
        let said = String::from_utf8_lossy(&written.stderr);
        let why = match outcome.exit {
            Exit::Code(0) if written.stdout.is_empty() => "wrote nothing to standard output".to_owned(),
            Exit::Code(0) => return Ok(written.stdout),
            Exit::TimedOut => format!("took longer than {}", text::duration(deadline)),
            exit => {
                let first = said.lines().next().map_or_else(String::new, |line| format!(": {line}"));
                format!("ended with {exit}{first}")
            }
        };
        Err(FormatterError(why.into()))
    })))
}
