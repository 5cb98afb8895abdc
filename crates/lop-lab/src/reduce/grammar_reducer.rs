//! The grammar reducer of The Fuzzing Book.

use std::collections::HashMap;
use std::ops::Range;

use lop_grammar::Grammar;
use lop_passes::{Removal, Sequence};
use lop_syntax::{Document, Edit, NodeId, join};

use crate::algorithm::Stopped;
use crate::trees::{Expansion, Part, Productions, productions_of};

use super::current::Current;
use super::perses::nodes_of;

/// The ways to fill an expansion that are tried: the book's `try_all_combinations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combinations {
    /// The first that is smaller.
    First,
    /// All that are smaller.
    All,
}

/// Ways to fill an expansion that are looked at.
const MOST_COMBINATIONS: usize = 100;

/// A way to make a child smaller.
struct Reduction {
    edit: Removal,
    /// Whether the child is removed then, and not just smaller.
    gone: bool,
}

/// `GrammarReducer` in its depth-oriented form (Zeller, Gopinath, Böhme, Fraser and Holler, *The
/// Fuzzing Book*, chapter "Reducing Failure-Inducing Inputs"): top down, every child of every tree
/// is replaced
///
/// 1. by one of its subtrees with the same symbol,
/// 2. by another expansion of its symbol, filled with the first subtrees found in it that make it
///    smaller, or with all that do,
///
/// again while one of the children gets smaller. At first only subtrees one level below the child
/// are looked at, the largest; when there is nothing in the whole tree, those two levels below it,
/// and so on; after a pass that made something smaller, one level again.
///
/// Trees here have no hidden symbols. Two symbols are equal if one can replace the other, which a hidden symbol around
/// both would express. A list is nested to the right in the Book's grammars: its tails are its subtrees, so *d* levels
/// below is the list without its first *d* elements. So elements of a list are one level below it.
pub(super) fn reduce(current: &mut Current<'_>, combinations: Combinations) -> Result<(), Stopped> {
    let productions = productions_of(current.grammar()).expect("a test holds the files to lop's parsers");
    let way = (productions.as_ref(), combinations);
    let mut depth = 1;
    while current.has_tree() && depth < height(current.document()) {
        let reduced = pass_at(current, way, depth)?;
        depth = if reduced { 1 } else { depth + 1 };
    }
    Ok(())
}

/// The expansions of the language, and how they are filled.
type Way<'p> = (Option<&'p Productions>, Combinations);

/// Looks at all trees from the root down; `true` if something got smaller.
fn pass_at(current: &mut Current<'_>, way: Way<'_>, depth: u32) -> Result<bool, Stopped> {
    let mut reduced = false;
    let mut parent = 0;
    // A child that becomes smaller comes after its parent in preorder, whose number stays.
    while current.has_tree() && (parent as usize) < current.document().node_count() {
        if reduce_children(current, way, parent, depth)? {
            reduced = true;
        } else {
            parent += 1;
        }
    }
    Ok(reduced)
}

/// Goes once over the children of a node; `true` if one of them got smaller.
fn reduce_children(current: &mut Current<'_>, way: Way<'_>, parent: NodeId, depth: u32) -> Result<bool, Stopped> {
    let mut reduced = false;
    let mut next = 0;
    while current.has_tree() && (parent as usize) < current.document().node_count() {
        let list = current.list(parent);
        let family = Family::new(current.document(), parent, list);
        let Some((child, gone)) = reduce_one(current, way, &family, next, depth)? else { return Ok(reduced) };
        // The next child has taken the place of a removed one.
        next = if gone { child } else { child + 1 };
        reduced = true;
    }
    Ok(reduced)
}

