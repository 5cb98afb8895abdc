//! The tree of a text, from a grammar or from its structure.

use std::sync::Arc;

use tree_sitter::Tree;

use super::arena::Arena;
use super::structure::{Root, Structure};

/// The tree of a text. A clone is the same tree.
#[derive(Clone)]
pub enum SyntaxTree {
    /// A concrete syntax tree as tree-sitter made it.
    Grammar(Tree),
    /// A tree of brackets, lines and separators.
    Structure(Arc<Structure>),
}

impl SyntaxTree {
    /// The root, for rules.
    #[must_use]
    pub fn root(&self) -> Root<'_> {
        match self {
            SyntaxTree::Grammar(tree) => Root::of_tree(tree),
            SyntaxTree::Structure(structure) => structure.root(),
        }
    }

    /// Lists the nodes in preorder. Returns `None` after a request to stop.
    pub(super) fn arena(&self, is_stopped: &dyn Fn() -> bool) -> Option<Arc<Arena>> {
        match self {
            SyntaxTree::Grammar(tree) => Arena::of(tree, is_stopped).map(Arc::new),
            SyntaxTree::Structure(structure) => Some(Arc::clone(structure.arena())),
        }
    }
}

/// Number of tokens of a tree: leaves that are neither blank nor part of a comment.
#[must_use]
pub fn token_count(tree: &SyntaxTree) -> usize {
    tree.arena(&|| false).map_or(0, |arena| arena.tokens() as usize)
}
