//! The state that the session keeps for observers.

use std::time::Instant;

use crate::outlook::Prospect;
use lop_run::exec::Ticket;

/// The state for observers.
pub(super) struct Observed {
    /// Whether the sink wants information that takes time to compute.
    pub(super) follows: bool,
    /// The test that each worker runs.
    pub(super) workers: Vec<Option<Ticket>>,
    pub(super) prospect: Prospect,
    /// The times of the last prospect and of the last outlook.
    pub(super) made: Option<Instant>,
    pub(super) told: Option<Instant>,
    /// The passes that are left out by now.
    pub(super) skipped: Vec<&'static str>,
    /// Numbers of tests and of started passes, now and when new ones were searched for last.
    pub(super) moment: u64,
    pub(super) looked: u64,
}

impl Observed {
    pub(super) fn new(follows: bool) -> Self {
        let prospect = Prospect::default();
        Observed {
            follows,
            workers: Vec::new(),
            prospect,
            made: None,
            told: None,
            skipped: Vec::new(),
            moment: 0,
            looked: 0,
        }
    }
}
