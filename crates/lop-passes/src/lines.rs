//! Lines, for text without a grammar.

use lop_syntax::lines;

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::rows::row;
use super::sequence::{Sequence, list_kind};

/// Lines, if there is no tree.
pub struct Lines;

impl Pass for Lines {
    fn facts(&self) -> Facts {
        Facts::new("lines", Stage::Text, "runs of lines").led("they cut down what is too large for a tree")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        line_units(view.text).into()
    }
}

/// Proposes the lines of a text as one sequence. Returns `None` if it is empty.
#[must_use]
pub fn line_units(text: &[u8]) -> Option<Sequence> {
    row(list_kind::LINES, || lines(text))
}
