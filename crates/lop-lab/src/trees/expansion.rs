//! An expansion of a symbol: the possible children of a node of its kind.

use std::sync::Arc;

/// One way to expand a symbol: the children that a node of its kind then has, in order.
///
/// A repetition is none or one of its elements. Hidden rules are inlined, because no tree shows them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// The children. Comments can be anywhere between them.
    pub children: Vec<Child>,
}

/// A child in an expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// The part that can be there.
    pub part: Part,
    /// The field that it is in.
    pub field: Option<u16>,
}

/// The content of a place of an expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A named node of one of these kinds, ascending.
    Node(Arc<[u16]>),
    /// A token of the grammar.
    Token {
        /// Its kinds; empty if trees do not show it.
        kinds: Arc<[u16]>,
        /// Its text.
        text: String,
    },
    /// Something that only a pattern or the parser's scanner describes, and that trees do not show.
    Hidden,
}
