//! Results and events as data for Python.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use lop::{Archive, Ended, Isolated, Size, TEXT};
use pyo3::prelude::*;

use crate::bridge::Worker;
use crate::outgoing::{Candidate, Sizes, Told};

fn sizes(size: Size) -> Sizes {
    (size.bytes, size.tokens, size.lines)
}

/// A finished reduction, as a dictionary.
#[derive(IntoPyObject)]
pub(crate) struct Report {
    best: Candidate,
    before: Sizes,
    after: Sizes,
    tests: u64,
    ended: &'static str,
    elapsed: f64,
    language: String,
    /// The exception that ended it.
    failure: Option<PyErr>,
}

impl Report {
    pub(crate) fn new(
        report: &lop::Report,
        best: Candidate,
        max_time: Option<f64>,
        language: String,
        failure: Option<PyErr>,
    ) -> Self {
        let elapsed = report.elapsed.as_secs_f64();
        let ended = match report.ended {
            Ended::Complete => "complete",
            Ended::Cancelled => "cancelled",
            Ended::Budget if max_time.is_some_and(|most| elapsed >= most) => "max_time",
            Ended::Budget => "max_tests",
        };
        let (before, after, tests) = (sizes(report.before), sizes(report.after), report.tests.total());
        Report { best, before, after, tests, ended, elapsed, language, failure }
    }
}

/// The two texts of an isolated difference, as a dictionary.
#[derive(IntoPyObject)]
pub(crate) struct Halves {
    passing: Vec<u8>,
    failing: Vec<u8>,
    tests: u64,
    ended: &'static str,
    failure: Option<PyErr>,
}

impl Halves {
    pub(crate) fn new(found: Isolated, max_tests: Option<u64>, failure: Option<PyErr>) -> Self {
        // The inputs took one test each.
        let tests = found.tests as u64 + 2;
        let ended = match max_tests {
            _ if failure.is_some() => "cancelled",
            _ if found.is_complete => "complete",
            Some(most) if tests >= most => "max_tests",
            _ => "max_time",
        };
        Halves { passing: found.passing, failing: found.failing, tests, ended, failure }
    }
}

/// The facts of a running reduction that its events have in common.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) language: String,
    archive: Option<Archive>,
    size: Size,
    tests: u64,
}

impl Seen {
    /// Hands the few events on that Python gets.
    pub(crate) fn event(&mut self, event: &lop::Event<'_>, worker: &Worker<'_>) {
        let (kind, best, message) = match *event {
            lop::Event::Started { size, archive, grammar, .. } => {
                self.language = grammar.unwrap_or(TEXT).to_owned();
                (self.archive, self.size) = (archive.cloned(), size);
                ("started", None, None)
            }
            lop::Event::Tested { number, .. } => {
                self.tests = number;
                return;
            }
            lop::Event::Accepted { content, size, .. } => {
                self.size = size;
                ("accepted", Some(content), None)
            }
            lop::Event::Returned { content, size, .. } => {
                self.size = size;
                ("returned", Some(content), None)
            }
            lop::Event::Note(message) => ("note", None, Some(message.to_owned())),
            lop::Event::Finished(report) => {
                (self.size, self.tests) = (report.after, report.tests.total());
                ("finished", Some(&report.best[..]), None)
            }
            _ => return,
        };
        worker.tell(|| Told {
            kind,
            size: sizes(self.size),
            tests: self.tests,
            best: best.map(|text| self.candidate(text)),
            message,
        });
    }

    fn candidate(&self, text: &[u8]) -> Candidate {
        let Some(archive) = &self.archive else { return Candidate::Text(text.to_vec()) };
        let files = archive.members(text).into_iter();
        Candidate::Files(files.map(|file| (OsString::from_vec(file.path), file.content)).collect())
    }
}
