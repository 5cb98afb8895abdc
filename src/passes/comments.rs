//! Comments: they rarely matter, so they go first and together.

use crate::grammar::Grammar;
use crate::syntax::Document;

use super::{Removal, Sequence, Unit, NO_DEPTH, list_kind};

/// All comments of a document as one sequence; `None` if it has none.
#[must_use]
pub fn comments(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let units: Vec<_> = document
        .ids()
        .filter(|&id| grammar.is_comment(document.node(id).kind) && !document.node(id).is_empty())
        .map(|id| Unit { removal: Removal::Nodes(vec![id]), tokens: 0, cleared: false })
        .collect();
    (!units.is_empty()).then_some(Sequence { kind: list_kind::COMMENTS, depth: NO_DEPTH, units })
}
