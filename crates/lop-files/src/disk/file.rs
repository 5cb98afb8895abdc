//! Single files: read as far as they are files, made where a user named them.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::folder::{Folder, check_regular};
use super::read_access::ReadAccess;

/// The time between two looks for a reader of a pipe.
const PAUSE: Duration = Duration::from_millis(20);

/// Where the system keeps names of what is open already.
const SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Reads a regular file of at most `most` bytes. A pipe is not waited for.
///
/// # Errors
/// When it is none, is longer, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?);
    check_regular(&file, path)?;
    let too_long = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most} bytes"));
    if file.metadata()?.len() > most {
        return Err(too_long());
    }
    let mut content = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(too_long());
    }
    Ok(content)
}

/// Opens what a user named as a place to write to: a new file, one of the user's own, which is emptied, or a device or a
/// pipe. It waits for a reader of a pipe as long as `waits` says so.
///
/// # Errors
/// When it is a link to a file, another user's file, has another name, or cannot be written to.
pub fn create(path: &Path, audience: ReadAccess, waits: &dyn Fn() -> bool) -> io::Result<File> {
    if is_special(path) {
        return open_special(path, waits);
    }
    let (folder, name) = Folder::of(path)?;
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match folder.create(&name, audience) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => empty(&folder, &name, audience),
        other => other,
    }
}

/// Makes a file of a name that nothing has.
///
/// # Errors
/// When something has it, and what the system says.
pub fn create_new(path: &Path, audience: ReadAccess) -> io::Result<File> {
    let (folder, name) = Folder::of(path)?;
    folder.create(&name, audience)
}

/// Opens something that is written to as it is, such as a device or a pipe. The system would wait for a pipe's reader
/// whatever signal comes; here it is waited for as long as `waits` says so.
///
/// # Errors
/// When it cannot be written to, or no process has read from the pipe.
pub fn open_special(path: &Path, waits: &dyn Fn() -> bool) -> io::Result<File> {
    if !fs::metadata(path)?.file_type().is_fifo() {
        return OpenOptions::new().write(true).open(path);
    }
    loop {
        match rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
            Err(Errno::NXIO) if waits() => thread::sleep(PAUSE),
            Err(Errno::NXIO) => return Err(io::Error::other("no program has read from the pipe")),
            Err(error) => return Err(error.into()),
            Ok(pipe) => {
                // From now on a reader who is slow is waited for.
                rustix::fs::fcntl_setfl(&pipe, rustix::fs::fcntl_getfl(&pipe)? - OFlags::NONBLOCK)?;
                return Ok(pipe.into());
            }
        }
    }
}

/// Opens a file of the user's own without what is in it, and takes it from those who may not read it from now on.
fn empty(folder: &Folder, name: &OsStr, audience: ReadAccess) -> io::Result<File> {
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Write;

    use rustix::fs::{CWD, FileType};

    use super::*;

    #[test]
    fn a_reader_of_a_pipe_is_waited_for_as_long_as_somebody_wants() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
        let left = Cell::new(3);
        let waits = || left.replace(left.get() - 1) > 0;
        let error = create(&pipe, ReadAccess::OWN, &waits).expect_err("nobody comes");
        assert_eq!((left.get(), error.to_string().as_str()), (-1, "no program has read from the pipe"));
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("it is written to")
        });
        // More than fits in at once, so that it has to be waited for.
        let text = vec![7; 1 << 20];
        let mut file = create(&pipe, ReadAccess::OWN, &|| true).expect("somebody reads");
        file.write_all(&text).expect("all of it is read");
        drop(file);
        assert!(reader.join().expect("it does not panic") == text);
    }
}
