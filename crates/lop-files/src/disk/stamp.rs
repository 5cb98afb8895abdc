//! Whether a file is the same as before, told without reading it.

use std::fs::File;
use std::io;

use rustix::fs::Stat;

/// The facts by which a file is known again without reading it. An editor can set its time of modification back, but
/// not the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([i128; 7]);

impl Stamp {
    /// The stamp of a file that is open.
    ///
    /// # Errors
    /// The system's own words.
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
