//! The front door for programs: a reduction with a closure as its interestingness test.
//!
//! Everything here is also to be had piece by piece: the driver is [`reduce_with`], closures are asked by [`Inline`] and
//! [`Threads`], languages are chosen by the [`Registry`](crate::grammar::Registry).

mod config;
mod tree;

use std::path::PathBuf;
use std::thread;

use crate::engine::Verdict;
use crate::exec::{Executor, Inline, StartError, Threads};
use crate::grammar::GrammarError;
use crate::reduce::{ReduceError, Report, reduce_with};

pub use config::Config;
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
    /// The system refuses the threads.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The reduction could not start or could not go on.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
}

/// Reduces an input to a small one that a closure still calls interesting.
///
/// The closure is shown candidates and answers with `true` for *interesting* and `false` for *not interesting*, or with
/// a [`Verdict`], which can also say that a candidate is invalid. It has to answer the same on the same bytes, and to
/// answer at all: nothing can interrupt it, so that a time limit is its own affair (for a command there is
/// [`CommandOracle`](crate::oracle::CommandOracle)).
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
/// The [`Config`] has all the choices; for a closure that changes what it has captured, or for tests that run
/// elsewhere, there is [`reduce_on`].
///
/// # Errors
/// When the language is unknown, threads cannot be started, or for one of the reasons of [`ReduceError`]: mostly that
/// the input itself is not interesting, or that the empty one is.
///
/// # Panics
/// When the closure does: the panic reaches the caller, on one thread or on several, and what was found until then is
/// lost, but for what [`Config::on_event`] was told. A closure that is to find panics catches them:
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

/// [`reduce`] with an executor, which runs the tests in the closure's place: [`Inline`] for closures that change what
/// they have captured, [`LocalWorkers`](crate::exec::LocalWorkers) for commands, or [one of your own](crate::exec). How
/// many tests run at the same time is its own affair, and [`Config::jobs`] means nothing.
///
/// ```
/// use lop::exec::Inline;
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
/// As for [`reduce`].
///
/// # Panics
/// When the executor does.
pub fn reduce_on(input: &[u8], executor: &mut dyn Executor, config: &Config<'_>) -> Result<Report, Error> {
    let grammar = config.grammar(input)?;
    Ok(reduce_with(input, grammar, executor, &config.options, &mut config.sink(), &config.cancel)?)
}
