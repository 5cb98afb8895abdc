//! Finds the differences between a text and the text it was made from. The parser only parses these again, and a journal
//! only stores these.

use std::ops::Range;

/// Numbers of bytes to search for. Long ones are rarely found at a wrong place, but if they contain the next
/// difference, they are only found much further on.
const ANCHORS: [usize; 4] = [32, 12, 4, 2];
/// Maximum distance for each of them: a few bytes at a great distance mean nothing.
const NEAR: [usize; 4] = [usize::MAX, 64 << 10, 4 << 10, 256];
/// Maximum number of bytes to search in total, for large texts whose parts are in a new order.
const MOST_LOOKS: usize = 2 << 30;
/// The price of a removed part in bytes, in addition to its own. It prevents removals for the sake of a few equal bytes
/// nearby.
const STEP: usize = 64;
/// The distance in bytes within which texts agree again after a replaced name or number.
const REPLACED: usize = 48;
/// Equal bytes that count as agreement after a replacement.
const AGREEMENT: usize = 6;
/// Equal bytes after a removed part that leave no doubt about it.
const CERTAIN: usize = 16;

/// Finds the parts of `old` that `new` replaces, in order, each with its replacement. Everything between them is the same
/// in both texts. Differences beyond `most` are united.
///
/// One pass over both texts finds them: most candidates are the best result without a few parts. A text for which that
/// isn't true is one difference, except for its equal ends.
#[must_use]
pub fn differences(old: &[u8], new: &[u8], most: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut all = Vec::new();
    let mut looks = 0_usize;
    let mut from = common_prefix(old, new);
    let mut to = from;
    let suffix = common_suffix(&old[from..], &new[to..]);
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    loop {
        if (from, to) == (old_end, new_end) {
            return all;
        }
        let is_last = all.len() + 1 == most || looks > MOST_LOOKS;
        let (old_rest, new_rest) = (&old[from..old_end], &new[to..new_end]);
        let next = if is_last { None } else { next(old_rest, new_rest, &mut looks) };
        let Some((gone, came)) = next else {
            all.push((from..old_end, to..new_end));
            return all;
        };
        all.push((from..from + gone, to..to + came));
        let same = common_prefix(&old_rest[gone..], &new_rest[came..]);
        (from, to) = (from + gone + same, to + came + same);
    }
}

/// Finds the difference at the start of two texts: how much of each belongs to it.
fn next(old: &[u8], new: &[u8], looks: &mut usize) -> Option<(usize, usize)> {
    let removed = nearest(old, new, looks);
    if let Some((gone, same)) = removed
        && same >= CERTAIN
    {
        return Some((gone, 0));
    }
    let replaced = replaced(old, new);
    match (removed, replaced) {
        (Some((gone, same)), Some((_, came))) if same >= common_prefix(&old[replaced?.0..], &new[came..]) => {
            Some((gone, 0))
        }
        (Some((gone, _)), None) => Some((gone, 0)),
        (_, replaced) => replaced,
    }
}

/// Finds a replacement of a few bytes, or the first of two parts that were removed close to each other.
fn replaced(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let agree = |gone: usize, came: usize| {
        let (old, new) = (old.get(gone..gone + AGREEMENT), new.get(came..came + AGREEMENT));
        old.is_some() && old == new
    };
    let mut splits = (1..=REPLACED).flat_map(|both| (1..=both).map(move |came| (both - came, came)));
    let (gone, came) = splits.find(|&(gone, came)| agree(gone, came))?;
    // If the old part contains the new one, two parts were removed.
    let left = memchr::memmem::find(&old[..gone], &new[..came]);
    Some(left.map_or((gone, came), |start| (start, 0)))
}

