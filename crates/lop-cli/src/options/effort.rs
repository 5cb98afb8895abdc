//! `--fast` and `--thorough`: the effort for a small result.

use clap::Args;
use lop_reduce::{Effort, Options};

use super::minimal::no_guarantee;
use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--fast` and `--thorough`.
#[derive(Debug, Args)]
pub struct EffortOption {
    /// Stop early; the result may not be minimal
    ///
    /// Runs the passes that delete, edit locally and remove tokens once each
    #[arg(long, conflicts_with = "thorough", help_heading = SEARCH, add = SetBy::Project)]
    pub fast: bool,
    /// Search longer: repeat all passes until a whole round changes nothing
    ///
    /// Each round tries rejected deletions again, and also edits that are unlikely to be accepted
    #[arg(long, help_heading = SEARCH, add = SetBy::Project)]
    pub thorough: bool,
}

impl ReduceOption for EffortOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        if self.fast {
            no_guarantee("--fast", options)?;
        }
        options.effort = match (self.fast, self.thorough) {
            (true, _) => Effort::Fast,
            (_, true) => Effort::Thorough,
            _ => Effort::Usual,
        };
        Ok(())
    }
}
