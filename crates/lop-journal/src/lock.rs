//! Where journals are, and that one process writes each.

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

/// The journal's name in the folder of the state.
pub const NAME: &str = "journal";

/// How long a lock is waited for: a killed run's last child has its lock until it has become the test.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// The journal of a folder, or the path itself where it names a file.
#[must_use]
pub fn journal_file(place: &Path) -> PathBuf {
    if place.is_file() { place.to_owned() } else { place.join(NAME) }
}

/// An unfinished journal that stood in the place of a new one and was moved aside.
#[derive(Debug, PartialEq, Eq)]
pub struct Before {
    /// Its name from now on.
    pub moved_to: PathBuf,
    /// Outcomes in it.
    pub outcomes: usize,
    /// Whether it is about the same input, test and options.
    pub same: bool,
}

/// A journal file that no other process writes while this value lives.
#[derive(Debug)]
pub struct Lock {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl Lock {
    /// Takes the lock of a journal.
    ///
    /// # Errors
    /// When there is no such file, it or its folder is a link or another user's, it cannot be written, or another process
    /// has the lock.
    pub fn take(path: &Path) -> Result<Lock, JournalError> {
        let missing = || JournalError::Missing(path.to_owned());
        let name = path.file_name().ok_or_else(missing)?;
        let folder = Folder::own(path.parent().unwrap_or(Path::new("")));
        let folder = folder.map_err(|source| JournalError::unwritten(path, source))?.ok_or_else(missing)?;
        Self::take_in(&folder, name)
    }

    /// Reads the journal that is locked: that very file, even if another one has its name by now.
    ///
    /// # Errors
    /// As [`Past::read`].
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
            // The process that had the lock may have moved the file.
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

/// Moves an old journal out of the way of a new one: one that had ended, or that is unreadable, to `journal.old`, and
/// one that a reduction could go on with to a name of its own.
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

/// Does something with the first name of `start.1`, `start.2` and so on that nothing has, and returns that name.
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
