//! A test case of several files that results replace: a directory as a whole, by an exchange of names.
//!
//! ```text
//!   first result     the new directory gets the name DIR.orig, then DIR and DIR.orig exchange their names
//!   each other one   the new directory and DIR exchange their names, and the old one is removed
//! ```
//!
//! At every moment DIR is a directory that the test found interesting, and the original is whole: DIR or DIR.orig. On a file
//! system that cannot exchange names there is no DIR for an instant.
//!
//! lop checks the replaced directory before it removes it: if another program wrote to it between the check of DIR and
//! the exchange, lop keeps it next to DIR.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use lop_files::disk::{Folder, TemporaryFolder};
use lop_files::project::{self, Archive, Member};
use lop_files::tree;

use super::result_file::{StoreError, check_directory, explain, free_name, free_original, original_name, parent};
use super::target::last;

/// A place of results that are archives of several files.
pub(super) trait ManyFiles: fmt::Debug {
    /// Takes the input as it was read. Anything else in the place was written by another program.
    fn expect(&mut self, input: &[u8]);

    /// Whether the files are those of this result.
    fn have(&self, content: &[u8]) -> bool;

    /// Replaces the files; the first time originals are kept.
    ///
    /// # Errors
    /// The system's own words.
    fn write(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()>;

    /// Flushes the written files to disk.
    ///
    /// # Errors
    /// The system's own words.
    fn sync(&self) -> io::Result<()>;

    /// Returns the original, or the first of several; `None` if nothing is replaced.
    fn original(&self) -> Option<&Path>;

    /// Leaves the place as it is. Results are written next to it from now on.
    fn go_beside(&mut self);

    /// Where results are instead of their place.
    fn beside(&self) -> Option<&Path>;

    /// A message for a user who looks for the result in its place, once.
    fn notice(&mut self) -> Option<String>;

    /// Removes the unfinished files of a killed run.
    fn clear(&self);
}

/// A directory that results replace.
#[derive(Debug)]
pub(super) struct Directory {
    /// The name as the user gave it, for messages.
    name: PathBuf,
    /// The archive whose texts are the results.
    archive: Archive,
    /// The folder that the directory is in, which is open from the start.
    near: Folder,
    /// Its name there.
    own: OsString,
    /// The place for the original, before the first write.
    original: Option<PathBuf>,
    /// The permissions of the result, its owner and its group.
    mode: u32,
    owner: (u32, u32),
    /// The state in which lop left the directory. In any other state, another program has written to it. `None` if
    /// nothing could be lost.
    left: Option<DirectoryState>,
    /// The result that is there.
    written: Option<Vec<u8>>,
    /// The place of results since another program has written there.
    beside: Option<PathBuf>,
    /// Whether the user knows about it.
    is_told: bool,
    /// Where a directory is that another program wrote to while a result took its place.
    saved: Option<PathBuf>,
}

/// The state of a directory.
#[derive(Debug, PartialEq, Eq)]
enum DirectoryState {
    /// The files of the input.
    Input(blake3::Hash),
    /// The result that was written last, by its stamp.
    Result(u64),
}

impl Directory {
    fn at(name: &Path, path: &Path, like: &Path, archive: &Archive) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: name.to_owned(), source };
        check_directory(name, &parent(path))?;
        let (near, own) = Folder::of(path).map_err(failed)?;
        let facts = fs::metadata(like).map_err(failed)?;
        // A file has no permission to be entered, which its readers need of a folder.
        let mode = facts.mode() & 0o777;
        let mode = if facts.is_dir() { mode } else { mode | (mode & 0o444) >> 2 };
        let (name, archive, owner) = (name.to_owned(), archive.clone(), (facts.uid(), facts.gid()));
        let (original, left, written, beside, is_told, saved) = (None, None, None, None, false, None);
        Ok(Directory { name, archive, near, own, original, mode, owner, left, written, beside, is_told, saved })
    }

    /// The input itself.
    pub(super) fn in_place(input: &Path, archive: &Archive) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: input.to_owned(), source };
        // Use the real path: a link would be replaced, and `.` has no name.
        let path = fs::canonicalize(input).map_err(failed)?;
        let original = free_original(&path)?;
        Ok(Directory { original: Some(original), ..Self::at(input, &path, &path, archive)? })
    }

    /// A directory that nothing has the name of, or that is empty.
    pub(super) fn new_one(output: &Path, input: &Path, archive: &Archive) -> Result<Self, StoreError> {
        let failed = |source| StoreError::NotWritable { output: output.to_owned(), source };
        let plain: PathBuf = output.components().collect();
        match fs::read_dir(&plain).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => return Err(StoreError::OutputIsTaken(output.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && plain.symlink_metadata().is_err() => {}
            Err(error) => return Err(failed(error)),
        }
        Self::at(output, &plain, input, archive)
    }

    /// Opens a directory that an interrupted run has written; `None` if there is none.
    pub(super) fn written(output: &Path, archive: &Archive) -> Result<Option<Self>, StoreError> {
        let plain: PathBuf = output.components().collect();
        let has_files = fs::read_dir(&plain).is_ok_and(|mut entries| entries.next().is_some());
        if has_files { Self::at(output, &plain, &plain, archive).map(Some) } else { Ok(None) }
    }

    /// Opens the input that an interrupted run has replaced by a result; `None` if it hasn't. `content` was its text,
    /// and `knows` recognises the files of its results.
    pub(super) fn replaced(
        input: &Path,
        (archive, content): (&Archive, &[u8]),
        knows: &dyn Fn(&[Member]) -> bool,
    ) -> Result<Option<Self>, StoreError> {
        let failed = |source| StoreError::NotWritable { output: input.to_owned(), source };
        // Between two names that a result has it may have none.
        let path = fs::canonicalize(input).or_else(|_| std::path::absolute(input)).map_err(failed)?;
        let original = original_name(&path);
        if original.symlink_metadata().is_err() {
            return Ok(None);
        }
        let members = |path: &Path| project::read(path).map(|found| found.members).unwrap_or_default();
        let input_members = archive.members(content);
        let is_input = |path: &Path| members(path) == input_members;
        if !is_input(&original) {
            // A kill can have come between the two steps of the first result.
            if !(is_input(&path) && knows(&members(&original))) {
                return Err(StoreError::OriginalDiffers(original));
            }
            let (near, own) = Folder::of(&path).map_err(failed)?;
            near.exchange(&own, last(&original)).map_err(failed)?;
        }
        Ok(Some(Directory { original: Some(original.clone()), ..Self::at(input, &path, &original, archive)? }))
    }

    /// The files that are in the directory.
    fn members(&self) -> Option<Vec<Member>> {
        project::read(&self.near.path_of(self.place())).ok().map(|found| found.members)
    }

    fn stamp(&self) -> Option<DirectoryState> {
        tree::stamp(&self.near.path_of(self.place())).map(DirectoryState::Result)
    }

    /// The name of the place of results.
    fn place(&self) -> &OsStr {
        self.beside.as_ref().map_or(&self.own, |beside| last(beside))
    }

    fn input_state(&self, members: &[Member]) -> DirectoryState {
        DirectoryState::Input(blake3::hash(&self.archive.text(members)))
    }

    /// Whether another program has written to the directory. From a missing directory nothing can be lost.
    fn is_changed(&self) -> bool {
        let found = match &self.left {
            Some(DirectoryState::Input(_)) => self.members().map(|members| self.input_state(&members)),
            Some(DirectoryState::Result(_)) => self.stamp(),
            None => None,
        };
        found.is_some() && found != self.left
    }

    /// Puts a result in the place. Returns the path of edits that arrived meanwhile.
    fn replace(&self, content: &[u8], is_first: bool, sync: bool) -> io::Result<Option<PathBuf>> {
        let name = self.place().to_owned();
        let mut new = self.near.temporary_folder(&name)?;
        let own = new.handle().metadata()?;
        let owner = Some(self.owner).filter(|owner| *owner != (own.uid(), own.gid()));
        let place = self.written.as_ref().and_then(|_| self.near.open_folder(&name).ok());
        let there = place.as_ref().zip(self.written.as_deref());
        project::write_into(&self.archive, content, new.handle(), there, owner)
            .map_err(|error| explain(error.source, &error.path.display().to_string()))?;
        if sync {
            self.near.sync_all()?;
        }
        // Until now only the user could read it. Change the owner first: after that, nobody else can change the mode.
        if let Some((user, group)) = owner
            && fchown(new.handle(), Some(user), Some(group)).is_err()
        {
            let _ = fchown(new.handle(), None, Some(group));
        }
        let mode = Mode::from_raw_mode(self.mode as _);
        rustix::fs::fchmod(new.handle(), mode)?;
        match self.original.as_ref().filter(|_| is_first && self.beside.is_none()) {
            Some(original) => {
                let original = last(original).to_owned();
                new.put_and_keep(&name, &original)
                    .map_err(|error| explain(error, &format!("cannot keep the original as {}", original.display())))?;
            }
            None if self.near.has(&name) => {
                new.exchange(&name)?;
                return self.save_edits(new);
            }
            None => new.persist_noclobber(&name)?,
        }
        Ok(None)
    }

    /// Keeps the replaced directory, and returns its path, if it isn't as lop left it.
    fn save_edits(&self, old: TemporaryFolder<'_>) -> io::Result<Option<PathBuf>> {
        let now = tree::stamp(&self.near.path_of(old.name())).map(DirectoryState::Result);
        if !matches!(self.left, Some(DirectoryState::Result(_))) || now == self.left {
            return Ok(None);
        }
        let saved = free_name(&self.near, &self.name, ".edited");
        old.persist_noclobber(last(&saved))?;
        Ok(Some(saved))
    }
}

