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

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod corpus;
pub mod doctor;
pub mod exec;
#[cfg(feature = "cli")]
pub mod isolate;
#[cfg(feature = "cli")]
pub mod journal;
pub mod library;
pub mod oracle;
pub mod passes;
pub mod reduce;
#[cfg(feature = "cli")]
pub mod report;

pub use lop_engine as engine;
pub use lop_files::{disk, project};
pub use lop_grammar as grammar;
pub use lop_syntax as syntax;

pub use engine::Verdict;
pub use library::{Config, Error, Files, TreeReport, reduce, reduce_on, reduce_tree};
pub use lop_parser::install_allocator;
pub use reduce::{Event, EventSink, Options, Pass, ReduceError, Report, Silent, reduce_with};
