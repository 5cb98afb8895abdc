//! `--least-chance`: the price of a test that may not be needed.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{RUNNING, chance};

/// `--least-chance`.
#[derive(Debug, Args)]
pub struct LeastChance {
    /// Run a test early only if it will be needed with at least this probability, from 0 to 1
    ///
    /// Idle workers run tests that lop will probably need. With 1 they wait instead; with 0.1 four workers are a little
    /// faster, for a sixth more tests [default: 0.35, and 2.4 divided by the number of workers if that is less]
    #[arg(long, value_name = "P", value_parser = chance, help_heading = RUNNING, add = SetBy::Project)]
    pub least_chance: Option<f64>,
}

impl ReduceOption for LeastChance {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.least_chance = self.least_chance;
        Ok(())
    }
}
