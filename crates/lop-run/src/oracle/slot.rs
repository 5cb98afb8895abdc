//! Responsible for the place of one worker: [`Slot`], a temporary directory that holds one test at a time.
//!
//! ```text
//!   lop-XXXXXX/        on a memory file system when there is one with room
//!     test/            made for each test, holds only the candidate; removed after it
//!     tmp/             TMPDIR of the test, so that what a killed compiler leaves behind goes too
//!     stdout  stderr   what the test writes; unlinked before each test, never overwritten in place
//!     .lop-held        says that the directory is in use: see `private`
//! ```

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lop_files::tree::remove_tree;

use super::private::{self, Held};
use super::process::ProcessRegistry;
use super::server::{Server, ServerPlace};
use super::surroundings::{self, SurroundingsError};

/// Free bytes that a memory file system must have to be used, in addition to [`ROOM_PER_BYTE`].
#[cfg(target_os = "linux")]
const ROOM: u64 = 64 << 20;

/// The bytes it must have free for each byte of the candidate and each slot: for the candidate and a compiler's files.
#[cfg(target_os = "linux")]
const ROOM_PER_BYTE: u64 = 32;

/// Number of tests between two checks of the free space and of processes that tests left behind.
const CHECK_EVERY: u64 = 64;

/// Maximum time to wait for killed processes.
const PATIENCE: Duration = Duration::from_secs(1);

/// The options of slots.
#[derive(Clone, Debug, Default)]
pub struct SlotOptions {
    /// The parent of the directories; `None` for a memory file system with enough space, or else the system's directory
    /// for temporary files. A `TMPDIR` in the environment always has precedence.
    pub directory: Option<PathBuf>,
    /// About how large a candidate is, in bytes; 0 when unknown.
    pub candidate_len: usize,
    /// Whether tests are the only children of this process. Then every child that exists while no test is running was
    /// left behind by a test, even if it hid its origin, and is ended. Set it in a program, not in a library.
    pub owns_process: bool,
    /// The running tests that these slots know of. With clones of one value, sets of slots know of each other's tests.
    pub known: KnownTests,
}

/// The running tests of sets of slots, so that none ends the processes of another. With the default, a set of slots only
/// knows its own tests.
#[derive(Clone, Debug, Default)]
pub struct KnownTests(Option<Arc<ProcessRegistry>>);

impl SlotOptions {
    /// Those of a program that starts no children but tests, for candidates of about this length in bytes. Its clones know
    /// of each other's tests.
    #[must_use]
    pub fn of_program(candidate_len: usize) -> Self {
        let known = KnownTests(Some(Arc::new(ProcessRegistry::new(true))));
        SlotOptions { directory: None, candidate_len, owns_process: true, known }
    }
}

/// A slot could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a temporary directory in {}; set TMPDIR to a directory that can be written to", place.display())]
pub struct SlotError {
    place: PathBuf,
    source: io::Error,
}

/// The temporary directory of one worker. Dropping it, even after a panic, ends the remaining processes of its tests
/// and removes everything.
#[derive(Debug)]
pub struct Slot {
    base: PathBuf,
    /// The lock that shows other processes that it is in use.
    _held: Held,
    work: PathBuf,
    /// Counts up when a test directory could not be removed, so that the next test gets a fresh one all the same.
    renamed: u64,
    /// Whether nothing was put into it since it was cleared.
    is_clear: bool,
    /// Opened once: an open costs more than all else that a test needs of it.
    null: Option<File>,
    registry: Arc<ProcessRegistry>,
    tests: u64,
    /// A machine that never had a proper /dev/null cannot lose it.
    null_is_device: bool,
    /// The server that answers for this worker, if the test is one that stays up.
    pub(super) server: Option<Server>,
    /// Number of servers so far.
    servers: u64,
}

/// The files that one test needs.
#[derive(Debug)]
pub(crate) struct RunFiles {
    pub(crate) directory: PathBuf,
    pub(crate) stdout: File,
    pub(crate) stderr: File,
}

impl Slot {
    /// Makes one slot.
    ///
    /// # Errors
    /// [`SlotError`] when its directory cannot be made.
    pub fn new(options: &SlotOptions) -> Result<Self, SlotError> {
        Ok(Self::several(1, options)?.pop().expect("one slot was made"))
    }

    /// Makes `count` slots that know of each other's tests.
    ///
    /// On Linux this makes the process the reaper of its orphaned descendants, so that no process of a test can escape.
    /// It stays so after the slots are dropped.
    ///
    /// # Errors
    /// [`SlotError`] when a directory cannot be made.
    pub fn several(count: usize, options: &SlotOptions) -> Result<Vec<Self>, SlotError> {
        let place = choose_place(options, count);
        let known = options.known.0.clone();
        let registry = known.unwrap_or_else(|| Arc::new(ProcessRegistry::new(options.owns_process)));
        (0..count).map(|_| Self::make(&place, &registry)).collect()
    }

