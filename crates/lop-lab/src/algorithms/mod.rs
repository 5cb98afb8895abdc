//! The published algorithms for one sequence, against which lop's own search is measured and which a
//! user may pick instead of it. [`Entropy`] is that search as one of them.
//!
//! | name | what it is | when to choose it |
//! |---|---|---|
//! | `naive` | one unit at a time | when half of the units are needed or more, or a quarter, well scattered |
//! | `ddmin` | parts alone, then what is left without a part, then finer parts | to compare with the literature; 1-minimal for every test |
//! | `ddmin-simplify` | `ddmin`, which ends after it has asked about each unit alone | to compare with other algorithms that simplify |
//! | `ddmin-complement` | the same without "parts alone" | to compare with what is taught; fewer tests than `ddmin` on sparse sequences, many more on dense ones; 1-minimal for every test |
//! | `ddrmin` | recursion over halves | for monotone tests in all other cases: as few tests as any here |
//! | `probdd-0.1` | sets by the probability of being needed, 10 units at first | to compare with the literature |
//! | `probdd-0.25` | the same, 4 units at first | to compare with Perses, whose default it is |
//! | `cdd` | `probdd-0.1` with counters for probabilities | to compare with the literature |
//! | `entropy-published` | entropy debugging as its paper has it | to compare with what lop's own search repairs |
//! | `entropy-published-simplify` | the same without minimisation | the same |
//! | `entropy-reference` | the same with the faults of its reference implementation | to reproduce its figures |
//!
//! An algorithm without "1-minimal" is 1-minimal only for monotone tests. Mean tests on 500 units from a Markov source,
//! by the share of removable units and P(removable | removable), 200 trials:
//!
//! | | 0.5, 0.5 | 0.75, 0.75 | 0.9, 0.95 | 0.99, 0.99 | 0.998, 0.999 |
//! |---|--:|--:|--:|--:|--:|
//! | `naive` | 500 | 500 | 500 | 500 | 500 |
//! | `ddmin` | 2268 | 1614 | 698 | 158 | 17 |
//! | `ddmin-complement` | 19415 | 9734 | 1517 | 143 | 15 |
//! | `ddrmin` | 771 | 532 | 230 | 54 | 12 |
//! | `probdd-0.1` | 866 | 613 | 253 | 85 | 54 |
//! | `probdd-0.25` | 735 | 514 | 257 | 146 | 128 |
//! | `cdd` | 885 | 617 | 254 | 85 | 54 |
//! | `entropy-published` | 755 | 545 | 252 | 64 | 27 |
//! | `entropy-published-simplify` | 505 | 421 | 202 | 59 | 26 |
//!
//! The comment of each struct names its source, the choices that the source leaves open, and the tests that can run in
//! parallel. The traces in `fixtures/algorithms` compare them with their sources.

mod cdd;
mod chooser;
mod complement;
mod dd;
mod ddmin;
mod ddrmin;
mod entropy;
mod naive;
mod probdd;
pub mod published;
mod refused;
mod remaining;
#[cfg(test)]
mod tests;

pub use cdd::Cdd;
pub use complement::Complement;
pub use dd::dd;
pub use ddmin::Ddmin;
pub use ddrmin::Ddrmin;
pub use entropy::Entropy;
pub use naive::Naive;
pub use probdd::ProbDd;

use crate::algorithm::Algorithm;
use lop_engine::BitSet;
use published::{Published, PublishedConfig};

/// Returns all algorithms of this module, in the order of the table. `seed` is for those that use randomness.
pub fn all(seed: u64) -> Vec<Box<dyn Algorithm>> {
    vec![
        Box::new(Naive),
        Box::new(Ddmin::MINIMISE),
        Box::new(Ddmin::SIMPLIFY),
        Box::new(Complement),
        Box::new(Ddrmin),
        Box::new(ProbDd::new("probdd-0.1", 0.1)),
        Box::new(ProbDd::new("probdd-0.25", 0.25)),
        Box::new(Cdd),
        Box::new(Published::new(PublishedConfig { seed, ..PublishedConfig::default() })),
        Box::new(Published::new(PublishedConfig { seed, ..PublishedConfig::simplify_only() })),
        Box::new(Published::new(PublishedConfig { seed, ..PublishedConfig::reference() })),
    ]
}

/// The candidate in which `units` are missing as well.
fn also_without(gone: &BitSet, units: impl IntoIterator<Item = usize>) -> BitSet {
    let mut candidate = gone.clone();
    for unit in units {
        candidate.insert(unit);
    }
    candidate
}
