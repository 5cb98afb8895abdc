//! Reasons why lop doesn't use a file that has one of its names.

use std::io;
use std::path::{Path, PathBuf};

/// The reason to distrust a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distrust {
    /// It is a link.
    Link,
    /// It belongs to another user.
    Foreign,
    /// It has a second name, so a write would change that file too.
    Shared,
    /// A pipe, a device, a folder.
    NotAFile,
    /// Anything else.
    NotAFolder,
}

/// A file that has one of lop's names and isn't used. It is the cause of an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[diagnostic(help("lop did not create this; check it, and move it away if you don't need it there"))]
#[error("{} {}", path.display(), why.in_words())]
pub struct Distrusted {
    /// Its path.
    pub path: PathBuf,
    /// The reason to distrust a file.
    pub why: Distrust,
}

impl Distrust {
    fn in_words(self) -> &'static str {
        match self {
            Distrust::Link => "is a symbolic link, which lop does not follow here",
            Distrust::Foreign => "belongs to another user",
            Distrust::Shared => "is a hard link: what is written to it would change another file, too",
            Distrust::NotAFile => "is not a regular file",
            Distrust::NotAFolder => "is not a folder",
        }
    }

    /// Makes the error about a path.
    pub(super) fn at(self, path: &Path) -> io::Error {
        io::Error::other(Distrusted { path: path.to_owned(), why: self })
    }
}

impl Distrusted {
    /// Whether an error has this cause.
    #[must_use]
    pub fn cause(error: &io::Error) -> Option<&Distrusted> {
        error.get_ref()?.downcast_ref()
    }
}
