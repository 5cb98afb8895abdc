//! The plans: the order of the stages as data. The stages are in `stages/`.

use std::sync::Arc;

use lop_passes::{Comments, Stage, Tokens};

use super::interrupt::Interrupt;
use super::options::Effort;
use super::reducer::Reducer;
use super::rounds::{MAX_ROUNDS, Plan};
use super::stages::canonical::make_canonical;
use super::stages::choices::reduce_choices;
use super::stages::closures::keep_closures;
use super::stages::deletion::{delete, sibling_lists};
use super::stages::embedded::reduce_embedded;
use super::stages::errors::take_error_shells;
use super::stages::files::reduce_files;
use super::stages::finish::{finish_text, format, write_anew};
use super::stages::local::{local_edits, take_second_look, unnest};
use super::stages::minimality::{verify, verify_unparsed};
use super::stages::outside::ask_proposers;
use super::stages::sweeps::{sweep_levels, sweep_over};
use super::stages::text::{sweep_characters, sweep_text};
use super::stages::turns::{turn, turn_of_coupled, turns, turns_of_own};
use super::stages::two_parts::remove_two;

/// A text with a tree. Five orders are left: comments and closures come before the walk over a large tree; shells of
/// errors and deep nesting before the lists inside them; rules before windows and pairs, which know no language; unused
/// definitions after the lists, because a bug may need them; the layout before the verification of the text that is
/// delivered. Inside [`shrink`] one queue decides.
const TREE: Plan = Plan {
    first: &[ask_proposers, comments, early, closures, error_shells, unnest],
    round: &[
        shrink,
        rules,
        unused_definitions,
        coupled_edits,
        windows,
        late,
        characters,
        embedded,
        ask_proposers,
        take_second_look,
        finish,
        make_canonical,
        verify,
        remove_two,
        last_tokens,
    ],
};

/// The plan for little effort.
const TREE_FAST: Plan = Plan {
    first: &[
        ask_proposers,
        comments,
        early,
        closures,
        error_shells,
        unnest,
        delete,
        local_edits,
        tokens,
        leftovers,
        own_passes,
        make_canonical,
    ],
    round: &[],
};

/// A text without a tree.
const TEXT: Plan = Plan { first: &[ask_proposers, early], round: &[text, ask_proposers, verify] };

const TEXT_FAST: Plan = Plan { first: &[ask_proposers, early, text], round: &[] };

/// The choices of a generator.
const CHOICES: Plan = Plan { first: &[], round: &[ask_proposers, reduce_choices] };

const CHOICES_FAST: Plan = Plan { first: &[ask_proposers, reduce_choices], round: &[] };

/// A test case of several files.
const PROJECT: Plan = Plan { first: &[], round: &[files] };

const PROJECT_FAST: Plan = Plan { first: &[files], round: &[] };

/// A part of the text in another language, with its own tree.
const PART: Plan = Plan {
    first: &[comments],
    round: &[shrink, rules, unused_definitions, coupled_edits, windows, late, characters, finish_part, verify],
};

const PART_FAST: Plan = Plan { first: &[comments, delete, local_edits, tokens], round: &[] };

/// A part without a tree.
const PART_TEXT: Plan = Plan { first: &[], round: &[part_as_text] };

const PART_TEXT_FAST: Plan = Plan { first: &[part_as_text], round: &[] };

/// Reduces to the fixpoint; a thorough reduction does so again, with all refusals forgotten, until
/// that changes nothing.
pub(super) fn run(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    loop {
        let before = reducer.weight();
        if reducer.options.choices {
            (if is_fast(reducer) { &CHOICES_FAST } else { &CHOICES }).follow(reducer)?;
        } else if reducer.project.is_some() {
            (if is_fast(reducer) { &PROJECT_FAST } else { &PROJECT }).follow(reducer)?;
        } else if reducer.tools.is_some() {
            (if is_fast(reducer) { &TREE_FAST } else { &TREE }).follow(reducer)?;
        }
        // Without a grammar, or when the text no longer parses.
        if reducer.tools.is_none() && reducer.project.is_none() && !reducer.options.choices {
            (if is_fast(reducer) { &TEXT_FAST } else { &TEXT }).follow(reducer)?;
        }
        if reducer.options.effort != Effort::Thorough || reducer.weight() >= before || reducer.round >= MAX_ROUNDS {
            return format(reducer);
        }
        reducer.forget_refusals();
    }
}

