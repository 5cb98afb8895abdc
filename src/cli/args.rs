//! The typed command line as clap reads it, before anything is looked up or checked against the world.
//! [`Settings`](super::settings::Settings) has its meaning.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::engine::{Config, Waste};
use crate::{passes, reduce};

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
use crate::exec::Jobs;

/// Shown above the options.
const USAGE: &str = "lop [OPTIONS] FILE... -- CMD [ARGS]...
       lop [OPTIONS] TEST FILE...
       lop COMMAND [ARGS]...";

/// The name of the command that shows options.
pub(super) const CONFIG: &str = "config";

/// How it is called.
const CONFIG_USAGE: &str = "lop config [OPTIONS] [TEST FILE | FILE -- CMD]";

/// Reduces a file to the smallest one for which a test still says that it is interesting.
#[derive(Debug, Parser)]
#[command(
    name = "lop",
    version,
    about = "Reduces a file to a small one on which a test still says: interesting.\n\
        FILE is replaced by the result and kept as FILE.orig, unless -o says otherwise.\n\
        The best result so far is on disk at any time; Ctrl-C stops and keeps it.",
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

/// The commands of lop beside reducing.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the languages that lop knows the grammar of, or show what one of them makes of a file
    #[command(after_help = grammar_args::names())]
    Grammars(GrammarsArgs),
    /// List the passes and what each does
    Passes,
    /// Go on with a reduction that was interrupted
    #[command(max_term_width = 110)]
    Resume(ResumeArgs),
    /// Show a reduction again, without running its test
    Replay(ReplayArgs),
    /// List the best results of a reduction, or write one of them
    History(HistoryArgs),
    /// Find out whether a test can be relied on: run it in different circumstances and say what to mend
    #[command(override_usage = doctor_args::USAGE, after_help = doctor_args::HELP, max_term_width = 110)]
    Doctor(Box<DoctorArgs>),
    /// Check that a result is 1-minimal: ask the test again about every deletion that shows it
    #[command(override_usage = verify_args::USAGE, after_help = verify_args::HELP, max_term_width = 110)]
    Verify(Box<VerifyArgs>),
    /// Find the difference by which one file fails and another passes
    #[command(override_usage = isolate_args::USAGE, after_help = isolate_args::HELP, max_term_width = 110)]
    Isolate(Box<IsolateArgs>),
    /// Choose few files that together do what all of a folder do
    #[command(override_usage = corpus_args::USAGE, after_help = corpus_args::HELP, max_term_width = 110)]
    Corpus(Box<CorpusArgs>),
    /// Group a folder of crashes, and reduce one of each group
    #[command(override_usage = triage_args::USAGE, after_help = triage_args::HELP, max_term_width = 110)]
    Triage(Box<TriageArgs>),
    /// Show the value of each option here, and where it comes from
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
    /// TEST FILE: an executable that exits with 0 if the candidate is interesting, and the file to reduce.
    /// FILE alone: the file to reduce, with the test's command after `--`. FILE may be `-`, standard input, or a directory
    /// or several files, which are reduced together
    #[arg(value_name = "TEST FILE... | FILE...", num_args = 0.., hide_default_value = true, help_heading = ARGUMENTS)]
    pub words: Vec<PathBuf>,

    /// The test as a command. `@@` in it is the candidate's path, `@@.EXT` its path under a name that ends in .EXT, and
    /// `@@2` that of the second of several files; without any of these the candidate comes on standard input and in the working directory
    #[arg(last = true, value_name = "CMD", allow_hyphen_values = true, help_heading = ARGUMENTS)]
    pub test: Vec<OsString>,

    /// Write the result to OUT and leave FILE alone
    ///
    /// `-` is standard output. Without this option FILE is replaced by the result, and what it was is kept as
    /// FILE.orig; a FILE.orig that is there already is never overwritten
    #[arg(short, long, value_name = "OUT", help_heading = "Result",
          add = SetBy::CommandLine("it names the result of one run"))]
    pub output: Option<PathBuf>,
    /// Print a unified diff of FILE and the result
    ///
    /// With --explain and --format-issue one after the other, each under a heading. An invisible sign is shown as an
    /// escape
    #[arg(long, help_heading = "Result")]
    pub diff: bool,
    /// The parts in which the result is guaranteed to be minimal
    ///
    /// The test refuses the result without any single one of these. Deletions that would add a syntax error count as
    /// refused, except in languages with dialects when fewer than 50 tokens are left [default: token, or char without a grammar]
    #[arg(long, value_name = "LEVEL", help_heading = "Result", add = SetBy::Project)]
    pub minimal: Option<MinimalArg>,
    /// How the result is written; or a formatter's command
    ///
    /// lop's own formats are for languages that it knows. Names become short, too, unless it is `none`; `--skip rename`
    /// keeps them. A command, such as 'clang-format' or 'prettier --stdin-filepath x.ts', reads the result, on standard
    /// input or as `@@`, and writes it on standard output. It gets as long as `--timeout` says, or 60 s. This is the last
    /// step: its text is the result if that is interesting. If it differs in more than blanks, nothing is guaranteed of it
    #[arg(long, value_name = "HOW|CMD", default_value = "pretty", value_parser = FormatParser,
          help_heading = "Result", add = SetBy::Project)]
    pub format: FormatArg,

    /// Conditions on a run that is interesting.
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// Keep a copy of a candidate with this exit code
    ///
    /// The copy goes below FILE.lop/other, and the reduction goes on as if the candidate was not interesting
    /// (repeatable)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub also_interesting: Vec<i32>,

    /// Signature of the failure, without a test script.
    #[command(flatten)]
    pub signature: SignatureArgs,

    /// Tests at the same time [default: one per core]
    ///
    /// With 1 and the same --seed a run repeats itself exactly. `auto` finds out during the run how many give the most
    /// answers per second, beginning with one, up to two per core
    #[arg(short, long, value_name = "N|auto", value_parser = jobs, help_heading = RUNNING, add = SetBy::Project)]
    pub jobs: Option<Jobs>,
    /// Begin at most N tests for each that is needed, with several at the same time
    ///
    /// Workers that would wait begin tests that are likely to be needed. With 1 none is begun in vain, and more of them
    /// wait; 1.3 is a good price where tests are paid for [default: as many as are likely enough]
    #[arg(long, value_name = "N", value_parser = spend, help_heading = RUNNING, add = SetBy::Project)]
    pub spend: Option<f64>,
    /// Deadline of one test [default: by the runs so far]
    ///
    /// By default it is 5 times the slowest accepted run, and at least 1 s. The first run on FILE may take 300 s
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub timeout: Option<Duration>,
    /// Stop after this many tests, with the best so far
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), help_heading = RUNNING,
          add = SetBy::Project)]
    pub max_tests: Option<u64>,
    /// Stop after this time, with the best so far
    ///
    /// A test that runs then is ended, and its answer is not used
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub max_time: Option<Duration>,
    /// Go on although the test answers differently on the same file
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub allow_flaky: bool,
    /// Accept a candidate only when N runs of the test agree
    ///
    /// [default: 1 until the test contradicts itself, then as many as its contradictions ask for]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100), help_heading = RUNNING,
          add = SetBy::Project)]
    pub confirm: Option<u32>,
    /// Go on although the empty file is interesting
    #[arg(long, help_heading = RUNNING,
          add = SetBy::CommandLine("it switches off a check, which should be asked for each time"))]
    pub allow_empty: bool,
    /// Do not examine the test at the start
    ///
    /// It takes a few runs of the test; `lop doctor` does more of it
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub no_checkup: bool,

    /// How much of the machine a test gets.
    #[command(flatten)]
    pub confine: ConfineArgs,

    /// The language of FILE.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// Add the reduce.scm and language.toml of this folder to the language
    #[arg(long, value_name = "DIR", help_heading = SEARCH, add = SetBy::Project)]
    pub rules: Option<PathBuf>,
    /// The syntax errors that candidates may have
    #[arg(long, value_name = "WHICH", default_value = "old", help_heading = SEARCH, add = SetBy::Project)]
    pub syntax: SyntaxArg,
    /// Leave alone what this regular expression matches
    ///
    /// A kept part stays byte by byte, in its order; everything around it may go, and it may move. An expression that
    /// matches nothing is noted. The guarantee of --minimal is about what is not kept (repeatable)
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = SEARCH, add = SetBy::Project)]
    pub keep: Vec<String>,
    /// Leave these lines of FILE alone, counted from 1: `3`, `10-20` (repeatable)
    #[arg(long, value_name = "A-B", value_parser = line_range, help_heading = SEARCH,
          add = SetBy::CommandLine("it counts the lines of one FILE"))]
    pub keep_lines: Vec<(usize, usize)>,
    /// Leave alone what this tree-sitter query captures as @keep: '(call_expression) @keep' (repeatable)
    #[arg(long, value_name = "QUERY", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_query: Vec<String>,
    /// Of several files leave those alone whose paths match: 'src/*.h', 'include' (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_files: Vec<String>,
    /// Of several files reduce only those whose paths match (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub only_files: Vec<String>,
    /// Reduce the arguments of CMD, too
    ///
    /// Each word behind the program is a unit, like a file; the shortest command line is printed at the end. Without a
    /// FILE nothing but the command is reduced: `lop --reduce-args -- CMD ARGS`
    #[arg(long, help_heading = SEARCH, add = SetBy::CommandLine("it is about the command of one run"))]
    pub reduce_args: bool,
    /// Make only these passes: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub only: Vec<&'static str>,
    /// Leave these passes out: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub skip: Vec<&'static str>,
    /// Do less and end sooner; nothing is guaranteed
    ///
    /// Deletion, local edits and tokens have one turn each
    #[arg(long, conflicts_with = "thorough", help_heading = SEARCH, add = SetBy::Project)]
    pub fast: bool,
    /// Do more: begin again until a whole round changes nothing
    ///
    /// All that was refused is forgotten and asked again
    #[arg(long, help_heading = SEARCH, add = SetBy::Project)]
    pub thorough: bool,
    /// The measure by which edits are compared
    ///
    /// It decides what goes first and which edits are a gain. The guarantee of --minimal does not depend on it
    #[arg(long, value_name = "WHAT", default_value = "tokens", help_heading = SEARCH, add = SetBy::Project)]
    pub prefer: PreferArg,
    /// Which part of the file comes first
    #[arg(long, value_name = "HOW", default_value = "gain", help_heading = SEARCH, add = SetBy::Project)]
    pub schedule: ScheduleArg,
    /// Shuffle the elements of each list by this number; 0: in the direction that the grammar says
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SEARCH, add = SetBy::Project)]
    pub seed: u64,

    /// Stop before 1-minimality; nothing is guaranteed
    ///
    /// Nothing that a sweep kept is asked about again
    #[arg(long, help_heading = ENGINE, add = SetBy::Project)]
    pub simplify_only: bool,
    /// The share of every list that is expected to go
    ///
    /// Behind a comma: the share of the units behind one that goes, which is the same without it. It takes the place of
    /// a prior that is open to everything
    #[arg(long, value_name = "P[,P(u|u)]", value_parser = waste, help_heading = ENGINE,
          add = SetBy::Project)]
    pub expect_waste: Option<Waste>,

    /// Where it remembers.
    #[command(flatten)]
    pub state: StateArgs,

    /// Whether files add to the command line.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Reports beside the summary.
    #[command(flatten)]
    pub reporting: ReportArgs,

    /// How the run shows itself.
    #[command(flatten)]
    pub ui: UiArgs,

    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = OUTPUT, add = SetBy::Project)]
    pub quiet: bool,
    /// Say more: each pass, and -vv each test
    ///
    /// The summary has its tables of passes, rules and depths, too
    #[arg(short, long, action = ArgAction::Count, help_heading = OUTPUT, add = SetBy::Project)]
    pub verbose: u8,
    /// Write every event as a line of JSON
    ///
    /// To a file, or to standard output (`-`)
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

const ARGUMENTS: &str = "Test and file";
const RUNNING: &str = "Running tests";
const ENGINE: &str = "Engine";
const OUTPUT: &str = "Output";

/// `--syntax`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SyntaxArg {
    /// No more than the best result so far
    Old,
    /// As many as there may be
    Any,
    /// None; FILE must have none
    Valid,
    /// At least one; FILE must have one
    Invalid,
}

/// `--schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleArg {
    /// The part that is expected to lose most tokens per test
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
    /// Where it is shown on a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<ScheduleArg> for reduce::Schedule {
    fn from(arg: ScheduleArg) -> Self {
        match arg {
            ScheduleArg::Gain => Self::Gain,
            ScheduleArg::Levels => Self::Levels,
        }
    }
}

impl From<PreferArg> for reduce::Prefer {
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
    let names = passes::ALL.iter().map(|pass| pass.name());
    PossibleValuesParser::new(names).map(|name| passes::named(&name).expect("it is a possible value").name())
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
        (first, last) if first > last => Err(format!("line {last} stands before line {first}")),
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
