//! The words of a command line that are no options: the test case and its test.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::reduce_option::ReduceOption;

const ARGUMENTS: &str = "Arguments";

/// The test case and the test.
#[derive(Debug, Args)]
pub struct Given {
    /// FILE is the file to reduce. It may be `-` for standard input, a directory, or several files, which are reduced
    /// together. TEST is an executable that exits with 0 if the candidate is interesting. Without TEST, write the test's
    /// command after `--`
    #[arg(value_name = "TEST FILE... | FILE...", num_args = 0.., hide_default_value = true, help_heading = ARGUMENTS)]
    pub words: Vec<PathBuf>,
    /// The test as a command. `@@` is the path of the candidate, `@@.EXT` the path of a copy that ends in .EXT, and `@@2`
    /// the path of the second of several files. Without any of these, the candidate is on standard input and in the
    /// working directory
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true, help_heading = ARGUMENTS)]
    pub test: Vec<OsString>,
}

impl ReduceOption for Given {
    const VERIFIED: bool = true;
}
