//! The events of a reduction while it runs: one type for every consumer.
//!
//! People (progress, summary), machines (JSON lines) and files (the store that keeps the best
//! result on disk) are three consumers of the same stream, in one order: the order in which the
//! driver saw things happen.

use std::time::Duration;

use lop_engine::Verdict;
use lop_grammar::RulePlace;
use lop_run::oracle::{Outcome, Recalled};

use super::size::Size;
use super::{Outlook, Report};

/// Something that happened during a reduction.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The input was read and parsed; nothing has been tested yet.
    Started {
        /// Size of the input.
        size: Size,
        /// Name of the grammar, or `None` for text.
        grammar: Option<&'a str>,
        /// ERROR and MISSING nodes in the input's tree; 0 where it has no tree before it is cut down.
        syntax_errors: usize,
        /// Whether these are so many that the text is reduced by its brackets, lines and separators instead.
        by_structure: bool,
        /// Tests that may run at the same time.
        slots: usize,
    },
    /// The input itself was judged (once or several times); the reduction can start.
    Baseline {
        /// The last outcome of the test on the unchanged input.
        outcome: &'a Outcome,
        /// The deadline derived from it, or the one that was asked for.
        deadline: Duration,
    },
    /// A pass begins.
    Pass {
        /// The pass's name, as in the summary.
        name: &'static str,
        /// Round of the fixpoint loop, from 1.
        round: usize,
    },
    /// A candidate was judged by the interestingness test.
    Tested {
        /// Number of this test, from 1; the baseline's runs are counted too.
        number: u64,
        /// The pass that asked.
        pass: &'static str,
        /// Size of the candidate in bytes.
        bytes: usize,
        /// The verdict of the test; `None` if the run gave no answer (cancelled or failed).
        verdict: Option<Verdict>,
        /// How long it ran.
        duration: Duration,
        /// Candidates that were answered from the cache so far.
        cache_hits: u64,
        /// Where the outcome is known from when the test was not run.
        recalled: Option<Recalled>,
        /// A note on the candidate (`depth 3 of list kind`), for `-v`.
        what: &'a str,
    },
    /// A candidate became the best result. Consumers that keep it must have it on disk when they
    /// return.
    Accepted {
        /// The whole new best result.
        content: &'a [u8],
        /// Its size.
        size: Size,
        /// Tests run so far.
        tests: u64,
        /// The pass that found it.
        pass: &'static str,
        /// Where the grammar's rules that made it are written; none where it took no rule.
        rules: &'a [RulePlace],
    },
    /// The test was asked about a text more than once, and it is clear now what it says of it.
    Confirmed {
        /// Whether the text is taken to be interesting.
        interesting: bool,
        /// Runs that said so, …
        yes: u32,
        /// … and runs that did not.
        no: u32,
        /// Size of the text in bytes.
        bytes: usize,
        /// Whether it is the best result that was asked about, and not a candidate.
        is_best: bool,
    },
    /// The best result turned out not to be interesting: an earlier one, which is trusted, takes its place.
    /// Consumers that keep the result must have this one on disk when they return.
    Returned {
        /// The whole result that is the best again.
        content: &'a [u8],
        /// Its size.
        size: Size,
        /// Tests run so far.
        tests: u64,
    },
    /// A candidate is not interesting, but shows another crash.
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
        /// The number of the worker that runs it, from 0; it is free again after
        /// [`Event::Idle`].
        worker: usize,
        /// The pass that asks.
        pass: &'static str,
        /// Size of the candidate in bytes.
        bytes: usize,
        /// A note on the candidate, as in [`Event::Tested`].
        what: &'a str,
    },
    /// A test has ended, with an answer or without. Only for sinks that [follow](EventSink::follows).
    Idle {
        /// The number of the worker that ran it.
        worker: usize,
    },
    /// The expectation of the model from now on; told ten times a second at most. Only for sinks that
    /// [follow](EventSink::follows).
    Outlook(&'a Outlook),
    /// The reduction holds on: no test runs, and none is started before [`Event::Resumed`].
    Paused {
        /// Tests run so far.
        tests: u64,
    },
    /// It goes on.
    Resumed,
    /// A pass is left out from now on, by a request made while the reduction ran.
    Skipped {
        /// The pass.
        pass: &'static str,
        /// Tests run so far.
        tests: u64,
    },
    /// Something the user should know that does not stop the run.
    Note(&'a str),
    /// The reduction has ended, by itself or because it was stopped.
    Finished(&'a Report),
}

/// A consumer of events.
///
/// Events come in the order in which things happened, from one thread. An error stops the
/// reduction (a full disk must not be ignored while results are promised to be on it); the best
/// result so far is then reported with the error.
pub trait EventSink {
    /// Takes note of one event.
    ///
    /// # Errors
    /// When the consumer can no longer do its job; the reduction stops.
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()>;

    /// Whether it wants to hear of every test that is started and of what lies ahead ([`Event::Trying`],
    /// [`Event::Idle`], [`Event::Outlook`]), which takes time to tell. Asked once, at the start; no by default.
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
