//! Keeps the best result on disk from the first accepted candidate on, and the original next to it.
//!
//! The result is written to a temporary file in the same directory and renamed over the old one,
//! so that a reader, a crash or a kill at any moment finds a whole file: the last result or the
//! one before it, never a part. Everything that can be known to fail is found out by
//! [`Store::open`], before any test is run and before anything is touched.
//!
//! lop never overwrites a file that another program has written in the place. From then on, results are written next to
//! it.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lop_files::disk::{self, Distrust, Distrusted, Folder};
use lop_files::project::{self, Archive, Kind, Member};
use lop_reduce::{Event, EventSink, Formatter};
use lop_run::oracle::{Cancel, exact_shell_line};

use super::many_files::{Directory, ManyFiles};
pub use super::result_file::original_name;
use super::result_file::{
    LeftAs, StoreError, check_directory, explain, free_original, keep_original, parent, replace, take_back, with_ending,
};
use super::several::Several;
use super::target::{Target, last};

/// Results that are replaced within this time are not each forced onto the disk's surface: that
/// costs 5 to 20 ms on a journaling file system, more than many tests. A kill of lop loses nothing
/// either way; only a power failure could.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// A write of several files that takes longer than this is followed by a pause.
const LONG_WRITE: Duration = Duration::from_millis(10);
/// The pause takes this many times as long as the write.
const PAUSE: u32 = 9;

/// Where a result can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The input's own file; the original moves to the file's name with `.orig` added.
    InPlace,
    /// Another file; the input's file is left alone.
    File(PathBuf),
    /// Standard output, at the end.
    Stdout,
}

/// The test case whose place results take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A directory, and the archive whose texts are the results.
    Directory(PathBuf, Archive),
    /// Several files: the path of each in the archive, and its own.
    Files(Vec<(PathBuf, PathBuf)>, Archive),
    /// Nothing but the command that is the test, of this name. Its result is a line of a shell.
    Command(PathBuf, Archive),
}

impl<P: AsRef<Path>> From<&P> for Input {
    fn from(file: &P) -> Self {
        Input::File(file.as_ref().to_owned())
    }
}

impl Input {
    /// Reads the place of the result as it is now, as the text of a candidate. Returns `None` if it is empty.
    #[must_use]
    pub fn found(&self, kept: &Kept) -> Option<Vec<u8>> {
        let (place, archive) = match (self, kept) {
            (_, Kept::Stdout) | (Input::Command(..), _) => return None,
            (Input::File(input), Kept::InPlace) => return disk::read(input, u64::MAX).ok(),
            (Input::File(_), Kept::File(output)) => return disk::read(output, u64::MAX).ok(),
            (Input::Directory(_, archive) | Input::Files(_, archive), Kept::File(output)) => (output, archive),
            (Input::Directory(path, archive), Kept::InPlace) => (path, archive),
            (Input::Files(files, archive), Kept::InPlace) => {
                let member = |(name, path): &(PathBuf, PathBuf)| {
                    let mode = fs::metadata(path).ok()?.mode() & 0o777;
                    let path_in = name.as_os_str().as_encoded_bytes().to_vec();
                    Some(Member { path: path_in, kind: Kind::File, mode, content: disk::read(path, u64::MAX).ok()? })
                };
                return Some(archive.text(&files.iter().filter_map(member).collect::<Vec<_>>()));
            }
        };
        project::read(place).ok().map(|found| archive.text(&found.members))
    }

    /// Returns the path as the user named it, or the first of several.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Input::File(path) | Input::Directory(path, _) | Input::Command(path, _) => path,
            Input::Files(files, _) => files.first().map_or(Path::new(""), |(_, path)| path),
        }
    }
}

/// The place of the result: a consumer of events that writes every accepted candidate, and the trusted result that
/// takes the place of one that did not hold.
///
/// An accepted candidate is written immediately, before it is confirmed: so a killed run loses nothing, and most tests
/// are reliable. After a test has contradicted itself, only confirmed candidates are accepted and written.
///
/// A result of many files is written as a whole. This takes at most a tenth of the time, because results that come
/// sooner wait. Meanwhile the previous one is on disk, and the journal has both.
#[derive(Debug)]
pub struct Store {
    place: Destination,
    written: bool,
    synced: Option<Instant>,
    /// A result of several files that has to wait, and until when each new one has to.
    waiting: Option<Vec<u8>>,
    busy_until: Option<Instant>,
    /// The archive of results that are commands, each written as a line of a shell.
    command: Option<Archive>,
    /// A message for the user.
    notice: Option<String>,
    /// The command that formats each result.
    fix: Option<Formatter>,
}

