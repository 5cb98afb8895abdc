//! The probabilities: the length of the next run of removable units, the evidence of a run, and the evidence of a list
//! for the next one.
//!
//! ```text
//! grid of chains ─► posterior (weights) ─► distribution of the run length ─► optimal decision tree ─► what to ask
//!                        ▲                                                                               │
//! evidence of other lists┘                          a run whose length is known ◄────────────────────────┘
//! ```

pub(crate) mod bound;
pub(crate) mod chain;
pub(crate) mod chances;
#[cfg(test)]
mod closed_form;
pub(crate) mod decision_tree;
pub(crate) mod estimate;
pub(crate) mod evidence;
pub(crate) mod expectation;
pub(crate) mod exposure;
pub(crate) mod grid;
pub(crate) mod logarithms;
pub(crate) mod posterior;
pub(crate) mod run_length;
pub(crate) mod view;
pub(crate) mod weak_evidence;
