//! Pairs: removes a bracket with its partner, and keeps the content.

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::brackets::Brackets;
use super::fingerprint::Fingerprints;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::tokens::rows;
use super::windows::between;

/// A bracket with its partner.
pub(super) struct Pairs;

impl Pass for Pairs {
    fn facts(&self) -> Facts {
        Facts::new("pairs", Stage::Tokens, "brackets with their partners")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else { return Proposals::default() };
        pairs(tree.document, tree.grammar, tree.brackets(), tree.prints()).into()
    }
}

/// Tokens before the opening bracket that may go with it: a name, a name and an operator.
const MOST_BEFORE: usize = 2;
/// Tokens of a text above which there are no pairs: each is a parse.
const MOST_TOKENS: usize = 4_000;
/// Nodes with the same text above a bracket that are looked at.
const MOST_LEVELS: usize = 8;

/// All pairs of brackets of a document that is small enough, each alone, with one and two tokens
/// before it, and with all that the node around it has outside.
#[must_use]
pub(super) fn pairs(
    document: &Document,
    grammar: &Grammar,
    brackets: &Brackets,
    prints: &Fingerprints,
) -> Vec<Alternative> {
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let mut all = Vec::new();
    let rows = rows(document, grammar);
    let row = rows.concat();
    // The number of tokens before each one in its row.
    let before: Vec<_> = rows.iter().flat_map(|row| 0..row.len()).collect();
    let partners = brackets.partners(document, &row);
    for (open, partner) in partners.iter().enumerate() {
        // With nothing inside it is a run of tokens.
        let Some(close) = partner.filter(|&close| close > open + 1) else { continue };
        let inner = document.node(row[close]).range();
        for before in 0..=MOST_BEFORE.min(before[open]) {
            let opening = between(document, &row, open - before, open + 1);
            let variant = u16::try_from(before).expect("it is small");
            let edits = vec![Edit::delete(opening), Edit::delete(inner.clone())];
            all.extend(pair(document, prints, &row, open, variant, edits));
        }
        if let Some(outer) = around(document, row[open], inner.end) {
            let outer = document.node(outer).range();
            let opening = outer.start..document.node(row[open]).range().end;
            let edits = vec![Edit::delete(opening), Edit::delete(inner.start..outer.end)];
            all.extend(pair(document, prints, &row, open, OUTSIDE, edits));
        }
    }
    all
}

/// In the place of the number of tokens that go before the opening bracket.
const OUTSIDE: u16 = 9;

fn pair(
    document: &Document,
    prints: &Fingerprints,
    row: &[NodeId],
    open: usize,
    variant: u16,
    edits: Vec<Edit>,
) -> Option<Alternative> {
    let bracket = row[open];
    let outer = document.parent(bracket).map_or(0, |parent| document.node(parent).kind);
    let class = Class { outer, inner: document.node(bracket).kind, depth: variant };
    // The inside says which pair it is.
    let end = edits.last().map_or(0, |edit| edit.end);
    let whole = prints.of(between(document, row, open.saturating_sub(MOST_BEFORE), open + 1).start..end);
    Alternative::of_edits(document, prints, class, edits, whole)
}

/// The innermost node that has something outside the pair that starts with a token and ends at `end`.
fn around(document: &Document, open: NodeId, end: usize) -> Option<NodeId> {
    let start = document.node(open).start;
    let mut at = document.parent(open)?;
    for _ in 0..MOST_LEVELS {
        let node = document.node(at);
        let after = node.end as usize;
        // In a malformed text it may hold the opening bracket alone.
        if after >= end && (node.start < start || after > end) {
            return Some(at);
        }
        at = document.parent(at)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    /// The texts after each edit; brackets are learnt from `lesson`.
    fn results(languages: &mut Languages, file: &str, lesson: &str, text: &str) -> Vec<String> {
        let mut brackets = Brackets::default();
        brackets.learn(&languages.sample(file, lesson).document);
        let sample = languages.sample(file, text);
        let prints = Fingerprints::new(text.as_bytes());
        sample.results(&pairs(&sample.document, &sample.grammar, &brackets, &prints))
    }

    #[test]
    fn a_bracket_goes_with_its_partner() {
        let c = "int f(void) { int b[] = {1}; return (b); }";
        let js = "f(a); [b]; { c; } (d);";
        let rows: [(&str, &str, &str, &[&str]); 9] = [
            ("x.json", "[{}]", "[1]", &["1"]),
            ("x.json", "[{}]", "{\"a\":[1]}", &["\"a\":[1]", "{\"a\":1}", "{\"a\"1}", "{\"a 1}", "{1}"]),
            ("x.json", "[{}]", "[]", &[]),
            ("x.js", js, "f(x)", &["f x", "x", "x"]),
            ("x.js", js, "a = *(x)", &["a = *x", "a = x", "a x", "x"]),
            ("x.c", c, "int a = b(1);", &["int a = b 1;", "int a = 1;", "int a 1;", "int a = 1;"]),
            ("x.c", c, "#if A\n(b);\n#endif\n", &["#if A\nb;\n#endif\n", "#if A\nb\n#endif\n"]),
            // Brackets that the tree has not paired.
            ("x.json", "[{}]", "{[1}", &["[1"]),
            ("x.c", c, "((a) ;;;", &["(a ;;;", "a ;;;", "a ;;;"]),
        ];
        let mut languages = Languages;
        for (file, lesson, text, expected) in rows {
            assert_eq!(results(&mut languages, file, lesson, text), expected, "{text}");
        }
    }

    #[test]
    fn large_texts_have_no_pairs() {
        let mut languages = Languages;
        let deep = "[".repeat(20_000) + "1" + &"]".repeat(20_000);
        assert_eq!(results(&mut languages, "x.json", "[1]", &deep), [""; 0]);
        let less = "[".repeat(1_000) + "1" + &"]".repeat(1_000);
        assert!(results(&mut languages, "x.json", "[1]", &less).len() >= 1_000);
    }
}
