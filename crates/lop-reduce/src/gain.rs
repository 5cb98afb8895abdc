//! The gain of an edit, in the measure that the user prefers.

use lop_passes::{Alternative, Prefer};
use lop_syntax::{Document, Edit, NodeId};

/// The preferred measure weighs this many times the one that decides between equals.
const FIRST_COUNTS: f64 = 100.0;

/// The bytes and line feeds that some edits save; negative if they add some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gain {
    pub(super) bytes: i64,
    pub(super) lines: i64,
}

impl Gain {
    /// The bytes and line feeds that edits of a text save.
    pub(super) fn by<'e>(source: &[u8], edits: impl IntoIterator<Item = &'e Edit>) -> Self {
        let mut gain = Gain::default();
        for edit in edits {
            gain.add(&source[edit.start..edit.end], 1);
            gain.add(&edit.text, -1);
        }
        gain
    }

    /// The bytes and line feeds that go with some nodes.
    pub(super) fn with_nodes(document: &Document, nodes: &[NodeId]) -> Self {
        let mut gain = Gain::default();
        nodes.iter().for_each(|&node| gain.add(document.text(node), 1));
        gain
    }

    /// The bytes and line feeds that are saved if one text takes the place of another.
    pub(super) fn of_replacing(text: &[u8], by: &[u8]) -> Self {
        let mut gain = Gain::default();
        gain.add(text, 1);
        gain.add(by, -1);
        gain
    }

    fn add(&mut self, text: &[u8], sign: i64) {
        let count = |number: usize| sign * i64::try_from(number).unwrap_or(i64::MAX);
        self.bytes += count(text.len());
        self.lines += count(memchr::memchr_iter(b'\n', text).count());
    }

    /// The value of the gain and these tokens: in tokens, in bytes (tokens decide between equals) or in lines
    /// (likewise).
    pub(super) fn value(self, prefer: Prefer, tokens: u32) -> f64 {
        let (first, second) = match prefer {
            Prefer::Tokens => return f64::from(tokens),
            Prefer::Bytes => (self.bytes, tokens),
            Prefer::Lines => (self.lines, tokens),
        };
        first.max(0) as f64 + f64::from(second) / FIRST_COUNTS
    }
}

/// Whether an edit is permitted: it doesn't increase the preferred measure.
pub(super) fn is_no_loss(prefer: Prefer, source: &[u8], alternative: &Alternative) -> bool {
    match prefer {
        Prefer::Tokens => true,
        Prefer::Bytes => alternative.bytes >= 0,
        Prefer::Lines => Gain::by(source, &alternative.edits).lines >= 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_lines_are_counted_and_what_comes_is_subtracted() {
        let edits = [Edit::delete(0..4), Edit::replace(4..5, b"xyz\n\n".as_slice())];
        assert_eq!(Gain::by(b"a\n\nbcd", &edits[..1]), Gain { bytes: 4, lines: 2 });
        assert_eq!(Gain::by(b"a\n\nbcd", &edits), Gain { bytes: 0, lines: 0 });
    }

    #[test]
    fn what_is_preferred_decides_and_tokens_between_equals() {
        let (long, tall) = (Gain { bytes: 50, lines: 0 }, Gain { bytes: 10, lines: 3 });
        assert!(long.value(Prefer::Bytes, 1) > tall.value(Prefer::Bytes, 9));
        assert!(long.value(Prefer::Lines, 9) < tall.value(Prefer::Lines, 1));
        assert!(long.value(Prefer::Tokens, 1) < tall.value(Prefer::Tokens, 9));
        assert!(long.value(Prefer::Bytes, 2) > long.value(Prefer::Bytes, 1));
        assert!(tall.value(Prefer::Lines, 2) > tall.value(Prefer::Lines, 1));
    }
}
