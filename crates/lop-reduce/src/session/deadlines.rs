//! The time limit of a test.

use std::time::Duration;

/// The deadline is this many times the slowest accepted run.
const DEADLINE_FACTOR: u32 = 5;
/// No derived deadline is shorter: the machine may be busy.
const DEADLINE_MINIMUM: Duration = Duration::from_secs(1);
/// The baseline may take this long unless a deadline was asked for.
pub const BASELINE_DEADLINE: Duration = Duration::from_secs(300);

/// The deadline of a test when none is asked for: five times the slowest run on an interesting input, and
/// a second at least.
#[must_use]
pub fn usual_deadline(slowest: Duration) -> Duration {
    (slowest * DEADLINE_FACTOR).max(DEADLINE_MINIMUM)
}

/// The deadline of the tests, derived from the accepted ones.
#[derive(Clone)]
pub(super) struct Deadlines {
    now: Duration,
    /// Whether the user has set the time limit of a test.
    is_fixed: bool,
    slowest_accepted: Duration,
    /// Whether candidates that timed out are asked once more, with twice the deadline.
    pub(super) gives_second_chances: bool,
}

impl Deadlines {
    pub(super) fn new(wanted: Option<Duration>) -> Self {
        Deadlines {
            now: wanted.unwrap_or(BASELINE_DEADLINE),
            is_fixed: wanted.is_some(),
            slowest_accepted: Duration::ZERO,
            gives_second_chances: false,
        }
    }

    /// The deadline of a candidate that is asked about for the first time, or once more because it timed out.
    pub(super) fn of(&self, is_second_chance: bool) -> Duration {
        if is_second_chance { self.now * 2 } else { self.now }
    }

    /// A run on the input took this long. Returns the deadline that follows from that.
    pub(super) fn baseline_took(&mut self, duration: Duration) -> Duration {
        self.learn(duration);
        if !self.is_fixed && !self.slowest_accepted.is_zero() {
            self.now = usual_deadline(self.slowest_accepted);
        }
        self.now
    }

    /// A run on a candidate that was accepted took this long.
    pub(super) fn accepted(&mut self, duration: Duration) {
        self.learn(duration);
        if !self.is_fixed {
            self.now = self.now.max(self.slowest_accepted * DEADLINE_FACTOR);
        }
    }

    /// Learns how long an interesting run took. One that ended with the deadline (a user may look
    /// for tests that hang) says nothing about how slow the others are.
    fn learn(&mut self, duration: Duration) {
        if duration < self.now {
            self.slowest_accepted = self.slowest_accepted.max(duration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_deadline_follows_the_slowest_run_and_not_one_that_hangs() {
        let mut deadlines = Deadlines::new(None);
        assert_eq!(deadlines.of(false), BASELINE_DEADLINE);
        assert_eq!(deadlines.baseline_took(SECOND / 100), SECOND, "the machine may be busy");
        assert_eq!(deadlines.baseline_took(SECOND / 2), SECOND * 5 / 2);
        deadlines.accepted(SECOND);
        assert_eq!((deadlines.of(false), deadlines.of(true)), (SECOND * 5, SECOND * 10));
        deadlines.accepted(SECOND * 5);
        assert_eq!(deadlines.of(false), SECOND * 5, "it was ended by the deadline");
    }

    #[test]
    fn a_deadline_that_was_asked_for_stays() {
        let mut deadlines = Deadlines::new(Some(SECOND * 3));
        assert_eq!(deadlines.baseline_took(SECOND * 2), SECOND * 3);
        deadlines.accepted(SECOND * 2);
        assert_eq!(deadlines.of(false), SECOND * 3);
    }
}
