//! Why something that stands under one of lop's names is not used.

use std::io;
use std::path::{Path, PathBuf};

/// The reason to distrust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distrust {
    /// It leads somewhere else.
    Link,
    /// Another user has put it there.
    Foreign,
    /// It has another name: a write to it is a write to that, too.
    Shared,
    /// A pipe, a device, a folder.
    NotAFile,
    /// Anything else.
    NotAFolder,
}

/// Something that stands under one of lop's names and is not used. It travels as the cause of an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} {}", path.display(), why.in_words())]
pub struct Distrusted {
    /// Where it stands.
    pub path: PathBuf,
    /// The reason to distrust it.
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

    /// The error about a path.
    pub(super) fn at(self, path: &Path) -> io::Error {
        io::Error::other(Distrusted { path: path.to_owned(), why: self })
    }
}

impl Distrusted {
    /// Whether this is what an error is about.
    #[must_use]
    pub fn cause(error: &io::Error) -> Option<&Distrusted> {
        error.get_ref()?.downcast_ref()
    }
}
