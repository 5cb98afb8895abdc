//! The command line of `lop triage`.

use std::path::PathBuf;

use clap::Args;

use super::many_args::FolderArgs;

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
    /// The directory and the command.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Where the groups go [default: DIR with `.triage` added]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Only crashes count; a file on which CMD fails otherwise passes
    #[arg(long)]
    pub crash: bool,
    /// Reduce less and end sooner
    #[arg(long)]
    pub fast: bool,
}
