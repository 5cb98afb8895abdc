//! Makes paths in a command absolute, if they are relative to the user's current directory.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use lop_doctor::{Reworded, reworded, settled_words};
use lop_report::Verbosity;
use lop_report::text::{self, HINT};

use super::failure::Failure;
use super::settings::Settings;

/// Makes paths in the words of a new reduction's command absolute, and in the command line `typed`: tests run in their
/// own directories.
///
/// # Errors
/// When the command cannot be started with them.
pub(crate) fn settle(settings: &mut Settings, typed: &mut Vec<OsString>) -> Result<(), Failure> {
    if !settings.test.is_command {
        return Ok(());
    }
    let changes = changes(&settings.test.words, &settings.case.path);
    if changes.is_empty() {
        return Ok(());
    }
    if settings.reporting.verbosity > Verbosity::Quiet {
        // A closed standard error is no reason to fail.
        let _ = writeln!(text::stderr(), "{HINT}note:{HINT:#} {}", text::one_line(&said(&changes)));
    }
    let words = reworded(&settings.test.words, &changes);
    *typed = replace_words(typed, settings.test.words.len(), &words);
    settings.test.oracle = settings.test.oracle.reworded(&words)?;
    settings.test.words = words;
    Ok(())
}

/// The words of a command that become others.
pub(crate) fn changes(words: &[OsString], file: &Path) -> Vec<Reworded> {
    settled_words(words, &std::env::current_dir().unwrap_or_default(), file)
}

/// The sentence about them.
fn said(changes: &[Reworded]) -> String {
    let changes = changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("relative paths made absolute, as tests run in another directory: {changes}")
}

/// Returns a command line with other last words.
pub(crate) fn replace_words(typed: &[OsString], old: usize, new: &[OsString]) -> Vec<OsString> {
    [&typed[..typed.len().saturating_sub(old)], new].concat()
}
