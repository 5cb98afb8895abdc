//! A tree that can be dropped while no pass needs it, and made again.
//!
//! In memory, tree-sitter's tree takes many times as much as the text. The [document](super::Document) alone answers
//! the questions of most passes.

use std::sync::{Arc, Mutex, PoisonError};

use super::parse::SyntaxParser;
use super::tree::SyntaxTree;

/// The tree of a text. A release costs the next caller of [`TreeOnDemand::get`] another parse.
pub struct TreeOnDemand {
    parser: SyntaxParser,
    text: Arc<[u8]>,
    tree: Mutex<Option<SyntaxTree>>,
}

impl TreeOnDemand {
    /// The tree that the parser has made of a text.
    pub(super) fn new(parser: &SyntaxParser, text: Arc<[u8]>, tree: SyntaxTree) -> Self {
        TreeOnDemand { parser: parser.afresh(), text, tree: Mutex::new(Some(tree)) }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// The tree, parsed once more if it has been let go of.
    ///
    /// # Panics
    /// Never panics: a text that was parsed once can be parsed again.
    #[must_use]
    pub fn get(&self) -> SyntaxTree {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let parse = || self.parser.afresh().parse(&self.text);
        tree.get_or_insert_with(|| parse().expect("the same text has been parsed before")).clone()
    }

    /// The tree unless it has been released.
    #[must_use]
    pub fn known(&self) -> Option<SyntaxTree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets go of the tree.
    pub fn release(&self) {
        *self.tree.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;
    use crate::testing::parser;
    use lop_testing::{FILES, shipped_sample};

    #[test]
    fn a_tree_that_was_let_go_of_is_the_same_when_it_is_asked_for_again() {
        for file in FILES {
            let text: Arc<[u8]> = shipped_sample(file).into();
            let mut parser = parser(file);
            let parsed = parser.parse(&text).expect("a sample can be parsed");
            let tree = TreeOnDemand::new(&parser, Arc::clone(&text), parsed);
            let before = tree.get();
            tree.release();
            assert!(tree.tree.lock().expect("nobody panicked").is_none());
            let after = tree.get();
            assert_eq!(shape(&before, &text), shape(&after, &text), "{file}");
            assert_eq!(before.root().node().to_sexp(), after.root().node().to_sexp(), "{file}");
        }
    }
}