    fn make(place: &Path, registry: &Arc<ProcessRegistry>) -> Result<Self, SlotError> {
        let make = || {
            // From here on, our own Drop removes it: it can handle read-only directories, and tempfile cannot.
            let (base, held) = private::make(place)?;
            let slot = Self {
                work: base.join("test"),
                base,
                _held: held,
                renamed: 0,
                is_clear: true,
                null: None,
                registry: registry.clone(),
                tests: 0,
                null_is_device: surroundings::check_null().is_ok(),
                server: None,
                servers: 0,
            };
            fs::create_dir(slot.temporary())?;
            Ok(slot)
        };
        make().map_err(|source| SlotError { place: place.to_owned(), source })
    }

    /// A slot like this one, for a worker that cannot trust this one any more.
    ///
    /// # Errors
    /// [`SlotError`] when its directory cannot be made.
    pub fn another(&self) -> Result<Self, SlotError> {
        Self::make(self.base.parent().expect("the directory was made in another"), &self.registry)
    }

    /// The directory of the slot.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.base
    }

    /// The variable that gives a test its directory for temporary files.
    pub(crate) fn environment(&self) -> (&'static str, PathBuf) {
        ("TMPDIR", self.temporary())
    }

    pub(crate) fn registry(&self) -> &Arc<ProcessRegistry> {
        &self.registry
    }

    /// Makes the empty directory and the output files for the next test.
    pub(crate) fn prepare(&mut self) -> io::Result<RunFiles> {
        let was_clear = self.is_clear;
        if !was_clear {
            self.clear();
        }
        self.is_clear = false;
        match fs::create_dir(&self.work) {
            // A process that got away has made it again.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && was_clear => return self.prepare(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.renamed += 1;
                self.work = self.base.join(format!("test-{}", self.renamed));
                fs::create_dir(&self.work)?;
            }
            other => other?,
        }
        let stdout = self.fresh("stdout")?;
        let stderr = self.fresh("stderr")?;
        Ok(RunFiles { directory: self.work.clone(), stdout, stderr })
    }

    /// A new empty file. A process of an earlier test still writes to the unlinked one.
    fn fresh(&self, name: &str) -> io::Result<File> {
        let path = self.base.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Append, because a test can open /dev/stderr again and would otherwise overwrite its earlier output.
        OpenOptions::new().read(true).append(true).create_new(true).open(path)
    }

    /// Removes a candidate under all its names, and anything else that a test left in the slot.
    pub(crate) fn clear_of(&mut self, names: &[OsString]) {
        // Not through a link that a test has put in the directory's place.
        if fs::symlink_metadata(&self.work).is_ok_and(|facts| facts.is_dir()) {
            for name in names {
                let _ = fs::remove_file(self.work.join(name));
            }
        }
        self.clear();
    }

    /// Removes anything that a test left in the slot. If something cannot be removed now, it is removed with the slot.
    pub(crate) fn clear(&mut self) {
        // Usually the test has left nothing next to the candidate, which is removed by now.
        let is_gone = |result: io::Result<()>| result.map_or_else(|e| e.kind() == io::ErrorKind::NotFound, |()| true);
        self.is_clear = is_gone(fs::remove_dir(&self.work)) || remove_tree(&self.work).is_ok();
        let temporary = self.temporary();
        let is_empty = fs::read_dir(&temporary).is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty {
            let _ = remove_tree(&temporary);
            self.is_clear &= fs::create_dir(&temporary).is_ok();
        }
    }

    /// Makes the directory of another server.
    pub(super) fn server_place(&mut self) -> io::Result<ServerPlace> {
        self.servers += 1;
        ServerPlace::new(self.base.join(format!("server-{}", self.servers)))
    }

    /// An empty standard input.
    pub(crate) fn null(&mut self) -> io::Result<File> {
        match &self.null {
            Some(null) => null.try_clone(),
            None => {
                let null = File::open(surroundings::NULL_DEVICE)?;
                self.null = Some(null.try_clone()?);
                Ok(null)
            }
        }
    }

    /// Ends processes that tests left running outside their process groups. `patient` waits for their end.
    pub(crate) fn clean_up(&self, patient: bool) {
        self.registry.clean_up(&self.base, if patient { PATIENCE } else { Duration::ZERO });
    }

    /// Counts a test and, at intervals, runs the checks that need not be done for each test.
    pub(crate) fn tick(&mut self) -> Result<(), SurroundingsError> {
        if self.null_is_device {
            surroundings::check_null()?;
        }
        if (self.tests + 1).is_multiple_of(CHECK_EVERY) {
            self.clean_up(true);
            surroundings::check_room(&self.base)?;
        }
        // Not before: a run that is repeated because there was no room has to look again.
        self.tests += 1;
        Ok(())
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.base.join("tmp")
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.server = None;
        self.clean_up(true);
        // The usual entries, by name: looking through a directory takes file descriptors, and there may be none.
        for name in ["stdout", "stderr"] {
            let _ = fs::remove_file(self.base.join(name));
        }
        let _ = fs::remove_dir(&self.work);
        let _ = fs::remove_dir(self.temporary());
        let _ = fs::remove_file(self.base.join(private::HELD));
        if fs::remove_dir(&self.base).is_err() {
            let _ = remove_tree(&self.base);
        }
    }
}