/// Finds how much of `old` to leave out so that `new` continues there, and how much is equal from there on. It prefers
/// the place with the most equal bytes per byte that is left out.
fn nearest(old: &[u8], new: &[u8], looks: &mut usize) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for (length, near) in ANCHORS.into_iter().zip(NEAR) {
        let Some(anchor) = new.get(..length) else { continue };
        let ahead = &old[..old.len().min(near)];
        let found = memchr::memmem::find(ahead, anchor);
        *looks = looks.saturating_add(found.unwrap_or(ahead.len()));
        let Some(gone) = found.filter(|gone| *gone > 0) else { continue };
        let same = common_prefix(&old[gone..], new);
        let is_better =
            |(other, others): (usize, usize)| same.saturating_mul(other + STEP) > others.saturating_mul(gone + STEP);
        if best.is_none_or(is_better) {
            best = Some((gone, same));
        }
    }
    best
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let mut at = 0;
    // Whole blocks first: comparing slices is a memcmp.
    while at + BLOCK <= a.len().min(b.len()) && a[at..at + BLOCK] == b[at..at + BLOCK] {
        at += BLOCK;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let mut len = 0;
    while len + BLOCK <= a.len().min(b.len())
        && a[a.len() - len - BLOCK..a.len() - len] == b[b.len() - len - BLOCK..b.len() - len]
    {
        len += BLOCK;
    }
    let (a, b) = (&a[..a.len() - len], &b[..b.len() - len]);
    len + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 4096;

    #[test]
    fn parts_that_are_gone_are_found_one_by_one() {
        let line = |i: usize| format!("line number {i} of the text, which is long enough to be told from others\n");
        let old: String = (0..100).map(line).collect();
        let new: String = (0..100).filter(|i| ![0, 7, 8, 50, 99].contains(i)).map(line).collect();
        let all = differences(old.as_bytes(), new.as_bytes(), MOST);
        assert_eq!(all.len(), 4, "{all:?}");
        assert_eq!(all.iter().map(|(gone, _)| gone.len()).sum::<usize>(), old.len() - new.len());
        assert!(all.iter().all(|(_, came)| came.is_empty()));
    }

    /// The text after the next difference must not be mistaken for the text after this one, even if much of it is
    /// equal.
    #[test]
    fn differences_close_to_each_other_are_found_one_by_one() {
        let part = |i: usize| format!("a{i}; // one\n}}\n/* two */\nint f{i}(int a, int b) {{ return 1; }}\n");
        let old: String = (0..200).map(part).collect();
        let new = old.replace(" // one", "").replace("/* two */\n", "");
        let all = differences(old.as_bytes(), new.as_bytes(), MOST);
        assert_eq!(all.len(), 400, "{all:?}");
        assert!(all.iter().all(|(_, came)| came.is_empty()));
    }

    #[test]
    fn common_ends_do_not_overlap() {
        let (a, b) = (b"xaax".as_slice(), b"xaaax".as_slice());
        let prefix = common_prefix(a, b);
        assert_eq!(prefix, 3);
        assert_eq!(common_suffix(&a[prefix..], &b[prefix..]), 1);
        let long = vec![b'a'; 1000];
        assert_eq!(common_prefix(&long, &long[..700]), 700);
        assert_eq!(common_suffix(&long, &long[..700]), 700);
    }

    #[test]
    fn what_came_instead_is_told() {
        let rows = [
            ("abc", "abc", vec![]),
            ("abc", "", vec![(0..3, 0..0)]),
            ("", "abc", vec![(0..0, 0..3)]),
            ("abc", "axc", vec![(1..2, 1..2)]),
            ("aaa", "aa", vec![(2..3, 2..2)]),
        ];
        for (old, new, expected) in rows {
            assert_eq!(differences(old.as_bytes(), new.as_bytes(), MOST), expected, "{old} {new}");
        }
    }

    proptest! {
        #[test]
        fn the_new_text_follows_from_the_old_one(
            old in prop::collection::vec(0u8..3, 0..600),
            cuts in prop::collection::vec((0usize..600, 0usize..60, prop::collection::vec(0u8..3, 0..4)), 0..6),
        ) {
            let mut new = old.clone();
            for (at, len, text) in cuts {
                let start = at.min(new.len());
                let end = (start + len).min(new.len());
                new.splice(start..end, text);
            }
            let mut made = Vec::new();
            let mut done = 0;
            for (gone, came) in differences(&old, &new, MOST) {
                made.extend_from_slice(&old[done..gone.start]);
                prop_assert_eq!(made.len(), came.start);
                made.extend_from_slice(&new[came.clone()]);
                done = gone.end;
            }
            made.extend_from_slice(&old[done..]);
            prop_assert_eq!(made, new);
        }
    }
}