/// Shrinks the first of the children from `next` on that can be made smaller. Returns its number, and whether it was
/// removed.
fn reduce_one(
    current: &mut Current<'_>,
    way: Way<'_>,
    family: &Family,
    mut next: usize,
    depth: u32,
) -> Result<Option<(usize, bool)>, Stopped> {
    while next < family.children.len() {
        let (productions, combinations) = way;
        let look = Look { document: current.document(), grammar: current.grammar(), productions, combinations, depth };
        // Enough for all workers.
        let (mut edits, mut of) = (Vec::new(), Vec::new());
        while edits.len() < current.width() && next < family.children.len() {
            for Reduction { edit, gone } in look.reductions(family, next) {
                edits.push(edit);
                of.push((next, gone));
            }
            next += 1;
        }
        if let Some(made) = current.edit(&edits)? {
            return Ok(Some(of[made]));
        }
    }
    Ok(None)
}

/// The children of a node, and which of them are elements of a list.
struct Family {
    children: Vec<NodeId>,
    list: Option<Sequence>,
    /// Element → its number in the list.
    elements: HashMap<NodeId, usize>,
}

impl Family {
    fn new(document: &Document, parent: NodeId, list: Option<Sequence>) -> Self {
        let elements = list.iter().flat_map(nodes_of).enumerate().map(|(number, node)| (node, number)).collect();
        Family { children: document.children(parent).collect(), list, elements }
    }

    /// A child and the elements after it, `count` in all.
    fn run(&self, child: NodeId, count: usize) -> Option<Removal> {
        let first = *self.elements.get(&child)?;
        let run = self.list.as_ref()?.units.get(first..first.checked_add(count)?)?;
        let nodes = run.iter().flat_map(|unit| match &unit.removal {
            Removal::Nodes(nodes) => nodes.to_vec(),
            Removal::Edits(_) => Vec::new(),
        });
        Some(Removal::Nodes(nodes.collect::<Vec<_>>().into()))
    }
}

/// A search of a tree, down to a number of levels.
struct Look<'l> {
    document: &'l Document,
    grammar: &'l Grammar,
    productions: Option<&'l Productions>,
    combinations: Combinations,
    depth: u32,
}

impl Look<'_> {
    /// The reductions of a child: without it and its neighbours, then its subtrees, then its other
    /// expansions.
    fn reductions(&self, family: &Family, child: usize) -> Vec<Reduction> {
        let child = family.children[child];
        let run = family.run(child, self.depth as usize);
        let mut all: Vec<Reduction> = run.into_iter().map(|edit| Reduction { edit, gone: true }).collect();
        let node = self.document.node(child);
        if node.is_named() && !node.is_extra() && !node.is_error() && !self.grammar.is_opaque(node.kind) {
            let below = self.below(child);
            let smaller = self.subtrees(child, &below).chain(self.other_expansions(child, &below));
            all.extend(smaller.map(|edit| Reduction { edit, gone: false }));
        }
        all
    }

    /// Lists the nodes at a number of levels below a node, in the order of the text.
    fn below(&self, node: NodeId) -> Vec<NodeId> {
        let wanted = self.document.depth(node) + self.depth;
        let end = self.document.subtree_end(node);
        let mut found = Vec::new();
        let mut at = node;
        while at < end {
            if self.document.depth(at) == wanted {
                found.push(at);
                at = self.document.subtree_end(at);
            } else {
                at += 1;
            }
        }
        found
    }

    /// The tree replaced by one of its subtrees.
    fn subtrees<'b>(&'b self, tree: NodeId, below: &'b [NodeId]) -> impl Iterator<Item = Removal> + 'b {
        let node = self.document.node(tree);
        let same = below.iter().filter(move |&&subtree| {
            let this = self.document.node(subtree);
            let named = this.is_named() && !this.is_extra() && !this.is_empty();
            named && this.len() < node.len() && self.grammar.may_replace(node.kind, this.kind)
        });
        same.map(move |&subtree| keep_only(self.document, tree, subtree))
    }

    /// The tree expanded in another way, those with the fewest nodes first.
    fn other_expansions(&self, tree: NodeId, below: &[NodeId]) -> Vec<Removal> {
        let node = self.document.node(tree);
        let Some(productions) = self.productions else { return Vec::new() };
        let expansions = productions.alternatives(node.kind);
        let mut filled: Vec<_> = expansions.iter().flat_map(|expansion| self.fill(tree, below, expansion)).collect();
        filled.sort_by_key(|pieces| self.nodes_in(pieces));
        let texts = filled.iter().map(|pieces| text_of(self.document, pieces));
        let shorter = texts.filter(|text| !text.is_empty() && text.len() < node.len());
        shorter.map(|text| Removal::Edits(vec![Edit::replace(node.range(), text)])).collect()
    }

    /// Nodes that can be the children in an expansion and are fewer than those of the tree: the first such, or all.
    fn fill(&self, tree: NodeId, below: &[NodeId], expansion: &Expansion) -> Vec<Vec<NodeId>> {
        let choices: Vec<Vec<NodeId>> = expansion
            .children
            .iter()
            .map(|child| below.iter().copied().filter(|&piece| fits(self.document, &child.part, piece)).collect())
            .collect();
        let most = (self.document.subtree_end(tree) - tree) as usize;
        let all = (0..ways(&choices).min(MOST_COMBINATIONS)).map(|way| pick(&choices, way));
        let smaller = all.filter(|pieces| self.nodes_in(pieces) < most);
        match self.combinations {
            Combinations::First => smaller.take(1).collect(),
            Combinations::All => smaller.collect(),
        }
    }

    /// Nodes of a tree that has these children.
    fn nodes_in(&self, children: &[NodeId]) -> usize {
        let inside = |&child: &NodeId| (self.document.subtree_end(child) - child) as usize;
        1 + children.iter().map(inside).sum::<usize>()
    }
}

