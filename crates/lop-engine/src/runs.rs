//! A set of positions as sorted, disjoint ranges that don't touch: the positions that a candidate leaves out.

use std::ops::Range;

/// Sorted, disjoint, non-touching, non-empty ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    pairs: Vec<(usize, usize)>,
}

impl Runs {
    /// Adds `range`, and joins it with ranges that it touches or overlaps. Appending at the end costs O(1).
    pub(crate) fn insert(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        let first = match self.pairs.last() {
            Some(&(_, last_end)) if last_end >= start => self.pairs.partition_point(|&(_, e)| e < start),
            _ => {
                self.pairs.push((start, end));
                return;
            }
        };
        let mut after = first;
        while let Some(&(s, e)) = self.pairs.get(after)
            && s <= end
        {
            start = start.min(s);
            end = end.max(e);
            after += 1;
        }
        self.pairs.splice(first..after, [(start, end)]);
    }

    /// The ranges, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.pairs.iter().map(|&(start, end)| start..end)
    }

    /// The positions of `0..len` that are in no range, ascending.
    pub(crate) fn gaps(&self, len: usize) -> impl Iterator<Item = usize> + '_ {
        let starts = std::iter::once(0).chain(self.pairs.iter().map(|&(_, end)| end));
        let ends = self.pairs.iter().map(|&(start, _)| start).chain(std::iter::once(len));
        starts.zip(ends).flat_map(|(start, end)| start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_behave_like_a_set_of_positions(ranges in prop::collection::vec((0_usize..40, 0_usize..8), 0..12)) {
            let mut runs = Runs::default();
            let mut plain = [false; 50];
            for (start, length) in ranges {
                runs.insert(start..start + length);
                plain[start..start + length].fill(true);
            }
            let inside: Vec<usize> = runs.iter().flatten().collect();
            prop_assert_eq!(inside, (0..50).filter(|&p| plain[p]).collect::<Vec<_>>());
            let gaps: Vec<usize> = runs.gaps(50).collect();
            prop_assert_eq!(gaps, (0..50).filter(|&p| !plain[p]).collect::<Vec<_>>());
            let touching = runs.iter().zip(runs.iter().skip(1)).any(|(a, b)| a.end >= b.start);
            prop_assert!(!touching, "touching or overlapping ranges are joined");
        }
    }
}
