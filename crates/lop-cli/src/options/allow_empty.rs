//! `--allow-empty`: tests to which the empty file is interesting.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;

/// `--allow-empty`.
#[derive(Debug, Args)]
pub struct AllowEmpty {
    /// Accept a test to which the empty file is interesting
    #[arg(long, help_heading = RUNNING,
          add = SetBy::CommandLine("it switches off a check, which should be asked for each time"))]
    pub allow_empty: bool,
}

impl ReduceOption for AllowEmpty {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.allow_empty = self.allow_empty;
        Ok(())
    }
}
