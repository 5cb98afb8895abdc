//! Sweeps over the sequences that a pass proposes.

use crate::gain::Gain;
use crate::interrupt::Interrupt;
use crate::options::Minimal;
use crate::reducer::Reducer;
use crate::sweep::SequenceSweep;
use lop_passes::{Pass, Remembered, Removal, Sequence, Stage, Unit};

use super::proposals::sequences_of;

/// Sweeps over the sequences that a pass proposes, if it is enabled; `true` if something was removed.
pub(crate) fn sweep_over(reducer: &mut Reducer<'_, '_>, pass: &dyn Pass) -> Result<bool, Interrupt> {
    if !reducer.allows(pass) {
        return Ok(false);
    }
    let sequences = sequences_of(reducer, pass);
    sweep_all(reducer, pass.name(), sequences)
}

/// Sweeps over sequences that a pass has made of the text as it is, one after the other; `true` if something went.
pub(crate) fn sweep_all(
    reducer: &mut Reducer<'_, '_>,
    pass: &'static str,
    sequences: Vec<Sequence>,
) -> Result<bool, Interrupt> {
    let sequences: Vec<_> = sequences.into_iter().filter_map(|sequence| worth_asking(reducer, sequence)).collect();
    if sequences.is_empty() {
        return Ok(false);
    }
    reducer.session.enter_pass(pass, reducer.round)?;
    let is_needed = is_needed(reducer, pass);
    let mut found = false;
    for sequence in sequences {
        let mut sweep = reducer.new_sweep(sequence);
        if is_needed {
            reducer.finish(&mut sweep)?;
        } else {
            let go_on =
                |reducer: &mut Reducer<'_, '_>, sweep: &mut SequenceSweep, most| reducer.go_on_with(sweep, most);
            sweep_while_likely(reducer, &mut sweep, (pass, usize::MAX), &mut Outcomes::default(), go_on)?;
        }
        if sweep.is_finished() {
            remember(reducer, &mut sweep);
        } else {
            remember_decided(reducer, &mut sweep);
        }
        found |= sweep.removed_count() > 0;
    }
    reducer.rebase()?;
    Ok(found)
}

/// Whether a guarantee or a later pass depends on all outcomes of a pass.
fn is_needed(reducer: &Reducer<'_, '_>, pass: &str) -> bool {
    let stage = reducer.options.passes.all().find(|other| other.name() == pass).map(|pass| pass.facts().stage);
    stage != Some(Stage::Characters) || reducer.minimal() == Minimal::Char || reducer.tools.is_none()
}

/// The outcomes of one or more sweeps with the same kind of units.
#[derive(Default)]
pub(super) struct Outcomes {
    gone: usize,
    needed: usize,
}

