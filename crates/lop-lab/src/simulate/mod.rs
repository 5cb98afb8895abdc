//! Simulated sequences and tests of them, what the best possible sweep would take on a source, and the figures that the
//! engine is held to on both.

mod families;
#[cfg(test)]
mod figures;
mod optimum;
#[cfg(test)]
mod oracles;
mod source;

pub use families::{Family, ShortList, Simulated, short_lists};
pub use optimum::{longest_run, optimum};
pub use source::{CELLS, sequence};
