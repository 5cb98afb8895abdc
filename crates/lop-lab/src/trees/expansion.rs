//! An expansion of a symbol: what stands in a node of its kind.

use std::sync::Arc;

/// One way to expand a symbol: the children that a node of its kind then has, in order.
///
/// A repetition stands for none or one of what it repeats. Hidden rules are inlined, since no tree
/// shows them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// The children. Comments may stand anywhere between them.
    pub children: Vec<Child>,
}

/// A child in an expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// The part that may stand there.
    pub part: Part,
    /// The field in which it stands.
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
