//! The commands of lop.

pub mod completions;
pub mod config;
pub mod corpus;
pub mod doctor;
pub mod grammars;
pub mod history;
pub mod isolate;
pub mod man;
pub mod passes;
mod post_run_reports;
pub mod propose;
pub mod reduce;
pub mod replay;
pub mod resume;
pub mod triage;
pub mod verify;
