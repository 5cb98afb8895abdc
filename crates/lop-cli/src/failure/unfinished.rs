//! A reduction without a result: the run of the test, its output, and a hint.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::way_out::way_out;
use miette::Diagnostic;

use lop_doctor::Missing;
use lop_reduce::{BASELINE_DEADLINE, ReduceError, Syntax, SyntaxCause};
use lop_report::text::{self, FAINT, STRONG};
use lop_run::oracle::{Exit, Outcome, Unresolved};

use super::lines::{BY_HAND, REPEATABLE, field, hint_line};

/// Lines of a test's output that are shown.
const TAIL: usize = 12;

/// A reduction without a result, and everything a reader needs to see why.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Unfinished {
    /// The error.
    #[source]
    pub error: ReduceError,
    /// The file as the user named it.
    pub input: PathBuf,
    /// The test as a shell line.
    pub test: String,
    /// The conditions of an interesting outcome, in words.
    pub wanted: String,
    /// Whether the test is a command without a condition.
    pub says_nothing: bool,
    /// The reason of a test that refuses its own input, if it is known.
    pub why: Option<Cause>,
    /// The command line.
    pub typed: Vec<OsString>,
    /// The machines that ran the test, if that is not this one.
    pub remote: Option<String>,
    /// The place of the best result as a sentence, if there is one.
    pub kept: Option<String>,
}

/// The reason why a test refuses its own input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A file or a module is missing in its directory.
    Misses(Missing),
    /// It accepts an empty file: its answer is inverted.
    IsReversed,
}

impl Diagnostic for Unfinished {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.error.code()
    }
}

impl Unfinished {
    /// The error, in a line.
    pub(super) fn headline(&self) -> String {
        let input = self.input.display();
        match &self.error {
            ReduceError::NotInteresting { .. } if self.says_nothing => {
                format!("the failure on {input} is too unspecific to keep")
            }
            ReduceError::NotInteresting { outcome } => {
                format!("the test rejects {input} itself: {}, expected {}", outcome.exit, self.wanted)
            }
            ReduceError::EmptyIsInteresting if self.says_nothing => {
                format!("the command succeeds on {input} and on an empty file, so there is no failure to keep")
            }
            ReduceError::EmptyIsInteresting => "the test accepts an empty file, so it checks nothing".to_owned(),
            ReduceError::Cancelled => stopped(&self.input, STOPPED),
            ReduceError::OutOfTime => stopped(&self.input, OUT_OF_TIME),
            ReduceError::OutOfTests => stopped(&self.input, "--max-tests was reached"),
            ReduceError::Sink { source, .. } => format!("reducing {input} stopped: {source}"),
            ReduceError::Syntax { wanted, cause } => format!("{input} cannot stay {}: {cause}", wanted.name()),
            other => format!("{input}: {other}"),
        }
    }

    /// Writes the lines below the headline.
    pub(super) fn explain(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.error {
            ReduceError::NotInteresting { outcome } => {
                self.show_run(out, outcome)?;
                if self.says_nothing {
                    hint_line(out, &format!("an empty or trivial file fails in the same way; {BY_HAND}"))?;
                }
                let name = self.input.file_name().unwrap_or_default().to_string_lossy();
                if self.says_nothing && !self.test.contains("@@") && !self.test.contains(&*name) {
                    let hint = "the command gets the candidate only on standard input; write @@ for its path";
                    return hint_line(out, hint);
                }
                let is_command = self.typed.iter().any(|word| word == "--");
                match &self.why {
                    Some(Cause::Misses(missing)) => return hint_line(out, &way_out(missing, &self.typed, is_command)),
                    Some(Cause::IsReversed) if !self.says_nothing => {
                        return hint_line(
                            out,
                            "the test accepts an empty file and rejects this one. Exit code 0 means interesting, so invert the \
                             answer: `! CMD` on the last line of a shell script",
                        );
                    }
                    _ => {}
                }
                if let Some(place) = &self.remote {
                    let hint = format!(
                        "`lop doctor --remote {place}` with the same test and file shows what differs there; --remote-input \
                         sends a file along"
                    );
                    return hint_line(out, &hint);
                }
                let of_tools = tool_hints(&self.test, outcome);
                let is_directory = self.input.is_dir() && !is_command && !self.says_nothing;
                let otherwise = match is_command {
                    _ if self.says_nothing || is_directory => None,
                    true => Some("compare the condition with the output above"),
                    false => Some("run the test by hand in an empty directory with a copy of the file"),
                };
                let mut all = if of_tools.is_empty() { hints(outcome, otherwise) } else { of_tools };
                if is_directory {
                    all.push(format!(
                        "the test runs in a directory with a copy of {name}, so its files are in {name}/"
                    ));
                }
                all.iter().try_for_each(|hint| hint_line(out, hint))?;
            }
            ReduceError::Flaky { outcome, .. } => {
                self.show_run(out, outcome)?;
                hint_line(out, REPEATABLE)?;
            }
            ReduceError::TooRare { .. } => {
                hint_line(out, "ask for a lower rate, or for the file's own with --flaky")?;
            }
            ReduceError::InTurns { outcome, .. } => {
                self.show_run(out, outcome)?;
                hint_line(
                    out,
                    "make the test independent of its earlier runs: it may count them, or find a file that one of them left",
                )?;
            }
            ReduceError::EmptyIsInteresting => {
                field(out, "test", &self.test)?;
                if self.says_nothing {
                    if is_curl(&self.test) {
                        hint_line(
                            out,
                            "curl exits with 0 whatever the server answers. Add --fail-with-body to fail on an HTTP error, and send \
                             the candidate with `--data-binary @@@` (`@` and the path)",
                        )?;
                    }
                    hint_line(
                        out,
                        "check that the command fails on the file, or say what to keep with --stdout RE, --stderr RE, \
                         --exit-code N or --signal NAME",
                    )?;
                    return Ok(());
                }
                hint_line(
                    out,
                    "make the test check for the message or output of your bug, in the candidate and not in the original by \
                     its absolute path. If an empty file is a good result, use --allow-empty",
                )?;
            }
            ReduceError::Syntax { wanted, cause: SyntaxCause::Otherwise(_) } => {
                let other = if *wanted == Syntax::Valid { Syntax::Invalid } else { Syntax::Valid };
                hint_line(out, &format!("omit --syntax={}, or use --syntax={}", wanted.name(), other.name()))?;
            }
            ReduceError::Unresolved { .. } => field(out, "test", &self.test)?,
            _ => {}
        }
        match &self.kept {
            Some(sentence) => field(out, "kept", sentence),
            None => Ok(()),
        }
    }

