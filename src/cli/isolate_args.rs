//! The command line of `lop isolate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::condition_args::ConditionArgs;
use super::grammar_args::GrammarArgs;
use super::many_args::ManyArgs;
use super::values::seconds;

/// Shown above the options.
pub(super) const USAGE: &str = "lop isolate [OPTIONS] PASS FAIL -- CMD [ARGS]...
       lop isolate [OPTIONS] TEST PASS FAIL
       lop isolate [OPTIONS] --patch FIX.diff DIR -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
PASS and FAIL are files, or directories. The result is two texts, of which one still passes and the other fails, and whose
difference is 1-minimal; it is shown as a diff on standard output. Without a condition the most telling sign of CMD's run
on FAIL is used that its run on PASS does not show. Passing means to end as on PASS; a run that does neither says nothing,
and a candidate with new syntax errors is not run.

Exit codes:
  0 isolated   1 PASS fails, or FAIL passes   2 could not start   3 stopped early, with the nearest texts so far
  4 the test answers differently on the same text   6 something went wrong on the way";

/// The arguments of an isolation.
#[derive(Debug, Args)]
pub struct IsolateArgs {
    /// PASS FAIL with the test's command after `--`, or TEST PASS FAIL; with --patch one file or directory
    #[arg(value_name = "PASS FAIL", num_args = 0.., hide_default_value = true)]
    pub words: Vec<PathBuf>,
    /// The changes between DIR and the other directory, which need not be there
    ///
    /// As `git diff` and `diff -ru` write them. DIR may have them or be without them; which of the two fails is found
    /// out. Paths in it may begin with folders that DIR is in
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Make this folder for the two texts [default: FAIL with `.isolated` added]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Deadline of one run [default: 5 times the slower of the first two, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Conditions on a run that fails.
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// The language of both files.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// How the command is run.
    #[command(flatten)]
    pub many: ManyArgs,
}
