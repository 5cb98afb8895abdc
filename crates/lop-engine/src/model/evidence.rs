//! The evidence that one list hands to the next: likelihoods per kind and depth, the chances of
//! verification, and the table of importance per depth that the summary shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::bound::lower_bound;
use crate::model::chances::Chances;
use crate::model::exposure::PerExponent;
use crate::model::grid::Grid;
use crate::model::logarithms::subtract_max;
use crate::model::view::EvidenceView;

/// The most units that lists of the kind at other depths count for, and that lists of other kinds do.
const OTHER_DEPTHS: f64 = 20.0;
const OTHER_KINDS: f64 = 10.0;
/// The most that a unit of another kind counts.
const OTHER_KIND_DISCOUNT: f64 = 0.2;
/// Number of units whose own evidence halves the weight of less specific evidence.
const FADE: f64 = 10.0;
/// Weight of other lists' evidence about exponents of exposure. With 0, sixty short lists in which larger units are
/// needed more often take 2 % more tests; from 0.3 to 1 there is no difference.
const EXPONENT_DISCOUNT: f64 = 0.7;
/// Log likelihoods stop here, so that no amount of evidence is irrefutable.
const EVIDENCE_FLOOR: f64 = -40.0;

/// The evidence of one list since the last time it was asked.
#[derive(Clone, Debug)]
pub struct ListEvidence {
    pub(crate) grid: Arc<Grid>,
    /// Raw increments of the log weights.
    pub(crate) increments: Vec<f64>,
    /// Log likelihood per exponent of exposure.
    pub(crate) exponents: PerExponent,
    pub(crate) chances: Chances,
    /// Whether this is the first evidence of its list.
    pub(crate) first: bool,
    /// Units the sweep decided.
    pub decided: u64,
    /// Units the sweep found needed.
    pub needed: u64,
    /// Units the verification removed after all.
    pub removed_later: u64,
    /// Units decided directly after a removable one.
    pub after_removable: u64,
    /// Those of them that were removable.
    pub removable_after_removable: u64,
    /// Ideal code length in bits of the decided runs under the engine's own predictions.
    pub code_length: f64,
    /// Answers that were used, of the sweep and of the verification.
    pub tests: u64,
}

impl ListEvidence {
    pub(crate) fn new(grid: Arc<Grid>, first: bool) -> Self {
        Self {
            increments: vec![0.0; grid.cells()],
            exponents: PerExponent::default(),
            grid,
            chances: Chances::default(),
            first,
            decided: 0,
            needed: 0,
            removed_later: 0,
            after_removable: 0,
            removable_after_removable: 0,
            code_length: 0.0,
            tests: 0,
        }
    }
}

/// One row of the table of importance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DepthRow {
    /// Depth of the lists' parent in the tree, as the caller counts it.
    pub depth: u32,
    /// Lists swept, at least in part.
    pub lists: u64,
    /// Units decided.
    pub units: u64,
    /// Share of the decided units that the sweep found needed; 0 when none was decided.
    pub needed_share: f64,
    /// Share of removable units among those after a removable one; `None` if there are none.
    pub removable_after_removable: Option<f64>,
    /// H: the engine's own ideal code length, in bits.
    pub entropy_bits: f64,
    /// |α|: the units kept.
    pub kept: u64,
    /// Tests asked.
    pub tests: u64,
    /// The fewest tests that could have been enough, see [`lower_bound`].
    pub lower_bound: f64,
}

impl DepthRow {
    /// Sums all rows, under depth 0. The bounds hold for each depth, so their sum is one, too.
    /// `removable_after_removable` isn't summed: it is `None`.
    pub fn total(rows: &[DepthRow]) -> DepthRow {
        let sum = |field: fn(&DepthRow) -> f64| rows.iter().map(field).sum::<f64>();
        let count = |field: fn(&DepthRow) -> u64| rows.iter().map(field).sum::<u64>();
        let units = count(|row| row.units);
        let needed = sum(|row| row.needed_share * row.units as f64);
        DepthRow {
            depth: 0,
            lists: count(|row| row.lists),
            units,
            needed_share: needed / units.max(1) as f64,
            removable_after_removable: None,
            entropy_bits: sum(|row| row.entropy_bits),
            kept: count(|row| row.kept),
            tests: count(|row| row.tests),
            lower_bound: sum(|row| row.lower_bound),
        }
    }

