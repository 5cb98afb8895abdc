//! Minimal replacements: a node becomes a shortest text that the grammar allows at its place.

use lop_grammar::Grammar;
use lop_syntax::Document;

use super::alternatives::{Alternative, Class};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};
use super::place::place;

/// A shortest text that the grammar allows.
pub(super) static MINIMAL: EditsOfTree = EditsOfTree {
    facts: Facts::new("minimal", Stage::LocalEdits, "a part becomes the shortest text that is valid there")
        .again_in(Stage::Late),
    make: minimal_replacements,
};

/// An edit that saves more tokens is large.
const LARGE: u32 = 8;

/// All replacements by the grammar's minimal texts.
#[must_use]
pub(super) fn minimal_replacements(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for id in document.ids().skip(1) {
        let node = document.node(id);
        if !node.is_named() || node.is_extra() || node.is_empty() {
            continue;
        }
        all.extend((0..).zip(grammar.minimal(place(document, id))).filter_map(|(number, text)| {
            let class = Class { outer: node.kind, inner: number, depth: 0 };
            let made = Alternative::replace(document, prints, class, id, &text)?;
            // If the simplest text was refused as a replacement of something large, the others usually are, too.
            let is_late = made.is_late || number > 0 && made.tokens > LARGE;
            Some(Alternative { is_late, ..made }.by([text.rule]))
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    #[test]
    fn nodes_become_the_texts_of_their_place() {
        // Text, a node, and the texts after each replacement of it.
        let rows: [(&str, &str, &str, &[&str]); 11] = [
            ("x.c", "int x = f(a);", "f(a)", &["int x = 0;", "int x = 1;"]),
            ("x.c", "int f(void) { return 1; }", "{ return 1; }", &["int f(void) ;", "int f(void) {}"]),
            ("x.c", "int f(a) int a; { return 1; }", "{ return 1; }", &["int f(a) int a; {}"]),
            (
                "x.c",
                "void f(void) { if (a + b) d(); }",
                "a + b",
                &["void f(void) { if (0) d(); }", "void f(void) { if (1) d(); }"],
            ),
            ("x.c", "int x, *p = &x;", "x", &[]),
            ("x.c", "int x = 0;", "0", &[]),
            ("x.c", "char *s = \"ab\";", "\"ab\"", &["char *s = 0;"]),
            ("x.js", "f(function () { a(); });", "{ a(); }", &["f(function () {});"]),
            ("x.js", "x = [1, 2];", "[1, 2]", &["x = 0;"]),
            ("x.json", "[[1, 2]]", "[1, 2]", &["[0]"]),
            ("x.json", "[1.25]", "1.25", &["[0]"]),
        ];
        let mut languages = Languages;
        for (file, text, part, expected) in rows {
            let sample = languages.sample(file, text);
            let node = sample.node(part);
            let prints = Fingerprints::new(text.as_bytes());
            let mut found = minimal_replacements(&sample.document, &sample.grammar, &prints);
            found.retain(|replacement| replacement.range == sample.document.node(node).range());
            assert_eq!(sample.results(&found), expected, "{part} in {text}");
        }
    }

    #[test]
    fn a_replacement_is_never_larger_and_repeating_it_ends() {
        let mut languages = Languages;
        for (file, text) in [
            ("x.c", "int f(int a) { return a ? f(a - 1) : \"s\"[0]; }"),
            ("x.js", "x = [f(1), { a: 'b' }, () => { d(); }];"),
            ("x.json", "[1.5, \"a\", {\"b\": [true]}]"),
        ] {
            let (mut text, mut rounds) = (text.to_owned(), 0);
            loop {
                let sample = languages.sample(file, text.as_str());
                let prints = Fingerprints::new(text.as_bytes());
                let found = minimal_replacements(&sample.document, &sample.grammar, &prints);
                let Some(last) = found.last() else { break };
                let smaller = sample.results(std::slice::from_ref(last)).remove(0);
                assert!(last.tokens > 0 || last.bytes > 0);
                assert!(last.tokens > 0 || smaller.len() < text.len(), "{text} became {smaller}");
                text = smaller;
                rounds += 1;
                assert!(rounds < 100, "{text}");
            }
        }
    }
}
