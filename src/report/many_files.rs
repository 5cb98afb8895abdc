//! A test case of several files that results replace: a directory as a whole, by an exchange of names.
//!
//! ```text
//!   first result     DIR ──► DIR.orig, then the new directory gets the name DIR
//!   each other one   the new directory and DIR exchange their names, and the old one is removed
//! ```
//!
//! At every moment DIR is a directory that the test found interesting, or DIR.orig is whole. On a file system that cannot
//! exchange names there is no DIR for an instant.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::disk::{Audience, Folder};
use crate::project::{self, Archive, Member};

use super::result_file::{StoreError, check_directory, explain, free_original, original_name, parent, with_ending};
use super::target::last;

/// A place of results that are archives of several files.
pub(super) trait ManyFiles: fmt::Debug {
    /// Says what the input was when it was read: anything else is another program's writing.
    fn expect(&mut self, input: &[u8]);

    /// Whether the files are those of this result.
    fn have(&self, content: &[u8]) -> bool;

    /// Replaces the files; the first time originals are kept.
    ///
    /// # Errors
    /// The system's own words.
    fn write(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()>;

    /// Forces what was written onto the disk.
    ///
    /// # Errors
    /// The system's own words.
    fn sync(&self) -> io::Result<()>;

    /// Where the original is, or the first of several; `None` where nothing is replaced.
    fn original(&self) -> Option<&Path>;

    /// Leaves what is in the place as it is: results go beside it.
    fn go_beside(&mut self);

    /// Where results are instead of their place.
    fn beside(&self) -> Option<&Path>;

    /// A message for a user who looks for the result in its place, once.
    fn notice(&mut self) -> Option<String>;

    /// Removes what a run that was killed has left unfinished.
    fn clear(&self);
}

/// A directory that results replace.
#[derive(Debug)]
pub(super) struct Directory {
    /// The name as the user gave it, for messages.
    name: PathBuf,
    /// The folder that the directory is in, which is open from the start.
    near: Folder,
    /// Its name there.
    own: OsString,
    /// The place for the original, before the first write.
    original: Option<PathBuf>,
    /// The permissions of the result.
    mode: u32,
    audience: Audience,
    /// The state in which lop has left the directory: any other is another program's writing. `None` where there is nothing
    /// that could be lost.
    left: Option<State>,
    /// The result that is there.
    written: Option<Vec<u8>>,
    /// The place of results since another program has written there.
    beside: Option<PathBuf>,
    /// Whether the user has been told of that.
    is_told: bool,
}

/// The state of a directory.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The files of the input.
    Input(blake3::Hash),
    /// The result that was written last, by its stamp.
    Result(u64),
}

