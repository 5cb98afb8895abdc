//! `--minimal-pairs`: two parts at once.

use clap::Args;
use lop_reduce::{Effort, Options};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RESULT;

/// `--minimal-pairs`.
#[derive(Debug, Args)]
pub struct MinimalPairs {
    /// When no part can be removed alone, try to remove two at once, in up to TESTS tests
    ///
    /// First come two parts with a name in common, then neighbours, elements of one list, and all others. lop learns
    /// which kinds of pairs can go. With enough tests the result is 2-minimal. Only for results of up to 2,000 tokens that have a grammar
    /// [default: 0]
    #[arg(long, value_name = "TESTS", default_value_t = 0, hide_default_value = true, help_heading = RESULT, add = SetBy::Project)]
    pub minimal_pairs: u64,
}

impl ReduceOption for MinimalPairs {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        if self.minimal_pairs > 0 && options.effort == Effort::Fast {
            return Err(Failure::Usage {
                message: "--fast ends before anything is minimal, so it cannot be combined with --minimal-pairs"
                    .to_owned(),
                hint: "omit one of the two".to_owned(),
            });
        }
        options.minimal_pairs = self.minimal_pairs;
        Ok(())
    }
}
