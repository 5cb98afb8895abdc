//! Estimates the rest of a reduction from the engine's model, for displays.
//!
//! Three kinds of questions remain: the rest of the current sequence, the waiting lists, and at the end every remaining
//! token. A token counts as needed if the units around it stay at each open depth. The model doesn't predict the
//! success of other passes.

use std::collections::{BTreeMap, BTreeSet};

use lop_engine::{Config, Estimate, Knowledge};
use lop_passes::{NO_DEPTH, list_kind};

/// Units that were decided at least before the model is believed: with fewer an estimate is the prior's, which knows
/// nothing of this file.
const EVIDENCE: u64 = 20;
/// The largest deviation of an estimate that says anything, as a share of it: beyond, half as much and half as much
/// again are nearly as likely.
const SPREAD: f64 = 0.5;

/// The expectation of the model from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The questions under way, if the model knows anything about them.
    pub now: Option<RemainingEstimate>,
    /// Tests that are expected until the end of the reduction.
    pub total: Estimate,
    /// The importance of units per depth, the outermost first; units outside the tree come last.
    pub depths: Vec<Importance>,
}

impl Outlook {
    /// Estimates the remaining tests. Returns `None` if too few units were decided, the deviation is too large, or the
    /// estimate is 0.
    #[must_use]
    pub fn left(&self) -> Option<Estimate> {
        self.told(self.total)
    }

    /// Estimates the tests of the current step, if that is meaningful.
    #[must_use]
    pub fn here(&self) -> Option<Estimate> {
        self.told(self.now?.tests)
    }

    fn told(&self, estimate: Estimate) -> Option<Estimate> {
        let decided: u64 = self.depths.iter().map(|depth| depth.units).sum();
        let is_narrow = estimate.deviation <= SPREAD * estimate.mean;
        (decided >= EVIDENCE && estimate.mean >= 1.0 && is_narrow).then_some(estimate)
    }
}

/// The questions under way: a list, or a row of single edits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemainingEstimate {
    /// Depth of the list in the tree; `None` if there is no tree or no list.
    pub depth: Option<u32>,
    /// Units that are not decided yet; edits that were not tried yet.
    pub units: usize,
    /// The expected number of its tests. For single edits: until one of them is accepted.
    pub tests: Estimate,
}

/// The share of needed units at a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Importance {
    /// The depth; `None` for lists outside the tree.
    pub depth: Option<u32>,
    /// Units decided at this depth so far.
    pub units: u64,
    /// P(needed): the expected share of needed units among the next ones.
    pub needed: f64,
}

/// The part of an [`Outlook`] that is the same for all questions of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Prospect {
    /// The estimate of the tests after the current step.
    pub(super) later: Sum,
    pub(super) depths: Vec<Importance>,
}

/// A sum of estimates. All of them depend on the uncertain parameters of the model, so the deviations are added, too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    mean: f64,
    deviation: f64,
}

impl Sum {
    /// Adds a multiple of an estimate.
    pub(super) fn add(&mut self, times: f64, estimate: Estimate) {
        self.mean += times * estimate.mean;
        self.deviation += times * estimate.deviation;
    }

    pub(super) fn estimate(self) -> Estimate {
        Estimate { mean: self.mean, deviation: self.deviation }
    }
}

impl Prospect {
    /// The prospect with lists that wait (kind, depth and units of each), and `tokens` that are asked about one by one
    /// at the end.
    pub(super) fn new(
        knowledge: &Knowledge,
        config: &Config,
        waiting: impl Iterator<Item = (u32, u32, usize)>,
        tokens: usize,
    ) -> Self {
        let mut open: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for (kind, depth, units) in waiting {
            *open.entry((kind, depth)).or_default() += units;
        }
        let mut later = Sum::default();
        for (&(kind, depth), &units) in &open {
            later.add(units as f64, knowledge.expectation(kind, depth, config).tests);
        }
        let depths = importance(knowledge, config);
        let outermost = open.keys().map(|(_, depth)| *depth).min().filter(|depth| *depth != NO_DEPTH);
        let stays = outermost.map_or(1.0, |outermost| share_that_stays(&depths, &open, outermost, knowledge, config));
        let one = knowledge.expectation(list_kind::TOKENS, NO_DEPTH, config);
        later.add(tokens as f64 * stays, one.tests);
        Prospect { later, depths }
    }
}

