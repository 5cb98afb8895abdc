//! The rounds that one lane and that several lanes would take from here on.
//!
//! One lane with k workers learns log2(k + 1) bits a round, or k answers that were predicted. Several lanes use all k
//! answers, but each lane has to wait for its own. Where lanes depend on each other, most answers in far lanes have to be
//! asked again.

use crate::model::estimate;
use crate::model::posterior::Posterior;

/// The share of workers whose outcomes independent lanes can use, and the additional rounds in which lanes only end.
/// The prediction is within a tenth of the measured rounds of the 23 cells of the crate lop-lab with 4, 16 and 64
/// workers, from 10 rounds on.
const USED: f64 = 0.95;
const ENDING: f64 = 2.4;
/// The additional rounds in which one lane only ends.
const ONE_ENDING: f64 = 0.7;

/// Predicted numbers of rounds.
pub(crate) struct Prospects {
    one: f64,
    independent: f64,
    dependent: f64,
}

impl Prospects {
    /// With `undecided` units before the lanes, and `doubtful` ones that one lane would ask about again.
    pub(crate) fn new(posterior: &Posterior, undecided: usize, doubtful: usize, workers: usize) -> Self {
        let workers = workers.max(2) as f64;
        let lanes = |units: usize| estimate::remaining(posterior, units).mean / (USED * workers) + ENDING;
        let all = undecided + doubtful;
        let tests = estimate::remaining(posterior, all).mean;
        let bits = estimate::bits(posterior, all).min(tests);
        Self {
            one: bits / (workers + 1.0).log2() + (tests - bits) / workers + ONE_ENDING,
            independent: lanes(undecided),
            // Dependent lanes took up to 2.2 times as long as others with 4 workers, 3.6 with 16 and 4.1 with 64, and
            // less if few units are removable. The prediction is higher, because a change from one lane to several and
            // back costs the rounds of both.
            dependent: (1.0 + workers.log2()) * lanes(all),
        }
    }

    /// The rounds that several lanes save if they do not depend on each other.
    pub(crate) fn saved(&self) -> f64 {
        self.one - self.independent
    }

    /// Whether several lanes are no worse even if they do.
    pub(crate) fn pay_anyway(&self) -> bool {
        self.dependent <= self.one
    }
}
