//! Splices and lifts: the local edits that a grammar's rules describe.

use std::ops::Range;

use crate::grammar::{Capture, Grammar};
use crate::syntax::{Document, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// All splices of a document.
#[must_use]
pub fn splices(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for splice in grammar.rules().splices(document.tree().root_node(), document.source()) {
        let (Some(outer), Some(inner)) = (find(document, &splice.outer), find(document, &splice.inner)) else {
            continue;
        };
        let Some(part) = inside(document, grammar, inner) else { continue };
        let class = class(document, Action::Splice, outer, inner);
        let end = line_end(document, grammar, outer);
        let made = Alternative::keep_part(document, prints, class, outer, part, end);
        all.extend(made.map(|made| made.by([splice.rule])));
    }
    all
}

/// All lifts of a document.
#[must_use]
pub fn lifts(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for lift in grammar.rules().lifts(document.tree().root_node(), document.source()) {
        let (Some(outer), Some(inner)) = (find(document, &lift.outer), find(document, &lift.lift)) else { continue };
        let class = class(document, Action::Lift, outer, inner);
        let part = (document.node(inner).range(), document.tokens_of(inner));
        let made = Alternative::keep_part(document, prints, class, outer, part, &lift.suffix);
        all.extend(made.map(|made| made.by([lift.rule])));
    }
    all
}

/// What has to follow the inside of a block in the place of `outer`: a line end where lines matter and
/// something follows on the line. Without its braces the last statement may need it.
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
pub(super) fn class(document: &Document, action: Action, outer: NodeId, inner: NodeId) -> Class {
    let depth = u16::try_from(document.depth(inner).saturating_sub(document.depth(outer))).unwrap_or(u16::MAX);
    Class { action, outer: document.node(outer).kind, inner: document.node(inner).kind, depth }
}

/// What stands between the first and the last token of a block, without blanks at its ends, and
/// how many tokens that is; `None` if it has no two tokens. An indented block has no brackets: it is all of it.
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
    use crate::passes::testing::{Languages, assert_proposals};

    #[test]
    fn the_inside_of_a_block_takes_its_statements_place() {
        assert_proposals(
            splices,
            &[
                ("x.c", "void f(void) { if (a) { b(); d(); } }", &["void f(void) { b(); d(); }"]),
                ("x.c", "void f(void) { if (a) {} b(); }", &["void f(void) { b(); }"]),
                (
                    "x.c",
                    "void f(void) { if (a) { b(); } else { d(); } }",
                    &["void f(void) { b(); }", "void f(void) { d(); }"],
                ),
                ("x.c", "void f(void) { { a(); } }", &["void f(void) { a(); }"]),
                // Nothing but the bracket ends the statement in it.
                ("x.js", "if (a) { b() } d()", &["b()\n d()"]),
                ("x.js", "if (a) { b() }\nd()", &["b()\nd()"]),
                ("x.c", "void f(void) { switch (a) { case 1: b(); } }", &[]),
                ("x.js", "try { a(); } finally { b(); }", &["a();", "b();"]),
                ("x.js", "function f() { a(); }", &["a();"]),
                ("x.js", "{ a() } b()", &["a()\n b()"]),
                ("x.js", "{ a() }\nb()", &["a()\nb()"]),
                ("x.json", "[[1]]", &[]),
            ],
        );
    }

    #[test]
    fn a_piece_takes_its_statements_place_with_what_makes_it_a_statement() {
        assert_proposals(
            lifts,
            &[
                ("x.c", "void f(void) { if (a) { } }", &["void f(void) { a; }"]),
                ("x.c", "int f(void) { return a + b; }", &["int f(void) { a + b; }"]),
                ("x.c", "int a = 1;", &[]),
                ("x.c", "void f(void) { int a = b(); }", &["void f(void) { b(); }"]),
            ],
        );
    }

    #[test]
    fn tokens_saved_are_counted() {
        let text = "void f(void) { if (a) { b(); } }";
        let sample = Languages.sample("x.c", text);
        let prints = Fingerprints::new(text.as_bytes());
        let mut found = splices(&sample.document, &sample.grammar, &prints);
        found.extend(lifts(&sample.document, &sample.grammar, &prints));
        let saved: Vec<_> = found.iter().map(|rewrite| (rewrite.class.action, rewrite.tokens, rewrite.bytes)).collect();
        // Ten tokens become four, or two.
        assert_eq!(saved, [(Action::Splice, 6, 11), (Action::Lift, 8, 13)]);
    }

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
