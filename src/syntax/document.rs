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
            | flag(node.is_error() || node.is_missing(), HAS_ERROR)
            | flag(in_extra || (extra && !node.is_error()), IN_EXTRA);
        let (start, end) = (node.start_byte(), node.end_byte());
        let leaf = node.child_count() == 0;
        let token = leaf && end > start && flags & IN_EXTRA == 0 && !node.kind().chars().all(char::is_whitespace);
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
            nodes[outer as usize].flags |= flags & HAS_ERROR;
        }
        while !cursor.goto_next_sibling() {
            let Some((closed, _)) = open.pop() else { return nodes };
            cursor.goto_parent();
            let end = u32::try_from(nodes.len()).expect("checked above");
            nodes[closed as usize].subtree_end = end;
            if let Some(&(outer, _)) = open.last() {
                nodes[outer as usize].tokens += nodes[closed as usize].tokens;
                nodes[outer as usize].flags |= nodes[closed as usize].flags & HAS_ERROR;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::testing::{FILES, any_text, parser, shipped_sample};

    fn document(file: &str, text: impl Into<Vec<u8>>) -> Document {
        Document::parse(&mut parser(file), text.into()).expect("a small text has a tree")
    }

    /// Everything that must hold between the nodes of any document.
    #[track_caller]
    fn assert_consistent(document: &Document) {
        assert_eq!(document.parent(0), None);
        assert_eq!(document.node(0).depth, 0);
        assert_eq!((document.previous_sibling(0), document.next_sibling(0)), (None, None));
        assert_eq!(document.subtree_end(0) as usize, document.node_count());
        assert_eq!(document.ids().count(), document.node_count());
        let mut seen = 1;
        for id in document.ids() {
            let node = document.node(id);
            assert!(node.start <= node.end && node.end as usize <= document.source().len());
            assert_eq!(document.text(id).len(), node.len());
            assert_eq!(document.is_leaf(id), document.children(id).next().is_none());
            let wrong = (id..document.subtree_end(id)).any(|inner| counts(document, inner));
            assert!(node.has_error() || !wrong, "{node:?}");
            let mut previous = None;
            let mut tokens = 0;
            for child in document.children(id) {
                let this = document.node(child);
                assert_eq!(document.parent(child), Some(id));
                assert_eq!(this.depth, node.depth + 1);
                assert_eq!(document.previous_sibling(child), previous);
                assert!(node.start <= this.start && this.end <= node.end, "{this:?} is in {node:?}");
                assert!(document.contains(id, child) && !document.contains(child, id));
                if let Some(previous) = previous {
                    assert_eq!(document.next_sibling(previous), Some(child));
                    assert_eq!(document.subtree_end(previous), child);
                    assert!(document.node(previous).end <= this.start);
                }
                tokens += this.tokens;
                previous = Some(child);
                seen += 1;
            }
            match previous {
                Some(last) => {
                    assert_eq!(document.next_sibling(last), None);
                    assert_eq!(document.subtree_end(last), document.subtree_end(id));
                    assert_eq!(node.tokens, tokens, "{node:?}");
                }
                None => assert_eq!(node.tokens, u32::from(document.is_token(id))),
            }
        }
        assert_eq!(seen, document.node_count(), "every node is a child once");
        assert_eq!(document.tokens(), document.tokens_in(0..document.source().len()));
        assert_eq!(document.errors(), document.ids().filter(|&id| counts(document, id)).count());
    }

    /// What makes a document have an error. A leaf of bytes that no token starts with stands in an
    /// ERROR node that counts, and does not count again.
    fn counts(document: &Document, id: NodeId) -> bool {
        let node = document.node(id);
        let inside = document.parent(id).is_some_and(|p| document.node(p).is_error());
        node.is_missing() || (node.is_error() && !(inside && document.is_leaf(id)))
    }

    /// Every node is found by its place, but for those that share it with one of the same kind above.
    #[track_caller]
    fn assert_all_found(document: &Document) {
        for id in document.ids() {
            let node = document.node(id);
            let (start, end) = (node.start as usize, node.end as usize);
            let found = document.find(start, end, node.kind).expect("the node is there");
            assert!(found <= id);
            let other = document.node(found);
            assert_eq!((other.range(), other.kind), (node.range(), node.kind));
            let same = |n: NodeId| document.node(n).range() == node.range() && document.node(n).kind == node.kind;
            assert!(!(0..found).any(same), "the outermost is found");
        }
    }

    #[test]
    fn samples_are_laid_out_in_preorder() {
        for file in FILES {
            let document = document(file, shipped_sample(file));
            assert!(document.node_count() > 100);
            assert_eq!(document.errors(), 0);
            assert_consistent(&document);
            assert_all_found(&document);
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let document = document("x.json", "[1, 1]");
        let one = document.find(1, 2, document.node(document.ids().last().expect("a root") - 3).kind);
        assert_eq!(document.find(0, 6, u16::MAX - 1), None);
        assert_eq!(document.find(1, 3, document.node(0).kind), None);
        assert_eq!(document.find(7, 9, document.node(0).kind), None);
        assert_eq!(document.find(0, 6, document.node(0).kind), Some(0));
        assert!(one.is_some());
    }

    #[test]
    fn tokens_are_the_leaves_that_are_neither_blank_nor_in_comments() {
        let rows: [(&str, &[u8], usize); 20] = [
            ("x.c", b"", 0),
            ("x.c", b" \n\t", 0),
            ("x.c", b"int a;", 3),
            ("x.c", b"int a; // b c\n/* d */", 3),
            ("x.c", b"int a;\r\nint b;\r\n", 6),
            ("x.c", b"\xEF\xBB\xBFint a;", 3),
            // The line feed is a leaf of its own; the quotes and what they hold are three.
            ("x.c", b"#define A 1 + 1\nint a;", 6),
            ("x.c", b"#include <a.h>\n", 2),
            ("x.c", b"char *s = \"a b\";", 8),
            ("x.c", b"f(1, 'x');", 9),
            ("x.js", b"", 0),
            ("x.js", b"f(a)", 4),
            // An implied semicolon has no bytes.
            ("x.js", b"let a = 1\nlet b", 6),
            ("x.js", b"`a${b}`", 6),
            ("x.js", b"/a b/g", 4),
            ("x.json", b"", 0),
            ("x.json", b"[1, {\"a\": null}]", 11),
            ("x.json", b"[-1.5e3]", 3),
            ("x.json", b"[]\n", 2),
            ("x.json", b"[ ]", 2),
        ];
        for (file, text, tokens) in rows {
            let document = document(file, text);
            assert_eq!(document.tokens(), tokens, "{file}: {}", text.escape_ascii());
            assert_consistent(&document);
        }
    }

    #[test]
    fn tokens_of_a_part_are_those_that_start_in_it() {
        let document = document("x.c", "int abc = 1;");
        assert_eq!(document.tokens_in(0..12), 5);
        assert_eq!(document.tokens_in(0..3), 1);
        assert_eq!(document.tokens_in(0..4), 1);
        assert_eq!(document.tokens_in(4..5), 1);
        assert_eq!(document.tokens_in(5..8), 0);
        assert_eq!(document.tokens_in(3..3), 0);
    }

    #[test]
    fn unplaced_and_invented_nodes_are_marked() {
        let document = document("x.c", "int f(void) { return 1 }\nint a;");
        assert_consistent(&document);
        let missing: Vec<_> = document.ids().filter(|&id| document.node(id).is_missing()).collect();
        let [missing] = missing[..] else { panic!("one semicolon is missing") };
        assert!(document.node(missing).is_empty() && document.node(missing).tokens == 0);
        assert!(document.node(0).has_error() && !document.node(0).is_error());
        let last = document.children(0).last().expect("the text has two declarations");
        assert_eq!(document.text(last), b"int a;");
        assert!(!document.node(last).has_error());

        let document = self::document("x.json", "[1, ?!, 2]");
        assert_consistent(&document);
        let error = document.ids().find(|&id| document.node(id).is_error()).expect("the text is wrong");
        assert!(document.text(error).starts_with(b"?!"));
        assert!(document.ids().all(|id| !document.node(id).is_missing()));
    }

    #[test]
    fn any_bytes_have_a_consistent_tree() {
        let rows: [&[u8]; 14] = [
            b"",
            b"\n",
            b"\0",
            b"int a\0;\0\0 int b;",
            b"\xFF\xFE",
            b"[\"\xC3\x28\", \xE2\x82]",
            b"\xEF\xBB\xBF[1]\r\n",
            b"\xEF\xBB\xBF",
            b"\r\n\r\n[1,\r\n2]\r\n",
            b"[1]   \n\n",
            b"   [1]",
            b"{{{{((((",
            b"\"open",
            b"/* open",
        ];
        for file in FILES {
            for text in rows {
                let document = document(file, text);
                assert_eq!(document.source(), text);
                assert_consistent(&document);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn random_texts_have_a_consistent_tree(text in any_text(), file in prop::sample::select(&FILES[..])) {
            assert_consistent(&document(file, text));
        }
    }

    /// A question that is linear in the depth, asked per node, would take minutes here; one that
    /// recurses would end the process.
    #[test]
    fn a_hundred_thousand_levels_are_no_matter() {
        const LEVELS: usize = 100_000;
        let closed = |open: &str, inside: &str, close: &str| open.repeat(LEVELS) + inside + &close.repeat(LEVELS);
        let rows = [
            ("x.json", closed("[", "1", "]"), 0),
            ("x.js", closed("[", "1", "]"), 0),
            ("x.js", closed("{", "", "}"), 0),
            ("x.c", format!("int a = {};", closed("(", "1", ")")), 0),
            ("x.c", format!("void f(void) {{ {} }}", closed("{", "", "}")), 0),
        ];
        for (file, text, errors) in rows {
            let length = text.len();
            let document = document(file, text);
            let deepest = document.ids().map(|id| document.node(id).depth).max();
            assert!(deepest.is_some_and(|depth| depth as usize >= LEVELS), "{file}: {deepest:?}");
            assert_eq!(document.errors(), errors);
            assert_eq!(document.node(0).range(), 0..length);
            assert!(document.tokens() >= 2 * LEVELS);
        }
    }
}
