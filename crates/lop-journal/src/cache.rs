//! Shares outcomes between reductions with the same test: `--cache DIR`.
//!
//! A file for each test, named by the test's hash, holds entries of one size: key, verdict, exit, duration, CRC-32.
//! Several lop processes may append at the same time; each holds the file's lock while it writes one entry. lop ignores
//! an entry with a wrong checksum, and cuts off an incomplete one before it writes the next. Outcomes that depend on
//! the deadline are not shared: another run may have a longer one.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::JournalError;
use super::record::Recorded;
use super::varint::Reader;
use lop_engine::Verdict;
use lop_files::disk::{self, Folder, ReadAccess};
use lop_run::exec::Key;
use lop_run::oracle::{Exit, Outcome, Recalled};

/// File name suffix; it changes with the format of the entries.
const ENDING: &str = "outcomes-1";
/// Bytes of an entry: key, verdict, kind of exit, code, duration in nanoseconds, checksum.
const ENTRY: usize = 16 + 1 + 1 + 4 + 8 + 4;
/// Characters of the test's hash in the file's name.
const NAME: usize = 32;

/// The known outcomes of one test.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    file: File,
    known: HashMap<Key, VecDeque<Recorded>>,
}

impl Cache {
    /// Opens the cache of a test, named by the hash of everything that its outcomes depend on, or creates it. Only
    /// `audience` can read a new one.
    ///
    /// # Errors
    /// If the directory or the file cannot be created or read, is a link, or belongs to another user.
    pub fn open(folder: &Path, test: &str, audience: ReadAccess) -> Result<Cache, JournalError> {
        fs::create_dir_all(folder).map_err(|source| JournalError::unwritten(folder, source))?;
        let path = folder.join(format!("{}.{ENDING}", test.get(..NAME).unwrap_or(test)));
        let mut file = match disk::create_new(&path, audience) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Folder::of(&path).and_then(|(folder, name)| folder.open(&name, true))
            }
            other => other,
        }
        .map_err(|source| JournalError::unwritten(&path, source))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| JournalError::Unread { path: path.clone(), source })?;
        let mut known: HashMap<Key, VecDeque<Recorded>> = HashMap::new();
        for (key, recorded) in bytes.chunks_exact(ENTRY).filter_map(read) {
            known.entry(key).or_default().push_back(recorded);
        }
        Ok(Cache { path, file, known })
    }

    /// Takes the next known outcome of a candidate. Each run that found one counts.
    pub fn recall(&mut self, candidate: &Key) -> Option<Outcome> {
        let recorded = self.known.get_mut(candidate)?.pop_front()?;
        Some(recorded.outcome(Recalled::Cache))
    }

    /// Shares an outcome, unless it depends on the deadline.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn record(&mut self, candidate: &Key, outcome: &Outcome) -> io::Result<()> {
        let shared = outcome.verdict != Some(Verdict::Timeout) && outcome.exit != Exit::TimedOut;
        let Some(recorded) = Recorded::of(outcome, Duration::ZERO).filter(|_| shared) else { return Ok(()) };
        self.append(&entry(candidate, &recorded)).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot write the cache {}: {error}", self.path.display()))
        })
    }

    fn append(&mut self, entry: &[u8; ENTRY]) -> io::Result<()> {
        self.file.lock()?;
        let length = self.file.metadata()?.len();
        let torn = length % ENTRY as u64;
        let written = if torn == 0 { Ok(()) } else { self.file.set_len(length - torn) };
        let written = written.and_then(|()| self.file.write_all(entry));
        self.file.unlock()?;
        written
    }
}

fn entry(key: &Key, recorded: &Recorded) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    let nanoseconds = u64::try_from(recorded.duration.as_nanos()).unwrap_or(u64::MAX);
    let mut kinds = Vec::new();
    recorded.put(&mut kinds);
    bytes[..16].copy_from_slice(key);
    // Verdict, kind of exit and code have a fixed length; the rest of a journal's record has not.
    bytes[16..22].copy_from_slice(&kinds[..6]);
    bytes[22..30].copy_from_slice(&nanoseconds.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..30]);
    bytes[30..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn read(bytes: &[u8]) -> Option<(Key, Recorded)> {
    let mut reader = Reader::new(bytes);
    let (body, checksum) = (reader.bytes(ENTRY - 4)?, u32::from_le_bytes(reader.array()?));
    if crc32fast::hash(body) != checksum {
        return None;
    }
    let mut reader = Reader::new(body);
    let (key, kinds) = (reader.array()?, reader.bytes(6)?);
    let duration = Duration::from_nanos(u64::from_le_bytes(reader.array()?));
    let recorded = Recorded::read(&mut Reader::new(&[kinds, &[0, 0]].concat()))?;
    Some((key, Recorded { duration, ..recorded }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(verdict: Verdict, code: i32) -> Outcome {
        Outcome { exit: Exit::Code(code), duration: Duration::from_millis(12), ..Outcome::of(verdict) }
    }

    fn recalled(cache: &mut Cache, key: u8) -> Option<(Option<Verdict>, Exit, Duration)> {
        cache.recall(&[key; 16]).map(|outcome| (outcome.verdict, outcome.exit, outcome.duration))
    }

    #[test]
    fn outcomes_are_shared_in_their_order_and_timeouts_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut one, mut other) = (
            Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is new"),
            Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is open twice"),
        );
        one.record(&[1; 16], &outcome(Verdict::Interesting, 0)).expect("there is room");
        other.record(&[1; 16], &outcome(Verdict::NotInteresting, 7)).expect("there is room");
        one.record(&[2; 16], &outcome(Verdict::Timeout, 124)).expect("nothing is written");
        let cut_off = Outcome { exit: Exit::TimedOut, ..Outcome::of(Verdict::Interesting) };
        one.record(&[3; 16], &cut_off).expect("nothing is written");
        let mut third = Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is there");
        let time = Duration::from_millis(12);
        assert_eq!(recalled(&mut third, 1), Some((Some(Verdict::Interesting), Exit::Code(0), time)));
        assert_eq!(recalled(&mut third, 1), Some((Some(Verdict::NotInteresting), Exit::Code(7), time)));
        assert_eq!((recalled(&mut third, 1), recalled(&mut third, 2), recalled(&mut third, 3)), (None, None, None));
        assert_eq!(Cache::open(folder.path(), "other", ReadAccess::OWN).expect("another file").known.len(), 0);
    }

    #[test]
    fn two_runs_that_take_turns_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is new or there");
        let (mut one, mut other) = (open(), open());
        for key in 0..40 {
            let cache = if key % 2 == 0 { &mut one } else { &mut other };
            cache.record(&[key; 16], &outcome(Verdict::Interesting, 0)).expect("there is room");
        }
        assert_eq!(open().known.len(), 40);
    }

    #[test]
    fn damaged_and_torn_entries_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cache = Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is new");
        for key in 1..4 {
            cache.record(&[key; 16], &outcome(Verdict::Interesting, 0)).expect("there is room");
        }
        let mut bytes = fs::read(&cache.path).expect("it was written");
        bytes[ENTRY + 3] ^= 1;
        bytes.truncate(3 * ENTRY - 5);
        fs::write(&cache.path, &bytes).expect("our own file");
        let mut cache = Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is there");
        cache.record(&[4; 16], &outcome(Verdict::Invalid, 125)).expect("there is room");
        let mut cache = Cache::open(folder.path(), "test", ReadAccess::OWN).expect("it is there");
        let found: Vec<bool> = (1..5).map(|key| recalled(&mut cache, key).is_some()).collect();
        assert_eq!(found, [true, false, false, true]);
    }
}
