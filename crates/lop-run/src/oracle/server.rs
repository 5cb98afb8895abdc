//! A test that stays up, a server: each slot has its own. It gets the candidate's path as a line and answers with a line,
//! which saves the start of a process per candidate.
//!
//! The danger is state that leaks from one candidate to the next. So lop believes a server only as far as fresh ones
//! confirm it:
//!
//! ```text
//!   candidate ──► warm server ──► answer ──► now and then: a fresh server ──► the same? it replaces the warm one
//!       │                           │                                        another? each candidate gets a fresh one
//!       │                           └── interesting: remembered
//!       └── remembered, so this is a confirmation of the result ──► fresh server
//! ```

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::process::{Lasting, OUTPUT_LIMIT, Patience, ProcessRegistry, Reply, resident};
use super::{Cancel, Outcome};
use lop_engine::Verdict;
use lop_files::tree::remove_tree;

/// A server is replaced after this number of answers, …
const MOST_ANSWERS: u64 = 1_000;
/// … or when it has grown by this number of bytes since its first answer. Its size is looked at after each 16 answers.
const MOST_GROWTH: u64 = 512 << 20;
const LOOK_EVERY: u64 = 16;

/// Answers 1, 4, 16, 64 and 256 are compared with those of a fresh server, and each 256th after them. Answers that are
/// *interesting* are counted on their own.
const COMPARED_AT_FIRST: u64 = 256;

/// Most candidates that are remembered as interesting. Of 10,000 tests a few hundred are.
const MOST_REMEMBERED: usize = 1 << 16;

/// Longest answer in bytes. It may contain the outputs of a run.
const LONGEST_ANSWER: usize = 4 << 20;

/// Maximum number of bytes of an answer in a message.
const SHOWN: usize = 80;

/// The servers of all slots.
#[derive(Debug, Default)]
pub(super) struct Servers {
    knowledge: Mutex<Knowledge>,
}

#[derive(Debug, Default)]
struct Knowledge {
    /// The answers of warm servers that are interesting, and the others.
    answers: [u64; 2],
    /// The candidates that a warm server called interesting.
    interesting: HashSet<blake3::Hash>,
    /// Whether an answer depended on earlier candidates.
    leaks: bool,
}

impl Servers {
    /// Whether each candidate needs a fresh server.
    pub(super) fn leak(&self) -> bool {
        self.knowledge().leaks
    }

    /// An earlier answer of a warm server. Only *interesting* is remembered.
    pub(super) fn remembered(&self, candidate: &[u8]) -> Option<Verdict> {
        self.knowledge().interesting.contains(&blake3::hash(candidate)).then_some(Verdict::Interesting)
    }

    /// Takes note of a candidate that a server of an earlier process called interesting.
    pub(super) fn remember(&self, candidate: &[u8]) {
        self.knowledge().interesting.insert(blake3::hash(candidate));
    }

    /// Takes note of a warm server's answer. Returns whether to compare it.
    pub(super) fn answered(&self, candidate: &[u8], outcome: &Outcome) -> bool {
        let mut knowledge = self.knowledge();
        let is_interesting = outcome.is_interesting();
        if is_interesting && knowledge.interesting.len() < MOST_REMEMBERED {
            knowledge.interesting.insert(blake3::hash(candidate));
        }
        let count = &mut knowledge.answers[usize::from(is_interesting)];
        *count += 1;
        let is_power_of_four = count.is_power_of_two() && count.trailing_zeros().is_multiple_of(2);
        is_power_of_four && *count <= COMPARED_AT_FIRST || count.is_multiple_of(COMPARED_AT_FIRST)
    }

    /// A fresh server has given another answer. From now on each candidate gets a fresh one. Returns how they differ.
    pub(super) fn contradicted(&self, warm: Verdict, fresh: Verdict) -> String {
        self.knowledge().leaks = true;
        format!(
            "its server answered `{}` where a fresh one answers `{}`, so each candidate gets a fresh one from now on",
            word(warm),
            word(fresh)
        )
    }