/// The way of a result to its place.
#[derive(Debug)]
enum Destination {
    /// A regular file, replaced by renaming. Its original is kept first when `original` is some.
    Rename(Box<Target>),
    /// Several files. Results are archives of them.
    Files(Box<dyn ManyFiles>),
    /// Something that cannot be replaced (a device, a named pipe): written to once, at the end.
    Device(PathBuf),
    Stdout,
}

/// Returns the folder of a run's files next to its result: the result's name with `.lop` added. If the result is
/// written to a device or to standard output, the folder is next to the input.
#[must_use]
pub fn state_directory(input: &Path, kept: &Kept) -> PathBuf {
    let beside = match kept {
        Kept::File(output) if output.metadata().is_ok_and(|found| !found.is_file()) => input,
        Kept::File(output) => output,
        Kept::InPlace | Kept::Stdout => input,
    };
    with_ending(beside, ".lop")
}

impl Store {
    /// Prepares to keep results of reducing `input`, and finds out whether it will be possible.
    /// Nothing is created or changed.
    ///
    /// # Errors
    /// When the place is taken, missing, a directory, not writable, or the input itself.
    pub fn open(input: impl Into<Input>, kept: &Kept) -> Result<Store, StoreError> {
        let whole = input.into();
        let input = whole.path();
        let place = match (kept, &whole) {
            (Kept::Stdout, _) => Destination::Stdout,
            (Kept::File(output), Input::Files(files, archive)) if files.len() == 1 => {
                Destination::Files(Box::new(Several::in_other_place(&files[0], archive, output)?))
            }
            (Kept::File(output), Input::Directory(_, archive) | Input::Files(_, archive)) => {
                Destination::Files(Box::new(Directory::new_one(output, input, archive)?))
            }
            (Kept::InPlace, Input::Directory(_, archive)) => {
                Destination::Files(Box::new(Directory::in_place(input, archive)?))
            }
            (Kept::InPlace, Input::Files(files, archive)) => {
                Destination::Files(Box::new(Several::open(files, archive)?))
            }
            (Kept::InPlace, Input::File(_)) => {
                let original = free_original(input)?;
                let mut target = Target::existing(input, input)?;
                check_directory(input, &parent(&original))?;
                target.original = Some(original);
                Destination::Rename(Box::new(target))
            }
            (Kept::File(output), Input::File(_) | Input::Command(..)) => Destination::for_output(input, output)?,
            (Kept::InPlace, Input::Command(..)) => Destination::Stdout,
        };
        let command = if let Input::Command(_, archive) = whole { Some(archive) } else { None };
        Ok(Store { command, ..Store::at(place) })
    }

    fn at(place: Destination) -> Store {
        Store {
            place,
            written: false,
            synced: None,
            waiting: None,
            busy_until: None,
            command: None,
            notice: None,
            fix: None,
        }
    }

    /// Writes the output of `fix` for a result, or the result itself if `fix` fails.
    pub fn through(&mut self, fix: Formatter) {
        self.fix = Some(fix);
    }

