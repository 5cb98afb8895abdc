//! Measures the time of a reduction, including the runs before an interruption.

use std::time::{Duration, Instant};

use lop_run::oracle::Cancel;

/// The clock of a session.
#[derive(Clone)]
pub(crate) struct Clock {
    started: Instant,
    /// Working time before `started`: that of the run whose journal is being read.
    before: Duration,
    /// Time in which nothing was done but wait for tests.
    pub(crate) waiting: Duration,
    /// Time that tests took, one after the other.
    pub(crate) testing: Duration,
}

impl Clock {
    pub(super) fn new(started: Instant) -> Self {
        Clock { started, before: Duration::ZERO, waiting: Duration::ZERO, testing: Duration::ZERO }
    }

    /// Wall time since the start, including interrupted runs.
    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// Leaves a pause that the user wanted out of the time.
    pub(super) fn leave_out(&mut self, pause: Duration) {
        self.started += pause;
    }

    /// Takes an outcome from a journal: the clock continues from its time, and a time limit includes the time of that
    /// run.
    pub(super) fn go_on_from(&mut self, at: Duration, duration: Duration, cancel: &Cancel) {
        let ahead = at.saturating_sub(self.elapsed());
        self.waiting += duration.min(ahead);
        let now = Instant::now();
        let ahead = at.saturating_sub(self.elapsed());
        cancel.expire_at(cancel.expiry().map(|moment| moment.checked_sub(ahead).unwrap_or(now)));
        (self.before, self.started) = (at.max(self.before), now);
    }
}
