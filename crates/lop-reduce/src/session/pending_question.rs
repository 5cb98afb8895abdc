//! A candidate with a pending test.

use std::time::Duration;

use crate::current::Candidate;
use lop_run::exec::Ticket;

/// Number of bytes up to which every candidate is parsed first. A parse of a larger one can cost more than the 3–5 % of
/// the tests that it saves if all units are known to be optional one by one.
pub(super) const ALWAYS_GATED: usize = 64 << 10;

/// A candidate of the source under way.
pub(super) struct PendingQuestion {
    pub(super) candidate: Candidate,
    pub(super) ticket: Option<Ticket>,
    pub(super) duration: Duration,
    /// Whether it still has to pass the gate: it was not worth a parse before it was known to be interesting.
    pub(super) ungated: bool,
    /// Its description for people: the source has moved on when the outcome arrives. Empty if it needed no test.
    pub(super) what: String,
}
