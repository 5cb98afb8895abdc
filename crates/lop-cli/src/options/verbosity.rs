//! `--quiet` and `--verbose`: the number of messages.

use clap::{ArgAction, Args};

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::OUTPUT;

/// `--quiet` and `--verbose`.
#[derive(Debug, Args)]
pub struct VerbosityOption {
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = OUTPUT, add = SetBy::Project)]
    pub quiet: bool,
    /// Print each pass; -vv also each test
    ///
    /// The summary then has tables of passes and rules, and where the time went
    #[arg(short, long, action = ArgAction::Count, help_heading = OUTPUT, add = SetBy::Project)]
    pub verbose: u8,
}

impl ReduceOption for VerbosityOption {}
