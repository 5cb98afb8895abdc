//! Two parts at once: a part may be needed only as long as another one is there.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::pass::{Facts, Pass, Proposals, Stage, Tree, View};
use super::removal::{NodeSet, removal_edits};
use super::sequence::Removal;
use super::siblings::siblings;
use super::tokens::tokens;

/// Pairs of parts.
pub struct TwoParts;

impl Pass for TwoParts {
    fn facts(&self) -> Facts {
        Facts::new("two-parts", Stage::Guarantee, "any two parts at once, with --minimal-pairs")
            .led("it runs on request, when nothing can go alone, and as long as the user says")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else { return Proposals::default() };
        pairs(tree).into()
    }
}

/// How two parts belong together, the most promising relation first; the first that fits counts. It is
/// [`Class::outer`] of the edit that removes both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    /// A name appears in both.
    SameName,
    /// Nothing is between them.
    Neighbours,
    /// They are elements of one list.
    SameList,
    /// None of these.
    Other,
}

/// Tokens of a text above which there are no pairs: each is a parse.
const MOST_TOKENS: usize = 2_000;
/// Maximum number of parts: beyond it, pairs of no relation are left out, and then the last parts.
const MOST_PARTS: [usize; 2] = [200, 1_000];
/// Tokens of a part that is looked through for names.
const MOST_LOOKED_AT: u32 = 200;

/// A part that can be removed.
struct Part {
    node: NodeId,
    nodes: Vec<NodeId>,
    range: Range<usize>,
    tokens: u32,
    names: HashSet<u64>,
}

/// All pairs of parts that don't overlap: units of lists, and tokens.
fn pairs(tree: &Tree<'_>) -> Vec<Alternative> {
    let (document, grammar, prints) = (tree.document, tree.grammar, tree.prints());
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let mut parts = parts(tree);
    parts.truncate(MOST_PARTS[1]);
    let with_others = parts.len() <= MOST_PARTS[0];
    let mut all = Vec::new();
    // Equal pairs are told apart by their order.
    let mut times: HashMap<u64, u64> = HashMap::new();
    for (at, one) in parts.iter().enumerate() {
        for (after, other) in parts[at + 1..].iter().enumerate() {
            if other.range.start < one.range.end {
                continue;
            }
            let relation = relation(document, grammar, one, other, after == 0);
            if relation == Relation::Other && !with_others {
                continue;
            }
            let kind = |part: &Part| document.node(part.node).kind;
            let class = Class { outer: relation as u16, inner: kind(one), depth: kind(other) };
            let mut edits = edits(document, grammar, one.nodes.iter().chain(&other.nodes));
            edits.sort_by_key(|edit| edit.start);
            // An element and its own separator.
            if edits.windows(2).any(|two| two[0].end > two[1].start) {
                continue;
            }
            let mut hasher = DefaultHasher::new();
            (document.text(one.node), document.text(other.node), class).hash(&mut hasher);
            let time = times.entry(hasher.finish()).or_default();
            *time += 1;
            let made = Alternative::of_edits(document, prints, class, edits, *time);
            all.extend(made.map(|made| Alternative { tokens: one.tokens + other.tokens, ..made }));
        }
    }
    all
}

/// The edits that remove some nodes with their separators.
fn edits<'n>(document: &Document, grammar: &Grammar, nodes: impl IntoIterator<Item = &'n NodeId>) -> Vec<Edit> {
    let mut dead = NodeSet::new(document);
    nodes.into_iter().for_each(|node| dead.insert(*node));
    removal_edits(document, grammar, &dead)
}

/// The parts in the order of the text.
fn parts(tree: &Tree<'_>) -> Vec<Part> {
    let (document, grammar) = (tree.document, tree.grammar);
    let mut nodes: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for token in tokens(document, grammar) {
        nodes.insert(token, vec![token]);
    }
    let mut shapes = tree.shapes();
    for parent in document.ids() {
        let list = siblings(document, grammar, &mut shapes, parent, |_| false);
        for unit in list.into_iter().flat_map(|list| list.units) {
            if let Removal::Nodes(removed) = &unit.removal
                && let Some(&first) = removed.iter().next()
            {
                nodes.insert(first, removed.to_vec());
            }
        }
    }
    let part = |(node, nodes): (NodeId, Vec<NodeId>)| {
        let edits = edits(document, grammar, &nodes);
        let start = nodes.iter().map(|node| document.node(*node).range().start).min()?;
        let end = nodes.iter().map(|node| document.node(*node).range().end).max()?;
        let tokens = edits.iter().map(|edit| document.tokens_in(edit.start..edit.end)).sum::<usize>();
        let is_small = document.tokens_of(node) <= MOST_LOOKED_AT;
        let leaves = (node..document.subtree_end(node)).filter(|&id| is_small && document.is_leaf(id));
        let names = leaves.filter(|&id| grammar.is_identifier(document.node(id).kind));
        let print = |id: NodeId| {
            let mut hasher = DefaultHasher::new();
            document.text(id).hash(&mut hasher);
            hasher.finish()
        };
        let names = names.map(print).collect();
        Some(Part { node, nodes, range: start..end, tokens: u32::try_from(tokens).unwrap_or(u32::MAX), names })
    };
    let mut parts: Vec<Part> = nodes.into_iter().filter_map(part).collect();
    parts.sort_by_key(|part| (part.range.start, std::cmp::Reverse(part.range.end), part.node));
    parts
}

fn relation(document: &Document, grammar: &Grammar, one: &Part, other: &Part, is_next: bool) -> Relation {
    if !one.names.is_disjoint(&other.names) {
        Relation::SameName
    } else if is_next || document.source()[one.range.end..other.range.start].trim_ascii().is_empty() {
        Relation::Neighbours
    } else if document.parent(one.node) == document.parent(other.node)
        && !grammar.is_separator(document.node(one.node).kind)
    {
        Relation::SameList
    } else {
        Relation::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;

    /// The texts without each pair of a relation.
    fn texts(file: &str, text: &str, relation: Relation) -> Vec<String> {
        let mut sample = Languages.sample(file, text);
        let mut all = sample.proposals(&TwoParts).alternatives;
        all.retain(|pair| pair.class.outer == relation as u16);
        sample.results(&all)
    }

    #[test]
    fn two_parts_with_a_name_in_common_go_together() {
        let found = texts("x.c", "int a = 1; void f() { g(); a = 2; }", Relation::SameName);
        assert!(found.iter().any(|text| text.trim() == "void f() { g(); }"), "{found:?}");
    }

    #[test]
    fn elements_of_a_list_go_two_by_two_with_their_separators() {
        let found = texts("x.json", "[1, 2, 3]", Relation::SameList);
        for left in ["[1]", "[2]", "[3]"] {
            assert!(found.contains(&left.to_owned()), "{found:?}");
        }
    }

    #[test]
    fn large_texts_have_no_pairs() {
        let deep = "[".repeat(20_000) + "1" + &"]".repeat(20_000);
        assert!(Languages.sample("x.json", deep.as_str()).proposals(&TwoParts).alternatives.is_empty());
    }

    #[test]
    fn each_pair_is_there_once_and_none_overlaps() {
        let mut sample = Languages.sample("x.json", "[1, [2, 3], 4]");
        let all = sample.proposals(&TwoParts).alternatives;
        let memos: HashSet<u64> = all.iter().map(|pair| pair.memo).collect();
        assert!(memos.len() == all.len() && !all.is_empty());
        for pair in &all {
            assert!(pair.edits.windows(2).all(|two| two[0].end <= two[1].start), "{:?}", pair.edits);
        }
    }
}
