//! `--spend`: the limit of speculation.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{RUNNING, spend};

/// `--spend`.
#[derive(Debug, Args)]
pub struct Spend {
    /// Limit speculation: start at most N tests per needed test
    ///
    /// Idle workers start tests that will probably be needed. 1 turns this off, so that more workers wait; 1.3 is a good
    /// value if you pay for each test [default: as many as are likely enough to be needed]
    #[arg(long, value_name = "N", value_parser = spend, help_heading = RUNNING, add = SetBy::Project)]
    pub spend: Option<f64>,
}

impl ReduceOption for Spend {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.spend = self.spend;
        Ok(())
    }
}