    /// Returns the ratio of the tests to the minimum; `None` if none were needed.
    pub fn tests_per_bound(&self) -> Option<f64> {
        (self.lower_bound > 0.0).then(|| self.tests as f64 / self.lower_bound)
    }
}

/// Sums over the lists of one depth.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    lists: u64,
    decided: u64,
    needed: u64,
    removed_later: u64,
    after_removable: u64,
    removable_after_removable: u64,
    code_length: f64,
    tests: u64,
}

/// A key of evidence, from the most to the least specific.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    KindAtDepth(u32, u32),
    Kind(u32),
    All,
}

impl Key {
    /// The keys under which a list's evidence is kept, each a part of the next.
    fn all_of(kind: u32, depth: u32) -> [Key; 3] {
        [Key::KindAtDepth(kind, depth), Key::Kind(kind), Key::All]
    }
}

/// The evidence of the lists of one key.
#[derive(Clone, Debug)]
struct Evidence {
    /// Log likelihood per cell, up to a constant.
    log_likelihood: Vec<f64>,
    /// Units decided.
    units: f64,
}

/// The evidence under the keys of lists of a kind at a depth, and its weight for a new list: all evidence of the kind
/// at the depth, and less of the less specific evidence the more there is of it and of the specific one.
fn blend(known: &BTreeMap<Key, Evidence>, kind: u32, depth: u32) -> impl Iterator<Item = (&Evidence, f64)> {
    let found = Key::all_of(kind, depth).map(|key| known.get(&key));
    let [own, of_kind, all] = found.map(|known| known.map_or(0.0, |evidence| evidence.units));
    let other_depths = share(1.0, OTHER_DEPTHS, of_kind - own, own);
    let other_kinds = share(OTHER_KIND_DISCOUNT, OTHER_KINDS, all - of_kind, of_kind);
    // Each key's sums are part of the next one's.
    let weights = [1.0 - other_depths, other_depths - other_kinds, other_kinds];
    found.into_iter().zip(weights).filter_map(|(evidence, weight)| Some((evidence?, weight)))
}

/// Returns the weight of each of `others` units of less specific evidence, compared with `own` units: `most` at first,
/// and `limit` units in total.
fn share(most: f64, limit: f64, others: f64, own: f64) -> f64 {
    most.min(limit / others.max(1.0)) * FADE / (FADE + own)
}

/// The evidence of a run so far, shared by all its lists.
#[derive(Clone, Debug)]
pub struct Knowledge {
    grid: Arc<Grid>,
    evidence: BTreeMap<Key, Evidence>,
    /// Log likelihood per exponent of exposure, over all lists of this run: the effect of sizes depends on the input
    /// more than on the kind, and short lists show little of it.
    exponents: PerExponent,
    chances: Chances,
    /// Units decided, per kind and depth.
    decided: BTreeMap<(u32, u32), u64>,
    depths: BTreeMap<u32, Totals>,
}

impl Knowledge {
    /// Nothing learnt; one grid for the whole run, made for an input of `leaves` leaves.
    pub fn new(leaves: usize) -> Self {
        Self {
            grid: Grid::new(leaves),
            evidence: BTreeMap::new(),
            exponents: PerExponent::default(),
            chances: Chances::default(),
            decided: BTreeMap::new(),
            depths: BTreeMap::new(),
        }
    }

    /// The number of leaves the grid was made for.
    pub fn leaves(&self) -> usize {
        self.grid.leaves()
    }

