//! A set of positions as sorted, disjoint ranges that don't touch: the positions that a candidate leaves out.

use std::ops::Range;

/// Sorted, disjoint, non-touching, non-empty ranges.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Runs {
    // Pairs instead of `Range`, which has no order.
    pairs: Vec<(usize, usize)>,
}

impl From<Range<usize>> for Runs {
    fn from(range: Range<usize>) -> Self {
        let mut runs = Self::default();
        runs.insert(range);
        runs
    }
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

    /// Adds every range of `other`.
    pub(crate) fn insert_all(&mut self, other: &Self) {
        for range in other.iter() {
            self.insert(range);
        }
    }

    /// The ranges, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.pairs.iter().map(|&(start, end)| start..end)
    }

    /// The end of the range that contains `position`.
    pub(crate) fn run_at(&self, position: usize) -> Option<usize> {
        let index = self.pairs.partition_point(|&(_, end)| end <= position);
        let &(start, end) = self.pairs.get(index)?;
        (start <= position).then_some(end)
    }

    /// Whether every position of `other` is here as well.
    pub(crate) fn is_superset(&self, other: &Self) -> bool {
        let mut index = 0;
        other.pairs.iter().all(|&(start, end)| {
            while self.pairs.get(index).is_some_and(|&(_, e)| e < end) {
                index += 1;
            }
            self.pairs.get(index).is_some_and(|&(s, _)| s <= start)
        })
    }

    /// The first position of this set that is not in `other`.
    pub(crate) fn first_not_in(&self, other: &Self) -> Option<usize> {
        let mut index = 0;
        for &(start, end) in &self.pairs {
            let mut position = start;
            while position < end {
                while other.pairs.get(index).is_some_and(|&(_, e)| e <= position) {
                    index += 1;
                }
                match other.pairs.get(index) {
                    Some(&(s, e)) if s <= position => position = e,
                    _ => return Some(position),
                }
            }
        }
        None
    }

    /// The units in this set and not in `other`, as ranges.
    pub(crate) fn minus(&self, other: &Self) -> Vec<Range<usize>> {
        let mut rest = Vec::new();
        let mut index = 0;
        for &(start, end) in &self.pairs {
            let mut from = start;
            while from < end {
                while other.pairs.get(index).is_some_and(|&(_, e)| e <= from) {
                    index += 1;
                }
                match other.pairs.get(index) {
                    Some(&(s, e)) if s < end => {
                        if from < s {
                            rest.push(from..s);
                        }
                        from = e;
                    }
                    _ => {
                        rest.push(from..end);
                        from = end;
                    }
                }
            }
        }
        rest
    }

    /// How many positions are in the set.
    pub(crate) fn count(&self) -> usize {
        self.pairs.iter().map(|&(start, end)| end - start).sum()
    }

    /// One past the largest position in the set, 0 when it is empty.
    pub(crate) fn end(&self) -> usize {
        self.pairs.last().map_or(0, |&(_, end)| end)
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
                let before = runs.clone();
                runs.insert(start..start + length);
                plain[start..start + length].fill(true);
                prop_assert!(runs.is_superset(&before));
                prop_assert_eq!(before.is_superset(&runs), before == runs);
                prop_assert_eq!(runs.first_not_in(&before).is_none(), before == runs);
                let new: Vec<usize> = runs.minus(&before).into_iter().flatten().collect();
                prop_assert_eq!(new, (0..50).filter(|&p| plain[p] && before.run_at(p).is_none()).collect::<Vec<_>>());
            }
            for (position, &inside) in plain.iter().enumerate() {
                prop_assert_eq!(runs.run_at(position).is_some(), inside);
            }
            prop_assert_eq!(runs.count(), plain.iter().filter(|&&inside| inside).count());
            let gaps: Vec<usize> = runs.gaps(50).collect();
            prop_assert_eq!(gaps, (0..50).filter(|&p| !plain[p]).collect::<Vec<_>>());
            let touching = runs.iter().zip(runs.iter().skip(1)).any(|(a, b)| a.end >= b.start);
            prop_assert!(!touching, "touching or overlapping ranges are joined");
        }
    }
}
