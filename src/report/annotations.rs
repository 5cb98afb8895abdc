//! What a run came to as commands of a GitHub workflow, which shows them beside the file.
//!
//! The form is that of the workflow commands: `::notice file=F,line=N,title=T::text`. What would end a property or the
//! command is written as a percent code.

use std::io::{self, Write};
use std::path::Path;

use super::text;
use super::visible::without_marks;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// For information.
    Notice,
    /// Something to look at.
    Warning,
    /// The job should not pass.
    Error,
}

/// Writes one command about a file, at its first line.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, severity: Severity, file: &Path, title: &str, text: &str) -> io::Result<()> {
    let command = match severity {
        Severity::Notice => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let file = property(&text::path(file));
    writeln!(out, "::{command} file={file},line=1,title={}::{}", property(title), message(text))
}

fn message(text: &str) -> String {
    without_marks(text::shown(text.as_bytes())).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_text_ends_the_command() {
        let mut out = Vec::new();
        write(&mut out, Severity::Error, Path::new("a,b:c.x"), "lop: 100%", "one\n::error::two").expect("a vector");
        assert_eq!(
            String::from_utf8_lossy(&out),
            "::error file=a%2Cb%3Ac.x,line=1,title=lop%3A 100%25::one%0A::error::two\n"
        );
    }
}
