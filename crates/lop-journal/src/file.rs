//! Writes the journal, and resumes from an old one.

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
use lop_reduce::steps::named;
use lop_reduce::{Ended, Event, Size};
use lop_run::exec::{Key, Memory, key};
use lop_run::oracle::{Outcome, Recalled};

/// The name of a copy of a corrupt journal; a number follows.
const DAMAGED: &str = "journal.damaged";

/// The journal of a reduction under way.
#[derive(Debug)]
pub struct Journal {
    lock: Lock,
    length: u64,
    /// Whether the directory was created for it.
    made_folder: bool,
    fresh: bool,
    /// The outcomes of the interrupted run that this one hasn't used yet, in order.
    order: VecDeque<(Key, Option<Recorded>)>,
    /// These outcomes by candidate, if the order could not be followed to its end.
    strayed: HashMap<Key, VecDeque<Recorded>>,
    outcomes: usize,
    /// Keys of the steps in the file, in order.
    steps: Vec<Key>,
    /// How many of these steps this run has reached.
    reached: usize,
    /// Passes that the file records as skipped.
    skipped: Vec<&'static str>,
    /// Number of tests that ran, and of passes that started.
    moment: u64,
    /// The best result so far.
    text: Vec<u8>,
    ahead: Option<UnreachedBest>,
    /// Working time of the reduction at `since`.
    worked: Duration,
    since: Instant,
}

/// The best result of the interrupted run, until the resumed run has reached it.
#[derive(Debug)]
struct UnreachedBest {
    text: Vec<u8>,
    key: Key,
    tokens: usize,
}

impl Journal {
    /// Starts a journal in a directory, which is created if necessary. Moves an old journal aside, and returns its name
    /// if it could be resumed. Only `audience` can read the new one.
    ///
    /// # Errors
    /// If the directory or the file cannot be created, is a link, belongs to another user, or another lop writes there.
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
                // Another lop started at the same moment.
                io::ErrorKind::AlreadyExists => JournalError::Busy(path.clone()),
                _ => unwritten(&path, source),
            })
        };
        let (file, before) = begin().inspect_err(|_| {
            if made_folder {
                let _ = fs::remove_dir(folder.path());
            }
        })?;
        // Some file systems have no locks; on others the file is locked since its creation.
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

    /// Resumes a journal, and cuts off an incomplete or corrupt end. If that is more than the last record, keeps a copy
    /// of the whole file and returns its name.
    ///
    /// # Errors
    /// If a step cannot be rebuilt, or the file cannot be copied or cut.
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

    /// Returns the best result of the interrupted run, until the resumed run has reached it.
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
                // It was cancelled because the whole run ended.
                None => {}
            }
        }
        None
    }

    /// Gives up the order: the remaining outcomes answer by candidate.
    fn stray(&mut self) {
        for (key, recorded) in self.order.drain(..) {
            self.strayed.entry(key).or_default().extend(recorded);
        }
    }

    /// Returns an outcome of the interrupted run.
    fn again(&mut self, recorded: &Recorded) -> Outcome {
        // Replaying old steps doesn't count as working time.
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

    /// Records a step. Returns `true` if the interrupted run had got further, so that its result stays on disk.
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
        let Some(pass) = named(pass).map(|pass| pass.name).filter(|pass| !self.skipped.contains(pass)) else {
            return Ok(());
        };
        self.skipped.push(pass);
        self.append(&Record::Skipped(self.moment, pass))
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        let bytes = framed(&record.payload());
        if let Err(error) = self.lock.file.write_all(&bytes) {
            // A full disk may have stored part of the record; cut that off.
            let _ = self.lock.file.set_len(self.length);
            let what = format!("cannot write the journal {}: {error}", self.path().display());
            return Err(io::Error::new(error.kind(), what));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Removes a journal that has nothing to resume, and its directory if it was created for it.
    fn discard(&self) {
        // A failure does no harm: the journal is empty.
        let Ok((folder, name)) = Folder::of(self.path()) else { return };
        if folder.is_here(&name, &self.lock.file) {
            let _ = folder.remove(&name);
        }
        if self.made_folder {
            let _ = fs::remove_dir(folder.path());
        }
    }
}

/// Copies a journal in its directory, with the same readers, and returns the copy's name.
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

/// The journal and the cache as one value with two handles: one for the executor, one for events.
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
    /// Uses a journal, a cache, both, or neither.
    #[must_use]
    pub fn new(journal: Option<Journal>, cache: Option<Cache>) -> Notes {
        Notes(Rc::new(RefCell::new(Inner { journal, cache, trouble: None })))
    }

    /// Records an event before any other listener gets it. Returns `true` for an old step, if the file on disk is a
    /// better one.
    ///
    /// # Errors
    /// If this or an earlier record cannot be written.
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
            // A pause doesn't count as working time.
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

    /// Records how the reduction ended, after its result is on disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn ended(&self, ended: Ended) -> io::Result<()> {
        match &mut self.0.borrow_mut().journal {
            Some(journal) => journal.append(&Record::Ended(ended)),
            None => Ok(()),
        }
    }

    /// Returns the best result of the interrupted run, until the resumed run has reached it.
    #[must_use]
    pub fn ahead(&self) -> Option<Vec<u8>> {
        self.0.borrow().journal.as_ref()?.ahead().map(<[u8]>::to_vec)
    }

    /// The path for [`journal_file`](super::journal_file), if there is a journal: its directory, unless it was moved
    /// aside.
    #[must_use]
    pub fn place(&self) -> Option<PathBuf> {
        let inner = self.0.borrow();
        let path = inner.journal.as_ref()?.path();
        let folder = path.parent().filter(|_| path.ends_with(NAME));
        Some(folder.unwrap_or(path).to_owned())
    }

    /// Removes a new journal if the reduction didn't start: nothing was recorded, or the input wasn't interesting.
    /// Returns `true` if there is a journal to resume.
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
        // The interrupted run has shared it, so the next answer must come from another run.
        let _own = inner.cache.as_mut().filter(|_| outcome.verdict.is_some()).and_then(|cache| cache.recall(&key));
        Some((key, outcome))
    }

    fn recall(&mut self, candidate: &Key) -> Option<Outcome> {
        let mut inner = self.0.borrow_mut();
        if let Some(outcome) = inner.journal.as_mut().and_then(|journal| journal.recall(candidate)) {
            // The interrupted run has shared it, so the next answer must come from another run.
            let _own = inner.cache.as_mut().and_then(|cache| cache.recall(candidate));
            return Some(outcome);
        }
        let outcome = inner.cache.as_mut()?.recall(candidate)?;
        // The cache may be gone when the reduction is resumed.
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
