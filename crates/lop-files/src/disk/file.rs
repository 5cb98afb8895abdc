//! Single files: reading regular files, and creating files that the user named.

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

/// Interval between two checks for a reader of a pipe.
const PAUSE: Duration = Duration::from_millis(20);

/// Directories with the system's names for open files.
const SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Reads a regular file of at most `most` bytes. Doesn't wait for a pipe.
///
/// # Errors
/// If it isn't a regular file, is longer, or cannot be read.
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

/// Opens a destination that the user named: a new file, a file of the user's, which is emptied, a device or a pipe.
/// Waits for a reader of a pipe as long as `waits` returns `true`.
///
/// # Errors
/// If it is a link to a file, another user's file, has a second name, or cannot be written.
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

/// Creates a file; the name must be free.
///
/// # Errors
/// If the name is taken, or the system refuses it.
pub fn create_new(path: &Path, audience: ReadAccess) -> io::Result<File> {
    let (folder, name) = Folder::of(path)?;
    folder.create(&name, audience)
}

/// Opens a device or a pipe for writing. The system call would wait for a pipe's reader despite signals; this function
/// waits as long as `waits` returns `true`.
///
/// # Errors
/// If it cannot be written, or no process has opened the pipe for reading.
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
                // From now on, block while the reader is slow.
                rustix::fs::fcntl_setfl(&pipe, rustix::fs::fcntl_getfl(&pipe)? - OFlags::NONBLOCK)?;
                return Ok(pipe.into());
            }
        }
    }
}

/// Empties and opens a file of the user's, and removes permissions that it must not have any more.
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

/// Whether a path is a device, a pipe, or a file that this process has open.
fn is_special(path: &Path) -> bool {
    let is_other = fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir());
    is_other || is_open_file(path)
}

/// Whether a path is one of the system's names for an open file, such as `/dev/stdout`.
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
        // More than the pipe's buffer holds, so that the write has to wait.
        let text = vec![7; 1 << 20];
        let mut file = create(&pipe, ReadAccess::OWN, &|| true).expect("somebody reads");
        file.write_all(&text).expect("all of it is read");
        drop(file);
        assert!(reader.join().expect("it does not panic") == text);
    }
}
