//! The common path of all passes: sweeps their sequences, and tries their single edits by expected gain.

use std::collections::HashSet;

use crate::interrupt::Interrupt;
use crate::reducer::Reducer;
use lop_passes::{Coupled, Pass, Stage};
use lop_run::exec::key;

use super::edits::edit_round;
use super::proposals::{passes, proposals};
use super::sweeps::sweep_all;

/// Gives the passes of a stage their turn: sweeps over their sequences and, if nothing is removed, makes single edits,
/// those with the greatest expected gain first. Returns `true` if something changed.
pub(crate) fn turn(reducer: &mut Reducer<'_, '_>, stage: Stage) -> Result<bool, Interrupt> {
    // Coupled edits have their own turn before the others of their stage: making them makes all others.
    let passes = passes(reducer, |facts| facts.has_turn_in(stage) && facts.name != Coupled.name());
    turn_of(reducer, stage, stage.name(), &passes)
}

/// Gives each pass of some stages that the driver doesn't lead its own turn, as long as it finds something; `true` if
/// one of them did.
pub(crate) fn turns(reducer: &mut Reducer<'_, '_>, stages: impl Fn(Stage) -> bool) -> Result<bool, Interrupt> {
    let passes = passes(reducer, |facts| !facts.is_led() && stages(facts.stage));
    turn_of_each(reducer, &passes)
}

/// Gives the edits of other passes their turn, with the definitions that lose their last reference removed.
pub(crate) fn turn_of_coupled(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if reducer.allows(&Coupled) { turn_of(reducer, Stage::Tokens, Coupled.name(), &[&Coupled]) } else { Ok(false) }
}

/// Gives the caller's own passes their turn.
pub(crate) fn turns_of_own(reducer: &mut Reducer<'_, '_>, stages: impl Fn(Stage) -> bool) -> Result<bool, Interrupt> {
    let options = reducer.options;
    let own: Vec<_> = options.passes.own().filter(|pass| stages(pass.facts().stage) && reducer.allows(*pass)).collect();
    turn_of_each(reducer, &own)
}

pub(super) fn turn_of_each(reducer: &mut Reducer<'_, '_>, passes: &[&dyn Pass]) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    for pass in passes {
        loop {
            let before = reducer.weight();
            // Edits that make nothing smaller could be made for ever.
            if !turn_of(reducer, pass.facts().stage, pass.name(), &[*pass])? || reducer.weight() >= before {
                break;
            }
        }
    }
    Ok(reducer.weight() < before)
}

fn turn_of(
    reducer: &mut Reducer<'_, '_>,
    stage: Stage,
    name: &'static str,
    passes: &[&dyn Pass],
) -> Result<bool, Interrupt> {
    reducer.checkpoint_if_far()?;
    let (swept, mut alternatives) = reducer.once(|reducer| proposals(reducer, passes));
    for (pass, sequences) in swept {
        // The other sequences are of the text before.
        if sweep_all(reducer, pass, sequences)? {
            return Ok(true);
        }
    }
    let mut found = false;
    if !alternatives.is_empty() {
        reducer.session.enter_pass(name, reducer.round)?;
    }
    let mut seen = HashSet::from([key(reducer.session.best())]);
    while edit_round(reducer, stage, alternatives)? {
        found = true;
        // Edits that undo each other could be made for ever, and without a test.
        if !seen.insert(key(reducer.session.best())) {
            break;
        }
        reducer.checkpoint_if_far()?;
        alternatives = reducer.once(|reducer| proposals(reducer, passes)).1;
    }
    Ok(found)
}
