//! The appearance of the result: names and layout. The final text is then verified.

use std::sync::Arc;

use crate::event::Event;
use crate::interrupt::Interrupt;
use crate::ordered::first_interesting;
use crate::reasons::necessity;
use crate::reducer::Reducer;
use crate::sweep::SequenceSweep;
use lop_passes::{
    Blanks, Pass, Removal, Rename, Sequence, Unit, Whitespace, blank_characters, blanked, gap_characters, layout,
    list_kind, name_characters, siblings,
};

use super::proposals::sequences_of;
use super::sweeps::{Outcomes, sweep_while_likely};
use lop_syntax::Edit;

/// Gaps found needed as they are after which the layout is left as it is: looks are not worth more
/// tests.
const NEEDED_GAPS: usize = 4;
/// Blanks found needed after which the others stay, for the same reason.
const NEEDED_BLANKS: usize = 16;

/// Shortens names and lays the text out.
pub(crate) fn finish_text(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let found = if reducer.current().is_edited() { None } else { necessity(&reducer.session) };
    let language = reducer.current().grammar().map(|grammar| grammar.name().to_owned()).unwrap_or_default();
    match found {
        Some(found) => reducer.findings.necessity.insert(language, found),
        None => reducer.findings.necessity.remove(&language),
    };
    write_anew(reducer)
}

/// Shortens the names and changes the layout of a part of the text.
pub(crate) fn write_anew(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    rename(reducer)?;
    if lay_out(reducer)? || has_comments(reducer) {
        blank(reducer)?;
    }
    Ok(())
}

/// Runs the user's formatter on the complete result, whatever the size of its output. It is the last step, because the
/// text has no tree any more.
pub(crate) fn format(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let Some(formatter) = &reducer.options.formatter else { return Ok(()) };
    let best = Arc::clone(reducer.session.best());
    let text = match reducer.session.written_by(formatter) {
        Ok(text) if text == *best => return Ok(()),
        Ok(text) => text,
        Err(why) => {
            return reducer.session.emit(&Event::Note(&format!("the formatter {why}; the result is as lop writes it")));
        }
    };
    reducer.session.enter_pass(Whitespace.name(), reducer.round)?;
    // Tokens are not compared: a formatter may put a semicolon in.
    let _ = reducer.session.rebase(None);
    let everything = Removal::Edits(vec![Edit { raw: true, ..Edit::replace(0..best.len(), text) }]);
    let anew = first_interesting(&mut reducer.session, 1, "everything", 1.0, |_, current| {
        current.candidate(std::iter::once(&everything), false)
    })?;
    let ink = |text: &[u8]| text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>();
    reducer.findings.is_written_anew = ink(&best) != ink(reducer.session.best());
    if anew.is_none() {
        let note = "the formatted text is not interesting, or a kept part has changed; the result is as lop writes it";
        reducer.session.emit(&Event::Note(note))?;
    }
    Ok(())
}

/// Names become short: all in one test, else as many as can.
fn rename(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    if !reducer.allows(&Rename) {
        return Ok(());
    }
    let Some(names) = sequences_of(reducer, &Rename).pop() else { return Ok(()) };
    reducer.session.enter_pass(Rename.name(), reducer.round)?;
    if !all_at_once(reducer, &names)? {
        one_by_one(reducer, names, usize::MAX, Rename.name())?;
    }
    reducer.rebase()
}

/// Replaces blanks and line breaks as the format wants. Returns `true` if not all could be replaced.
fn lay_out(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    // The final check would remove the blanks again.
    if !reducer.allows(&Whitespace) || reducer.is_of_any_text() {
        return Ok(false);
    }
    let plans = sequences_of(reducer, &Whitespace);
    let Some(last) = plans.last().cloned() else { return Ok(false) };
    reducer.session.enter_pass(Whitespace.name(), reducer.round)?;
    reducer.session.keep_shape(true);
    let mut changed = false;
    for plan in &plans {
        changed = changed || all_at_once(reducer, plan)?;
    }
    if !changed {
        one_by_one(reducer, last, NEEDED_GAPS, Whitespace.name())?;
    }
    reducer.session.keep_shape(false);
    reducer.rebase()?;
    Ok(!changed)
}

