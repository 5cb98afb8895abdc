//! The knowledge of algorithms on trees about a grammar.

mod expansion;
mod expansions;
mod grammar;
mod productions;

pub use expansion::{Child, Expansion, Part};
pub use grammar::{languages_with_productions, productions_of};
pub use productions::{Productions, ProductionsError};
