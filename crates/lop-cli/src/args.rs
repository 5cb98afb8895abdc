//! The command line as clap parses it, before anything is checked. [`Settings`](super::settings::Settings) interprets
//! it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};

use lop_engine::{Config, Waste};
use lop_reduce::steps::{named, named_steps};

use super::condition_args::{CONDITIONS, ConditionArgs, exit_code};
use super::confine_args::ConfineArgs;
use super::corpus_args::{self, CorpusArgs};
use super::doctor_args::{self, DoctorArgs};
use super::files_args::FilesArgs;
use super::format_arg::{FormatArg, FormatParser};
use super::grammar_args::{self, GrammarArgs};
use super::info_args::{CompletionsArgs, GrammarsArgs, ManArgs};
use super::isolate_args::{self, IsolateArgs};
use super::report_args::ReportArgs;
use super::set_by::SetBy;
use super::signature_args::SignatureArgs;
use super::state_args::{HistoryArgs, ReplayArgs, ResumeArgs, StateArgs};
use super::triage_args::{self, TriageArgs};
use super::ui_args::UiArgs;
use super::values::{MinimalArg, SEARCH, jobs, seconds, spend};
use super::verify_args::{self, VerifyArgs};
use lop_run::exec::Jobs;

/// Shown above the options.
const USAGE: &str = "lop [OPTIONS] FILE... -- CMD [ARGS]...   keep the way CMD fails
       lop [OPTIONS] TEST FILE...               keep what makes TEST exit with 0
       lop COMMAND [ARGS]...";

/// The name of the command that shows options.
pub(super) const CONFIG: &str = "config";

/// How it is called.
const CONFIG_USAGE: &str = "lop config [OPTIONS] [TEST FILE | FILE -- CMD]";

/// Reduces a file that triggers a bug to the part that matters.
#[derive(Debug, Parser)]
#[command(
    name = "lop",
    version,
    about = "lop reduces a file that triggers a bug to the part that matters.",
    override_usage = USAGE,
    args_conflicts_with_subcommands = true,
    max_term_width = 110
)]
pub struct Cli {
    /// The subcommand, when the first word names one.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Everything else.
    #[command(flatten)]
    pub reduce: ReduceArgs,
}

/// The commands of lop other than reducing.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the languages, or show the syntax tree of a file
    #[command(after_help = grammar_args::names())]
    Grammars(GrammarsArgs),
    /// List the passes and what each does
    Passes,
    /// Continue an interrupted run
    #[command(max_term_width = 110)]
    Resume(ResumeArgs),
    /// Print the steps of a run again, without running its test
    Replay(ReplayArgs),
    /// List the results of a run, or restore one of them
    History(HistoryArgs),
    /// Check a test before you rely on it
    #[command(override_usage = doctor_args::USAGE, after_help = doctor_args::HELP, max_term_width = 110)]
    Doctor(Box<DoctorArgs>),
    /// Check that a result is minimal
    #[command(override_usage = verify_args::USAGE, after_help = verify_args::HELP, max_term_width = 110)]
    Verify(Box<VerifyArgs>),
    /// Find the change that makes one of two files fail
    #[command(override_usage = isolate_args::USAGE, after_help = isolate_args::HELP, max_term_width = 110)]
    Isolate(Box<IsolateArgs>),
    /// Minimise a fuzzing corpus
    #[command(override_usage = corpus_args::USAGE, after_help = corpus_args::HELP, max_term_width = 110)]
    Corpus(Box<CorpusArgs>),
    /// Group a directory of crashes, and reduce one of each group
    #[command(override_usage = triage_args::USAGE, after_help = triage_args::HELP, max_term_width = 110)]
    Triage(Box<TriageArgs>),
    /// Show the value of each option, and where it comes from
    #[command(override_usage = CONFIG_USAGE, max_term_width = 110)]
    Config(Box<ConfigArgs>),
    /// Write a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual page, or one for each command into a directory
    Man(ManArgs),
}

