//! Fingerprints of parts of a text, each in constant time.
//!
//! lop remembers a rejected edit by its text, so every node of a document needs a hash of its bytes. Hashing them one
//! by one would be quadratic in the depth; a rolling polynomial needs one pass.

use std::ops::Range;

/// The Mersenne prime 2^61 − 1: products fit into 128 bits and the remainder is two shifts.
const MODULUS: u64 = (1 << 61) - 1;
/// An arbitrary base; nothing depends on it but the quality of the hash.
const BASE: u64 = 0x1d3f_8a57_c24b_9e61 % MODULUS;

/// Prefix hashes of one text.
pub struct Fingerprints {
    prefix: Vec<u64>,
    power: Vec<u64>,
}

impl Fingerprints {
    /// Reads a text once.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        let mut prefix = Vec::with_capacity(text.len() + 1);
        let mut power = Vec::with_capacity(text.len() + 1);
        let (mut hash, mut base) = (0, 1);
        prefix.push(hash);
        power.push(base);
        for &byte in text {
            hash = reduce(multiply(hash, BASE) + u64::from(byte) + 1);
            base = multiply(base, BASE);
            prefix.push(hash);
            power.push(base);
        }
        Fingerprints { prefix, power }
    }

    /// The fingerprint of a part of the text; equal texts have equal fingerprints.
    ///
    /// # Panics
    /// If the range does not lie in the text.
    #[must_use]
    pub fn of(&self, range: Range<usize>) -> u64 {
        let before = multiply(self.prefix[range.start], self.power[range.len()]);
        reduce(self.prefix[range.end] + MODULUS - before)
    }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let (low, high) = (product & u128::from(MODULUS), product >> 61);
    reduce(u64::try_from(low + high).expect("both parts have 61 bits"))
}

fn reduce(value: u64) -> u64 {
    let folded = (value & MODULUS) + (value >> 61);
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_fingerprints_wherever_they_stand() {
        let prints = Fingerprints::new(b"abcabcabd");
        assert_eq!(prints.of(0..3), prints.of(3..6));
        assert_ne!(prints.of(0..3), prints.of(6..9));
        assert_ne!(prints.of(0..2), prints.of(0..3));
        assert_eq!(prints.of(4..4), prints.of(9..9));
    }

    #[test]
    fn all_parts_of_a_text_differ_where_their_texts_do() {
        let text = b"int a = 1; int b = 2; int a = 1;\0\0\xFF";
        let prints = Fingerprints::new(text);
        let mut seen = std::collections::HashMap::new();
        for start in 0..=text.len() {
            for end in start..=text.len() {
                let part = &text[start..end];
                assert_eq!(*seen.entry(prints.of(start..end)).or_insert(part), part);
            }
        }
    }

    #[test]
    fn a_text_and_the_same_text_as_a_part_are_alike() {
        let whole = Fingerprints::new(b"return 1;");
        let part = Fingerprints::new(b"if (a) return 1; else b();");
        assert_eq!(whole.of(0..9), part.of(7..16));
        assert_eq!(Fingerprints::new(b"").of(0..0), whole.of(3..3));
    }
}
