//! Finds journals, and makes sure that only one process writes each.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::JournalError;
use super::past::Past;
use super::record::Header;
use lop_files::disk::Folder;
use lop_reduce::Ended;

/// The journal's name in the state directory.
pub const NAME: &str = "journal";

/// Time to wait for a lock: the last child of a killed run holds it until it becomes the test.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the journal of a directory, or the path itself if it is a file.
#[must_use]
pub fn journal_file(place: &Path) -> PathBuf {
    if place.is_file() { place.to_owned() } else { place.join(NAME) }
}

/// An unfinished journal that was moved aside for a new one.
#[derive(Debug, PartialEq, Eq)]
pub struct Before {
    /// Its new name.
    pub moved_to: PathBuf,
    /// Number of outcomes in it.
    pub outcomes: usize,
    /// Whether it has the same input, test and options.
    pub same: bool,
}

/// A locked journal file: no other process writes it while this value lives.
#[derive(Debug)]
pub struct Lock {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl Lock {
    /// Takes the lock of a journal.
    ///
    /// # Errors
    /// If there is no such file, it or its directory is a link or belongs to another user, it cannot be written, or
    /// another process has the lock.
    pub fn take(path: &Path) -> Result<Lock, JournalError> {
        let missing = || JournalError::Missing(path.to_owned());
        let name = path.file_name().ok_or_else(missing)?;
        let folder = Folder::own(path.parent().unwrap_or(Path::new("")));
        let folder = folder.map_err(|source| JournalError::unwritten(path, source))?.ok_or_else(missing)?;
        Self::take_in(&folder, name)
    }

    /// Reads the locked file, even if another file has its name now.
    ///
    /// # Errors
    /// The errors of [`Past::read`].
    pub fn past(&self) -> Result<Past, JournalError> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|source| JournalError::unread(&self.path, source))?;
        Past::from(&self.path, &bytes)
    }

    pub(super) fn take_in(folder: &Folder, name: &OsStr) -> Result<Lock, JournalError> {
        let path = folder.path_of(name);
        loop {
            let file = folder.open(name, true).map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => JournalError::Missing(path.clone()),
                _ => JournalError::unwritten(&path, source),
            })?;
            wait(&file, &path)?;
            // The process that held the lock may have moved the file.
            if folder.is_here(name, &file) {
                return Ok(Lock { file, path });
            }
        }
    }
}

fn wait(file: &File, path: &Path) -> Result<(), JournalError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy(path.to_owned())),
        }
    }
}

/// Moves an old journal aside: a finished or unreadable one to `journal.old`, and one that could be resumed to a unique
/// name.
pub(super) fn move_aside(folder: &Folder, header: &Header) -> Result<Option<Before>, JournalError> {
    let name = OsStr::new(NAME);
    let path = folder.path_of(name);
    let unwritten = |source| JournalError::unwritten(&path, source);
    let lock = match Lock::take_in(folder, name) {
        Ok(lock) => lock,
        Err(JournalError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let unfinished = match lock.past() {
        Ok(past) if past.ended == Some(Ended::Complete) => None,
        Ok(past) if past.outcomes() == 0 => return folder.remove(name).map(|()| None).map_err(unwritten),
        Ok(past) => Some(past),
        Err(JournalError::NotAJournal(_) | JournalError::Format { .. }) => None,
        Err(error) => return Err(error),
    };
    let Some(past) = unfinished else {
        let old = OsString::from(format!("{NAME}.old"));
        return folder.rename(name, &old).map(|()| None).map_err(unwritten);
    };
    let moved_to = folder.path_of(&numbered(NAME, |new| folder.rename_new(name, new)).map_err(unwritten)?);
    Ok(Some(Before { moved_to, outcomes: past.outcomes(), same: past.header == *header }))
}

/// Calls a function with the first free name of `start.1`, `start.2`, …, and returns that name.
pub(super) fn numbered(start: &str, mut with: impl FnMut(&OsStr) -> io::Result<()>) -> io::Result<OsString> {
    for number in 1_u32.. {
        let name = OsString::from(format!("{start}.{number}"));
        match with(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| name),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
