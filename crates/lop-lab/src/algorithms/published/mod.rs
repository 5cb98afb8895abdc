//! Entropy debugging as published: the parts put together, with their parameters.
//!
//! Source: Fairhurst, *Information Theory Approach to Reducing Failure Inducing Input*, and, for open details, the
//! public reference implementation by the same author. A sequence of needed (i) and removable (u) units is a text over
//! the alphabet i, ui, uui, …: a few samples and the decided units give a Markov model of it, the model gives each
//! symbol a probability, and an ordered decision tree over the symbols selects the units to try to remove together. The
//! symbols are read one at a time from left to right; then single units are tried until nothing changes.
//!
//! Three faults of the reference implementation are mended here, unless [`PublishedConfig::reference`]
//! asks for them: its samples remove nothing, its P(i|i) can be negative, and the last sweep of
//! its minimisation stops one unit early.

mod consume;
mod minimise;
mod model;
mod presample;
mod rest;
mod trees;

#[cfg(test)]
mod golden;

use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::BitSet;
use model::Counts;
use rest::Rest;

/// How decision trees over more than a few symbols are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trees {
    /// The lightest two neighbours are joined until one node is left: the paper's "ordered
    /// huffman coding". Not optimal, as the paper says itself.
    #[default]
    LightestNeighbours,
    /// Each question is the one with the largest information gain: the paper's "information gain
    /// coding".
    InformationGain,
}

/// The parameters of entropy debugging as published.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedConfig {
    /// How many units (each with its neighbour, if the unit may go) are sampled before anything
    /// else; 5 by default, as in the paper. 0 starts from even odds.
    pub samples: usize,
    /// Symbols get no longer once P(u^k), the chance that the next k units may all go, is below this;
    /// 0.3 by default, as in the paper. The symbol that ends the alphabet there is open: u^k and
    /// any continuation.
    pub threshold: f64,
    /// Maximum number of units of a symbol; 1000 by default, as in the paper. If more are left, the limit is an equal
    /// share of them that is no larger. 0 counts as 1.
    pub longest: usize,
    /// Trees over this many symbols or fewer are optimal; 10 by default, as in the paper. The time for
    /// one grows with the cube of its symbols. (The reference implementation counts the units left
    /// instead of the symbols, and so does `reference`.)
    pub optimal_up_to: usize,
    /// How larger trees are built; by lightest neighbours by default, as in the reference
    /// implementation.
    pub trees: Trees,
    /// Whether single units are tried at the end until the result is 1-minimal ("minimisation");
    /// otherwise the algorithm stops after one reading ("simplification"). `true` by default.
    pub minimise: bool,
    /// Whether to do what the reference implementation does on text, including its faults; `false` by default. Its
    /// printed figures count calls, not distinct candidates: 2 · `samples` of them are of the whole sequence.
    pub reference: bool,
    /// Where the samples' chance comes from; 0 by default. The reference implementation's samples
    /// remove nothing, so that there it makes no difference.
    pub seed: u64,
}

impl Default for PublishedConfig {
    fn default() -> Self {
        Self {
            samples: 5,
            threshold: 0.3,
            longest: 1000,
            optimal_up_to: 10,
            trees: Trees::default(),
            minimise: true,
            reference: false,
            seed: 0,
        }
    }
}

impl PublishedConfig {
    /// The defaults without minimisation.
    pub fn simplify_only() -> Self {
        Self { minimise: false, ..Self::default() }
    }

    /// Returns the parameters of the algorithm with this name, or `None` for another algorithm.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::default(), Self::simplify_only(), Self::reference()];
        all.into_iter().find(|config| Published::new(config.clone()).name() == name)
    }

    /// The reference implementation as it is, with minimisation.
    pub fn reference() -> Self {
        Self { reference: true, ..Self::default() }
    }
}

/// Entropy debugging as published.
///
/// The paper's algorithm asks one question at a time; only minimisation uses the judge's width.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Published {
    config: PublishedConfig,
}

impl Published {
    /// The algorithm with these parameters.
    pub fn new(config: PublishedConfig) -> Self {
        Self { config }
    }
}

impl Algorithm for Published {
    fn name(&self) -> &'static str {
        match (self.config.reference, self.config.minimise) {
            (false, true) => "entropy-published",
            (false, false) => "entropy-published-simplify",
            (true, true) => "entropy-reference",
            (true, false) => "entropy-reference-simplify",
        }
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let mut rest = Rest::new(sizes.len());
        let mut counts = Counts::default();
        presample::presample(&self.config, &mut rest, &mut counts, judge)?;
        let last_removal = consume::consume(&self.config, &mut rest, &mut counts, judge)?;
        if self.config.minimise {
            minimise::minimise(&mut rest, last_removal, self.config.reference, judge)?;
        }
        Ok(rest.into_removed())
    }
}
