//! Nodes that a rule has matched.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

/// How deep in the tree a match may start: tree-sitter counts depth in 16 bits. Deeper ones are not found: that costs
/// edits, never correctness, and real code stays far below.
pub(super) const DEEPEST_START: u32 = 2048;

/// A node that a rule has matched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Capture {
    /// The bytes of the source that the node covers.
    pub range: Range<usize>,
    /// The node's kind.
    pub kind: u16,
}

impl Ord for Capture {
    /// In document order: by the start, and a node before the nodes inside it.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |capture: &Self| (capture.range.start, Reverse(capture.range.end), capture.kind);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Capture {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
