//! Why an examination was not made, or not to its end.

use lop_run::oracle::SlotError;

/// The examination could not be made, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// There is no place to run tests in.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// A cancellation stopped it.
    #[error("stopped before the examination was over")]
    Cancelled,
}
