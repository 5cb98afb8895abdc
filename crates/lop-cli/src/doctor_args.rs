//! The arguments of `lop doctor`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::condition_args::ConditionArgs;
use super::confine_args::ConfineArgs;
use super::files_args::FilesArgs;
use super::grammar_args::GrammarArgs;
use super::options::{ServerOption, ServiceOption};
use super::signature_args::SignatureArgs;
use super::values::{jobs, seconds};
use lop_run::exec::Jobs;

/// Shown above the options.
pub(super) const USAGE: &str = "lop doctor [OPTIONS] TEST FILE
       lop doctor [OPTIONS] FILE -- CMD [ARGS]...";

/// Shown below the options.
pub(super) const HELP: &str = "\
lop doctor takes the same arguments as a reduction. It runs the test about 15 times: on FILE, in another directory,
several at the same time, on the empty file and on trivial files. It then prints what it found and how to fix it. FILE
stays as it is. Without a condition, it first shows the failure that a reduction would keep.

Levels:
  ok       as it should be
  note     good to know; nothing to do
  warning  the reduction may be slow or end on another bug
  fault    the reduction would not start, or its result would be useless

Exit codes:
  0 no fault   1 a fault   2 bad usage   3 stopped early";

/// The arguments of an examination.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// TEST FILE, or FILE alone with the test's command after `--`, as for a reduction
    #[arg(value_name = "TEST FILE | FILE", num_args = 0.., hide_default_value = true)]
    pub words: Vec<PathBuf>,

    /// The test as a command
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true)]
    pub test: Vec<OsString>,

    /// Conditions on a run that is interesting.
    #[command(flatten)]
    pub conditions: ConditionArgs,

    /// Signature of the failure, without a test script.
    #[command(flatten)]
    pub signature: SignatureArgs,

    /// A test that stays up.
    #[command(flatten)]
    pub server: ServerOption,
    /// A service that runs during the tests.
    #[command(flatten)]
    pub service: ServiceOption,
    /// Tests at the same time [default, and with `auto`: one per core]
    #[arg(short, long, value_name = "N|auto", value_parser = jobs, help_heading = RUNNING)]
    pub jobs: Option<Jobs>,
    /// Time limit of one test [default: 5 times the first run, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING)]
    pub timeout: Option<Duration>,

    /// The language of FILE: a test that says yes to an empty file of it looks for nothing.
    #[command(flatten)]
    pub grammar: GrammarArgs,

    /// The confinement of a test.
    #[command(flatten)]
    pub confine: ConfineArgs,

    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
}

const RUNNING: &str = "Running tests";
