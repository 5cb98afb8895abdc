//! Descents: a node is replaced by a descendant of about half its size, and so on from there.
//!
//! If the part that matters is small and nested deeply, this finds it in about log₂ tests. Lists of one or two units
//! would take a test or two for each level.
//!
//! A descendant with the share *f* of the node's tokens suffices with probability (1 - *t*)·*f*ᵃ. *t* is the probability
//! that no descendant suffices. *a* says how common the part that matters is: 1 if there is one, less if there are
//! several, more if several must stay. Both are learnt for each kind of node: a grid of values has the likelihood of the
//! outcomes so far. A descendant that was refused makes those around it less likely, and those beside it likelier.

use std::collections::BTreeMap;

use lop_engine::Verdict;
use lop_grammar::Grammar;
use lop_passes::Removal;
use lop_syntax::{Document, Edit, NodeId};

use super::current::{Candidate, Current};
use super::question_source::{QuestionSource, SourceState};

/// Nodes of fewer tokens have too little inside them to save tests; where descents have helped before, even small ones
/// are worth one.
const LEAST_TOKENS: u32 = 24;
const LEAST_WHERE_NESTED: u32 = 8;
/// A descendant with less than this share of the tokens is too unlikely to suffice.
const LEAST_SHARE: u32 = 16;
/// Maximum number of children of a node that has a descent, and of the nodes on its way. In a body of several statements
/// of C a descent found a larger form of the same bug: 25 tokens instead of 15.
const NARROW: usize = 4;
/// A node with this share of the text may be replaced by a descendant of its kind, and one that is almost all of the text
/// by one of any kind that fits. Elsewhere a descent can lead to a larger form of the same bug, as lists would not.
const SHARE_OF_TEXT: f64 = 0.5;
const SHARE_OF_ALL: f64 = 0.9;
/// Less likely replacements are left to other passes.
const LEAST_CHANCE: f64 = 0.2;
/// Maximum number of nodes to examine below one node: on a very deep tree each descent would look at all of it.
const MAX_VISITED: usize = 4_000;
/// The values of *t* and *a*.
const NOTHING: [f64; 4] = [0.05, 0.2, 0.5, 0.95];
const POWERS: [f64; 4] = [0.1, 0.35, 1.0, 2.0];
const CELLS: usize = NOTHING.len() * POWERS.len();
/// No outcome is less likely than this.
const UNLIKELY: f64 = 0.01;
/// Weight of the outcomes of other kinds.
const OTHER_KINDS: f64 = 0.5;

/// The logarithm of the likelihood of the outcomes for each cell of the grid.
type Cells = [f64; CELLS];

/// The outcomes of descents, by the kind of the node at the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Descents {
    kinds: BTreeMap<u16, Cells>,
    all: Cells,
    /// Whether a descendant has replaced a node.
    have_helped: bool,
}

/// The values of *t* and *a* of each cell.
fn cells() -> impl Iterator<Item = (f64, f64)> {
    NOTHING.into_iter().flat_map(|nothing| POWERS.into_iter().map(move |power| (nothing, power)))
}

impl Descents {
    /// The probability of each cell.
    fn weights(&self, kind: u16) -> Cells {
        let own = self.kinds.get(&kind).copied().unwrap_or_default();
        let logs: Vec<f64> = own.iter().zip(&self.all).map(|(own, all)| own + OTHER_KINDS * (all - own)).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        let mut weights = Cells::default();
        weights.iter_mut().zip(&logs).for_each(|(weight, log)| *weight = (log - most).exp() / sum);
        weights
    }

    /// Learns an outcome.
    pub(super) fn learn(&mut self, kind: u16, part: &Part, suffices: bool) {
        self.have_helped |= suffices;
        for cells in [self.kinds.entry(kind).or_default(), &mut self.all] {
            for (cell, chance) in cells.iter_mut().zip(part.chances) {
                *cell += if suffices { chance } else { 1.0 - chance }.max(UNLIKELY).ln();
            }
        }
    }
}

/// A node that may be replaced by a descendant.
#[derive(Clone, Debug)]
pub(super) struct Descent {
    pub(super) node: NodeId,
    /// Whether descendants of other kinds may replace it.
    any_kind: bool,
    /// Descendants that don't suffice, nor anything in them.
    refused: Vec<NodeId>,
    /// Descendants that make a syntax error in the node's place. A part of them may not.
    unfit: Vec<NodeId>,
}

/// A descendant that may replace the node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) node: NodeId,
    /// The probability that it suffices.
    pub(super) chance: f64,
    /// The probability for each cell of the grid.
    chances: Cells,
}

