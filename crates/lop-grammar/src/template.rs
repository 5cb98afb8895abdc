//! Templates: the replacement of a match, made of text and captures.
//!
//! `{_name}` is the text of the capture `@_name`, and `{_name.inside}` the text between its first and last token.
//! Everything else is literal, including other braces.

use std::ops::Range;

use tree_sitter::{CaptureQuantifier, Node, Query, QueryMatch};

use super::problem::Problem;
use lop_syntax::Root;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// The rule's own text.
    Text(String),
    /// A part of the source.
    Source {
        /// Its first byte.
        start: usize,
        /// One past its last byte.
        end: usize,
    },
}

impl From<Range<usize>> for Piece {
    fn from(range: Range<usize>) -> Self {
        Piece::Source { start: range.start, end: range.end }
    }
}

/// A template, with its captures resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Capture { index: u32, inside: bool },
}

impl Template {
    /// Reads the template of a pattern.
    ///
    /// # Errors
    /// When it names a capture that the pattern does not have.
    pub(super) fn parse(text: &str, query: &Query, pattern: usize) -> Result<Self, Problem> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{_") {
            let name = &rest[start + 1..];
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(name.len());
            if !name[end..].starts_with('}') {
                plain.push_str(&rest[..start + 2]);
                rest = &rest[start + 2..];
                continue;
            }
            plain.push_str(&rest[..start]);
            let (capture, inside) = match name[..end].strip_suffix(".inside") {
                Some(capture) => (capture, true),
                None => (&name[..end], false),
            };
            let index = query
                .capture_index_for_name(capture)
                .filter(|&index| query.capture_quantifiers(pattern)[index as usize] != CaptureQuantifier::Zero)
                .ok_or_else(|| Problem::NoCapture(capture.to_owned()))?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Capture { index, inside });
            rest = &name[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Template { parts })
    }

    /// The pieces that the template makes of a match. A capture that is missing (it was optional) is nothing;
    /// one that holds several nodes reaches from the first to the last.
    pub(super) fn fill(&self, root: Root<'_>, found: &QueryMatch<'_, '_>, source: &[u8]) -> Vec<Piece> {
        let pieces = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(Piece::Text(text.clone())),
            Part::Capture { index, inside } => {
                let mut nodes = found.captures().iter().filter(|c| c.index == *index).map(|c| c.node);
                let first = nodes.next()?;
                let range = if *inside {
                    inside_of(root, first, source)?
                } else {
                    let range = root.range(first);
                    range.start..nodes.map(|node| root.range(node).end).max().unwrap_or(0).max(range.end)
                };
                (!range.is_empty()).then_some(Piece::from(range))
            }
        });
        pieces.collect()
    }
}

/// The range between a node's first and last token, without the blanks at its ends.
fn inside_of(root: Root<'_>, node: Node<'_>, source: &[u8]) -> Option<Range<usize>> {
    let last = node.child(node.child_count().checked_sub(1)?)?;
    let (start, end) = (root.range(node.child(0)?).end, root.range(last).start);
    let text = source.get(start..end)?;
    let trimmed = text.trim_ascii();
    let from = start + (text.len() - text.trim_ascii_start().len());
    Some(from..from + trimmed.len())
}
