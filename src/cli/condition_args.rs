//! The typed options about conditions of an interesting run.

use clap::builder::RangedI64ValueParser;
use clap::{Args, Command, Id, value_parser};

use crate::oracle::ConditionSpec;

use super::set_by::SetBy;

/// The group in the list of options.
pub(super) const CONDITIONS: &str = "What is interesting (default: exit code 0; all kinds given must hold)";

/// The conditions of an interesting run of the test.
#[derive(Clone, Debug, Args)]
pub struct ConditionArgs {
    /// This exit code is interesting
    ///
    /// Repeatable: one of them
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub exit_code: Vec<i32>,
    /// Death by this signal is interesting: SEGV, 11
    ///
    /// A signal by its name, with or without SIG, or its number; also that of a shell's child. Repeatable: one of them
    #[arg(long, value_name = "NAME", help_heading = CONDITIONS, add = SetBy::Project)]
    pub signal: Vec<String>,
    /// Standard output matches this expression
    ///
    /// A regular expression; `^` and `$` match at the borders of every line. Repeatable: one of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub stdout: Vec<String>,
    /// Standard error matches this expression
    ///
    /// A regular expression; `^` and `$` match at the borders of every line. Repeatable: one of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub stderr: Vec<String>,
    /// This stands in FILE where the message points to
    ///
    /// A regular expression for what stands at the place that the output names: a line and a column, an offset, or a mark
    /// below a line. `<here>` in it marks the place, which is its start otherwise. With --stderr or --stdout it is the
    /// place of what they match, else the first one. Repeatable: one of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub at: Vec<String>,
    /// Standard output does not match this expression
    ///
    /// Repeatable: none of them may match
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_stdout: Vec<String>,
    /// Standard error does not match this expression
    ///
    /// Repeatable: none of them may match
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_stderr: Vec<String>,
    /// No error message is written that matches none of these expressions
    ///
    /// For tools that list their errors (`error: odd array`, `error[E0308]: mismatched types`). Repeatable: each message must match
    /// one of them. Where lop finds the condition itself, it finds these, too: the errors of FILE
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub only_errors: Vec<String>,
    /// This exit code is not interesting
    ///
    /// Where no ending is asked for every other one is interesting, a signal's too. Repeatable: none of them
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_exit_code: Vec<i32>,
    /// Running into the deadline is interesting
    ///
    /// Beside --exit-code or --signal it is an alternative to them, since a run that was cut off has neither; what is
    /// asked of the output is asked of it, too
    #[arg(long, help_heading = CONDITIONS, add = SetBy::Project)]
    pub timeout_is_interesting: bool,
}

impl From<ConditionArgs> for ConditionSpec {
    fn from(args: ConditionArgs) -> Self {
        ConditionSpec {
            exit_codes: args.exit_code,
            not_exit_codes: args.not_exit_code,
            signals: args.signal,
            stdout: args.stdout,
            stderr: args.stderr,
            at: args.at,
            not_stdout: args.not_stdout,
            not_stderr: args.not_stderr,
            only_errors: args.only_errors,
            timeout_is_interesting: args.timeout_is_interesting,
            also_interesting: Vec::new(),
        }
    }
}

/// The options, each by itself: clap tells of a group as a whole, whichever of it was typed.
pub(super) fn conditions() -> Vec<Id> {
    ConditionArgs::augment_args(Command::default()).get_arguments().map(|arg| arg.get_id().clone()).collect()
}

/// The range of a process's exit codes.
pub(super) fn exit_code() -> RangedI64ValueParser<i32> {
    value_parser!(i32).range(0..=255)
}
