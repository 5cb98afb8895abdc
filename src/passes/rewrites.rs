//! Splices and lifts: the local edits that a grammar's rules describe.

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// All splices and lifts of a document.
#[must_use]
pub fn rewrites(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let root = document.tree().root_node();
    let find = |capture: &crate::grammar::Capture| document.find(capture.range.start, capture.range.end, capture.kind);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::Languages;

    /// Rows of file, text, and the texts after each edit of one action, in order.
    #[track_caller]
    fn assert_rewrites(action: Action, rows: &[(&str, &str, &[&str])]) {
        let mut languages = Languages::default();
        for &(file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let mut found = rewrites(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            found.retain(|rewrite| rewrite.class.action == action);
            let mut results = sample.results(&found);
            results.sort();
            let mut expected: Vec<_> = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(results, expected, "{text}");
        }
    }

    #[test]
    fn the_inside_of_a_block_takes_its_statements_place() {
        assert_rewrites(
            Action::Splice,
            &[
                ("x.c", "void f(void) { if (a) { b(); d(); } }", &["void f(void) { b(); d(); }"]),
                ("x.c", "void f(void) { if (a) {} b(); }", &["void f(void) { b(); }"]),
                (
                    "x.c",
                    "void f(void) { if (a) { b(); } else { d(); } }",
                    &["void f(void) { b(); }", "void f(void) { d(); }"],
                ),
                ("x.c", "void f(void) { { a(); } }", &["void f(void) { a(); }"]),
                ("x.c", "void f(void) { switch (a) { case 1: b(); } }", &[]),
                ("x.js", "try { a(); } finally { b(); }", &["a();", "b();"]),
                ("x.js", "function f() { a(); }", &["a();"]),
                ("x.json", "[[1]]", &[]),
            ],
        );
    }

    #[test]
    fn a_piece_takes_its_statements_place_with_what_makes_it_a_statement() {
        assert_rewrites(
            Action::Lift,
            &[
                ("x.c", "void f(void) { if (a) { } }", &["void f(void) { a; }"]),
                ("x.c", "int f(void) { return a + b; }", &["int f(void) { a + b; }"]),
                ("x.c", "int a = 1;", &["int a;"]),
                ("x.c", "void f(void) { int a = b(); }", &["void f(void) { b(); }", "void f(void) { int a; }"]),
            ],
        );
    }

    #[test]
    fn tokens_saved_are_counted() {
        let text = "void f(void) { if (a) { b(); } }";
        let sample = Languages::default().sample("x.c", text);
        let found = rewrites(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        let saved: Vec<_> = found.iter().map(|rewrite| (rewrite.class.action, rewrite.tokens, rewrite.bytes)).collect();
        // Ten tokens become four, or two.
        assert_eq!(saved, [(Action::Splice, 6, 11), (Action::Lift, 8, 13)]);
    }

    #[test]
    fn what_is_inside_has_no_blanks_at_its_ends() {
        assert_eq!(inside(b"{ a b }", 1, 6), (2, 5));
        assert_eq!(inside(b"{a}", 1, 2), (1, 2));
        assert_eq!(inside(b"{ \n }", 1, 4), (1, 1));
        assert_eq!(inside(b"{}", 1, 1), (1, 1));
    }
}
