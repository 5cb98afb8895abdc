//! `--schedule`: the order of the lists.

use clap::{Args, ValueEnum};
use lop_reduce::{Options, Schedule};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--schedule`.
#[derive(Debug, Args)]
pub struct ScheduleOption {
    /// Order in which lop works on the parts of the file
    #[arg(long, value_name = "HOW", default_value = "gain", help_heading = SEARCH, add = SetBy::Project)]
    pub schedule: ScheduleArg,
}

impl ReduceOption for ScheduleOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.schedule = match self.schedule {
            ScheduleArg::Gain => Schedule::Gain,
            ScheduleArg::Levels => Schedule::Levels,
        };
        Ok(())
    }
}

/// `--schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleArg {
    /// The part with the most expected gain per test
    Gain,
    /// Level by level from the root (HDD)
    Levels,
}
