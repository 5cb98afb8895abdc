//! The journal that is being written, and what goes on with an old one.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::cache::Cache;
use super::delta;
use super::error::JournalError;
use super::lock::{Before, Lock, NAME, move_aside, numbered};
use super::past::Past;
use super::record::{FORMAT, Header, MAGIC, Record, Recorded, Step, framed, header_payload, input_payload};
use lop_files::disk::{Folder, ReadAccess};
use lop_passes::named;
use lop_reduce::{Ended, Event, Size};
use lop_run::exec::{Key, Memory, key};
use lop_run::oracle::{Outcome, Recalled};

/// The name of a copy of a damaged journal, with a number behind it.
const DAMAGED: &str = "journal.damaged";

/// The journal of a reduction under way.
#[derive(Debug)]
pub struct Journal {
    lock: Lock,
    length: u64,
    /// The folder was made for it.
    made_folder: bool,
    fresh: bool,
    /// The outcomes that the interrupted run was given and this one not yet, in its order.
    order: VecDeque<(Key, Option<Recorded>)>,
    /// The same by candidate, when the order could not be followed to its end.
    strayed: HashMap<Key, VecDeque<Recorded>>,
    outcomes: usize,
    /// Keys of the steps in the file, in their order.
    steps: Vec<Key>,
    /// How many of them have been reached.
    reached: usize,
    /// Passes that the file says are left out.
    skipped: Vec<&'static str>,
    /// Tests that were run and passes that were begun.
    moment: u64,
    /// The best result of the reduction, as far as it has got.
    text: Vec<u8>,
    ahead: Option<UnreachedBest>,
    /// Working time of the reduction at `since`.
    worked: Duration,
    since: Instant,
}

/// The best result of the interrupted run, while the resumed one has not got that far.
#[derive(Debug)]
struct UnreachedBest {
    text: Vec<u8>,
    key: Key,
    tokens: usize,
}

impl Journal {
    /// Begins a journal in a folder, which is made if there is none. An old journal is moved aside;
    /// it is named if a reduction could go on with it. Only `audience` may read the new one.
    ///
    /// # Errors
    /// When the folder or the file cannot be made, is a link or another user's, or another lop writes there.
    pub fn create(
        folder: &Path,
        header: &Header,
        input: &[u8],
        audience: ReadAccess,
    ) -> Result<(Journal, Option<Before>), JournalError> {
        let unwritten = JournalError::unwritten;
        if u32::try_from(input.len()).is_err() {
            return Err(unwritten(folder, io::Error::new(io::ErrorKind::FileTooLarge, "the input is too large")));
        }
        let (folder, made_folder) =
            Folder::make(folder, audience.readers()).map_err(|source| unwritten(folder, source))?;
        let name = OsStr::new(NAME);
        let path = folder.path_of(name);
        let records = [framed(&header_payload(header)), framed(&input_payload(input))].concat();
        let start = [MAGIC, &FORMAT.to_le_bytes(), &records].concat();
        let write = || {
            let mut new = folder.temporary(name, audience.readers())?;
            new.file().write_all(&start)?;
            new.persist_noclobber(name)
        };
        let begin = || {
            let before = move_aside(&folder, header)?;
            write().map(|file| (file, before)).map_err(|source| match source.kind() {
                // Another lop began at the same moment.
                io::ErrorKind::AlreadyExists => JournalError::Busy(path.clone()),
                _ => unwritten(&path, source),
            })
        };
        let (file, before) = begin().inspect_err(|_| {
            if made_folder {
                let _ = fs::remove_dir(folder.path());
            }
        })?;
        // Some file systems have no locks, and on others the file is locked since it was made.
        let _ = file.try_lock();
        let lock = Lock { file, path };
        let journal = Journal {
            lock,
            length: start.len() as u64,
            made_folder,
            fresh: true,
            order: VecDeque::new(),
            strayed: HashMap::new(),
            outcomes: 0,
            steps: Vec::new(),
            reached: 0,
            skipped: Vec::new(),
            moment: 0,
            text: input.to_vec(),
            ahead: None,
            worked: Duration::ZERO,
            since: Instant::now(),
        };
        Ok((journal, before))
    }

