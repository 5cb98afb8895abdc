//! Words and the whitespace between them, for text without a grammar.

use lop_syntax::{is_blank, words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::rows::row;
use super::sequence::{Sequence, list_kind};

/// Words, if there is no tree.
pub struct Words;

impl Pass for Words {
    fn facts(&self) -> Facts {
        Facts::new("words", Stage::Text, "runs of words").led("they cut down what is too large for a tree")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        match &view.tree {
            // Its words are units of the tree.
            Some(tree) if tree.grammar.is_of_any_text() => gap_units(view.text).into(),
            _ => word_units(view.text).into(),
        }
    }
}

/// Proposes the words of a text as one sequence. Returns `None` if it is empty.
#[must_use]
pub fn word_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::WORDS, || words(text, 0..text.len()))
}

/// Proposes the runs of blanks of a text as one sequence. Returns `None` if there are none.
fn gap_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::WORDS, || words(text, 0..text.len()).filter(|word| is_blank(text[word.start])))
}