/// The arguments of a reduction.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    /// FILE is the file to reduce. It may be `-` for standard input, a directory, or several files, which are reduced
    /// together. TEST is an executable that exits with 0 if the candidate is interesting. Without TEST, write the test's
    /// command after `--`
    #[arg(value_name = "TEST FILE... | FILE...", num_args = 0.., hide_default_value = true, help_heading = ARGUMENTS)]
    pub words: Vec<PathBuf>,

    /// The test as a command. `@@` is the path of the candidate, `@@.EXT` the path of a copy that ends in .EXT, and `@@2`
    /// the path of the second of several files. Without any of these, the candidate is on standard input and in the
    /// working directory
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true, help_heading = ARGUMENTS)]
    pub test: Vec<OsString>,

    /// Conditions on a run that is interesting.
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// Save candidates with this exit code in FILE.lop/other
    ///
    /// They still count as not interesting (repeatable)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub also_interesting: Vec<i32>,

    /// Signature of the failure, without a test script.
    #[command(flatten)]
    pub signature: SignatureArgs,

    /// Write the result to OUT and leave FILE alone
    ///
    /// `-` is standard output. Without this option the result replaces FILE, and the original is kept as FILE.orig. An
    /// existing FILE.orig is never overwritten
    #[arg(short, long, value_name = "OUT", help_heading = "Result",
          add = SetBy::CommandLine("it names the result of one run"))]
    pub output: Option<PathBuf>,
    /// Print what was removed, as a unified diff
    ///
    /// Invisible characters are escaped. With --explain and --format-issue, each text gets a heading
    #[arg(long, help_heading = "Result")]
    pub diff: bool,
    /// Size of the pieces that lop tries to delete one by one at the end
    ///
    /// None of them can be removed from the result. lop doesn't try deletions that would add a syntax error, except in
    /// languages with dialects when fewer than 50 tokens are left [default: token, or char without a grammar]
    #[arg(long, value_name = "LEVEL", help_heading = "Result", add = SetBy::Project)]
    pub minimal: Option<MinimalArg>,
    /// Layout of the result, or the command of a formatter
    ///
    /// lop's own layouts work for languages that it knows. They also shorten names; `--skip rename` keeps the names. A
    /// command, such as 'clang-format' or 'prettier --stdin-filepath x.ts', reads the result on standard input or as `@@`
    /// and writes it to standard output, within `--timeout` or 60 s. lop uses the formatted text only if it is still
    /// interesting. If the formatter changes more than whitespace, the result may not be minimal
    #[arg(long, value_name = "HOW|CMD", default_value = "pretty", value_parser = FormatParser,
          help_heading = "Result", add = SetBy::Project)]
    pub format: FormatArg,

    /// Tests to run at once [default: one per core]
    ///
    /// With 1 and the same --seed, two runs are identical. `auto` starts with 1 and measures which number gives the most
    /// answers per second, up to two per core
    #[arg(short, long, value_name = "N|auto", value_parser = jobs, help_heading = RUNNING, add = SetBy::Project)]
    pub jobs: Option<Jobs>,
    /// Limit speculation: start at most N tests per needed test
    ///
    /// Idle workers start tests that will probably be needed. 1 turns this off, so that more workers wait; 1.3 is a good
    /// value if you pay for each test [default: as many as are likely enough to be needed]
    #[arg(long, value_name = "N", value_parser = spend, help_heading = RUNNING, add = SetBy::Project)]
    pub spend: Option<f64>,
    /// Time limit of one test [default: measured]
    ///
    /// The default is 5 times the slowest accepted run, and at least 1 s. The first run on FILE may take 300 s
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub timeout: Option<Duration>,
    /// Stop after N tests with the best result so far
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), help_heading = RUNNING,
          add = SetBy::Project)]
    pub max_tests: Option<u64>,
    /// Stop after SECS with the best result so far
    ///
    /// Tests that are running then are killed
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub max_time: Option<Duration>,
    /// Accept a test that answers differently on the same file
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub allow_flaky: bool,
    /// Accept a candidate only if N runs of the test agree
    ///
    /// [default: 1 until the test contradicts itself, then depending on its error rate]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100), help_heading = RUNNING,
          add = SetBy::Project)]
    pub confirm: Option<u32>,
    /// Accept a test to which the empty file is interesting
    #[arg(long, help_heading = RUNNING,
          add = SetBy::CommandLine("it switches off a check, which should be asked for each time"))]
    pub allow_empty: bool,
    /// Don't check the test at the start
    ///
    /// The check takes a few runs of the test. `lop doctor` checks more
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub no_checkup: bool,

    /// How much of the machine a test gets.
    #[command(flatten)]
    pub confine: ConfineArgs,

    /// The language of FILE.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// Add the reduce.scm and language.toml of this directory to the language
    #[arg(long, value_name = "DIR", help_heading = SEARCH, add = SetBy::Project)]
    pub rules: Option<PathBuf>,
    /// Syntax errors that candidates may have
    #[arg(long, value_name = "WHICH", default_value = "old", help_heading = SEARCH, add = SetBy::Project)]
    pub syntax: SyntaxArg,
    /// Never change text in FILE that matches RE
    ///
    /// The text stays byte for byte and in its order. Everything around it may be removed, and it may move. lop tells you
    /// if RE matches nothing. --minimal doesn't apply to kept text (repeatable)
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = SEARCH, add = SetBy::Project)]
    pub keep: Vec<String>,
    /// Never change these lines of FILE, counted from 1: `3`, `10-20` (repeatable)
    #[arg(long, value_name = "A-B", value_parser = line_range, help_heading = SEARCH,
          add = SetBy::CommandLine("it counts the lines of one FILE"))]
    pub keep_lines: Vec<(usize, usize)>,
    /// Never change what this tree-sitter query captures as @keep: '(call_expression) @keep' (repeatable)
    #[arg(long, value_name = "QUERY", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_query: Vec<String>,
    /// Never change files whose paths match: 'src/*.h', 'include' (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_files: Vec<String>,
    /// Reduce only files whose paths match (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub only_files: Vec<String>,
    /// Also reduce the arguments of CMD
    ///
    /// lop tries to remove each argument and prints the shortest command line at the end. Without FILE, it reduces only the
    /// command: `lop --reduce-args -- CMD ARGS`
    #[arg(long, help_heading = SEARCH, add = SetBy::CommandLine("it is about the command of one run"))]
    pub reduce_args: bool,
    /// Run only these passes: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub only: Vec<&'static str>,
    /// Skip these passes: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub skip: Vec<&'static str>,
    /// Stop early; the result may not be minimal
    ///
    /// Runs the passes that delete, edit locally and remove tokens once each
    #[arg(long, conflicts_with = "thorough", help_heading = SEARCH, add = SetBy::Project)]
    pub fast: bool,
    /// Search longer: repeat all passes until a whole round changes nothing
    ///
    /// Each round tries rejected deletions again
    #[arg(long, help_heading = SEARCH, add = SetBy::Project)]
    pub thorough: bool,
    /// Measure of size
    ///
    /// It decides what lop tries first and which edits make the file smaller. --minimal doesn't depend on it
    #[arg(long, value_name = "WHAT", default_value = "tokens", help_heading = SEARCH, add = SetBy::Project)]
    pub prefer: PreferArg,
    /// Order in which lop works on the parts of the file
    #[arg(long, value_name = "HOW", default_value = "gain", help_heading = SEARCH, add = SetBy::Project)]
    pub schedule: ScheduleArg,
    /// Seed by which the elements of each list are shuffled; 0: the grammar's order
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SEARCH, add = SetBy::Project)]
    pub seed: u64,

    /// Stop before the check that the result is minimal
    ///
    /// Tries no deletion twice
    #[arg(long, help_heading = ENGINE, add = SetBy::Project)]
    pub simplify_only: bool,
    /// Expected share of removable units in every list
    ///
    /// After a comma: P(removable | previous unit removable) [default: P]. Replaces the prior, which assumes nothing
    #[arg(long, value_name = "P[,P(u|u)]", value_parser = waste, help_heading = ENGINE,
          add = SetBy::Project)]
    pub expect_waste: Option<Waste>,

    /// Where the run is recorded.
    #[command(flatten)]
    pub state: StateArgs,

    /// Whether files add to the command line.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Reports in addition to the summary.
    #[command(flatten)]
    pub reporting: ReportArgs,

    /// How the run shows itself.
    #[command(flatten)]
    pub ui: UiArgs,

    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = OUTPUT, add = SetBy::Project)]
    pub quiet: bool,
    /// Print each pass; -vv also each test
    ///
    /// The summary then has tables of passes and rules, and where the time went
    #[arg(short, long, action = ArgAction::Count, help_heading = OUTPUT, add = SetBy::Project)]
    pub verbose: u8,
    /// Write each event as a line of JSON
    ///
    /// FILE may be `-` for standard output
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, add = SetBy::CommandLine("it names a file of one run"))]
    pub json: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = OUTPUT,
          add = SetBy::Project)]
    pub color: ColorArg,
}

