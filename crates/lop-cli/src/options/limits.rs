//! `--max-tests` and `--max-time`: when a reduction stops early.

use std::time::Duration;

use clap::{Args, value_parser};
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{RUNNING, seconds};

/// `--max-tests` and `--max-time`.
#[derive(Debug, Args)]
pub struct Limits {
    /// Stop after N tests with the best result so far
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), help_heading = RUNNING,
          add = SetBy::Project)]
    pub max_tests: Option<u64>,
    /// Stop after SECS with the best result so far
    ///
    /// Tests that are running then are killed
    #[arg(long, value_name = "SECS", value_parser = seconds, help_heading = RUNNING, add = SetBy::Project)]
    pub max_time: Option<Duration>,
}

impl ReduceOption for Limits {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        (options.max_tests, options.max_time) = (self.max_tests, self.max_time);
        Ok(())
    }
}
