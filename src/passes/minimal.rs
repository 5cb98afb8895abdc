//! Minimal replacements: a node becomes a shortest text that the grammar allows in its place.

use crate::grammar::Grammar;
use crate::syntax::Document;

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// All replacements by the grammar's minimal texts.
#[must_use]
pub fn minimal_replacements(
    document: &Document,
    grammar: &Grammar,
    prints: &Fingerprints,
) -> Vec<Alternative> {
    let mut all = Vec::new();
    for id in document.ids().skip(1) {
        let node = document.node(id);
        if !node.is_named() || node.is_extra() || node.is_empty() {
            continue;
        }
        let parent = document.parent(id).map(|p| document.node(p).kind);
        let field = (node.field != 0).then_some(node.field);
        let texts = grammar.minimal(parent, field, node.kind);
        all.extend((0..).zip(texts).filter_map(|(number, text)| {
            let class = Class { action: Action::Minimal, outer: node.kind, inner: number, depth: 0 };
            Alternative::replace(document, prints, class, id, text)
        }));
    }
    all
}
