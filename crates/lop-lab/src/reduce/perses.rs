//! Perses: syntax-guided program reduction.

use std::collections::{BinaryHeap, VecDeque};

use lop_grammar::Grammar;
use lop_passes::{Removal, Sequence};
use lop_syntax::{Document, NodeId};

use crate::algorithm::Stopped;
use crate::algorithms::Ddmin;

use super::current::Current;

/// Levels below a node in which a replacement is looked for.
const MAX_DEPTH: u32 = 4;
/// Replacements of one node that are tried.
const MAX_REPLACEMENTS: usize = 100;

/// An entry of the queue: the one with the most tokens comes first, of equals the last in the text,
/// and a node before the list in it.
type Waiting = (u64, NodeId, Part);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    /// Returns the removable children of a node: those with `*`, `+` or `?` in the source's grammar.
    List,
    /// A node.
    Node,
}

/// Perses (Sun, Li, Zhang, Gu and Su, *Perses: Syntax-Guided Program Reduction*, ICSE 2018): a queue of nodes, those
/// with the most tokens first. A list, or something optional, is reduced by ddmin. Another node is replaced by a
/// descendant: the nearest suitable one on every path down, up to four levels below it, the smallest first. Then the
/// replacement, or else the node's children, wait in the queue.
///
/// The source knows its lists from the grammar. Here they are the children that may go.
pub(super) fn reduce(current: &mut Current<'_>) -> Result<(), Stopped> {
    let mut queue = BinaryHeap::from([(u64::MAX, 0, Part::Node)]);
    while let Some((_, node, part)) = queue.pop() {
        match part {
            Part::Node => replace(current, node, &mut queue)?,
            Part::List => shorten(current, node, &mut queue)?,
        }
    }
    Ok(())
}

/// Replaces a node, or queues its list and its other children.
fn replace(current: &mut Current<'_>, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Stopped> {
    let inner = replacements(current.document(), current.grammar(), node);
    if let Some(made) = current.replace(node, &inner)? {
        queue.push(waiting_node(current, inner[made]));
        return Ok(());
    }
    let list = current.list(node);
    let units: Vec<NodeId> = list.iter().flat_map(nodes_of).collect();
    if let Some(list) = &list {
        queue.push((list.tokens(), node, Part::List));
    }
    let mut units = units.into_iter().peekable();
    let document = current.document();
    for child in document.children(node) {
        if units.next_if_eq(&child).is_none() && !document.is_leaf(child) {
            queue.push(waiting_node(current, child));
        }
    }
    Ok(())
}

/// Removes elements of a list, and queues the rest.
fn shorten(current: &mut Current<'_>, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Stopped> {
    let units: Vec<NodeId> = current.list(node).iter().flat_map(nodes_of).collect();
    let nodes: Vec<Vec<NodeId>> = units.iter().map(|&node| vec![node]).collect();
    let gone = current.reduce_nodes(&Ddmin::MINIMISE, &nodes)?;
    let kept = (0..units.len()).filter(|&unit| !gone.contains(unit)).map(|unit| units[unit]);
    let kept = kept.filter(|&node| !current.document().is_leaf(node));
    queue.extend(kept.map(|node| waiting_node(current, node)));
    Ok(())
}

/// The nodes of a sequence whose units are single nodes.
pub(super) fn nodes_of(sequence: &Sequence) -> impl Iterator<Item = NodeId> + '_ {
    sequence.units.iter().filter_map(|unit| match &unit.removal {
        Removal::Nodes(nodes) => nodes.first().copied(),
        Removal::Edits(_) => None,
    })
}

fn waiting_node(current: &Current<'_>, node: NodeId) -> Waiting {
    (current.document().tokens_of(node).into(), node, Part::Node)
}

/// Returns the nearest descendants that can replace a node, the smallest first.
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
