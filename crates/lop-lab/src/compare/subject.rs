//! The inputs of algorithms: a list of units with its test, and several of them as one instance of a
//! problem.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::algorithm::Stopped;
use lop_engine::{BitSet, Markov, Verdict};

use crate::simulate::Simulated;

/// A list of units with its interestingness test. Candidates are sets of removed units. The whole list is interesting.
pub trait Subject {
    /// The sizes of the units.
    fn sizes(&self) -> &[u32];

    /// Candidates with one key are one to the test: asking about the second costs nothing.
    fn key(&self, gone: &BitSet) -> u64 {
        let mut hasher = DefaultHasher::new();
        gone.hash(&mut hasher);
        hasher.finish()
    }

    /// Judges candidates, all at the same time if it can.
    ///
    /// # Errors
    /// When there are no more answers.
    fn judge(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped>;
}

impl Subject for Simulated {
    fn sizes(&self) -> &[u32] {
        Simulated::sizes(self)
    }

    fn judge(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        Ok(candidates.iter().map(|gone| self.verdict(gone)).collect())
    }
}

/// A list of an instance, and external knowledge about it.
pub struct List<'a> {
    /// The kind of list, for evidence that is shared.
    pub kind: u32,
    /// Its depth, for the same.
    pub depth: u32,
    /// The source of its needed units, if it is known.
    pub chain: Option<Markov>,
    /// The units and their test.
    pub subject: Box<dyn Subject + 'a>,
}

/// One instance of a problem.
pub struct Instance<'a> {
    /// Its lists, which are reduced one after the other.
    pub lists: Vec<List<'a>>,
    /// Whether every algorithm knows that a list without any unit is not interesting.
    pub empty_is_known: bool,
}

impl<'a> Instance<'a> {
    /// A single list.
    pub fn of(subject: impl Subject + 'a, empty_is_known: bool) -> Self {
        let list = List { kind: 0, depth: 0, chain: None, subject: Box::new(subject) };
        Instance { lists: vec![list], empty_is_known }
    }

    /// Units of all lists.
    pub fn units(&self) -> usize {
        self.lists.iter().map(|list| list.subject.sizes().len()).sum()
    }
}
