//! The change from one text to the next, in few bytes: most steps of a reduction take parts out of a text, some put a
//! few bytes in their place.
//!
//! A delta is a list of moves, each *skip so much of the old text, put these bytes in, copy so much of the old text*.
//! It is found in one pass over both texts: where they part, what follows in the new text is looked for nearby in the
//! old one (a replaced name), then far behind (a part that went). That is linear and exact, not minimal.

use super::varint::{Reader, put};

/// Bytes that are compared at once.
const BLOCK: usize = 1024;
/// How far texts are looked at for a common continuation behind a small change, in bytes.
const NEAR: usize = 48;
/// How many equal bytes are taken for a continuation behind a small change.
const NEAR_MATCH: usize = 6;
/// How far a part that went is looked over before a small change is thought of, in bytes.
const CUT: usize = 2048;
/// How many equal bytes are looked for in the rest of the old text.
const FAR_MATCH: usize = 16;
/// Searching in the rest of the old text ends when this many times the texts' length was looked at.
const PATIENCE: usize = 4;

/// The delta from `old` to `new`.
#[must_use]
pub(super) fn between(old: &[u8], new: &[u8]) -> Vec<u8> {
    let end = common_end(old, new);
    let mut moves = Moves::default();
    let (mut from, mut to) = (0, 0);
    let mut patience = PATIENCE * (old.len() + new.len());
    loop {
        let same = common_start(&old[from..], &new[to..]);
        moves.copy(same);
        (from, to) = (from + same, to + same);
        // The common end may be longer than what is left of the shorter text.
        let end = end.min(new.len() - to).min(old.len() - from);
        let (old_rest, new_rest) = (&old[from..old.len() - end], &new[to..new.len() - end]);
        if new_rest.is_empty() {
            moves.skip(old_rest.len());
            moves.copy(end);
            return moves.finish();
        }
        let (skip, insert) = cut(old_rest, new_rest)
            .or_else(|| near(old_rest, new_rest))
            .or_else(|| far(old_rest, new_rest, &mut patience))
            .unwrap_or((0, if patience == 0 { new_rest.len() } else { new_rest.len().min(FAR_MATCH) }));
        moves.skip(skip);
        moves.insert(&new_rest[..insert]);
        (from, to) = (from + skip, to + insert);
    }
}

/// The text that a delta makes of `old`; `None` if it was not made for it.
#[must_use]
pub(super) fn apply(old: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(delta);
    let mut new = Vec::new();
    let mut rest = old;
    while !reader.is_empty() {
        rest = rest.get(reader.length()?..)?;
        let inserted = reader.length()?;
        new.extend_from_slice(reader.bytes(inserted)?);
        let copied = reader.length()?;
        new.extend_from_slice(rest.get(..copied)?);
        rest = &rest[copied..];
    }
    Some(new)
}

/// Bytes that two texts have in common at their start.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    // Whole blocks first: most of a large text stays from step to step.
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let start = blocks * BLOCK;
    start + one[start..].iter().zip(&other[start..]).take_while(|(a, b)| a == b).count()
}

/// Bytes that they have in common at their end.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let end = blocks * BLOCK;
    let rest = |text: &[u8]| text.len() - end;
    let (one, other) = (&one[..rest(one)], &other[..rest(other)]);
    end + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// A part that went, of a few lines at most. Looked for first: where lines are much alike, the next one looks like this
/// one with a few bytes changed.
fn cut(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let wanted = new.get(..FAR_MATCH)?;
    memchr::memmem::find(&old[..old.len().min(CUT)], wanted).map(|skip| (skip, 0))
}

/// A change of a few bytes: what is skipped and what is put in before the texts go on alike.
fn near(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let matches = |skip: usize, insert: usize| {
        let (old, new) = (old.get(skip..), new.get(insert..));
        old.zip(new).is_some_and(|(old, new)| {
            old.len() >= NEAR_MATCH && new.len() >= NEAR_MATCH && old[..NEAR_MATCH] == new[..NEAR_MATCH]
        })
    };
    let splits = (1..=NEAR).flat_map(|both| (0..=both).map(move |insert| (both - insert, insert)));
    splits.into_iter().find(|&(skip, insert)| matches(skip, insert))
}

/// A part that went, of any length.
fn far(old: &[u8], new: &[u8], patience: &mut usize) -> Option<(usize, usize)> {
    let wanted = new.get(..FAR_MATCH)?;
    if *patience == 0 {
        return None;
    }
    let found = memchr::memmem::find(old, wanted);
    *patience = patience.saturating_sub(found.unwrap_or(old.len()));
    found.map(|skip| (skip, 0))
}

