//! The command line of `lop verify`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::condition_args::ConditionArgs;
use super::confine_args::ConfineArgs;
use super::files_args::FilesArgs;
use super::grammar_args::GrammarArgs;
use super::options::Flaky;
use super::signature_args::SignatureArgs;
use super::values::{MinimalArg, jobs, seconds};
use lop_run::exec::Jobs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop verify [OPTIONS] RESULT
       lop verify [OPTIONS] TEST RESULT
       lop verify [OPTIONS] RESULT -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
lop runs the test on RESULT, and on RESULT without each single unit, token or character. It doesn't change RESULT. Without
a test, lop uses the one in the journal RESULT.lop with its options and directory, if your own lop wrote that journal.

Exit codes:
  0 RESULT is minimal   1 RESULT is not minimal, or not interesting   2 bad usage
  3 stopped early   6 the test could not run";

/// The arguments of a verification.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// RESULT alone, TEST RESULT, or RESULT with the test's command after `--`
    #[arg(value_name = "TEST RESULT | RESULT", num_args = 0.., hide_default_value = true)]
    pub words: Vec<PathBuf>,

    /// The test as a command
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true)]
    pub test: Vec<OsString>,

    /// Size of the deletions to try [default: that of the reduction, or token]
    #[arg(long, value_name = "LEVEL", value_parser = level())]
    pub minimal: Option<MinimalArg>,
    /// Write a smaller text to this file, if there is one
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Tests at the same time [default, and with `auto`: one per core]
    #[arg(short, long, value_name = "N|auto", value_parser = jobs)]
    pub jobs: Option<Jobs>,
    /// Time limit of one test [default: 5 times the first run, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Conditions on a run that is interesting.
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// Signature of the failure, without a test script.
    #[command(flatten)]
    pub signature: SignatureArgs,
    /// Whether the failure shows only sometimes, which the journal knows.
    #[command(flatten)]
    pub flaky: Flaky,
    /// The language of RESULT.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// How much of the machine a test gets.
    #[command(flatten)]
    pub confine: ConfineArgs,
    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
}

/// A level that says something: at none nothing is asked about.
fn level() -> impl TypedValueParser<Value = MinimalArg> {
    let levels = MinimalArg::value_variants().iter().filter(|level| **level != MinimalArg::None);
    let names = levels.filter_map(MinimalArg::to_possible_value).collect::<Vec<_>>();
    PossibleValuesParser::new(names).map(|name| MinimalArg::from_str(&name, false).expect("it is a possible value"))
}
