//! `--allow-flaky` and `--confirm`: tests that answer differently on the same file.

use clap::{Args, value_parser};
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;

/// `--allow-flaky` and `--confirm`.
#[derive(Debug, Args)]
pub struct Flaky {
    /// Accept a test that answers differently on the same file
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub allow_flaky: bool,
    /// Accept a candidate only if N runs of the test agree
    ///
    /// [default: 1 until the test contradicts itself, then depending on its error rate]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100), help_heading = RUNNING,
          add = SetBy::Project)]
    pub confirm: Option<u32>,
}

impl ReduceOption for Flaky {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        (options.allow_flaky, options.confirm) = (self.allow_flaky, self.confirm);
        Ok(())
    }
}