    fn knowledge(&self) -> MutexGuard<'_, Knowledge> {
        self.knowledge.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One running server, in a directory of its own.
#[derive(Debug)]
pub(super) struct Server {
    /// The servers that it belongs to.
    owner: Arc<Servers>,
    process: Lasting,
    place: ServerPlace,
    answers: u64,
    /// Its size after the first answer, in bytes.
    size: Option<u64>,
}

/// The directory of a server. Dropping it removes it.
#[derive(Debug)]
pub(super) struct ServerPlace {
    base: PathBuf,
    /// Everything that it writes to standard error.
    pub(super) errors: File,
}

impl ServerPlace {
    /// Makes an empty one in a slot.
    pub(super) fn new(base: PathBuf) -> io::Result<Self> {
        fs::create_dir(&base)?;
        fs::create_dir(base.join("work"))?;
        fs::create_dir(base.join("tmp"))?;
        let errors = OpenOptions::new().read(true).append(true).create_new(true).open(base.join("stderr"))?;
        Ok(Self { base, errors })
    }

    /// The server's working directory.
    pub(super) fn work(&self) -> PathBuf {
        self.base.join("work")
    }

    /// Its directory for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.base.join("tmp")
    }
}

impl Drop for ServerPlace {
    fn drop(&mut self) {
        // If that fails, it is removed with the slot.
        let _ = remove_tree(&self.base);
    }
}

impl Server {
    /// Starts one with this command, whose directories are those of `place`.
    pub(super) fn start(
        mut command: Command,
        owner: &Arc<Servers>,
        place: ServerPlace,
        registry: &Arc<ProcessRegistry>,
    ) -> io::Result<Self> {
        command.current_dir(place.work()).env("TMPDIR", place.temporary()).stderr(place.errors.try_clone()?);
        let process = Lasting::start(&mut command, registry)?;
        Ok(Self { owner: Arc::clone(owner), process, place, answers: 0, size: None })
    }

    pub(super) fn belongs_to(&self, owner: &Arc<Servers>) -> bool {
        Arc::ptr_eq(&self.owner, owner)
    }

    /// Asks a question. Returns the reply and what the server wrote to standard error meanwhile.
    pub(super) fn ask(&mut self, question: &[u8], deadline: Duration, cancel: &Cancel) -> io::Result<(Reply, Vec<u8>)> {
        let errors = &self.place.errors;
        let before = errors.metadata()?.len();
        let patience = Patience {
            deadline,
            cancel,
            errors: (errors, before.saturating_add(OUTPUT_LIMIT)),
            longest: LONGEST_ANSWER,
        };
        let reply = self.process.ask(question, &patience)?;
        let mut written = Vec::new();
        if errors.metadata()?.len() > before {
            let mut errors = errors;
            errors.seek(SeekFrom::Start(before))?;
            errors.take(OUTPUT_LIMIT).read_to_end(&mut written)?;
        }
        Ok((reply, written))
    }

    /// Counts an answer. Returns whether the server can stay.
    pub(super) fn may_stay(&mut self) -> bool {
        self.answers += 1;
        if self.answers == 1 || self.answers.is_multiple_of(LOOK_EVERY) {
            let now = self.process.id().and_then(resident);
            let before = *self.size.get_or_insert(now.unwrap_or(0));
            if now.is_some_and(|now| now > before.saturating_add(MOST_GROWTH)) {
                return false;
            }
        }
        self.answers < MOST_ANSWERS && self.process.is_running()
    }
}

/// A server's answer about a candidate.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The verdict itself.
    Verdict(Verdict),
    /// A run, which the conditions judge.
    Run { exit: i32, stdout: String, stderr: String },
}

impl Answer {
    /// Reads a line: a verdict, an exit code, or a JSON object with either. `None` for anything else.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.trim();
        if let Ok(exit) = line.parse() {
            return Some(Self::Run { exit, stdout: String::new(), stderr: String::new() });
        }
        if !line.starts_with('{') {
            return verdict(line).map(Self::Verdict);
        }
        let said: Said = serde_json::from_str(line).ok()?;
        match said {
            Said { interesting: Some(interesting), .. } => Some(Self::Verdict(Verdict::from(interesting))),
            Said { verdict: Some(word), .. } => verdict(&word).map(Self::Verdict),
            Said { exit: Some(exit), stdout, stderr, .. } => Some(Self::Run { exit, stdout, stderr }),
            _ => None,
        }
    }
}

