//! Single edits by expected gain: the local edits, and with the same machinery those of the rules, of
//! windows and pairs of tokens, and of the late stage; chains of nested nodes, and cutting down to a
//! syntax error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::passes::{
    Action, Alternative, Brackets, Fingerprints, Removal, Sequence, Windows, aliases, chains, deep_splices,
    error_shells, error_windows, forwards, globalised, groups, hoists, inlined, lifts, merges, minimal_replacements,
    pairs, parameters, rewrites, shorter_literals, shorter_patterns, splices, unifications, windows,
};
use crate::syntax::{Document, Edit, NodeId};

use super::classes::Classes;
use super::edit_search::{EditSearch, EditSpace};
use super::gain::{Gain, is_no_loss};
use super::memory::{Ask, memo};
use super::options::Prefer;
use super::ordered::first_interesting;
use super::pass::{Pass, Stage};
use super::ranked::Ranked;
use super::reducer::Reducer;
use super::session::Halt;

/// Trees of at most so many nodes are built anew after every accepted edit, which makes new edits
/// possible at once.
const SMALL_TREE: usize = 20_000;
/// In larger trees so many edits are made before the tree is built anew.
pub(super) const EDITS_BEFORE_REBASE: usize = 12;
/// Edits that are looked at in one tree: those that save most.
const MOST_ALTERNATIVES: usize = 50_000;
/// What an edit is worth that saves only what does not count.
const LITTLE: f64 = 0.01;
/// An edit that saves more tokens is large.
const LARGE: u32 = 8;
/// Levels of nesting from which chains are looked at before anything is deleted: lists level below
/// level would need a test each.
const DEEP: u32 = 200;

/// An edit that waits for its turn, by the tokens it is expected to save; of equal ones the first in
/// the order in which they were proposed.
pub(super) type Waiting = Ranked<Reverse<usize>, Alternative>;

impl Reducer<'_, '_> {
    /// Chains first if the text is nested so deeply that lists would go level by level.
    pub(super) fn deep_nesting(&mut self) -> Result<(), Halt> {
        if self.tools.is_none() {
            return Ok(());
        }
        let document = self.current().document();
        if document.ids().any(|id| document.depth(id) > DEEP) { self.chains() } else { Ok(()) }
    }

    /// Makes local edits while one is accepted.
    pub(super) fn local_edits(&mut self) -> Result<(), Halt> {
        self.custom(|stage| stage == Stage::Deletion)?;
        self.error_shells()?;
        self.chains()?;
        self.edit(Stage::LocalEdits)?;
        self.custom(|stage| stage == Stage::LocalEdits)?;
        Ok(())
    }

    /// One round of the single edits that a second look is about.
    pub(super) fn edit_again(&mut self) -> Result<bool, Halt> {
        let passes = self.allowed(|pass| matches!(pass.stage(), Stage::LocalEdits | Stage::Rules));
        self.session.enter_pass(Stage::Rules.name(), self.round)?;
        self.edit_round(Stage::Rules, &passes)
    }

    fn allowed(&self, has_turn: impl Fn(Pass) -> bool) -> Vec<Pass> {
        Pass::ALL.into_iter().filter(|pass| has_turn(*pass) && self.allows(*pass)).collect()
    }

    /// Makes the single edits of a stage, those with the greatest expected gain first, while one is
    /// accepted; `true` if one was.
    pub(super) fn edit(&mut self, stage: Stage) -> Result<bool, Halt> {
        let passes = self.allowed(|pass| pass.stage() == stage || (stage == Stage::Late && pass == Pass::Minimal));
        if passes.is_empty() {
            return Ok(false);
        }
        self.session.enter_pass(stage.name(), self.round)?;
        let mut edited = false;
        while self.edit_round(stage, &passes)? {
            edited = true;
        }
        Ok(edited)
    }

    /// What some passes propose on the tree as it is and has not been refused.
    fn proposals(&self, passes: &[Pass]) -> Vec<Alternative> {
        let Some(tools) = &self.tools else { return Vec::new() };
        let (document, grammar) = (self.current().document(), tools.grammar);
        let prints = Fingerprints::new(document.source());
        let brackets = &tools.brackets;
        let needed = |node| self.session.is_refused(Ask::Unit, node);
        let propose = |pass: &Pass| alternatives(*pass, document, grammar, brackets, &needed, &prints);
        let mut all: Vec<_> = passes.iter().flat_map(propose).collect();
        let prefer = self.options.prefer;
        all.retain(|a| !self.current().edits_touch_kept(&a.edits) && is_no_loss(prefer, document.source(), a));
        let is_settled = |a: &Alternative| {
            self.session.is_proposal_refused(a.memo)
                && (self.second_look.is_none() || self.session.is_proposal_refused_now(a.memo))
        };
        all.retain(|a| !is_settled(a));
        all
    }