impl Directory {
    fn at(name: &Path, path: &Path, like: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: name.to_owned(), source };
        check_directory(name, &parent(path))?;
        let (near, own) = Folder::of(path).map_err(failed)?;
        let facts = fs::metadata(like).map_err(failed)?;
        // A file has no permission to be entered, which its readers need of a folder.
        let mode = facts.mode() & 0o777;
        let mode = if facts.is_dir() { mode } else { mode | (mode & 0o444) >> 2 };
        let (name, audience) = (name.to_owned(), Audience::of(&facts));
        let (original, left, written, beside, is_told) = (None, None, None, None, false);
        Ok(Directory { name, near, own, original, mode, audience, left, written, beside, is_told })
    }

    /// The input itself.
    pub(super) fn in_place(input: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: input.to_owned(), source };
        // By its real name: a link to it would be replaced, and `.` has no name.
        let path = fs::canonicalize(input).map_err(failed)?;
        let original = free_original(&path)?;
        Ok(Directory { original: Some(original), ..Self::at(input, &path, &path)? })
    }

    /// A directory that nothing has the name of, or that is empty.
    pub(super) fn new_one(output: &Path, input: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: output.to_owned(), source };
        let plain: PathBuf = output.components().collect();
        match fs::read_dir(&plain).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => return Err(StoreError::OutputIsTaken(output.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && plain.symlink_metadata().is_err() => {}
            Err(error) => return Err(failed(error)),
        }
        Self::at(output, &plain, input)
    }

    /// A directory that an interrupted run has written; `None` if it has not.
    pub(super) fn written(output: &Path) -> Result<Option<Self>, StoreError> {
        let plain: PathBuf = output.components().collect();
        let has_files = fs::read_dir(&plain).is_ok_and(|mut entries| entries.next().is_some());
        if has_files { Self::at(output, &plain, &plain).map(Some) } else { Ok(None) }
    }

    /// The input, which an interrupted run has replaced by a result; `None` if it has not. `content` was its archive.
    pub(super) fn replaced(input: &Path, content: &[u8]) -> Result<Option<Self>, StoreError> {
        let failed = |source| StoreError::NotWritable { output: input.to_owned(), source };
        // Between two names that a result has it may have none.
        let path = fs::canonicalize(input).or_else(|_| std::path::absolute(input)).map_err(failed)?;
        let original = original_name(&path);
        if original.symlink_metadata().is_err() {
            return Ok(None);
        }
        if !project::read(&original).is_ok_and(|found| Archive::pack(&found.members) == content) {
            return Err(StoreError::OriginalDiffers(original));
        }
        Ok(Some(Directory { original: Some(original.clone()), ..Self::at(input, &path, &original)? }))
    }

    /// The files that are in the directory.
    fn members(&self) -> Option<Vec<Member>> {
        project::read(&self.near.path_of(self.place())).ok().map(|found| found.members)
    }

    fn stamp(&self) -> Option<State> {
        project::stamp(&self.near.path_of(self.place())).map(State::Result)
    }

    /// The name of the place of results.
    fn place(&self) -> &OsStr {
        self.beside.as_ref().map_or(&self.own, |beside| last(beside))
    }

    /// Whether another program has written to the directory; one that is gone has nothing that could be lost.
    fn is_changed(&self) -> bool {
        let found = match &self.left {
            Some(State::Input(_)) => self.members().map(|members| State::Input(blake3::hash(&Archive::pack(&members)))),
            Some(State::Result(_)) => self.stamp(),
            None => None,
        };
        found.is_some() && found != self.left
    }

    fn replace(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()> {
        let name = self.place().to_owned();
        let mut new = self.near.temporary_folder(&name, self.audience)?;
        let place = self.near.path_of(&name);
        let there = self.written.as_deref().map(|written| (&*place, written));
        project::write_beside(content, &new.path(), there).map_err(|error| {
            let place = error.path.strip_prefix(new.path()).unwrap_or(&error.path);
            explain(error.source, &place.display().to_string())
        })?;
        fs::set_permissions(new.path(), Permissions::from_mode(self.mode))?;
        if sync {
            self.near.sync_all()?;
        }
        match self.original.as_ref().filter(|_| is_first && self.beside.is_none()) {
            Some(original) => {
                let original = last(original).to_owned();
                self.near
                    .rename_new(&name, &original)
                    .map_err(|error| explain(error, &format!("cannot keep the original as {}", original.display())))?;
                if let Err(error) = new.put_new(&name) {
                    self.near.rename_new(&original, &name)?;
                    return Err(error);
                }
            }
            None if self.near.has(&name) => new.put_for(&name)?,
            None => new.put_new(&name)?,
        }
        Ok(())
    }
}

impl ManyFiles for Directory {
    fn expect(&mut self, input: &[u8]) {
        if self.original.is_some() {
            let members = Archive::of(input).map(|archive| archive.members(input)).unwrap_or_default();
            self.left = Some(State::Input(blake3::hash(&Archive::pack(&members))));
        }
    }

    fn have(&self, content: &[u8]) -> bool {
        let wanted = Archive::of(content).map(|archive| archive.members(content));
        self.beside.is_none() && self.members() == Some(wanted.unwrap_or_default())
    }

    fn write(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()> {
        if self.beside.is_none() && self.is_changed() {
            self.go_beside();
        }
        let name = self.beside.as_ref().unwrap_or(&self.name).display().to_string();
        self.replace(content, is_first, sync).map_err(|error| explain(error, &format!("cannot write {name}")))?;
        // Where the first result went beside the input there is no original to speak of.
        if is_first && self.beside.is_some() {
            self.original = None;
        }
        self.left = self.stamp();
        self.written = Some(content.to_vec());
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.near.sync_all()
    }

    fn original(&self) -> Option<&Path> {
        self.original.as_deref()
    }

    fn go_beside(&mut self) {
        let names = (1_u32..).map(|number| match number {
            1 => with_ending(&self.name, ".reduced"),
            number => with_ending(&self.name, &format!(".reduced.{number}")),
        });
        let mut free = names.filter(|name| !self.near.has(last(name)));
        self.beside.get_or_insert_with(|| free.next().expect("there are more numbers than files"));
        (self.left, self.written) = (None, None);
    }

    fn beside(&self) -> Option<&Path> {
        self.beside.as_deref()
    }

    fn notice(&mut self) -> Option<String> {
        let (name, beside) = (self.name.display(), self.beside.as_ref()?.display());
        let message = format!("{name} is not as lop has left it and stays as it is now; the result goes to {beside}");
        (!std::mem::replace(&mut self.is_told, true)).then_some(message)
    }

    fn clear(&self) {
        self.near.clear(Some(&self.own));
    }
}
