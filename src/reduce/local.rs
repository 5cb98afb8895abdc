//! Single edits by expected gain: the local edits, and with the same machinery those of the rules, of
//! windows and pairs of tokens, and of the late stage; chains of nested nodes, and cutting down to a
//! syntax error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::passes::{Alternative, Chains, Pass, Removal, Stage, Windows, error_shells, error_windows};
use crate::syntax::Edit;

use super::edit_search::{EDITS_BEFORE_REBASE, EditSearch, EditSpace, Waiting, value};
use super::halt::Halt;
use super::ordered::first_interesting;
use super::ranked::Ranked;
use super::reducer::Reducer;

/// Trees of at most this number of nodes are built anew after every accepted edit, which makes new edits
/// possible at once.
const SMALL_TREE: usize = 20_000;
/// Edits that are looked at in one tree: those that save most.
const MOST_ALTERNATIVES: usize = 50_000;
/// Levels of nesting from which chains are looked at before anything is deleted: lists level below
/// level would need a test each.
const DEEP: u32 = 200;

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
        self.coupled(|reducer| {
            reducer.turns(|stage| stage == Stage::Deletion)?;
            reducer.error_shells()?;
            reducer.chains()?;
            reducer.turn(Stage::LocalEdits)?;
            Ok(())
        })
    }

    /// One round of the single edits that a second look is about.
    pub(super) fn edit_again(&mut self) -> Result<bool, Halt> {
        let passes = self.passes(|facts| matches!(facts.stage, Stage::LocalEdits | Stage::Rules));
        self.session.enter_pass(Stage::Rules.name(), self.round)?;
        let (_, alternatives) = self.proposals(&passes);
        self.edit_round(Stage::Rules, alternatives)
    }

    /// Takes away what stands around syntax errors.
    pub(super) fn error_shells(&mut self) -> Result<(), Halt> {
        if self.tools.is_none() || !self.allows(&Chains) {
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
        let shells = error_shells(self.current().document());
        self.sweep_all(Chains.name(), shells).map(|_| ())
    }

    /// Cuts down to a small part of the text around an error; `true` if there is one that is interesting.
    fn narrow(&mut self, windows: &Windows) -> Result<bool, Halt> {
        self.session.enter_pass(Chains.name(), self.round)?;
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
        self.sweep_over(&Chains).map(|_| ())
    }

    /// One round of edits on one tree; `true` if one was accepted.
    pub(super) fn edit_round(&mut self, stage: Stage, mut all: Vec<Alternative>) -> Result<bool, Halt> {
        if stage == Stage::LocalEdits {
            all.retain(|a| !a.is_late);
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
        let small = self.tools.is_none() || self.current().document().node_count() <= SMALL_TREE;
        let most = if small { 1 } else { EDITS_BEFORE_REBASE };
        self.couple();
        let mut edited: Vec<std::ops::Range<usize>> = Vec::new();
        while edited.len() < most {
            self.look_ahead(std::iter::empty());
            let (taken, result) = self.try_edits(&mut heap, &edited);
            let is_last = taken.is_empty();
            self.unused.learn(&taken);
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

/// Everything around some parts of a text of this length.
fn around(parts: &[std::ops::Range<usize>], length: usize) -> Removal {
    let starts = parts.iter().map(|part| part.start).chain([length]);
    let ends = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let around = ends.zip(starts).filter(|(end, start)| end < start).map(|(end, start)| Edit::delete(end..start));
    Removal::Edits(around.collect())
}
