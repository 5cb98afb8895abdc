//! Single edits that exclude each other: at most one is accepted at a place.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_grammar::RuleId;
use lop_syntax::{Document, Edit, NodeId, count_words};

use super::fingerprint::Fingerprints;

/// The class of an edit: edits of one pass and class have the same expected acceptance rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// Kind of the node that is replaced.
    pub outer: u16,
    /// Kind of the replacing node, or the number of the replacing text.
    pub inner: u16,
    /// Levels between the two.
    pub depth: u16,
}

/// A proposed single edit.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The name of its pass; [`proposals`](super::proposals) sets it.
    pub pass: &'static str,
    /// Its class.
    pub class: Class,
    /// The range of the text that its edits are in.
    pub range: Range<usize>,
    /// The edits of the text.
    pub edits: Vec<Edit>,
    /// Tokens saved. If this is 0, the edit saves bytes.
    pub tokens: u32,
    /// Bytes saved.
    pub bytes: i64,
    /// Whether the stage of local edits leaves it to later stages, because most of it will be removed by then.
    pub is_late: bool,
    /// The memory key: a hash of the pass, the class, the old and the new text, and the kind of the parent. It contains
    /// no offset, because every other edit would change it.
    pub memo: u64,
    /// The grammar's rules that made it, each once.
    pub rules: Vec<RuleId>,
}

impl Alternative {
    /// Sets the rules that propose it; `rules` can contain duplicates.
    pub(super) fn by(self, rules: impl IntoIterator<Item = RuleId>) -> Self {
        Alternative { rules: each_once(rules), ..self }
    }

    /// Makes an alternative without a tree, with its savings and its memory key. All such edits have one class.
    pub(super) fn new(edits: Vec<Edit>, tokens: i64, bytes: i64, memo: u64) -> Self {
        let start = edits.iter().map(|edit| edit.start).min().unwrap_or(0);
        let end = edits.iter().map(|edit| edit.end).max().unwrap_or(start);
        let tokens = u32::try_from(tokens.max(0)).unwrap_or(u32::MAX);
        Alternative {
            pass: "",
            class: Class::default(),
            range: start..end,
            edits,
            tokens,
            bytes,
            is_late: false,
            memo,
            rules: Vec::new(),
        }
    }

    /// Replaces `outer` by the part `kept` of its text, followed by `suffix`. Returns `None` if that saves nothing.
    pub(super) fn keep_part(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        outer: NodeId,
        kept: (Range<usize>, u32),
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
        Self::of_node(document, prints, class, outer, edits, (after, bytes), print)
    }

    /// Replaces `outer` by `text`. Returns `None` if that saves nothing.
    pub(super) fn replace(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        outer: NodeId,
        text: &str,
    ) -> Option<Self> {
        let edits = vec![Edit::replace(document.node(outer).range(), text.as_bytes().to_vec())];
        let after = (count_words(text.as_bytes()), text.len());
        Self::of_node(document, prints, class, outer, edits, after, (0, text))
    }

    /// Makes several edits at once, which are in any order and don't overlap. Returns `None` if they save nothing.
    /// `around` is a further fact that the outcome can depend on, such as the kind of a parent.
    pub(super) fn of_edits(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        edits: Vec<Edit>,
        around: impl Hash,
    ) -> Option<Self> {
        let (made, tokens) = Self::unchecked(document, prints, class, edits, around)?;
        (tokens > 0 || (tokens == 0 && made.bytes > 0)).then_some(made)
    }

    /// Moves a part, which need not save anything.
    pub(super) fn moving(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        edits: Vec<Edit>,
        around: impl Hash,
    ) -> Option<Self> {
        Self::unchecked(document, prints, class, edits, around).map(|(made, _)| made)
    }

    /// Makes edits that can enlarge the text. Negative savings are added tokens.
    fn unchecked(
        document: &Document,
        prints: &Fingerprints,
        class: Class,
        edits: Vec<Edit>,
        around: impl Hash,
    ) -> Option<(Self, i64)> {
        let (mut tokens, mut bytes) = (0, 0);
        let mut hasher = DefaultHasher::new();
        class.hash(&mut hasher);
        around.hash(&mut hasher);
        for edit in &edits {
            let part = edit.start..edit.end;
            tokens += i64::try_from(document.tokens_in(part.clone())).ok()?;
            tokens -= i64::try_from(count_tokens(&edit.text)).ok()?;
            bytes += i64::try_from(part.len()).ok()? - i64::try_from(edit.text.len()).ok()?;
            prints.of(part).hash(&mut hasher);
            edit.text.hash(&mut hasher);
        }
        edits.first()?;
        Some((Alternative { class, ..Self::new(edits, tokens, bytes, hasher.finish()) }, tokens))
    }