    /// Returns a result as it is written: after a command, or as a shell line if it is a command.
    fn written_as<'c>(&self, content: &'c [u8]) -> Cow<'c, [u8]> {
        let fixed = self.fix.as_ref().and_then(|fix| fix.write(content, &Cancel::new()).ok());
        fixed.map_or_else(|| as_line(self.command.as_ref(), content), Cow::Owned)
    }

    /// Takes the input as it was read. If the file differs when the first result replaces it, the user has edited it.
    pub fn expect(&mut self, input: &[u8]) {
        if let Destination::Files(files) = &mut self.place {
            files.expect(input);
        } else if let Destination::Rename(target) = &mut self.place
            && target.original.is_some()
            && !self.written
        {
            target.left = LeftAs::content(input);
        }
    }

    /// Prepares to keep results of a reduction of `input`, whose content was `content`, that was interrupted: the
    /// original may have been kept already. `knows` says whether files are those of one of its results.
    ///
    /// # Errors
    /// The errors of [`Store::open`], and an original with another content.
    pub fn reopen(
        input: impl Into<Input>,
        kept: &Kept,
        content: &[u8],
        knows: &dyn Fn(&[Member]) -> bool,
    ) -> Result<Store, StoreError> {
        let whole = input.into();
        let place: Option<Box<dyn ManyFiles>> = match (&whole, kept) {
            (Input::File(_) | Input::Command(..), _) | (_, Kept::Stdout) => None,
            (Input::Directory(_, archive) | Input::Files(_, archive), Kept::File(output)) => {
                Directory::written(output, archive)?.map(|directory| Box::new(directory) as _)
            }
            (Input::Directory(path, archive), Kept::InPlace) => {
                Directory::replaced(path, (archive, content), knows)?.map(|directory| Box::new(directory) as _)
            }
            (Input::Files(files, archive), Kept::InPlace) => {
                Several::replaced(files, archive, content)?.map(|several| Box::new(several) as _)
            }
        };
        if let Some(place) = place {
            return Ok(Store { written: true, ..Store::at(Destination::Files(place)) });
        }
        let Input::File(input) = &whole else {
            // The run was killed before its first result.
            let mut store = Store::open(whole, kept)?;
            store.expect(content);
            return Ok(store);
        };
        let original = original_name(input);
        if *kept != Kept::InPlace || original.symlink_metadata().is_err() {
            return Store::open(input, kept);
        }
        let failed = |source| StoreError::NotWritable { output: original.clone(), source };
        let (folder, name) = Folder::of(&original).map_err(failed)?;
        folder.check_file(&name).or_else(|error| match Distrusted::cause(&error).map(|cause| cause.why) {
            // The user's own input may have had other names, and another owner.
            Some(Distrust::Shared | Distrust::Foreign) => Ok(()),
            _ => Err(failed(error)),
        })?;
        if disk::read(&original, u64::MAX).map_err(failed)? != content {
            return Err(StoreError::OriginalDiffers(original));
        }
        let target = Target { original: Some(original), ..Target::existing(input, input)? };
        Ok(Store { written: true, ..Store::at(Destination::Rename(Box::new(target))) })
    }

    /// Whether results go to a file that is replaced, and not to a device or to standard output.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.place, Destination::Rename(_) | Destination::Files(_))
    }

    /// Puts the best result of an interrupted run in its place again, and the input next to it if that was removed. A
    /// device and standard output get their result at the end.
    ///
    /// # Errors
    /// When writing fails.
    pub fn restore(&mut self, best: &[u8], input: &[u8]) -> io::Result<()> {
        let best = &*self.written_as(best);
        if let Destination::Files(files) = &self.place {
            return if files.have(best) { Ok(()) } else { self.write(best, true) };
        }
        let Destination::Rename(target) = &self.place else {
            return Ok(());
        };
        let now = target.folder.read(&target.file).unwrap_or_default();
        if !self.written
            && now != input
            && let Some(original) = &target.original
        {
            // The file in its place is a step already, and must not be kept as the original.
            let name = last(original);
            let mut new = target.near.temporary(name, target.audience)?;
            new.file().write_all(input)?;
            new.persist_noclobber(name)?;
            self.written = true;
        }
        if now == best && target.beside.is_none() { Ok(()) } else { self.write(best, true) }
    }

    /// Leaves the place as it is. Results are written next to it from now on.
    pub fn leave(&mut self) {
        match &mut self.place {
            Destination::Rename(target) => {
                target.go_beside();
                self.notice = target.notice();
            }
            Destination::Files(files) => {
                files.go_beside();
                self.notice = files.notice();
            }
            Destination::Device(_) | Destination::Stdout => {}
        }
    }

    /// Where results are instead of their place, because another program has written to that.
    #[must_use]
    pub fn beside(&self) -> Option<&Path> {
        match &self.place {
            Destination::Rename(target) => target.beside.as_deref(),
            Destination::Files(files) => files.beside(),
            Destination::Device(_) | Destination::Stdout => None,
        }
    }

    /// Where the result is if the folder of its place was moved since, or its path leads to another one.
    #[must_use]
    pub fn moved_to(&self) -> Option<PathBuf> {
        let Destination::Rename(target) = &self.place else { return None };
        let (folder, name) = target.place();
        let now = folder.whereabouts()?;
        (now != folder.path()).then(|| now.join(name))
    }

    /// Whether the folder of the result was removed, or moved to an unknown place.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(&self.place, Destination::Rename(target) if target.place().0.whereabouts().is_none())
    }

    /// The message for the user, once.
    pub fn notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// Removes the unfinished files of a run that was killed. No other run may be at work on this result.
    pub fn clear(&self) {
        match &self.place {
            Destination::Rename(target) => target.folder.clear(Some(&target.file)),
            Destination::Files(files) => files.clear(),
            Destination::Device(_) | Destination::Stdout => {}
        }
    }

    /// Whether anything has been written to a file.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.written
    }

    /// Where the original is, once it has been moved out of the way.
    #[must_use]
    pub fn original(&self) -> Option<&Path> {
        match &self.place {
            Destination::Rename(target) if self.written => target.original.as_deref(),
            Destination::Files(files) if self.written => files.original(),
            _ => None,
        }
    }

    /// Makes sure that the final result `best` is in its place, even if it is the input because no candidate was
    /// accepted. Then a file that is replaced in place stays untouched. `waits` says how long to wait for the reader of
    /// a pipe.
    ///
    /// # Errors
    /// If writing fails, or a pipe has no reader.
    pub fn finish(&mut self, best: &[u8], waits: &dyn Fn() -> bool) -> io::Result<()> {
        let best = &*self.written_as(best);
        match &self.place {
            Destination::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(best)?;
                out.flush()
            }
            Destination::Device(path) => {
                disk::open_special(path, waits)?.write_all(best)?;
                self.written = true;
                Ok(())
            }
            Destination::Files(files) => {
                if files.original().is_some() && !self.written {
                    return Ok(());
                }
                if self.written && files.have(best) {
                    return files.sync();
                }
                self.write(best, true)
            }
            Destination::Rename(target) => {
                if target.original.is_some() && !self.written {
                    return Ok(());
                }
                // A disk that is full by now still has space for the old content.
                let (folder, name) = target.place();
                if self.written && folder.read(name).is_ok_and(|content| content == best) {
                    return folder.open_any(name, false)?.sync_data();
                }
                self.write(best, true)
            }
        }
    }

    /// Keeps `best` at the end of a run that failed: in its place also when nothing has been
    /// written yet. A pipe's reader is waited for as [`Store::finish`] does.
    ///
    /// # Errors
    /// When writing fails. A file has then the content it had before.
    pub fn rescue(&mut self, best: &[u8], waits: &dyn Fn() -> bool) -> io::Result<()> {
        match &self.place {
            Destination::Rename(_) | Destination::Files(_) => self.write(best, true),
            Destination::Device(_) | Destination::Stdout => self.finish(best, waits),
        }
    }

    /// Replaces the file by `content`.
    fn write(&mut self, content: &[u8], must_sync: bool) -> io::Result<()> {
        let content = &*self.written_as(content);
        let sync = must_sync || self.synced.is_none_or(|last| last.elapsed() >= SYNC_INTERVAL);
        self.waiting = None;
        if let Destination::Files(files) = &mut self.place {
            let start = Instant::now();
            files.write(content, !self.written, sync)?;
            let took = Some(start.elapsed()).filter(|took| *took > LONG_WRITE);
            self.busy_until = took.and_then(|took| Instant::now().checked_add(took.checked_mul(PAUSE)?));
            self.notice = files.notice().or(self.notice.take());
            self.note_written(sync);
            return Ok(());
        }
        let Destination::Rename(target) = &mut self.place else {
            return Ok(());
        };
        if target.beside.is_none() && !target.left.is_so(&target.folder, &target.file) {
            target.go_beside();
            self.notice = target.notice();
        }
        let name = target.beside.as_ref().unwrap_or(&target.name).display().to_string();
        let first = target.original.as_ref().filter(|_| !self.written && target.beside.is_none());
        if let Some(original) = first {
            keep_original((&target.folder, &target.file), (&target.near, last(original)))
                .map_err(|error| explain(error, &format!("cannot keep the original as {}", original.display())))?;
        }
        match replace(target.place(), content, target.like.as_ref(), target.audience, sync) {
            Ok(left) if target.beside.is_none() => target.left = left,
            Ok(_) => {}
            Err(error) => {
                if let Some(original) = first {
                    take_back((&target.folder, &target.file), (&target.near, last(original)));
                }
                return Err(explain(error, &format!("cannot write {name}")));
            }
        }
        // If the first result was written next to the input, there is no original.
        if !self.written && target.beside.is_some() {
            target.original = None;
        }
        self.note_written(sync);
        Ok(())
    }

    /// Whether the last result of several files took so long that the next one waits.
    fn is_busy(&self) -> bool {
        self.busy_until.is_some_and(|until| Instant::now() < until)
    }

    fn note_written(&mut self, sync: bool) {
        self.written = true;
        if sync {
            self.synced = Some(Instant::now());
        }
    }
}

