//! Perses: syntax-guided program reduction.

use std::collections::{BinaryHeap, VecDeque};

use crate::grammar::Grammar;
use crate::passes::{Removal, Sequence, siblings};
use crate::reduce::halt::Halt;
use crate::reduce::reducer::Reducer;
use crate::syntax::{Document, NodeId};

use super::keep_only;
use super::units::nodes_of;

/// Levels below a node in which a replacement is looked for.
const MAX_DEPTH: u32 = 4;
/// Replacements of one node that are tried.
const MAX_REPLACEMENTS: usize = 100;

/// What waits in the queue: what has the most tokens comes first, of equals the last in the text, and
/// a node before the list in it.
type Waiting = (u64, NodeId, Part);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    /// The children of a node that may go: where the source's grammar says `*`, `+` or `?`.
    List,
    /// A node.
    Node,
}

impl Reducer<'_, '_> {
    /// Perses (Sun, Li, Zhang, Gu and Su, *Perses: Syntax-Guided Program Reduction*, ICSE 2018): a
    /// queue of nodes, those with the most tokens first. A list, or something optional, goes by ddmin.
    /// Another node is replaced by a descendant that may stand in its place: the nearest on every way
    /// down, up to four levels below it, the smallest first. What is left of it then waits in the
    /// queue: what replaced it, or else its children.
    ///
    /// The source knows its lists from the grammar. Here they are the children that may go.
    pub(super) fn perses(&mut self) -> Result<(), Halt> {
        let mut queue = BinaryHeap::from([(u64::MAX, 0, Part::Node)]);
        while let Some((_, node, part)) = queue.pop() {
            self.session.check_limits()?;
            match part {
                Part::Node => self.replace(node, &mut queue)?,
                Part::List => self.shorten(node, &mut queue)?,
            }
        }
        self.rebase()
    }

    /// Replaces a node, or queues its list and its other children.
    fn replace(&mut self, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Halt> {
        let Some(tools) = &mut self.tools else { return Ok(()) };
        let document = self.session.current().document();
        let replacements = replacements(document, tools.grammar, node);
        let edits: Vec<Removal> = replacements.iter().map(|&inner| keep_only(document, node, inner)).collect();
        if let Some(made) = self.make_first(&edits, "a replacement")? {
            queue.push(self.waiting_node(replacements[made]));
            return Ok(());
        }
        let list = self.list_of(node);
        let units: Vec<NodeId> = list.iter().flat_map(nodes_of).collect();
        if let Some(list) = &list {
            queue.push((list.tokens(), node, Part::List));
        }
        let mut units = units.into_iter().peekable();
        let document = self.session.current().document();
        for child in document.children(node) {
            if units.next_if_eq(&child).is_none() && !document.is_leaf(child) {
                queue.push(self.waiting_node(child));
            }
        }
        Ok(())
    }

    /// Takes out of a list what can go, and queues what stays.
    fn shorten(&mut self, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Halt> {
        let Some(list) = self.list_of(node) else { return Ok(()) };
        let units: Vec<NodeId> = nodes_of(&list).collect();
        let mut sweep = self.new_sweep(list);
        self.finish(&mut sweep)?;
        let kept =
            sweep.kept().map(|unit| units[unit]).filter(|&node| !self.session.current().document().is_leaf(node));
        queue.extend(kept.map(|node| self.waiting_node(node)));
        Ok(())
    }

    fn list_of(&mut self, node: NodeId) -> Option<Sequence> {
        let tools = self.tools.as_mut()?;
        siblings(self.session.current().document(), tools.grammar, &mut tools.shapes, node, |_| false)
    }

    fn waiting_node(&self, node: NodeId) -> Waiting {
        (self.session.current().document().tokens_of(node).into(), node, Part::Node)
    }
}

/// The nearest descendants that may stand where a node stands, the smallest first.
fn replacements(document: &Document, grammar: &Grammar, outer: NodeId) -> Vec<NodeId> {
    let node = document.node(outer);
    let mut found = Vec::new();
    if outer == 0 || !node.is_named() || node.is_extra() || node.is_error() || grammar.is_opaque(node.kind) {
        return found;
    }
    let mut queue = VecDeque::from([outer]);
    while let Some(above) = queue.pop_front() {
        for child in document.children(above) {
            let this = document.node(child);
            if !this.is_named() || this.is_extra() || this.is_empty() {
                continue;
            }
            if grammar.may_replace(node.kind, this.kind) {
                // One that is all there is of the node would change nothing.
                if this.len() < node.len() {
                    found.push(child);
                }
            } else if document.depth(child) - document.depth(outer) < MAX_DEPTH && !grammar.is_opaque(this.kind) {
                queue.push_back(child);
            }
        }
    }
    found.sort_by_key(|&inner| document.tokens_of(inner));
    found.truncate(MAX_REPLACEMENTS);
    found
}
