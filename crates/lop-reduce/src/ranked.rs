//! A heap entry with a priority.

use std::cmp::Ordering;

/// An entry of a [`BinaryHeap`](std::collections::BinaryHeap): the most promising comes first, and among equals the one
/// with the greater `tie`.
#[derive(Clone)]
pub(super) struct Ranked<K, T> {
    /// The value that it promises.
    pub(super) value: f64,
    /// Decides between equals, so that the order is the same in every run.
    pub(super) tie: K,
    /// The ranked item.
    pub(super) item: T,
}

impl<K: Ord, T> Ord for Ranked<K, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| self.tie.cmp(&other.tie))
    }
}

impl<K: Ord, T> PartialOrd for Ranked<K, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, T> PartialEq for Ranked<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K: Ord, T> Eq for Ranked<K, T> {}

#[cfg(test)]
mod tests {
    use std::collections::BinaryHeap;

    use super::*;

    #[test]
    fn the_most_promising_comes_first_and_ties_are_decided() {
        let entries = [(1.0, 1, "last"), (2.0, 1, "second"), (2.0, 7, "first")];
        let mut heap: BinaryHeap<_> =
            entries.into_iter().map(|(value, tie, item)| Ranked { value, tie, item }).collect();
        let order: Vec<_> = std::iter::from_fn(|| heap.pop()).map(|entry| entry.item).collect();
        assert_eq!(order, ["first", "second", "last"]);
    }
}
