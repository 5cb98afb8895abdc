//! ERROR regions: finds their structure by brackets, lines and separators.
//!
//! Error recovery leaves the tokens of such a region as a flat list. So its statements, lines and list elements are
//! found as in a text without a grammar, and are units like those of a tree.

use std::ops::Range;
use std::sync::Arc;

use lop_syntax::{Document, Edit, Inside, NodeId, Notation, SyntaxParser};

use super::pass::{Facts, Pass, Proposals, Stage, View, Wanted};

/// Statements, lines and elements in syntax errors.
pub(super) struct Regions;

/// Smaller regions have no structure that single tokens have not.
const FEW: usize = 4;
/// At most this number of nodes in a region have units, the outer ones first.
const MOST: usize = 500;

impl Pass for Regions {
    fn facts(&self) -> Facts {
        Facts::new("regions", Stage::Deletion, "statements, lines and list elements inside syntax errors")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else { return Proposals::default() };
        let is_made_of_errors = tree.document.errors() > 0 && tree.grammar.notation().is_none();
        if !is_made_of_errors || view.wanted == Wanted::Alternatives {
            return Proposals::default();
        }
        let parts = regions(tree.document);
        let sequences = parts.into_iter().flat_map(|part| sequences(view.text, part));
        sequences.fold(Proposals::default(), |all, units| all.and(view.any_of(units)))
    }
}

/// Returns the outermost errors with more than a few tokens of their own.
fn regions(document: &Document) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    for id in document.ids().filter(|id| document.node(*id).is_error()) {
        let node = document.node(id).range();
        let is_inside = regions.last().is_some_and(|last| node.start < last.end);
        if !is_inside && document.children(id).filter(|child| document.is_token(*child)).count() > FEW {
            regions.push(node);
        }
    }
    regions
}

/// Returns the lists of a region, outer ones first: for each, the edits that remove one of its elements.
fn sequences(text: &[u8], part: Range<usize>) -> Vec<Vec<Vec<Edit>>> {
    let notation = Arc::new(Notation::of(&text[part.clone()]));
    let inside: Inside = Arc::new(move |_| std::iter::once(part.clone()).collect());
    let mut parser = SyntaxParser::structure(&notation).inside(&inside);
    let Ok(document) = Document::parse(&mut parser, text) else { return Vec::new() };
    let mut nodes: Vec<NodeId> = document.ids().filter(|id| !document.is_leaf(*id)).collect();
    nodes.sort_by_key(|id| document.depth(*id));
    let of = |id: NodeId| document.children(id).filter_map(|child| edits(&document, child)).collect::<Vec<_>>();
    nodes.into_iter().take(MOST).map(of).filter(|units| units.len() > 1).collect()
}

/// Makes the edits that remove an element with its comma; `None` for brackets and separators.
fn edits(document: &Document, id: NodeId) -> Option<Vec<Edit>> {
    if !document.node(id).is_named() {
        return None;
    }
    let comma =
        |sibling: Option<NodeId>| sibling.filter(|id| document.text(*id) == b",").map(|id| document.node(id).range());
    let range = document.node(id).range();
    let edit = match (comma(document.previous_sibling(id)), comma(document.next_sibling(id))) {
        (Some(before), _) => before.start..range.end,
        (None, Some(after)) => range.start..after.end,
        (None, None) => range,
    };
    Some(vec![Edit::delete(edit)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removal;
    use crate::testing::{Languages, lossy};

    #[test]
    fn statements_and_elements_of_a_region_are_units() {
        let text = "a b; f(c, d); e;";
        let sample = Languages.sample("x.json", text);
        let all = sequences(text.as_bytes(), 0..text.len());
        let left = |units: &[Vec<Edit>]| -> Vec<String> {
            units.iter().map(|edits| lossy(&sample.after([&Removal::Edits(edits.clone())]))).collect()
        };
        assert_eq!(left(&all[0]), ["f(c, d); e;", "a b; e;", "a b; f(c, d); "]);
        assert!(all.iter().any(|units| left(units) == ["a b; f( d); e;", "a b; f(c); e;"]), "{all:?}");
    }

    #[test]
    fn a_text_without_errors_has_no_regions() {
        let mut languages = Languages;
        for (file, text) in [("x.json", "[1, 2]"), ("x.c", "int a;"), ("x.c", ""), ("x.json", "[1, ?? 2]")] {
            assert!(regions(&languages.sample(file, text).document).is_empty(), "{text}");
        }
    }
}
