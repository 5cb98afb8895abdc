//! The test case, as a test sees it: a file, a directory, or several files.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::program::CommandError;
use lop_files::project::Archive;

/// The test case, as a test sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A file; only its base name is used.
    File(PathBuf),
    /// A directory, whose candidates are texts of the archive. Only its base name is used.
    Directory(PathBuf, Archive),
    /// Files, by their paths below the test's directory; candidates are texts of the archive.
    Files(Vec<PathBuf>, Archive),
}

impl From<&Path> for Subject {
    fn from(file: &Path) -> Self {
        Subject::File(file.to_owned())
    }
}

impl From<&PathBuf> for Subject {
    fn from(file: &PathBuf) -> Self {
        Subject::File(file.clone())
    }
}

impl Subject {
    /// Returns the candidate's names in the test's directory.
    pub(super) fn names(&self) -> Result<Vec<OsString>, CommandError> {
        match self {
            Subject::File(path) | Subject::Directory(path, _) => Ok(vec![base_name(path)?]),
            Subject::Files(paths, _) => Ok(paths.iter().map(|path| path.clone().into_os_string()).collect()),
        }
    }

    /// Returns the archive whose texts are the candidates; `None` for a single file.
    #[must_use]
    pub fn archive(&self) -> Option<&Archive> {
        match self {
            Subject::File(_) => None,
            Subject::Directory(_, archive) | Subject::Files(_, archive) => Some(archive),
        }
    }

    /// Whether a candidate is the bytes of a file.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Subject::File(_))
    }

    /// Whether a candidate is one file, which the test can also read from standard input.
    pub(super) fn reads_stdin(&self) -> bool {
        self.is_file() || matches!(self, Subject::Files(names, _) if names.len() == 1)
    }
}

fn base_name(file: &Path) -> Result<OsString, CommandError> {
    file.file_name().map(OsStr::to_owned).ok_or_else(|| CommandError::NoFileName { file: file.to_owned() })
}
