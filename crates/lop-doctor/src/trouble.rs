//! Errors that prevent an examination or end it early.

use lop_run::oracle::SlotError;

/// The reason why the examination is missing or incomplete.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// No directory for tests can be created.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// The user stopped it.
    #[error("stopped before the examination was over")]
    Cancelled,
}