/// Creates a new directory for the user alone, next to the slots. The caller removes it.
pub(super) fn private_directory(options: &SlotOptions) -> Result<(PathBuf, Held), SlotError> {
    let place = choose_place(options, 1);
    private::make(&place).map_err(|source| SlotError { place, source })
}

fn choose_place(options: &SlotOptions, count: usize) -> PathBuf {
    let asked_for = options.directory.clone();
    let from_environment =
        || std::env::var_os("TMPDIR").filter(|value| !value.is_empty()).map(|_| std::env::temp_dir());
    asked_for
        .or_else(from_environment)
        .or_else(|| memory_file_system(options.candidate_len, count))
        .unwrap_or_else(std::env::temp_dir)
}

/// The memory file system of Linux, if it has room and programs can be run from it: many a test compiles the candidate
/// and runs the result, and containers mount it `noexec`.
#[cfg(target_os = "linux")]
fn memory_file_system(candidate_len: usize, count: usize) -> Option<PathBuf> {
    use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};
    let place = Path::new("/dev/shm");
    // They take memory, and no other place is known to be on this machine alone.
    private::clear(place);
    let facts = statvfs(place).ok()?;
    let needed = ROOM + ROOM_PER_BYTE * candidate_len as u64 * count as u64;
    let usable = facts.f_bavail.saturating_mul(facts.f_frsize) >= needed
        && !facts.f_flag.intersects(StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY)
        && access(place, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    usable.then(|| place.to_owned())
}

#[cfg(not(target_os = "linux"))]
fn memory_file_system(_candidate_len: usize, _count: usize) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_made_and_removed() {
        let slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let path = slot.path().to_owned();
        assert!(path.is_dir() && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lop-")));
        drop(slot);
        assert!(!path.exists());
    }

    #[test]
    fn a_slot_is_removed_after_a_panic() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let worker = std::thread::spawn(move || {
            let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
            let files = slot.prepare().expect("a directory");
            fs::write(files.directory.join("x"), "x").expect("writable");
            sender.send(slot.path().to_owned()).expect("somebody listens");
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        let path = receiver.recv().expect("a path");
        assert!(worker.join().is_err());
        assert!(!path.exists());
    }

    #[test]
    fn each_test_finds_an_empty_directory_and_empty_files() {
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        for _ in 0..3 {
            let files = slot.prepare().expect("a directory");
            assert_eq!(fs::read_dir(&files.directory).expect("readable").count(), 0);
            assert_eq!(files.stdout.metadata().expect("metadata").len(), 0);
            assert_eq!(fs::read_dir(slot.temporary()).expect("readable").count(), 0);
            fs::create_dir_all(files.directory.join("a/b")).expect("writable");
            fs::write(slot.temporary().join("left.s"), "x").expect("writable");
            fs::write(slot.base.join("stdout"), "x").expect("writable");
        }
    }

    #[test]
    fn read_only_directories_and_links_out_of_the_slot_are_removed_as_such() {
        use std::os::unix::fs::PermissionsExt;
        let outside = tempfile::tempdir().expect("a directory");
        fs::write(outside.path().join("keep"), "x").expect("writable");
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let work = slot.prepare().expect("a directory").directory;
        fs::create_dir_all(work.join("a/b/c")).expect("writable");
        std::os::unix::fs::symlink(outside.path(), work.join("link")).expect("a link");
        for name in ["a/b/c", "a/b", "a"] {
            fs::set_permissions(work.join(name), fs::Permissions::from_mode(0o000)).expect("ours");
        }
        slot.clear();
        assert!(!work.exists());
        assert!(outside.path().join("keep").exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_place_without_room_is_noticed_again_and_again() {
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        // A file system without any free space.
        let full = PathBuf::from("/proc/self");
        let base = std::mem::replace(&mut slot.base, full);
        let noticed: Vec<bool> = (1..=CHECK_EVERY + 2).map(|_| slot.tick().is_err()).collect();
        slot.base = base;
        assert_eq!(noticed.iter().position(|&is_full| is_full), Some(CHECK_EVERY as usize - 1));
        assert!(noticed[CHECK_EVERY as usize - 1..].iter().all(|&is_full| is_full));
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_named() {
        let options = SlotOptions { directory: Some("/nowhere/at/all".into()), ..SlotOptions::default() };
        let error = Slot::new(&options).expect_err("no such directory").to_string();
        assert!(error.contains("/nowhere/at/all") && error.contains("TMPDIR"), "{error}");
    }
}
