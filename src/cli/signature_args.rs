//! The typed options about signatures that lop finds by itself, and about second commands.

use clap::Args;

use super::condition_args::conditions;
use super::set_by::SetBy;

/// The options on the signature where no test gives one, and on further conditions.
#[derive(Clone, Debug, Default, Args)]
pub struct SignatureArgs {
    /// The command crashes on FILE: keep that crash
    ///
    /// Where it does not crash nothing is reduced
    #[arg(long, help_heading = SIGNATURE, conflicts_with_all = conditions(), add = SetBy::Project)]
    pub crash: bool,
    /// Do not ask; take the condition that was found
    #[arg(short = 'y', long, help_heading = SIGNATURE)]
    pub yes: bool,
    /// A second command that must end as it does on FILE
    ///
    /// It must have the same exit code on every candidate: 'other-cc -c @@.c'. For bugs that one program has and
    /// another has not (repeatable)
    #[arg(long, value_name = "CMD2", allow_hyphen_values = true, help_heading = SIGNATURE,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub while_passing: Vec<String>,
    /// Refuse candidates that warn of undefined behaviour
    ///
    /// Those with new compiler warnings of the kinds that mean it. The command and the warnings are those of the
    /// language's guard.toml
    #[arg(long, value_name = "LANGUAGE", help_heading = SIGNATURE)]
    pub guard: Option<String>,
}

const SIGNATURE: &str = "Without a test script (a CMD that fails on FILE says what is interesting)";
