//! The arguments that commands on several test cases share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::confine_args::ConfineArgs;
use super::files_args::FilesArgs;
use super::grammar_args::GrammarArgs;
use super::values::{jobs, seconds};
use lop_run::exec::Jobs;

/// A directory of files, and a command to run on each of them.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// The directory with the files. Subdirectories count, too
    #[arg(id = "folder", value_name = "DIR")]
    pub path: PathBuf,
    /// Runs at the same time [default, and with `auto`: one per core]
    #[arg(short, long, value_name = "N|auto", value_parser = jobs)]
    pub jobs: Option<Jobs>,
    /// Time limit of one run [default: 10]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The language of all files.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// How the command is run.
    #[command(flatten)]
    pub many: ManyArgs,
}

/// A command to run on test cases, and the output for programs.
#[derive(Debug, Args)]
pub struct ManyArgs {
    /// The test as a command, with `@@` for the path of the candidate
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true)]
    pub test: Vec<OsString>,
    /// Write the findings as lines of JSON
    ///
    /// FILE may be `-` for standard output, which then has nothing else
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// How much of the machine a run gets.
    #[command(flatten)]
    pub confine: ConfineArgs,
    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
}
