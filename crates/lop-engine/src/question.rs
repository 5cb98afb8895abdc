//! The questions of a search, and the changes by an answer.

use std::ops::Range;

/// Names a question of one search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct QuestionId(pub u64);

/// "Is the candidate without these units still interesting?"
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The name to answer under.
    pub id: QuestionId,
    /// Every position that is removed in this candidate, including committed ones: sorted, disjoint.
    pub remove: Vec<Range<usize>>,
    /// The probability of *interesting*, given the assumptions this question was made under.
    pub p_yes: f64,
    /// The probability that the answer will be used; 1 for the question a single worker would ask.
    pub reach: f64,
}

impl Question {
    /// The positions that the candidate consists of, of a sequence of `len` units, ascending.
    pub fn kept(&self, len: usize) -> impl Iterator<Item = usize> + '_ {
        (0..len).filter(|unit| !self.remove.iter().any(|gone| gone.contains(unit)))
    }
}

/// The changes by an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Positions that are removed now and were not before: sorted, disjoint.
    pub newly_removed: Vec<Range<usize>>,
    /// Whether `removed()` is larger than before.
    pub committed: bool,
    /// The last question whose candidate equals the new committed state; `None` if nothing was committed.
    pub accepted: Option<QuestionId>,
}
