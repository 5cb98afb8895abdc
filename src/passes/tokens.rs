//! Tokens: what is left when nothing the tree can name goes any more.

use crate::syntax::{Document, Edit};

use super::{Removal, Sequence, Unit, NO_DEPTH, list_kind};

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