impl Descent {
    /// Begins a descent from a node in a text of `tokens`; `None` if the node is too small a part of it or can't be
    /// replaced.
    pub(super) fn from(
        document: &Document,
        grammar: &Grammar,
        node: NodeId,
        tokens: usize,
        learnt: &Descents,
    ) -> Option<Self> {
        let (top, own) = (document.node(node), document.tokens_of(node));
        let is_fit = top.is_named() && !top.is_extra() && !top.is_error() && !grammar.is_opaque(top.kind);
        let share = f64::from(own) / tokens.max(1) as f64;
        let any_kind = share >= SHARE_OF_ALL;
        let least = if learnt.have_helped { LEAST_WHERE_NESTED } else { LEAST_TOKENS };
        (is_fit && own >= least && share >= SHARE_OF_TEXT).then(|| Descent {
            node,
            any_kind,
            refused: Vec::new(),
            unfit: Vec::new(),
        })
    }

    /// Returns the descendant that is expected to save most; `None` if none is likely to suffice.
    pub(super) fn best(
        &self,
        document: &Document,
        grammar: &Grammar,
        learnt: &Descents,
        is_removed: impl Fn(NodeId) -> bool,
    ) -> Option<Part> {
        let kind = document.node(self.node).kind;
        let weights = learnt.weights(kind);
        let tokens = |node| f64::from(document.tokens_of(node));
        let whole = tokens(self.node);
        let parts = self.parts(document, grammar, is_removed).filter_map(|node| {
            let inside = |refused: &&NodeId| document.contains(node, **refused);
            let mut part = Part { node, chance: 0.0, chances: Cells::default() };
            for (cell, (nothing, power)) in cells().enumerate() {
                let alone = |node: NodeId| (1.0 - nothing) * (tokens(node) / whole).powf(power);
                let all: f64 = self.refused.iter().map(|refused| alone(*refused)).sum();
                let below: f64 = self.refused.iter().filter(inside).map(|refused| alone(*refused)).sum();
                // Parts beside it are likelier only as far as there is one place that matters.
                let left = 1.0 - below - (all - below) * power.min(1.0);
                part.chances[cell] = ((alone(node) - below) / left.max(UNLIKELY)).clamp(0.0, 1.0);
                part.chance += weights[cell] * part.chances[cell];
            }
            (part.chance >= LEAST_CHANCE).then_some(part)
        });
        let saving = |part: &Part| part.chance * (whole - tokens(part.node));
        parts.min_by(|a, b| saving(b).total_cmp(&saving(a)).then(a.node.cmp(&b.node)))
    }

    /// The descendants that may replace the node.
    fn parts<'d>(
        &'d self,
        document: &'d Document,
        grammar: &'d Grammar,
        is_removed: impl Fn(NodeId) -> bool + 'd,
    ) -> impl Iterator<Item = NodeId> + 'd {
        let (kind, whole) = (document.node(self.node).kind, document.tokens_of(self.node));
        let mut below = vec![self.node];
        let mut visited = 0;
        std::iter::from_fn(move || {
            let parent = below.pop()?;
            if grammar.is_opaque(document.node(parent).kind) || !is_narrow(document, parent) {
                return Some(parent);
            }
            for child in document.children(parent) {
                visited += 1;
                let node = document.node(child);
                let is_part =
                    node.is_named() && !node.is_extra() && !is_removed(child) && !self.refused.contains(&child);
                if is_part && document.tokens_of(child) * LEAST_SHARE >= whole && visited <= MAX_VISITED {
                    below.push(child);
                }
            }
            Some(parent)
        })
        .filter(move |&part| {
            let node = document.node(part);
            let is_new = part != self.node && !self.unfit.contains(&part);
            let has_parts = (2..whole).contains(&document.tokens_of(part));
            is_new
                && has_parts
                && !node.is_error()
                && grammar.may_replace(kind, node.kind)
                && (self.any_kind || kind == node.kind)
        })
    }

    /// A descendant was refused, or could not be put in the node's place.
    pub(super) fn refuse(&mut self, node: NodeId, verdict: Verdict) {
        (if verdict == Verdict::Invalid { &mut self.unfit } else { &mut self.refused }).push(node);
    }
}

/// Whether a node has few children. Of many, any subset can matter, and lists find it in fewer tests.
fn is_narrow(document: &Document, node: NodeId) -> bool {
    let is_part = |child: &NodeId| document.node(*child).is_named() && !document.node(*child).is_extra();
    document.children(node).filter(is_part).take(NARROW + 1).count() <= NARROW
}

/// The removals that leave only a descendant of a node: the text around it, and the nodes there.
pub(super) fn around(document: &Document, outer: NodeId, inner: NodeId) -> [Removal; 2] {
    let (all, kept) = (document.node(outer).range(), document.node(inner).range());
    let edits = vec![Edit::delete(all.start..kept.start), Edit::delete(kept.end..all.end)];
    let above = std::iter::successors(document.parent(inner), |&node| document.parent(node));
    let mut nodes = Vec::new();
    for node in above.take_while(|&node| node >= outer) {
        let is_inside = |child: &NodeId| *child <= inner && inner < document.subtree_end(*child);
        nodes.extend(document.children(node).filter(|child| !is_inside(child)));
    }
    [Removal::Edits(edits), Removal::Nodes(nodes.into())]
}

