//! lop, a test-case reducer: hand it a text that triggers a bug and a test that recognises the bug,
//! and it hands back a much smaller text that still does.
//!
//! ```
//! let input = b"int a; int f(int x) { return x; } int main() { long double b = f(a); return b; }";
//! let interesting = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("double");
//!
//! let report = lop::reduce(input, interesting, &lop::Config::new().file_name("bug.c"))?;
//! assert!(report.best.len() < 20, "{}", String::from_utf8_lossy(&report.best));
//! # Ok::<(), lop::Error>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | reduce with a closure as the test | [`reduce()`], [`Config`] |
//! | be told what happens | [`Config::on_event`], [`Event`] |
//! | run tests elsewhere: commands, other machines | [`reduce_on`], [`exec`] |
//! | add edits that only you know of | [`CustomPass`] |
//! | say everything: keep results on disk, resume | [`reduce_with`], [`journal`], [`report::store`] |
//!
//! The program is a thin layer over this library.
//!
//! The rooms of the house, from the lowest: [`engine`] decides which units to try to remove next and
//! knows nothing but numbers; [`syntax`] has the text as a tree; [`grammar`] says what a language
//! allows; [`oracle`] is the interestingness test; [`passes`] propose edits; [`exec`] runs tests;
//! [`mod@reduce`] drives; [`library`] is the front door for programs; [`compare`] holds algorithms
//! against each other; [`doctor`] says whether a test can be relied on;
//! [`journal`] remembers on disk; [`report`] tells people, machines and files; [`cli`] is the command line.

pub mod cli;
pub mod compare;
pub mod doctor;
pub mod engine;
pub mod exec;
pub mod grammar;
pub mod journal;
pub mod library;
pub mod oracle;
pub mod passes;
pub mod reduce;
pub mod report;
pub mod syntax;

pub use engine::Verdict;
pub use library::{Config, Error, reduce, reduce_on};
pub use reduce::{CustomPass, Event, EventSink, Options, ReduceError, Report, Silent, reduce_with};
