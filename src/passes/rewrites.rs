//! Rewrites: what the templates of a grammar's rules make of what they match.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::grammar::{Grammar, Piece};
use crate::syntax::{Document, Edit};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// All rewrites of a document, one by one.
#[must_use]
pub fn rewrites(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let found = grammar.rules().rewrites(document.tree().root_node(), document.source());
    let made = found.into_iter().filter_map(|rewrite| {
        let class = class(Action::Rewrite, rewrite.rule, rewrite.outer.kind);
        let edits = place(document.source(), rewrite.outer.range.clone(), &rewrite.pieces);
        Alternative::of_edits(document, prints, class, edits, ())
    });
    made.collect()
}

/// What can be made the same: the texts that one rule matches, each wherever it stands.
#[must_use]
pub fn unifications(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut places: BTreeMap<(usize, &[u8]), (u16, Vec<Edit>)> = BTreeMap::new();
    for rewrite in grammar.rules().unified(document.tree().root_node(), document.source()) {
        let text = &document.source()[rewrite.outer.range.clone()];
        let (_, edits) = places.entry((rewrite.rule, text)).or_insert((rewrite.outer.kind, Vec::new()));
        // One inside another goes with it.
        if edits.last().is_none_or(|last| last.end <= rewrite.outer.range.start) {
            edits.extend(place(document.source(), rewrite.outer.range, &rewrite.pieces));
        }
    }
    let made = places.into_iter().filter_map(|((rule, _), (kind, edits))| {
        Alternative::of_edits(document, prints, class(Action::Unify, rule, kind), edits, ())
    });
    made.collect()
}

/// The class of the edits of one rule.
pub(super) fn class(action: Action, rule: usize, kind: u16) -> Class {
    Class { action, outer: u16::try_from(rule).unwrap_or(u16::MAX), inner: kind, depth: 0 }
}

/// The edits that put pieces in the place of a part of the source. What stays where it is is not
/// written anew, so that what is known about it is not lost.
pub(super) fn place(source: &[u8], outer: Range<usize>, pieces: &[Piece]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut at, mut text) = (outer.start, Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(own) => text.extend_from_slice(own.as_bytes()),
            &Piece::Source { start, end } if at <= start && end <= outer.end => {
                if at < start || !text.is_empty() {
                    edits.push(Edit::replace(at..start, std::mem::take(&mut text)));
                }
                at = end;
            }
            // Out of its order.
            _ => return vec![Edit::replace(outer, written(source, pieces))],
        }
    }
    if at < outer.end || !text.is_empty() {
        edits.push(Edit::replace(at..outer.end, text));
    }
    edits
}

/// The text of some pieces.
pub(super) fn written(source: &[u8], pieces: &[Piece]) -> Vec<u8> {
    let mut text = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(own) => text.extend_from_slice(own.as_bytes()),
            &Piece::Source { start, end } => text.extend_from_slice(&source[start..end]),
        }
    }
    text
}
