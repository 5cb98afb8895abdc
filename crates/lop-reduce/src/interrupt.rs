//! The reasons why a reduction leaves its normal course.

use super::error::ReduceError;
use super::report::Ended;

/// Why the work ends before it is done.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// The user or a limit ended it. The best result is final.
    Ended(Ended),
    /// The best result was taken back: the work has to begin again from the one that is the best now.
    Returned,
    /// A pass was skipped: the current stage has to restart without it.
    Skipped,
    /// It cannot continue.
    Failed(ReduceError),
}
