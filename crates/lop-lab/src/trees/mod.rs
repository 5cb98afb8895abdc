//! What algorithms on trees know of a grammar.

mod expansion;
mod expansions;
mod productions;

pub use expansion::{Child, Expansion, Part};
pub use productions::{Productions, ProductionsError};