/// `lop config`: the options of a reduction.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The words that would be typed.
    #[command(flatten)]
    pub reduce: ReduceArgs,
}

impl ReduceArgs {
    /// The options by which something about the result is written to standard output, in their order there.
    pub(super) fn texts(&self) -> Vec<&'static str> {
        let all = [
            ("--diff", self.diff),
            ("--explain", self.reporting.explain),
            ("--format-issue", self.reporting.format_issue),
        ];
        all.into_iter().filter(|(_, is_wanted)| *is_wanted).map(|(name, _)| name).collect()
    }
}

const ARGUMENTS: &str = "Arguments";
const RUNNING: &str = "Running tests";
const ENGINE: &str = "Engine";
const OUTPUT: &str = "Output";

/// `--syntax`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SyntaxArg {
    /// Those that the best result has
    Old,
    /// Any
    Any,
    /// None. FILE must have none
    Valid,
    /// At least one. FILE must have one
    Invalid,
}

/// `--schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleArg {
    /// The part with the most expected gain per test
    Gain,
    /// Level by level from the root (HDD)
    Levels,
}

/// `--prefer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreferArg {
    /// Few tokens, then few bytes
    Tokens,
    /// Few bytes, then few tokens
    Bytes,
    /// Few lines, then few tokens
    Lines,
}

