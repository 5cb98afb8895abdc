//! Reads a directory into the members of an archive, and writes an archive as a directory.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, fchown};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{AtFlags, Gid, Mode, Uid};

use crate::tree;

use super::{Archive, Entry, Kind, Member};

/// Directories of version control systems, which aren't part of a test case.
const OF_TOOLS: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/// Maximum size in bytes: a test case is in memory several times.
pub const MOST_BYTES: u64 = 512 << 20;

/// Maximum number of files, links and directories.
const MOST_MEMBERS: usize = 1_000_000;

/// The reason why a file isn't part of the test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The directory of a version control system.
    Tool(PathBuf),
    /// A symbolic link to something outside.
    Link(PathBuf),
    /// A device, a socket or a pipe.
    Special(PathBuf),
}

/// Why a folder cannot be read.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum ReadError {
    /// The system refuses a file.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is too large.
    #[diagnostic(help("name a directory that holds only the test case"))]
    #[error("{} has more than {} MiB, or more than {MOST_MEMBERS} files", .0.display(), MOST_BYTES >> 20)]
    TooLarge(PathBuf),
}

/// A folder that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    #[source]
    pub source: io::Error,
}

/// The members of a test case, and the files that were left out.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// In the order of their paths, with the entries of a directory together.
    pub members: Vec<Member>,
    /// In the same order.
    pub left_out: Vec<LeftOut>,
}

/// Reads a directory. Follows no link, and reads nothing if it is too large.
///
/// # Errors
/// If part of it cannot be read, or it is too large.
pub fn read(root: &Path) -> Result<Selection, ReadError> {
    let mut selection = list(root)?;
    for member in selection.members.iter_mut().filter(|member| member.kind == Kind::File) {
        let path = root.join(OsStr::from_bytes(&member.path));
        member.content = fs::read(&path).map_err(|source| ReadError::Read { path, source })?;
    }
    Ok(selection)
}

/// Reads a directory without the content of its files.
///
/// # Errors
/// The errors of [`read`].
pub fn list(root: &Path) -> Result<Selection, ReadError> {
    let mut selection = Selection::default();
    let mut bytes = 0;
    let mut walk = tree::walk(root).min_depth(1).into_iter();
    while let Some(entry) = walk.next() {
        let unread = |error| {
            let (path, source) = tree::unread(root, error);
            ReadError::Read { path, source }
        };
        let entry = entry.map_err(unread)?;
        let (path, facts) = (entry.path(), entry.metadata().map_err(unread)?);
        let failed = |source| ReadError::Read { path: path.to_owned(), source };
        let inner = path.strip_prefix(root).unwrap_or(path).to_owned();
        let member = |kind, content: Vec<u8>| Member {
            path: inner.as_os_str().as_bytes().to_vec(),
            kind,
            mode: facts.permissions().mode() & 0o777,
            content,
        };
        if facts.is_dir() && OF_TOOLS.iter().any(|tool| entry.file_name() == *tool) {
            selection.left_out.push(LeftOut::Tool(inner));
            walk.skip_current_dir();
        } else if facts.is_dir() {
            if fs::read_dir(path).map_err(failed)?.next().is_none() {
                selection.members.push(member(Kind::Folder, Vec::new()));
            }
        } else if facts.is_symlink() {
            let target = fs::read_link(path).map_err(failed)?;
            if leads_inside(&inner, &target) {
                selection.members.push(member(Kind::Link, target.into_os_string().as_bytes().to_vec()));
            } else {
                selection.left_out.push(LeftOut::Link(inner));
            }
        } else if facts.is_file() {
            bytes += facts.len();
            if bytes > MOST_BYTES {
                return Err(ReadError::TooLarge(root.to_owned()));
            }
            selection.members.push(member(Kind::File, Vec::new()));
        } else {
            selection.left_out.push(LeftOut::Special(inner));
        }
        if selection.members.len() > MOST_MEMBERS {
            return Err(ReadError::TooLarge(root.to_owned()));
        }
    }
    Ok(selection)
}

/// Whether a link at `path` below the root leads to a place below the root.
fn leads_inside(path: &Path, target: &Path) -> bool {
    let mut depth = path.components().count() - 1;
    target.components().all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir if depth > 0 => {
            depth -= 1;
            true
        }
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    })
}

/// Writes the members of a text below `root`, which is created if necessary.
///
/// Creates links last, so that no file is written through one.
///
/// # Errors
/// If the system refuses something. Part of the members may be written then.
pub fn write(archive: &Archive, text: &[u8], root: &Path) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: root.to_owned(), source };
    fs::DirBuilder::new().recursive(true).mode(0o755).create(root).map_err(failed)?;
    let folder = Dir::open_ambient_dir(root, ambient_authority()).map_err(failed)?;
    write_below(archive, text, &folder, None, None)
        .map_err(|error| WriteError { path: root.join(error.path), source: error.source })
}

/// Writes the members of a text into an open, empty directory, and gives them the owner of another directory. A further
/// directory contains the members of another text and doesn't change any more: files with the same content are hard
/// links to it. Writing ten thousand files took half a second on a journaling file system.
///
/// # Errors
/// The errors of [`write()`], with paths below the directory.
pub fn write_into(
    archive: &Archive,
    text: &[u8],
    root: &File,
    other: Option<(&File, &[u8])>,
    owner: Option<(u32, u32)>,
) -> Result<(), WriteError> {
    let open = |folder: &File| {
        let failed = |source| WriteError { path: PathBuf::from("."), source };
        folder.try_clone().map(Dir::from_std_file).map_err(failed)
    };
    let other = other.map(|(folder, text)| Ok((open(folder)?, text))).transpose()?;
    write_below(archive, text, &open(root)?, other.as_ref().map(|(folder, text)| (folder, *text)), owner)
}

