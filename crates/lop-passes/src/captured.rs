//! Finds the nodes for the captures of rules, and the content of a block.

use std::ops::Range;

use lop_grammar::{Capture, Grammar};
use lop_syntax::{Document, NodeId};

use super::alternatives::Class;

/// Returns the text to put after the content of a block that replaces `outer`: a line end, if lines matter and the line
/// continues. Without its braces the last statement can need it.
pub(super) fn line_end(document: &Document, grammar: &Grammar, outer: NodeId) -> &'static str {
    let after = &document.source()[document.node(outer).end as usize..];
    let next = after.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    if grammar.keeps_newlines() && next.is_some_and(|&byte| byte != b'\n') { "\n" } else { "" }
}

/// The node that a rule has captured.
pub(super) fn find(document: &Document, capture: &Capture) -> Option<NodeId> {
    document.find(capture.range.start, capture.range.end, capture.kind)
}

/// The class of an edit that keeps `inner` of `outer`.
pub(super) fn class(document: &Document, outer: NodeId, inner: NodeId) -> Class {
    let depth = u16::try_from(document.depth(inner).saturating_sub(document.depth(outer))).unwrap_or(u16::MAX);
    Class { outer: document.node(outer).kind, inner: document.node(inner).kind, depth }
}

/// Returns the range between the first and the last token of a block, without blanks at its ends, and the number of its
/// tokens; `None` if the block has fewer than two tokens. An indented block has no brackets: the range is the whole
/// block.
pub(super) fn inside(document: &Document, grammar: &Grammar, block: NodeId) -> Option<(Range<usize>, u32)> {
    if grammar.is_indented_kind(document.node(block).kind) {
        let whole = document.node(block).range();
        let blank = document.source()[whole.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        return Some((whole.start + blank..whole.end, document.tokens_of(block)));
    }
    let mut children = document.children(block);
    let (open, close) = (children.next()?, children.last()?);
    let (start, end) = (document.node(open).end as usize, document.node(close).start as usize);
    let text = &document.source()[start..end];
    let from = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let to = text.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |last| last + 1);
    let range = if from < to { start + from..start + to } else { start..start };
    Some((range, document.tokens_of(block) - document.tokens_of(open) - document.tokens_of(close)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    #[test]
    fn what_is_inside_has_no_blanks_at_its_ends() {
        let mut languages = Languages;
        for (text, expected) in [("[ 1, 2 ]", 2..6), ("[1]", 1..2), ("[ \n ]", 1..1), ("[]", 1..1)] {
            let sample = languages.sample("x.json", text);
            let found = inside(&sample.document, &sample.grammar, sample.node(text));
            assert_eq!(found.map(|(range, _)| range), Some(expected), "{text}");
        }
    }
}
