//! The trust in the test, and the earlier results that can become the best again.

use std::collections::HashMap;
use std::sync::Arc;

use crate::current::Best;
use crate::rates::Rates;
use crate::report::PassStats;
use crate::tally::Tally;
use crate::trust::Trust;
use lop_run::exec::Key;

/// Number of refusals in a row after which lop confirms the best result of a test that has contradicted itself; then
/// after twice as many, and so on until a candidate is accepted. With 6, a run takes 11 % more tests if three of ten
/// refusals are wrong; with 24, 15 %.
pub(super) const PATIENCE: u32 = 12;

/// The trusted results, the degree of trust, and the time of the next confirmation.
#[derive(Clone)]
pub(super) struct Confidence {
    pub(super) trust: Trust,
    /// Results that were confirmed, each smaller than the one before; the first is the input.
    pub(super) trusted: Vec<Snapshot>,
    /// The best results since the last confirmed one, in order, each much smaller than the one before. If the test was
    /// wrong, lop returns to the newest one that is confirmed.
    pub(super) past: Vec<Snapshot>,
    /// Refusals since the last acceptance.
    pub(super) refusals: u32,
    /// Refusals since the last look at the best result.
    pub(super) unlooked: u32,
    /// The number of refusals that make the best result doubtful.
    pub(super) patience: u32,
    /// Confirms the best result during the search while the test has not contradicted itself.
    pub(super) looks: u32,
    /// Whether the best result seems to show the bug more often than those before it, and the user wants that.
    pub(super) may_be_higher: bool,
    /// Whether the input has to be measured more exactly.
    pub(super) doubts_input: bool,
    /// The runs by which a best result was measured.
    pub(super) measured: Option<(Key, Tally)>,
    /// The numbers of interesting and of refused candidates of a pass.
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
    pub(super) fn new(wanted: Option<u32>, rates: Option<Rates>) -> Self {
        let trust = Trust::new(wanted, rates);
        let found = HashMap::new();
        let (trusted, past) = (Vec::new(), Vec::new());
        let (refusals, unlooked, patience, looks) = (0, 0, PATIENCE, 0);
        let (may_be_higher, doubts_input, measured) = (false, false, None);
        Confidence {
            trust,
            trusted,
            past,
            refusals,
            unlooked,
            patience,
            looks,
            may_be_higher,
            doubts_input,
            measured,
            found,
        }
    }

    /// Whether a text is the result that was confirmed last.
    pub(super) fn trusts(&self, text: &Arc<[u8]>) -> bool {
        self.trusted.last().is_none_or(|trusted| trusted.best.text == *text)
    }

    /// Keeps a best result that has given way to another. The results that are kept take no
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