fn write_below(
    archive: &Archive,
    text: &[u8],
    root: &Dir,
    other: Option<(&Dir, &[u8])>,
    owner: Option<(u32, u32)>,
) -> Result<(), WriteError> {
    let before = other.map(|(folder, text)| (folder, text, archive.entries(text)));
    let known: HashMap<&[u8], &Entry> =
        before.iter().flat_map(|(_, _, entries)| entries).map(|entry| (entry.path.as_slice(), entry)).collect();
    let is_linked = |entry: &Entry| {
        let (Some((folder, old, _)), Some(same)) = (&before, known.get(entry.path.as_slice())) else { return false };
        let is_same = same.kind == entry.kind && same.mode == entry.mode;
        let is_same = is_same && old[same.content.clone()] == text[entry.content.clone()];
        is_same && folder.hard_link(entry.path(), root, entry.path()).is_ok()
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError { path, source }
    };
    let entries = archive.entries(text);
    let mut folders = BTreeSet::new();
    for entry in &entries {
        let folder = match entry.kind {
            Kind::Folder => Some(entry.path()),
            Kind::File | Kind::Link => entry.path().parent(),
            Kind::Argument => None,
        };
        if let Some(folder) = folder.filter(|folder| !folders.contains(*folder)) {
            let above = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
            folders.extend(above.map(Path::to_owned));
            let mut builder = DirBuilder::new();
            builder.recursive(true).mode(0o755);
            root.create_dir_with(folder, &builder).map_err(failed(folder))?;
        }
    }
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
        if !is_linked(entry) {
            write_file(entry, text, root, owner).map_err(failed(entry.path()))?;
        }
    }
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Link) {
        let target = OsStr::from_bytes(&text[entry.content.clone()]);
        root.symlink_contents(target, entry.path()).map_err(failed(entry.path()))?;
    }
    let links = entries.iter().filter(|entry| entry.kind == Kind::Link).map(Entry::path);
    if let Some((user, group)) = owner {
        for path in links.chain(folders.iter().map(PathBuf::as_path)) {
            give(root, path, user, group);
        }
    }
    for entry in entries.iter().rev().filter(|entry| entry.kind == Kind::Folder && entry.mode & 0o700 != 0o700) {
        let mode = Mode::from_raw_mode(entry.mode as _);
        rustix::fs::chmodat(root, entry.path(), mode, AtFlags::empty())
            .map_err(|error| failed(entry.path())(error.into()))?;
    }
    Ok(())
}

/// Changes the owner of a link or a directory, or at least its group. Only root can change owners.
fn give(root: &Dir, path: &Path, user: u32, group: u32) {
    let (user, group) = (Some(Uid::from_raw(user)), Some(Gid::from_raw(group)));
    if rustix::fs::chownat(root, path, user, group, AtFlags::SYMLINK_NOFOLLOW).is_err() {
        let _ = rustix::fs::chownat(root, path, None, group, AtFlags::SYMLINK_NOFOLLOW);
    }
}

fn write_file(entry: &Entry, text: &[u8], root: &Dir, owner: Option<(u32, u32)>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(entry.mode | 0o200);
    let mut file = root.open_with(entry.path(), &options)?.into_std();
    file.write_all(&text[entry.content.clone()])?;
    if let Some((user, group)) = owner
        && fchown(&file, Some(user), Some(group)).is_err()
    {
        let _ = fchown(&file, None, Some(group));
    }
    // The umask removes bits from the mode of a new file.
    if file.metadata()?.permissions().mode() & 0o777 != entry.mode {
        file.set_permissions(fs::Permissions::from_mode(entry.mode))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_comes_back_as_it_was() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().join("in");
        for folder in ["a/b", "empty", ".git", "z"] {
            fs::create_dir_all(root.join(folder)).expect("writable");
        }
        for (name, content) in [("a/b/c.h", "int c;"), ("a/x.c", "\n"), ("z/run", "#!/bin/sh\n"), (".git/HEAD", "x")] {
            fs::write(root.join(name), content).expect("writable");
        }
        fs::set_permissions(root.join("z/run"), fs::Permissions::from_mode(0o755)).expect("ours");
        symlink("../a/x.c", root.join("z/link")).expect("a link");
        symlink("../../out", root.join("z/out")).expect("a link");
        symlink("/etc/passwd", root.join("z/far")).expect("a link");
        let read = read(&root).expect("readable");
        let paths: Vec<_> = read.members.iter().map(|member| String::from_utf8_lossy(&member.path)).collect();
        assert_eq!(paths, ["a/b/c.h", "a/x.c", "empty", "z/link", "z/run"]);
        let left_out = [LeftOut::Tool(".git".into()), LeftOut::Link("z/far".into()), LeftOut::Link("z/out".into())];
        assert_eq!(read.left_out, left_out);
        let out = place.path().join("out");
        let (archive, text) = Archive::pack(&read.members);
        write(&archive, &text, &out).expect("writable");
        assert_eq!(super::read(&out).expect("readable").members, read.members);
    }

    #[test]
    fn no_file_is_written_through_a_link() {
        let place = tempfile::tempdir().expect("a directory");
        let member =
            |path: &str, kind, content: &str| Member { path: path.into(), kind, mode: 0o644, content: content.into() };
        let outside = place.path().join("outside");
        fs::create_dir(&outside).expect("writable");
        let link = member("a", Kind::Link, outside.to_str().expect("plain"));
        let (archive, text) = Archive::pack(&[link, member("a/x", Kind::File, "1")]);
        assert!(write(&archive, &text, &place.path().join("out")).is_err());
        assert_eq!(fs::read_dir(&outside).expect("readable").count(), 0);
    }
}
