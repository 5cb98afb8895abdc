//! The outline: a text with one byte for each token and two around each group. tree-sitter parses it into the tree that
//! rules match. Its positions are mapped to those of the real text.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Language, Node, Parser, Tree};

use super::kinds::Kind;
use crate::arena::{Arena, NodeId};

/// The outline of a text, parsed.
pub(super) struct Outline {
    arena: Arc<Arena>,
    tree: Tree,
    /// The node for each byte of the outline.
    nodes: Vec<NodeId>,
}

/// Closes a node.
const CLOSE: u8 = b'z';

impl Outline {
    pub(super) fn of(arena: &Arc<Arena>) -> Self {
        let bytes = bytes_of_kinds();
        let byte = |id: NodeId| bytes.get(usize::from(arena.node(id).kind)).copied().unwrap_or_default();
        let (mut text, mut nodes) = (Vec::new(), Vec::new());
        let mut open: Vec<NodeId> = Vec::new();
        for id in 1..arena.count() {
            while let Some(closed) = open.pop_if(|node| arena.subtree_end(*node) <= id) {
                text.push(CLOSE);
                nodes.push(closed);
            }
            text.push(byte(id));
            nodes.push(id);
            if !arena.is_leaf(id) {
                open.push(id);
            }
        }
        while let Some(closed) = open.pop() {
            text.push(CLOSE);
            nodes.push(closed);
        }
        let mut parser = Parser::new();
        parser.set_language(&Language::new(lop_parser::STRUCTURE)).expect("it is generated for this version");
        let tree = parser.parse(&text, None).expect("nothing stops the parser");
        Outline { arena: Arc::clone(arena), tree, nodes }
    }

    pub(super) fn root(&self) -> Root<'_> {
        Root { node: self.tree.root_node(), outline: Some(self) }
    }

    fn range(&self, node: Node<'_>) -> Range<usize> {
        let place = |byte: usize| self.nodes.get(byte).copied();
        // Only the root has no byte of its own.
        if node.id() == self.tree.root_node().id() {
            return self.arena.node(0).range();
        }
        let start = place(node.start_byte()).map_or(0, |id| self.arena.node(id).range().start);
        let end = node.end_byte().checked_sub(1).and_then(place).map_or(start, |id| self.arena.node(id).range().end);
        start..end
    }
}

/// The byte of each kind, by its number.
fn bytes_of_kinds() -> Vec<u8> {
    let mut numbers = super::kinds::Numbers::new();
    let mut bytes = vec![0; 256];
    let inner = [Kind::Group, Kind::Block, Kind::Line, Kind::Statement, Kind::Item, Kind::Paragraph];
    let leaves = [Kind::Word, Kind::Number, Kind::String, Kind::Comment, Kind::Sign, Kind::Begin, Kind::End];
    let marks = b"()[]{},;".map(Kind::Mark);
    for kind in inner.into_iter().chain(leaves).chain(marks) {
        bytes[usize::from(numbers.of(kind))] = kind.byte();
    }
    bytes
}

/// The root of a tree as rules see it.
#[derive(Clone, Copy)]
pub struct Root<'t> {
    node: Node<'t>,
    outline: Option<&'t Outline>,
}

impl<'t> Root<'t> {
    /// That of a tree whose places are those of the text.
    #[must_use]
    pub fn of_tree(tree: &'t Tree) -> Self {
        Root { node: tree.root_node(), outline: None }
    }

    /// The node. Its own range is right only for a grammar's tree: use [`Root::range`].
    #[must_use]
    pub fn node(&self) -> Node<'t> {
        self.node
    }

    /// The bytes of the text that a node below the root covers.
    #[must_use]
    pub fn range(&self, node: Node<'_>) -> Range<usize> {
        self.outline.map_or_else(|| node.byte_range(), |outline| outline.range(node))
    }

    /// The text of a node below the root.
    #[must_use]
    pub fn text<'s>(&self, node: Node<'_>, source: &'s [u8]) -> &'s [u8] {
        source.get(self.range(node)).unwrap_or_default()
    }
}
