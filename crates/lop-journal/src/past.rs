//! Reads the content of a journal: the input, the outcomes and the steps of a reduction.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::delta;
use super::error::JournalError;
use super::record::{FORMAT, Header, MAGIC, Record, Recorded, Step, is_record_in, read_header, read_input, unframed};
use lop_engine::Verdict;
use lop_files::disk;
use lop_files::project::{Archive, Member, TestCase};
use lop_reduce::{Ended, Size};
use lop_run::exec::{Key, key};
use lop_syntax::count_lines;

/// The content of a journal.
#[derive(Debug)]
pub struct Past {
    /// The file.
    pub path: PathBuf,
    /// Its subject.
    pub header: Header,
    /// The input.
    pub input: Vec<u8>,
    /// The archive whose texts the input and the results are, if the test case has several files.
    pub archive: Option<Archive>,
    /// Its size; the number of tokens is 0 until it is parsed.
    pub size: Size,
    /// The steps in order. If several workers took another path after an interruption, only the last path.
    pub steps: Vec<Step>,
    /// The passes that the user skipped during the run, and [when](lop_reduce::Control::skip_at).
    pub skipped: Vec<(u64, &'static str)>,
    /// How the reduction ended, if it ended and was not resumed.
    pub ended: Option<Ended>,
    /// Bytes at the end that were dropped because their record is incomplete or corrupt.
    pub dropped: usize,
    /// Whether there are complete records among them. Then the file is corrupt in the middle, and not just cut by a
    /// kill.
    pub is_damaged: bool,
    /// The outcomes in order; cancelled runs have none.
    pub(super) outcomes: Vec<(Key, Option<Recorded>)>,
    /// Length of the intact part in bytes.
    pub(super) whole: usize,
    /// Lists every text that may be on disk as the result.
    interesting: HashSet<Key>,
}

impl Past {
    /// Reads a journal up to the first incomplete or corrupt record.
    ///
    /// # Errors
    /// If it is missing, cannot be read, isn't a journal, or has another format.
    pub fn read(path: &Path) -> Result<Past, JournalError> {
        Self::from(path, &disk::read(path, u64::MAX).map_err(|source| JournalError::unread(path, source))?)
    }

    pub(super) fn from(path: &Path, bytes: &[u8]) -> Result<Past, JournalError> {
        let no_journal = || JournalError::NotAJournal(path.to_owned());
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(no_journal)?;
        let (format, rest) = rest.split_first_chunk().ok_or_else(no_journal)?;
        let found = u32::from_le_bytes(*format);
        if found != FORMAT {
            return Err(JournalError::Format { path: path.to_owned(), found, wanted: FORMAT });
        }
        let (payload, rest) = unframed(rest).ok_or_else(no_journal)?;
        let header = read_header(payload).ok_or_else(no_journal)?;
        let (payload, rest) = unframed(rest).ok_or_else(no_journal)?;
        let input = read_input(payload).ok_or_else(no_journal)?.to_vec();
        let archive = if header.is_archive { Some(Archive::of(&input).ok_or_else(no_journal)?) } else { None };
        let interesting = HashSet::from([key(&input)]);
        let mut past = Past {
            path: path.to_owned(),
            header,
            size: Size { bytes: input.len(), tokens: 0, lines: count_lines(&input) },
            input,
            archive,
            steps: Vec::new(),
            skipped: Vec::new(),
            ended: None,
            dropped: 0,
            is_damaged: false,
            outcomes: Vec::new(),
            whole: 0,
            interesting,
        };
        let mut rest = rest;
        while let Some((payload, more)) = unframed(rest) {
            if Record::read(payload).and_then(|record| past.take(record)).is_none() {
                break;
            }
            rest = more;
        }
        (past.whole, past.dropped) = (bytes.len() - rest.len(), rest.len());
        past.is_damaged = is_record_in(rest);
        Ok(past)
    }

    /// Adds a record; `None` if it cannot be at this place.
    fn take(&mut self, record: Record) -> Option<()> {
        self.ended = None;
        match record {
            Record::Outcome(key, recorded) => {
                // With a full disk, the best result is stored although its step could not be.
                if recorded.verdict == Verdict::Interesting {
                    self.interesting.insert(key);
                }
                self.outcomes.push((key, Some(recorded)));
            }
            Record::Cancelled(key) => self.outcomes.push((key, None)),
            Record::Accepted(step) => {
                let before = step.number.checked_sub(1).filter(|before| *before <= self.steps.len())?;
                self.steps.truncate(before);
                self.interesting.insert(step.key);
                self.steps.push(step);
            }
            Record::Ended(ended) => self.ended = Some(ended),
            Record::Began(size) => self.size = size,
            Record::Skipped(moment, pass) => self.skipped.push((moment, pass)),
        }
        Some(())
    }

    /// Returns the input as a test case.
    #[must_use]
    pub fn case(&self) -> TestCase<'_> {
        TestCase::new(self.archive.as_ref(), &self.input)
    }

    /// Outcomes in it.
    #[must_use]
    pub fn outcomes(&self) -> usize {
        self.outcomes.iter().filter(|(_, recorded)| recorded.is_some()).count()
    }

    /// Whether a text is the input or was found interesting.
    #[must_use]
    pub fn knows(&self, text: &[u8]) -> bool {
        self.interesting.contains(&key(text))
    }

    /// Whether these files, in any order, are those of the input or of a step.
    #[must_use]
    pub fn knows_members(&self, found: &[Member]) -> bool {
        let mut found = found.to_vec();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        let is_so = |text: &[u8]| self.archive.as_ref().is_some_and(|archive| archive.sorted_members(text) == found);
        let mut text = self.input.clone();
        is_so(&text)
            || self
                .steps
                .iter()
                .map_while(|step| {
                    text = delta::apply(&text, &step.delta)?;
                    Some(is_so(&text))
                })
                .any(|is_so| is_so)
    }

    /// Rebuilds the text of a step. 0 is the input; a number that is too large means the last step.
    ///
    /// # Errors
    /// If a step doesn't follow from the one before.
    pub fn text(&self, number: usize) -> Result<Vec<u8>, JournalError> {
        let mut text = self.input.clone();
        for step in self.steps.iter().take(number) {
            let next = delta::apply(&text, &step.delta).filter(|next| key(next) == step.key);
            text = next.ok_or_else(|| JournalError::Damaged { path: self.path.clone(), step: step.number })?;
        }
        Ok(text)
    }
}
