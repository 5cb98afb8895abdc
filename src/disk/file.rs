//! Single files: read as far as they are files, made where a user named them.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::audience::Audience;
use super::distrust::Distrust;
use super::folder::Folder;

/// Where the system keeps names of what is open already.
const SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Reads a regular file of at most so many bytes. A pipe is not waited for.
///
/// # Errors
/// When it is none, is longer, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !facts.is_file() {
        return Err(Distrust::NotAFile.at(path));
    }
    let mut content = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most} bytes")));
    }
    Ok(content)
}

/// Opens what a user named as a place to write to: a new file, one of the user's own, which is emptied, or a device or a
/// pipe.
///
/// # Errors
/// When it is a link to a file, another user's file, has another name, or cannot be written to.
pub fn create(path: &Path, audience: Audience) -> io::Result<File> {
    if is_special(path) {
        return OpenOptions::new().write(true).open(path);
    }
    let (folder, name) = Folder::of(path)?;
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match folder.create_new(&name, audience.file_mode(&folder.facts()?)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => empty(&folder, &name, audience),
        other => other,
    }
}

/// Makes a file of a name that nothing has.
///
/// # Errors
/// When something has it, and what the system says.
pub fn create_new(path: &Path, audience: Audience) -> io::Result<File> {
    let (folder, name) = Folder::of(path)?;
    folder.create_new(&name, audience.file_mode(&folder.facts()?))
}

/// Opens a file of the user's own without what is in it, and takes it from those who may not read it from now on.
fn empty(folder: &Folder, name: &OsStr, audience: Audience) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let file = folder.open(name, true)?;
    let facts = file.metadata()?;
    let mode = facts.mode() & 0o777;
    let narrow = audience.narrow(mode, facts.gid());
    if narrow != mode {
        file.set_permissions(fs::Permissions::from_mode(narrow))?;
    }
    file.set_len(0)?;
    Ok(file)
}

/// Whether a path leads to something that is written to as it is: a device, a pipe, or what this process has open.
fn is_special(path: &Path) -> bool {
    let is_other = fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir());
    is_other || is_open_file(path)
}

/// Whether a path is one of the system's names for what a process has open, such as `/dev/stdout`.
#[must_use]
pub fn is_open_file(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
    folder
        .is_some_and(|folder| SYSTEM.iter().any(|system| folder.starts_with(system)) && !folder.starts_with("/dev/shm"))
}
