//! The integration tests, as one binary: linking once is cheaper than linking per file.

mod algorithms;
mod choices;
mod cli;
mod compare;
mod confine;
mod contract;
mod doctor;
mod ends;
mod exec;
mod fixtures;
mod flaky;
mod gate;
mod grammars;
mod kept;
mod malformed;
mod model;
mod quality;
mod reduce;
mod safety;
mod scanner;
mod slippage;
mod support;
mod tidy;
mod tolerant;
mod verify;