    fn of_node(
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
        let tokens = document.tokens_of(outer).checked_sub(u32::try_from(tokens_after).ok()?)?;
        // Require fewer tokens, or equally many in fewer bytes. Otherwise two passes could undo each other's edits
        // forever.
        if tokens == 0 && bytes <= 0 {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        class.hash(&mut hasher);
        content.hash(&mut hasher);
        prints.of(node.range()).hash(&mut hasher);
        document.parent(outer).map(|p| document.node(p).kind).hash(&mut hasher);
        let made = Self::new(edits, tokens.into(), bytes, hasher.finish());
        Some(Alternative { class, range: node.range(), is_late: tokens == 0, ..made })
    }
}

/// Rules in file order, each once.
#[must_use]
pub fn each_once(rules: impl IntoIterator<Item = RuleId>) -> Vec<RuleId> {
    let mut rules: Vec<RuleId> = rules.into_iter().collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Estimates the tokens of a rule's text: its words and other characters. An operator that ends in `=` or `>` counts as
/// one.
fn count_tokens(text: &[u8]) -> usize {
    let goes_on = |pair: &&[u8]| b"=!<>+-*/%&|^".contains(&pair[0]) && matches!(pair[1], b'=' | b'>');
    count_words(text) - text.windows(2).filter(goes_on).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    const CLASS: Class = Class { outer: 1, inner: 2, depth: 0 };

    #[test]
    fn what_is_no_gain_is_no_alternative() {
        let mut languages = Languages;
        // Rows of text, a node, its replacement, and the saved tokens and bytes.
        let rows = [
            ("[[1, 2]]", "[1, 2]", "0", Some((4, 5))),
            ("[10]", "10", "0", Some((0, 1))),
            ("[1]", "1", "0", None),
            ("[1]", "1", "10", None),
            ("[1]", "1", "[]", None),
            ("[[]]", "[]", "{}", None),
            ("[\"abcdefgh\"]", "\"abcdefgh\"", "a b", Some((1, 7))),
        ];
        for (text, part, replacement, saved) in rows {
            let sample = languages.sample("x.json", text);
            let prints = Fingerprints::new(text.as_bytes());
            let node = sample.node(part);
            let made = Alternative::replace(&sample.document, &prints, CLASS, node, replacement);
            assert_eq!(made.map(|made| (made.tokens, made.bytes)), saved, "{replacement} for {part} in {text}");
        }
    }

    #[test]
    fn an_operator_is_one_token() {
        for (text, tokens) in [("a == b", 3), ("a === b", 3), ("() => {}", 5), ("a - b", 3), ("a->b", 3), ("", 0)] {
            assert_eq!(count_tokens(text.as_bytes()), tokens, "{text}");
        }
    }

    #[test]
    fn a_part_is_kept_with_what_follows_it() {
        let sample = Languages.sample("x.json", "[[1, 2], 3]");
        let prints = Fingerprints::new(sample.document.source());
        let outer = sample.node("[1, 2]");
        let rows =
            [(2..3, "", "[1, 3]", 4), (5..6, "", "[2, 3]", 4), (2..6, "", "[1, 2, 3]", 2), (1..3, ";", "[[1;, 3]", 2)];
        for (kept, suffix, result, tokens) in rows {
            let inside = sample.document.tokens_in(kept.clone());
            let kept = (kept, u32::try_from(inside).expect("a small text"));
            let made = Alternative::keep_part(&sample.document, &prints, CLASS, outer, kept, suffix);
            let made = made.expect("tokens go");
            assert_eq!((made.tokens, sample.results(&[made])), (tokens, vec![result.to_owned()]));
        }
    }

    #[test]
    fn memos_tell_edits_apart_by_their_texts_and_not_by_their_places() {
        let sample = Languages.sample("x.json", "[[1, 2], [3, 4], [1, 2]]");
        let prints = Fingerprints::new(sample.document.source());
        let lists: Vec<_> = sample
            .document
            .ids()
            .filter(|&id| sample.document.depth(id) == 2)
            .filter(|&id| sample.document.node(id).is_named())
            .collect();
        let memo = |node, text: &str, class| {
            Alternative::replace(&sample.document, &prints, class, node, text).expect("tokens go").memo
        };
        assert_eq!(memo(lists[0], "0", CLASS), memo(lists[2], "0", CLASS));
        assert_ne!(memo(lists[0], "0", CLASS), memo(lists[1], "0", CLASS));
        assert_ne!(memo(lists[0], "0", CLASS), memo(lists[0], "1", CLASS));
        assert_ne!(memo(lists[0], "0", CLASS), memo(lists[0], "0", Class { depth: 1, ..CLASS }));
    }
}
