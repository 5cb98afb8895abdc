//! The reasons why a reduction leaves its normal course.

use super::error::ReduceError;
use super::report::Ended;

/// Why the work ends before it is done.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// The user or a limit ended it; the best result stands.
    Ended(Ended),
    /// The best result was taken back: the work has to begin again from the one that is the best now.
    Returned,
    /// A pass is not wanted any more: what was under way has to begin again without it.
    Skipped,
    /// It cannot go on.
    Failed(ReduceError),
}
