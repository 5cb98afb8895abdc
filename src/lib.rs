//! lop, a test-case reducer: hand it a text that triggers a bug and a test that recognises the bug, and it hands back a
//! much smaller text that still does.
//!
//! Start with [`reduce()`] and a [`Config`]. [`Event`] reports progress, [`reduce_on`] runs tests elsewhere, a [`Pass`]
//! adds edits, and [`reduce_with`] gives access to every part. This page is the whole interface for programs; the
//! crates with names that start with `lop-` are internal.
//!
#![doc = include_str!("../docs/library.md")]

#[cfg(not(unix))]
compile_error!("lop runs on Linux, and in parts on other Unix systems");

mod config;
mod isolate;
mod tree;

use std::path::PathBuf;
use std::thread;

pub use lop_engine::{Config as EngineConfig, Verdict};
pub use lop_files::project::{Archive, TestCase};
pub use lop_grammar::{AUTO, Grammar, GrammarError, Registry, TEXT};
pub use lop_languages::LANGUAGES;
pub use lop_parser::install_allocator;
pub use lop_passes::{FilesOf, Tree, Wanted};
pub use lop_reduce::isolate::{Difference, Isolated, Level};
pub use lop_reduce::{
    Control, Counts, Effort, Ended, Event, EventSink, Facts, Format, Formatter, FormatterError, Growth, Keep,
    KeepError, KeepSpec, Minimal, Options, PassStats, Passes, Prefer, Proposals, Rate, RateGoal, ReduceError,
    Reliability, Report, Schedule, Silent, Size, Stage, Syntax, View, reduce_with,
};
pub use lop_run::exec::{Executor, Inline, Job, LocalOptions, LocalWorkers, StartError, Threads, Ticket};
pub use lop_run::oracle::{
    Cancel, CommandError, CommandOracle, ConditionError, ConditionSpec, Conditions, Exit, Oracle, Outcome, Subject,
};
pub use lop_syntax::{Document, Edit};

pub use config::Config;
pub use isolate::isolate;
pub use tree::{Files, TreeReport, reduce_tree};