impl ReduceArgs {
    /// The arguments of a command line without options.
    pub(super) fn of_defaults() -> Self {
        Cli::parse_from(["lop", "TEST", "FILE"]).reduce
    }
}

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<ScheduleArg> for lop_reduce::Schedule {
    fn from(arg: ScheduleArg) -> Self {
        match arg {
            ScheduleArg::Gain => Self::Gain,
            ScheduleArg::Levels => Self::Levels,
        }
    }
}

impl From<PreferArg> for lop_reduce::Prefer {
    fn from(arg: PreferArg) -> Self {
        match arg {
            PreferArg::Tokens => Self::Tokens,
            PreferArg::Bytes => Self::Bytes,
            PreferArg::Lines => Self::Lines,
        }
    }
}

impl From<ColorArg> for anstream::ColorChoice {
    fn from(arg: ColorArg) -> Self {
        match arg {
            ColorArg::Auto => Self::Auto,
            ColorArg::Always => Self::Always,
            ColorArg::Never => Self::Never,
        }
    }
}

fn pass() -> impl TypedValueParser<Value = &'static str> {
    let names = named_steps().into_iter().map(|step| step.name);
    PossibleValuesParser::new(names).map(|name| named(&name).expect("it is a possible value").name)
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "not a number".to_owned())
}