impl ManyFiles for Directory {
    fn expect(&mut self, input: &[u8]) {
        if self.original.is_some() {
            self.left = Some(self.input_state(&self.archive.members(input)));
        }
    }

    fn have(&self, content: &[u8]) -> bool {
        let wanted = self.archive.sorted_members(content);
        let is_there = |mut found: Vec<Member>| {
            found.sort_by(|one, other| one.path.cmp(&other.path));
            found == wanted
        };
        self.beside.is_none() && self.members().is_some_and(is_there)
    }

    fn write(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()> {
        if self.beside.is_none() && self.is_changed() {
            self.go_beside();
        }
        let name = self.beside.as_ref().unwrap_or(&self.name).display().to_string();
        let replaced = self.replace(content, is_first, sync);
        let saved = replaced.map_err(|error| explain(error, &format!("cannot write {name}")))?;
        self.saved = saved.or(self.saved.take());
        // If the first result was written next to the input, there is no original.
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
        self.beside.get_or_insert_with(|| free_name(&self.near, &self.name, ".reduced"));
        (self.left, self.written) = (None, None);
    }

    fn beside(&self) -> Option<&Path> {
        self.beside.as_deref()
    }

    fn notice(&mut self) -> Option<String> {
        let name = self.name.display();
        if let Some(saved) = self.saved.take() {
            let saved = saved.display();
            return Some(format!(
                "another program wrote to {name} while a result took its place: its files are in {saved}"
            ));
        }
        let beside = self.beside.as_ref()?.display();
        let message =
            format!("{name} was changed by another program, so lop leaves it as it is; the result goes to {beside}");
        (!std::mem::replace(&mut self.is_told, true)).then_some(message)
    }

    fn clear(&self) {
        self.near.clear(Some(&self.own));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use lop_files::project::Kind;

    fn packed(files: &[(&str, &str)]) -> (Archive, Vec<u8>) {
        let member = |(path, content): &(&str, &str)| Member {
            path: path.as_bytes().to_vec(),
            kind: Kind::File,
            mode: 0o644,
            content: content.as_bytes().to_vec(),
        };
        Archive::pack(&files.iter().map(member).collect::<Vec<_>>())
    }

    /// The text of these files in an archive of others.
    fn text(archive: &Archive, files: &[(&str, &str)]) -> Vec<u8> {
        let (own, text) = packed(files);
        archive.text(&own.members(&text))
    }

    fn with_input(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf, Archive, Vec<u8>) {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("d");
        let (archive, content) = packed(files);
        project::write(&archive, &content, &path).expect("our own");
        (place, path, archive, content)
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).expect("it is there")
    }

    #[test]
    fn an_edit_that_comes_between_the_look_and_the_exchange_is_kept() {
        let (place, path, archive, content) = with_input(&[("a", "123"), ("b", "1")]);
        let mut directory = Directory::in_place(&path, &archive).expect("writable");
        directory.expect(&content);
        directory.write(&text(&archive, &[("a", "12"), ("b", "1")]), true, false).expect("writable");
        assert_eq!(directory.notice(), None);
        // As late as possible: after the checks of `write`.
        fs::write(path.join("b"), "mine").expect("our own");
        directory.saved = directory.replace(&text(&archive, &[("a", "1")]), false, false).expect("writable");
        assert_eq!(read(&path.join("a")), "1");
        assert_eq!(read(&place.path().join("d.edited/b")), "mine");
        let notice = directory.notice().expect("the user is told");
        assert!(notice.contains("d.edited"), "{notice}");
    }

    #[test]
    fn a_directory_has_its_mode_when_it_is_whole_and_names_no_other_before() {
        let (place, path, archive, content) = with_input(&[("a", "123")]);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("our own");
        let mut directory = Directory::in_place(&path, &archive).expect("writable");
        directory.expect(&content);
        directory.write(&text(&archive, &[("a", "1")]), true, true).expect("writable");
        let (now, before) =
            (fs::metadata(&path).expect("there"), fs::metadata(place.path().join("d.orig")).expect("there"));
        assert_eq!(now.permissions().mode() & 0o7777, 0o750);
        assert_eq!((now.uid(), now.gid()), (before.uid(), before.gid()));
        assert_eq!(fs::read_dir(place.path()).expect("ours").count(), 2, "nothing is left");
    }

    /// Only root may give something away.
    #[test]
    fn a_result_belongs_to_the_owner_of_the_input() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let (place, path, archive, content) = with_input(&[("a", "123"), ("c/b", "1")]);
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).expect("root may");
        let mut directory = Directory::in_place(&path, &archive).expect("writable");
        directory.expect(&content);
        directory.write(&text(&archive, &[("c/b", "1")]), true, false).expect("writable");
        for name in ["d", "d/c", "d/c/b"] {
            let facts = fs::metadata(place.path().join(name)).expect("there");
            assert_eq!((facts.uid(), facts.gid()), (1234, 4321), "{name}");
        }
        directory.write(&text(&archive, &[("c/b", "")]), false, false).expect("writable");
        assert_eq!(fs::metadata(path.join("c/b")).expect("there").uid(), 1234);
    }

    #[test]
    fn a_kill_between_the_two_steps_of_the_first_result_is_made_up_for() {
        let (place, path, archive, content) = with_input(&[("a", "123")]);
        let result = text(&archive, &[("a", "1")]);
        project::write(&archive, &result, &place.path().join("d.orig")).expect("our own");
        let members = archive.members(&result);
        let stranger = Directory::replaced(&path, (&archive, &content), &|_| false);
        assert!(matches!(stranger, Err(StoreError::OriginalDiffers(_))));
        let replaced =
            Directory::replaced(&path, (&archive, &content), &|found| found == members).expect("it is known");
        assert!(replaced.is_some());
        assert_eq!((read(&path.join("a")), read(&place.path().join("d.orig/a"))), ("1".to_owned(), "123".to_owned()));
    }
}
