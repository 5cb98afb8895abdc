//! The document: an immutable text and its syntax tree as an arena in preorder.
//!
//! tree-sitter's own nodes know their parents only by a search from the root, which takes minutes
//! at 100,000 levels. The arena is built by one walk with a cursor and no recursion; afterwards
//! every question about a node is an array access.

use std::ops::Range;

use super::parse::{ParseError, SyntaxParser, SyntaxTree, error_count};

/// Index of a node in preorder; 0 is the root.
pub type NodeId = u32;

const NONE: u32 = u32::MAX;

/// One node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Kind of the node, tree-sitter's number for it.
    pub kind: u16,
    /// Number of the field of the parent in which it stands, 0 for none.
    pub field: u16,
    /// Distance from the root.
    pub depth: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Tokens inside: leaves that are neither blank nor part of a comment.
    pub tokens: u32,
    parent: u32,
    /// One past the last descendant.
    subtree_end: u32,
    previous: u32,
    flags: u8,
}

const NAMED: u8 = 1;
const EXTRA: u8 = 2;
const ERROR: u8 = 4;
const MISSING: u8 = 8;
const IN_EXTRA: u8 = 16;
const HAS_ERROR: u8 = 32;

impl Node {
    /// Whether the grammar names it (a rule, not a literal token).
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.flags & NAMED != 0
    }

    /// Whether it may stand anywhere (comments).
    #[must_use]
    pub fn is_extra(&self) -> bool {
        self.flags & EXTRA != 0
    }

    /// Whether it is text that the grammar could not place.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.flags & ERROR != 0
    }

    /// Whether the parser invented it.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.flags & MISSING != 0
    }

    /// Whether it is, or contains, an ERROR or MISSING node.
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.flags & HAS_ERROR != 0
    }

    /// Its bytes in the text.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it has no bytes (a MISSING node, an implied token).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// A text and its tree.
pub struct Document {
    source: Vec<u8>,
    nodes: Vec<Node>,
    tree: SyntaxTree,
    errors: usize,
    /// First bytes of the tokens, ascending.
    token_starts: Vec<u32>,
}

impl Document {
    /// Parses a text.
    ///
    /// # Errors
    /// As for [`SyntaxParser::parse`].
    pub fn parse(parser: &mut SyntaxParser, source: Vec<u8>) -> Result<Self, ParseError> {
        let tree = parser.parse(&source)?;
        Ok(Self::of(source, tree))
    }

    fn of(source: Vec<u8>, tree: SyntaxTree) -> Self {
        let nodes = arena(&tree);
        let token_starts = nodes
            .iter()
            .enumerate()
            .filter(|(at, n)| n.tokens == 1 && n.subtree_end as usize == at + 1)
            .map(|(_, n)| n.start)
            .collect();
        Document { nodes, errors: error_count(&tree), source, tree, token_starts }
    }

    /// Number of tokens that start in a part of the text.
    #[must_use]
    pub fn tokens_in(&self, part: Range<usize>) -> usize {
        let before = |at: usize| self.token_starts.partition_point(|&s| (s as usize) < at);
        before(part.end) - before(part.start)
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// tree-sitter's tree of the text.
    #[must_use]
    pub fn tree(&self) -> &SyntaxTree {
        &self.tree
    }

    /// Number of ERROR and MISSING nodes.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Tokens of the whole text.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.nodes[0].tokens as usize
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    ///
    /// # Panics
    /// If `id` is not a node of this document.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The bytes of a node.
    #[must_use]
    pub fn text(&self, id: NodeId) -> &[u8] {
        &self.source[self.node(id).range()]
    }

    /// The parent; `None` for the root.
    #[must_use]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).parent)
    }

    /// The sibling before it.
    #[must_use]
    pub fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).previous)
    }

    /// The sibling after it.
    #[must_use]
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id);
        let parent = some(node.parent)?;
        (node.subtree_end < self.node(parent).subtree_end).then_some(node.subtree_end)
    }

    /// One past the last descendant: `id..subtree_end(id)` is the subtree in preorder.
    #[must_use]
    pub fn subtree_end(&self, id: NodeId) -> NodeId {
        self.node(id).subtree_end
    }

    /// Whether `inner` is `outer` or inside it.
    #[must_use]
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.node(outer).subtree_end
    }

    /// Whether it has no children.
    #[must_use]
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.node(id).subtree_end == id + 1
    }

    /// Whether it counts as a token.
    #[must_use]
    pub fn is_token(&self, id: NodeId) -> bool {
        self.is_leaf(id) && self.node(id).tokens == 1
    }

    /// The children, first to last.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).subtree_end;
        let mut next = id + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.node(child).subtree_end;
                child
            })
        })
    }

    /// The outermost node of a kind with exactly this range.
    #[must_use]
    pub fn find(&self, start: usize, end: usize, kind: u16) -> Option<NodeId> {
        let key = |n: &Node| (n.start as usize, std::cmp::Reverse(n.end as usize));
        let wanted = (start, std::cmp::Reverse(end));
        let first = self.nodes.partition_point(|n| key(n) < wanted);
        let found = self.nodes[first..].iter().take_while(|n| key(n) == wanted).position(|n| n.kind == kind)?;
        NodeId::try_from(first + found).ok()
    }

    /// All nodes in preorder.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        0..NodeId::try_from(self.nodes.len()).expect("offsets are 32 bits wide")
    }
}

fn some(id: u32) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

/// Walks the tree once and lays its nodes out in preorder.
fn arena(tree: &SyntaxTree) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(tree.root_node().descendant_count());
    let mut cursor = tree.walk();
    // The open ancestors, and for each the last child seen.
    let mut open: Vec<(u32, u32)> = Vec::new();
    loop {
        let node = cursor.node();
        let id = u32::try_from(nodes.len()).expect("a node per byte at most, and offsets are 32 bits wide");
        let (parent, previous) = open.last().copied().unwrap_or((NONE, NONE));
        if let Some(last) = open.last_mut() {
            last.1 = id;
        }
        let in_extra = parent != NONE && nodes[parent as usize].flags & IN_EXTRA != 0;
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        let extra = node.is_extra();
        let flags = flag(node.is_named(), NAMED)
            | flag(extra, EXTRA)
            | flag(node.is_error(), ERROR)
            | flag(node.is_missing(), MISSING)
            | flag(node.has_error(), HAS_ERROR)
            | flag(in_extra || (extra && !node.is_error()), IN_EXTRA);
        let (start, end) = (node.start_byte(), node.end_byte());
        let leaf = node.child_count() == 0;
        let token = leaf
            && end > start
            && flags & IN_EXTRA == 0
            && !node.kind().chars().all(char::is_whitespace);
        nodes.push(Node {
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, |f| f.get()),
            depth: u32::try_from(open.len()).expect("no deeper than bytes"),
            start: u32::try_from(start).expect("checked by the parser"),
            end: u32::try_from(end).expect("checked by the parser"),
            tokens: u32::from(token),
            parent,
            subtree_end: id + 1,
            previous,
            flags,
        });
        if !leaf && cursor.goto_first_child() {
            open.push((id, NONE));
            continue;
        }
        if let Some(&(outer, _)) = open.last() {
            nodes[outer as usize].tokens += u32::from(token);
        }
        while !cursor.goto_next_sibling() {
            let Some((closed, _)) = open.pop() else { return nodes };
            cursor.goto_parent();
            let end = u32::try_from(nodes.len()).expect("checked above");
            nodes[closed as usize].subtree_end = end;
            if let Some(&(outer, _)) = open.last() {
                nodes[outer as usize].tokens += nodes[closed as usize].tokens;
            }
        }
    }
}
