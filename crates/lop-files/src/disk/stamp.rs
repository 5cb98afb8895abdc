//! Detects a change of a file without reading it.

use std::fs::File;
use std::io;

use rustix::fs::Stat;

/// Metadata that changes whenever a file changes. An editor can set the modification time back, but not the change
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([i128; 7]);

impl Stamp {
    /// Returns the stamp of an open file.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn of(file: &File) -> io::Result<Stamp> {
        Ok(Self::from(&rustix::fs::fstat(file)?))
    }
}

impl From<&Stat> for Stamp {
    fn from(facts: &Stat) -> Self {
        let (modified, changed) = ((facts.st_mtime, facts.st_mtime_nsec), (facts.st_ctime, facts.st_ctime_nsec));
        Stamp([
            facts.st_dev.into(),
            facts.st_ino.into(),
            facts.st_size.into(),
            modified.0.into(),
            modified.1.into(),
            changed.0.into(),
            changed.1.into(),
        ])
    }
}
