//! The command line of `lop triage`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::grammar_args::GrammarArgs;
use super::many_args::ManyArgs;
use super::values::{jobs, seconds};
use crate::exec::Jobs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop triage [OPTIONS] DIR -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
CMD runs on every file in DIR, twice where it fails. Failures with one signature are one group, and the smallest file of
each group is reduced to a small one that shows the same signature and that of no other group. OUT gets a folder for each
group with input, reduced, signature (what to write behind `lop FILE`), stderr and issue.md, and index.html over all. The
same command line goes on where a run was stopped or killed, and takes new files in.

Exit codes:
  0 done   2 could not start   3 stopped early   6 something went wrong on the way";

/// The arguments of a triage.
#[derive(Debug, Args)]
pub struct TriageArgs {
    /// The directory with the files, and folders of them
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where the groups go [default: DIR with `.triage` added]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Only crashes count; a file on which CMD fails otherwise passes
    #[arg(long)]
    pub crash: bool,
    /// Reduce less and end sooner
    #[arg(long)]
    pub fast: bool,
    /// Runs at the same time, in all [default, and with `auto`: one per core]
    #[arg(short, long, value_name = "N|auto", value_parser = jobs)]
    pub jobs: Option<Jobs>,
    /// Deadline of one run [default: 10]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The language of all files.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// How the command is run.
    #[command(flatten)]
    pub many: ManyArgs,
}
