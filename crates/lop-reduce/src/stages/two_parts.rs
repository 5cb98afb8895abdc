//! 2-minimality, on request and with a limit: when nothing can go alone, two parts go at once.

use std::collections::BTreeMap;

use crate::interrupt::Interrupt;
use crate::reducer::Reducer;
use lop_passes::{Alternative, Pass, Stage, TwoParts};

use super::edits::edit_round;
use super::proposals::proposals;

/// Tries to remove two parts at once, those of the most promising relation first, as long as the user permits. `true` if
/// something went.
pub(crate) fn remove_two(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if reducer.tools.is_none() || !reducer.allows(&TwoParts) {
        return Ok(false);
    }
    let before = reducer.weight();
    let mut by_relation: BTreeMap<u16, Vec<Alternative>> = BTreeMap::new();
    if left(reducer) > 0 {
        for pair in proposals(reducer, &[&TwoParts]).1 {
            by_relation.entry(pair.class.outer).or_default().push(pair);
        }
    }
    for pairs in by_relation.into_values() {
        let most = left(reducer);
        if most == 0 {
            break;
        }
        reducer.session.enter_pass(TwoParts.name(), reducer.round)?;
        let tests = reducer.session.tests();
        reducer.second_looks.left = Some(most);
        let result = edit_round(reducer, Stage::Guarantee, pairs);
        reducer.second_looks.left = None;
        reducer.two_parts_tests += reducer.session.tests() - tests;
        if result? {
            // The others are of the text before.
            break;
        }
    }
    Ok(reducer.weight() < before)
}

/// The tests that it may still take.
fn left(reducer: &Reducer<'_, '_>) -> usize {
    let left = reducer.options.minimal_pairs.saturating_sub(reducer.two_parts_tests);
    usize::try_from(left).unwrap_or(usize::MAX)
}