/// P(needed) at each depth: the mean over its kinds of lists, weighted by their decided units.
fn importance(knowledge: &Knowledge, config: &Config) -> Vec<Importance> {
    let mut sums: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
    for (kind, depth, units) in knowledge.met() {
        let sum = sums.entry(depth).or_default();
        sum.0 += units;
        sum.1 += units as f64 * knowledge.expectation(kind, depth, config).needed;
    }
    let depth = |depth: u32| (depth != NO_DEPTH).then_some(depth);
    sums.into_iter()
        .map(|(at, (units, needed))| Importance { depth: depth(at), units, needed: needed / units.max(1) as f64 })
        .collect()
}

/// The expected share of tokens that stay when all depths from `outermost` on are done.
fn share_that_stays(
    met: &[Importance],
    open: &BTreeMap<(u32, u32), usize>,
    outermost: u32,
    knowledge: &Knowledge,
    config: &Config,
) -> f64 {
    let mut needed: BTreeMap<u32, f64> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for &Importance { depth, needed: share, .. } in met {
        if let Some(depth) = depth.filter(|depth| *depth >= outermost) {
            needed.insert(depth, share);
            seen.insert(depth);
        }
    }
    for &(kind, depth) in open.keys().filter(|(_, depth)| *depth != NO_DEPTH) {
        if !seen.contains(&depth) {
            let share = knowledge.expectation(kind, depth, config).needed;
            needed.entry(depth).and_modify(|known| *known = share.max(*known)).or_insert(share);
        }
    }
    needed.values().product()
}

/// Estimates the tests until the first of some edits is accepted or all are refused, from the probability of each: E[X]
/// = Σ P(X > k), E[X²] = Σ (2k + 1) P(X > k).
pub(super) fn until_accepted(chances: impl Iterator<Item = f64>) -> Estimate {
    let (mut refused, mut mean, mut square) = (1.0, 0.0, 0.0);
    for (k, chance) in chances.enumerate() {
        mean += refused;
        square += (2 * k + 1) as f64 * refused;
        refused *= 1.0 - chance.clamp(0.0, 1.0);
    }
    Estimate { mean, deviation: (square - mean * mean).max(0.0).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_are_never_accepted_take_a_test_each_and_sure_ones_take_one() {
        let none = until_accepted([0.0; 7].into_iter());
        assert_eq!((none.mean, none.deviation), (7.0, 0.0));
        let sure = until_accepted([1.0; 7].into_iter());
        assert_eq!((sure.mean, sure.deviation), (1.0, 0.0));
        let even = until_accepted(std::iter::repeat_n(0.5, 200));
        assert!((even.mean - 2.0).abs() < 1e-9 && (even.deviation - 2.0_f64.sqrt()).abs() < 1e-9, "{even:?}");
        assert_eq!(until_accepted(std::iter::empty()), Estimate { mean: 0.0, deviation: 0.0 });
    }

    #[test]
    fn an_estimate_is_told_where_it_means_something() {
        let left = |units, mean, deviation| {
            let importance = |units| Importance { depth: None, units, needed: 0.5 };
            let depths = vec![importance(units / 2), importance(units - units / 2)];
            Outlook { now: None, total: Estimate { mean, deviation }, depths }.left().map(|told| told.mean)
        };
        assert_eq!(left(EVIDENCE, 200.0, 100.0), Some(200.0));
        assert_eq!(left(EVIDENCE - 1, 200.0, 10.0), None, "too little is known");
        assert_eq!(left(1_000, 200.0, 101.0), None, "it is spread too wide");
        assert_eq!(left(1_000, 0.4, 0.0), None, "what other passes do is not foreseen");
        assert_eq!(left(1_000, f64::NAN, 0.0), None);
    }

    #[test]
    fn more_units_that_wait_mean_more_tests() {
        let (knowledge, config) = (Knowledge::new(300), Config::default());
        let later = |units, tokens| {
            let waiting = [(1, 0, units), (2, 3, units / 2)];
            Prospect::new(&knowledge, &config, waiting.into_iter(), tokens).later.estimate()
        };
        let (few, many) = (later(10, 0), later(40, 0));
        assert!(few.mean > 0.0 && (many.mean / few.mean - 4.0).abs() < 1e-9, "{few:?} {many:?}");
        assert!(many.deviation > few.deviation);
        assert!(later(10, 100).mean > few.mean);
        let alone = Prospect::new(&knowledge, &config, std::iter::empty(), 100).later.estimate();
        assert!(alone.mean > later(0, 100).mean, "of what is in open lists not all is there at the end");
    }
}
