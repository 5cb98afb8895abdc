//! Chooses the end of the sequence from which the next run is asked about: a bandit with two arms, the first and the last
//! open unit, each judged by the units that it removed per test.

/// How much a gain observed at one end of the units is worth one test later.
const DECAY: f64 = 0.97;
/// Tests that the mean gain so far is worth when an end's gain is estimated.
const PRIOR_TESTS: f64 = 2.0;

/// What both ends have given so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndBandit {
    /// Units that went, and tests, per end; both fade.
    recent: [(f64, f64); 2],
    /// The same of both ends, unfaded.
    all: (f64, f64),
}

impl EndBandit {
    /// Counts a question at one end, the last if `mirrored`, that removed this number of units.
    pub(crate) fn count(&mut self, mirrored: bool, units: usize) {
        for (gone, tests) in &mut self.recent {
            *gone *= DECAY;
            *tests *= DECAY;
        }
        for (gone, tests) in [&mut self.recent[usize::from(mirrored)], &mut self.all] {
            *gone += units as f64;
            *tests += 1.0;
        }
    }

    /// Whether the last unit is the better start. An end that was never tried is tried once. Later,
    /// what is known of an end fades into the mean, so that it is tried again when the other end
    /// gives less than that.
    pub(crate) fn mirrored(&self) -> bool {
        let [first, last] = self.recent;
        if first.1 == 0.0 || last.1 == 0.0 {
            return first.1 > 0.0;
        }
        let mean = self.all.0 / self.all.1;
        let value = |(gone, tests): (f64, f64)| (gone + PRIOR_TESTS * mean) / (tests + PRIOR_TESTS);
        value(last) > value(first)
    }
}
