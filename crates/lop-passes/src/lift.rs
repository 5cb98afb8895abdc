//! Lifts: a part of a statement replaces the statement, with the text that makes it one, by a rule.

use lop_grammar::Grammar;
use lop_syntax::Document;

use super::alternatives::Alternative;
use super::captured::{class, find};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};

/// A part in the place of the whole, by a rule.
pub(super) static LIFT: EditsOfTree = EditsOfTree {
    facts: Facts::new("lift", Stage::LocalEdits, "a part replaces a whole of another class, by a rule").by_rules(),
    make: lifts,
};

/// All lifts of a document.
#[must_use]
pub(super) fn lifts(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for lift in grammar.rules().lifts(document.tree().root(), document.source()) {
        let (Some(outer), Some(inner)) = (find(document, &lift.outer), find(document, &lift.lift)) else { continue };
        let class = class(document, outer, inner);
        let part = (document.node(inner).range(), document.tokens_of(inner));
        let made = Alternative::keep_part(document, prints, class, outer, part, &lift.suffix);
        all.extend(made.map(|made| made.by([lift.rule])));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, assert_proposals};

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
        let found = lifts(&sample.document, &sample.grammar, &prints);
        let saved: Vec<_> = found.iter().map(|lift| (lift.tokens, lift.bytes)).collect();
        // Ten tokens become two.
        assert_eq!(saved, [(8, 13)]);
    }
}
