//! The command line as clap parses it, before anything is checked. [`Settings`](super::settings::Settings) interprets
//! it.

use clap::{Args, Parser, Subcommand};

use super::corpus_args::{self, CorpusArgs};
use super::doctor_args::{self, DoctorArgs};
use super::grammar_args;
use super::info_args::{CompletionsArgs, GrammarsArgs, ManArgs, ProposeArgs};
use super::isolate_args::{self, IsolateArgs};
use super::options::ReduceArgs;
use super::state_args::{HistoryArgs, ReplayArgs, ResumeArgs};
use super::triage_args::{self, TriageArgs};
use super::verify_args::{self, VerifyArgs};

/// Shown above the options.
const USAGE: &str = "lop [OPTIONS] FILE... -- CMD [ARGS]...   keep the way CMD fails
       lop [OPTIONS] TEST FILE...               keep what makes TEST exit with 0
       lop COMMAND [ARGS]...";

/// The name of the command that shows options.
pub(super) const CONFIG: &str = "config";

/// The name of the command that reduces choices.
pub(super) const GENERATOR: &str = "reduce-generator";

/// Its usage line.
const GENERATOR_USAGE: &str = "lop reduce-generator CMD [OPTIONS] CHOICES -- TEST [ARGS]...
       lop reduce-generator CMD [OPTIONS] TEST CHOICES";

/// The usage line of `lop config`.
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
    /// Propose candidates to another reducer (Shrink Ray's --reduce-with)
    #[command(max_term_width = 110)]
    Propose(ProposeArgs),
    /// Reduce the choices of a generator: lop --generator CMD
    #[command(name = GENERATOR, override_usage = GENERATOR_USAGE, max_term_width = 110)]
    ReduceGenerator(Box<GeneratorArgs>),
    /// Show the value of each option, and where it comes from
    #[command(override_usage = CONFIG_USAGE, max_term_width = 110)]
    Config(Box<ConfigArgs>),
    /// Write a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual page, or one for each command into a directory
    Man(ManArgs),
}

/// `lop reduce-generator`: the options of a reduction.
#[derive(Debug, Args)]
pub struct GeneratorArgs {
    /// The rest of the command line.
    #[command(flatten)]
    pub reduce: ReduceArgs,
}

/// `lop config`: the options of a reduction.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The command line to explain.
    #[command(flatten)]
    pub reduce: ReduceArgs,
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

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
        assert_eq!(cli.reduce.given.words, [PathBuf::from("a.c")]);
        assert_eq!(cli.reduce.conditions.stderr, ["-Wall"]);
        assert_eq!(cli.reduce.given.test, ["cc", "-c", "--exit-code", "@@", "-o", "out"]);
        assert_eq!(parse("lop test.sh -q a.c").reduce.given.words.len(), 2);
    }

    #[test]
    fn numbers_that_cannot_be_meant_are_refused() {
        for line in ["--max-tests 0", "--exit-code 256", "--exit-code -1"] {
            assert!(Cli::try_parse_from(format!("lop {line} a b").split(' ')).is_err(), "{line}");
        }
        assert_eq!(parse("lop --exit-code 255 --max-tests 1 a b").reduce.conditions.exit_code, [255]);
    }
}
