//! The files of a test case that has several: those in one language are worked on together, as one text with one tree, so
//! that definitions in one file go with what refers to them in another.

use std::ops::Range;
use std::sync::Arc;

use crate::passes::Files;
use crate::reduce::interrupt::Interrupt;
use crate::reduce::memory::memo;
use crate::reduce::reducer::Reducer;

use super::parts::{Parts, Shrink, reduce_parts};
use super::sweeps::sweep_over;

/// Takes out files, and what is in those that stay; `true` if something went.
pub(crate) fn take_files(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = Arc::clone(reducer.session.best());
    sweep_over(reducer, &Files)?;
    Ok(before != *reducer.session.best())
}

/// Works on the files of each language, then on those that are plain text; `true` if the text has changed.
pub(crate) fn reduce_files(reducer: &mut Reducer<'_, '_>, shrink: Shrink) -> Result<bool, Interrupt> {
    let Some(project) = reducer.project else { return Ok(false) };
    let before = Arc::clone(reducer.session.best());
    for (number, grammar) in project.grammars().iter().enumerate() {
        let best = Arc::clone(reducer.session.best());
        let inside = project.inside(number);
        if inside(&best).iter().all(Range::is_empty) || is_settled(reducer, grammar.name()) {
            continue;
        }
        let stop = &reducer.stop;
        let (leaves, around) = (project.tokens_in(number, &best, stop), project.tokens_around(number, &best, stop));
        let (language, grammar) = (grammar.name(), Some(grammar));
        reduce_parts(reducer, Parts { inside, language, grammar, leaves, around: (around, true) }, shrink)?;
        settle(reducer, language);
    }
    for file in project.plain(reducer.session.best()) {
        let name = String::from_utf8_lossy(&file.path).into_owned();
        if is_settled(reducer, &name) {
            continue;
        }
        let (inside, leaves) = (project.inside_file(file.path), file.content.len());
        let around = (reducer.tokens(), false);
        reduce_parts(reducer, Parts { inside, language: "text", grammar: None, leaves, around }, shrink)?;
        settle(reducer, &name);
    }
    Ok(before != *reducer.session.best())
}

/// Whether the text was as small as it gets by this name, and is still the same.
fn is_settled(reducer: &Reducer<'_, '_>, name: &str) -> bool {
    reducer.session.is_proposal_refused(settled(reducer, name))
}

fn settle(reducer: &mut Reducer<'_, '_>, name: &str) {
    let (memo, tokens) = (settled(reducer, name), reducer.tokens());
    reducer.session.refuse_proposal(memo, tokens);
}

fn settled(reducer: &Reducer<'_, '_>, name: &str) -> u64 {
    memo(("settled", name, &**reducer.session.best()))
}
