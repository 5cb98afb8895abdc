//! `--output` and `--diff`: the place of the result.

use std::path::PathBuf;

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RESULT;

/// The place of the result, and the diff.
#[derive(Debug, Args)]
pub struct ResultArgs {
    /// Write the result to OUT and leave FILE alone
    ///
    /// `-` is standard output. Without this option the result replaces FILE, and the original is kept as FILE.orig. An
    /// existing FILE.orig is never overwritten
    #[arg(short, long, value_name = "OUT", help_heading = RESULT,
          add = SetBy::CommandLine("it names the result of one run"))]
    pub output: Option<PathBuf>,
    /// Print what was removed, as a unified diff
    ///
    /// Invisible characters are escaped. With --explain and --format-issue, each text gets a heading
    #[arg(long, help_heading = RESULT)]
    pub diff: bool,
}

impl ReduceOption for ResultArgs {}