    /// Takes away what stands around syntax errors.
    pub(super) fn error_shells(&mut self) -> Result<(), Halt> {
        if self.tools.is_none() || !self.allows(Pass::Chains) {
            return Ok(());
        }
        for windows in error_windows(self.current().document()) {
            if self.narrow(&windows)? {
                self.rebase()?;
                break;
            }
        }
        if self.tools.is_none() {
            return Ok(());
        }
        self.peel(error_shells(self.current().document()))
    }

    /// Cuts down to a small part of the text around an error; `true` if there is one that is interesting.
    fn narrow(&mut self, windows: &Windows) -> Result<bool, Halt> {
        self.session.enter_pass(Pass::Chains.name(), self.round)?;
        let groups = &windows.groups;
        let last = groups.len().saturating_sub(1);
        // In steps that grow until a group is enough, and then between the last two.
        let steps: Vec<usize> =
            std::iter::successors(Some(0), |at| Some(2 * at + 1)).take_while(|at| *at < last).collect();
        let mut parts = vec![vec![windows.alone.clone()]];
        parts.extend(windows.bracketed.iter().map(|three| three.to_vec()));
        let before = parts.len();
        parts.extend(steps.iter().map(|&step| vec![groups[step].clone()]));
        let (mut refused, mut taken) = match self.cut_down_to_first(&parts)? {
            Some(at) if at < before => return Ok(true),
            Some(at) => (if at > before { steps[at - before - 1] + 1 } else { 0 }, steps[at - before]),
            None => (steps.last().map_or(0, |step| step + 1), last),
        };
        while refused < taken {
            let sections = self.session.slots() + 1;
            let mut between: Vec<usize> =
                (1..sections).map(|section| refused + (taken - refused) * section / sections).collect();
            between.dedup();
            let parts: Vec<_> = between.iter().map(|&at| vec![groups[at].clone()]).collect();
            match self.cut_down_to_first(&parts)? {
                Some(0) => taken = between[0],
                Some(at) => (refused, taken) = (between[at - 1] + 1, between[at]),
                None => refused = between[between.len() - 1] + 1,
            }
        }
        let near: Vec<_> = windows.near.iter().map(|near| vec![near.clone()]).collect();
        if taken == 0 && self.cut_down_to_first(&near)?.is_some() {
            return Ok(true);
        }
        Ok(taken + 1 < groups.len())
    }

    /// Takes away everything but some parts of the text, the first that are interesting, and says which.
    fn cut_down_to_first(&mut self, parts: &[Vec<std::ops::Range<usize>>]) -> Result<Option<usize>, Halt> {
        first_interesting(&mut self.session, parts.len(), "everything", |at, current| {
            let removal = around(&parts[at], current.source().len());
            current.candidate(std::iter::once(&removal), false)
        })
    }

    /// Collapses chains of nested nodes.
    fn chains(&mut self) -> Result<(), Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Chains)) else { return Ok(()) };
        self.peel(chains(self.current().document(), tools.grammar))
    }

    /// Sweeps over shells, one sequence after the other.
    fn peel(&mut self, mut sequences: Vec<Sequence>) -> Result<(), Halt> {
        let memo_of = |chain: &Sequence| chain_memo(self.current().source(), &chain.units);
        sequences.retain(|chain| !self.session.is_proposal_refused(memo_of(chain)));
        if sequences.is_empty() {
            return Ok(());
        }
        self.session.enter_pass(Pass::Chains.name(), self.round)?;
        for sequence in sequences {
            // A chain inside a shell that went is gone with it; asking about it costs no test.
            let memo = chain_memo(self.current().source(), &sequence.units);
            let Some(sequence) = self.current().spare(sequence) else { continue };
            let mut sweep = self.new_sweep(sequence);
            self.finish(&mut sweep)?;
            if sweep.removed_count() == 0 {
                self.session.refuse_proposal(memo, self.tokens());
            }
        }
        self.rebase()
    }

    /// One round of edits on one tree; `true` if one was accepted.
    fn edit_round(&mut self, stage: Stage, passes: &[Pass]) -> Result<bool, Halt> {
        let mut all = self.proposals(passes);
        // What saves only bytes is asked late: most of it will have gone by then. So are the further texts in the place
        // of something large: where its simplest text was refused, they mostly are, too.
        if stage == Stage::LocalEdits {
            let is_further =
                |a: &Alternative| a.class.action == Action::Minimal && a.class.inner > 0 && a.tokens > LARGE;
            all.retain(|a| a.tokens > 0 && !is_further(a));
        }
        if all.is_empty() {
            return Ok(false);
        }
        if all.len() > MOST_ALTERNATIVES {
            all.sort_by_key(|a| Reverse(a.tokens));
            all.truncate(MOST_ALTERNATIVES);
        }
        let mut heap: BinaryHeap<_> = (0..)
            .zip(all)
            .map(|(number, item)| Ranked { value: self.value(&item), tie: Reverse(number), item })
            .collect();
        if let Some(most) = self.second_look {
            heap = std::iter::from_fn(|| heap.pop()).take(most).collect();
        }
        let small = self.current().document().node_count() <= SMALL_TREE;
        let most = if small { 1 } else { EDITS_BEFORE_REBASE };
        let mut edited: Vec<std::ops::Range<usize>> = Vec::new();
        while edited.len() < most {
            self.look_ahead(std::iter::empty());
            let (taken, result) = self.try_edits(&mut heap, &edited);
            let is_last = taken.is_empty();
            edited.extend(taken.into_iter().map(|alternative| alternative.range));
            result?;
            if is_last {
                break;
            }
        }
        self.rebase()?;
        Ok(!edited.is_empty())
    }

    /// Tries the most valuable edits that do not touch what was edited since the tree was built, until one is
    /// accepted. Those that were accepted, and why there are no more if somebody ended it.
    fn try_edits(
        &mut self,
        heap: &mut BinaryHeap<Waiting>,
        edited: &[std::ops::Range<usize>],
    ) -> (Vec<Alternative>, Result<(), Halt>) {
        let tokens = self.session.size().tokens;
        let (source, prefer) = (Arc::clone(self.current().shared_source()), self.options.prefer);
        let mut search =
            EditSearch::new(EditSpace { source: &source, heap, edited, classes: &mut self.classes, prefer });
        let result = self.session.pursue(&mut search);
        let (taken, refused) = search.into_taken_and_refused();
        refused.into_iter().for_each(|memo| self.session.refuse_proposal(memo, tokens));
        (taken, result)
    }

    /// What one test is expected to save.
    fn value(&self, alternative: &Alternative) -> f64 {
        value(&self.classes, self.options.prefer, self.current().source(), alternative)
    }
}