    /// Start weights for a new list of `kind` at `depth`: all evidence of the same kind and depth, up to
    /// 20 units' worth of the kind at other depths, and a fifth, up to 10 units' worth, of other kinds;
    /// own evidence fades both.
    ///
    /// The lists of 17 real reductions, replayed, took 4223 tests so, and 4334 with 0.7 of the first
    /// key found or 0.4 of a fallback.
    pub fn view(&self, kind: u32, depth: u32) -> EvidenceView {
        let mut log_likelihood = vec![0.0; self.grid.cells()];
        for (evidence, weight) in blend(&self.evidence, kind, depth) {
            for (sum, log) in log_likelihood.iter_mut().zip(&evidence.log_likelihood) {
                *sum += weight * log;
            }
        }
        subtract_max(&mut log_likelihood, EVIDENCE_FLOOR);
        EvidenceView {
            grid: self.grid.clone(),
            log_likelihood,
            log_exponents: self.exponents.map(|log| EXPONENT_DISCOUNT * log),
            chances: self.chances.clone(),
        }
    }

    /// Adds the evidence of a list of `kind` at `depth` since the last call.
    ///
    /// # Panics
    /// When the list was searched on another grid, i.e. did not start from a view of this run.
    pub fn absorb(&mut self, kind: u32, depth: u32, list: &ListEvidence) {
        assert!(self.grid.same_points(&list.grid), "evidence of another grid");
        self.chances.add(&list.chances);
        for (log, increment) in self.exponents.iter_mut().zip(&list.exponents) {
            *log += increment;
        }
        subtract_max(&mut self.exponents, EVIDENCE_FLOOR);
        if list.decided > 0 {
            *self.decided.entry((kind, depth)).or_default() += list.decided;
            for key in Key::all_of(kind, depth) {
                let none = || Evidence { log_likelihood: vec![0.0; list.increments.len()], units: 0.0 };
                let evidence = self.evidence.entry(key).or_insert_with(none);
                for (log, increment) in evidence.log_likelihood.iter_mut().zip(&list.increments) {
                    *log += increment;
                }
                evidence.units += list.decided as f64;
            }
        }
        let totals = self.depths.entry(depth).or_default();
        totals.lists += u64::from(list.first);
        totals.decided += list.decided;
        totals.needed += list.needed;
        totals.removed_later += list.removed_later;
        totals.after_removable += list.after_removable;
        totals.removable_after_removable += list.removable_after_removable;
        totals.code_length += list.code_length;
        totals.tests += list.tests;
    }

