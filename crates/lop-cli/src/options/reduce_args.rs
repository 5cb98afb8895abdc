//! `--reduce-args`: the words of the command as part of the test case.

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--reduce-args`.
#[derive(Debug, Args)]
pub struct ReduceArgsOption {
    /// Also reduce the arguments of CMD
    ///
    /// lop tries to remove each argument and prints the shortest command line at the end. Without FILE, it reduces only the
    /// command: `lop --reduce-args -- CMD ARGS`
    #[arg(long, help_heading = SEARCH, add = SetBy::CommandLine("it is about the command of one run"))]
    pub reduce_args: bool,
}

impl ReduceOption for ReduceArgsOption {
    const VERIFIED: bool = true;
}
