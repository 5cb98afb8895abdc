//! Tokens, for the end, when no node of the tree can be removed any more.

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::indentation::is_filler;
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// The tokens that are worth testing: all leaves with bytes, except for the line feeds that end directives. Removing
/// one of those would join two lines.
pub fn tokens(document: &Document, grammar: &Grammar) -> impl Iterator<Item = NodeId> {
    leaves(document).filter(|&id| !ends_a_line(document, grammar, id) && !is_filler(document, grammar, id))
}

/// Splits the tokens into rows that end with a directive, whether or not its line feed is a leaf.
pub(super) fn rows(document: &Document, grammar: &Grammar) -> Vec<Vec<NodeId>> {
    let mut rows = vec![Vec::new()];
    let mut last: Option<NodeId> = None;
    for id in leaves(document) {
        let mut ends = ends_a_line(document, grammar, id);
        // Every node is left once.
        let mut left = last;
        while let Some(node) = left.filter(|&node| !document.contains(node, id)) {
            ends |= grammar.is_newline_sensitive(document.node(node).kind);
            left = document.parent(node);
        }
        last = Some(id);
        if ends {
            rows.push(Vec::new());
        }
        if !ends_a_line(document, grammar, id)
            && let Some(row) = rows.last_mut()
        {
            row.push(id);
        }
    }
    rows
}

fn leaves(document: &Document) -> impl Iterator<Item = NodeId> {
    document.ids().filter(|&id| document.is_leaf(id) && !document.node(id).is_empty())
}

fn ends_a_line(document: &Document, grammar: &Grammar, id: NodeId) -> bool {
    let parent = document.parent(id).map(|parent| document.node(parent).kind);
    document.text(id).trim_ascii().is_empty() && parent.is_some_and(|kind| grammar.is_newline_sensitive(kind))
}

/// Proposes some [`tokens`] of a document as one sequence with a unit for each. Returns `None` if there are none.
#[must_use]
pub fn token_units(document: &Document, tokens: &[NodeId]) -> Option<Sequence> {
    let units: Vec<_> = tokens
        .iter()
        .map(|&id| Unit {
            removal: Removal::Edits(vec![Edit::delete(document.node(id).range())]),
            tokens: document.tokens_of(id),
            known_to_parse: false,
        })
        .collect();
    (!units.is_empty()).then_some(Sequence::of(list_kind::TOKENS, units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, Sample};

    fn all_tokens(sample: &Sample) -> Option<Sequence> {
        let all: Vec<_> = tokens(&sample.document, &sample.grammar).collect();
        token_units(&sample.document, &all)
    }

    #[test]
    fn the_end_of_a_directive_is_no_unit() {
        let sample = Languages.sample("x.c", "#define A 1\nint a;\n");
        let sequence = all_tokens(&sample);
        let units = sample.units(sequence.as_ref());
        assert_eq!(units.len(), 6, "{units:?}");
        assert!(units.iter().all(|text| text.starts_with("int a") || text.contains('\n')), "{units:?}");
    }

    #[test]
    fn every_token_is_a_unit() {
        let rows: [(&str, &str, &[&str]); 6] = [
            ("x.json", "[1, 2]", &["1, 2]", "[, 2]", "[1 2]", "[1, ]", "[1, 2"]),
            ("x.c", "int a;", &["a;", "int ;", "int a"]),
            ("x.c", "int a; // b", &["a; // b", "int ; // b", "int a // b", "int a; "]),
            ("x.js", "a+b", &["+b", "a b", "a+"]),
            // An implied semicolon has no bytes to remove.
            ("x.js", "a\nb", &["b", "a\n"]),
            ("x.c", "", &[]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let sequence = all_tokens(&sample);
            assert_eq!(sample.units(sequence.as_ref()), expected, "{text}");
            assert_eq!(sequence.map_or(0, |sequence| sequence.tokens()), sample.document.tokens() as u64);
        }
    }

    #[test]
    fn without_all_its_tokens_a_text_is_blank() {
        let text = "int f(int a) { return a; } // b\n#define A 1\n";
        let sample = Languages.sample("x.c", text);
        let sequence = all_tokens(&sample).expect("the text has tokens");
        let left = sample.after(sequence.units.iter().map(|unit| &unit.removal));
        assert!(left.trim_ascii().is_empty(), "{}", left.escape_ascii());
    }
}
