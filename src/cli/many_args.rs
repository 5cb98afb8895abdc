//! The arguments that all commands on several test cases have.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::confine_args::ConfineArgs;
use super::files_args::FilesArgs;

/// How a command is run on test cases, and where is said what came of it.
#[derive(Debug, Args)]
pub struct ManyArgs {
    /// The test as a command, with `@@` in the place of the candidate's path
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true)]
    pub test: Vec<OsString>,
    /// Write what was found as lines of JSON
    ///
    /// To a file, or to standard output (`-`) in the place of everything else there
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// How much of the machine a run gets.
    #[command(flatten)]
    pub confine: ConfineArgs,
    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
}
