//! The engine: decides, for one sequence of units of which any subset may go, which run of units to
//! try to remove next, so that few tests are run.
//!
//! It knows nothing but numbers: no file, process, thread, clock or environment, nor any randomness
//! it was not handed. Source of the idea (a run-length code over a Markov model of needed and
//! removable units, read off by tests): Fairhurst, *Information Theory Approach to Reducing Failure
//! Inducing Input*. Here the lengths are predicted by an exact Bayesian mixture, old evidence is
//! forgotten by fixed share, the units' sizes count as far as they turn out to matter, and the code
//! is an optimal alphabetic tree.

mod algorithm;
pub mod baselines;
mod bit_set;
mod bound;
mod chain;
#[cfg(test)]
mod closed_form;
mod config;
mod decision_tree;
mod endings;
mod ends;
mod estimate;
mod evidence;
mod expectation;
mod exposure;
mod families;
#[cfg(test)]
mod figures;
mod lane;
mod ledger;
mod markov;
mod minimality;
mod optimum;
#[cfg(test)]
mod oracles;
mod own;
mod probability;
mod prospects;
mod question;
mod questions;
mod run_length;
mod runs;
mod search;
mod setting;
mod simulate;
mod speculation;
mod sweep;
mod trust;
mod verdict;
mod view;

pub use algorithm::{Algorithm, Judge, Stopped};
pub use bit_set::BitSet;
pub use bound::lower_bound;
pub use chain::Markov;
pub use config::{Config, ConfigError, Direction, Lanes, Objective, Waste};
pub use estimate::Estimate;
pub use evidence::{DepthRow, Knowledge, ListEvidence};
pub use expectation::Expectation;
pub use families::{Family, ShortList, Simulated, short_lists};
pub use optimum::{longest_run, optimum};
pub use own::Entropy;
pub use question::{Progress, Question, QuestionId};
pub use search::Search;
pub use simulate::{CELLS, Tally, drive, monotone};
pub use verdict::Verdict;
pub use view::EvidenceView;
