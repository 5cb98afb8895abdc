//! The nodes of a tree in preorder, packed tightly: a large text has half a million of them, and only the parser's own
//! tree takes more memory.
//!
//! A node has sixteen bytes. A value that doesn't fit is rare (a parent 65,535 nodes earlier, a text of 64 KiB) or
//! rarely changes from one node to the next (the upper bits of a depth), so tables contain it.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

/// Index of a node in preorder; 0 is the root.
pub type NodeId = u32;

/// One node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Kind of the node, tree-sitter's number for it.
    pub kind: u16,
    /// Number of the field of the parent that the node is in, 0 for none.
    pub field: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    flags: u16,
}

/// A request to stop is looked for once in this number of nodes.
const NODES_PER_LOOK: NodeId = 1 << 12;

const NAMED: u16 = 1;
const EXTRA: u16 = 2;
const ERROR: u16 = 4;
const MISSING: u16 = 8;
const IN_EXTRA: u16 = 16;
const HAS_ERROR: u16 = 32;
/// How many flags there are.
const FLAGS: u32 = 6;

impl Node {
    /// Whether the grammar names it (a rule, not a literal token).
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.flags & NAMED != 0
    }

    /// Whether the node can be anywhere in the text, as a comment can.
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

/// A node as it is kept.
#[derive(Clone, Copy)]
struct Packed {
    start: u32,
    kind: u16,
    /// The flags, and above them the field.
    flags_and_field: u16,
    len: u16,
    /// How many nodes before it the parent is, 0 for the root.
    parent: u16,
    /// How many nodes are inside.
    inside: u16,
    /// The lower bits of the distance from the root.
    depth: u8,
    /// The lower bits of the number of tokens before it.
    tokens_before: u8,
}

/// Stands for a number that is in the table.
const FAR: u16 = u16::MAX;
/// Number of the field, which has fewer bits than a kind.
const FAR_FIELD: u16 = u16::MAX >> FLAGS;

/// Numbers that rarely differ from node to node. A node has the number that was set last, for it or for a node before
/// it.
#[derive(Default)]
struct Table {
    numbers: Vec<(NodeId, u32)>,
    /// Number of set numbers before each [`BLOCK`] of nodes, once all nodes are there: a text with a million levels
    /// sets one for most nodes.
    before: Vec<u32>,
}

/// Number of nodes in a block of the table.
const BLOCK: usize = 64;

impl Table {
    /// All numbers are there, if not in order.
    fn finish(&mut self, nodes: usize) {
        self.numbers.sort_unstable();
        self.numbers.shrink_to_fit();
        if self.numbers.is_empty() {
            return;
        }
        let mut set = 0;
        self.before = (0..=nodes / BLOCK)
            .map(|block| {
                let ends = |(id, _): &&(NodeId, u32)| (*id as usize) < block * BLOCK;
                set += self.numbers[set..].iter().take_while(ends).count();
                u32::try_from(set).expect("no more than there are nodes")
            })
            .collect();
    }

    /// Sets the number of a node. All nodes with a number so far come before it.
    fn set(&mut self, id: NodeId, number: u32) {
        if self.numbers.last().map_or(0, |&(_, last)| last) != number {
            self.numbers.push((id, number));
        }
    }

    /// The number of a node, 0 before the first that has one.
    fn at(&self, id: NodeId) -> u32 {
        let block = id as usize / BLOCK;
        let Some(&from) = self.before.get(block) else { return 0 };
        let to = self.before.get(block + 1).map_or(self.numbers.len(), |&to| to as usize);
        let set = from as usize + self.numbers[from as usize..to].partition_point(|&(first, _)| first <= id);
        set.checked_sub(1).map_or(0, |last| self.numbers[last].1)
    }

    /// The part of a number that a node keeps: all of it if it is below `far`, else `far`.
    fn pack(&mut self, id: NodeId, number: u32, far: u16) -> u16 {
        match u16::try_from(number) {
            Ok(near) if near < far => near,
            _ => {
                self.set(id, number);
                far
            }
        }
    }

    /// Returns the number of a node that keeps these two values.
    fn unpack(&self, id: NodeId, kept: u16, far: u16) -> u32 {
        if kept == far { self.at(id) } else { kept.into() }
    }

    /// The part that a node keeps of a number whose upper bits are those of its neighbours: the lowest byte.
    fn pack_lower(&mut self, id: NodeId, number: u32) -> u8 {
        let [lowest, ..] = number.to_le_bytes();
        self.set(id, number >> u8::BITS);
        lowest
    }