/// A descendant in the place of a node.
fn keep_only(document: &Document, outer: NodeId, inner: NodeId) -> Removal {
    let (around, kept) = (document.node(outer).range(), document.node(inner).range());
    Removal::Edits(vec![Edit::delete(around.start..kept.start), Edit::delete(kept.end..around.end)])
}

/// Nodes on the longest way from the root to a leaf.
fn height(document: &Document) -> u32 {
    1 + document.ids().map(|node| document.depth(node)).max().unwrap_or(0)
}

/// Whether a node can be in a place of an expansion.
fn fits(document: &Document, part: &Part, piece: NodeId) -> bool {
    let node = document.node(piece);
    match part {
        Part::Node(kinds) => node.is_named() && !node.is_empty() && kinds.contains(&node.kind),
        Part::Token { kinds, .. } => !node.is_empty() && kinds.contains(&node.kind),
        Part::Hidden => false,
    }
}

/// Concatenates the texts of some nodes; neighbours keep the blanks between them.
fn text_of(document: &Document, pieces: &[NodeId]) -> Vec<u8> {
    join(stretches(document, pieces).into_iter().map(|stretch| &document.source()[stretch]))
}

/// The parts of the source that nodes cover, neighbours united.
fn stretches(document: &Document, pieces: &[NodeId]) -> Vec<Range<usize>> {
    let source = document.source();
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for &piece in pieces {
        let next = document.node(piece).range();
        match stretches.last_mut() {
            Some(last) if last.end <= next.start && source[last.end..next.start].trim_ascii().is_empty() => {
                last.end = next.end;
            }
            _ => stretches.push(next),
        }
    }
    stretches
}

/// Ways to choose one from each row.
fn ways(choices: &[Vec<NodeId>]) -> usize {
    choices.iter().map(Vec::len).fold(1, usize::saturating_mul)
}

/// One of the ways to choose from each row; the choice from the last changes fastest.
fn pick(choices: &[Vec<NodeId>], mut way: usize) -> Vec<NodeId> {
    let mut picked: Vec<NodeId> = Vec::with_capacity(choices.len());
    for row in choices.iter().rev() {
        picked.push(row[way % row.len()]);
        way /= row.len();
    }
    picked.reverse();
    picked
}
