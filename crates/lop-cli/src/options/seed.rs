//! `--seed`: the order of the elements of each list.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--seed`.
#[derive(Debug, Args)]
pub struct Seed {
    /// Seed by which the elements of each list are shuffled; 0: the grammar's order
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SEARCH, add = SetBy::Project)]
    pub seed: u64,
}

impl ReduceOption for Seed {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.seed = self.seed;
        Ok(())
    }
}