    /// Returns the number of a node that keeps its lowest byte.
    fn unpack_lower(&self, id: NodeId, kept: u8) -> u32 {
        self.at(id) << u8::BITS | u32::from(kept)
    }
}

/// Number of children up to which each child is asked for its field. To find it, a cursor goes up through all nodes
/// without a name to the parent, and in some grammars this path is as long as the parent has children. Each further
/// child gets the field of the first child of its kind.
const ASKED: u32 = 256;

/// The fields of the children of a node.
#[derive(Default)]
pub struct Fields {
    /// The fields by parent and kind, of the children after the first.
    of_others: BTreeMap<(NodeId, u16), u16>,
}

impl Fields {
    /// The number of the field of the node at the cursor, 0 for none. It is the child of this number of this parent.
    pub fn at(&mut self, cursor: &TreeCursor<'_>, parent: NodeId, child: u32) -> u16 {
        let ask = || cursor.field_id().map_or(0, NonZero::get);
        match child {
            0..ASKED => ask(),
            _ => *self.of_others.entry((parent, cursor.node().kind_id())).or_insert_with(ask),
        }
    }
}

/// A node whose end has not come yet, while a tree is walked through.
struct Open {
    id: NodeId,
    /// Children that have come.
    children: u32,
}

/// A node to be added.
struct Added {
    kind: u16,
    field: u16,
    /// Those that it has by itself.
    flags: u16,
    range: Range<u32>,
    /// Whether it counts as a token unless it is empty or in a comment.
    is_token: bool,
}

/// Lays nodes out in preorder that no cursor walks through.
#[derive(Default)]
pub(super) struct Builder {
    arena: Arena,
    open: Vec<Open>,
}

impl Builder {
    /// Adds a leaf.
    pub(super) fn leaf(&mut self, (kind, is_named, is_extra): (u16, bool, bool), range: Range<u32>) {
        let flags = if is_named { NAMED } else { 0 } | if is_extra { EXTRA } else { 0 };
        self.arena.add(Added { kind, field: 0, flags, range, is_token: true }, &self.open);
    }

    /// Adds a node with all that is added until it is closed.
    pub(super) fn open(&mut self, kind: u16, range: Range<u32>) {
        let id = self.arena.add(Added { kind, field: 0, flags: NAMED, range, is_token: false }, &self.open);
        self.open.push(Open { id, children: 0 });
    }

    /// Closes the node that was opened last.
    pub(super) fn close(&mut self) {
        let closed = self.open.pop().expect("as many are closed as were opened");
        self.arena.close(closed.id);
    }

    /// The nodes, once all are closed.
    pub(super) fn finish(mut self) -> Arena {
        self.arena.finish();
        self.arena.nodes.shrink_to_fit();
        self.arena
    }
}

/// The nodes of a tree.
#[derive(Default)]
pub(super) struct Arena {
    nodes: Vec<Packed>,
    /// Tokens in all.
    tokens: u32,
    fields: Table,
    lens: Table,
    parents: Table,
    insides: Table,
    depths: Table,
    tokens_before: Table,
}

impl Arena {
    /// Walks a tree once and lays its nodes out in preorder. Returns `None` after a request to stop.
    pub(super) fn of(tree: &Tree, is_stopped: &dyn Fn() -> bool) -> Option<Self> {
        let mut arena = Arena::default();
        arena.nodes.reserve_exact(tree.root_node().descendant_count());
        let mut cursor = tree.walk();
        let mut open: Vec<Open> = Vec::new();
        let mut fields = Fields::default();
        loop {
            let field = open.last_mut().map_or(0, |parent| {
                parent.children += 1;
                fields.at(&cursor, parent.id, parent.children - 1)
            });
            let id = arena.push(&cursor, field, &open);
            if id % NODES_PER_LOOK == 0 && is_stopped() {
                return None;
            }
            if cursor.goto_first_child() {
                open.push(Open { id, children: 0 });
                continue;
            }
            while !cursor.goto_next_sibling() {
                let Some(closed) = open.pop() else {
                    arena.finish();
                    return Some(arena);
                };
                cursor.goto_parent();
                arena.close(closed.id);
            }
        }
    }

    fn finish(&mut self) {
        let tables = [
            &mut self.fields,
            &mut self.lens,
            &mut self.parents,
            &mut self.insides,
            &mut self.depths,
            &mut self.tokens_before,
        ];
        tables.into_iter().for_each(|table| table.finish(self.nodes.len()));
    }

