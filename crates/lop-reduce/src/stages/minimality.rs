//! The guarantee of 1-minimality: tests each remaining part, and records the outcome of each deletion for the report.

use crate::interrupt::Interrupt;
use crate::options::Minimal;
use crate::reducer::Reducer;
use crate::steps::MINIMALITY;
use crate::sweep::SequenceSweep;
use lop_engine::Config;
use lop_passes::{Removal, Sequence, Stage, Unit, character_units, list_kind, siblings, token_units, tokens};
use lop_syntax::Edit;

use super::turns::turn;

/// Number of tokens below which the guarantee includes deletions with new syntax errors, if the language has dialects:
/// that costs little, and a tool can accept text that the grammar doesn't know.
const FEW: usize = 50;

/// Asks about everything that is left, one by one, until nothing of it can go: the guarantee of
/// 1-minimality. `true` if something went after all.
pub(crate) fn verify(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if !reducer.allows_step(&MINIMALITY) {
        return Ok(false);
    }
    reducer.findings.kept_by_timeout.clear();
    reducer.session.give_second_chances();
    if reducer.project.is_none() && !reducer.current().is_inside_another() {
        reducer.session.may_confirm_result();
    }
    let before = reducer.weight();
    let mut all = units_to_verify(reducer, Minimal::Unit);
    all.extend(units_to_verify(reducer, Minimal::Token));
    // The largest units first: less is left to ask about then.
    all.sort_by_key(|unit| std::cmp::Reverse(unit.tokens));
    verify_units(reducer, list_kind::TOKENS, all)?;
    let characters = units_to_verify(reducer, Minimal::Char);
    verify_units(reducer, list_kind::CHARACTERS, characters)?;
    Ok(reducer.weight() < before)
}

/// Tests removing tokens whose removal adds a syntax error, if few tokens are left, and in a text with syntax errors
/// also pairs of neighbouring tokens: a parser's number of errors is chance there. Returns `true` if any were removed.
pub(crate) fn verify_unparsed(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let has_dialects = reducer.tools.as_ref().is_some_and(|tools| tools.grammar.has_dialects());
    let is_asked = (has_dialects || has_errors(reducer)) && !reducer.current().is_inside_another();
    let is_small = reducer.is_of_any_text() || reducer.session.size().tokens < FEW;
    if !is_asked || !is_small || !reducer.session.open_gate() {
        return Ok(false);
    }
    let result = delete_tokens(reducer);
    reducer.session.close_gate();
    result
}

/// Whether a text in a language has syntax errors.
fn has_errors(reducer: &Reducer<'_, '_>) -> bool {
    reducer.tools.is_some() && !reducer.is_of_any_text() && reducer.current().document().errors() > 0
}

/// Deletes tokens, and of text in no language characters, one by one until none can go; `true` if any went.
fn delete_tokens(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let first = reducer.weight();
    loop {
        let before = reducer.weight();
        let units = units_to_verify(reducer, Minimal::Token);
        verify_units(reducer, list_kind::TOKENS, units)?;
        if reducer.is_of_any_text() {
            let characters = units_to_verify(reducer, Minimal::Char);
            verify_units(reducer, list_kind::CHARACTERS, characters)?;
        }
        if has_errors(reducer) {
            reducer.forget_refusals();
            turn(reducer, Stage::Tokens)?;
        }
        if reducer.weight() >= before {
            return Ok(before < first);
        }
    }
}

fn verify_units(reducer: &mut Reducer<'_, '_>, kind: u32, units: Vec<Unit>) -> Result<(), Interrupt> {
    if units.is_empty() {
        return Ok(());
    }
    reducer.session.enter_pass(MINIMALITY.name, reducer.round)?;
    let sequence = Sequence::of(kind, units);
    let config = Config { theta: Some(0.0), ..reducer.config() };
    let mut sweep = SequenceSweep::verification(sequence, &config, &reducer.evidence.knowledge, reducer.options.seed);
    reducer.finish(&mut sweep)?;
    for unit in sweep.kept_by_timeout() {
        reducer.findings.kept_by_timeout.push(text_of(reducer, &sweep.sequence.units[unit].removal));
    }
    reducer.rebase()
}

/// Tests the units of a level one by one, if the guarantee includes the level.
pub(crate) fn units_to_verify(reducer: &mut Reducer<'_, '_>, level: Minimal) -> Vec<Unit> {
    let minimal = reducer.minimal();
    let is_wanted = match level {
        // Text has one level only.
        Minimal::Char => minimal == Minimal::Char || (reducer.tools.is_none() && minimal != Minimal::None),
        _ => minimal >= level && reducer.tools.is_some(),
    };
    match level {
        Minimal::Unit if is_wanted => all_units(reducer),
        Minimal::Token if is_wanted => all_tokens(reducer),
        Minimal::Char if is_wanted => {
            let all = 0..reducer.current().source().len();
            let characters = reducer.spared(character_units(reducer.current().source(), std::slice::from_ref(&all)));
            characters.map(|c| c.units).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Every token.
fn all_tokens(reducer: &Reducer<'_, '_>) -> Vec<Unit> {
    let Some(tools) = &reducer.tools else { return Vec::new() };
    let mut leaves: Vec<_> = tokens(reducer.current().document(), tools.grammar).collect();
    leaves.retain(|leaf| !reducer.current().node_is_kept(*leaf));
    token_units(reducer.current().document(), &leaves).map(|list| list.units).unwrap_or_default()
}

/// Every unit of every list, outer ones before inner ones.
fn all_units(reducer: &mut Reducer<'_, '_>) -> Vec<Unit> {
    let Some(tools) = reducer.tools.as_mut() else { return Vec::new() };
    let current = reducer.session.current();
    let document = current.document();
    let mut units = Vec::new();
    for node in document.ids() {
        let list = siblings(document, tools.grammar, &mut tools.shapes, node, |unit| current.node_is_kept(unit));
        units.extend(list.into_iter().flat_map(|l| l.units));
    }
    units
}

fn text_of(reducer: &Reducer<'_, '_>, removal: &Removal) -> String {
    let source = reducer.current().source();
    let text = match removal {
        Removal::Nodes(nodes) => {
            nodes.iter().flat_map(|n| reducer.current().document().text(*n).to_vec()).collect::<Vec<_>>()
        }
        Removal::Edits(edits) => edits.iter().flat_map(|e: &Edit| source[e.start..e.end].to_vec()).collect(),
    };
    String::from_utf8_lossy(&text).into_owned()
}
