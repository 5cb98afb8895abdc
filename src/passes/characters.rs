//! Characters, words and lines: what remains for text that no grammar explains, and for the
//! inside of tokens.

use std::ops::Range;

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, characters, lines, words};

use super::{Removal, Sequence, Unit, NO_DEPTH, list_kind};

/// The parts of a document whose characters are worth asking about one by one: ERROR regions, the
/// contents of strings, numbers, opaque tokens and comments, and what the tree does not cover.
#[must_use]
pub fn sensitive_ranges(document: &Document, grammar: &Grammar) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let root = document.node(0).range();
    if root.start > 0 {
        ranges.push(0..root.start);
    }
    for id in document.ids() {
        let node = document.node(id);
        let inside = ranges.last().is_some_and(|r| r.end >= node.end as usize);
        if node.is_empty() || inside {
            continue;
        }
        let kind = node.kind;
        if node.is_error()
            || grammar.is_string(kind)
            || grammar.is_number(kind)
            || grammar.is_opaque(kind)
            || grammar.is_comment(kind)
        {
            ranges.push(node.range());
        }
    }
    // The root reaches to the end of the text, but what stands behind the last token is in nothing.
    let last = document.ids().filter(|&id| document.is_leaf(id)).map(|id| document.node(id).end).max();
    let rest = last.map_or(root.start, |end| end as usize)..document.source().len();
    if !rest.is_empty() && ranges.last().is_none_or(|r| r.end <= rest.start) {
        ranges.push(rest);
    }
    ranges
}

/// The characters of some parts of a text as one sequence; `None` if there are none.
#[must_use]
pub fn character_units(text: &[u8], parts: &[Range<usize>]) -> Option<Sequence> {
    row(list_kind::CHARACTERS, parts.iter().flat_map(|p| characters(text, p.clone())))
}

/// The words of a text as one sequence; `None` if it is empty.
#[must_use]
pub fn word_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::WORDS, words(text, 0..text.len()).into_iter())
}

/// The lines of a text as one sequence; `None` if it is empty.
#[must_use]
pub fn line_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::LINES, lines(text).into_iter())
}

fn row(kind: u32, ranges: impl Iterator<Item = Range<usize>>) -> Option<Sequence> {
    let units: Vec<_> = ranges
        .map(|range| Unit {
            removal: Removal::Edits(vec![Edit::delete_raw(range)]),
            tokens: 1,
            cleared: false,
        })
        .collect();
    (!units.is_empty()).then_some(Sequence { kind, depth: NO_DEPTH, units })
}
