//! The command line of `lop triage`.

use std::path::PathBuf;

use clap::Args;

use super::flaky_args::FlakyArgs;
use super::many_args::FolderArgs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop triage [OPTIONS] DIR -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
lop runs CMD on every file in DIR, twice if it fails, groups equal failures, and reduces the smallest file of each group.
The result shows the failure of its group and of no other. OUT has a directory for each group with input, reduced,
signature (the options for `lop FILE`), stderr and issue.md, and an index.html. Run the same command again to continue
after an interruption, or to add new files.

Exit codes:
  0 done   2 bad usage   3 stopped early   6 runtime error";

/// The arguments of a triage.
#[derive(Debug, Args)]
pub struct TriageArgs {
    /// The directory and the command.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Directory for the groups [default: DIR with `.triage` added]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Whether failures show only sometimes.
    #[command(flatten)]
    pub flaky: FlakyArgs,
    /// Count only crashes; other failures pass
    #[arg(long)]
    pub crash: bool,
    /// Stop each reduction early; the results may not be minimal
    #[arg(long)]
    pub fast: bool,
}