    /// The kinds of lists at each depth, with their decided units.
    pub fn met(&self) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        self.decided.iter().map(|(&(kind, depth), &units)| (kind, depth, units))
    }

    /// The model of importance per depth, shallow depths first.
    pub fn table(&self) -> Vec<DepthRow> {
        self.depths
            .iter()
            .map(|(&depth, totals)| {
                let kept = totals.needed.saturating_sub(totals.removed_later);
                DepthRow {
                    depth,
                    lists: totals.lists,
                    units: totals.decided,
                    needed_share: totals.needed as f64 / totals.decided.max(1) as f64,
                    removable_after_removable: (totals.after_removable > 0)
                        .then(|| totals.removable_after_removable as f64 / totals.after_removable as f64),
                    entropy_bits: totals.code_length,
                    kept,
                    tests: totals.tests,
                    lower_bound: lower_bound(kept as f64, totals.code_length),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{DepthRow, EVIDENCE_FLOOR, Knowledge};
    use crate::{Config, Search, drive, monotone};

    /// Sweeps a list of `len` units, a third of them needed, and takes its evidence.
    fn teach(knowledge: &mut Knowledge, kind: u32, depth: u32, len: usize) {
        let needed: Vec<bool> = (0..len).map(|i| i % 3 == 0).collect();
        let view = knowledge.view(kind, depth);
        let mut search = Search::new(len, &Config::default(), &view);
        drive(&mut search, |question| monotone(&needed, question));
        knowledge.absorb(kind, depth, &search.take_evidence());
    }

    /// Spread between the most and the least likely cell.
    fn strength(knowledge: &Knowledge, kind: u32, depth: u32) -> f64 {
        let logs = knowledge.view(kind, depth).log_likelihood;
        -logs.into_iter().fold(0.0, f64::min)
    }

    #[test]
    fn a_view_takes_from_what_is_less_specific_what_its_own_evidence_leaves_open() {
        let mut knowledge = Knowledge::new(100);
        assert_eq!(strength(&knowledge, 1, 5), 0.0);
        teach(&mut knowledge, 1, 5, 9);
        let full = strength(&knowledge, 1, 5);
        assert!(full > 1.0);
        let share = |kind, depth| strength(&knowledge, kind, depth) / full;
        assert!((share(1, 9) - 1.0).abs() < 1e-12, "nine units of the kind elsewhere count in full");
        assert!((share(2, 5) - 0.2).abs() < 1e-12, "and a fifth for another kind");
    }

    #[test]
    fn less_specific_evidence_counts_for_a_limited_number_of_units() {
        assert_eq!(super::share(1.0, 20.0, 9.0, 0.0), 1.0);
        assert_eq!(super::share(1.0, 20.0, 100.0, 0.0) * 100.0, 20.0);
        assert_eq!(super::share(1.0, 20.0, 100.0, 10.0) * 100.0, 10.0, "own evidence halves it");
        assert_eq!(super::share(0.2, 10.0, 0.0, 0.0), 0.2);
    }

    #[test]
    fn own_evidence_crowds_out_the_rest() {
        let mut knowledge = Knowledge::new(100);
        teach(&mut knowledge, 1, 5, 90);
        let before = knowledge.view(1, 5).log_likelihood;
        teach(&mut knowledge, 2, 5, 30);
        let after = knowledge.view(1, 5).log_likelihood;
        let moved = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(moved < 0.05 * strength(&knowledge, 1, 5), "{moved}");
    }

    #[test]
    fn evidence_is_floored_and_a_second_opinion_stays_possible() {
        let mut knowledge = Knowledge::new(1000);
        for _ in 0..5 {
            teach(&mut knowledge, 1, 1, 500);
        }
        let floor = EVIDENCE_FLOOR;
        let logs = knowledge.view(1, 1).log_likelihood;
        assert!(logs.iter().all(|&log| (floor..=0.0).contains(&log)));
        assert!(logs.contains(&0.0) && logs.contains(&floor));
    }

    #[test]
    fn the_table_counts_what_was_decided() {
        let mut knowledge = Knowledge::new(100);
        teach(&mut knowledge, 1, 2, 30);
        teach(&mut knowledge, 2, 2, 30);
        teach(&mut knowledge, 1, 4, 9);
        let table = knowledge.table();
        assert_eq!(table.iter().map(|row| row.depth).collect::<Vec<_>>(), [2, 4]);
        let row = table[0];
        assert_eq!((row.lists, row.units, row.kept), (2, 60, 20));
        assert!((row.needed_share - 1.0 / 3.0).abs() < 1e-12);
        // Per list ten pairs of removable units, and nine followed by a needed one.
        let share = row.removable_after_removable.expect("there are removable units");
        assert!((share - 10.0 / 19.0).abs() < 1e-12);
        assert!(row.entropy_bits > 20.0 && row.lower_bound >= row.entropy_bits);
        assert!(row.tests as f64 >= row.lower_bound);
    }

    #[test]
    fn rows_add_up() {
        let mut knowledge = Knowledge::new(100);
        teach(&mut knowledge, 1, 2, 30);
        teach(&mut knowledge, 1, 4, 60);
        let table = knowledge.table();
        let total = DepthRow::total(&table);
        assert_eq!((total.lists, total.units, total.kept), (2, 90, 30));
        assert_eq!(total.tests, table[0].tests + table[1].tests);
        assert_eq!(total.lower_bound, table[0].lower_bound + table[1].lower_bound);
        assert!((total.needed_share - 1.0 / 3.0).abs() < 1e-12);
        let ratio = total.tests_per_bound().expect("some units are kept");
        assert!((ratio * total.lower_bound - total.tests as f64).abs() < 1e-9 && ratio > 1.0);
        assert_eq!(DepthRow::total(&[]).tests_per_bound(), None);
    }
}
