//! The rest of the sequence while units go, addressed by its own indices.

use std::ops::Range;

use lop_engine::BitSet;

/// The units that are kept so far.
pub(super) struct Rest {
    /// Their positions in the whole sequence, ascending.
    kept: Vec<usize>,
    removed: BitSet,
}

impl Rest {
    /// All of `len` units.
    pub(super) fn new(len: usize) -> Self {
        Self { kept: (0..len).collect(), removed: BitSet::with_capacity(len) }
    }

    /// How many units are kept.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The position in the whole sequence of the kept unit at `index`.
    pub(super) fn position(&self, index: usize) -> usize {
        self.kept[index]
    }

    /// Makes the candidate without these of the kept units.
    pub(super) fn without(&self, indices: Range<usize>) -> BitSet {
        let mut candidate = self.removed.clone();
        for &position in &self.kept[indices] {
            candidate.insert(position);
        }
        candidate
    }

    /// Removes these of the kept units.
    pub(super) fn remove(&mut self, indices: Range<usize>) {
        for position in self.kept.drain(indices) {
            self.removed.insert(position);
        }
    }

    /// Everything that went.
    pub(super) fn into_removed(self) -> BitSet {
        self.removed
    }
}
