//! What was typed after `lop verify`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::invocation_args::FilesArgs;
use super::values::{Jobs, MinimalArg, jobs};

/// Shown above the options.
pub(super) const USAGE: &str = "lop verify [OPTIONS] RESULT";

/// Shown below the options.
pub(super) const HELP: &str = "\
A reduction leaves a certificate in RESULT.lop: how the result was tested, and which deletions show that it is 1-minimal.
The same test, in the same directory and with the same conditions, is asked about the result and then about each of
these deletions. RESULT itself is left alone.

Exit codes:
  0 all hold   1 some do not, or the result is not interesting   2 could not start, or RESULT has changed since
  3 stopped early   6 the test could not be run";

/// The arguments of a verification.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The file that a reduction has written
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// The certificate [default: RESULT.lop/certificate]
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Ask only about what is as large as this [default: everything in the certificate]
    #[arg(long, value_name = "LEVEL", value_parser = level())]
    pub level: Option<MinimalArg>,
    /// Write the smallest of the texts that turned out to be interesting to this file
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Run the command in a stranger's certificate
    ///
    /// Without this lop shows the command of a certificate that your own lop has not written, and asks.
    #[arg(short = 'y', long)]
    pub yes: bool,
    /// Tests at the same time [default, and with `auto`: one per core]
    #[arg(short, long, value_name = "N|auto", value_parser = jobs)]
    pub jobs: Option<Jobs>,
    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
}

/// A level that says something: nothing is claimed at none.
fn level() -> impl TypedValueParser<Value = MinimalArg> {
    let levels = MinimalArg::value_variants().iter().filter(|level| **level != MinimalArg::None);
    let names = levels.filter_map(MinimalArg::to_possible_value).collect::<Vec<_>>();
    PossibleValuesParser::new(names).map(|name| MinimalArg::from_str(&name, false).expect("it is a possible value"))
}