/// Moves as they are found; those that can be one are.
#[derive(Default)]
struct Moves {
    bytes: Vec<u8>,
    skip: usize,
    inserted: Vec<u8>,
    copy: usize,
}

impl Moves {
    fn skip(&mut self, length: usize) {
        if length > 0 {
            self.begin();
            self.skip += length;
        }
    }

    fn insert(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.begin();
            self.inserted.extend_from_slice(bytes);
        }
    }

    fn copy(&mut self, length: usize) {
        self.copy += length;
    }

    /// A skip or an insertion comes before the copy of its move.
    fn begin(&mut self) {
        if self.copy > 0 {
            self.write();
        }
    }

    fn write(&mut self) {
        put(&mut self.bytes, self.skip as u64);
        put(&mut self.bytes, self.inserted.len() as u64);
        self.bytes.append(&mut self.inserted);
        put(&mut self.bytes, self.copy as u64);
        (self.skip, self.copy) = (0, 0);
    }

    fn finish(mut self) -> Vec<u8> {
        // A skip at the very end says nothing.
        if self.copy > 0 || !self.inserted.is_empty() {
            self.write();
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn delta(old: &[u8], new: &[u8]) -> usize {
        let delta = between(old, new);
        assert_eq!(apply(old, &delta).as_deref(), Some(new));
        delta.len()
    }

    /// Bytes without an order.
    fn noise(seed: u64, length: usize) -> Vec<u8> {
        let next =
            |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        std::iter::successors(next(&seed), next).map(|state| (state >> 56) as u8).take(length).collect()
    }

    fn lines(keep: impl Fn(usize) -> bool) -> Vec<u8> {
        (0..2_000).filter(|&n| keep(n)).flat_map(|n| format!("line {n} of many\n").into_bytes()).collect()
    }

    #[test]
    fn what_goes_costs_a_few_bytes_a_gap() {
        let all = lines(|_| true);
        assert!(delta(&all, &lines(|n| !(500..1_500).contains(&n))) <= 12);
        let ten = delta(&all, &lines(|n| n % 200 != 7));
        assert!(ten <= 10 * 8, "{ten}");
        assert!(delta(&all, b"") <= 4 && delta(b"", &all) <= all.len() + 8);
    }

    #[test]
    fn a_name_that_changes_everywhere_costs_its_places() {
        let old = lines(|_| true);
        let new = String::from_utf8_lossy(&old).replace("many", "a").into_bytes();
        assert!(delta(&old, &new) < 2_000 * 8, "{}", delta(&old, &new));
    }

    #[test]
    fn texts_with_nothing_in_common_end_soon() {
        let old: Vec<u8> = (0..400_000_u32).flat_map(|n| n.to_le_bytes()).collect();
        let new: Vec<u8> = (1_000_000..1_400_000_u32).flat_map(|n| n.to_be_bytes()).collect();
        assert!(delta(&old, &new) < new.len() + new.len() / 4);
    }

    #[test]
    fn a_delta_of_another_text_is_noticed() {
        let delta = between(b"a long text that loses a part", b"a text that loses a part");
        assert_eq!(apply(b"short", &delta), None);
        assert_eq!(apply(b"", &[5]), None);
        assert_eq!(apply(b"abc", &[0, 200, 200]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Parts longer than blocks and than what is looked over, of which some go, change or are others: the search in the
        /// rest of the old text loses its patience in the middle of some.
        #[test]
        fn long_texts_lead_to_each_other(parts in prop::collection::vec((any::<u64>(), 0..3 * CUT, 0..4_u8), 0..8)) {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for (seed, length, fate) in parts {
                let part = noise(seed, length);
                match fate {
                    0 => {}
                    1 => new.extend(noise(!seed, length)),
                    2 => new.extend(part.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at % BLOCK == NEAR))),
                    _ => new.extend(&part),
                }
                old.extend(part);
            }
            delta(&old, &new);
        }

        #[test]
        fn every_text_leads_to_every_other(old in "[ab ]{0,80}", new in "[ab ]{0,80}") {
            delta(old.as_bytes(), new.as_bytes());
        }

        #[test]
        fn subsets_and_replacements_come_back(old in prop::collection::vec(any::<u8>(), 0..300), keep in any::<u64>(), put in "[a-c]{0,4}") {
            let mut new: Vec<u8> = old.chunks(7).enumerate().filter(|(n, _)| keep >> (n % 64) & 1 == 1).flat_map(|(_, c)| c.to_vec()).collect();
            let middle = new.len() / 2;
            new.splice(middle..middle, put.into_bytes());
            delta(&old, &new);
        }
    }
}
