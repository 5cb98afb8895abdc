//! The typed options about conditions of an interesting run.

use clap::builder::RangedI64ValueParser;
use clap::{Args, Command, Id, value_parser};

use lop_run::oracle::ConditionSpec;

use super::reduce_option::ReduceOption;
use super::set_by::SetBy;

/// The group in the list of options.
pub(super) const CONDITIONS: &str = "Conditions (default: exit code 0; all kinds given must hold)";

/// The conditions of an interesting run of the test.
#[derive(Clone, Debug, Args)]
pub struct ConditionArgs {
    /// The test exits with N
    ///
    /// Repeatable: any of them
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub exit_code: Vec<i32>,
    /// The test is killed by this signal, such as SEGV
    ///
    /// A name, with or without SIG, or a number. A signal that kills a child of a shell counts, too. Repeatable: any of
    /// them
    #[arg(long, value_name = "NAME", help_heading = CONDITIONS, add = SetBy::Project)]
    pub signal: Vec<String>,
    /// Standard output matches this regular expression
    ///
    /// `^` and `$` match at the start and the end of each line. Repeatable: any of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub stdout: Vec<String>,
    /// Standard error matches this regular expression
    ///
    /// `^` and `$` match at the start and the end of each line. Repeatable: any of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub stderr: Vec<String>,
    /// Text of FILE at the reported position matches this regular expression
    ///
    /// The test's output reports the position as line and column, as an offset, or by a caret below a line. `<here>` in RE
    /// is the position; without it, the match begins there. With --stderr or --stdout, lop takes the position from the
    /// message that they match, otherwise the first one. Repeatable: any of them
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub at: Vec<String>,
    /// Standard output doesn't match this regular expression
    ///
    /// Repeatable: none of them may match
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_stdout: Vec<String>,
    /// Standard error doesn't match this regular expression
    ///
    /// Repeatable: none of them may match
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_stderr: Vec<String>,
    /// Every error message of the tool matches this regular expression
    ///
    /// For tools that list their errors (`error: odd array`, `error[E0308]: mismatched types`). Repeatable: each message
    /// must match one of them. If lop chooses the condition, it also adds the errors of FILE here
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = CONDITIONS, add = SetBy::Project)]
    pub only_errors: Vec<String>,
    /// The test doesn't exit with N
    ///
    /// Without --exit-code or --signal, any other ending is interesting, including signals. Repeatable: none of them
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub not_exit_code: Vec<i32>,
    /// A test that runs into its time limit is interesting
    ///
    /// With --exit-code or --signal, either is enough. Conditions on the output must hold as well
    #[arg(long, help_heading = CONDITIONS, add = SetBy::Project)]
    pub timeout_is_interesting: bool,
}

impl ReduceOption for ConditionArgs {
    const VERIFIED: bool = true;
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

/// Lists the options one by one: clap only knows whether any option of a group was typed.
pub(super) fn conditions() -> Vec<Id> {
    ConditionArgs::augment_args(Command::default()).get_arguments().map(|arg| arg.get_id().clone()).collect()
}

/// The range of a process's exit codes.
pub(super) fn exit_code() -> RangedI64ValueParser<i32> {
    value_parser!(i32).range(0..=255)
}
