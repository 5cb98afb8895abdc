//! Local edits, and a second test of earlier refusals.

use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::options::Effort;
use crate::reducer::Reducer;
use lop_passes::{Chains, Pass, Stage};

use super::edits::edit_round;
use super::errors::take_error_shells;
use super::proposals::{passes, proposals, sequences_of};
use super::sweeps::{sweep_all, sweep_levels, sweep_over};
use super::turns::{turn, turns};

/// Depth from which chains come before any deletion: lists level by level would need a test for each level.
const DEEP: u32 = 200;
/// Second looks take at most one of this number of tests.
const SECOND_LOOKS: u64 = 10;

/// Chains come first if the text is so deep that lists would be removed level by level.
pub(crate) fn unnest(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if reducer.tools.is_none() || !reducer.allows(&Chains) {
        return Ok(false);
    }
    let document = reducer.current().document();
    if document.ids().all(|id| document.depth(id) <= DEEP) {
        return Ok(false);
    }
    let levels = sequences_of(reducer, &Chains);
    sweep_levels(reducer, Chains.name(), levels)
}

/// Makes local edits while one is accepted.
pub(crate) fn local_edits(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    reducer.coupled(|reducer| {
        turns(reducer, |stage| stage == Stage::Deletion)?;
        take_error_shells(reducer, sweep_all)?;
        sweep_over(reducer, &Chains)?;
        turn(reducer, Stage::LocalEdits)
    })?;
    Ok(reducer.weight() < before)
}

/// Tests edits again that were refused on an earlier text, the most promising first: the current text may not need the
/// part any more. Returns `true` if the text has changed.
pub(crate) fn take_second_look(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let tests = reducer.session.tests();
    let left = (tests / SECOND_LOOKS).saturating_sub(reducer.second_looks.tests);
    if left == 0 || reducer.options.effort == Effort::Thorough {
        // A thorough reduction forgets all refusals anyway.
        return Ok(false);
    }
    let before = Arc::clone(reducer.session.best());
    reducer.second_looks.left = Some(usize::try_from(left).unwrap_or(usize::MAX));
    let result = edit_again(reducer);
    reducer.second_looks.left = None;
    reducer.second_looks.tests += reducer.session.tests() - tests;
    result?;
    Ok(before != *reducer.session.best())
}

/// One round of the single edits that a second look is about.
fn edit_again(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let passes = passes(reducer, |facts| matches!(facts.stage, Stage::LocalEdits | Stage::Rules));
    reducer.session.enter_pass(Stage::Rules.name(), reducer.round)?;
    let (_, alternatives) = reducer.once(|reducer| proposals(reducer, &passes));
    edit_round(reducer, Stage::Rules, alternatives)
}
