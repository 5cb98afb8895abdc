//! The canonical form, on request: of the texts that are as small and show the bug, the first in an order. Two reductions
//! that end on the same program then end on the same text.

use std::collections::BTreeSet;

use crate::interrupt::Interrupt;
use crate::ordered::first_interesting;
use crate::reducer::Reducer;
use lop_passes::{Canonical, Pass, Removal, exchanges, large_numbers, names_in_order};
use lop_syntax::Edit;

use super::proposals::sequences_of;
use super::sweeps::sweep_all;

/// Tokens of a text above which it stays as it is: two such texts are hardly ever one, and each part costs a test.
const MOST_TOKENS: usize = 2_000;
/// Exchanges of neighbours that may be refused: a list whose order matters has many.
const MOST_REFUSED: usize = 12;
/// Names that may turn out to be fixed.
const MOST_FIXED: usize = 8;
/// The numbers from here on are narrowed down by halves.
const LEAST_HALVED: u64 = 2;

/// Gives the text its canonical form. `true` if it has become smaller.
pub(crate) fn make_canonical(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let is_asked = reducer.options.canonical && reducer.allows(&Canonical);
    let has_language = reducer.tools.is_some() && !reducer.is_of_any_text();
    if !is_asked || !has_language || reducer.current().document().tokens() > MOST_TOKENS {
        return Ok(false);
    }
    let before = reducer.weight();
    put_in_order(reducer)?;
    // Level by level: a part that can't be the first of its kind may be the second.
    for level in 0.. {
        let Some(sequence) = sequences_of(reducer, &Canonical).into_iter().nth(level) else { break };
        sweep_all(reducer, Canonical.name(), vec![sequence])?;
    }
    lower_numbers(reducer)?;
    name_in_order(reducer)?;
    Ok(reducer.weight() < before)
}

/// Tries an edit.
fn is_made(reducer: &mut Reducer<'_, '_>, edits: Vec<Edit>, what: &str, chance: f64) -> Result<bool, Interrupt> {
    if reducer.current().edits_touch_kept(&edits) {
        return Ok(false);
    }
    reducer.session.enter_pass(Canonical.name(), reducer.round)?;
    let edit = Removal::Edits(edits);
    let made = first_interesting(&mut reducer.session, 1, what, chance, |_, current| {
        current.candidate(std::iter::once(&edit), false)
    })?;
    reducer.rebase()?;
    Ok(made.is_some())
}

/// Exchanges neighbours in lists that are out of order.
fn put_in_order(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let (mut refused, mut is_changed) = (0, true);
    while is_changed && refused < MOST_REFUSED {
        is_changed = false;
        let Some(tools) = &reducer.tools else { break };
        for (edits, memo) in exchanges(reducer.current().document(), tools.grammar) {
            if refused == MOST_REFUSED || reducer.session.is_proposal_refused(memo) {
                continue;
            }
            if is_made(reducer, edits, "neighbours exchanged", 0.5)? {
                is_changed = true;
                break;
            }
            let tokens = reducer.tokens();
            reducer.session.refuse_proposal(memo, tokens);
            refused += 1;
        }
    }
    Ok(())
}

/// Makes each number the least that the bug allows, as far as that is found by halves.
fn lower_numbers(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let number = |reducer: &Reducer<'_, '_>, at: usize| {
        let tools = reducer.tools.as_ref()?;
        large_numbers(reducer.current().document(), tools.grammar).into_iter().nth(at)
    };
    let mut at = 0;
    while let Some((_, value)) = number(reducer, at) {
        let (mut refused, mut value) = (LEAST_HALVED, value);
        while refused + 1 < value {
            let Some((range, _)) = number(reducer, at) else { break };
            let middle = refused + (value - refused) / 2;
            let edit = Edit { raw: true, ..Edit::replace(range, middle.to_string().into_bytes()) };
            if is_made(reducer, vec![edit], "a number made less", 0.5)? {
                value = middle;
            } else {
                refused = middle;
            }
        }
        at += 1;
    }
    Ok(())
}

/// Calls the names a, b, c … in the order in which they appear.
fn name_in_order(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let mut fixed = BTreeSet::new();
    while fixed.len() < MOST_FIXED {
        let Some(tools) = &reducer.tools else { break };
        let Some(order) = names_in_order(reducer.current().document(), tools.grammar, &fixed) else { break };
        if is_made(reducer, order.all, "names in order", 0.9)? {
            break;
        }
        if !is_made(reducer, order.first, "two names exchanged", 0.5)? {
            fixed.insert(order.name);
        }
    }
    Ok(())
}
