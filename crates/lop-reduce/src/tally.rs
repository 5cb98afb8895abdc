//! Counts of runs on one text, and the interval of the rate that they tell.

use std::fmt;

/// Quantile for an interval with two ends.
const Z_INTERVAL: f64 = 1.96;

/// The answers on one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Number of interesting runs.
    pub(super) yes: u32,
    /// All other answers.
    pub(super) no: u32,
}

impl Tally {
    /// Adds an answer.
    pub(super) fn add(&mut self, interesting: bool) {
        let count = if interesting { &mut self.yes } else { &mut self.no };
        *count += 1;
    }

    /// The number of all.
    pub(super) fn runs(self) -> u32 {
        self.yes.saturating_add(self.no)
    }

    /// The answers that came after `earlier` ones.
    pub(super) fn since(self, earlier: Tally) -> Tally {
        Tally { yes: self.yes - earlier.yes, no: self.no - earlier.no }
    }
}

/// The number of runs on one text, and of those that showed the bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Number of interesting runs.
    pub interesting: u32,
    /// Number of all runs.
    pub runs: u32,
}

impl Rate {
    /// The interval that contains the true share of interesting runs in 95 of 100 cases (Wilson).
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        let bound = |seen: u32| wilson_bound(u64::from(seen), u64::from(self.runs), Z_INTERVAL);
        (1.0 - bound(self.runs - self.interesting), bound(self.interesting))
    }

    /// The rate in words, with its share and interval: `30 of 40 runs (75 %; 95 % interval: 60 to 86 %)`.
    #[must_use]
    pub fn with_interval(self) -> String {
        let (low, high) = self.interval();
        let share = f64::from(self.interesting) / f64::from(self.runs.max(1));
        format!("{self} ({:.0} %; 95 % interval: {:.0} to {:.0} %)", share * 100.0, low * 100.0, high * 100.0)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} runs", self.interesting, self.runs)
    }
}

impl From<Tally> for Rate {
    fn from(tally: Tally) -> Self {
        Rate { interesting: tally.yes, runs: tally.runs() }
    }
}

/// The upper end of Wilson's interval for a share, of which `seen` in `of` observations were positive; `z` is the
/// quantile for its confidence. 1 without an observation.
pub(super) fn wilson_bound(seen: u64, of: u64, z: f64) -> f64 {
    if of == 0 {
        return 1.0;
    }
    let (n, z2) = (of as f64, z * z);
    let share = seen as f64 / n;
    let spread = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    ((share + z2 / (2.0 * n) + spread) / (1.0 + z2 / n)).min(1.0)
}
