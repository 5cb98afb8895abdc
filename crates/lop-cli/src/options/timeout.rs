//! `--timeout`: the time limit of a test.

use std::time::Duration;

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{RUNNING, seconds};

/// `--timeout`.
#[derive(Debug, Args)]
pub struct Timeout {
    /// Time limit of one test [default: measured]
    ///
    /// The default is 5 times the slowest accepted run, and at least 1 s. The first run on FILE may take 300 s
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub timeout: Option<Duration>,
}

impl ReduceOption for Timeout {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.deadline = self.timeout;
        Ok(())
    }
}
