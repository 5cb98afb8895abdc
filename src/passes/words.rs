//! Words, for text that no grammar explains.

use crate::syntax::words;

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::rows::row;
use super::sequence::{Sequence, list_kind};

/// Words, where there is no tree.
pub struct Words;

impl Pass for Words {
    fn facts(&self) -> Facts {
        Facts::new("words", Stage::Text, "runs of words").led()
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        word_units(view.text).into()
    }
}

/// The words of a text as one sequence; `None` if it is empty.
#[must_use]
pub fn word_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::WORDS, || words(text, 0..text.len()))
}
