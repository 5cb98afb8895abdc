//! The events of a running reduction: one type for all consumers.
//!
//! People (progress, summary), machines (JSON lines) and files (the store on disk) consume the same stream, in the
//! order in which the driver observed the events.

use std::time::Duration;

use lop_engine::Verdict;
use lop_files::project::Archive;
use lop_grammar::RulePlace;
use lop_run::oracle::{Outcome, Recalled};

use super::size::Size;
use super::tally::Rate;
use super::{Outlook, Report};

/// An event of a reduction.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The input was read and parsed; nothing has been tested yet.
    Started {
        /// Size of the input.
        size: Size,
        /// The archive whose texts the input and the results are, if the test case has several files.
        archive: Option<&'a Archive>,
        /// Name of the grammar, or `None` for text.
        grammar: Option<&'a str>,
        /// Number of ERROR and MISSING nodes in the input's tree; 0 if the input is too large for a tree.
        syntax_errors: usize,
        /// Whether there are too many, so that lop uses the text's brackets, lines and separators instead.
        by_structure: bool,
        /// Maximum number of parallel tests.
        slots: usize,
    },
    /// The test accepted the input (once or several times); the reduction can start.
    Baseline {
        /// The last outcome of the test on the unchanged input.
        outcome: &'a Outcome,
        /// The time limit derived from it, or the user's.
        deadline: Duration,
    },
    /// The input's rate is known. Only with [`Options::flaky`](super::Options::flaky).
    InputRate(Rate),
    /// A pass starts.
    Pass {
        /// The pass's name, as in the summary.
        name: &'static str,
        /// The round of the fixpoint loop, from 1.
        round: usize,
    },
    /// The interestingness test judged a candidate.
    Tested {
        /// The number of this test, from 1. The baseline's runs count too.
        number: u64,
        /// The pass of the candidate.
        pass: &'static str,
        /// Size of the candidate in bytes.
        bytes: usize,
        /// The verdict of the test; `None` if the run was cancelled or failed.
        verdict: Option<Verdict>,
        /// Its duration.
        duration: Duration,
        /// Number of candidates answered from the cache so far.
        cache_hits: u64,
        /// The source of the outcome, if the test didn't run.
        recalled: Option<Recalled>,
        /// A note on the candidate (`depth 3 of list kind`), for `-v`.
        what: &'a str,
    },
    /// A candidate became the best result. Consumers that store it must have it on disk when they return.
    Accepted {
        /// The whole new best result.
        content: &'a [u8],
        /// Its size.
        size: Size,
        /// Number of tests so far.
        tests: u64,
        /// The pass that found it.
        pass: &'static str,
        /// The places of the grammar's rules that made it.
        rules: &'a [RulePlace],
    },
    /// The test ran on a text more than once, and its outcomes now decide.
    Confirmed {
        /// Whether the text counts as interesting.
        interesting: bool,
        /// Number of interesting runs.
        yes: u32,
        /// Number of other runs.
        no: u32,
        /// Size of the text in bytes.
        bytes: usize,
        /// Whether the text is the best result, and not a candidate.
        is_best: bool,
    },
    /// The best result turned out not to be interesting, and an earlier, trusted one replaces it. Consumers that store
    /// the result must have this one on disk when they return.
    Returned {
        /// The earlier result.
        content: &'a [u8],
        /// Its size.
        size: Size,
        /// Number of tests so far.
        tests: u64,
    },
    /// A candidate isn't interesting, but shows another crash.
    Slipped {
        /// The signature of this crash: how it ended, and the first line that looks like an error.
        signature: &'a str,
        /// The candidate.
        content: &'a [u8],
        /// The outcome of the test on it.
        outcome: &'a Outcome,
    },
    /// A test was started. Only for sinks that [follow](EventSink::follows).
    Trying {
        /// The number of its worker, from 0, until [`Event::Idle`].
        worker: usize,
        /// The pass of the candidate.
        pass: &'static str,
        /// Size of the candidate in bytes.
        bytes: usize,
        /// A note on the candidate, as in [`Event::Tested`].
        what: &'a str,
    },
    /// A test has ended, with an outcome or without. Only for sinks that [follow](EventSink::follows).
    Idle {
        /// The number of the worker that ran it.
        worker: usize,
    },
    /// The estimate for the rest of the run, at most ten times a second. Only for sinks that
    /// [follow](EventSink::follows).
    Outlook(&'a Outlook),
    /// The reduction pauses: no test runs, and none starts before [`Event::Resumed`].
    Paused {
        /// Number of tests so far.
        tests: u64,
    },
    /// The reduction continues.
    Resumed,
    /// The user skips a pass from now on.
    Skipped {
        /// The pass.
        pass: &'static str,
        /// Number of tests so far.
        tests: u64,
    },
    /// A message for the user that doesn't stop the run.
    Note(&'a str),
    /// The reduction has ended or was stopped.
    Finished(&'a Report),
}

/// A consumer of events.
///
/// Events come from one thread, in the order in which they happened. An error stops the reduction, because lop promises
/// that results are on disk. The best result so far is then reported with the error.
pub trait EventSink {
    /// Consumes one event.
    ///
    /// # Errors
    /// If the consumer can no longer do its job. The reduction stops.
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()>;

    /// Whether it wants an event for every started test and the estimates ([`Event::Trying`], [`Event::Idle`],
    /// [`Event::Outlook`]), which cost time. Called once at the start; `false` by default.
    fn follows(&self) -> bool {
        false
    }
}

impl<S: EventSink + ?Sized> EventSink for &mut S {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        (**self).event(event)
    }

    fn follows(&self) -> bool {
        (**self).follows()
    }
}

/// A sink that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn event(&mut self, _: &Event<'_>) -> std::io::Result<()> {
        Ok(())
    }
}
