//! The files of a test case: all files in one language are reduced together as one text with one tree, so that a
//! definition in one file can be removed with its uses in another.

use std::ops::Range;
use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::memory::memo;
use crate::reducer::Reducer;
use crate::steps::MINIMALITY;
use lop_passes::{Files, Flatten, Join};

use super::embedded::reduce_embedded_in_files;
use super::parts::{Parts, Shrink, reduce_parts};
use super::proposals::sequences_of;
use super::sweeps::{sweep_all, sweep_over};
use super::turns::turn_of_each;

/// Removes files, and parts of the others: first in the files of each language, and at last in plain text. Returns
/// `true` if the text has changed. Files are tested again only after all of that.
pub(crate) fn reduce_files(
    reducer: &mut Reducer<'_, '_>,
    shrink: Shrink,
    shrink_embedded: Shrink,
) -> Result<bool, Interrupt> {
    let Some(project) = reducer.project else { return Ok(false) };
    let before = Arc::clone(reducer.session.best());
    sweep_over(reducer, &Files)?;
    if !reducer.allows(&Files) && reducer.allows_step(&MINIMALITY) {
        // Nothing but the guarantee is asked for, and files are a part of it.
        let files = sequences_of(reducer, &Files);
        sweep_all(reducer, MINIMALITY.name, files)?;
    }
    for (number, grammar) in project.grammars().iter().enumerate() {
        let best = Arc::clone(reducer.session.best());
        let inside = project.inside(number);
        let settled = |text: &[u8]| {
            let parts = inside(text).into_iter().filter(|part| !part.is_empty());
            memo(("settled", parts.map(|part| &text[part]).collect::<Vec<_>>()))
        };
        if inside(&best).iter().all(Range::is_empty) || reducer.session.is_proposal_refused(settled(&best)) {
            continue;
        }
        let around = project.tokens_around(number, &best, reducer.options.max_parse(), &reducer.stop);
        let leaves = reducer.tokens().saturating_sub(around).max(1);
        let (language, grammar) = (grammar.name(), Some(grammar));
        let parts = Parts { inside: Arc::clone(&inside), language, grammar, leaves, around: (around, true) };
        reduce_parts(reducer, parts, shrink)?;
        reduce_embedded_in_files(reducer, &project.grammars()[number], &inside, shrink_embedded)?;
        let (memo, tokens) = (settled(reducer.session.best()), reducer.tokens());
        reducer.session.refuse_proposal(memo, tokens);
    }
    let paths: Vec<_> = project.plain(reducer.session.best()).into_iter().map(|file| file.path).collect();
    for path in paths {
        let find = |text: &[u8]| project.plain(text).into_iter().find(|file| file.path == path);
        let settled = |text: &[u8]| Some(memo(("settled", &path, &text[find(text)?.content])));
        let best = Arc::clone(reducer.session.best());
        let Some(file) = find(&best) else { continue };
        if settled(&best).is_some_and(|memo| reducer.session.is_proposal_refused(memo)) {
            continue;
        }
        let (inside, leaves) = (project.inside_file(path.clone()), file.content.len());
        let around = (reducer.tokens(), false);
        reduce_parts(reducer, Parts { inside, language: "text", grammar: None, leaves, around }, shrink)?;
        let tokens = reducer.tokens();
        if let Some(memo) = settled(reducer.session.best()) {
            reducer.session.refuse_proposal(memo, tokens);
        }
    }
    // Small ones are more likely to fit into one.
    if reducer.allows(&Join) {
        turn_of_each(reducer, &[&Join])?;
    }
    if reducer.allows(&Flatten) && !project.has_fixed_paths() {
        turn_of_each(reducer, &[&Flatten])?;
    }
    Ok(before != *reducer.session.best())
}
