//! Markov chains of needed and removable units with known parameters: the points of the model's grid, and the sources
//! of simulated sequences.

use crate::model::bound::binary_entropy;

/// A source of sequences of needed and removable units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Markov {
    /// P(removable | removable).
    pub a: f64,
    /// P(removable | needed).
    pub b: f64,
}

impl Markov {
    /// From the stationary share of removable units and P(removable | removable). A `share` below 1
    /// is required.
    pub fn from_share(share: f64, a: f64) -> Self {
        Self { a, b: share * (1.0 - a) / (1.0 - share) }
    }

    /// The stationary share of removable units.
    pub fn share(&self) -> f64 {
        self.b / (1.0 - self.a + self.b)
    }

    /// The entropy of a sequence of `len` units, in bits.
    pub fn entropy(&self, len: usize) -> f64 {
        let share = self.share();
        let step = share * binary_entropy(self.a) + (1.0 - share) * binary_entropy(self.b);
        if len == 0 { 0.0 } else { binary_entropy(share) + (len - 1) as f64 * step }
    }
}
