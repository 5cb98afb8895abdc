//! `--canonical`: the canonical form of the result.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RESULT;

/// `--canonical`.
#[derive(Debug, Args)]
pub struct CanonicalOption {
    /// Of the smallest results, end on the first in a fixed order, so that equal bugs have equal results
    ///
    /// Numbers become 0, 1, 2 or the least that the bug allows, operators and types the first of their kind, and names a,
    /// b, c and so on, in the order in which they appear. Neighbours that can stand in either order are sorted. This takes some
    /// more tests and makes nothing smaller. Text without a grammar, and a result of more than 2,000 tokens, stay as they are. `lop triage` always does it
    #[arg(long, help_heading = RESULT, add = SetBy::Project)]
    pub canonical: bool,
}

impl ReduceOption for CanonicalOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.canonical = self.canonical;
        Ok(())
    }
}
