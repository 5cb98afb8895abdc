//! What was typed after `lop compare`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use lop_lab::compare::{self, Direction};

use crate::lab::Granularity;

use super::condition_args::ConditionArgs;
use super::values::{at_least_one, seconds};

/// Shown above the options.
pub(super) const USAGE: &str = "lop compare [OPTIONS] [PROBLEM]...
       lop compare [OPTIONS] --grammar NAME [--kind KIND]...
       lop compare [OPTIONS] --granularity UNIT TEST FILE
       lop compare [OPTIONS] --granularity UNIT FILE -- CMD [ARGS]...";

/// Shown below the options: the problems, the algorithms, how to read the tables, and examples.
pub(super) fn help() -> String {
    let problems: String = compare::NAMES.iter().map(|(name, what)| format!("  {name:<15} {what}\n")).collect();
    let algorithms = compare::usual_algorithms().join(", ");
    format!(
        "\
Problems (default: zeller cells):
{problems}
Algorithms (default: all): {algorithms}.
  entropy is what lop does, to 1-minimality; entropy-simplify stops before it asks again about what it kept.
  entropy-one-lane and entropy-lanes never or always cut the units into lanes for several workers (-k);
  they take part only when they are named.
  lop's own go from the last unit to the first, the others as their sources do: --order makes all go one way.

Reading the tables:
  tests    distinct candidates that were judged, the mean over the trials and its standard error (±)
  left     units that are left
  k=4      rounds in which at most 4 candidates are judged at once (with -k 4)
  bound    no algorithm needs fewer tests on average, if the test is monotone and the parameters of the source
           are known; where there are none, lop's own ideal code length takes their place
  optimum  what the best sweep needs that knows the parameters: on the instances drawn, which the ratios
           are to, and (expected) on average over all that there are

Examples:
  lop compare
      Zeller's inputs and the 23 sources, 20 trials, all algorithms
  lop compare cells --trials 100 --algorithm entropy,ddmin --csv cells.csv
      two of them, with figures for a spreadsheet
  lop compare markov:0.99/0.99 --sizes 100,1000,10000 --plot growth.svg
      how the tests grow with the size of the input
  lop compare markov:0.9/0.95 -k 1,4,16 --algorithm entropy
      what several workers save
  lop compare defs-first:500 -k 4,16,64 --algorithm entropy,entropy-one-lane,entropy-lanes
      whether what lop chooses for several workers is near the better of the two
  lop compare --granularity line ./test.sh crash.txt
      a file of yours with its test, cut into lines"
    )
}

/// The arguments of a comparison.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Problems by name (see below); or, with --granularity, TEST FILE as for a reduction
    #[arg(value_name = "PROBLEM")]
    pub words: Vec<PathBuf>,

    /// The test as a command, after FILE
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true)]
    pub test: Vec<OsString>,

    /// Run this algorithm (repeatable, or several with commas) [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = WHAT)]
    pub algorithm: Vec<String>,
    /// Draw N instances of each problem [default: 20, or 1 for a file]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = WHAT)]
    pub trials: Option<usize>,
    /// Sizes in units, for problems that can be of any size [default: 500; 200 for generated documents]
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = at_least_one, help_heading = WHAT)]
    pub sizes: Vec<usize>,
    /// Numbers of workers to count rounds for [default: 1; 1,4,16,64 when no problem is named]
    #[arg(short = 'k', long, value_name = "K,K...", value_delimiter = ',', value_parser = at_least_one,
          help_heading = WHAT)]
    pub workers: Vec<usize>,
    /// Direction of all algorithms through a list [default: backward for lop's own, forward for the others]
    #[arg(long, value_name = "WAY", help_heading = WHAT)]
    pub order: Option<WayArg>,
    /// Where all chance comes from: the same seed, the same tables
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = WHAT)]
    pub seed: u64,

    /// Without a file: generate random documents of this language, and look for kinds of nodes in them.
    /// With a file: its language, or the path of a parser, whose code is run [default: auto]
    #[arg(long, value_name = "NAME|PATH", help_heading = TEXTS)]
    pub grammar: Option<String>,
    /// A kind of node that has to stay in a generated document, up to three
    /// [default: one to three at random]
    #[arg(long, value_name = "KIND", value_delimiter = ',', help_heading = TEXTS)]
    pub kind: Vec<String>,
    /// What a document or a file is cut into [default: token]; `tree` is a whole reduction of a file
    #[arg(long, value_name = "UNIT", help_heading = TEXTS)]
    pub granularity: Option<GranularityArg>,
    /// Deadline of one test of a file [default: 5 times the run on the file itself, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = TEXTS)]
    pub timeout: Option<Duration>,
    /// Put this beside the candidate in each test of a file, as for a reduction (repeatable)
    #[arg(long, value_name = "PATH", help_heading = TEXTS)]
    pub with: Vec<PathBuf>,

    /// What is interesting in a file.
    #[command(flatten)]
    pub conditions: ConditionArgs,

    /// Write the figures as comma-separated values; `-` is standard output, instead of the tables
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub csv: Option<PathBuf>,
    /// Draw the tests as an SVG; problems at several sizes become curves
    #[arg(long, value_name = "FILE.svg", help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

const WHAT: &str = "What to compare";
const TEXTS: &str = "Documents and files";
const RESULTS: &str = "Results";

/// `--order` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WayArg {
    /// Last to first
    Backward,
    /// First to last
    Forward,
}

/// `--granularity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GranularityArg {
    /// Lines
    Line,
    /// Tokens; words where there is no grammar
    Token,
    /// Characters
    Char,
    /// The syntax tree
    Tree,
}

impl From<WayArg> for Direction {
    fn from(arg: WayArg) -> Self {
        match arg {
            WayArg::Backward => Direction::Backward,
            WayArg::Forward => Direction::Forward,
        }
    }
}

impl From<GranularityArg> for Granularity {
    fn from(arg: GranularityArg) -> Self {
        match arg {
            GranularityArg::Line => Granularity::Line,
            GranularityArg::Token => Granularity::Token,
            GranularityArg::Char => Granularity::Char,
            GranularityArg::Tree => Granularity::Tree,
        }
    }
}
