//! Private directories, and the removal of those that ended processes left behind.
//!
//! ```text
//!   lop-XXXXXX/
//!     .lop-held        locked as long as the process lives that has made the directory
//! ```
//!
//! A killed process cannot remove its directories, but the system releases its locks. So a directory whose file isn't
//! locked belongs to an ended process. A directory without this file stays, because it may belong to another program.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lop_files::disk::Folder;
use lop_files::tree::remove_tree;

/// The start of the names of the directories, and the number of letters after it.
const PREFIX: &str = "lop-";
const LETTERS: usize = 6;

/// The file that is locked.
pub(super) const HELD: &str = ".lop-held";

/// The number of directories that are made at most while others remove each before it is locked.
const TRIES: usize = 16;

/// The lock that marks a directory of a running process; `None` if the file system has no locks. Then no process can
/// tell whose it is.
#[derive(Debug)]
pub(super) struct Held {
    _file: Option<File>,
}

/// A directory for the user alone. It is removed when this value is dropped, or by a later run after a kill.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    _held: Held,
}

impl PrivateDirectory {
    /// Makes one in a place.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(place: &Path) -> io::Result<Self> {
        let (path, held) = make(place)?;
        Ok(PrivateDirectory { path, _held: held })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}

/// Makes a directory in a place. The caller removes it.
///
/// # Errors
/// When it cannot be made.
pub(super) fn make(place: &Path) -> io::Result<(PathBuf, Held)> {
    let place = place.canonicalize()?;
    for _ in 0..TRIES {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(LETTERS);
        builder.permissions(fs::Permissions::from_mode(0o700));
        let path = builder.tempdir_in(&place)?.keep();
        if let Some(held) = hold(&path) {
            return Ok((path, held));
        }
    }
    Err(io::Error::other("others remove directories as soon as they are made"))
}

/// Locks a new directory. Returns `None` if another process was faster and is removing it.
fn hold(path: &Path) -> Option<Held> {
    let name = path.join(HELD);
    let Ok(file) = OpenOptions::new().write(true).create_new(true).open(&name) else {
        return path.is_dir().then_some(Held { _file: None });
    };
    match file.try_lock() {
        // A process that had it locked before has removed it by now.
        Ok(()) => name.exists().then_some(Held { _file: Some(file) }),
        Err(fs::TryLockError::WouldBlock) => None,
        Err(fs::TryLockError::Error(_)) => {
            let _ = fs::remove_file(&name);
            Some(Held { _file: None })
        }
    }
}

/// Removes the user's directories in a place whose processes are dead. A directory that cannot be removed stays.
pub(super) fn clear(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let letters = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).map_or(0, str::len);
        // `file_type` does not follow links.
        if letters == LETTERS && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_ours(&entry) {
            clear_one(&entry.path());
        }
    }
}

fn clear_one(path: &Path) {
    let Ok(Some(folder)) = Folder::own(path) else { return };
    // A test may have put a pipe or a link there.
    let Ok(file) = folder.open(OsStr::new(HELD), true) else { return };
    if file.try_lock().is_ok() {
        // Keep the lock until everything is removed: a process that has just made the directory sees that it has lost
        // it.
        let _ = remove_tree(path);
    }
}

fn is_ours(entry: &fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|facts| facts.uid() == rustix::process::geteuid().as_raw() && facts.mode() & 0o077 == 0)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn private(path: &Path) {
        fs::create_dir(path).expect("writable");
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("ours");
    }

    fn names(place: &Path) -> usize {
        fs::read_dir(place).expect("readable").count()
    }

    #[test]
    fn what_a_dead_process_has_left_is_removed_and_what_a_living_one_has_stays() {
        let place = tempfile::tempdir().expect("a place");
        let (living, _held) = make(place.path()).expect("a directory");
        let (dead, held) = make(place.path()).expect("a directory");
        fs::create_dir(dead.join("test")).expect("writable");
        fs::write(dead.join("test/x.c"), "x").expect("writable");
        // As after a kill.
        drop(held);
        clear(place.path());
        assert!(!dead.exists());
        assert!(living.join(HELD).exists());
    }

    #[test]
    fn what_is_not_known_to_be_left_by_a_dead_process_stays() {
        let place = tempfile::tempdir().expect("a place");
        for name in ["lop-abcdef", "lop-abcdefg", "lop-elsewhere-x", "other"] {
            private(&place.path().join(name));
        }
        for name in ["lop-abcdefg", "lop-elsewhere-x", "other"] {
            fs::write(place.path().join(name).join(HELD), "").expect("writable");
        }
        fs::write(place.path().join("lop-ghijkl"), "").expect("writable");
        clear(place.path());
        assert_eq!(names(place.path()), 5);
    }

    #[test]
    fn a_link_leads_nowhere() {
        let [place, outside] = [(); 2].map(|()| tempfile::tempdir().expect("a place"));
        fs::write(outside.path().join(HELD), "").expect("writable");
        std::os::unix::fs::symlink(outside.path(), place.path().join("lop-abcdef")).expect("a link");
        clear(place.path());
        assert!(outside.path().join(HELD).exists() && names(place.path()) == 1);
    }

    #[test]
    fn a_directory_that_somebody_clears_away_before_it_is_locked_is_not_used() {
        let place = tempfile::tempdir().expect("a place");
        let path = place.path().join("lop-abcdef");
        assert!(hold(&path).is_none(), "it is gone");
        private(&path);
        assert!(hold(&path).is_some());
        clear(place.path());
        assert!(!path.exists());
    }
}
