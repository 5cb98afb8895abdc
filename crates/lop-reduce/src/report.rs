//! The outcome of a whole reduction, as data: what the summary prints and `--json` writes.

use std::time::Duration;

use lop_engine::{DepthRow, Verdict};
use lop_grammar::RulePlace;

use super::necessity::Necessity;
use super::size::Size;
use super::trust::Reliability;

/// Why a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing more could be removed.
    Complete,
    /// It was cancelled (Ctrl-C, SIGTERM).
    Cancelled,
    /// The limit of tests or of time was reached.
    Budget,
}

/// Tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that said *interesting*.
    pub interesting: u64,
    /// Tests that said *not interesting*.
    pub not_interesting: u64,
    /// Tests that called the candidate invalid.
    pub invalid: u64,
    /// Tests that ran into the deadline.
    pub timeout: u64,
    /// Runs without an answer: cancelled speculation and failures.
    pub unresolved: u64,
}

impl Counts {
    /// All runs that were started.
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
}

/// The statistics of one pass over all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassStats {
    /// The pass's name.
    pub name: &'static str,
    /// Tests it ran.
    pub tests: u64,
    /// Candidates it got accepted.
    pub accepted: u64,
    /// Bytes that went.
    pub bytes: u64,
    /// Tokens that went.
    pub tokens: u64,
}

/// The statistics of one of the grammar's rules over all rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleStats {
    /// Where it is written.
    pub place: RulePlace,
    /// Accepted steps that come from it, alone or together with others.
    pub hits: u64,
    /// Bytes that went in these steps.
    pub bytes: u64,
    /// Tokens that went in these steps.
    pub tokens: u64,
}

/// Everything known at the end of a reduction.
#[derive(Clone, Debug)]
pub struct Report {
    /// The best result: judged interesting by the test.
    pub best: Vec<u8>,
    /// Size of the input.
    pub before: Size,
    /// Size of the result.
    pub after: Size,
    /// Why it ended.
    pub ended: Ended,
    /// Tests by outcome, the baseline's included.
    pub tests: Counts,
    /// How far the test could be trusted.
    pub reliability: Reliability,
    /// Candidates answered from the cache.
    pub cache_hits: u64,
    /// Tests whose outcome the journal of an interrupted run knew; they are counted among the tests.
    pub from_journal: u64,
    /// Tests whose outcome other runs had left in the shared cache; they are counted among the tests.
    pub from_shared_cache: u64,
    /// Candidates refused without a test because they had new syntax errors.
    pub gate_refusals: u64,
    /// Steps that the parser took to look at candidates before they were tested, of 10 to 20 µs each.
    pub gate_steps: u64,
    /// Wall time of the whole reduction, that of interrupted runs included.
    pub elapsed: Duration,
    /// Wall time in which at least one test was running and lop waited for it.
    pub waiting: Duration,
    /// Sum of the durations of all tests.
    pub testing: Duration,
    /// The engine's view of the tree, per depth.
    pub depths: Vec<DepthRow>,
    /// The statistics of each pass.
    pub passes: Vec<PassStats>,
    /// The statistics of the grammar's rules behind an accepted step, in the order of the files.
    pub rules: Vec<RuleStats>,
    /// Passes that were left out on demand while it ran, from some moment on.
    pub skipped: Vec<&'static str>,
    /// Texts that stayed only because the candidate without them ran into the deadline.
    pub kept_by_timeout: Vec<String>,
    /// Why each token of the result is still there; `None` where there are too many to be looked up.
    pub necessity: Option<Necessity>,
    /// The parts in which the result is minimal: `none`, `unit`, `token` or `char`.
    pub minimal: &'static str,
}
