//! Candidates that are taken for interesting before that is sure.

use crate::engine::Search;
use crate::grammar::RuleId;

use super::asked::Asked;

/// The candidates that are taken for interesting, each made from the one before, the first from the best result.
pub(super) type Provisional = Vec<Attempt>;

/// A candidate that is taken for interesting.
pub(super) struct Attempt {
    pub(super) question: u64,
    pub(super) asked: Asked,
    pub(super) rules: Vec<RuleId>,
    /// Where the source's searches stood before it.
    pub(super) mark: Vec<Search>,
    /// Logarithm of the odds that it is interesting, before any answer.
    pub(super) prior: f64,
    /// The term that refusals after it add to that logarithm.
    pub(super) told: f64,
    /// Whether its own answers are enough.
    pub(super) decided: bool,
}