/// Whether a comment has stayed.
fn has_comments(reducer: &Reducer<'_, '_>) -> bool {
    let Some(tools) = &reducer.tools else { return false };
    let document = reducer.current().document();
    document.ids().any(|id| tools.grammar.is_comment(document.node(id).kind))
}

/// Replaces parts that cannot be removed, because something else would move, by blanks, and then removes as many of the
/// blanks as possible.
fn blank(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    if reducer.tools.is_none() || !reducer.allows(&Blanks) {
        return Ok(());
    }
    reducer.session.enter_pass(Blanks.name(), reducer.round)?;
    let (mut level, mut outcomes) = (0, Outcomes::default());
    while let Some(units) = units_of_level(reducer, level) {
        let units = Sequence::of(list_kind::LAYOUT, units);
        change(reducer, Some(units), usize::MAX, &mut outcomes)?;
        level += 1;
    }
    for pass in [blank_characters, name_characters] {
        let Some(tools) = &reducer.tools else { break };
        change(reducer, pass(reducer.current().document(), tools.grammar), usize::MAX, &mut Outcomes::default())?;
    }
    let (format, ends_line) = (reducer.options.format, reducer.ends_line());
    if let Some(tools) = &reducer.tools {
        let current = reducer.current();
        let plan = layout(current.document(), tools.grammar, format, false, (ends_line, &current.parts()));
        let gaps = plan.as_ref().and_then(gap_characters);
        reducer.session.keep_shape(true);
        change(reducer, gaps, NEEDED_BLANKS, &mut Outcomes::default())?;
        reducer.session.keep_shape(false);
    }
    Ok(())
}

/// Returns all units of the lists of one level, to be replaced by blanks; `None` below the last level.
fn units_of_level(reducer: &mut Reducer<'_, '_>, level: u32) -> Option<Vec<Unit>> {
    let tools = reducer.tools.as_mut()?;
    let document = reducer.session.current().document();
    let nodes: Vec<_> = document.ids().filter(|&id| document.depth(id) == level).collect();
    let mut units = Vec::new();
    for &node in &nodes {
        let list = siblings(document, tools.grammar, &mut tools.shapes, node, |_| false);
        units.extend(list.into_iter().flat_map(|list| list.units));
    }
    let units = units.iter().map(|unit| blanked(document, tools.grammar, unit)).collect();
    (!nodes.is_empty()).then_some(units)
}

/// Makes the changes of a sequence that can be made, until `most_needed` were found impossible.
fn change(
    reducer: &mut Reducer<'_, '_>,
    changes: Option<Sequence>,
    most_needed: usize,
    outcomes: &mut Outcomes,
) -> Result<(), Interrupt> {
    let Some(changes) = changes.and_then(|changes| reducer.current().spare(changes)) else { return Ok(()) };
    change_while_worth(reducer, changes, most_needed, Blanks.name(), outcomes)?;
    reducer.rebase()
}

/// Makes the changes of a sequence that can be made, until `most_needed` were found impossible or too few can be expected.
fn change_while_worth(
    reducer: &mut Reducer<'_, '_>,
    changes: Sequence,
    most_needed: usize,
    pass: &'static str,
    outcomes: &mut Outcomes,
) -> Result<(), Interrupt> {
    let mut sweep = reducer.new_sweep(changes);
    // These outcomes are no evidence about removals.
    let go_on =
        |reducer: &mut Reducer<'_, '_>, sweep: &mut SequenceSweep, most| sweep.pursue(&mut reducer.session, most);
    sweep_while_likely(reducer, &mut sweep, (pass, most_needed), outcomes, go_on)
}

/// Makes all changes of a sequence in one test.
fn all_at_once(reducer: &mut Reducer<'_, '_>, changes: &Sequence) -> Result<bool, Interrupt> {
    let changed = first_interesting(&mut reducer.session, 1, "everything", 1.0, |_, current| {
        current.candidate(changes.units.iter().map(|unit| &unit.removal), false)
    })?;
    Ok(changed.is_some())
}

/// Makes the possible changes of a sequence, and stops after some impossible ones. Their outcomes are no evidence about
/// removals.
fn one_by_one(
    reducer: &mut Reducer<'_, '_>,
    changes: Sequence,
    most_needed: usize,
    pass: &'static str,
) -> Result<(), Interrupt> {
    if changes.units.len() < 2 {
        return Ok(());
    }
    change_while_worth(reducer, changes, most_needed, pass, &mut Outcomes::default())
}
