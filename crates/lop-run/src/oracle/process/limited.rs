//! The process between lop and a confined test: it sets its limits, closes inherited descriptors if the test is
//! isolated, gives up write access, and then becomes the test.
//!
//! Its arguments are [`Orders`] as words, and the program:
//!
//! ```text
//!   __limited [MEMORY] [sealed] -- PROGRAM ARGS…
//! ```
//!
//! If that fails, no exit code may look like an outcome, so the process writes the reason into a file of the slot that
//! only the oracle reads.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode};

use super::MARK;

/// The first argument of a program that is to confine itself and become another one.
const LIMITED: &str = "__limited";
/// No descriptors are handed on but the three usual ones.
const SEALED: &str = "sealed";
/// In front of the program.
const END: &str = "--";

/// The first descriptor that is not for input, output or errors.
const FIRST_OTHER: i32 = 3;

/// The exit code of a process that could not become the test.
const NOT_STARTED: u8 = 127;

/// Maximum number of bytes to read of [`UNSTARTED`]: a test can write there, too.
const REASON: u64 = 16;

/// The file in the slot that says why the test could not be started.
const UNSTARTED: &str = "unstarted";

/// The changes that a process makes to itself before it becomes the test. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    /// Limit of the address space of each process of the test in bytes; `None` for lop's own limit.
    pub(crate) memory_limit: Option<u64>,
    /// Whether it hands on no descriptors but the three usual ones.
    pub(crate) seals: bool,
}

impl Orders {
    /// The arguments, up to the program.
    pub(crate) fn to_words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![LIMITED.into()];
        words.extend(self.memory_limit.map(|limit| limit.to_string().into()));
        words.extend(self.seals.then(|| SEALED.into()));
        words.push(END.into());
        words
    }

    /// The reverse of [`Orders::to_words`], which leaves the program and its arguments.
    fn from_words(words: &mut impl Iterator<Item = OsString>) -> Option<Self> {
        if words.next()? != LIMITED {
            return None;
        }
        let mut orders = Orders::default();
        loop {
            match words.next()? {
                word if word == END => return Some(orders),
                word if word == SEALED => orders.seals = true,
                word => orders.memory_limit = Some(word.to_str()?.parse().ok()?),
            }
        }
    }
}

/// Becomes the program in the arguments, with their limits. Returns if the arguments aren't such a request.
///
/// The `main` of a program that is named as [`Confinement::limiter`](crate::oracle::Confinement) has to begin with it.
/// Arguments that are right and a program that can be started make this function not return.
#[must_use]
pub fn run_limited(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let slot = std::env::var_os(MARK)?;
    let orders = Orders::from_words(&mut arguments)?;
    if orders.seals {
        // Marked, not closed: they go when the test begins.
        close_fds::set_fds_cloexec(FIRST_OTHER, &[]);
    }
    let mut command = Command::new(arguments.next()?);
    let error = start(command.args(arguments), &orders);
    let code = error.raw_os_error().map_or_else(String::new, |code| code.to_string());
    // A process that cannot write there still ends with an exit code that no test should have.
    let _ = std::fs::write(Path::new(&slot).join(UNSTARTED), code);
    Some(ExitCode::from(NOT_STARTED))
}

/// Why the last test of a slot was not started, if it was not.
pub(crate) fn unstarted(slot: &Path) -> Option<io::Error> {
    let path = slot.join(UNSTARTED);
    // The test may have put anything there: a link out of its box, or a pipe without a writer.
    if !path.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
        return None;
    }
    let mut code = String::new();
    File::open(&path).ok()?.take(REASON).read_to_string(&mut code).ok()?;
    let _ = std::fs::remove_file(path);
    let other = || io::Error::other("it could not be confined");
    Some(code.parse().map_or_else(|_| other(), io::Error::from_raw_os_error))
}

fn start(command: &mut Command, orders: &Orders) -> io::Error {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let set = orders.memory_limit.map_or(Ok(()), |limit| {
        // A process cannot raise its hard limit, and the user's lower limit applies, too.
        let limit = Some(limit.min(getrlimit(Resource::As).maximum.unwrap_or(u64::MAX)));
        setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }).map_err(io::Error::from)
    });
    match set {
        Ok(()) => command.exec(),
        Err(error) => error,
    }
}

/// Runs a command to its end, without anything to read or to write; why it did not end well.
pub(crate) fn probe(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(std::process::Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().map(str::trim).filter(|line| !line.is_empty());
    Err(first.map_or_else(|| format!("it ended with {}", output.status), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_to_others() {
        for line in [&["lop"][..], &["lop", "test", "file"], &["lop", LIMITED], &["lop", LIMITED, "1"]] {
            assert!(run_limited(line.iter().map(OsString::from)).is_none(), "{line:?}");
        }
    }

    #[test]
    fn orders_go_through_words() {
        for orders in [
            Orders::default(),
            Orders { memory_limit: Some(3), ..Orders::default() },
            Orders { seals: true, ..Orders::default() },
            Orders { memory_limit: Some(3), seals: true },
        ] {
            let mut words = orders.to_words().into_iter().chain(["prog".into()]);
            assert_eq!(Orders::from_words(&mut words), Some(orders));
            assert_eq!(words.collect::<Vec<_>>(), ["prog"]);
        }
        for line in [&[LIMITED, "x", "--"][..], &[LIMITED, "-1", "--"], &[LIMITED, "1", "other", "--"], &["--"]] {
            assert_eq!(Orders::from_words(&mut line.iter().map(OsString::from)), None, "{line:?}");
        }
    }

    #[test]
    fn the_reason_for_no_start_is_read_once() {
        let slot = tempfile::tempdir().expect("a directory");
        assert!(unstarted(slot.path()).is_none());
        std::fs::write(slot.path().join(UNSTARTED), "2").expect("writable");
        assert_eq!(unstarted(slot.path()).expect("it was written").kind(), io::ErrorKind::NotFound);
        assert!(unstarted(slot.path()).is_none());
    }

    #[test]
    fn a_reason_that_leads_elsewhere_is_none() {
        let slot = tempfile::tempdir().expect("a directory");
        let elsewhere = slot.path().join("elsewhere");
        std::fs::write(&elsewhere, "2").expect("writable");
        std::os::unix::fs::symlink(&elsewhere, slot.path().join(UNSTARTED)).expect("a link");
        assert!(unstarted(slot.path()).is_none());
        assert!(elsewhere.exists());
    }
}