    /// Goes on with a journal; what is torn or damaged is cut off. Where that is more than the last record, a copy of
    /// the whole file is kept under the name that comes back.
    ///
    /// # Errors
    /// When a step cannot be rebuilt, or the file not be copied or cut.
    pub fn resume(lock: Lock, past: &Past) -> Result<(Journal, Option<PathBuf>), JournalError> {
        let length = past.whole as u64;
        let unwritten = |source| JournalError::unwritten(&lock.path, source);
        let copy = if past.is_damaged { Some(copy(&lock).map_err(unwritten)?) } else { None };
        if past.dropped > 0 {
            lock.file.set_len(length).map_err(unwritten)?;
        }
        let ahead = match past.steps.last() {
            None => None,
            Some(last) => {
                let tokens = past.steps.iter().map(|step| step.size.tokens).min().unwrap_or(last.size.tokens);
                Some(UnreachedBest { text: past.text(past.steps.len())?, key: last.key, tokens })
            }
        };
        let journal = Journal {
            lock,
            length,
            made_folder: false,
            fresh: false,
            order: past.outcomes.iter().copied().collect(),
            strayed: HashMap::new(),
            outcomes: past.outcomes(),
            steps: past.steps.iter().map(|step| step.key).collect(),
            reached: 0,
            skipped: past.skipped.iter().map(|(_, pass)| *pass).collect(),
            moment: 0,
            text: past.input.clone(),
            ahead,
            worked: Duration::ZERO,
            since: Instant::now(),
        };
        Ok((journal, copy))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.lock.path
    }

    /// The best result of the interrupted run, unless the resumed one has got as far.
    #[must_use]
    pub fn ahead(&self) -> Option<&[u8]> {
        self.ahead.as_ref().map(|ahead| ahead.text.as_slice())
    }

    fn worked(&self) -> Duration {
        self.worked + self.since.elapsed()
    }

    fn recall(&mut self, candidate: &Key) -> Option<Outcome> {
        let recorded = self.strayed.get_mut(candidate)?.pop_front()?;
        Some(self.again(&recorded))
    }

    fn follow(&mut self, waits: &dyn Fn(&Key, bool) -> bool) -> Option<(Key, Outcome)> {
        while let Some((key, recorded)) = self.order.pop_front() {
            match recorded {
                Some(recorded) if waits(&key, false) => return Some((key, self.again(&recorded))),
                None if waits(&key, true) => {
                    let recalled = Some(Recalled::Journal { at: self.worked() });
                    return Some((key, Outcome { recalled, ..Outcome::cancelled() }));
                }
                Some(recorded) => {
                    self.order.push_front((key, Some(recorded)));
                    self.stray();
                }
                // It was cancelled because the whole run was.
                None => {}
            }
        }
        None
    }

    /// Gives up the order: the rest of it answers by candidate.
    fn stray(&mut self) {
        for (key, recorded) in self.order.drain(..) {
            self.strayed.entry(key).or_default().extend(recorded);
        }
    }

    /// An outcome of the interrupted run.
    fn again(&mut self, recorded: &Recorded) -> Outcome {
        // The time that lop itself takes to get there again is no work on the result.
        (self.worked, self.since) = (recorded.at.max(self.worked), Instant::now());
        recorded.outcome(Recalled::Journal { at: recorded.at })
    }

    fn record(&mut self, candidate: &Key, outcome: &Outcome) -> io::Result<()> {
        let Some(recorded) = Recorded::of(outcome, self.worked()) else {
            return self.append(&Record::Cancelled(*candidate));
        };
        self.append(&Record::Outcome(*candidate, recorded))?;
        self.outcomes += 1;
        Ok(())
    }