/// Returns a result as it is written: a command as a line of a shell.
fn as_line<'c>(command: Option<&Archive>, content: &'c [u8]) -> Cow<'c, [u8]> {
    let Some(words) = command.and_then(|archive| archive.words(content)) else { return Cow::Borrowed(content) };
    let mut line = exact_shell_line(words.iter().map(|(_, word)| word.as_os_str()));
    line.push(b'\n');
    Cow::Owned(line)
}

impl EventSink for Store {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        // A device and standard output get the result at the end, from `finish`.
        match event {
            Event::Accepted { content, .. } if self.is_busy() => {
                self.waiting = Some(content.to_vec());
                Ok(())
            }
            Event::Accepted { content, .. } | Event::Returned { content, .. } => self.write(content, false),
            _ if self.waiting.is_some() && !self.is_busy() => {
                let content = self.waiting.take().unwrap_or_default();
                self.write(&content, false)
            }
            _ => Ok(()),
        }
    }
}

impl Destination {
    fn for_output(input: &Path, output: &Path) -> Result<Destination, StoreError> {
        let failed = |source| StoreError::NotWritable { output: output.to_owned(), source };
        let found = match fs::metadata(output) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Destination::Rename(Box::new(Target::new_file(output, input)?)));
            }
            Err(error) => return Err(failed(error)),
        };
        if found.is_dir() {
            return Err(StoreError::OutputIsDirectory(output.to_owned()));
        }
        if let Ok(same) = fs::metadata(input)
            && (same.dev(), same.ino()) == (found.dev(), found.ino())
        {
            return Err(StoreError::OutputIsInput { output: output.to_owned(), original: original_name(input) });
        }
        if found.is_file() {
            let is_link = output.symlink_metadata().is_ok_and(|facts| facts.is_symlink());
            if is_link && !disk::is_open_file(output) {
                // A repository may have put it there.
                let target = fs::canonicalize(output).map_err(failed)?;
                return Err(StoreError::OutputIsLink { output: output.to_owned(), target });
            }
            return Ok(Destination::Rename(Box::new(Target::existing(output, input)?)));
        }
        // Renaming over /dev/null would take it from everybody. A pipe can be without a reader so far, and opening it
        // now would wait for one.
        Ok(Destination::Device(output.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use lop_reduce::Size;

    fn accepted(content: &[u8]) -> Event<'_> {
        let size = Size { bytes: content.len(), tokens: 1, lines: 1 };
        Event::Accepted { content, size, tests: 1, pass: "test", rules: &[] }
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .expect("the directory is there")
            .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn input() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let input = directory.path().join("a.txt");
        fs::write(&input, "original").expect("a file");
        (directory, input)
    }

    #[test]
    fn a_result_of_many_files_waits_behind_a_long_write_and_is_there_at_the_end() {
        let (directory, _) = input();
        let member = |content: &[u8]| Member {
            path: b"a.txt".to_vec(),
            kind: Kind::File,
            mode: 0o644,
            content: content.to_vec(),
        };
        let (archive, _) = Archive::pack(&[member(b"1")]);
        let [first, second, third] = [b"1", b"2", b"3"].map(|content| archive.text(&[member(content)]));
        let (output, like) = (directory.path().join("out"), Input::Directory(directory.path().to_owned(), archive));
        let mut store = Store::open(like, &Kept::File(output.clone())).expect("a writable place");
        let there = || fs::read(output.join("a.txt")).expect("the result");
        store.event(&accepted(&first)).expect("it is kept");
        store.busy_until = Instant::now().checked_add(Duration::from_secs(3600));
        store.event(&accepted(&second)).expect("it waits");
        assert_eq!(there(), b"1");
        // A withdrawn result is written at once, and the waiting one is dropped.
        store
            .event(&Event::Returned { content: &first, size: Size { bytes: 1, tokens: 1, lines: 1 }, tests: 1 })
            .expect("it is kept");
        assert!(store.waiting.is_none());
        store.busy_until = Instant::now().checked_add(Duration::from_secs(3600));
        store.event(&accepted(&third)).expect("it waits");
        store.busy_until = None;
        store.event(&Event::Resumed).expect("it is kept");
        assert_eq!(there(), b"3");
        store.busy_until = Instant::now().checked_add(Duration::from_secs(3600));
        store.event(&accepted(&second)).expect("it waits");
        store.finish(&second, &|| true).expect("it is kept");
        assert_eq!(there(), b"2");
    }

    #[test]
    fn in_place_keeps_the_original_its_mode_and_no_temporary_file() {
        let (directory, input) = input();
        fs::set_permissions(&input, Permissions::from_mode(0o751)).expect("our own file");
        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        assert_eq!(names(directory.path()), ["a.txt"], "opening touches nothing");
        store.event(&accepted(b"shorter")).expect("it is kept");
        store.event(&accepted(b"short")).expect("it is kept");
        store.finish(b"short", &|| true).expect("it is kept");
        assert_eq!(names(directory.path()), ["a.txt", "a.txt.orig"]);
        assert_eq!(fs::read(&input).expect("the result"), b"short");
        assert_eq!(fs::read(original_name(&input)).expect("the original"), b"original");
        assert_eq!(fs::metadata(&input).expect("the result").mode() & 0o777, 0o751);
        assert_eq!(store.original(), Some(original_name(&input).as_path()));
    }

    #[test]
    fn in_place_leaves_the_input_alone_when_nothing_was_accepted() {
        let (directory, input) = input();
        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        store.finish(b"original", &|| true).expect("nothing to do");
        assert_eq!(names(directory.path()), ["a.txt"]);
        assert_eq!(store.original(), None);
    }

    #[test]
    fn an_original_is_never_overwritten() {
        let (directory, input) = input();
        let original = original_name(&input);
        std::os::unix::fs::symlink("nowhere", &original).expect("a dangling link");
        let error = Store::open(&input, &Kept::InPlace).expect_err("the name is taken");
        assert!(matches!(error, StoreError::OriginalExists(path) if path == original));
        fs::remove_file(&original).expect("our own link");

        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        fs::write(&original, "somebody else's").expect("a file made after the start");
        let error = store.event(&accepted(b"short")).expect_err("the name is taken now");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&original).expect("the file"), b"somebody else's");
        assert_eq!(fs::read(&input).expect("the input"), b"original");
        assert_eq!(names(directory.path()), ["a.txt", "a.txt.orig"]);
    }

    #[test]
    fn a_name_that_is_too_long_is_found_before_the_start() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let input = directory.path().join("n".repeat(253));
        fs::write(&input, "original").expect("a file");
        let error = Store::open(&input, &Kept::InPlace).expect_err("no room for .orig");
        assert!(matches!(error, StoreError::NotWritable { .. }), "{error}");
    }

    #[test]
    fn a_first_write_that_fails_takes_the_original_back() {
        let (directory, input) = input();
        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        let Destination::Rename(target) = &mut store.place else { panic!("it is a file") };
        let real = std::mem::replace(&mut target.file, "gone".into());
        store.write(b"short", true).expect_err("there is no original");
        assert_eq!(names(directory.path()), ["a.txt"]);
        let folder = Folder::at(directory.path()).expect("it is there");
        let (real, gone) = ((&folder, real.as_os_str()), (&folder, OsStr::new("gone")));
        let original = (&folder, OsStr::new("a.txt.orig"));
        keep_original(real, original).expect("a writable place");
        take_back(gone, original);
        assert_eq!(names(directory.path()), ["a.txt", "a.txt.orig"], "not known to be unchanged");
        take_back(real, original);
        assert_eq!(names(directory.path()), ["a.txt"]);
    }

    #[test]
    fn a_rescue_writes_also_when_nothing_was_written_before() {
        let (directory, input) = input();
        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        store.rescue(b"short", &|| true).expect("it is kept");
        assert_eq!(fs::read(&input).expect("the result"), b"short");
        assert_eq!(names(directory.path()), ["a.txt", "a.txt.orig"]);
    }

    #[test]
    fn store_follows_no_replaced_folder() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| place.path().join(name);
        for folder in ["work", "work/deep", "elsewhere", "elsewhere/deep"] {
            fs::create_dir(at(folder)).expect("a new folder");
        }
        fs::write(at("work/deep/a.txt"), "original").expect("a file");
        fs::write(at("elsewhere/deep/a.txt"), "original").expect("a file");
        let mut store = Store::open(&at("work/deep/a.txt"), &Kept::InPlace).expect("a writable place");
        store.expect(b"original");
        assert_eq!(store.moved_to(), None);
        // As the owner of the parent folder could do it.
        fs::rename(at("work"), at("moved")).expect("our own folder");
        std::os::unix::fs::symlink("elsewhere", at("work")).expect("a link");
        store.event(&accepted(b"shorter")).expect("it is kept");
        store.finish(b"short", &|| true).expect("it is kept");
        assert_eq!(names(&at("elsewhere/deep")), ["a.txt"]);
        assert_eq!(fs::read(at("elsewhere/deep/a.txt")).expect("a file"), b"original");
        assert_eq!(names(&at("moved/deep")), ["a.txt", "a.txt.orig"]);
        assert_eq!(fs::read(at("moved/deep/a.txt")).expect("the result"), b"short");
        if cfg!(target_os = "linux") {
            let now = at("moved/deep/a.txt").canonicalize().expect("it is there");
            assert_eq!((store.moved_to(), store.is_gone()), (Some(now), false));
        }
        fs::remove_dir_all(at("moved")).expect("our own folder");
        assert!(store.is_gone() && store.rescue(b"s", &|| true).is_err());
    }

    #[test]
    fn store_sees_an_edit_with_the_old_size_and_time() {
        let (directory, input) = input();
        let mut store = Store::open(&input, &Kept::InPlace).expect("a writable place");
        store.event(&accepted(b"short")).expect("it is kept");
        let file = fs::File::options().write(true).open(&input).expect("the result");
        let before = file.metadata().expect("the result").modified().expect("a time");
        // The time of the last change must differ in the file system's clock.
        let probe = directory.path().join("probe");
        let changed =
            |path: &Path| fs::metadata(path).map(|facts| (facts.ctime(), facts.ctime_nsec())).expect("a file");
        while {
            fs::write(&probe, "").expect("a file");
            changed(&probe) <= changed(&input)
        } {}
        fs::remove_file(&probe).expect("our own file");
        fs::write(&input, "mine!").expect("our own file");
        file.set_modified(before).expect("our own file");
        store.event(&accepted(b"s")).expect("it is kept");
        assert_eq!(fs::read(&input).expect("the file"), b"mine!");
        assert_eq!(names(directory.path()), ["a.txt", "a.txt.orig", "a.txt.reduced"]);
    }

    #[test]
    fn a_link_is_written_through() {
        let (directory, input) = input();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink("a.txt", &link).expect("a link");
        let mut store = Store::open(&link, &Kept::InPlace).expect("a writable place");
        store.event(&accepted(b"short")).expect("it is kept");
        assert!(link.symlink_metadata().expect("the link").is_symlink());
        assert_eq!(fs::read(&input).expect("the target"), b"short");
        assert_eq!(fs::read(directory.path().join("link.orig")).expect("the original"), b"original");
    }

    #[test]
    fn an_output_gets_the_input_when_nothing_was_accepted() {
        let (directory, input) = input();
        let output = directory.path().join("out");
        let mut store = Store::open(&input, &Kept::File(output.clone())).expect("a writable place");
        assert_eq!(names(directory.path()), ["a.txt"]);
        store.finish(b"original", &|| true).expect("it is kept");
        assert_eq!(fs::read(&output).expect("the copy"), b"original");
        assert_eq!(store.original(), None);
    }

    #[test]
    fn bad_outputs_are_found_before_the_start() {
        let (directory, input) = input();
        let open = |path: PathBuf| Store::open(&input, &Kept::File(path)).expect_err("a bad output").to_string();
        let here = directory.path();
        assert!(open(here.to_owned()).contains("is a directory"));
        assert!(open(here.join("new/")).contains("is a directory"));
        assert!(open(here.join("missing/out")).contains("does not exist"));
        assert!(open(input.clone()).contains("is the input itself"));
        assert!(open(input.join("out")).contains("cannot write"));
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        let (_directory, input) = input();
        let null = PathBuf::from("/dev/null");
        let mut store = Store::open(&input, &Kept::File(null.clone())).expect("it can be written");
        store.event(&accepted(b"short")).expect("it is kept");
        store.finish(b"short", &|| true).expect("it is kept");
        assert!(!fs::metadata(&null).expect("the device").is_file());
    }
}
