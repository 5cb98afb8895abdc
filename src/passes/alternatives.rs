//! Single edits of which at most one is taken at a place.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::syntax::{Document, Edit, NodeId, count_words};

use super::fingerprint::Fingerprints;

/// What kind of edit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// A descendant takes the place of its ancestor.
    Hoist,
    /// A node becomes a shortest text that the grammar allows in its place.
    Minimal,
    /// The inside of a block takes the place of the statement that holds it.
    Splice,
    /// A piece takes the place of its statement, with what makes it a statement.
    Lift,
}

/// Edits of one class are expected to be accepted equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// What is done.
    pub action: Action,
    /// Kind of the node that is replaced.
    pub outer: u16,
    /// Kind of what takes its place, or the number of the text that does.
    pub inner: u16,
    /// Levels between the two.
    pub depth: u16,
}

/// One edit that could be made.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// Its class.
    pub class: Class,
    /// The node it replaces.
    pub node: NodeId,
    /// The edits of the text.
    pub edits: Vec<Edit>,
    /// Tokens saved; never negative, and where it is 0 bytes are saved.
    pub tokens: u32,
    /// Bytes saved.
    pub bytes: i64,
    /// What this edit is, whatever stands around it: the class, the text before and after and the
    /// kind of the parent. Never an offset, which would change with every other edit.
    pub memo: u64,
}

impl Alternative {
    /// Replaces `outer` by the part `kept` of its text, followed by `suffix`; `None` if that is no
    /// gain.
    pub(super) fn keep_part(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        outer: NodeId,
        kept: (std::ops::Range<usize>, u32),
        suffix: &str,
    ) -> Option<Self> {
        let (kept, kept_tokens) = kept;
        let range = document.node(outer).range();
        let mut edits = Vec::with_capacity(2);
        if range.start < kept.start {
            edits.push(Edit::delete(range.start..kept.start));
        }
        if kept.end < range.end || !suffix.is_empty() {
            edits.push(Edit::replace(kept.end..range.end, suffix.as_bytes().to_vec()));
        }
        let after = kept_tokens as usize + count_words(suffix.as_bytes());
        let bytes = kept.len() + suffix.len();
        let print = (prints.of(kept), suffix);
        Self::new(document, prints, class, outer, edits, (after, bytes), print)
    }

    /// Replaces `outer` by `text`; `None` if that is no gain.
    pub(super) fn replace(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        outer: NodeId,
        text: &str,
    ) -> Option<Self> {
        let edits = vec![Edit::replace(document.node(outer).range(), text.as_bytes().to_vec())];
        let after = (count_words(text.as_bytes()), text.len());
        Self::new(document, prints, class, outer, edits, after, (0, text))
    }

    fn new(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        outer: NodeId,
        edits: Vec<Edit>,
        (tokens_after, bytes_after): (usize, usize),
        content: (u64, &str),
    ) -> Option<Self> {
        let node = document.node(outer);
        let bytes = i64::try_from(node.len()).ok()? - i64::try_from(bytes_after).ok()?;
        let tokens = node.tokens.checked_sub(u32::try_from(tokens_after).ok()?)?;
        // Fewer tokens, or as many and fewer bytes: otherwise two passes could undo each other's
        // work for ever.
        if tokens == 0 && bytes <= 0 {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        class.hash(&mut hasher);
        content.hash(&mut hasher);
        prints.of(node.range()).hash(&mut hasher);
        document.parent(outer).map(|p| document.node(p).kind).hash(&mut hasher);
        Some(Alternative { class, node: outer, edits, tokens, bytes, memo: hasher.finish() })
    }
}
