//! A fixed-length set of positions, one bit each.

use std::ops::Range;

/// A set of the positions `0..len`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
    count: usize,
}

impl BitSet {
    /// The empty set over `0..len`.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len, count: 0 }
    }

    /// How many positions there are (not how many are in the set).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no position is in the set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many positions are in the set.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether `position` is in the set; `false` for positions beyond the end.
    pub fn contains(&self, position: usize) -> bool {
        self.words.get(position / 64).is_some_and(|word| word & (1 << (position % 64)) != 0)
    }

    /// Puts `position` into the set and says whether it was not there before.
    ///
    /// # Panics
    /// When `position` is not below `len()`.
    pub fn insert(&mut self, position: usize) -> bool {
        assert!(position < self.len, "position {position} of {}", self.len);
        let word = &mut self.words[position / 64];
        let bit = 1 << (position % 64);
        let new = *word & bit == 0;
        *word |= bit;
        self.count += usize::from(new);
        new
    }

    /// Puts every position of `range` into the set.
    ///
    /// # Panics
    /// When the range goes beyond `len()`.
    pub fn insert_range(&mut self, range: Range<usize>) {
        for position in range {
            self.insert(position);
        }
    }

    /// Puts every position of another set over the same positions into this one and says whether one was not there before.
    ///
    /// # Panics
    /// When the other set has another number of positions.
    pub fn insert_all(&mut self, other: &Self) -> bool {
        assert_eq!(self.len, other.len, "two sets over the same positions");
        let before = self.count;
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.count = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self.count > before
    }

    /// The positions in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn a_set_takes_in_another() {
        let (mut one, mut other) = (BitSet::new(70), BitSet::new(70));
        one.insert_range(1..3);
        other.insert_range(2..3);
        assert!(!one.insert_all(&other));
        other.insert(69);
        assert!(one.insert_all(&other));
        assert_eq!(one.iter().collect::<Vec<_>>(), [1, 2, 69]);
        assert_eq!(one.count(), 3);
    }

    #[test]
    fn what_was_inserted_is_found_again_in_order() {
        let mut set = BitSet::new(200);
        set.insert_range(62..67);
        assert!(set.insert(199));
        assert!(!set.insert(64));
        assert_eq!(set.iter().collect::<Vec<_>>(), [62, 63, 64, 65, 66, 199]);
        assert_eq!((set.count(), set.len()), (6, 200));
        assert!(!set.contains(61) && set.contains(66) && !set.contains(5000));
    }
}
