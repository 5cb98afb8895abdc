//! The integration tests, as one binary: linking once is cheaper than linking per file.

mod algorithms;
mod cli;
mod exec;
mod fixtures;
mod model;
mod reduce;
mod safety;
mod support;
mod tidy;
