//! `lop resume DIR`: continues an interrupted reduction.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use super::reduce::{self, Start};
use crate::exit_code::Code;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::state;
use crate::state_args::ResumeArgs;
use lop_journal::{Lock, Past, journal_file};
use lop_reduce::Ended;
use lop_report::text::{self, GOOD};
use lop_run::oracle::shell_line;

/// Continues at the end of the journal.
///
/// # Errors
/// When the journal is missing, damaged, in use or about something else, and whatever keeps a reduction from going on.
pub fn run(args: &ResumeArgs) -> Result<Code, Failure> {
    go_on(args, reduce::carry_out)
}

/// Continues at the end of the journal, with `carry_out`.
pub(super) fn go_on(
    args: &ResumeArgs,
    carry_out: impl FnOnce(Settings, Start) -> Result<Code, Failure>,
) -> Result<Code, Failure> {
    // The working directory is about to change.
    let path = std::path::absolute(journal_file(&args.folder)).map_err(Failure::Directory)?;
    let locked = Lock::take(&path).and_then(|lock| lock.past().map(|past| (lock, past)));
    let (lock, past) = locked.map_err(|error| state::not_found("resume", &args.folder, error))?;
    state::check_version(&past)?;
    if past.ended == Some(Ended::Complete) {
        if !args.quiet {
            let _ = say_ended(&mut text::stderr(), &past);
        }
        return Ok(Code::Reduced);
    }
    if !args.yes && !state::own_key().is_some_and(|key| past.header.is_marked_with(&key)) {
        return Err(strangers(&args.folder, &past));
    }
    let settings = Settings::resumed(&state::arguments(&past, args)?, &past)?;
    carry_out(settings, Start::Again { lock, past: Box::new(past) })
}

/// A journal that this user's lop has not written says a command, which is shown and not run.
fn strangers(folder: &Path, past: &Past) -> Failure {
    let words: Vec<OsString> = past.header.arguments.iter().map(state::word).collect();
    let line = shell_line(words.iter().map(OsString::as_os_str));
    let directory = shell_line([state::word(&past.header.directory).as_os_str()]);
    let message = "was not written by your lop, or changed since. It would run";
    Failure::Usage {
        message: format!("{} {message} {line} in {directory}", folder.display()),
        hint: "if you trust this command, --yes runs it".to_owned(),
    }
}

fn say_ended(out: &mut dyn Write, past: &Past) -> io::Result<()> {
    let tests = text::plural(past.outcomes() as u64, "test");
    writeln!(out, "{GOOD}nothing to resume{GOOD:#}: the run finished after {tests}")
}