/// Why a reduction by [`reduce`] or [`reduce_on`] has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The language is not known, or something is wrong with its rules.
    #[error(transparent)]
    Language(#[from] GrammarError),
    /// A path that is absolute, or leads elsewhere than down.
    #[error("{} is no path below a root", .0.display())]
    Path(PathBuf),
    /// The two texts of [`isolate`] are not one that passes and one that fails.
    #[error("{0}")]
    Pair(&'static str),
    /// The system refuses the threads.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The reduction could not start or continue.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
}

/// Reduces an input to a small one that a closure still calls interesting.
///
/// The closure is shown candidates and answers with `true` for *interesting* and `false` for *not interesting*, or with
/// a [`Verdict`], which can also say that a candidate is invalid. It has to answer the same on the same bytes, and to
/// answer at all: nothing can interrupt it, so that a time limit is its own affair (for a command there is
/// [`CommandOracle`]).
///
/// ```
/// let input = br#"{"users": [{"name": "Ada"}, {"name": "\u12"}, {"name": "Bob"}]}"#;
/// let crashes = |candidate: &[u8]| candidate.windows(4).any(|part| part == br"\u12");
///
/// let report = lop::reduce(input, crashes, &lop::Config::new().file_name("payload.json"))?;
///
/// assert_eq!(report.best, br#""\u12""#);
/// assert!(report.tests.total() < 30);
/// # Ok::<(), lop::Error>(())
/// ```
///
/// The [`Config`] has all the choices. For a closure that changes its captures, or for tests that run elsewhere, there
/// is [`reduce_on`].
///
/// # Errors
/// When the language is unknown, threads cannot be started, or for one of the reasons of [`ReduceError`]: mostly that
/// the input itself is not interesting, or that the empty one is.
///
/// # Panics
/// If the closure panics: the panic reaches the caller, on one thread or on several, and the result so far is lost,
/// except for the events that [`Config::on_event`] received. A closure that looks for panics catches them:
///
/// ```
/// use std::panic::{AssertUnwindSafe, catch_unwind};
///
/// fn parse(text: &[u8]) {
///     assert!(!text.contains(&b'!'), "I do not like exclamation marks");
/// }
///
/// let panics = |candidate: &[u8]| catch_unwind(AssertUnwindSafe(|| parse(candidate))).is_err();
/// # std::panic::set_hook(Box::new(|_| {}));
/// let report = lop::reduce(b"what a fine day! is it?", panics, &lop::Config::new())?;
/// assert_eq!(report.best, b"!");
/// # Ok::<(), lop::Error>(())
/// ```
pub fn reduce<V, F>(input: &[u8], test: F, config: &Config<'_>) -> Result<Report, Error>
where
    F: Fn(&[u8]) -> V + Sync,
    V: Into<Verdict>,
{
    if config.jobs == 1 {
        return reduce_on(input, &mut Inline::new(test), config);
    }
    thread::scope(|scope| reduce_on(input, &mut Threads::new(scope, config.jobs, &test)?, config))
}

/// [`reduce`] with an executor, which runs the tests instead of the closure: [`Inline`] for closures that change their
/// captures, [`LocalWorkers`] for commands, or [your own](Executor). It decides how many tests run at the same time,
/// and [`Config::jobs`] has no effect.
///
/// ```
/// use lop::Inline;
///
/// let mut asked = 0;
/// let mut executor = Inline::new(|candidate: &[u8]| {
///     asked += 1;
///     candidate.contains(&b'7')
/// });
/// let report = lop::reduce_on(b"[1, 2, 7, 9]", &mut executor, &lop::Config::new())?;
/// assert_eq!(report.best, b"7");
/// assert_eq!(report.tests.total(), asked);
/// # Ok::<(), lop::Error>(())
/// ```
///
/// # Errors
/// The errors of [`reduce`].
///
/// # Panics
/// When the executor does.
pub fn reduce_on(input: &[u8], executor: &mut dyn Executor, config: &Config<'_>) -> Result<Report, Error> {
    let grammar = config.grammar(input)?;
    Ok(reduce_with(input, grammar, executor, &config.options, &mut config.sink(), &config.cancel)?)
}

/// ```
/// use lop::{Config, Edit, Facts, Pass, Proposals, Stage, View};
///
/// /// A tag goes with its partner at the other end; what is between them stays.
/// struct Tags;
///
/// impl Pass for Tags {
///     fn facts(&self) -> Facts {
///         Facts::new("tags", Stage::Rules, "tags with their partners")
///     }
///
///     fn propose(&self, view: &View<'_>) -> Proposals {
///         let places = |tag: &[u8]| -> Vec<usize> {
///             (0..view.text.len()).filter(|at| view.text[*at..].starts_with(tag)).collect()
///         };
///         let (open, close) = (places(b"<b>"), places(b"</b>"));
///         let pairs = open.iter().zip(close.iter().rev());
///         view.any_of(pairs.map(|(&open, &close)| vec![Edit::delete_raw(open..open + 3), Edit::delete_raw(close..close + 4)]))
///     }
/// }
///
/// // The test refuses tags without partners.
/// let test = |text: &[u8]| {
///     let text = String::from_utf8_lossy(text);
///     text.contains("bug") && text.matches("<b>").count() == text.matches("</b>").count()
/// };
/// let report = lop::reduce(b"<b><b>bug</b></b>", test, &Config::new().language("text").pass(Tags))?;
/// assert_eq!(report.best, b"bug");
/// # Ok::<(), lop::Error>(())
/// ```
pub use lop_reduce::Pass;

#[cfg(doctest)]
#[doc = include_str!("../docs/dev/designing-a-pass.md")]
mod designing_a_pass {}
