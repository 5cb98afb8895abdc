//! Keeps the other crashes that a reduction met on its way: for each signature the smallest candidate, with what the
//! test wrote.
//!
//! ```text
//! FILE.lop/other/1-SIGABRT/input.c     the candidate
//!                          signature   how it ended, and the first line that looks like an error
//!                          stdout      what the test wrote, at most its last 8 KiB each
//!                          stderr
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::oracle::Outcome;
use crate::reduce::{Event, EventSink};

/// Crashes with other signatures than the first so many are not kept: they are too many to be looked at.
const MOST: usize = 20;
/// The file that names the crash.
const SIGNATURE: &str = "signature";

/// A crash that was met on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// How it ended, and the first line that looks like an error.
    pub signature: String,
    /// The smallest candidate that shows it.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: usize,
    /// Whether this run has met it; others are from an earlier one.
    met: bool,
}

/// A consumer of events that keeps other crashes in a folder. The folder is made when the first is met.
#[derive(Debug)]
pub struct Others {
    folder: PathBuf,
    /// What a candidate is called.
    name: OsString,
    /// By signature; `None` before the folder was looked at.
    found: Option<BTreeMap<String, Other>>,
    /// Signatures that were met and not kept, because there are too many.
    left_out: usize,
    /// Why the last one could not be kept. The reduction goes on: its result is what counts.
    trouble: Option<io::Error>,
}

impl Others {
    /// Keeps them in the folder `other` of `state`, called as `input` is.
    #[must_use]
    pub fn new(state: &Path, input: &Path) -> Self {
        let name = input.file_name().unwrap_or(input.as_os_str()).to_owned();
        Others { folder: state.join("other"), name, found: None, left_out: 0, trouble: None }
    }

    /// The crashes that were met in this run, by signature.
    pub fn met(&self) -> impl Iterator<Item = &Other> {
        self.found.iter().flat_map(BTreeMap::values).filter(|other| other.met)
    }

    /// Candidates that crashed and were not kept, because there were too many signatures before theirs.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Why the last one that could not be kept could not be kept.
    #[must_use]
    pub fn trouble(&self) -> Option<&io::Error> {
        self.trouble.as_ref()
    }

    fn keep(&mut self, signature: &str, content: &[u8], outcome: &Outcome) -> io::Result<()> {
        let mut found = match self.found.take() {
            Some(found) => found,
            None => kept_earlier(&self.folder, &self.name)?,
        };
        let result = self.keep_in(&mut found, signature, content, outcome);
        self.found = Some(found);
        result
    }

    fn keep_in(
        &mut self,
        found: &mut BTreeMap<String, Other>,
        signature: &str,
        content: &[u8],
        outcome: &Outcome,
    ) -> io::Result<()> {
        let is_full = found.len() >= MOST;
        let path = match found.get_mut(signature) {
            Some(other) => {
                other.met = true;
                if other.bytes <= content.len() {
                    return Ok(());
                }
                other.path.clone()
            }
            None if is_full => {
                self.left_out += 1;
                return Ok(());
            }
            None => self.new_folder(signature)?.join(&self.name),
        };
        let folder = path.parent().unwrap_or(&self.folder);
        replace(folder, &path, content)?;
        for (name, text) in [("stdout", &outcome.stdout_tail), ("stderr", &outcome.stderr_tail)] {
            replace(folder, &folder.join(name), text)?;
        }
        // Last: a folder that has a signature has everything else.
        replace(folder, &folder.join(SIGNATURE), format!("{signature}\n").as_bytes())?;
        let other = Other { signature: signature.to_owned(), path, bytes: content.len(), met: true };
        found.insert(signature.to_owned(), other);
        Ok(())
    }

    /// Makes a folder whose name begins with a number that none has yet.
    fn new_folder(&self, signature: &str) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        let ending = signature.split(':').next().unwrap_or_default().replace(' ', "-");
        let numbers = fs::read_dir(&self.folder)?.filter_map(|entry| {
            let name = entry.ok()?.file_name();
            name.to_str()?.split('-').next()?.parse::<usize>().ok()
        });
        let folder = self.folder.join(format!("{}-{ending}", numbers.max().unwrap_or(0) + 1));
        fs::create_dir(&folder)?;
        Ok(folder)
    }
}

impl EventSink for Others {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Slipped { signature, content, outcome } = event
            && let Err(error) = self.keep(signature, content, outcome)
        {
            self.trouble = Some(error);
        }
        Ok(())
    }
}

