//! The typed options about journals: the options of a run, and the commands that continue a run or show it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, value_parser};

use super::reduce_option::ReduceOption;
#[cfg(feature = "remote")]
use super::remote_args::RemoteArgs;
use super::set_by::SetBy;
use super::values::{seconds, workers};

const STATE: &str = "Journal";

/// Where a reduction remembers.
#[derive(Debug, Args)]
pub struct StateArgs {
    /// Directory for the journal of the run
    ///
    /// [default: the result's name with `.lop` added] `lop resume` continues from it after an interruption
    #[arg(long, value_name = "DIR", help_heading = STATE, add = SetBy::CommandLine("it names the journal of one run"))]
    pub state: Option<PathBuf>,
    /// Write no journal
    #[arg(long, conflicts_with = "state", help_heading = STATE)]
    pub no_state: bool,
    /// Share outcomes with other runs of the same test
    ///
    /// DIR holds the outcomes. Timeouts are not shared
    #[arg(long, value_name = "DIR", help_heading = STATE)]
    pub cache: Option<PathBuf>,
}

impl ReduceOption for StateArgs {}

/// `lop resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The directory of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Tests at the same time [default: as before]. With 1 both times, the result is exactly that of an uninterrupted run
    #[arg(short, long, value_name = "N", value_parser = workers)]
    pub jobs: Option<usize>,
    /// The other machine.
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub remote: RemoteArgs,
    /// Stop after N tests, including those before the interruption [default: as before; none if it was reached]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub max_tests: Option<u64>,
    /// Stop after SECS, including the time before the interruption [default: as before; none if it was reached]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Run the command of a journal that your own lop did not write
    ///
    /// Without this, lop only shows the command of such a journal
    #[arg(short = 'y', long)]
    pub yes: bool,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print each pass; -vv also each test
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// `lop replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The directory of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `lop history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// The directory of the run (the result's name with `.lop` added), or a journal in it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Write the result with this number instead of the list; 0 is the input
    #[arg(long, value_name = "N")]
    pub at: Option<usize>,
    /// Write it to OUT instead of standard output
    #[arg(short, long, value_name = "OUT", requires = "at")]
    pub output: Option<PathBuf>,
}
