//! Errors of writing, reading and resuming a journal.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use lop_files::disk::Distrusted;

use super::NAME;

/// An error of a journal or of the shared cache. Each names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// A file or directory with one of lop's names isn't trusted.
    #[error(transparent)]
    Distrusted(Distrusted),
    /// The state directory, or a file in it, cannot be created.
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
    /// There is no journal.
    #[error("there is no journal {}", .0.display())]
    Missing(PathBuf),
    /// Another lop is using it.
    #[error("another lop is writing {}", .0.display())]
    Busy(PathBuf),
    /// It isn't a journal, or is corrupt at the start.
    #[error("{} is not a journal of lop, or its beginning is corrupt", .0.display())]
    NotAJournal(PathBuf),
    /// It has another format.
    #[error("{} is written in format {found}, and this lop reads format {wanted}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The format that this version reads.
        wanted: u32,
    },
    /// Another version wrote it, and would try other candidates.
    #[error("{} was written by lop {found}, and this is lop {own}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        found: String,
        /// This version.
        own: String,
    },
    /// The reduced file has changed since the journal was written.
    #[error("{} belongs to another input: {} has changed", path.display(), file.display())]
    Changed {
        /// The journal.
        path: PathBuf,
        /// The reduced file.
        file: PathBuf,
    },
    /// Something that the outcomes depend on has changed.
    #[error("{} belongs to another {what}: {why}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// `input`, `test`, `grammar`, …
        what: &'static str,
        /// The difference.
        why: String,
    },
    /// A step doesn't follow from the one before.
    #[error("the journal {} is corrupt: its step {step} cannot be rebuilt", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the step.
        step: usize,
    },
}

/// Where a journal is.
const PLACE: &str = "lop keeps the directory of a run next to its result, as RESULT.lop";

impl Diagnostic for JournalError {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(match self {
            JournalError::Unwritten { .. } => Box::new("choose another directory with --state DIR, or use --no-state"),
            JournalError::Missing(_) => Box::new(PLACE),
            // It may be the input itself.
            JournalError::NotAJournal(path) if path.file_name().is_none_or(|name| name != NAME) => Box::new(PLACE),
            JournalError::Distrusted(distrusted) => return distrusted.help(),
            JournalError::Changed { path, .. } => Box::new(format!(
                "save your version under another name, restore the input with `lop history {} --at 0 -o FILE`, and run \
                 `lop resume` again",
                path.display()
            )),
            JournalError::Busy(_) => Box::new("wait until it ends, or stop it first"),
            JournalError::NotAJournal(path)
            | JournalError::Format { path, .. }
            | JournalError::Version { path, .. }
            | JournalError::Foreign { path, .. }
            | JournalError::Damaged { path, .. } => Box::new(again(path)),
            JournalError::Unread { .. } => return None,
        })
    }
}

/// Says how to start again without the journal at a path.
fn again(path: &Path) -> String {
    let journal = path.display();
    let result = path.parent().filter(|folder| folder.extension().is_some_and(|end| end == "lop"));
    let original = result.map(|folder| folder.with_extension("orig"));
    match original.filter(|original| original.exists()) {
        Some(original) => format!(
            "FILE holds the best result so far; to start again from it, remove {journal} and move {} away",
            original.display()
        ),
        None => format!("to start again, remove {journal}, or choose another directory with --state"),
    }
}

impl JournalError {
    /// A file cannot be written, or has an unexpected state.
    pub(super) fn unwritten(path: &Path, source: io::Error) -> JournalError {
        match Distrusted::cause(&source) {
            Some(cause) => JournalError::Distrusted(cause.clone()),
            None => JournalError::Unwritten { path: path.to_owned(), source },
        }
    }

    /// A journal cannot be read, or has an unexpected state.
    pub(super) fn unread(path: &Path, source: io::Error) -> JournalError {
        match (Distrusted::cause(&source), source.kind()) {
            (Some(cause), _) => JournalError::Distrusted(cause.clone()),
            (None, io::ErrorKind::NotFound) => JournalError::Missing(path.to_owned()),
            (None, _) => JournalError::Unread { path: path.to_owned(), source },
        }
    }
}
