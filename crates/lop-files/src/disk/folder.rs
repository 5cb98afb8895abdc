//! A directory as a handle, and the files in it. New files get unique names and are then renamed. Existing files are
//! opened only if they belong to the user.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::distrust::Distrust;
use super::read_access::ReadAccess;
use super::stamp::Stamp;

/// Start and end of the names of files that are being written.
const START: &str = ".lop-";
const END: &str = ".tmp";
/// Number of names to try; each has 64 random bits.
const TRIES: usize = 16;

/// An open directory. All access stays inside it, even if its name now leads elsewhere.
#[derive(Debug)]
pub struct Folder {
    handle: File,
    /// For messages.
    path: PathBuf,
}

/// A file that is being written under a unique name. Dropping it removes the file.
#[derive(Debug)]
pub struct Temporary<'f> {
    folder: &'f Folder,
    name: OsString,
    file: File,
    is_done: bool,
}

/// A directory that is being written under a unique name. Dropping it removes the directory and its content.
#[derive(Debug)]
pub struct TemporaryFolder<'f> {
    folder: &'f Folder,
    name: OsString,
    /// The directory, even if its name now leads elsewhere. Its lock shows that a process is using it.
    handle: File,
    is_done: bool,
}

impl Folder {
    /// Opens any directory, also through links: for example, that of a result.
    ///
    /// # Errors
    /// If it is missing or cannot be read.
    pub fn at(path: &Path) -> io::Result<Folder> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?;
        Ok(Folder { handle: handle.into(), path: path.to_owned() })
    }

    /// Opens the directory of a file, and returns it with the file's name.
    ///
    /// # Errors
    /// The errors of [`Folder::at`], and if the path doesn't end in a name.
    pub fn of(path: &Path) -> io::Result<(Folder, OsString)> {
        let no_name = || io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display()));
        let name = path.file_name().ok_or_else(no_name)?;
        Ok((Folder::at(path.parent().unwrap_or(Path::new("")))?, name.to_owned()))
    }

    /// Opens a directory that lop has made. Returns `None` if it is missing.
    ///
    /// # Errors
    /// If it is a link, not a directory, belongs to another user, or cannot be opened.
    pub fn own(path: &Path) -> io::Result<Option<Folder>> {
        // A trailing slash would follow a link.
        let path: PathBuf = path.components().collect();
        let (above, name) = match Folder::of(&path) {
            Ok(found) => found,
            // The current directory, or a path that ends in `..`.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Folder::at(&path)?.if_ours().map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let found = above.inner(&name)?;
        Ok(found.map(|folder| Folder { path, ..folder }))
    }

    /// Opens a directory of lop's, and creates it if it is missing. The second value is `true` if it was created.
    ///
    /// # Errors
    /// The errors of [`Folder::own`], and if it cannot be created.
    pub fn make(path: &Path, audience: ReadAccess) -> io::Result<(Folder, bool)> {
        if let Some(folder) = Folder::own(path)? {
            return Ok((folder, false));
        }
        let path: PathBuf = path.components().collect();
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            fs::create_dir_all(above)?;
        }
        let (above, name) = Folder::of(&path)?;
        let made = above.make_inner(&name, audience)?;
        let folder = above.inner(&name)?.ok_or(io::ErrorKind::NotFound)?;
        Ok((Folder { path, ..folder }, made))
    }

    /// Opens a subdirectory that lop has made. Returns `None` if it is missing.
    ///
    /// # Errors
    /// The errors of [`Folder::own`].
    pub fn inner(&self, name: &OsStr) -> io::Result<Option<Folder>> {
        let path = self.path_of(name);
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match retry_on_intr(|| rustix::fs::openat(&self.handle, name, flags, Mode::empty())) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let why = if self.is_link(name) { Distrust::Link } else { Distrust::NotAFolder };
                return Err(why.at(&path));
            }
            Err(error) => return Err(error.into()),
        };
        let folder = Folder { handle: handle.into(), path };
        if !self.is_ours(&folder.facts()?) {
            return Err(Distrust::Foreign.at(&folder.path));
        }
        Ok(Some(folder))
    }

    /// Creates a subdirectory. Returns `false` if the name is taken.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn make_inner(&self, name: &OsStr, audience: ReadAccess) -> io::Result<bool> {
        let mode = Mode::from_raw_mode(audience.folder_mode(&self.facts()?) as _);
        match retry_on_intr(|| rustix::fs::mkdirat(&self.handle, name, mode)) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The directory's name, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a name in it, for messages.
    #[must_use]
    pub fn path_of(&self, name: &OsStr) -> PathBuf {
        if self.path == Path::new(".") { PathBuf::from(name) } else { self.path.join(name) }
    }

    /// Returns its current path, which differs from the one it was opened by if it was moved. `None` if it was removed,
    /// or if the system doesn't report the path.
    #[must_use]
    pub fn whereabouts(&self) -> Option<PathBuf> {
        let is_this = |path: &Path| {
            let found = rustix::fs::stat(path).and_then(|there| Ok((there, rustix::fs::fstat(&self.handle)?)));
            found.is_ok_and(|(there, here)| (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino))
        };
        if is_this(&self.path) {
            return Some(self.path.clone());
        }
        let now = fs::read_link(format!("/proc/self/fd/{}", self.handle.as_raw_fd())).ok()?;
        is_this(&now).then_some(now)
    }

    /// Lists the names in it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Whether the name is taken.
    #[must_use]
    pub fn has(&self, name: &OsStr) -> bool {
        rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Whether an open file is the one with this name.
    #[must_use]
    pub fn is_here(&self, name: &OsStr, file: &File) -> bool {
        let here = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        let open = rustix::fs::fstat(file);
        here.is_ok_and(|here| open.is_ok_and(|open| (here.st_dev, here.st_ino) == (open.st_dev, open.st_ino)))
    }

    /// Opens a file of the user's for reading, and for appending if `wanted`.
    ///
    /// # Errors
    /// If it is missing, a link, not a regular file, another user's, has a second name, or cannot be opened.
    pub fn open(&self, name: &OsStr, wanted: bool) -> io::Result<File> {
        let path = self.path_of(name);
        let access = if wanted { OFlags::RDWR | OFlags::APPEND } else { OFlags::RDONLY };
        // Opening a pipe must not wait for a process at the other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file: File = match retry_on_intr(|| rustix::fs::openat(&self.handle, name, flags, Mode::empty())) {
            Ok(file) => file.into(),
            Err(Errno::LOOP) => return Err(Distrust::Link.at(&path)),
            Err(Errno::NXIO | Errno::ISDIR) => return Err(Distrust::NotAFile.at(&path)),
            Err(error) => {
                // The error gives the reason for the distrust even if the file cannot be opened.
                if let Ok(facts) = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)
                    && let Some(why) = self.distrust(&facts)
                {
                    return Err(why.at(&path));
                }
                return Err(error.into());
            }
        };
        match self.distrust(&rustix::fs::fstat(&file)?) {
            Some(why) => Err(why.at(&path)),
            None => Ok(file),
        }
    }

    /// Opens any user's regular file for reading, or checks that it is writable if `wanted`. Follows no link and waits
    /// for no pipe.
    ///
    /// # Errors
    /// If it is missing, not of this kind, or cannot be opened.
    pub fn open_any(&self, name: &OsStr, wanted: bool) -> io::Result<File> {
        let path = self.path_of(name);
        let access = if wanted { OFlags::WRONLY } else { OFlags::RDONLY };
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file: File = match retry_on_intr(|| rustix::fs::openat(&self.handle, name, flags, Mode::empty())) {
            Err(Errno::LOOP) => return Err(Distrust::Link.at(&path)),
            other => other?.into(),
        };
        check_regular(&file, &path)?;
        Ok(file)
    }

    /// Reads any user's regular file.
    ///
    /// # Errors
    /// The errors of [`Folder::open_any`], and if it cannot be read.
    pub fn read(&self, name: &OsStr) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open_any(name, false)?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Returns the stamp of the file, link or directory with this name.
    ///
    /// # Errors
    /// If the name is free, or the system refuses it.
    pub fn stamp(&self, name: &OsStr) -> io::Result<Stamp> {
        let facts = retry_on_intr(|| rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW))?;
        Ok(Stamp::from(&facts))
    }

    /// Checks that a name is free, or belongs to a file of the user's.
    ///
    /// # Errors
    /// The reason for the distrust, or the system's error.
    pub fn check_file(&self, name: &OsStr) -> io::Result<()> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => self.distrust(&facts).map_or(Ok(()), |why| Err(why.at(&self.path_of(name)))),
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a file whose name contains `tag`, by which [`Folder::clear`] finds it.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn temporary(&self, tag: &OsStr, audience: ReadAccess) -> io::Result<Temporary<'_>> {
        let mode = audience.file_mode(&self.facts()?);
        for _ in 0..TRIES {
            let mut name = OsString::from(prefix(tag));
            name.push(format!("{:016x}{END}", RandomState::new().hash_one(&self.path)));
            match self.create_new(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    // The lock shows that a process is using it. Some file systems have no locks.
                    let _ = file.try_lock();
                    // Without the lock, another process may have removed it as left over.
                    if self.is_here(&name, &file) {
                        return Ok(Temporary { folder: self, name, file, is_done: false });
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Creates a directory that only the user can read, whose name contains `tag`, by which [`Folder::clear`] finds it.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn temporary_folder(&self, tag: &OsStr) -> io::Result<TemporaryFolder<'_>> {
        for _ in 0..TRIES {
            let mut name = OsString::from(prefix(tag));
            name.push(format!("{:016x}{END}", RandomState::new().hash_one(&self.path)));
            if !self.make_inner(&name, ReadAccess::OWN)? {
                continue;
            }
            // The owner of this directory may have replaced it, even by a link.
            let Some(Folder { handle, .. }) = self.inner(&name)? else { continue };
            let _ = handle.try_lock();
            let is_empty = Dir::from_std_file(handle.try_clone()?).entries()?.next().is_none();
            if is_empty && self.is_here(&name, &handle) {
                return Ok(TemporaryFolder { folder: self, name, handle, is_done: false });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Opens any user's subdirectory. Follows no link.
    ///
    /// # Errors
    /// If it is missing, not of this kind, or cannot be opened.
    pub fn open_folder(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| rustix::fs::openat(&self.handle, name, flags, Mode::empty()))?.into())
    }

    /// Removes an open directory and its content. If another directory has taken the name, it stays unless it is empty.
    fn remove_folder(&self, name: &OsStr, handle: &File) -> io::Result<()> {
        let folder = Dir::from_std_file(handle.try_clone()?);
        for entry in folder.entries()? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if is_folder { folder.remove_dir_all(entry.file_name())? } else { folder.remove_file(entry.file_name())? }
        }
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR))?)
    }

    /// Replaces a file by one with this content, in one step.
    ///
    /// # Errors
    /// If the system refuses it. The old file is unchanged then.
    pub fn replace(&self, name: &OsStr, content: &[u8], audience: ReadAccess) -> io::Result<()> {
        let mut new = self.temporary(name, audience)?;
        new.file().write_all(content)?;
        new.persist(name).map(|_| ())
    }

    /// Removes [temporary](Folder::temporary) files and directories with this tag, or with any, that ended processes
    /// have left.
    pub fn clear(&self, tag: Option<&OsStr>) {
        let start = tag.map_or_else(|| START.to_owned(), prefix);
        for name in self.names().unwrap_or_default() {
            let is_one = name.to_str().is_some_and(|name| name.starts_with(&start) && name.ends_with(END));
            // Skip links and other users' files: `open` refuses them.
            if is_one && self.open(&name, true).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = self.remove(&name);
            }
            let inner = || self.inner(&name).ok().flatten();
            if let Some(folder) = is_one.then(inner).flatten().filter(|folder| folder.handle.try_lock().is_ok()) {
                let _ = self.remove_folder(&name, &folder.handle);
            }
        }
    }

    /// Gives a file a second name, which must be free, in this directory or another.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn link_new(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::linkat(&self.handle, from, &folder.handle, to, AtFlags::empty()))?)
    }

    /// Creates a file; the name must be free.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn create(&self, name: &OsStr, audience: ReadAccess) -> io::Result<File> {
        self.create_new(name, audience.file_mode(&self.facts()?))
    }

    /// Renames a file; the new name must be free.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match retry_on_intr(|| rustix::fs::renameat_with(&self.handle, from, &self.handle, to, flags)) {
            // Not every file system supports it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if !self.has(to) => self.rename(from, to),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::AlreadyExists.into()),
            other => Ok(other?),
        }
    }

    /// Renames a file, and replaces the file that has the new name.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::renameat(&self.handle, from, &self.handle, to))?)
    }

    /// Exchanges the files of two names in one step.
    ///
    /// # Errors
    /// If one of them is missing, or the system refuses it: not every file system supports it.
    pub fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::EXCHANGE;
        Ok(retry_on_intr(|| rustix::fs::renameat_with(&self.handle, one, &self.handle, other, flags))?)
    }

    /// Forces everything that was written to this directory's file system onto the disk.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn sync_all(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.handle)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()))?)
    }

    /// Creates a file with this mode; the name must be free. As with [`Folder::open`], writes append, because other
    /// processes may append to it at the same time.
    pub(super) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let access = OFlags::RDWR | OFlags::APPEND;
        let flags = access | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as _);
        Ok(retry_on_intr(|| rustix::fs::openat(&self.handle, name, flags, mode))?.into())
    }

    pub(super) fn facts(&self) -> io::Result<Stat> {
        Ok(rustix::fs::fstat(&self.handle)?)
    }

    /// Returns the reason to distrust a file with this metadata in this directory, if there is one.
    pub(super) fn distrust(&self, facts: &Stat) -> Option<Distrust> {
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::Symlink => Some(Distrust::Link),
            FileType::RegularFile if !self.is_ours(facts) => Some(Distrust::Foreign),
            FileType::RegularFile if facts.st_nlink > 1 => Some(Distrust::Shared),
            FileType::RegularFile => None,
            _ => Some(Distrust::NotAFile),
        }
    }

    fn is_link(&self, name: &OsStr) -> bool {
        let facts = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        facts.is_ok_and(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::Symlink)
    }

    /// Whether a file in this directory belongs to the user. Some file systems give all files to one owner, whichever
    /// user creates them; that owner counts as the user.
    fn is_ours(&self, facts: &Stat) -> bool {
        facts.st_uid == rustix::process::geteuid().as_raw() || self.owner_of_new() == Some(facts.st_uid)
    }

    fn owner_of_new(&self) -> Option<u32> {
        let made = self.temporary(OsStr::new(""), ReadAccess::OWN).ok()?;
        Some(rustix::fs::fstat(&made.file).ok()?.st_uid)
    }

    fn if_ours(self) -> io::Result<Folder> {
        if self.is_ours(&self.facts()?) { Ok(self) } else { Err(Distrust::Foreign.at(&self.path)) }
    }
}

