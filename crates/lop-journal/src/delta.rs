//! Stores the change from one text to the next in few bytes. Most steps of a reduction remove parts of a text; some
//! replace them by a few bytes.
//!
//! A delta is a list of moves: *skip n bytes of the old text, insert these bytes, copy m bytes of the old text*, made of
//! the [differences](lop_syntax::differences) of both texts. It is exact, but not minimal.

use lop_syntax::differences;

use super::varint::{Reader, put};

/// Computes the delta from `old` to `new`.
#[must_use]
pub(super) fn between(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut differences = differences(old, new, usize::MAX);
    // The first move may begin with a copy, and the last one ends with one.
    if differences.first().is_none_or(|(gone, came)| gone.start > 0 || came.start > 0) {
        differences.insert(0, (0..0, 0..0));
    }
    let ends = differences.iter().skip(1).map(|(gone, _)| gone.start).chain([old.len()]).collect::<Vec<_>>();
    let mut bytes = Vec::new();
    for ((gone, came), end) in differences.into_iter().zip(ends) {
        // A skip at the end is redundant.
        if came.is_empty() && end == gone.end && end == old.len() {
            break;
        }
        put(&mut bytes, gone.len() as u64);
        put(&mut bytes, came.len() as u64);
        bytes.extend_from_slice(&new[came]);
        put(&mut bytes, (end - gone.end) as u64);
    }
    bytes
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BLOCK: usize = 1024;
    const NEAR: usize = 48;
    const CUT: usize = 2048;

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