/// What earlier runs have kept in a folder; nothing if there is none.
fn kept_earlier(folder: &Path, name: &OsString) -> io::Result<BTreeMap<String, Other>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let read = |entry: io::Result<fs::DirEntry>| {
        let folder = entry.ok()?.path();
        let signature = fs::read_to_string(folder.join(SIGNATURE)).ok()?.trim_end().to_owned();
        let path = folder.join(name);
        let bytes = usize::try_from(fs::metadata(&path).ok()?.len()).ok()?;
        Some((signature.clone(), Other { signature, path, bytes, met: false }))
    };
    Ok(entries.filter_map(read).collect())
}

/// Puts a whole file into the place of another.
fn replace(folder: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut temporary = tempfile::Builder::new().prefix(".lop-").suffix(".tmp").tempfile_in(folder)?;
    io::Write::write_all(&mut temporary, content)?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Verdict;

    fn slip(others: &mut Others, signature: &str, content: &str) {
        let mut outcome = Outcome::of(Verdict::NotInteresting);
        outcome.stderr_tail = format!("{signature} said").into_bytes();
        let event = Event::Slipped { signature, content: content.as_bytes(), outcome: &outcome };
        others.event(&event).expect("it never fails");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it was made");
        let mut names: Vec<_> =
            entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_smallest_of_each_signature_is_kept_with_its_output() {
        let state = tempfile::tempdir().expect("a directory");
        let mut others = Others::new(state.path(), Path::new("some/x.zed"));
        assert_eq!(others.met().count(), 0);
        assert!(names(state.path()).is_empty(), "nothing is made before something is met");
        for (signature, content) in
            [("SIGABRT: a", "four"), ("SIGSEGV", "12345"), ("SIGABRT: a", "two"), ("SIGABRT: a", "three")]
        {
            slip(&mut others, signature, content);
        }
        let folder = state.path().join("other");
        assert_eq!(names(&folder), ["1-SIGABRT", "2-SIGSEGV"]);
        assert_eq!(names(&folder.join("1-SIGABRT")), ["signature", "stderr", "stdout", "x.zed"]);
        let read = |name: &str| fs::read_to_string(folder.join("1-SIGABRT").join(name)).expect("it is there");
        assert_eq!((read("x.zed").as_str(), read("stderr").as_str()), ("two", "SIGABRT: a said"));
        let met: Vec<_> = others.met().map(|other| (other.signature.as_str(), other.bytes)).collect();
        assert_eq!(met, [("SIGABRT: a", 3), ("SIGSEGV", 5)]);
    }

    #[test]
    fn what_an_earlier_run_has_kept_stays_unless_a_smaller_one_is_met() {
        let state = tempfile::tempdir().expect("a directory");
        let mut first = Others::new(state.path(), Path::new("x.zed"));
        slip(&mut first, "SIGABRT: a", "three");
        slip(&mut first, "SIGABRT: b", "three");
        let mut second = Others::new(state.path(), Path::new("x.zed"));
        slip(&mut second, "SIGABRT: b", "larger");
        slip(&mut second, "SIGABRT: b", "2");
        slip(&mut second, "exit code 7", "x");
        assert_eq!(names(&state.path().join("other")), ["1-SIGABRT", "2-SIGABRT", "3-exit-code-7"]);
        let met: Vec<_> = second.met().map(|other| (other.signature.as_str(), other.bytes)).collect();
        assert_eq!(met, [("SIGABRT: b", 1), ("exit code 7", 1)]);
    }

    #[test]
    fn there_are_at_most_twenty() {
        let state = tempfile::tempdir().expect("a directory");
        let mut others = Others::new(state.path(), Path::new("x.zed"));
        (0..25).for_each(|number| slip(&mut others, &format!("SIGABRT: {number}"), "x"));
        assert_eq!((others.met().count(), others.left_out()), (MOST, 5));
        assert_eq!(names(&state.path().join("other")).len(), MOST);
    }

    #[test]
    fn a_folder_that_cannot_be_made_ends_nothing() {
        let state = tempfile::tempdir().expect("a directory");
        let file = state.path().join("file");
        fs::write(&file, "in the way").expect("a file");
        let mut others = Others::new(&file, Path::new("x.zed"));
        slip(&mut others, "SIGABRT", "x");
        assert!(others.trouble().is_some());
        assert_eq!(others.met().count(), 0);
    }
}