    fn show_run(&self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        field(out, "test", &self.test)?;
        run(out, outcome)
    }
}

/// Writes how the test ended, and its last output.
fn run(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    field(out, "ended", &format!("{} after {}", outcome.exit, text::duration(outcome.duration)))?;
    if let Some(note) = &outcome.note {
        field(out, "note", note)?;
    }
    if let Some(Unresolved::Failed(message)) = &outcome.unresolved {
        field(out, "because", message)?;
    }
    let streams = [("stdout", &outcome.stdout_tail), ("stderr", &outcome.stderr_tail)];
    for (name, bytes) in streams {
        let lines = text::tail(bytes, TAIL);
        if lines.is_empty() {
            writeln!(out, "  {STRONG}{name:<7}{STRONG:#} {FAINT}(nothing){FAINT:#}")?;
            continue;
        }
        writeln!(out, "  {STRONG}{name}{STRONG:#}")?;
        for line in lines {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// Whether a command line calls curl.
fn is_curl(test: &str) -> bool {
    test.split_whitespace().any(|word| word == "curl" || word.ends_with("/curl"))
}

/// The needs of the programs that a test calls.
fn tool_hints(test: &str, outcome: &Outcome) -> Vec<String> {
    let mut hints = Vec::new();
    let said = [outcome.stdout_tail.as_slice(), &outcome.stderr_tail].concat();
    let said = String::from_utf8_lossy(&said);
    if test.split_whitespace().any(|word| word == "npx" || word.ends_with("/npx")) || said.contains("npx ") {
        hints.push(
            "npx looks for packages in its directory and above, where there are none. Call the program by its path, such as \
             node_modules/.bin/NAME, or add --with node_modules"
                .to_owned(),
        );
    }
    if is_curl(test) || said.contains("curl: (") {
        match outcome.exit {
            Exit::Code(7) => hints.push("curl exits with 7 if no server answers; start the server first".to_owned()),
            Exit::Code(26) => hints.push("curl reads a file if its name follows `@`; write @@@".to_owned()),
            _ => {}
        }
    }
    hints
}

/// Returns the hints on the usual problems of a test that rejects its own input, or else the given one.
fn hints(outcome: &Outcome, otherwise: Option<&str>) -> Vec<String> {
    let mut hints = Vec::new();
    match outcome.exit {
        Exit::Code(127) => hints.push("a shell exits with 127 if it doesn't find a command".to_owned()),
        Exit::Code(126) => hints.push("a shell exits with 126 if it cannot execute a file".to_owned()),
        Exit::TimedOut if outcome.note.is_some() => hints.push(
            "redirect the command's input (`< /dev/null`), or run it without a terminal: `setsid -w CMD`".to_owned(),
        ),
        Exit::TimedOut => hints.push(format!(
            "give the test more time with --timeout SECS; the default for the first run is {} s",
            BASELINE_DEADLINE.as_secs()
        )),
        _ => {}
    }
    let said = [outcome.stdout_tail.as_slice(), &outcome.stderr_tail].concat();
    let said = String::from_utf8_lossy(&said);
    // A carriage return is a part of the last word of a line for a shell, and so of a message about it.
    if ["\r:", "\r':", "'$'\\r'"].iter().any(|words| said.contains(words)) {
        hints.push("the lines of the test script end in CRLF; convert it with dos2unix".to_owned());
    // Shells say less than the C library does.
    } else if said.contains("No such file") {
        hints.push(
            "tests run in a directory that holds only the candidate; use absolute paths for other files, or --with"
                .to_owned(),
        );
    }
    if hints.is_empty() {
        hints.extend(otherwise.map(str::to_owned));
    }
    hints
}

/// The reason for the end of a run that was stopped.
pub(super) const STOPPED: &str = "stopped";

/// Why a run ended that had no time left.
pub(super) const OUT_OF_TIME: &str = "--max-time was over";

/// The message on a run that ended before it could begin.
pub(super) fn stopped(path: &Path, why: &str) -> String {
    format!("{why} before the first test of {} ended; nothing was changed", path.display())
}
