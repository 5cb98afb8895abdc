//! Keeps other crashes that a reduction finds: the smallest candidate for each signature, with the test's output.
//!
//! ```text
//! FILE.lop/other/1-SIGABRT/input.c     the candidate
//!                          signature   how it ended, and the first line that looks like an error
//!                          stdout      what the test wrote, at most its last 8 KiB each
//!                          stderr
//! ```

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lop_files::disk::{Folder, ReadAccess};
use lop_reduce::{Event, EventSink};
use lop_run::oracle::Outcome;

/// Maximum number of signatures of other crashes: nobody can look at more.
const MOST: usize = 20;
/// The folder of the crashes, inside the folder of the run.
pub const FOLDER: &str = "other";
/// The longest signature that is read.
const LONGEST: u64 = 64 << 10;
/// The file that names the crash.
const SIGNATURE: &str = "signature";
/// The files with the output of the test.
const OUTPUT: [&str; 2] = ["stdout", "stderr"];

/// Another crash of this reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// How it ended, and the first line that looks like an error.
    pub signature: String,
    /// The smallest candidate that shows it.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: usize,
    /// Whether this run has found it, and not an earlier one.
    met: bool,
}

/// A consumer of events that keeps other crashes in a folder. It makes the folder for the first crash.
#[derive(Debug)]
pub struct Others {
    /// The folder of the run.
    state: PathBuf,
    /// The users that may read them.
    audience: ReadAccess,
    /// The file name of a candidate.
    name: OsString,
    /// By signature; `None` until the folder is read.
    found: Option<BTreeMap<String, Other>>,
    /// Signatures that weren't kept because there are too many.
    left_out: usize,
    /// Why the last one could not be kept. The reduction continues: only its result matters.
    trouble: Option<io::Error>,
}

impl Others {
    /// Keeps them in the folder `other` of `state`, under the name of `input`, or with `input-` before it if another
    /// file has that name.
    #[must_use]
    pub fn new(state: &Path, input: &Path) -> Self {
        let mut name = input.file_name().unwrap_or(input.as_os_str()).to_owned();
        if OUTPUT.iter().chain([&SIGNATURE]).any(|taken| name == *taken) {
            name = ["input-".as_ref(), name.as_os_str()].into_iter().collect();
        }
        let audience = ReadAccess::of_file(input).readers();
        Others { state: state.to_owned(), audience, name, found: None, left_out: 0, trouble: None }
    }

    /// Returns the crashes of this run, by signature.
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
            None => self.kept_earlier()?,
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
        let inner = path.parent().and_then(Path::file_name).unwrap_or_default();
        let folder = self.folder()?.inner(inner)?.ok_or(io::ErrorKind::NotFound)?;
        folder.replace(&self.name, content, self.audience)?;
        for (name, text) in OUTPUT.into_iter().zip([&outcome.stdout_tail, &outcome.stderr_tail]) {
            folder.replace(OsStr::new(name), text, self.audience)?;
        }
        // Last: a folder that has a signature has everything else.
        folder.replace(OsStr::new(SIGNATURE), format!("{signature}\n").as_bytes(), self.audience)?;
        let other = Other { signature: signature.to_owned(), path, bytes: content.len(), met: true };
        found.insert(signature.to_owned(), other);
        Ok(())
    }

    /// Makes a folder whose name begins with a number that none has yet.
    fn new_folder(&self, signature: &str) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        let ending = signature.split(':').next().unwrap_or_default().replace([' ', '/'], "-");
        let names = folder.names()?;
        let numbers = names.iter().filter_map(|name| name.to_str()?.split('-').next()?.parse::<usize>().ok());
        let number = numbers.max().unwrap_or(0).saturating_add(1);
        let name = OsString::from(format!("{number}-{ending}"));
        if !folder.make_inner(&name, self.audience)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(self.state.join(FOLDER).join(name))
    }

    /// Returns the folder of all of them, and creates it if necessary.
    fn folder(&self) -> io::Result<Folder> {
        let (state, _) = Folder::make(&self.state, self.audience)?;
        state.make_inner(OsStr::new(FOLDER), self.audience)?;
        state.inner(OsStr::new(FOLDER))?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The crashes that earlier runs have kept in the folder; none without it. Files of other programs are left alone.
    fn kept_earlier(&self) -> io::Result<BTreeMap<String, Other>> {
        let Some(state) = Folder::own(&self.state)? else { return Ok(BTreeMap::new()) };
        let Some(folder) = state.inner(OsStr::new(FOLDER))? else { return Ok(BTreeMap::new()) };
        let read = |name: OsString| {
            let one = folder.inner(&name).ok()??;
            let mut signature = String::new();
            one.open(OsStr::new(SIGNATURE), false).ok()?.take(LONGEST).read_to_string(&mut signature).ok()?;
            let signature = signature.trim_end().to_owned();
            let bytes = one.open(&self.name, false).ok()?.metadata().ok()?.len();
            let path = self.state.join(FOLDER).join(name).join(&self.name);
            let bytes = usize::try_from(bytes).ok()?;
            Some((signature.clone(), Other { signature, path, bytes, met: false }))
        };
        Ok(folder.names()?.into_iter().filter_map(read).collect())
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use lop_engine::Verdict;

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
    fn a_candidate_is_kept_whatever_the_input_is_called() {
        for name in ["signature", "stdout", "stderr"] {
            let state = tempfile::tempdir().expect("a directory");
            slip(&mut Others::new(state.path(), Path::new(name)), "SIGABRT: a", "three");
            let mut again = Others::new(state.path(), Path::new(name));
            slip(&mut again, "SIGABRT: a", "two");
            let met: Vec<_> = again.met().collect();
            assert_eq!((met.len(), fs::read(&met[0].path).expect("it is there")), (1, b"two".to_vec()), "{name}");
        }
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
