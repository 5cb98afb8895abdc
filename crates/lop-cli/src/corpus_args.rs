//! The command line of `lop corpus`.

use std::path::PathBuf;

use clap::Args;

use super::many_args::FolderArgs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop corpus [OPTIONS] DIR -o OUT -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
CMD prints one line for each behaviour of a file: edges of a coverage tool, rules of a parser, or the output itself. lop
runs it on every file of DIR, and copies to OUT a small set of files that together print all lines. The chosen files run
once more. With --reduce, lop also reduces each chosen file, as long as together they still cover everything.

Exit codes:
  0 done   2 bad usage   3 stopped early   4 a file behaved differently the second time   6 runtime error";

/// The arguments of a corpus.
#[derive(Debug, Args)]
pub struct CorpusArgs {
    /// The directory and the command.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Directory for the chosen files. It must be empty or new
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Also reduce each chosen file
    #[arg(long)]
    pub reduce: bool,
}