/// Asks about one replacement.
pub(super) struct Replacement<'d> {
    pub(super) removals: &'d [Removal],
    pub(super) pass: &'static str,
    pub(super) chance: f64,
    pub(super) verdict: Option<Verdict>,
}

impl QuestionSource for Replacement<'_> {
    fn ask(&mut self) -> bool {
        self.verdict.is_none()
    }

    fn candidate(&mut self, current: &Current<'_>) -> Candidate {
        current.candidate(self.removals.iter(), false)
    }

    fn observe(&mut self, verdict: Verdict) {
        self.verdict = Some(verdict);
    }

    fn chance(&self) -> f64 {
        self.chance
    }

    fn pass(&self) -> Option<&'static str> {
        Some(self.pass)
    }

    fn state(&self) -> SourceState {
        Box::new((self.removals.to_vec(), self.verdict))
    }

    fn take_over(&mut self, state: &SourceState) -> bool {
        let is_same = |(removals, _): &&(Vec<Removal>, Option<Verdict>)| removals == self.removals;
        let state = state.downcast_ref().filter(is_same);
        state.map(|(_, verdict)| self.verdict = *verdict).is_some()
    }

    fn describe(&self) -> String {
        "a part replaces the whole".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use lop_testing::{grammar, parser};

    use super::*;

    fn document(file: &str, text: &str) -> Document {
        Document::parse(&mut parser(file), text.as_bytes().to_vec()).expect("a small text has a tree")
    }

    /// A descent from the outermost value of a text.
    fn from_the_top(document: &Document, learnt: &Descents) -> Option<Descent> {
        Descent::from(document, &grammar("x.json"), 1, document.tokens(), learnt)
    }

    #[test]
    fn the_first_question_is_about_half_of_the_nesting() {
        let text = "[1, ".repeat(16) + "2" + &"]".repeat(16);
        let document = document("x.json", &text);
        let learnt = Descents::default();
        let mut descent = from_the_top(&document, &learnt).expect("it is deep");
        let part = descent.best(&document, &grammar("x.json"), &learnt, |_| false).expect("a part is likely");
        let share = f64::from(document.tokens_of(part.node)) / f64::from(document.tokens_of(1));
        assert!((0.2..0.8).contains(&share), "{share}");
        descent.refuse(part.node, Verdict::NotInteresting);
        let next = descent.best(&document, &grammar("x.json"), &learnt, |_| false).expect("a larger part is likely");
        assert!(document.contains(next.node, part.node) && next.node != part.node);
    }

    #[test]
    fn descents_that_are_refused_again_and_again_end() {
        let text = "[".repeat(20) + &"]".repeat(20);
        let document = document("x.json", &text);
        let mut learnt = Descents::default();
        let kind = document.node(1).kind;
        let mut questions = 0;
        for _ in 0..9 {
            let descent = from_the_top(&document, &learnt).expect("it is deep");
            let Some(part) = descent.best(&document, &grammar("x.json"), &learnt, |_| false) else { break };
            learnt.learn(kind, &part, false);
            questions += 1;
        }
        assert!((1..9).contains(&questions), "{questions}");
    }

    #[test]
    fn small_and_wide_nodes_and_small_parts_of_a_text_have_none() {
        let learnt = Descents::default();
        assert!(from_the_top(&document("x.json", "[[[1]]]"), &learnt).is_none(), "small");
        let wide = document("x.json", &format!("[[1]{}]", ", [2]".repeat(30)));
        let descent = from_the_top(&wide, &learnt).expect("it is large");
        assert!(descent.best(&wide, &grammar("x.json"), &learnt, |_| false).is_none(), "wide");
        let deep = document("x.json", &("[".repeat(20) + &"]".repeat(20)));
        assert!(Descent::from(&deep, &grammar("x.json"), 1, 1_000, &learnt).is_none(), "a small part");
    }

    #[test]
    fn a_part_is_left_without_what_is_around_it() {
        let document = document("x.json", "[1, [2, 3], 4]");
        let inner = document.ids().find(|&id| document.text(id) == b"[2, 3]").expect("it is there");
        let [Removal::Edits(edits), Removal::Nodes(nodes)] = around(&document, 1, inner) else {
            panic!("edits, nodes")
        };
        assert_eq!(edits, [Edit::delete(0..4), Edit::delete(10..14)]);
        let gone: Vec<_> = nodes.iter().map(|&node| document.text(node)).collect();
        assert_eq!(gone, [&b"["[..], b"1", b",", b",", b"4", b"]"]);
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_matter() {
        let document = document("x.json", &("[".repeat(100_000) + &"]".repeat(100_000)));
        let learnt = Descents::default();
        let descent = from_the_top(&document, &learnt).expect("it is deep");
        assert!(descent.best(&document, &grammar("x.json"), &learnt, |_| false).is_some());
    }
}
