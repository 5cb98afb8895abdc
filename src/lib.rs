//! lop, a test-case reducer: hand it a text that triggers a bug and a test that recognises the bug,
//! and it hands back a much smaller text that still does.
//!
//! The program is a thin layer over this library. [`reduce()`] does the work; it is given an
//! [`Executor`](exec::Executor), which runs the test, and an [`EventSink`], which is told what
//! happens.
//!
//! ```
//! use std::path::Path;
//!
//! use lop::engine::Verdict;
//! use lop::exec::Inline;
//! use lop::grammar::Registry;
//! use lop::oracle::Cancel;
//! use lop::{Options, Silent, reduce};
//!
//! let input = br#"{"users": [{"name": "Ada"}, {"name": "\u12"}, {"name": "Bob"}]}"#;
//! let registry = Registry::embedded()?;
//! let (grammar, _) = registry.choose("auto", Path::new("payload.json"), input)?;
//!
//! // The interestingness test: here a function, for the program a command.
//! let mut test = Inline::new(|candidate: &[u8]| {
//!     let broken = candidate.windows(4).any(|w| w == br"\u12");
//!     if broken { Verdict::Interesting } else { Verdict::NotInteresting }
//! });
//!
//! let report = reduce(input, grammar, &mut test, &Options::default(), &mut Silent, &Cancel::new())?;
//! assert_eq!(report.best, br#""\u12""#);
//! assert!(report.tests.total() < 30);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rooms of the house, from the lowest: [`engine`] decides which units to try to remove next and
//! knows nothing but numbers; [`syntax`] has the text as a tree; [`grammar`] says what a language
//! allows; [`oracle`] is the interestingness test; [`passes`] propose edits; [`exec`] runs tests;
//! [`mod@reduce`] drives; [`compare`] holds algorithms
//! against each other; [`doctor`] says whether a test can be relied on;
//! [`journal`] remembers on disk; [`report`] tells people, machines and files; [`cli`] is the command line.

pub mod cli;
pub mod compare;
pub mod doctor;
pub mod engine;
pub mod exec;
pub mod grammar;
pub mod journal;
pub mod oracle;
pub mod passes;
pub mod reduce;
pub mod report;
pub mod syntax;

pub use reduce::{EventSink, Options, ReduceError, Report, Silent, reduce};
