//! The outcome of a reduction as data: the summary prints it, and `--json` writes it.

use std::time::Duration;

use lop_engine::{DepthRow, Verdict};
use lop_files::project::{Archive, TestCase};
use lop_grammar::RulePlace;

use super::necessity::Necessity;
use super::options::Minimal;
use super::size::Size;
use super::trust::Reliability;

/// The reason why a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing more could be removed.
    Complete,
    /// It was cancelled (Ctrl-C, SIGTERM).
    Cancelled,
    /// The limit of tests or of time was reached.
    Budget,
}

/// Numbers of tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Interesting.
    pub interesting: u64,
    /// Not interesting.
    pub not_interesting: u64,
    /// Invalid.
    pub invalid: u64,
    /// Timed out.
    pub timeout: u64,
    /// Without an outcome: cancelled or failed.
    pub unresolved: u64,
}

impl Counts {
    /// Returns the number of all runs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.interesting + self.not_interesting + self.invalid + self.timeout + self.unresolved
    }

    /// Counts one run.
    pub fn add(&mut self, verdict: Option<Verdict>) {
        match verdict {
            Some(Verdict::Interesting) => self.interesting += 1,
            Some(Verdict::NotInteresting) => self.not_interesting += 1,
            Some(Verdict::Invalid) => self.invalid += 1,
            Some(Verdict::Timeout) => self.timeout += 1,
            None => self.unresolved += 1,
        }
    }

    /// Counts the runs that were counted elsewhere.
    pub(super) fn add_all(&mut self, other: Counts) {
        self.interesting += other.interesting;
        self.not_interesting += other.not_interesting;
        self.invalid += other.invalid;
        self.timeout += other.timeout;
        self.unresolved += other.unresolved;
    }
}

/// The statistics of one pass over all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassStats {
    /// The pass's name.
    pub name: &'static str,
    /// Tests it ran.
    pub tests: u64,
    /// Its accepted candidates.
    pub accepted: u64,
    /// Bytes removed.
    pub bytes: u64,
    /// Tokens removed.
    pub tokens: u64,
}

/// The statistics of one of the grammar's rules over all rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleStats {
    /// Its file and line.
    pub place: RulePlace,
    /// Accepted steps from it, alone or together with others.
    pub hits: u64,
    /// Bytes removed by these steps.
    pub bytes: u64,
    /// Tokens removed by these steps.
    pub tokens: u64,
}

/// All facts about a finished reduction.
#[derive(Clone, Debug)]
pub struct Report {
    /// The best result, which the test judged interesting.
    pub best: Vec<u8>,
    /// The archive whose text the result is, if the test case has several files.
    pub archive: Option<Archive>,
    /// Size of the input.
    pub before: Size,
    /// Size of the result.
    pub after: Size,
    /// Why it ended.
    pub ended: Ended,
    /// Numbers of tests by outcome, including the baseline.
    pub tests: Counts,
    /// The reliability of the test.
    pub reliability: Reliability,
    /// Number of candidates answered from the cache.
    pub cache_hits: u64,
    /// Number of tests answered from the journal of an interrupted run; they count as tests.
    pub from_journal: u64,
    /// Number of tests answered from the shared cache; they count as tests.
    pub from_shared_cache: u64,
    /// Number of candidates rejected without a test for new syntax errors.
    pub gate_refusals: u64,
    /// Number of parser steps for checking candidates before their tests, each 10 to 20 µs.
    pub gate_steps: u64,
    /// Wall time of the reduction, including interrupted runs.
    pub elapsed: Duration,
    /// Wall time in which at least one test was running and lop waited for it.
    pub waiting: Duration,
    /// Sum of the durations of all tests.
    pub testing: Duration,
    /// The engine's view of the tree, per depth.
    pub depths: Vec<DepthRow>,
    /// The statistics of each pass.
    pub passes: Vec<PassStats>,
    /// The statistics of the rules with accepted steps, in the order of the files.
    pub rules: Vec<RuleStats>,
    /// Passes that the user skipped during the run.
    pub skipped: Vec<&'static str>,
    /// Edits that were left out in the last round because they were too unlikely to pay off, by pass. `--thorough` asks
    /// about all of them.
    pub left_out: Vec<(&'static str, u64)>,
    /// Texts that stayed only because the candidate without them timed out.
    pub kept_by_timeout: Vec<String>,
    /// The reason why each token stays; `None` if there are too many tokens.
    pub necessity: Option<Necessity>,
    /// The guarantee that the result has.
    pub minimal: Minimal,
    /// The newest result about which the test was asked again, and its size; at first the input. After an early end it may
    /// be an earlier one than `best`.
    pub confirmed: (Vec<u8>, Size),
}

impl Report {
    /// Returns the result as a test case.
    #[must_use]
    pub fn case(&self) -> TestCase<'_> {
        TestCase::new(self.archive.as_ref(), &self.best)
    }
}
