//! Reports a command line that clap rejects, with a suggestion.

use std::ffi::OsString;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use lop_report::text::{self, HINT};
use lop_report::visible::is_hidden;

use super::{help, suggestion};

/// Ends the process like clap, with its message.
pub(super) fn refuse(error: clap::Error, words: &[OsString]) -> ! {
    let code = error.exit_code();
    if !error.use_stderr() {
        // Help, and nothing of the words.
        let _ = error.print();
        std::process::exit(code)
    }
    let mut out = text::stderr();
    // If standard error is closed, the exit code has to be enough.
    let _ = write!(out, "{}", said(&error, words)).and_then(|()| match hint(&error, words) {
        Some(hint) => writeln!(out, "{HINT}hint:{HINT:#} {}", text::one_line(&hint)),
        None => Ok(()),
    });
    let _ = out.flush();
    std::process::exit(code)
}

/// Makes the message. It quotes the words, so their hidden characters are escaped first.
fn said(error: &clap::Error, words: &[OsString]) -> String {
    let hides = |word: &OsString| word.to_str().is_none_or(|word| word.chars().any(is_hidden));
    if words.iter().any(hides) {
        let plain = words.iter().map(|word| text::path(word.as_ref()));
        if let Err(error) = help::command().try_get_matches_from(plain) {
            return error.render().ansi().to_string();
        }
    }
    error.render().ansi().to_string()
}

fn hint(error: &clap::Error, words: &[OsString]) -> Option<String> {
    if let Some(hint) = suggestion::in_line(words) {
        return Some(hint);
    }
    let of_pass =
        |argument: &ContextValue| ["--only", "--skip"].iter().any(|name| argument.to_string().starts_with(name));
    if error.get(ContextKind::InvalidArg).is_some_and(of_pass) {
        return Some("`lop passes` lists what each pass does".to_owned());
    }
    // If `--` is missing, an option of the test's command is unknown to lop.
    let plain = words.iter().skip(1).filter(|word| !word.to_string_lossy().starts_with('-')).count();
    let is_late = error.kind() == ErrorKind::UnknownArgument && plain > 1 && words.iter().all(|word| word != "--");
    is_late.then(|| "write the command and its options after `--`: lop FILE -- CMD ARGS…".to_owned())
}
