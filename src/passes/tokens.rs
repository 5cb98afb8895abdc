//! Tokens: what is left when nothing the tree can name goes any more.

use crate::syntax::{Document, Edit};

use super::{NO_DEPTH, Removal, Sequence, Unit, list_kind};

/// All tokens of a document as one sequence; `None` if it has none.
#[must_use]
pub fn token_units(document: &Document) -> Option<Sequence> {
    let units: Vec<_> = document
        .ids()
        .filter(|&id| document.is_leaf(id) && !document.node(id).is_empty())
        .map(|id| Unit {
            removal: Removal::Edits(vec![Edit::delete(document.node(id).range())]),
            tokens: document.node(id).tokens,
            cleared: false,
        })
        .collect();
    (!units.is_empty()).then_some(Sequence { kind: list_kind::TOKENS, depth: NO_DEPTH, units })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::Languages;

    #[test]
    fn every_token_is_a_unit() {
        let rows: [(&str, &str, &[&str]); 6] = [
            ("x.json", "[1, 2]", &["1, 2]", "[, 2]", "[1 2]", "[1, ]", "[1, 2"]),
            ("x.c", "int a;", &["a;", "int ;", "int a"]),
            ("x.c", "int a; // b", &["a; // b", "int ; // b", "int a // b", "int a; "]),
            ("x.js", "a+b", &["+b", "a b", "a+"]),
            // An implied semicolon has no bytes to take out.
            ("x.js", "a\nb", &["b", "a\n"]),
            ("x.c", "", &[]),
        ];
        let mut languages = Languages::default();
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let sequence = token_units(&sample.document);
            assert_eq!(sample.units(sequence.as_ref()), expected, "{text}");
            assert_eq!(sequence.map_or(0, |sequence| sequence.tokens()), sample.document.tokens() as u64);
        }
    }

    #[test]
    fn without_all_its_tokens_a_text_is_blank() {
        let text = "int f(int a) { return a; } // b\n#define A 1\n";
        let sample = Languages::default().sample("x.c", text);
        let sequence = token_units(&sample.document).expect("the text has tokens");
        let left = sample.after(sequence.units.iter().map(|unit| &unit.removal));
        assert!(left.trim_ascii().is_empty(), "{}", left.escape_ascii());
    }
}
