//! The interface of an option of a reduction.

use clap::Args;
use lop_reduce::Options;

use super::failure::Failure;

/// An option of a reduction, or a few that belong together.
pub(crate) trait ReduceOption: Args {
    /// Whether `lop verify` uses its value from the journal.
    const VERIFIED: bool = false;

    /// Applies the option. Options before it in the list have been applied. The default is for an option that has its
    /// effect elsewhere: on the test, the result or the reports.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it cannot be combined with an option before it.
    fn set(&self, _options: &mut Options) -> Result<(), Failure> {
        Ok(())
    }
}
