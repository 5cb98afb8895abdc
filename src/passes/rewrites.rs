//! Splices and lifts: the local edits that a grammar's rules describe.

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// All splices and lifts of a document.
#[must_use]
pub fn rewrites(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let root = document.tree().root_node();
    let find = |capture: &crate::grammar::Capture| {
        document.find(capture.range.start, capture.range.end, capture.kind)
    };
    let class = |action, outer: NodeId, inner: NodeId| {
        let (outer, inner) = (document.node(outer), document.node(inner));
        let depth = u16::try_from(inner.depth.saturating_sub(outer.depth)).unwrap_or(u16::MAX);
        Class { action, outer: outer.kind, inner: inner.kind, depth }
    };
    let mut all = Vec::new();
    for splice in grammar.rules().splices(root, document.source()) {
        let (Some(outer), Some(inner)) = (find(&splice.outer), find(&splice.inner)) else {
            continue;
        };
        let mut children = document.children(inner);
        let Some(open) = children.next() else { continue };
        let Some(close) = children.last() else { continue };
        let (from, to) = (document.node(open), document.node(close));
        let (start, end) = inside(document.source(), from.end as usize, to.start as usize);
        let tokens = document.node(inner).tokens - from.tokens - to.tokens;
        let class = class(Action::Splice, outer, inner);
        all.extend(Alternative::keep_part(document, prints, class, outer, (start..end, tokens), ""));
    }
    for lift in grammar.rules().lifts(root, document.source()) {
        let (Some(outer), Some(inner)) = (find(&lift.outer), find(&lift.lift)) else { continue };
        let kept = document.node(inner);
        let class = class(Action::Lift, outer, inner);
        let part = (kept.range(), kept.tokens);
        all.extend(Alternative::keep_part(document, prints, class, outer, part, &lift.suffix));
    }
    all
}

/// `start..end` without blanks at its ends, unless it is all blank.
fn inside(source: &[u8], start: usize, end: usize) -> (usize, usize) {
    let text = &source[start..end];
    let from = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let to = text.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |last| last + 1);
    if from < to { (start + from, start + to) } else { (start, start) }
}
