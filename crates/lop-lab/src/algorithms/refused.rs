//! The candidates that were refused already, so that no algorithm asks for the same one twice.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The candidates that were not interesting, as fingerprints.
///
/// A candidate's fingerprint is the sum of those of its removed units. So the fingerprint after a change follows from
/// that of the change, and a candidate can be looked up without being made. Two candidates with the same fingerprint
/// would count as one, with a probability of 2⁻¹²⁸ per pair; then one test too few is run.
#[derive(Default)]
pub(super) struct Refused(BTreeSet<u128>);

impl Refused {
    /// Remembers a candidate by its fingerprint.
    pub(super) fn insert(&mut self, candidate: u128) {
        self.0.insert(candidate);
    }

    /// Whether the candidate with this fingerprint was refused.
    pub(super) fn contains(&self, candidate: u128) -> bool {
        self.0.contains(&candidate)
    }
}

/// The fingerprint of a candidate in which nothing but these units is missing.
pub(super) fn fingerprint(units: impl IntoIterator<Item = usize>) -> u128 {
    units.into_iter().fold(0, |sum, unit| sum.wrapping_add(of_unit(unit)))
}

fn of_unit(unit: usize) -> u128 {
    let half = |which: u8| {
        let mut hasher = DefaultHasher::new();
        (unit, which).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn a_fingerprint_is_the_sum_of_its_parts_and_tells_sets_apart() {
        assert_eq!(fingerprint([3, 9, 4]), fingerprint([4, 3]).wrapping_add(fingerprint([9])));
        let sets = (0..1_u32 << 12).map(|set| fingerprint((0..12).filter(|unit| set >> unit & 1 == 1)));
        let distinct: std::collections::BTreeSet<u128> = sets.collect();
        assert_eq!(distinct.len(), 1 << 12);
    }
}
