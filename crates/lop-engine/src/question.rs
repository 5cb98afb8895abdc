//! The questions of a search.

use std::ops::Range;

/// "Is the candidate without these units still interesting?"
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// Every position that is removed in this candidate, including committed ones: sorted, disjoint.
    pub remove: Vec<Range<usize>>,
    /// The positions among them that the question is about: all but the committed ones.
    pub asked: Range<usize>,
    /// The probability of *interesting*.
    pub p_yes: f64,
}

impl Question {
    /// The positions that the candidate consists of, of a sequence of `len` units, ascending.
    pub fn kept(&self, len: usize) -> impl Iterator<Item = usize> + '_ {
        (0..len).filter(|unit| !self.remove.iter().any(|gone| gone.contains(unit)))
    }
}