#[derive(serde::Deserialize)]
struct Said {
    interesting: Option<bool>,
    verdict: Option<String>,
    exit: Option<i32>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

/// The words for verdicts; the first of each is the usual one.
const WORDS: [(&str, Verdict); 6] = [
    ("interesting", Verdict::Interesting),
    ("true", Verdict::Interesting),
    ("not interesting", Verdict::NotInteresting),
    ("false", Verdict::NotInteresting),
    ("invalid", Verdict::Invalid),
    ("timeout", Verdict::Timeout),
];

fn verdict(said: &str) -> Option<Verdict> {
    let said = said.to_ascii_lowercase().replace(['-', '_'], " ");
    WORDS.iter().find(|(word, _)| *word == said).map(|(_, verdict)| *verdict)
}

fn word(verdict: Verdict) -> &'static str {
    WORDS.iter().find(|(_, other)| *other == verdict).map_or("", |(word, _)| word)
}

/// A line for a message.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let end = super::char_boundary(&text, SHOWN);
    format!("`{}{}`", text[..end].escape_debug(), if end < text.len() { "…" } else { "" })
}

/// Whether a name can be in a question, which is a line of paths with tabs between them.
pub(super) fn fits_in_line(name: &OsStr) -> bool {
    !name.as_encoded_bytes().iter().any(|byte| b"\t\n".contains(byte))
}

/// The question about a candidate: the paths of its files. Most candidates are one file or directory.
pub(super) fn question(paths: impl Iterator<Item = PathBuf>) -> Vec<u8> {
    paths.map(|path| path.into_os_string().into_encoded_bytes()).collect::<Vec<_>>().join(&b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_word_a_number_or_an_object() {
        let run = |exit, stdout: &str, stderr: &str| {
            Some(Answer::Run { exit, stdout: stdout.to_owned(), stderr: stderr.to_owned() })
        };
        for (line, expected) in [
            ("interesting", Some(Answer::Verdict(Verdict::Interesting))),
            (" Not-Interesting\r", Some(Answer::Verdict(Verdict::NotInteresting))),
            ("not interesting", Some(Answer::Verdict(Verdict::NotInteresting))),
            ("true", Some(Answer::Verdict(Verdict::Interesting))),
            ("invalid", Some(Answer::Verdict(Verdict::Invalid))),
            ("0", run(0, "", "")),
            ("-11", run(-11, "", "")),
            (r#"{"interesting": false, "more": 1}"#, Some(Answer::Verdict(Verdict::NotInteresting))),
            (r#"{"verdict": "timeout"}"#, Some(Answer::Verdict(Verdict::Timeout))),
            (r#"{"exit": 1, "stderr": "oops"}"#, run(1, "", "oops")),
            ("", None),
            ("loading…", None),
            ("{}", None),
            ("{", None),
        ] {
            assert_eq!(Answer::parse(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(Answer::parse(b"\xff"), None);
    }

    #[test]
    fn the_first_answers_of_each_kind_and_some_later_ones_are_compared() {
        let servers = Servers::default();
        let compared = |verdict| {
            let answers = (1..=800_u32).filter(|at| servers.answered(&at.to_le_bytes(), &Outcome::of(verdict)));
            answers.collect::<Vec<u32>>()
        };
        assert_eq!(compared(Verdict::NotInteresting), [1, 4, 16, 64, 256, 512, 768]);
        assert_eq!(compared(Verdict::Interesting), [1, 4, 16, 64, 256, 512, 768]);
    }

    #[test]
    fn what_was_called_interesting_is_confirmed_by_a_fresh_server() {
        let servers = Servers::default();
        servers.answered(b"x", &Outcome::of(Verdict::Interesting));
        servers.answered(b"y", &Outcome::of(Verdict::NotInteresting));
        assert_eq!((servers.remembered(b"x"), servers.remembered(b"y")), (Some(Verdict::Interesting), None));
        assert!(!servers.leak());
        assert!(servers.contradicted(Verdict::Interesting, Verdict::Invalid).contains("`invalid`"));
        assert!(servers.leak());
    }
}
