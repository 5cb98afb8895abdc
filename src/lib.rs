//! lop, a test-case reducer: hand it a text that triggers a bug and a test that recognises the bug,
//! and it hands back a much smaller text that still does.
//!
//! Start with [`reduce()`] and a [`Config`]. [`Event`] reports progress, [`reduce_on`] runs tests elsewhere, a [`Pass`]
//! adds edits, and [`reduce_with`] gives access to every part.
//!
//! The modules, from the lowest: [`engine`], a crate of its own, decides which units to try to remove next and
//! knows nothing but numbers; [`disk`] opens and makes files where others may have put theirs;
//! [`project`] has several files as one text; [`syntax`] has the text as a
//! tree; [`grammar`] says what a language allows; [`oracle`] is the interestingness test; [`passes`] propose edits; [`exec`]
//! runs tests; [`mod@reduce`] drives; `isolate` and `corpus` answer two other questions than the smallest text; [`library`] is the front door for programs; [`doctor`] says whether a test can be
//! relied on; [`journal`] remembers on disk; [`report`] tells people, machines and files; [`cli`] is the command line.
//!
#![doc = include_str!("../docs/library.md")]

#[cfg(not(unix))]
compile_error!("lop runs on Linux, and in parts on other Unix systems");

pub mod library;

pub use lop_engine as engine;
pub use lop_files::{disk, project};
pub use lop_grammar as grammar;
pub use lop_passes as passes;
pub use lop_reduce as reduce;
pub use lop_reduce::{corpus, isolate};
pub use lop_run::{exec, oracle};
pub use lop_syntax as syntax;

pub use engine::Verdict;
pub use library::{Config, Error, Files, TreeReport, reduce, reduce_on, reduce_tree};
pub use lop_parser::install_allocator;
pub use lop_reduce::{Event, EventSink, Options, ReduceError, Report, Silent, reduce_with};

/// ```
/// use lop::reduce::{Facts, Proposals, Stage, View};
/// use lop::syntax::Edit;
/// use lop::{Config, Pass};
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
