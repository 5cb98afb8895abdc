//! Stores the change from one text to the next in few bytes. Most steps of a reduction remove parts of a text; some
//! replace them by a few bytes.
//!
//! A delta is a list of moves: *skip n bytes of the old text, insert these bytes, copy m bytes of the old text*. One
//! pass over both texts finds it. At a difference it looks for the rest of the new text nearby in the old one (a
//! replaced name), then further on (a removed part). This is linear and exact, but not minimal.

use super::varint::{Reader, put};

/// Bytes compared at once.
const BLOCK: usize = 1024;
/// Distance in bytes within which texts must agree again after a small change.
const NEAR: usize = 48;
/// Equal bytes that count as agreement after a small change.
const NEAR_MATCH: usize = 6;
/// Maximum length in bytes of a removed part that is tried before a small change.
const CUT: usize = 2048;
/// Equal bytes that count as agreement after a long removed part.
const FAR_MATCH: usize = 16;
/// Effort limit for long removed parts, as a multiple of the texts' length.
const PATIENCE: usize = 4;

/// Computes the delta from `old` to `new`.
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
        // The common end may be longer than the rest of the shorter text.
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

/// Applies a delta to `old`; `None` if it doesn't fit.
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

/// Counts the equal bytes at the start of two texts.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    // Whole blocks first: most of a large text stays the same from step to step.
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let start = blocks * BLOCK;
    start + one[start..].iter().zip(&other[start..]).take_while(|(a, b)| a == b).count()
}

/// Counts the equal bytes at the end of two texts.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let end = blocks * BLOCK;
    let rest = |text: &[u8]| text.len() - end;
    let (one, other) = (&one[..rest(one)], &other[..rest(other)]);
    end + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Finds a removed part of a few lines. This comes first: if lines are similar, the next one looks like this one with a
/// few bytes changed.
fn cut(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let wanted = new.get(..FAR_MATCH)?;
    memchr::memmem::find(&old[..old.len().min(CUT)], wanted).map(|skip| (skip, 0))
}

/// Finds a change of a few bytes: how much to skip and to insert until the texts agree again.
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

/// Finds a removed part of any length.
fn far(old: &[u8], new: &[u8], patience: &mut usize) -> Option<(usize, usize)> {
    let wanted = new.get(..FAR_MATCH)?;
    if *patience == 0 {
        return None;
    }
    let found = memchr::memmem::find(old, wanted);
    *patience = patience.saturating_sub(found.unwrap_or(old.len()));
    found.map(|skip| (skip, 0))
}

/// Collects moves, and merges them if possible.
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

    /// In a move, the skip and the insertion come before the copy.
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
        // A skip at the end is redundant.
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

    /// Random bytes.
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

        /// Parts longer than all limits, some of them removed, changed or replaced: the search for long removed parts
        /// reaches its effort limit in some.
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