/// `P` or `P,P(u|u)`. The ranges are the engine's: it is fine if a search with it would be.
fn waste(text: &str) -> Result<Waste, String> {
    let (share, after) = match text.split_once(',') {
        Some((share, after)) => (share, Some(after)),
        None => (text, None),
    };
    let waste = Waste { share: number(share)?, after_removable: after.map(number).transpose()? };
    let config = Config { expect: Some(waste), ..Config::default() };
    config.check().map(|()| waste).map_err(|error| error.to_string())
}

/// `A` or `A-B`.
fn line_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let line = |text: &str| text.trim().parse().map_err(|_| "write a line as 3 or lines as 10-20".to_owned());
    match (line(first)?, line(last)?) {
        (0, _) => Err("lines are counted from 1".to_owned()),
        (first, last) if first > last => Err(format!("line {last} comes before line {first}")),
        lines => Ok(lines),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    fn parse(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn the_first_word_may_be_a_subcommand_and_no_other() {
        assert!(matches!(parse("lop grammars").command, Some(Command::Grammars(_))));
        assert!(parse("lop -j 2 grammars input").command.is_none());
        assert!(parse("lop test grammars").command.is_none());
        assert!(parse("lop ./grammars input").command.is_none());
    }

    #[test]
    fn options_may_stand_anywhere_before_the_command() {
        let cli = parse("lop -o out a.c --stderr -Wall -j4 -- cc -c --exit-code @@ -o out");
        assert_eq!(cli.reduce.words, [PathBuf::from("a.c")]);
        assert_eq!(cli.reduce.conditions.stderr, ["-Wall"]);
        assert_eq!(cli.reduce.test, ["cc", "-c", "--exit-code", "@@", "-o", "out"]);
        assert_eq!(parse("lop test.sh -q a.c").reduce.words.len(), 2);
    }

    #[test]
    fn numbers_that_cannot_be_meant_are_refused() {
        for line in ["--max-tests 0", "--exit-code 256", "--exit-code -1"] {
            assert!(Cli::try_parse_from(format!("lop {line} a b").split(' ')).is_err(), "{line}");
        }
        assert_eq!(parse("lop --exit-code 255 --max-tests 1 a b").reduce.conditions.exit_code, [255]);
    }

    #[test]
    fn lines_are_one_or_a_range() {
        assert_eq!((line_range("3"), line_range("10-20")), (Ok((3, 3)), Ok((10, 20))));
        for (text, why) in [("0", "from 1"), ("4-3", "before"), ("x", "10-20"), ("-3", "10-20"), ("3-", "10-20")] {
            assert!(line_range(text).is_err_and(|said| said.contains(why)), "{text}");
        }
    }

    fn refused(line: &str) -> String {
        Cli::try_parse_from(line.split(' ')).expect_err(line).to_string()
    }

    #[test]
    fn what_is_expected_to_go_has_a_range() {
        let cli = parse("lop --expect-waste 0.9,0.95 a b").reduce;
        assert_eq!(cli.expect_waste, Some(Waste { share: 0.9, after_removable: Some(0.95) }));
        let alone = parse("lop --expect-waste .5 a b").reduce.expect_waste;
        assert_eq!(alone, Some(Waste { share: 0.5, after_removable: None }));
        for (option, why) in [
            ("--expect-waste 0", "the expected shares must be more than 0 and less than 1"),
            ("--expect-waste 0.5,1", "the expected shares must be more than 0 and less than 1"),
            ("--expect-waste 0.5,", "not a number"),
            ("--expect-waste 0.9,0.5", "at least 0.889 of those after a removable one are, too"),
        ] {
            let said = refused(&format!("lop {option} a b"));
            assert!(said.contains(why), "{option}: {said}");
        }
    }
}