impl TemporaryFolder<'_> {
    /// The open directory.
    #[must_use]
    pub fn handle(&self) -> &File {
        &self.handle
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Gives it its final name, which must be free.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn persist_noclobber(mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename_new(&self.name, name)?;
        self.is_done = true;
        Ok(())
    }

    /// Gives it the name of an existing directory, which is renamed to `aside`, a free name. If the file system can
    /// exchange two names, a directory with the name exists at every moment; after a kill, this one may be left as
    /// `aside`.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn put_and_keep(mut self, name: &OsStr, aside: &OsStr) -> io::Result<()> {
        let folder = self.folder;
        folder.rename_new(&self.name, aside)?;
        if folder.exchange(aside, name).is_err() {
            folder.rename_new(aside, &self.name)?;
            folder.rename_new(name, aside)?;
            if let Err(error) = folder.rename_new(&self.name, name) {
                folder.rename_new(aside, name)?;
                return Err(error);
            }
        }
        self.is_done = true;
        Ok(())
    }

    /// Exchanges it with an existing directory, which the caller can then inspect and remove. If the file system can
    /// exchange two names, a directory with the name exists at every moment.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn exchange(&mut self, name: &OsStr) -> io::Result<()> {
        // This one is removed at the end, even if another directory takes its name.
        let old = self.folder.open_folder(name)?;
        match self.folder.exchange(&self.name, name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let mut aside = self.name.clone();
                aside.push(END);
                self.folder.rename_new(name, &aside)?;
                if let Err(error) = self.folder.rename_new(&self.name, name) {
                    self.folder.rename_new(&aside, name)?;
                    return Err(error);
                }
                self.name = aside;
            }
            done => done?,
        }
        let _ = self.handle.unlock();
        self.handle = old;
        Ok(())
    }
}

