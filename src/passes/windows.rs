//! Windows: a few neighbouring tokens, whatever they are part of.

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, NodeId};

use super::alternatives::{Action, Alternative, Class};
use super::brackets::Brackets;
use super::fingerprint::Fingerprints;
use super::tokens::rows;

/// Tokens of the longest window.
const LONGEST: usize = 8;
/// Tokens of a text above which there are no windows: each is a parse, and there are seven for every
/// token.
const MOST_TOKENS: usize = 2_000;
/// Tokens on each side of which what happens to a window may depend.
const AROUND: usize = 2;

/// All windows of 2 to 8 tokens of a document that is small enough, last to first; of those that end
/// together the longest first. Single tokens are swept.
///
/// In a text without syntax errors a bracket goes only with its partner: anything else would be an
/// error.
#[must_use]
pub fn windows(document: &Document, grammar: &Grammar, brackets: &Brackets, prints: &Fingerprints) -> Vec<Alternative> {
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let mut all = Vec::new();
    for row in rows(document, grammar).into_iter().rev() {
        let partners = brackets.partners(document, &row);
        for end in (1..=row.len()).rev() {
            for start in end.saturating_sub(LONGEST)..end - 1 {
                let balanced = || partners[start..end].iter().flatten().all(|partner| (start..end).contains(partner));
                if document.errors() > 0 || balanced() {
                    all.extend(window(document, prints, &row, start, end));
                }
            }
        }
    }
    all
}

fn window(document: &Document, prints: &Fingerprints, row: &[NodeId], start: usize, end: usize) -> Option<Alternative> {
    let kind = |token: NodeId| document.parent(token).map_or(0, |parent| document.node(parent).kind);
    let length = u16::try_from(end - start).expect("a window is short");
    let class = Class { action: Action::Window, outer: kind(row[start]), inner: kind(row[end - 1]), depth: length };
    let edit = Edit::delete(between(document, row, start, end));
    let around = prints.of(between(document, row, start.saturating_sub(AROUND), (end + AROUND).min(row.len())));
    Alternative::of_edits(document, prints, class, vec![edit], around)
}

/// The part of the text from one token to before another, blanks at its ends left out.
pub(super) fn between(document: &Document, row: &[NodeId], start: usize, end: usize) -> std::ops::Range<usize> {
    document.node(row[start]).range().start..document.node(row[end - 1]).range().end
}
