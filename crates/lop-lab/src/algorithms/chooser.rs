//! The loop of the algorithms that keep a belief about every unit and choose the next set by it.

use super::also_without;
use super::refused::{Refused, fingerprint};
use crate::algorithm::{Judge, Stopped};
use lop_engine::BitSet;

/// A belief about the units that are left.
///
/// Every set that is chosen is not empty, and comes back by exactly one of `refuse` and `remove`
/// before the next one is chosen. After finitely many of them everything is decided.
pub(super) trait Chooser: Clone {
    /// Returns the units to try to remove next, or `None` when all are decided. It returns the same units until it gets
    /// an outcome.
    fn choose(&self) -> Option<Vec<usize>>;

    /// The candidate without `set` was not interesting.
    fn refuse(&mut self, set: &[usize]);

    /// It was interesting, and the units of `set` are removed.
    fn remove(&mut self, set: &[usize]);
}

/// A set to be removed and the fingerprint of the candidate without it.
type Planned = (Vec<usize>, u128);

/// Lets `chooser` reduce a sequence of `len` units. With several workers the sets are judged at once
/// that come next should all before them be refused.
///
/// # Errors
/// When the judge stopped.
pub(super) fn run(mut chooser: impl Chooser, len: usize, judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
    let mut gone = BitSet::with_capacity(len);
    let mut gone_print = 0;
    let mut refused = Refused::default();
    let mut interesting = None;
    // The outcomes are stored and given to the chooser one by one, so that it does the same whether they arrived one by
    // one or in advance.
    while let Some(set) = chooser.choose() {
        let print = fingerprint(set.iter().copied()).wrapping_add(gone_print);
        if interesting == Some(print) {
            gone = also_without(&gone, set.iter().copied());
            gone_print = print;
            chooser.remove(&set);
        } else if refused.contains(print) {
            chooser.refuse(&set);
        } else {
            let plan = plan(&chooser, (set, print), gone_print, &refused, judge.width());
            let found = judge.first_interesting(plan.len(), &mut |i| also_without(&gone, plan[i].0.iter().copied()))?;
            for (_, print) in &plan[..found.unwrap_or(plan.len())] {
                refused.insert(*print);
            }
            interesting = found.map(|found| plan[found].1);
        }
    }
    Ok(gone)
}

/// `first` and the sets that `chooser` chooses after it if all are refused, `width` of them at most,
/// without those whose verdict is known.
fn plan(chooser: &impl Chooser, first: Planned, gone: u128, refused: &Refused, width: usize) -> Vec<Planned> {
    let mut plan = vec![first];
    if width <= 1 {
        return plan;
    }
    let mut chooser = chooser.clone();
    while plan.len() < width
        && let Some(set) = chooser.choose()
    {
        let print = fingerprint(set.iter().copied()).wrapping_add(gone);
        chooser.refuse(&set);
        if !refused.contains(print) && plan.iter().all(|planned| planned.1 != print) {
            plan.push((set, print));
        }
    }
    plan
}
