//! What a document's indentation means, in a language whose syntax it is.

use crate::grammar::Grammar;
use crate::syntax::{Block, Document, Edit, Indents, LineStart, NodeId, Rendering, render_around};

use super::minimal::place;

/// The indentation of a document; `None` where it is not syntax.
#[must_use]
pub fn indents(document: &Document, grammar: &Grammar) -> Option<Indents> {
    if !grammar.is_indented() {
        return None;
    }
    let (mut anchors, mut blocks) = (Vec::new(), Vec::new());
    for id in document.ids().filter(|&id| grammar.is_indented_kind(document.node(id).kind)) {
        anchors.push(document.node(id).start as usize);
        blocks.extend(filler(document, grammar, id).map(|filler| Block {
            header_end: header_end(document, id),
            elements: elements(document, id).map(|element| document.node(element).range()).collect(),
            filler: filler.to_owned(),
        }));
    }
    anchors.dedup();
    let mut leaves = Leaves { document, grammar, next: 0, inside: 0, last: None };
    let source = document.source();
    Some(Indents::new(source, anchors, blocks, |start, first| {
        let goes_on = source[..start]
            .strip_suffix(b"\n")
            .is_some_and(|before| before.strip_suffix(b"\r").unwrap_or(before).ends_with(b"\\"));
        leaves.line(first, goes_on)
    }))
}

/// [`render_around`] for edits of a document.
#[must_use]
pub fn rendered(document: &Document, grammar: &Grammar, edits: Vec<Edit>) -> Rendering {
    render_around(document.source(), edits, &[], indents(document, grammar).as_ref())
}

/// What has to stand in an indented block when nothing else does.
pub(super) fn filler<'g>(document: &Document, grammar: &'g Grammar, block: NodeId) -> Option<&'g str> {
    if !grammar.is_indented_kind(document.node(block).kind) || document.node(block).is_empty() {
        return None;
    }
    grammar.minimal(place(document, block)).next().map(|text| text.what)
}

/// Whether a node is all that an indented block holds, and reads as what would come in its place.
pub(super) fn is_filler(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let reads_so = |block| filler(document, grammar, block).is_some_and(|text| text.as_bytes() == document.text(node));
    let mut around = std::iter::successors(Some(node), |&node| document.parent(node))
        .take_while(|&around| document.node(around).range() == document.node(node).range());
    around.any(reads_so)
}

/// What stands in a block.
fn elements(document: &Document, block: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    document.children(block).filter(|&child| {
        let node = document.node(child);
        node.is_named() && !node.is_extra() && !node.is_empty()
    })
}

/// The end of what stands right before a node, comments aside.
fn header_end(document: &Document, node: NodeId) -> usize {
    let mut at = document.previous_sibling(node);
    while let Some(before) = at.filter(|&before| document.node(before).is_extra()) {
        at = document.previous_sibling(before);
    }
    at.map_or(document.node(node).start as usize, |before| document.node(before).end as usize)
}

/// The leaves of a document from the first to the last, texts and comments as one each.
struct Leaves<'d> {
    document: &'d Document,
    grammar: &'d Grammar,
    next: NodeId,
    /// Brackets that are open.
    inside: usize,
    last: Option<NodeId>,
}

impl Leaves<'_> {
    /// What the line is whose first byte that is no blank is at `first`; it `goes_on` where the line break before is
    /// masked. Lines are asked about in their order.
    fn line(&mut self, first: usize, goes_on: bool) -> LineStart {
        let document = self.document;
        while (self.next as usize) < document.node_count() {
            let node = self.document.node(self.next);
            if node.start as usize >= first && !node.is_empty() {
                break;
            }
            let is_whole = self.grammar.is_string(node.kind)
                || self.grammar.is_opaque(node.kind)
                || self.grammar.is_comment(node.kind);
            if node.is_empty() || !(is_whole || self.document.is_leaf(self.next)) {
                self.next += 1;
                continue;
            }
            if !node.is_named() {
                match self.document.text(self.next) {
                    b"(" | b"[" | b"{" => self.inside += 1,
                    b")" | b"]" | b"}" => self.inside = self.inside.saturating_sub(1),
                    _ => {}
                }
            }
            self.last = Some(self.next);
            self.next = self.document.subtree_end(self.next);
        }
        let is = |id: NodeId, of: &dyn Fn(u16) -> bool| of(self.document.node(id).kind);
        if let Some(last) = self.last.filter(|&last| self.document.node(last).end as usize > first) {
            let is_text = is(last, &|kind| self.grammar.is_string(kind));
            return if is_text { LineStart::Fixed } else { LineStart::Free };
        }
        let begins =
            (self.next as usize) < document.node_count() && self.document.node(self.next).start as usize == first;
        let is_comment = begins && is(self.next, &|kind| self.grammar.is_comment(kind));
        if begins && !is_comment && !goes_on && self.inside == 0 { LineStart::Syntax } else { LineStart::Free }
    }
}
