//! The words of a command that is the value of an option.

use std::ffi::OsString;
use std::path::Path;

use lop_doctor::{reworded, settled_words};

use super::failure::Failure;

/// Splits the value of an option into the words of a command, as a shell would, without its other syntax.
///
/// # Errors
/// [`Failure::Usage`] if there is no word, or a quote is open.
pub(super) fn command_words(option: &str, line: &str) -> Result<Vec<OsString>, Failure> {
    let words = shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(|| Failure::Usage {
        message: format!("`{line}` of {option} is not a command"),
        hint: format!(
            "write a program and its arguments, and close its quotes; for pipes write {option} 'sh -c \"…\"'"
        ),
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// [`command_words`] with the paths of the working directory made absolute, except that of the test case.
///
/// # Errors
/// The errors of [`command_words`].
pub(super) fn settled_command(option: &str, line: &str, case: &Path) -> Result<Vec<OsString>, Failure> {
    let words = command_words(option, line)?;
    let here = std::env::current_dir().unwrap_or_default();
    Ok(reworded(&words, &settled_words(&words, &here, case)))
}
