//! Perses: syntax-guided program reduction.

use std::collections::{BinaryHeap, VecDeque};

use crate::grammar::Grammar;
use crate::passes::{Removal, Sequence, siblings};
use crate::reduce::halt::Halt;
use crate::reduce::reducer::Reducer;
use crate::syntax::{Document, NodeId};

use super::units::nodes_of;
use super::{keep_only, make_first};

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

/// Perses (Sun, Li, Zhang, Gu and Su, *Perses: Syntax-Guided Program Reduction*, ICSE 2018): a
/// queue of nodes, those with the most tokens first. A list, or something optional, goes by ddmin.
/// Another node is replaced by a descendant that may stand in its place: the nearest on every way
/// down, up to four levels below it, the smallest first. What is left of it then waits in the
/// queue: what replaced it, or else its children.
///
/// The source knows its lists from the grammar. Here they are the children that may go.
pub(super) fn perses(reducer: &mut Reducer<'_, '_>) -> Result<(), Halt> {
    let mut queue = BinaryHeap::from([(u64::MAX, 0, Part::Node)]);
    while let Some((_, node, part)) = queue.pop() {
        reducer.session.check_limits()?;
        match part {
            Part::Node => replace(reducer, node, &mut queue)?,
            Part::List => shorten(reducer, node, &mut queue)?,
        }
    }
    reducer.rebase()
}

/// Replaces a node, or queues its list and its other children.
fn replace(reducer: &mut Reducer<'_, '_>, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Halt> {
    let Some(tools) = &mut reducer.tools else { return Ok(()) };
    let document = reducer.session.current().document();
    let replacements = replacements(document, tools.grammar, node);
    let edits: Vec<Removal> = replacements.iter().map(|&inner| keep_only(document, node, inner)).collect();
    if let Some(made) = make_first(reducer, &edits, "a replacement")? {
        queue.push(waiting_node(reducer, replacements[made]));
        return Ok(());
    }
    let list = list_of(reducer, node);
    let units: Vec<NodeId> = list.iter().flat_map(nodes_of).collect();
    if let Some(list) = &list {
        queue.push((list.tokens(), node, Part::List));
    }
    let mut units = units.into_iter().peekable();
    let document = reducer.session.current().document();
    for child in document.children(node) {
        if units.next_if_eq(&child).is_none() && !document.is_leaf(child) {
            queue.push(waiting_node(reducer, child));
        }
    }
    Ok(())
}

/// Takes out of a list what can go, and queues what stays.
fn shorten(reducer: &mut Reducer<'_, '_>, node: NodeId, queue: &mut BinaryHeap<Waiting>) -> Result<(), Halt> {
    let Some(list) = list_of(reducer, node) else { return Ok(()) };
    let units: Vec<NodeId> = nodes_of(&list).collect();
    let mut sweep = reducer.new_sweep(list);
    reducer.finish(&mut sweep)?;
    let kept = sweep.kept().map(|unit| units[unit]).filter(|&node| !reducer.session.current().document().is_leaf(node));
    queue.extend(kept.map(|node| waiting_node(reducer, node)));
    Ok(())
}

fn list_of(reducer: &mut Reducer<'_, '_>, node: NodeId) -> Option<Sequence> {
    let tools = reducer.tools.as_mut()?;
    siblings(reducer.session.current().document(), tools.grammar, &mut tools.shapes, node, |_| false)
}

fn waiting_node(reducer: &Reducer<'_, '_>, node: NodeId) -> Waiting {
    (reducer.session.current().document().tokens_of(node).into(), node, Part::Node)
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