/// What one test is expected to save, in what the user prefers to have little of.
pub(super) fn value(classes: &Classes, prefer: Prefer, source: &[u8], alternative: &Alternative) -> f64 {
    let gain = match prefer {
        Prefer::Tokens => Gain::default(),
        Prefer::Bytes => Gain { bytes: alternative.bytes, lines: 0 },
        Prefer::Lines => Gain::by(source, &alternative.edits),
    };
    // An edit that saves nothing of that comes after all that do.
    let gain = gain.value(prefer, alternative.tokens).max(LITTLE);
    classes.chance(alternative.class) * gain
}

/// The single edits that a pass proposes on a document; none of a pass that proposes sequences.
pub(super) fn alternatives(
    pass: Pass,
    document: &Document,
    grammar: &Grammar,
    brackets: &Brackets,
    needed: &dyn Fn(NodeId) -> bool,
    prints: &Fingerprints,
) -> Vec<Alternative> {
    match pass {
        Pass::Hoist => hoists(document, grammar, prints),
        Pass::Minimal => minimal_replacements(document, grammar, prints),
        Pass::Splice => splices(document, grammar, prints),
        Pass::Lift => lifts(document, grammar, prints),
        Pass::Tokens => windows(document, grammar, brackets, prints, needed),
        Pass::Pairs => pairs(document, grammar, brackets, prints),
        Pass::Rewrite => rewrites(document, grammar, prints),
        Pass::DeepSplice => deep_splices(document, grammar, prints),
        Pass::Merge => merges(document, grammar, prints),
        Pass::Literals => {
            let mut all = shorter_patterns(document, grammar, prints);
            all.extend(shorter_literals(document, grammar, prints));
            all
        }
        Pass::Unify => unifications(document, grammar, prints),
        Pass::Groups => groups(document, grammar, prints),
        Pass::Forward => forwards(document, grammar, prints),
        Pass::Parameters => parameters(document, grammar, prints),
        Pass::Aliases => aliases(document, grammar, prints),
        Pass::Globalise => globalised(document, grammar, prints),
        Pass::Inline => inlined(document, grammar, prints),
        _ => Vec::new(),
    }
}

fn chain_memo(source: &[u8], units: &[crate::passes::Unit]) -> u64 {
    let edits = units.iter().filter_map(|unit| match &unit.removal {
        Removal::Edits(edits) => Some(edits),
        Removal::Nodes(_) => None,
    });
    let texts: Vec<&[u8]> = edits.flatten().map(|edit| &source[edit.start..edit.end]).collect();
    memo(("chain", texts))
}

/// Everything around some parts of a text of this length.
fn around(parts: &[std::ops::Range<usize>], length: usize) -> Removal {
    let starts = parts.iter().map(|part| part.start).chain([length]);
    let ends = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let around = ends.zip(starts).filter(|(end, start)| end < start).map(|(end, start)| Edit::delete(end..start));
    Removal::Edits(around.collect())
}