/// Sweeps until `most_needed` units were found needed, or until the others are too unlikely to pay off. `go_on` sweeps until
/// a number of units was found needed.
pub(super) fn sweep_while_likely<'a, 'g>(
    reducer: &mut Reducer<'a, 'g>,
    sweep: &mut SequenceSweep,
    (pass, most_needed): (&'static str, usize),
    outcomes: &mut Outcomes,
    go_on: impl Fn(&mut Reducer<'a, 'g>, &mut SequenceSweep, usize) -> Result<(), Interrupt>,
) -> Result<(), Interrupt> {
    // Once: the units of a list are alike, and a list can have a million.
    let (tokens, bytes) = mean_size(reducer, sweep);
    while !sweep.is_finished() && sweep.needed() < most_needed {
        let chance = (outcomes.gone as f64 + 1.0) / ((outcomes.gone + outcomes.needed) as f64 + 2.0);
        if !reducer.payoff().is_worth(chance, tokens, bytes) {
            *reducer.findings.left_out.entry(pass).or_default() += sweep.undecided() as u64;
            break;
        }
        let before = (sweep.removed_count(), sweep.needed());
        let result = go_on(reducer, sweep, before.1 + 1);
        outcomes.gone += sweep.removed_count().saturating_sub(before.0);
        outcomes.needed += sweep.needed().saturating_sub(before.1);
        result?;
    }
    Ok(())
}

/// The mean number of tokens and bytes that a unit removes.
fn mean_size(reducer: &Reducer<'_, '_>, sweep: &SequenceSweep) -> (f64, f64) {
    let current = reducer.current();
    let bytes = |unit: &Unit| match &unit.removal {
        Removal::Nodes(nodes) => Gain::with_nodes(current.document(), nodes),
        Removal::Edits(edits) => Gain::by(current.source(), edits),
    };
    (sweep.mean_left(|unit| f64::from(unit.tokens)), sweep.mean_left(|unit| bytes(unit).bytes.max(0) as f64))
}

/// Sweeps over a sequence as long as the removals are worth the tests; the text had this number of tokens after this
/// number of tests.
pub(super) fn sweep_while_it_pays(
    reducer: &mut Reducer<'_, '_>,
    sequence: Sequence,
    tokens: usize,
    tests: u64,
) -> Result<(), Interrupt> {
    let mut sweep = reducer.new_sweep(sequence);
    while !sweep.is_finished() {
        let next = sweep.needed() + 1;
        reducer.go_on_with(&mut sweep, next)?;
        let gone = tokens.saturating_sub(reducer.tokens()) as u64;
        if !reducer.pays_off(gone, reducer.session.tests().saturating_sub(tests)) {
            break;
        }
    }
    if sweep.is_finished() {
        remember(reducer, &mut sweep);
    } else {
        remember_decided(reducer, &mut sweep);
    }
    Ok(())
}

/// Sweeps over levels of nesting while nothing is deleted yet: it is worth it if they are removed in runs, and not if
/// only the tree is deep, as in C++ that the parser doesn't understand. There it took 360 tests for a twelfth of the
/// text.
pub(crate) fn sweep_levels(
    reducer: &mut Reducer<'_, '_>,
    pass: &'static str,
    sequences: Vec<Sequence>,
) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    for sequence in sequences {
        let Some(sequence) = worth_asking(reducer, sequence) else { continue };
        reducer.session.enter_pass(pass, reducer.round)?;
        // To find a level that stays takes log₂ tests, and there may be three before the runs between them pay off.
        let tests = reducer.session.tests() + 3 * u64::from(sequence.units.len().ilog2() + 1);
        let tokens = reducer.tokens();
        sweep_while_it_pays(reducer, sequence, tokens, tests)?;
    }
    reducer.rebase()?;
    Ok(reducer.weight() < before)
}

/// Returns a sequence without units that were refused when the text was not much larger, and without kept parts; `None`
/// if nothing else is left.
fn worth_asking(reducer: &Reducer<'_, '_>, mut sequence: Sequence) -> Option<Sequence> {
    let is_new = |memo: &u64| !reducer.session.is_proposal_refused(*memo);
    match &sequence.remembered {
        Remembered::Units(memos) => {
            let keep: Vec<_> = memos.iter().map(is_new).collect();
            sequence.retain(&keep);
        }
        Remembered::Whole(memos) if !memos.iter().any(is_new) => return None,
        Remembered::None | Remembered::Nodes(..) | Remembered::Whole(_) => {}
    }
    reducer.current().spare(sequence)
}

/// Remembers the refusals in a sweep that may continue later.
fn remember_decided(reducer: &mut Reducer<'_, '_>, sweep: &mut SequenceSweep) {
    let decided = sweep.newly_decided();
    if let Remembered::Nodes(ask, nodes) = &sweep.sequence.remembered {
        decided.iter().filter(|(_, stays)| *stays).for_each(|(unit, _)| reducer.session.refuse(*ask, nodes[*unit]));
    }
}

/// Remembers the refusals in a sweep.
fn remember(reducer: &mut Reducer<'_, '_>, sweep: &mut SequenceSweep) {
    let tokens = reducer.tokens();
    let (kept, removed): (Vec<usize>, _) = (sweep.kept().collect(), sweep.removed_count());
    match &sweep.sequence.remembered {
        Remembered::None => {}
        Remembered::Nodes(ask, nodes) => kept.iter().for_each(|unit| reducer.session.refuse(*ask, nodes[*unit])),
        Remembered::Units(memos) => kept.iter().for_each(|unit| reducer.session.refuse_proposal(memos[*unit], tokens)),
        Remembered::Whole(memos) if removed == 0 => {
            memos.iter().for_each(|memo| reducer.session.refuse_proposal(*memo, tokens));
        }
        Remembered::Whole(_) => {}
    }
}
