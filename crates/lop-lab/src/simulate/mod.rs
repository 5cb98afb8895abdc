//! Simulated sequences and their tests, the tests of the best possible sweep on a source, and the engine's required
//! figures on both.

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
