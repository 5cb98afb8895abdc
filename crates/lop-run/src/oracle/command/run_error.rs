//! The reasons why a run of the command gave no verdict, with the way out.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::oracle::remote_runner::RunnerError;
use crate::oracle::service::ServiceError;
use crate::oracle::surroundings::SurroundingsError;

/// Number of bytes in which a script's first line must end.
const SCRIPT_START: u64 = 4096;

/// A run without a verdict.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error("cannot prepare a directory for the test in {}{}", place.display(), advice(source))]
    Prepare { place: PathBuf, source: io::Error },
    #[error("cannot open /dev/null as the test's input{}", advice(source))]
    NullDevice { source: io::Error },
    #[error("cannot start {}{}", program.display(), start_advice(program, source))]
    Start { program: PathBuf, source: io::Error },
    #[error("the exit status of the test is lost; if this process was started with SIGCHLD ignored, start it without")]
    Lost,
    #[error("cannot read what the test wrote")]
    Read { source: io::Error },
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("cannot talk to the server")]
    Ask { source: io::Error },
    #[error(
        "the server gave no answer: {said}; for each path it must write one line, with `interesting`, `not interesting`, \
         `invalid`, an exit code or a JSON object"
    )]
    Nonsense { said: String },
    #[error(transparent)]
    Surroundings(#[from] SurroundingsError),
    #[error(transparent)]
    Remote(#[from] RunnerError),
}

/// The hint about a script whose interpreter exists but isn't found.
const CRLF_ADVICE: &str = " (its lines end in CRLF; use dos2unix)";

fn start_advice(program: &Path, error: &io::Error) -> &'static str {
    let crlf = error.kind() == io::ErrorKind::NotFound && ends_in_crlf(program);
    if crlf { CRLF_ADVICE } else { advice(error) }
}

/// Whether a program is a script with Windows line ends. The system takes the carriage return as part of the
/// interpreter's name.
fn ends_in_crlf(program: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(program).and_then(|file| file.take(SCRIPT_START).read_to_end(&mut start));
    let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    read.is_ok() && first.starts_with(b"#!") && first.ends_with(b"\r") && first.len() < start.len()
}

/// Returns the hint for an error of the operating system, if there is one.
fn advice(error: &io::Error) -> &'static str {
    if let Some(text) = unix_advice(error) {
        return text;
    }
    match error.kind() {
        io::ErrorKind::FileTooLarge => " (raise `ulimit -f`)",
        io::ErrorKind::StorageFull => " (free some room, or set TMPDIR to a larger place)",
        io::ErrorKind::WouldBlock => " (too many processes: use fewer workers with -j, or raise `ulimit -u`)",
        io::ErrorKind::PermissionDenied => " (is it executable, and its file system not mounted noexec?)",
        io::ErrorKind::NotFound => " (is it still there, and the interpreter in its first line too?)",
        _ => "",
    }
}

/// Returns the hint for an error code without a kind in std.
fn unix_advice(error: &io::Error) -> Option<&'static str> {
    use rustix::io::Errno;
    match Errno::from_io_error(error)? {
        Errno::NOEXEC => Some(" (a script needs a first line such as #!/bin/sh)"),
        Errno::MFILE | Errno::NFILE => Some(" (use fewer workers with -j, or raise `ulimit -n`)"),
        _ => None,
    }
}