    /// Adds the node at the cursor, whose ancestors are open.
    fn push(&mut self, cursor: &TreeCursor<'_>, field: u16, open: &[Open]) -> NodeId {
        let node = cursor.node();
        let flag = |on: bool, bit: u16| if on { bit } else { 0 };
        let offset = |at: usize| u32::try_from(at).expect("checked by the parser");
        let flags = flag(node.is_named(), NAMED)
            | flag(node.is_extra(), EXTRA)
            | flag(node.is_error(), ERROR)
            | flag(node.is_missing(), MISSING);
        let is_blank = || node.kind().chars().all(char::is_whitespace);
        let is_token = node.child_count() == 0 && !is_blank();
        let range = offset(node.start_byte())..offset(node.end_byte());
        self.add(Added { kind: node.kind_id(), field, flags, range, is_token }, open)
    }

    /// Adds a node whose ancestors are open.
    fn add(&mut self, node: Added, open: &[Open]) -> NodeId {
        let id = self.count();
        let parent = open.last().map(|parent| parent.id);
        let in_extra = parent.is_some_and(|parent| self.nodes[parent as usize].flags_and_field & IN_EXTRA != 0);
        let flag = |on: bool, bit: u16| if on { bit } else { 0 };
        let is_error = node.flags & ERROR != 0;
        let flags = node.flags
            | flag(node.flags & (ERROR | MISSING) != 0, HAS_ERROR)
            | flag(in_extra || (node.flags & EXTRA != 0 && !is_error), IN_EXTRA);
        let Added { kind, field, range, .. } = node;
        let is_token = node.is_token && !range.is_empty() && flags & IN_EXTRA == 0;
        let (start, end) = (range.start, range.end);
        let packed = Packed {
            start,
            kind,
            flags_and_field: self.fields.pack(id, field.into(), FAR_FIELD) << FLAGS | flags,
            len: self.lens.pack(id, end - start, FAR),
            parent: self.pack_parent(id, parent),
            inside: 0,
            depth: self.depths.pack_lower(id, u32::try_from(open.len()).expect("no deeper than bytes")),
            tokens_before: self.tokens_before.pack_lower(id, self.tokens),
        };
        self.nodes.push(packed);
        self.tokens += u32::from(is_token);
        if flags & HAS_ERROR != 0 {
            self.spread_error(open);
        }
        id
    }

    /// The distance to its parent that a node keeps, or [`FAR`]. Only the last parts of large nodes are far from it,
    /// and so most of these have the parent of the one before them.
    fn pack_parent(&mut self, id: NodeId, parent: Option<NodeId>) -> u16 {
        let distance = parent.map_or(0, |parent| id - parent);
        let kept = u16::try_from(distance).unwrap_or(FAR);
        if kept == FAR {
            self.parents.set(id, id - distance);
        }
        kept
    }

    /// Something in the open nodes is wrong.
    fn spread_error(&mut self, open: &[Open]) {
        for outer in open.iter().rev() {
            let flags = &mut self.nodes[outer.id as usize].flags_and_field;
            // The nodes around this one have the flag already.
            if *flags & HAS_ERROR != 0 {
                break;
            }
            *flags |= HAS_ERROR;
        }
    }

    /// All that is inside a node has been added.
    fn close(&mut self, id: NodeId) {
        let inside = self.count() - id - 1;
        self.nodes[id as usize].inside = u16::try_from(inside).unwrap_or(FAR);
        if inside >= FAR.into() {
            // Inner nodes are closed before outer ones.
            self.insides.numbers.push((id, inside));
        }
    }