fn is_fast(reducer: &Reducer<'_, '_>) -> bool {
    reducer.options.effort == Effort::Fast
}

fn comments(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    sweep_over(reducer, &Comments)
}

/// Before the tree is looked at closely: a large one takes long.
fn closures(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    keep_closures(reducer)?;
    Ok(reducer.weight() < before)
}

fn early(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    turns(reducer, |stage| stage == Stage::First)
}

fn error_shells(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    take_error_shells(reducer, sweep_levels)
}

/// Deletion and local edits, while they make the text smaller, and then single tokens.
fn shrink(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    loop {
        delete(reducer)?;
        let before = reducer.weight();
        reducer.within(local_edits)?;
        if reducer.weight() >= before {
            break;
        }
    }
    reducer.within(tokens)?;
    Ok(reducer.weight() < before)
}

fn tokens(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    sweep_over(reducer, &Tokens)
}

/// Windows and pairs ignore the language: rules do their work with fewer tests.
fn rules(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    reducer.coupled(|reducer| turn(reducer, Stage::Rules))
}

/// The bug may sit in a definition that nothing refers to.
fn unused_definitions(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    if reducer.refuses_unused() {
        sibling_lists(reducer)?;
    }
    Ok(reducer.weight() < before)
}

/// They also ignore references.
fn coupled_edits(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    turn_of_coupled(reducer)
}

fn windows(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    turn(reducer, Stage::Tokens)
}

fn late(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    turn(reducer, Stage::Late)
}

fn characters(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    sweep_characters(reducer)?;
    turns(reducer, |stage| stage >= Stage::Characters)?;
    Ok(reducer.weight() < before)
}

/// Looks into the parts that deletion leaves: a text in no language only has characters besides its structure.
fn leftovers(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if reducer.is_of_any_text() { characters(reducer) } else { embedded(reducer) }
}

fn own_passes(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    turns_of_own(reducer, |stage| stage > Stage::LocalEdits)
}

fn embedded(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    // In a test case of several files, they come after the removal of files.
    if reducer.project.is_some() {
        return Ok(false);
    }
    reduce_embedded(reducer, |reducer| follow_in_part(reducer, &PART))
}

fn files(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    // All files in one language have one tree.
    reduce_files(reducer, |reducer| follow_in_part(reducer, &TREE), |reducer| follow_in_part(reducer, &PART))
}

/// Follows a plan for parts that have a tree.
fn follow_in_part(reducer: &mut Reducer<'_, '_>, plan: &'static Plan) -> Result<(), Interrupt> {
    if reducer.tools.is_some() {
        (if is_fast(reducer) { &PART_FAST } else { plan }).follow(reducer)?;
    }
    if reducer.tools.is_none() {
        (if is_fast(reducer) { &PART_TEXT_FAST } else { &PART_TEXT }).follow(reducer)?;
    }
    Ok(())
}

/// No other round follows: the other passes are not worth their tests on a text that does not parse.
fn last_tokens(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if verify_unparsed(reducer)? {
        finish(reducer)?;
    }
    Ok(false)
}

/// The appearance of the result. The text verified after it is the delivered one.
fn finish(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    finish_text(reducer)?;
    Ok(false)
}

fn finish_part(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    write_anew(reducer)?;
    Ok(false)
}

fn text(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    sweep_text(reducer)?;
    turns(reducer, |_| true)?;
    Ok(reducer.weight() < before)
}

fn part_as_text(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = Arc::clone(reducer.session.best());
    sweep_text(reducer)?;
    Ok(reducer.session.best().len() < before.len())
}
