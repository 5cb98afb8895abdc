//! Looks up why each token of the result is still there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use lop_grammar::Grammar;
use lop_passes::{Removal, Sequence, character_units, token_units, tokens};
use lop_syntax::{Document, Stop};

use super::memory::Why;
use super::necessity::{Necessity, Reason};
use super::parsing::parser;
use super::project::Project;
use super::session::Session;

/// Tokens times bytes above which nothing is looked up: each token costs a copy and a hash of the text.
const MOST_WORK: usize = 64 << 20;

/// Looks up why each token of a text stays, for the report. Returns `None` if that would take too long, and for a copy,
/// which has no report. There must be no pending edits.
pub(super) fn necessity(session: &Session<'_, '_>) -> Option<Necessity> {
    if session.is_copy() {
        return None;
    }
    let current = session.current();
    let source = current.source();
    let units = match current.grammar() {
        Some(grammar) => tokens_of(current.document(), grammar),
        None => character_units(source, std::slice::from_ref(&(0..source.len()))),
    };
    map(session, units)
}

/// Looks up the reasons in a text of several files; `earlier` are the maps of each language from before its files were
/// finished. The text has no tree.
pub(super) fn necessity_of_files(
    session: &Session<'_, '_>,
    project: &Project,
    most: usize,
    stop: &Stop,
    earlier: &mut BTreeMap<String, Necessity>,
) -> Option<Necessity> {
    let best = session.best();
    let plain: Vec<_> = project.plain(best).into_iter().map(|file| file.content).collect();
    let mut all = map(session, character_units(best, &plain))?;
    for (number, grammar) in project.grammars().iter().enumerate() {
        let inside = project.inside(number);
        if inside(best).iter().map(Range::len).sum::<usize>() > most {
            return None;
        }
        let parser = parser(grammar, stop).map(|parser| parser.inside(&inside));
        let Ok(document) = parser.and_then(|mut parser| Document::parse(&mut parser, Arc::clone(best))) else {
            continue;
        };
        let now = map(session, tokens_of(&document, grammar))?;
        let then = earlier.remove(grammar.name()).filter(|then| then.reasons.len() == now.reasons.len());
        all.reasons.extend(now.or_earlier(then).reasons);
    }
    all.reasons.sort_by_key(|reason| reason.range.start);
    Some(all)
}

fn tokens_of(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    token_units(document, &tokens(document, grammar).collect::<Vec<_>>())
}

/// Looks up the outcomes of the best result without each of these units.
fn map(session: &Session<'_, '_>, units: Option<Sequence>) -> Option<Necessity> {
    let current = session.current();
    let source = current.source();
    let units = units.map(|sequence| sequence.units).unwrap_or_default();
    if units.len().saturating_mul(source.len()) > MOST_WORK {
        return None;
    }
    let reasons = units.iter().filter_map(|unit| {
        let Removal::Edits(edits) = &unit.removal else { return None };
        let range = edits.first()?.start..edits.last()?.end;
        let (why, record) = if current.edits_touch_kept(edits) {
            (Why::Kept, None)
        } else {
            let record = session.record_of(&current.candidate(std::iter::once(&unit.removal), false).text);
            (record.map_or(Why::Unasked, |record| record.why), record.cloned())
        };
        Some(Reason { range, why, record, was_earlier: false })
    });
    Some(Necessity { text: source.to_vec(), is_result: true, reasons: reasons.collect() })
}
