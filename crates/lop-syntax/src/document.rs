//! The document: an immutable text with its syntax tree, which answers each question in constant time.
//!
//! tree-sitter's own nodes find their parents by a search from the root, which takes minutes at 100,000 levels. One
//! walk with a cursor and without recursion builds the arena; afterwards every question about a node is an array
//! access.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::arena::{Arena, Node, NodeId};
use super::on_demand::TreeOnDemand;
use super::parse::{ParseError, SyntaxParser, error_count};
use super::tree::SyntaxTree;

/// A text and its tree.
pub struct Document {
    arena: Arc<Arena>,
    tree: Arc<TreeOnDemand>,
    errors: usize,
}

impl Document {
    /// Parses a text.
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse_unknown`].
    pub fn parse(parser: &mut SyntaxParser, source: impl Into<Arc<[u8]>>) -> Result<Self, ParseError> {
        let source = source.into();
        let tree = parser.parse_unknown(&source)?;
        Document::new(parser, source, tree)
    }

    /// The document of a text whose tree the parser has made from that text alone.
    ///
    /// # Errors
    /// [`ParseError::Stopped`] if the parser has to stop during the parse.
    pub fn new(parser: &SyntaxParser, source: Arc<[u8]>, tree: SyntaxTree) -> Result<Self, ParseError> {
        let arena = tree.arena(&|| parser.is_stopped()).ok_or(ParseError::Stopped)?;
        let errors = error_count(&tree);
        Ok(Document { arena, errors, tree: Arc::new(TreeOnDemand::new(parser, source, tree)) })
    }

    /// Number of tokens that start in a part of the text.
    #[must_use]
    pub fn tokens_in(&self, part: Range<usize>) -> usize {
        (self.arena.tokens_until(part.end) - self.arena.tokens_until(part.start)) as usize
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        self.tree.text()
    }

    /// The text, for those who keep it.
    #[must_use]
    pub fn shared_source(&self) -> &Arc<[u8]> {
        self.tree.text()
    }

    /// tree-sitter's tree of the text.
    #[must_use]
    pub fn tree(&self) -> SyntaxTree {
        self.tree.get()
    }

    /// Returns the tree, to keep or drop it.
    #[must_use]
    pub fn shared_tree(&self) -> &Arc<TreeOnDemand> {
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
        self.arena.tokens() as usize
    }

    /// Tokens inside a node: leaves that are neither blank nor part of a comment.
    #[must_use]
    pub fn tokens_of(&self, id: NodeId) -> u32 {
        self.arena.tokens_of(id)
    }

    /// Distance of a node from the root.
    #[must_use]
    pub fn depth(&self, id: NodeId) -> u32 {
        self.arena.depth(id)
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.arena.count() as usize
    }

    /// A node.
    ///
    /// # Panics
    /// If `id` is not a node of this document.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> Node {
        self.arena.node(id)
    }

    /// The bytes of a node.
    #[must_use]
    pub fn text(&self, id: NodeId) -> &[u8] {
        &self.source()[self.node(id).range()]
    }

    /// Returns the parent, or `None` for the root.
    #[must_use]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.arena.parent(id)
    }

    /// Returns the nodes around it, from its parent to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The sibling before it.
    #[must_use]
    pub fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.parent(id)?;
        // The node before it is the parent, or the last node inside the sibling.
        let mut at = (id - 1 != parent).then(|| id - 1)?;
        loop {
            match self.parent(at)? {
                above if above == parent => return Some(at),
                above => at = above,
            }
        }
    }

    /// The sibling after it.
    #[must_use]
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let next = self.subtree_end(id);
        (next < self.subtree_end(self.parent(id)?)).then_some(next)
    }

    /// Returns the last child, or `None` for a leaf.
    #[must_use]
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        let mut at = self.subtree_end(id) - 1;
        while at > id {
            match self.parent(at)? {
                above if above == id => return Some(at),
                above => at = above,
            }
        }
        None
    }

    /// One past the last descendant: `id..subtree_end(id)` is the subtree in preorder.
    #[must_use]
    pub fn subtree_end(&self, id: NodeId) -> NodeId {
        self.arena.subtree_end(id)
    }

    /// Whether `inner` is `outer` or inside it.
    #[must_use]
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.subtree_end(outer)
    }

    /// Whether it has no children.
    #[must_use]
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.arena.is_leaf(id)
    }

    /// Whether it counts as a token.
    #[must_use]
    pub fn is_token(&self, id: NodeId) -> bool {
        self.is_leaf(id) && self.tokens_of(id) == 1
    }

    /// The children, first to last.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.subtree_end(id);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.subtree_end(child);
                child
            })
        })
    }

    /// The outermost node of a kind with exactly this range.
    #[must_use]
    pub fn find(&self, start: usize, end: usize, kind: u16) -> Option<NodeId> {
        let key = |id: NodeId| (self.node(id).start as usize, Reverse(self.node(id).end as usize));
        let wanted = (start, Reverse(end));
        let (mut first, mut after) = (0, self.arena.count());
        while first < after {
            let middle = first + (after - first) / 2;
            if key(middle) < wanted { first = middle + 1 } else { after = middle }
        }
        (first..self.arena.count()).take_while(|&id| key(id) == wanted).find(|&id| self.node(id).kind == kind)
    }

    /// All nodes in preorder.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        0..self.arena.count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::parser;
    use lop_testing::{FILES, any_text, shipped_sample};

    fn document(file: &str, text: impl Into<Vec<u8>>) -> Document {
        Document::parse(&mut parser(file), text.into()).expect("a small text has a tree")
    }

    #[test]
    fn a_tree_is_not_laid_out_after_a_request_to_stop() {
        let is_stopped = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let asked = Arc::clone(&is_stopped);
        let stop: crate::Stop = Arc::new(move || asked.load(std::sync::atomic::Ordering::SeqCst));
        let mut parser = parser("x.c").stopping(&stop);
        let source: Arc<[u8]> = b"int a;".as_slice().into();
        let tree = parser.parse_unknown(&source).expect("a small text has a tree");
        is_stopped.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(matches!(Document::new(&parser, source, tree), Err(ParseError::Stopped)));
    }

    /// Everything that must hold between the nodes of any document.
    #[track_caller]
    fn assert_consistent(document: &Document) {
        assert_eq!(document.parent(0), None);
        assert_eq!(document.depth(0), 0);
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
                assert_eq!(document.depth(child), document.depth(id) + 1);
                assert_eq!(document.previous_sibling(child), previous);
                assert!(node.start <= this.start && this.end <= node.end, "{this:?} is in {node:?}");
                assert!(document.contains(id, child) && !document.contains(child, id));
                if let Some(previous) = previous {
                    assert_eq!(document.next_sibling(previous), Some(child));
                    assert_eq!(document.subtree_end(previous), child);
                    assert!(document.node(previous).end <= this.start);
                }
                tokens += document.tokens_of(child);
                previous = Some(child);
                seen += 1;
            }
            match previous {
                Some(last) => {
                    assert_eq!(document.next_sibling(last), None);
                    assert_eq!(document.subtree_end(last), document.subtree_end(id));
                    assert_eq!(document.tokens_of(id), tokens, "{node:?}");
                }
                None => assert_eq!(document.tokens_of(id), u32::from(document.is_token(id))),
            }
        }
        assert_eq!(seen, document.node_count(), "every node is a child once");
        assert_eq!(document.tokens(), document.tokens_in(0..document.source().len()));
        assert_eq!(document.errors(), document.ids().filter(|&id| counts(document, id)).count());
    }

    /// Whether a node counts as an error. Bytes that start no token are a leaf in an ERROR node; the node counts, the
    /// leaf doesn't.
    fn counts(document: &Document, id: NodeId) -> bool {
        let node = document.node(id);
        let inside = document.parent(id).is_some_and(|p| document.node(p).is_error());
        node.is_missing() || (node.is_error() && !(inside && document.is_leaf(id)))
    }

    /// Every node is found by its range, except for a node inside another one of the same kind and range.
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
            // The line feed is a leaf; the quotes and their content are three.
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
        assert!(document.node(missing).is_empty() && document.tokens_of(missing) == 0);
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

    /// A list whose last parts are far from its parent, in one that is as large and nested as deep.
    #[test]
    fn what_does_not_fit_into_a_node_is_as_consistent() {
        let list = ["[".to_owned(), "1,".repeat(40_000), "2]".to_owned()].concat();
        let deep = |levels: usize| "[".repeat(levels) + "1" + &"]".repeat(levels);
        let text = format!("[{list}, {}, {list}, {}, {list}]", deep(255), deep(600));
        let document = document("x.json", text);
        assert_eq!(document.errors(), 0);
        assert_consistent(&document);
        let outer = document.children(0).next().expect("the root has the list");
        assert_eq!(document.children(outer).count(), 11);
        assert_eq!(document.tokens_of(outer), 2 + 4 + 3 * 80_003 + 511 + 1_201);
        assert_eq!(document.depth(document.ids().max_by_key(|&id| document.depth(id)).expect("a root")), 602);
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
            let deepest = document.ids().map(|id| document.depth(id)).max();
            assert!(deepest.is_some_and(|depth| depth as usize >= LEVELS), "{file}: {deepest:?}");
            assert_eq!(document.errors(), errors);
            assert_eq!(document.node(0).range(), 0..length);
            assert!(document.tokens() >= 2 * LEVELS);
        }
    }
}
