//! Decides which run of units of a sequence to try to remove next, so that few tests are run. Any subset of the units
//! may be removable. The caller decides what a unit is and what a test is: numbers in, numbers out.
//!
//! ```
//! use lop_engine::{Config, EvidenceView, Search, Verdict};
//!
//! let input: Vec<u32> = (0..500).collect();
//! let is_interesting = |text: &[u32]| text.contains(&40) && text.contains(&41) && text.contains(&333);
//!
//! let mut search = Search::new(input.len(), &Config::default(), &EvidenceView::blank(input.len()));
//! let mut tests = 0;
//! while let Some(question) = search.next_test() {
//!     let candidate: Vec<u32> = question.kept(input.len()).map(|unit| input[unit]).collect();
//!     search.observe(Verdict::from(is_interesting(&candidate)));
//!     tests += 1;
//! }
//! let result: Vec<u32> = (0..input.len()).filter(|&unit| !search.removed().contains(unit)).map(|unit| input[unit]).collect();
//! assert_eq!(result, [40, 41, 333]);
//! assert!(tests < 40, "{tests}");
//! ```
//!
//! [`Search`] is one sequence. It is cheap to clone: a clone that is given an expected answer asks what an idle worker
//! can test meanwhile.
//! [`Knowledge`] is the evidence that one sequence hands to the next. [`Config`] has the choices. [`drive`] runs a search to its end.
//! The problems that it is measured on, and published algorithms to measure against, are in the crate lop-lab.
//!
//! It knows nothing but numbers: no file, process, thread, clock or environment, nor any randomness it was not handed.
//!
//! Source of the idea (a run-length code over a Markov model of needed and removable units, read off by tests): Fairhurst,
//! *Information Theory Approach to Reducing Failure Inducing Input*. Here the lengths are predicted by an exact Bayesian
//! mixture, old evidence is forgotten by fixed share, the units' sizes count as far as they turn out to matter, and the
//! code is an optimal alphabetic tree.

mod config;
mod drive;
mod isolation;
mod model;
mod question;
mod runs;
mod search;
mod verdict;

pub use config::{Config, ConfigError, Waste};
pub use drive::{drive, monotone};
pub use fixedbitset::FixedBitSet as BitSet;
pub use isolation::{Answer, Isolated, approach, isolate};
pub use model::bound::lower_bound;
pub use model::chain::Markov;
pub use model::decision_tree::cost as tree_cost;
pub use model::estimate::Estimate;
pub use model::evidence::{DepthRow, Knowledge, ListEvidence};
pub use model::expectation::Expectation;
pub use model::view::EvidenceView;
pub use question::Question;
pub use search::Search;
pub use verdict::Verdict;
