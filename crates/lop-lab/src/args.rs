//! The command line of the lab.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use lop_lab::algorithms::published::{PublishedConfig, Trees};
use lop_lab::compare::{self, Direction};
use lop_lab::files::Granularity;
use lop_lab::reduce::Method;

/// Published algorithms for test-case reduction, and lop beside them
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands of the lab.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run reduction algorithms on the same problems, and count their tests
    #[command(override_usage = USAGE, after_help = help())]
    Compare(CompareArgs),
    /// Reduce a file by a published algorithm
    Reduce(ReduceArgs),
}

/// The arguments of a reduction.
#[derive(Debug, Args)]
pub(crate) struct ReduceArgs {
    /// The algorithm
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Method::names()))]
    pub(crate) algorithm: String,
    /// The interestingness test: it gets the candidate's path, and says with exit code 0 that it is interesting
    pub(crate) test: PathBuf,
    /// The file; it is left alone
    pub(crate) file: PathBuf,
    /// Write the result here [default: FILE.reduced]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Candidates that are judged at the same time
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) jobs: usize,
    /// The file's language, or `text`
    #[arg(long, value_name = "NAME", default_value = lop_grammar::AUTO)]
    pub(crate) grammar: String,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Deadline of one test [default: 5 times the run on the file itself, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Those of one algorithm.
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
}

/// The hyperparameters of entropy debugging as published.
#[derive(Debug, Args)]
#[command(next_help_heading = "Entropy debugging as published")]
pub(crate) struct PublishedArgs {
    /// Units that are sampled first [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<usize>,
    /// Symbols get no longer where the chance that their units go is below this [default: 0.3]
    #[arg(long, value_name = "P")]
    pub(crate) threshold: Option<f64>,
    /// Units that a symbol may stand for [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) longest: Option<usize>,
    /// Trees over this number of symbols or fewer are optimal [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) optimal_up_to: Option<usize>,
    /// Larger trees ask what tells most, instead of joining the lightest neighbours
    #[arg(long)]
    pub(crate) information_gain: bool,
}

impl PublishedArgs {
    /// Whether none is given.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { samples, threshold, longest, optimal_up_to, information_gain } = self;
        samples.is_none() && threshold.is_none() && longest.is_none() && optimal_up_to.is_none() && !information_gain
    }

    /// The hyperparameters over those of `config`.
    pub(crate) fn over(&self, config: PublishedConfig) -> PublishedConfig {
        let mut config = config;
        config.samples = self.samples.unwrap_or(config.samples);
        config.threshold = self.threshold.unwrap_or(config.threshold);
        config.longest = self.longest.unwrap_or(config.longest);
        config.optimal_up_to = self.optimal_up_to.unwrap_or(config.optimal_up_to);
        if self.information_gain {
            config.trees = Trees::InformationGain;
        }
        config
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) | Err(_) => Err("it is a number from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it is a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "it is more than 0".to_owned())
}

/// Shown above the options.
const USAGE: &str = "lop-lab compare [OPTIONS] [PROBLEM]...
       lop-lab compare [OPTIONS] --grammar NAME [--kind KIND]...
       lop-lab compare [OPTIONS] --granularity UNIT TEST FILE
       lop-lab compare [OPTIONS] --granularity tree TEST FILE PASS";

/// Shown below the options: the problems, the algorithms, how to read the tables, and examples.
fn help() -> String {
    let problems: String = compare::NAMES.iter().map(|(name, what)| format!("  {name:<15} {what}\n")).collect();
    let algorithms = compare::usual_algorithms().join(", ");
    format!(
        "\
Problems (default: zeller cells):
{problems}
Algorithms (default: all): {algorithms}.
  entropy is what lop does, to 1-minimality; entropy-simplify stops before it asks again about what it kept.
  Only by name: entropy-bayes, entropy-cells and entropy-fixed have other models; isolate and dd find a difference.
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
  lop-lab compare
      Zeller's inputs and the 23 sources, 20 trials, all algorithms
  lop-lab compare cells --trials 100 --algorithm entropy,ddmin --csv cells.csv
      two of them, with figures for a spreadsheet
  lop-lab compare markov:0.99/0.99 --sizes 100,1000,10000 --plot growth.svg
      how the tests grow with the size of the input
  lop-lab compare markov:0.9/0.95 -k 1,4,16 --algorithm entropy
      what several workers save
  lop-lab compare --grammar json --granularity tree
      whole reductions of random documents along their trees, with one, two and three kinds of nodes needed
  lop-lab compare --granularity line ./test.sh crash.txt
      a file of yours with its test, cut into lines
  lop-lab compare --granularity tree ./test.sh fails.c passes.c
      the searches for the difference between a file that is interesting and one that is not"
    )
}

/// The arguments of a comparison.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Problems by name (see below); or, with --granularity, TEST FILE [PASS]
    #[arg(value_name = "PROBLEM")]
    pub(crate) words: Vec<PathBuf>,

    /// Run this algorithm (repeatable, or several with commas) [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = WHAT)]
    pub(crate) algorithm: Vec<String>,
    /// Draw N instances of each problem [default: 20, or 1 for a file]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = WHAT)]
    pub(crate) trials: Option<usize>,
    /// Sizes in units, for problems that can be of any size [default: 500; 200 for generated documents]
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = at_least_one, help_heading = WHAT)]
    pub(crate) sizes: Vec<usize>,
    /// Numbers of workers to count rounds for [default: 1; 1,4,16,64 when no problem is named]
    #[arg(short = 'k', long, value_name = "K,K...", value_delimiter = ',', value_parser = at_least_one,
          help_heading = WHAT)]
    pub(crate) workers: Vec<usize>,
    /// Direction of all algorithms through a list [default: backward for lop's own, forward for the others]
    #[arg(long, value_name = "WAY", help_heading = WHAT)]
    pub(crate) order: Option<WayArg>,
    /// Where all chance comes from: the same seed, the same tables
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = WHAT)]
    pub(crate) seed: u64,

    /// Without a file: generate random documents of this language, and look for kinds of nodes in them.
    /// With a file: its language [default: auto]
    #[arg(long, value_name = "NAME", help_heading = TEXTS)]
    pub(crate) grammar: Option<String>,
    /// A kind of node that has to stay in a generated document, up to three
    /// [default: one to three at random]
    #[arg(long, value_name = "KIND", value_delimiter = ',', help_heading = TEXTS)]
    pub(crate) kind: Vec<String>,
    /// Units of a document or a file [default: token]; `tree` is a whole reduction
    #[arg(long, value_name = "UNIT", help_heading = TEXTS)]
    pub(crate) granularity: Option<GranularityArg>,
    /// Deadline of one test of a file [default: 5 times the run on the file itself, at least 1 s]
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = TEXTS)]
    pub(crate) timeout: Option<Duration>,
    /// Write the figures as comma-separated values; `-` is standard output, instead of the tables
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub(crate) csv: Option<PathBuf>,
    /// Draw the tests as an SVG; problems at several sizes become curves
    #[arg(long, value_name = "FILE.svg", help_heading = RESULTS)]
    pub(crate) plot: Option<PathBuf>,
}

const WHAT: &str = "What to compare";
const TEXTS: &str = "Documents and files";
const RESULTS: &str = "Results";

/// `--order` of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    /// Last to first
    Backward,
    /// First to last
    Forward,
}

/// `--granularity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GranularityArg {
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
