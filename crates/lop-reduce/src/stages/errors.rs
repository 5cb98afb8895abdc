//! Cuts down to a syntax error, and removes the text around the remaining ones.

use std::ops::Range;

use crate::interrupt::Interrupt;
use crate::ordered::first_interesting;
use crate::reducer::Reducer;
use lop_passes::{Chains, Pass, Removal, Sequence, Windows, error_shells, error_windows};
use lop_syntax::Edit;

/// Removes nodes around syntax errors; `sweep` goes through them level by level.
pub(crate) fn take_error_shells(
    reducer: &mut Reducer<'_, '_>,
    sweep: impl FnOnce(&mut Reducer<'_, '_>, &'static str, Vec<Sequence>) -> Result<bool, Interrupt>,
) -> Result<bool, Interrupt> {
    if reducer.tools.is_none() || !reducer.allows(&Chains) {
        return Ok(false);
    }
    let mut is_narrowed = false;
    for windows in error_windows(reducer.current().document()) {
        if narrow(reducer, &windows)? {
            reducer.rebase()?;
            is_narrowed = true;
            break;
        }
    }
    if reducer.tools.is_none() {
        return Ok(is_narrowed);
    }
    let shells = error_shells(reducer.current().document());
    Ok(sweep(reducer, Chains.name(), shells)? || is_narrowed)
}

/// Reduces to a small part of the text around an error; `true` if one is interesting.
fn narrow(reducer: &mut Reducer<'_, '_>, windows: &Windows) -> Result<bool, Interrupt> {
    reducer.session.enter_pass(Chains.name(), reducer.round)?;
    let groups = &windows.groups;
    let last = groups.len().saturating_sub(1);
    // In steps that grow until a group is enough, and then between the last two.
    let steps: Vec<usize> = std::iter::successors(Some(0), |at| Some(2 * at + 1)).take_while(|at| *at < last).collect();
    let mut parts = vec![vec![windows.alone.clone()]];
    parts.extend(windows.bracketed.iter().map(|three| three.to_vec()));
    let before = parts.len();
    parts.extend(steps.iter().map(|&step| vec![groups[step].clone()]));
    let (mut refused, mut taken) = match cut_down_to_first(reducer, &parts)? {
        Some(at) if at < before => return Ok(true),
        Some(at) => (if at > before { steps[at - before - 1] + 1 } else { 0 }, steps[at - before]),
        None => (steps.last().map_or(0, |step| step + 1), last),
    };
    while refused < taken {
        let middle = refused + (taken - refused) / 2;
        match cut_down_to_first(reducer, &[vec![groups[middle].clone()]])? {
            Some(_) => taken = middle,
            None => refused = middle + 1,
        }
    }
    let near: Vec<_> = windows.near.iter().map(|near| vec![near.clone()]).collect();
    if taken == 0 && cut_down_to_first(reducer, &near)?.is_some() {
        return Ok(true);
    }
    Ok(taken + 1 < groups.len())
}

/// Takes away everything but some parts of the text, the first that are interesting, and says which.
fn cut_down_to_first(reducer: &mut Reducer<'_, '_>, parts: &[Vec<Range<usize>>]) -> Result<Option<usize>, Interrupt> {
    first_interesting(&mut reducer.session, parts.len(), "everything", 0.5, |at, current| {
        let removal = around(&parts[at], current.source().len());
        current.candidate(std::iter::once(&removal), false)
    })
}

/// Everything around some parts of a text of this length.
fn around(parts: &[Range<usize>], length: usize) -> Removal {
    let starts = parts.iter().map(|part| part.start).chain([length]);
    let ends = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let around = ends.zip(starts).filter(|(end, start)| end < start).map(|(end, start)| Edit::delete(end..start));
    Removal::Edits(around.collect())
}
