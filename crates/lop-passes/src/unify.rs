//! Unifications: makes different texts of one kind equal everywhere, by a rule.

use std::collections::BTreeMap;

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Growth, MOST_MORE, Stage};
use super::rewrites::{class, place};

/// Different texts of one kind made the same.
pub(super) static UNIFY: EditsOfTree = EditsOfTree {
    facts: Facts::new("unify", Stage::Rules, "equal texts replaced by a simpler one, all together")
        .by_rules()
        .growing(Growth::Tokens(MOST_MORE)),
    make: unifications,
};

/// The edits of one rule in the places that have one text, and the kind of the first of these.
type Places<'t> = BTreeMap<(RuleId, &'t [u8]), (u16, Vec<Edit>)>;

/// Makes several texts equal: edits at all matches of one rule.
#[must_use]
pub(super) fn unifications(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut places: Places<'_> = BTreeMap::new();
    for rewrite in grammar.rules().unified(document.tree().root(), document.source()) {
        let text = &document.source()[rewrite.outer.range.clone()];
        let (_, edits) = places.entry((rewrite.rule, text)).or_insert((rewrite.outer.kind, Vec::new()));
        // One inside another is removed with it.
        if edits.last().is_none_or(|last| last.end <= rewrite.outer.range.start) {
            edits.extend(place(grammar, document.source(), rewrite.outer.range.clone(), &rewrite.pieces));
        }
    }
    let made = places.into_iter().filter_map(|((rule, _), (kind, edits))| {
        let class = class(rule.index(), kind);
        Some(Alternative::of_edits(document, prints, class, edits, ())?.by([rule]))
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, assert_proposals, shipped_sample};

    #[test]
    fn equal_texts_become_another_text_together() {
        assert_proposals(
            unifications,
            &[
                ("x.c", "char a; char b; int d;", &["int a; int b; int d;"]),
                ("x.c", "char a; float b;", &["int a; float b;", "char a; int b;"]),
                ("x.c", "int a;", &[]),
                ("x.js", "a === b; const d = a === 1;", &["a == b; const d = a == 1;", "a === b; let d = a === 1;"]),
                ("x.js", "let a = b == 1;", &[]),
                ("x.json", "[1, 1]", &[]),
            ],
        );
    }

    #[test]
    fn no_unification_of_a_sample_saves_nothing() {
        let mut languages = Languages;
        for file in ["x.c", "x.js", "x.json"] {
            let sample = languages.sample(file, shipped_sample(file));
            let prints = Fingerprints::new(sample.document.source());
            let all = unifications(&sample.document, &sample.grammar, &prints);
            assert!(all.iter().all(|made| made.tokens > 0 || made.bytes > 0));
        }
    }
}
