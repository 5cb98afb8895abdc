//! The typed options about journals: the options of a run, and the commands that go on with one or show it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, value_parser};

#[cfg(feature = "remote")]
use super::remote_args::RemoteArgs;
use super::set_by::SetBy;
use super::values::{seconds, workers};

const STATE: &str = "Journal";

/// Where a reduction remembers.
#[derive(Debug, Args)]
pub struct StateArgs {
    /// Keep the journal of the run in this folder
    ///
    /// [default: the result's name with `.lop` added] `lop resume` goes on with it after an interruption
    #[arg(long, value_name = "DIR", help_heading = STATE, add = SetBy::CommandLine("it names the journal of one run"))]
    pub state: Option<PathBuf>,
    /// Keep no journal
    #[arg(long, conflicts_with = "state", help_heading = STATE)]
    pub no_state: bool,
    /// Share outcomes with other runs of the same test
    ///
    /// They are kept in this folder. Timeouts are not shared
    #[arg(long, value_name = "DIR", help_heading = STATE)]
    pub cache: Option<PathBuf>,
}

/// `lop resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The folder of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Tests at the same time [default: as many as before]; only with 1, before and now, the result is exactly that of an
    /// uninterrupted run
    #[arg(short, long, value_name = "N", value_parser = workers)]
    pub jobs: Option<usize>,
    /// The other machine.
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub remote: RemoteArgs,
    /// Stop after this many tests, those before the interruption included [default: as before; none if it was reached]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub max_tests: Option<u64>,
    /// Stop after this time, that before the interruption included [default: as before; none if it was reached]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Run the command in a stranger's journal
    ///
    /// Without this lop shows the command of a journal that your own lop has not written, and does not run it.
    #[arg(short = 'y', long)]
    pub yes: bool,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: -v for every pass, -vv for every test
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// `lop replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The folder of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `lop history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// The folder of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Write the best result of this number instead of the list; 0 is the input
    #[arg(long, value_name = "N")]
    pub at: Option<usize>,
    /// Write it here instead of to standard output
    #[arg(short, long, value_name = "OUT", requires = "at")]
    pub output: Option<PathBuf>,
}
