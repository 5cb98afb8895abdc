//! Replaces a result file, keeps its original, and detects whether another program has written to it.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use lop_files::disk::{Distrusted, Folder, ReadAccess, Stamp};

/// Why a result cannot be kept in its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The name for the original is taken.
    #[error("{} exists already and is never overwritten; move it away, or write the result elsewhere with -o", .0.display())]
    OriginalExists(PathBuf),
    /// The file that is kept as the original is not the input of the interrupted run.
    #[error("{} is not the input of the interrupted run; move it back, or write the result elsewhere", .0.display())]
    OriginalDiffers(PathBuf),
    /// The output is the input.
    #[error("the output {} is the input itself; without -o the input is replaced and the original kept as {}", output.display(), original.display())]
    OutputIsInput {
        /// The output as given.
        output: PathBuf,
        /// Where the original would be kept without `-o`.
        original: PathBuf,
    },
    /// The output is a directory.
    #[error("the output {} is a directory; name a file", .0.display())]
    OutputIsDirectory(PathBuf),
    /// The output of a directory is one that has something in it.
    #[error("the output {} is not empty: a result would replace what is in it", .0.display())]
    OutputIsTaken(PathBuf),
    /// The output's directory is missing.
    #[error("cannot write {}: the directory {} does not exist", output.display(), directory.display())]
    NoDirectory {
        /// The output as given.
        output: PathBuf,
        /// Its directory.
        directory: PathBuf,
    },
    /// The output is a link to a file.
    #[error("the output {} is a symbolic link to {}", output.display(), target.display())]
    OutputIsLink {
        /// The output as given.
        output: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The output cannot be written.
    #[error("cannot write {}", output.display())]
    NotWritable {
        /// The output as given.
        output: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

impl Diagnostic for StoreError {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        match self {
            StoreError::NotWritable { source, .. } => match Distrusted::cause(source) {
                Some(distrusted) => distrusted.help(),
                None => Some(Box::new("write the result elsewhere with -o")),
            },
            StoreError::OriginalExists(original) => {
                let folder = original.with_extension("lop");
                let resume = || format!("to continue an interrupted run: lop resume {}", folder.display());
                folder.join("journal").is_file().then(|| Box::new(resume()) as Box<dyn fmt::Display>)
            }
            StoreError::OutputIsLink { .. } => Some(Box::new("name the file that the link points to, or another file")),
            _ => None,
        }
    }
}

/// The known content of a place: lop's own result, or the file at the start.
#[derive(Debug)]
pub(super) struct LeftAs {
    /// By which a file is known again without reading it.
    stamp: Option<Stamp>,
    /// If the stamp differs or is missing, the content decides.
    content: Option<blake3::Hash>,
}

impl LeftAs {
    /// There is no such file.
    pub(super) fn nothing() -> Self {
        LeftAs { stamp: None, content: None }
    }

    /// The content that is there now.
    pub(super) fn found(folder: &Folder, file: &OsStr) -> Self {
        let content = folder.read(file).ok().map(|content| blake3::hash(&content));
        LeftAs { stamp: folder.stamp(file).ok(), content }
    }

    /// A file with this content.
    pub(super) fn content(content: &[u8]) -> Self {
        LeftAs { stamp: None, content: Some(blake3::hash(content)) }
    }

    /// Whether a file is unchanged, or missing: then nothing can be lost.
    pub(super) fn is_so(&mut self, folder: &Folder, file: &OsStr) -> bool {
        let now = match folder.stamp(file) {
            Ok(stamp) => Some(stamp),
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        };
        if self.stamp == now {
            return true;
        }
        let read = || folder.read(file).ok();
        let is_same = self.content.is_some_and(|hash| read().is_some_and(|content| blake3::hash(&content) == hash));
        if is_same {
            self.stamp = now;
        }
        is_same
    }
}

/// The name under which the original of `input` is kept: its name with `.orig` added.
#[must_use]
pub fn original_name(input: &Path) -> PathBuf {
    with_ending(input, ".orig")
}

/// The name for the original of a file or directory, which nothing has yet.
///
/// # Errors
/// When something has it, or it can be no name.
pub(super) fn free_original(input: &Path) -> Result<PathBuf, StoreError> {
    let original = original_name(input);
    match original.symlink_metadata() {
        // A dangling link counts, too.
        Ok(_) => Err(StoreError::OriginalExists(original)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(original),
        // A name that is too long, for example: it could not be made later either.
        Err(source) => Err(StoreError::NotWritable { output: original, source }),
    }
}

/// Adds the failed operation to an error, and keeps its kind.
pub(super) fn explain(error: io::Error, what: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// A path with something added to its name.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    // A directory can be typed with a final slash.
    let mut name = path.components().collect::<PathBuf>().into_os_string();
    name.push(ending);
    PathBuf::from(name)
}

/// A name near a file or directory that nothing has: its own with the ending, and a number if need be.
pub(super) fn free_name(near: &Folder, name: &Path, ending: &str) -> PathBuf {
    let mut names = (1_u32..).map(|number| match number {
        1 => with_ending(name, ending),
        number => with_ending(name, &format!("{ending}.{number}")),
    });
    let is_free = |path: &PathBuf| path.file_name().is_some_and(|file| !near.has(file));
    names.find(is_free).expect("there are more numbers than files")
}

pub(super) fn parent(file: &Path) -> PathBuf {
    match file.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether `directory` is writable. Creates a file without a name, which disappears at once.
pub(super) fn check_directory(output: &Path, directory: &Path) -> Result<(), StoreError> {
    if !directory.is_dir() {
        return Err(StoreError::NoDirectory { output: output.to_owned(), directory: directory.to_owned() });
    }
    match tempfile::tempfile_in(directory) {
        Ok(_) => Ok(()),
        Err(source) => Err(StoreError::NotWritable { output: output.to_owned(), source }),
    }
}

/// Gives the original its second name. A hard link is immediate and cannot overwrite. If the file system has none, the
/// file is copied.
pub(super) fn keep_original(from: (&Folder, &OsStr), original: (&Folder, &OsStr)) -> io::Result<()> {
    let ((folder, file), (near, name)) = (from, original);
    match folder.link_new(file, near, name) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    let mut from = folder.open_any(file, false)?;
    let like = from.metadata()?;
    let mut to = near.create(name, ReadAccess::OWN)?;
    let copied = io::copy(&mut from, &mut to)
        .and_then(|_| take_after(&to, &like, ReadAccess::of(&like)))
        .and_then(|()| to.sync_data());
    if copied.is_err() {
        // Half an original must not be mistaken for one.
        let _ = near.remove(name);
    }
    copied
}

/// Removes the second name of an original that is still in its place: nothing was written after all.
pub(super) fn take_back((folder, file): (&Folder, &OsStr), (near, original): (&Folder, &OsStr)) {
    if let (Ok(here), Ok(kept)) = (folder.read(file), near.read(original))
        && here == kept
    {
        // If this fails, too, the copy does no harm.
        let _ = near.remove(original);
    }
}

/// Writes a new file next to a place and renames it into the place, with the old file's attributes and at most these
/// readers. Removes the new file after any error.
pub(super) fn replace(
    (folder, name): (&Folder, &OsStr),
    content: &[u8],
    like: Option<&Metadata>,
    audience: ReadAccess,
    sync: bool,
) -> io::Result<LeftAs> {
    let mut new = folder.temporary(name, if like.is_some() { ReadAccess::OWN } else { audience })?;
    new.file().write_all(content)?;
    if let Some(like) = like {
        take_after(new.file(), like, audience)?;
    }
    if sync {
        new.file().sync_data()?;
    }
    let file = new.persist(name)?;
    Ok(LeftAs { stamp: Some(Stamp::of(&file)?), ..LeftAs::content(content) })
}

/// Gives a file the owner and the permissions of another one, but gives no permission to users outside the audience.
fn take_after(file: &File, like: &Metadata, audience: ReadAccess) -> io::Result<()> {
    // Only root can give a file away, and only then can the owners differ. Users can change the group to one of their
    // own. The mode comes last, because a change of owner can remove bits from it.
    if fchown(file, Some(like.uid()), Some(like.gid())).is_err() {
        let _ = fchown(file, None, Some(like.gid()));
    }
    let group = file.metadata()?.gid();
    let mode = ReadAccess::of(like).narrow(like.mode(), group);
    file.set_permissions(Permissions::from_mode(audience.narrow(mode, group)))
}
