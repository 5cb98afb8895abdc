//! The interestingness test ([`oracle`]), and the executors of candidates ([`exec`]).
//!
//! Internal to lop: no version of this crate promises anything.

pub mod exec;
pub mod oracle;

pub use lop_engine::Verdict;
