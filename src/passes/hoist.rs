//! Hoisting: a descendant takes the place of its ancestor.
//!
//! After deletion this is where most of the size goes (Perses calls it replacement by a compatible
//! descendant; Sun et al., ICSE 2018).

use std::collections::VecDeque;

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::fingerprint::Fingerprints;

/// Levels below a node in which a replacement is looked for.
const MAX_DEPTH: u16 = 4;
/// Candidates a node. More cost tests and were not found to make anything smaller.
const MAX_CANDIDATES: usize = 10;
/// Nodes looked at below one node: a list of 100,000 elements would make the search quadratic.
const MAX_VISITED: usize = 200;

/// All hoists of a document.
#[must_use]
pub fn hoists(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for outer in document.ids().skip(1) {
        let node = document.node(outer);
        if !node.is_named() || node.is_extra() || node.is_error() || grammar.is_opaque(node.kind) {
            continue;
        }
        let alternatives = compatible_descendants(document, grammar, outer, MAX_CANDIDATES);
        all.extend(alternatives.into_iter().filter_map(|(inner, depth)| {
            let kept = document.node(inner);
            let class = Class { action: Action::Hoist, outer: node.kind, inner: kept.kind, depth };
            let part = (kept.range(), kept.tokens);
            Alternative::keep_part(document, prints, class, outer, part, "")
        }));
    }
    all
}

/// Descendants that may stand where `outer` stands, breadth first, with their distance.
pub(super) fn compatible_descendants(
    document: &Document,
    grammar: &Grammar,
    outer: NodeId,
    most: usize,
) -> Vec<(NodeId, u16)> {
    let kind = document.node(outer).kind;
    let mut found = Vec::new();
    let mut queue = VecDeque::from([(outer, 0)]);
    let mut visited = 0;
    while let Some((node, depth)) = queue.pop_front() {
        for child in document.children(node) {
            visited += 1;
            if visited > MAX_VISITED {
                return found;
            }
            let this = document.node(child);
            if !this.is_named() || this.is_extra() || this.is_empty() {
                continue;
            }
            if grammar.may_replace(kind, this.kind) {
                found.push((child, depth + 1));
                if found.len() == most {
                    return found;
                }
            }
            if depth + 1 < MAX_DEPTH && !grammar.is_opaque(this.kind) {
                queue.push_back((child, depth + 1));
            }
        }
    }
    found
}
