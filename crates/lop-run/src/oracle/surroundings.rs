//! Detects that a test has damaged its environment: /dev/null, and the space for temporary files.
//!
//! Both happen: a compiler that runs as root with `-o /dev/null` deletes it on failure, and from then on the outcome of
//! every test is wrong. The checks cost a microsecond each.

use std::path::{Path, PathBuf};

/// Less room than this on the file system of the candidates is an error, in bytes: a test needs some to write to.
const LEAST_ROOM: u64 = 1 << 20;

/// Something that every test relies on is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurroundingsError {
    /// /dev/null is missing or an ordinary file.
    #[error(
        "/dev/null is no longer a device, probably because of the test (a compiler that runs as root with `-o /dev/null` \
         deletes it); restore it with `rm -f /dev/null; mknod -m 666 /dev/null c 1 3` and let the test write elsewhere"
    )]
    NullDevice,
    /// The temporary file system is full.
    #[error("only {free} bytes are free for temporary files in {}; free some or set TMPDIR to a larger place", path.display())]
    NoRoom {
        /// The directory of the candidates.
        path: PathBuf,
        /// The room left there, in bytes.
        free: u64,
    },
}

/// A file that is always empty.
pub(crate) const NULL_DEVICE: &str = "/dev/null";

/// Checks /dev/null, and the free space below `directory`. Also useful at the end of a run: damage by its last tests
/// makes their outcomes doubtful.
///
/// # Errors
/// [`SurroundingsError`] names the broken thing.
pub fn check_surroundings(directory: &Path) -> Result<(), SurroundingsError> {
    check_null()?;
    check_room(directory)
}

pub(crate) fn check_null() -> Result<(), SurroundingsError> {
    if is_device(Path::new(NULL_DEVICE)) { Ok(()) } else { Err(SurroundingsError::NullDevice) }
}

/// Whether a path leads to a character device, as /dev/null has to.
#[must_use]
pub fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_char_device())
}

pub(crate) fn check_room(directory: &Path) -> Result<(), SurroundingsError> {
    match room(directory) {
        Some(free) if free < LEAST_ROOM => Err(SurroundingsError::NoRoom { path: directory.to_owned(), free }),
        _ => Ok(()),
    }
}

/// Returns the free bytes below `directory` for this user, or `None` if the system doesn't know.
pub(crate) fn room(directory: &Path) -> Option<u64> {
    let facts = rustix::fs::statvfs(directory).ok()?;
    Some(facts.f_bavail.saturating_mul(facts.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_healthy_machine_passes() {
        assert_eq!(check_surroundings(&std::env::temp_dir()), Ok(()));
    }

    #[test]
    fn a_file_in_the_place_of_a_device_is_noticed() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(!is_device(file.path()));
        assert!(!is_device(Path::new("/nowhere/null")));
        assert!(is_device(Path::new("/dev/null")));
    }

    #[test]
    fn the_message_says_how_to_get_dev_null_back() {
        assert!(SurroundingsError::NullDevice.to_string().contains("mknod -m 666 /dev/null c 1 3"));
    }
}
