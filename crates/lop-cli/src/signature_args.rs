//! The typed options about signatures that lop finds by itself, and about second commands.

use clap::Args;

use super::condition_args::conditions;
use super::reduce_option::ReduceOption;
use super::set_by::SetBy;

/// The options for the signature if the test has none, and for further conditions.
#[derive(Clone, Debug, Default, Args)]
pub struct SignatureArgs {
    /// Keep the crash of CMD on FILE
    ///
    /// If CMD doesn't crash on FILE, lop stops
    #[arg(long, help_heading = SIGNATURE, conflicts_with_all = conditions(), add = SetBy::Project)]
    pub crash: bool,
    /// Don't ask to confirm the condition that was found
    #[arg(short = 'y', long, help_heading = SIGNATURE)]
    pub yes: bool,
    /// A second command that must end as it does on FILE
    ///
    /// It must end with the same exit code on every candidate: 'other-cc -c @@.c'. For bugs that only one of two programs
    /// has (repeatable)
    #[arg(long, value_name = "CMD2", allow_hyphen_values = true, help_heading = SIGNATURE,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub while_passing: Vec<String>,
    /// Reject candidates with new warnings of undefined behaviour
    ///
    /// The compiler command and the warnings are listed in the language's guard.toml
    #[arg(long, value_name = "LANGUAGE", help_heading = SIGNATURE)]
    pub guard: Option<String>,
}

impl ReduceOption for SignatureArgs {
    const VERIFIED: bool = true;
}

const SIGNATURE: &str = "Without a test script (lop keeps the failure of CMD on FILE)";