    /// Takes note of a step; `true` if the interrupted run had got further, so that its result stays in its place.
    fn accepted(&mut self, text: &[u8], size: Size, tests: u64, pass: &str) -> io::Result<bool> {
        let key = key(text);
        if self.steps.get(self.reached) != Some(&key) {
            let delta = delta::between(&self.text, text);
            let number = self.reached + 1;
            let step = Step { number, tests, at: self.worked(), pass: pass.to_owned(), size, key, delta };
            self.append(&Record::Accepted(step))?;
            self.steps.truncate(self.reached);
            self.steps.push(key);
        }
        self.reached += 1;
        self.text = text.to_vec();
        if self.ahead.as_ref().is_some_and(|ahead| ahead.key == key || size.tokens < ahead.tokens) {
            self.ahead = None;
        }
        Ok(self.ahead.is_some())
    }

    fn skipped(&mut self, pass: &str) -> io::Result<()> {
        let Some(pass) = named(pass).map(|pass| pass.name()).filter(|pass| !self.skipped.contains(pass)) else {
            return Ok(());
        };
        self.skipped.push(pass);
        self.append(&Record::Skipped(self.moment, pass))
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        let bytes = framed(&record.payload());
        if let Err(error) = self.lock.file.write_all(&bytes) {
            // A disk that is full may have taken a part; without it the file is whole.
            let _ = self.lock.file.set_len(self.length);
            let what = format!("cannot write the journal {}: {error}", self.path().display());
            return Err(io::Error::new(error.kind(), what));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Removes a journal in which there is nothing to go on with, and its folder if it was made for it.
    fn discard(&self) {
        // Where that fails it does no harm: there is nothing in it.
        let Ok((folder, name)) = Folder::of(self.path()) else { return };
        if folder.is_here(&name, &self.lock.file) {
            let _ = folder.remove(&name);
        }
        if self.made_folder {
            let _ = fs::remove_dir(folder.path());
        }
    }
}

/// Copies a journal beside itself, for those who only may read it, and returns the copy's name.
fn copy(lock: &Lock) -> io::Result<PathBuf> {
    let mut file = &lock.file;
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    let (folder, _) = Folder::of(&lock.path)?;
    let audience = ReadAccess::of(&file.metadata()?);
    let name = numbered(DAMAGED, |name| {
        let mut new = folder.temporary(name, audience)?;
        new.file().write_all(&content)?;
        new.persist_noclobber(name).map(|_| ())
    })?;
    Ok(folder.path_of(&name))
}

/// Everything that remembers, as one value with two handles: the executor asks it, and the events go to it.
#[derive(Clone, Debug)]
pub struct Notes(Rc<RefCell<Inner>>);

#[derive(Debug)]
struct Inner {
    journal: Option<Journal>,
    cache: Option<Cache>,
    /// The error of a failed write, until an event can return it.
    trouble: Option<io::Error>,
}

impl Notes {
    /// Remembers in a journal, in a cache, in both, or not at all.
    #[must_use]
    pub fn new(journal: Option<Journal>, cache: Option<Cache>) -> Notes {
        Notes(Rc::new(RefCell::new(Inner { journal, cache, trouble: None })))
    }

    /// Takes note of an event before any other listener is told. `true` means that it is an old step and the file on
    /// disk holds a better one.
    ///
    /// # Errors
    /// When this or an earlier record cannot be written.
    pub fn event(&self, event: &Event<'_>) -> io::Result<bool> {
        let mut inner = self.0.borrow_mut();
        if let Some(error) = inner.trouble.take() {
            return Err(error);
        }
        match (event, &mut inner.journal) {
            (&Event::Started { size, .. }, Some(journal)) if journal.fresh => {
                journal.append(&Record::Began(size)).map(|()| false)
            }
            (&Event::Accepted { content, size, tests, pass, .. }, Some(journal)) => {
                journal.accepted(content, size, tests, pass)
            }
            (&Event::Skipped { pass, .. }, Some(journal)) => journal.skipped(pass).map(|()| false),
            (Event::Tested { .. } | Event::Pass { .. }, Some(journal)) => {
                journal.moment += 1;
                Ok(false)
            }
            // A pause is no working time.
            (Event::Paused { .. }, Some(journal)) => {
                journal.worked = journal.worked();
                Ok(false)
            }
            (Event::Resumed, Some(journal)) => {
                journal.since = Instant::now();
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Writes how the reduction ended, when its result is in its place.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn ended(&self, ended: Ended) -> io::Result<()> {
        match &mut self.0.borrow_mut().journal {
            Some(journal) => journal.append(&Record::Ended(ended)),
            None => Ok(()),
        }
    }

    /// The best result of the interrupted run, unless the resumed one has got as far.
    #[must_use]
    pub fn ahead(&self) -> Option<Vec<u8>> {
        self.0.borrow().journal.as_ref()?.ahead().map(<[u8]>::to_vec)
    }

    /// The path of which [`journal_file`](super::journal_file) makes the journal's file, if one is kept: its folder,
    /// unless it was moved aside.
    #[must_use]
    pub fn place(&self) -> Option<PathBuf> {
        let inner = self.0.borrow();
        let path = inner.journal.as_ref()?.path();
        let folder = path.parent().filter(|_| path.ends_with(NAME));
        Some(folder.unwrap_or(path).to_owned())
    }

    /// Removes a new journal if the reduction did not begin: nothing was recorded, or the input was refused. `true` if
    /// there is a journal to go on with.
    pub fn settle(&self, refused: bool) -> bool {
        let inner = self.0.borrow();
        let Some(journal) = &inner.journal else { return false };
        let is_idle = journal.fresh && (refused || journal.outcomes == 0);
        if is_idle {
            journal.discard();
        }
        !is_idle
    }
}

impl Memory for Notes {
    fn is_following(&self) -> bool {
        self.0.borrow().journal.as_ref().is_some_and(|journal| !journal.order.is_empty())
    }

    fn follow(&mut self, waits: &dyn Fn(&Key, bool) -> bool) -> Option<(Key, Outcome)> {
        let mut inner = self.0.borrow_mut();
        let (key, outcome) = inner.journal.as_mut()?.follow(waits)?;
        // The interrupted run has shared it, and the next answer has to be another run's.
        let _own = inner.cache.as_mut().filter(|_| outcome.verdict.is_some()).and_then(|cache| cache.recall(&key));
        Some((key, outcome))
    }

    fn recall(&mut self, candidate: &Key) -> Option<Outcome> {
        let mut inner = self.0.borrow_mut();
        if let Some(outcome) = inner.journal.as_mut().and_then(|journal| journal.recall(candidate)) {
            // The interrupted run has shared it, and the next answer has to be another run's.
            let _own = inner.cache.as_mut().and_then(|cache| cache.recall(candidate));
            return Some(outcome);
        }
        let outcome = inner.cache.as_mut()?.recall(candidate)?;
        // The cache may be gone when the reduction is gone on with.
        if let Some(Err(error)) = inner.journal.as_mut().map(|journal| journal.record(candidate, &outcome)) {
            inner.trouble.get_or_insert(error);
        }
        Some(outcome)
    }

    fn record(&mut self, candidate: &Key, outcome: &Outcome) {
        let mut inner = self.0.borrow_mut();
        let journal = inner.journal.as_mut().map_or(Ok(()), |journal| journal.record(candidate, outcome));
        let cache = inner.cache.as_mut().map_or(Ok(()), |cache| cache.record(candidate, outcome));
        if let Err(error) = journal.and(cache) {
            inner.trouble.get_or_insert(error);
        }
    }
}
