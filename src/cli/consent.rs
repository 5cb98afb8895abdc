//! Whether a command that stands in a file may be run, where this user's lop has not written the file.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::oracle::shell_line;
use crate::report::text;

use super::failure::Failure;

/// Shows the command line in a file and asks whether to run it; `yes` is the answer where it was given before.
///
/// # Errors
/// When the answer is no, or there is nobody to ask.
pub(super) fn ask(yes: bool, file: &Path, command: &[OsString], directory: &Path) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    let said = |words: &str| text::one_line(words);
    let line = said(&shell_line(command.iter().map(OsString::as_os_str)));
    let directory = said(&shell_line([directory.as_os_str()]));
    let file = said(&file.display().to_string());
    let shown = writeln!(
        text::stderr(),
        "{file} was not written by your lop, or has changed since. It says to run\n  {line}\nin\n  {directory}"
    );
    let refused = |message: String| Failure::Usage {
        message,
        hint: "if you trust the command and whoever wrote it, --yes runs it".to_owned(),
    };
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(refused(format!("the command in {file} is not run without being asked for")));
    }
    let mut answer = String::new();
    let asked = shown
        .and_then(|()| {
            let mut out = text::stderr();
            write!(out, "run it? [y/N] ")?;
            out.flush()
        })
        .and_then(|()| io::stdin().read_line(&mut answer));
    if asked.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(refused("not run; nothing was changed".to_owned()))
}
