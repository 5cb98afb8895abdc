//! Splices: the content of a block replaces the statement around it, by a rule.

use lop_grammar::Grammar;
use lop_syntax::Document;

use super::alternatives::Alternative;
use super::captured::{class, find, inside, line_end};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};

/// A block's inside in the place of its statement.
pub(super) static SPLICE: EditsOfTree = EditsOfTree {
    facts: Facts::new("splice", Stage::LocalEdits, "the content of a block replaces its statement").by_rules(),
    make: splices,
};

/// All splices of a document.
#[must_use]
pub(super) fn splices(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for splice in grammar.rules().splices(document.tree().root(), document.source()) {
        let (Some(outer), Some(inner)) = (find(document, &splice.outer), find(document, &splice.inner)) else {
            continue;
        };
        let Some(part) = inside(document, grammar, inner) else { continue };
        let class = class(document, outer, inner);
        let end = line_end(document, grammar, outer);
        let made = Alternative::keep_part(document, prints, class, outer, part, end);
        all.extend(made.map(|made| made.by([splice.rule])));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lop_languages::LANGUAGES;

    use super::*;
    use crate::testing::{Languages, Sample, assert_proposals, lossy};

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
    fn splices_of_every_sample_parse() {
        let mut wrong = Vec::new();
        for folder in LANGUAGES.built_in {
            let Some((_, source)) = folder.sample else { continue };
            let grammar = Arc::new(Grammar::load(folder).expect("it is built in"));
            let mut sample = Sample::new(grammar, source.to_vec());
            let (prints, before) = (Fingerprints::new(source), sample.document.errors());
            for splice in splices(&sample.document, &sample.grammar, &prints) {
                let texts = sample.grammar.rules().texts();
                if splice.rules.iter().any(|rule| texts[rule.index()].is_common()) {
                    continue;
                }
                let left = sample.rendered(splice.edits.clone());
                if sample.errors(&left).is_none_or(|errors| errors > before) {
                    wrong.push(format!("{}: {}", folder.name, lossy(&source[splice.range.clone()])));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn tokens_saved_are_counted() {
        let text = "void f(void) { if (a) { b(); } }";
        let sample = Languages.sample("x.c", text);
        let prints = Fingerprints::new(text.as_bytes());
        let found = splices(&sample.document, &sample.grammar, &prints);
        let saved: Vec<_> = found.iter().map(|splice| (splice.tokens, splice.bytes)).collect();
        // Ten tokens become four.
        assert_eq!(saved, [(6, 11)]);
    }
}
