//! Rewrites: the templates of a grammar's rules replace the matched text.

use std::ops::Range;

use lop_grammar::{Grammar, Piece};
use lop_syntax::{Document, Edit};

use super::alternatives::{Alternative, Class};
use super::fingerprint::Fingerprints;
use super::indentation::moved;
use super::pass::{EditsOfTree, Facts, Growth, MOST_MORE, Stage};

/// Nodes in the form that a rule's template gives them.
pub(super) static REWRITE: EditsOfTree = EditsOfTree {
    facts: Facts::new("rewrite", Stage::Rules, "what a rule's template makes of a node")
        .by_rules()
        .growing(Growth::Tokens(MOST_MORE)),
    make: rewrites,
};

/// All rewrites of a document, one by one.
#[must_use]
pub(super) fn rewrites(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let found = grammar.rules().rewrites(document.tree().root(), document.source());
    let made = found.into_iter().filter_map(|rewrite| {
        let class = class(rewrite.rule.index(), rewrite.outer.kind);
        let edits = place(grammar, document.source(), rewrite.outer.range.clone(), &rewrite.pieces);
        // The edits don't touch text that stays at its place.
        let around = prints.of(rewrite.outer.range.clone());
        Some(Alternative::of_edits(document, prints, class, edits, around)?.by([rewrite.rule]))
    });
    made.collect()
}

/// The class of the edits of one rule.
pub(super) fn class(rule: usize, kind: u16) -> Class {
    Class { outer: u16::try_from(rule).unwrap_or(u16::MAX), inner: kind, depth: 0 }
}

/// Makes the edits that put pieces in place of a part of the source. They leave text at its place untouched, so that
/// knowledge about it isn't lost.
pub(super) fn place(grammar: &Grammar, source: &[u8], outer: Range<usize>, pieces: &[Piece]) -> Vec<Edit> {
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
            _ => return vec![Edit::replace(outer, written(grammar, source, pieces))],
        }
    }
    if at < outer.end || !text.is_empty() {
        edits.push(Edit::replace(at..outer.end, text));
    }
    edits
}

/// The text of some pieces.
pub(super) fn written(grammar: &Grammar, source: &[u8], pieces: &[Piece]) -> Vec<u8> {
    let mut text = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(own) => text.extend_from_slice(own.as_bytes()),
            &Piece::Source { start, end } => text.extend(moved(grammar, source, start, source[start..end].to_vec())),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, assert_proposals, shipped_sample};

    #[test]
    fn what_a_rule_matches_becomes_what_its_template_says() {
        assert_proposals(
            rewrites,
            &[
                ("x.c", "void f(void) { g(x); }", &["void f(void) { return x; }"]),
                ("x.c", "int a; int b;", &["int a, b;"]),
                ("x.c", "int a; char b;", &[]),
                ("x.js", "try { } catch (e) { a(); }", &["try { } catch { a(); }", "\na();\n"]),
                ("x.js", "x = y?.z;", &["x = y.z;"]),
                ("x.js", "x = y['z'];", &["x = y.z;"]),
                ("x.js", "x = y['a b'];", &[]),
                ("x.js", "let a; let b;", &["let a, b;"]),
                ("x.js", "let a; var b;", &[]),
                ("x.js", "f(...[a, b]);", &["f(a, b);"]),
                ("x.js", "f(...[]);", &[]),
                ("x.js", "if (a) b(); else d();", &["a;\nb();"]),
                ("x.js", "switch (a) { case 1: b(); d(); }", &["b(); d();\n"]),
                ("x.js", "import a from 'b';", &["var a;"]),
                ("x.json", "[[1], {\"a\": 2}]", &["[[1], [2]]"]),
            ],
        );
    }

    #[test]
    fn functions_become_shorter_functions() {
        assert_proposals(
            rewrites,
            &[
                ("x.js", "f((a) => { return b; });", &["f((a) => b);", "f((a) => 0);", "f(a => { return b; });"]),
                ("x.js", "f(a => { return { b }; });", &["f(a => ({ b }));", "f(a => 0);"]),
                ("x.js", "f(() => 1);", &["f(_ => 1);"]),
                (
                    "x.js",
                    "f(function (a, b) { return b; });",
                    &["f\nfunction a(a, b) { return b; }", "f((a, b) => b);", "f((a, b) => { return b; });"],
                ),
                (
                    "x.js",
                    "(function (b) { return b; });",
                    &["function a(b) { return b; }", "((b) => b);", "((b) => { return b; });"],
                ),
                ("x.js", "class A { m(a) { b(); } }", &["function m(a) { b(); }"]),
                ("x.js", "class A { constructor(a) { b(); } }", &["function A(a) { b(); }"]),
            ],
        );
    }

    #[test]
    fn no_rewrite_of_a_sample_saves_nothing() {
        let mut languages = Languages;
        for file in ["x.c", "x.js", "x.json"] {
            let sample = languages.sample(file, shipped_sample(file));
            let prints = Fingerprints::new(sample.document.source());
            let all = rewrites(&sample.document, &sample.grammar, &prints);
            assert!(all.iter().all(|made| made.tokens > 0 || made.bytes > 0));
        }
    }

    #[test]
    fn what_stays_in_its_place_is_not_written_anew() {
        let source = b"if (a) b; else d;";
        let text = |text: &str| Piece::Text(text.to_owned());
        let rows: [(&[Piece], Vec<Edit>); 4] = [
            (&[Piece::from(7..9)], vec![Edit::replace(0..7, b""), Edit::replace(9..17, b"")]),
            (
                &[Piece::from(4..5), text(";"), Piece::from(7..17)],
                vec![Edit::replace(0..4, b""), Edit::replace(5..7, b";")],
            ),
            (&[Piece::from(15..17), Piece::from(7..9)], vec![Edit::replace(0..17, b"d;b;")]),
            (&[], vec![Edit::replace(0..17, b"")]),
        ];
        for (pieces, edits) in rows {
            assert_eq!(place(&Languages.grammar("x.js"), source, 0..17, pieces), edits, "{pieces:?}");
        }
    }
}
