//! A candidate with a pending test.

use std::time::Duration;

use crate::current::Candidate;
use lop_run::exec::Ticket;

/// Up to this number of bytes every candidate is parsed first. In larger ones a parse may cost more than
/// the 3–5 % of the tests that it saves where all units are known to be optional one by one.
pub(super) const ALWAYS_GATED: usize = 64 << 10;

/// A candidate of the source under way.
pub(super) struct PendingQuestion {
    pub(super) candidate: Candidate,
    pub(super) ticket: Option<Ticket>,
    pub(super) duration: Duration,
    /// Whether it still has to pass the gate: it was not worth a parse before it was known to be interesting.
    pub(super) ungated: bool,
    /// The description of it, for people: the source has gone on when the answer comes. Empty where it was answered at
    /// once.
    pub(super) what: String,
}
