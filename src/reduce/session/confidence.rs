//! How far the test is trusted, and the results that can become the best again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::reduce::current::Best;
use crate::reduce::report::PassStats;
use crate::reduce::trust::{Tally, Trust};

/// Tests before the best result is looked at for the first time; each further time it is twice as many. With 32 a run
/// takes 4 % more tests where one answer in ten is a lie, because most lies are accepted before the first is found out.
pub(super) const FIRST_CHECK: u64 = 8;
/// How many refusals make even a trusted result doubtful, and twice as many once more: a text trusted by mistake would
/// be asked about to its end, and one run in a hundred take many times the tests where one answer in ten is a lie.
pub(super) const PATIENCE: u32 = 24;

/// The results that are trusted, how much, and when that is looked at next.
pub(super) struct Confidence {
    pub(super) trust: Trust,
    /// Results that were confirmed, each smaller than the one before; the first is the input.
    pub(super) trusted: Vec<Snapshot>,
    /// The best results since then, the newest last: later acceptances speak for each of them.
    pub(super) recent: VecDeque<Snapshot>,
    /// Results of a test that has not contradicted itself, from the first on, each a good deal smaller than the one
    /// before: where it lied, the newest of them that holds is looked for.
    pub(super) past: Vec<Snapshot>,
    /// Refusals since the last acceptance.
    pub(super) refusals: u32,
    /// How many of them make even a trusted result doubtful.
    pub(super) patience: u32,
    /// Tests at the last look at the best result, and how many more come before the next.
    pub(super) looked_at: u64,
    pub(super) interval: u64,
    /// Looks at the best result on the way while the test had not contradicted itself.
    pub(super) looks: u32,
    /// How many of a pass's candidates were interesting, and how many not.
    pub(super) found: HashMap<&'static str, Tally>,
}

/// A result that can become the best again.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) best: Best,
    pub(super) stats: Vec<PassStats>,
}

impl Confidence {
    /// Nothing is trusted yet but the input.
    pub(super) fn new(wanted: Option<u32>) -> Self {
        let trust = Trust::new(wanted);
        let found = HashMap::new();
        let (trusted, recent, past) = (Vec::new(), VecDeque::new(), Vec::new());
        let (refusals, patience, looks) = (0, PATIENCE, 0);
        Confidence {
            trust,
            trusted,
            recent,
            past,
            refusals,
            patience,
            looked_at: 0,
            interval: FIRST_CHECK,
            looks,
            found,
        }
    }

    /// Whether a text is the result that was confirmed last.
    pub(super) fn trusts(&self, text: &Arc<[u8]>) -> bool {
        self.trusted.last().is_none_or(|trusted| trusted.best.text == *text)
    }

    /// Keeps a best result of a test without a contradiction that has given way to another. The results that are kept take no
    /// more than a few times the input.
    pub(super) fn keep_past(&mut self, result: Snapshot) {
        let last = self.past.last().map_or(usize::MAX, |last| last.best.text.len());
        if result.best.text.len() <= last / 4 * 3 {
            self.past.push(result);
        }
    }

    /// A candidate was accepted.
    pub(super) fn accepted(&mut self) {
        (self.refusals, self.patience) = (0, PATIENCE);
    }
}