    /// Number of nodes.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.nodes.len()).expect("a node per byte at most, and offsets are 32 bits wide")
    }

    /// Number of tokens.
    pub(super) fn tokens(&self) -> u32 {
        self.tokens
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> Node {
        let packed = self.packed(id);
        let len = self.lens.unpack(id, packed.len, FAR);
        Node {
            kind: packed.kind,
            field: self.field(id, packed),
            start: packed.start,
            end: packed.start + len,
            flags: packed.flags_and_field,
        }
    }

    #[inline]
    fn packed(&self, id: NodeId) -> &Packed {
        &self.nodes[id as usize]
    }

    fn field(&self, id: NodeId, packed: &Packed) -> u16 {
        let field = self.fields.unpack(id, packed.flags_and_field >> FLAGS, FAR_FIELD);
        u16::try_from(field).expect("it was one before it was packed")
    }

    #[inline]
    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        match self.packed(id).parent {
            0 => None,
            FAR => Some(self.parents.at(id)),
            near => Some(id - NodeId::from(near)),
        }
    }

    /// One past the last node inside.
    #[inline]
    pub(super) fn subtree_end(&self, id: NodeId) -> NodeId {
        id + 1 + self.insides.unpack(id, self.packed(id).inside, FAR)
    }

    pub(super) fn is_leaf(&self, id: NodeId) -> bool {
        self.packed(id).inside == 0
    }

    pub(super) fn depth(&self, id: NodeId) -> u32 {
        self.depths.unpack_lower(id, self.packed(id).depth)
    }

    /// Tokens in a subtree.
    pub(super) fn tokens_of(&self, id: NodeId) -> u32 {
        let end = self.subtree_end(id);
        match self.nodes.get(end as usize) {
            // No more tokens than nodes: the lower bits tell them all.
            Some(after) if end - id <= u8::MAX.into() => {
                after.tokens_before.wrapping_sub(self.packed(id).tokens_before).into()
            }
            _ => self.tokens_before(end) - self.tokens_before(id),
        }
    }

    /// Tokens that start before a byte of the text.
    pub(super) fn tokens_until(&self, byte: usize) -> u32 {
        let before = self.nodes.partition_point(|node| (node.start as usize) < byte);
        self.tokens_before(u32::try_from(before).expect("no more than there are nodes"))
    }

    /// Tokens among the nodes before this one, which need not be there.
    fn tokens_before(&self, id: NodeId) -> u32 {
        self.nodes.get(id as usize).map_or(self.tokens, |node| self.tokens_before.unpack_lower(id, node.tokens_before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parser;
    use lop_testing::{FILES, shipped_sample};

    /// Half a million of them are in a text of a megabyte.
    #[test]
    fn a_node_takes_sixteen_bytes() {
        assert_eq!(size_of::<Packed>(), 16);
    }

    #[test]
    fn arena_has_the_fields_of_all_children_of_wide_nodes() {
        let few = FILES.map(|file| (file, shipped_sample(file).repeat(20)));
        let wide = [
            ("x.c", format!("int f(int a) {{ {}; }}", "a = a + 1, b;".repeat(400)).into_bytes()),
            ("x.json", format!("{{{}\"b\": 2}}", "\"a\": 1,".repeat(600)).into_bytes()),
            ("x.py", format!("if a: b\n{}else: c\n", "elif a: b\n".repeat(600)).into_bytes()),
            ("x.sh", format!("for a in {}; do b; done", "c ".repeat(600)).into_bytes()),
            ("x.yaml", "---\na\n".repeat(600).into_bytes()),
        ];
        for (file, text) in few.into_iter().chain(wide) {
            let tree = parser(file).parse(&text).expect("it is not hard");
            let arena = tree.arena(&|| false).expect("nobody stops it");
            let mut cursor = tree.root().node().walk();
            for id in 0..arena.count() {
                cursor.goto_descendant(id as usize);
                let field = cursor.field_id().map_or(0, NonZero::get);
                assert_eq!(arena.node(id).field, field, "{file}, node {id}");
            }
        }
    }

    #[test]
    fn numbers_are_what_they_were_before_they_were_packed() {
        let numbers = [0, 5, 1022, 1023, 1024, 1023, 7, 65_534, 65_535, 65_536, 65_536, 3, u32::MAX, 0];
        for far in [FAR, FAR_FIELD] {
            let mut table = Table::default();
            let kept: Vec<_> = (60..).zip(numbers).map(|(id, number)| table.pack(id, number, far)).collect();
            table.finish(60 + numbers.len());
            let unpacked: Vec<_> = (60..).zip(&kept).map(|(id, &kept)| table.unpack(id, kept, far)).collect();
            assert_eq!(unpacked, numbers);
        }
        let mut table = Table::default();
        let kept: Vec<_> = (60..).zip(numbers).map(|(id, number)| table.pack_lower(id, number)).collect();
        table.finish(60 + numbers.len());
        let unpacked: Vec<_> = (60..).zip(&kept).map(|(id, &kept)| table.unpack_lower(id, kept)).collect();
        assert_eq!(unpacked, numbers);
    }

    /// Many in a row, none for many blocks, none at all.
    #[test]
    fn a_number_stands_until_the_next_is_set() {
        const NODES: u32 = 2_000;
        for every in [1, 3, 64, 700, NODES + 1] {
            let mut table = Table::default();
            let mut last = 0;
            let mut expected = Vec::new();
            for id in 0..NODES {
                if id % every == every - 1 {
                    last = id / 2 + 1;
                    table.set(id, last);
                }
                expected.push(last);
            }
            table.finish(expected.len());
            let found: Vec<_> = (0..NODES).map(|id| table.at(id)).collect();
            assert_eq!(found, expected, "every {every}");
        }
    }
}
