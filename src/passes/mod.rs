//! Passes: what could be tried on a document. They propose and decide nothing.
//!
//! There are two kinds of proposal. A [`Sequence`] is a list of units of which any subset may go;
//! the engine decides which runs of it to try. [`Alternative`]s are single edits of which at most
//! one is taken at a place; they are ordered by their expected gain.

mod alternatives;
mod bodies;
mod chains;
mod characters;
mod comments;
mod definitions;
mod fingerprint;
mod hoist;
mod minimal;
mod removal;
mod rewrites;
mod shapes;
mod siblings;
mod tokens;

#[cfg(test)]
pub(crate) mod testing;

pub use alternatives::{Action, Alternative, Class};
pub use bodies::bodies;
pub use chains::{MIN_CHAIN, chains};
pub use characters::{character_units, line_units, sensitive_ranges, word_units};
pub use comments::comments;
pub use definitions::unreferenced;
pub use fingerprint::Fingerprints;
pub use hoist::hoists;
pub use minimal::minimal_replacements;
pub use removal::{NodeSet, removal_edits};
pub use rewrites::rewrites;
pub use shapes::{Clearance, Shapes};
pub use siblings::siblings;
pub use tokens::token_units;

use crate::syntax::{Edit, NodeId};

/// What has to be done to the text to take a unit out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The nodes go, with the separators that belong to them.
    Nodes(Vec<NodeId>),
    /// These edits are made.
    Edits(Vec<Edit>),
}

/// Something that can be taken out by itself.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What taking it out means.
    pub removal: Removal,
    /// Tokens that go with it, for the order of the work.
    pub tokens: u32,
    /// A candidate without it is known to be no worse in syntax, so it need not be parsed.
    pub cleared: bool,
}

/// A list of units of which any subset may go: the siblings below one node, or any other row of
/// things that are alike.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The kind of list for the model; kinds of parents, and numbers from [`list_kind`] for rows
    /// that are not siblings.
    pub kind: u32,
    /// Distance of the list from the root; [`NO_DEPTH`] for rows that are not siblings.
    pub depth: u32,
    /// The units in the order of the text.
    pub units: Vec<Unit>,
}

impl Sequence {
    /// Tokens of all its units.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.units.iter().map(|u| u64::from(u.tokens)).sum()
    }
}

/// The depth of rows that are not the children of one node.
pub const NO_DEPTH: u32 = u32::MAX;

/// Numbers of list kinds that are not kinds of syntax nodes.
pub mod list_kind {
    /// Comments of the whole text.
    pub const COMMENTS: u32 = 1 << 16;
    /// Definitions whose names are found nowhere else.
    pub const UNREFERENCED: u32 = COMMENTS + 1;
    /// Bodies of definitions.
    pub const BODIES: u32 = COMMENTS + 2;
    /// Shells of nested nodes.
    pub const CHAIN: u32 = COMMENTS + 3;
    /// Tokens of the whole text.
    pub const TOKENS: u32 = COMMENTS + 4;
    /// Lines.
    pub const LINES: u32 = COMMENTS + 5;
    /// Words.
    pub const WORDS: u32 = COMMENTS + 6;
    /// Characters.
    pub const CHARACTERS: u32 = COMMENTS + 7;
}
