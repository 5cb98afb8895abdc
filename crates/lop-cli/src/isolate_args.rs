//! The command line of `lop isolate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::condition_args::ConditionArgs;
use super::flaky_args::FlakyArgs;
use super::grammar_args::GrammarArgs;
use super::many_args::ManyArgs;
use super::values::seconds;

/// Shown above the options.
pub(super) const USAGE: &str = "lop isolate [OPTIONS] PASS FAIL -- CMD [ARGS]...
       lop isolate [OPTIONS] TEST PASS FAIL
       lop isolate [OPTIONS] --patch FIX.diff DIR -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
PASS and FAIL are files or directories. lop brings them as close together as it can: one still passes, the other still
fails, and their difference is 1-minimal. It prints the difference as a diff. Without a condition, lop chooses the part of
the failure on FAIL that best identifies it and that the run on PASS lacks. A candidate passes if it ends like PASS. lop
doesn't run candidates with new syntax errors.

Exit codes:
  0 isolated   1 PASS fails, or FAIL passes   2 bad usage   3 stopped early, with the closest texts so far
  4 flaky test   6 runtime error";

/// The arguments of an isolation.
#[derive(Debug, Args)]
pub struct IsolateArgs {
    /// PASS FAIL with the test's command after `--`, or TEST PASS FAIL. With --patch, one file or directory
    #[arg(value_name = "PASS FAIL", num_args = 0.., hide_default_value = true)]
    pub words: Vec<PathBuf>,
    /// Find the change within this patch to DIR
    ///
    /// A patch from `git diff` or `diff -ru`. DIR may be the state with the patch or without it; lop finds out which of the
    /// two fails. Paths in the patch may begin with the directories above DIR
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Directory for the two texts [default: FAIL with `.isolated` added]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Time limit of one run [default: 5 times the slower of the first two, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Whether the failure shows only sometimes.
    #[command(flatten)]
    pub flaky: FlakyArgs,
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