impl Drop for TemporaryFolder<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // A later run that finds it will try again.
            let _ = self.folder.remove_folder(&self.name, &self.handle);
        }
        let _ = self.handle.unlock();
    }
}

impl Temporary<'_> {
    /// The file, for writing.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it its final name, and replaces the file that has it.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn persist(mut self, name: &OsStr) -> io::Result<File> {
        self.folder.rename(&self.name, name)?;
        self.done()
    }

    /// Gives it its final name, which must be free.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn persist_noclobber(mut self, name: &OsStr) -> io::Result<File> {
        self.folder.rename_new(&self.name, name)?;
        self.done()
    }

    fn done(&mut self) -> io::Result<File> {
        self.is_done = true;
        // Closing the last handle releases the lock.
        self.file.try_clone()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Whether an open file is a regular file, and not a directory, device or pipe.
pub(super) fn check_regular(file: &File, path: &Path) -> io::Result<()> {
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if facts.is_file() { Ok(()) } else { Err(Distrust::NotAFile.at(path)) }
}

/// The start of the names of temporary files with a tag.
fn prefix(tag: &OsStr) -> String {
    let hash = blake3::hash(tag.as_bytes()).to_hex();
    format!("{START}{}-", &hash[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_living_process_writes_is_not_cleared() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(place.path()).expect("it is there");
        let one = folder.temporary(OsStr::new("a"), ReadAccess::OWN).expect("there is room");
        let name = one.name.clone();
        folder.clear(None);
        assert!(folder.has(&name), "it is being written");
        // The state after a kill.
        let mut one = one;
        one.is_done = true;
        drop(one);
        folder.clear(Some(OsStr::new("b")));
        assert!(folder.has(&name), "it is another's");
        folder.clear(Some(OsStr::new("a")));
        assert!(!folder.has(&name));
    }

    #[test]
    fn a_folder_that_is_swapped_for_a_link_is_still_the_one_that_is_written_and_removed() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(place.path()).expect("it is there");
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("precious"), "1").expect("our own");
        let new = folder.temporary_folder(OsStr::new("a")).expect("there is room");
        let path = place.path().join(new.name());
        fs::rename(&path, place.path().join("moved")).expect("our own");
        std::os::unix::fs::symlink(outside.path(), &path).expect("a link");
        Dir::from_std_file(new.handle().try_clone().expect("a handle")).write("x", "2").expect("there is room");
        assert_eq!(fs::read(place.path().join("moved/x")).expect("it went there"), b"2");
        drop(new);
        assert!(outside.path().join("precious").exists());
        assert_eq!(fs::read_dir(outside.path()).expect("ours").count(), 1, "nothing was written there");
        assert_eq!(fs::read_dir(place.path().join("moved")).expect("ours").count(), 0, "its files are gone");
    }

    #[test]
    fn a_folder_that_gets_a_name_leaves_the_one_that_had_it_under_another() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(place.path()).expect("it is there");
        fs::create_dir(place.path().join("d")).expect("our own");
        fs::write(place.path().join("d/old"), "1").expect("our own");
        let new = folder.temporary_folder(OsStr::new("d")).expect("there is room");
        Dir::from_std_file(new.handle().try_clone().expect("a handle")).write("new", "2").expect("there is room");
        new.put_and_keep(OsStr::new("d"), OsStr::new("d.orig")).expect("the name is free");
        assert!(place.path().join("d/new").exists() && place.path().join("d.orig/old").exists());
        assert_eq!(folder.names().expect("our own").len(), 2);
    }

    #[test]
    fn a_new_name_takes_nothing_away_and_a_replaced_link_leads_nowhere() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(place.path()).expect("it is there");
        let [one, other] = ["one", "other"].map(OsStr::new);
        folder.replace(one, b"1", ReadAccess::OWN).expect("there is room");
        folder.replace(other, b"2", ReadAccess::OWN).expect("there is room");
        let taken = folder.rename_new(one, other).expect_err("it is taken");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        let new = folder.temporary(one, ReadAccess::OWN).expect("there is room");
        new.persist_noclobber(other).expect_err("it is taken");
        assert_eq!(folder.names().expect("our own").len(), 2, "nothing is left of the temporary file");
        std::os::unix::fs::symlink("other", place.path().join("link")).expect("a link");
        folder.replace(OsStr::new("link"), b"3", ReadAccess::OWN).expect("there is room");
        let read = |name: &str| fs::read(place.path().join(name)).expect("it is there");
        assert_eq!((read("link"), read("other")), (b"3".to_vec(), b"2".to_vec()));
    }

    #[test]
    fn what_was_opened_is_known_by_its_name_only_while_it_has_it() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(place.path()).expect("it is there");
        let name = OsStr::new("file");
        folder.replace(name, b"1", ReadAccess::OWN).expect("there is room");
        let file = folder.open(name, true).expect("it is ours");
        assert!(folder.is_here(name, &file));
        folder.replace(name, b"2", ReadAccess::OWN).expect("there is room");
        assert!(!folder.is_here(name, &file));
    }
}
