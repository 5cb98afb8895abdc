//! lop, a test-case reducer: hand it a text that triggers a bug and a test that recognises the bug,
//! and it hands back the smallest text that still does.

pub mod cli;
pub mod engine;
pub mod exec;
pub mod grammar;
pub mod oracle;
pub mod passes;
pub mod reduce;
pub mod report;
pub mod syntax;
