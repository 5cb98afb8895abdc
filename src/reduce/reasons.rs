//! Looks up why each token of the result is still there.

use crate::passes::{Removal, character_units, token_units, tokens};

use super::memory::Why;
use super::necessity::{Necessity, Reason};
use super::session::Session;

/// Tokens times bytes above which nothing is looked up: each token costs a copy and a hash of the text.
const MOST_WORK: usize = 64 << 20;

/// Looks up why each token of a text stays; `None` where that would take too long. There are no pending edits.
pub(super) fn necessity(session: &Session<'_, '_>) -> Option<Necessity> {
    let current = session.current();
    let source = current.source();
    let units = match current.grammar() {
        Some(grammar) => token_units(current.document(), &tokens(current.document(), grammar).collect::<Vec<_>>()),
        None => character_units(source, std::slice::from_ref(&(0..source.len()))),
    };
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
