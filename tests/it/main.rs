//! The integration tests, as one binary: linking once is cheaper than linking per file.

mod algorithms;
mod choices;
mod cli;
mod compare;
mod exec;
mod fixtures;
mod gate;
mod grammars;
mod journal;
mod kept;
mod malformed;
mod model;
mod quality;
mod reduce;
mod safety;
mod scanner;
mod support;
mod tidy;
mod tolerant;
