//! The command line of `lop corpus`.

use std::path::PathBuf;

use clap::Args;

use super::many_args::FolderArgs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop corpus [OPTIONS] DIR -o OUT -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
CMD writes what a file does on standard output, a line for each behaviour: edges of a coverage tool, rules of a parser, the
output itself. OUT gets few and small files of DIR that together do everything, under their names. Each is run once, and
those that were chosen once more. With --reduce each file then becomes as small as it can be while all of them together
still do everything.

Exit codes:
  0 done   2 could not start   3 stopped early   4 a file did not do the same twice   6 something went wrong on the way";

/// The arguments of a corpus.
#[derive(Debug, Args)]
pub struct CorpusArgs {
    /// The directory and the command.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Where the chosen files go; there must be nothing in it yet
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Make each file small, too, while it does what it is there for
    #[arg(long)]
    pub reduce: bool,
}
