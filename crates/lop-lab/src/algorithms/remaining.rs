//! The remaining units of a sequence, for the algorithms that cut it into consecutive parts.

use std::ops::Range;

use super::also_without;
use super::refused::{Refused, fingerprint};
use crate::algorithm::{Judge, Stopped};
use lop_engine::BitSet;

/// A way to make the rest smaller, by indices into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// These units go.
    Without(Range<usize>),
    /// All other units go.
    Only(Range<usize>),
}

/// The units that are left, in order.
pub(super) struct Remaining {
    units: Vec<usize>,
    gone: BitSet,
    /// The fingerprint of the removed units, and after each unit that of all units up to it.
    gone_print: u128,
    prints: Vec<u128>,
    refused: Refused,
}

impl Remaining {
    /// All of a sequence of `len` units.
    pub(super) fn new(len: usize) -> Self {
        let mut all = Self {
            units: (0..len).collect(),
            gone: BitSet::with_capacity(len),
            gone_print: 0,
            prints: Vec::new(),
            refused: Refused::default(),
        };
        all.take_fingerprints();
        all
    }

    /// How many units are left.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The removed units.
    pub(super) fn into_gone(self) -> BitSet {
        self.gone
    }

    /// Tries `cuts` in order, those excepted that were refused before, and makes the first interesting
    /// one; says which it was.
    ///
    /// # Errors
    /// When the judge stopped.
    pub(super) fn cut_first(&mut self, cuts: &[Cut], judge: &mut dyn Judge) -> Result<Option<usize>, Stopped> {
        let open: Vec<usize> = (0..cuts.len()).filter(|&i| !self.refused.contains(self.print(&cuts[i]))).collect();
        let found = judge.first_interesting(open.len(), &mut |i| self.candidate(&cuts[open[i]]))?;
        for &index in &open[..found.unwrap_or(open.len())] {
            self.refused.insert(self.print(&cuts[index]));
        }
        let found = found.map(|found| open[found]);
        if let Some(index) = found {
            self.make(&cuts[index]);
        }
        Ok(found)
    }

    fn candidate(&self, cut: &Cut) -> BitSet {
        match cut {
            Cut::Without(range) => also_without(&self.gone, self.units[range.clone()].iter().copied()),
            Cut::Only(range) => {
                let (before, after) = (&self.units[..range.start], &self.units[range.end..]);
                also_without(&self.gone, before.iter().chain(after).copied())
            }
        }
    }

    fn print(&self, cut: &Cut) -> u128 {
        let of = |range: &Range<usize>| self.prints[range.end].wrapping_sub(self.prints[range.start]);
        let going = match cut {
            Cut::Without(range) => of(range),
            Cut::Only(range) => of(&(0..self.len())).wrapping_sub(of(range)),
        };
        self.gone_print.wrapping_add(going)
    }

    fn make(&mut self, cut: &Cut) {
        self.gone_print = self.print(cut);
        self.gone = self.candidate(cut);
        match cut {
            Cut::Without(range) => drop(self.units.drain(range.clone())),
            Cut::Only(range) => self.units = self.units[range.clone()].to_vec(),
        }
        self.take_fingerprints();
    }

    fn take_fingerprints(&mut self) {
        self.prints = vec![0];
        let mut sum = 0_u128;
        for &unit in &self.units {
            sum = sum.wrapping_add(fingerprint([unit]));
            self.prints.push(sum);
        }
    }
}
