//! Why a journal cannot be written, read or gone on with.

use std::io;
use std::path::{Path, PathBuf};

use lop_files::disk::Distrusted;

/// An error of a journal or of the shared cache. Each names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A file or folder under one of the names is not trusted.
    #[error(transparent)]
    Distrusted(Distrusted),
    /// The folder of the state, or a file in it, cannot be made.
    #[error("cannot write {}", path.display())]
    Unwritten {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The journal cannot be read.
    #[error("cannot read the journal {}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// There is none.
    #[error("there is no journal {}", .0.display())]
    Missing(PathBuf),
    /// Another lop is at work.
    #[error("another lop is writing {}", .0.display())]
    Busy(PathBuf),
    /// It is something else, or was damaged at its very beginning.
    #[error("{} is not a journal of lop, or its beginning is corrupt", .0.display())]
    NotAJournal(PathBuf),
    /// It was written in another form.
    #[error("{} is written in format {found}, and this lop reads format {wanted}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The only one that is read.
        wanted: u32,
    },
    /// It was written by another version, which would try other candidates.
    #[error("{} was written by lop {found}, and this is lop {own}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        found: String,
        /// This version.
        own: String,
    },
    /// The file that is reduced has changed since the journal was written.
    #[error("{} belongs to another input: {} has changed", path.display(), file.display())]
    Changed {
        /// The journal.
        path: PathBuf,
        /// The file that is reduced.
        file: PathBuf,
    },
    /// Something that the outcomes depend on is not what it was.
    #[error("{} belongs to another {what}: {why}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// `input`, `test`, `grammar`, …
        what: &'static str,
        /// The difference.
        why: String,
    },
    /// A step does not follow from the one before it.
    #[error("the journal {} is corrupt: its step {step} cannot be rebuilt", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the step.
        step: usize,
    },
}

impl JournalError {
    /// Something cannot be written, or is not what it should be.
    pub(super) fn unwritten(path: &Path, source: io::Error) -> JournalError {
        match Distrusted::cause(&source) {
            Some(cause) => JournalError::Distrusted(cause.clone()),
            None => JournalError::Unwritten { path: path.to_owned(), source },
        }
    }

    /// A journal cannot be read, or is not what it should be.
    pub(super) fn unread(path: &Path, source: io::Error) -> JournalError {
        match (Distrusted::cause(&source), source.kind()) {
            (Some(cause), _) => JournalError::Distrusted(cause.clone()),
            (None, io::ErrorKind::NotFound) => JournalError::Missing(path.to_owned()),
            (None, _) => JournalError::Unread { path: path.to_owned(), source },
        }
    }
}
