//! The interestingness test ([`oracle`]), and where candidates run ([`exec`]).
//!
//! Internal to lop: no version of this crate promises anything.

pub mod exec;
pub mod oracle;

pub use lop_engine::Verdict;
