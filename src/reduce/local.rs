//! Single edits by expected gain: the local edits, and with the same machinery those of the rules, of
//! windows and pairs of tokens, and of the late stage; chains of nested nodes, and cutting down to a
//! syntax error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::Verdict;
use crate::grammar::Grammar;
use crate::passes::{
    Action, Alternative, Brackets, Fingerprints, Removal, Sequence, Windows, aliases, chains, deep_splices,
    error_shells, error_windows, expansions, forwards, globalised, groups, hoists, inlined, lifts,
    minimal_replacements, pairs, parameters, rewrites, shorter_literals, splices, unifications, windows,
};
use crate::syntax::{Document, Edit, NodeId};

use super::options::Prefer;
use super::pass::{Pass, Stage};
use super::ranked::Ranked;
use super::reducer::{Reducer, Single};
use super::saved::{Saved, is_no_loss};
use super::session::{Candidate, Halt, Inquiry};
use super::work::{Ask, Work, worth_asking_again};

/// Trees of at most so many nodes are built anew after every accepted edit, which makes new edits
/// possible at once.
const SMALL_TREE: usize = 20_000;
/// In larger trees so many edits are made before the tree is built anew.
const EDITS_BEFORE_REBASE: usize = 12;
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
type Waiting = Ranked<Reverse<usize>, Alternative>;

impl Reducer<'_, '_> {
    /// Chains first if the text is nested so deeply that lists would go level by level.
    pub(super) fn deep_nesting(&mut self) -> Result<(), Halt> {
        if self.tools.is_none() {
            return Ok(());
        }
        let document = self.work.document();
        if document.ids().any(|id| document.node(id).depth > DEEP) { self.chains() } else { Ok(()) }
    }

    /// Makes local edits while one is accepted.
    pub(super) fn local_edits(&mut self) -> Result<(), Halt> {
        self.error_shells()?;
        self.chains()?;
        self.edit(Stage::LocalEdits)?;
        Ok(())
    }

    /// Makes the single edits of a stage, those with the greatest expected gain first, while one is
    /// accepted; `true` if one was.
    pub(super) fn edit(&mut self, stage: Stage) -> Result<bool, Halt> {
        let has_turn = |pass: &Pass| pass.stage() == stage || (stage == Stage::Late && *pass == Pass::Minimal);
        let passes: Vec<_> = Pass::ALL.into_iter().filter(|p| has_turn(p) && self.allows(*p)).collect();
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
        let (document, grammar) = (self.work.document(), tools.grammar);
        let prints = Fingerprints::new(document.source());
        let brackets = &tools.brackets;
        let tokens = self.tokens();
        let needed = |node| self.work.is_refused(Ask::Unit, node, tokens);
        let propose = |pass: &Pass| alternatives(*pass, document, grammar, brackets, &needed, &prints);
        let mut all: Vec<_> = passes.iter().flat_map(propose).collect();
        let prefer = self.options.prefer;
        all.retain(|a| !self.work.edits_touch_kept(&a.edits) && is_no_loss(prefer, document.source(), a));
        all.retain(|a| self.memo.get(&a.memo).is_none_or(|&then| worth_asking_again(then, tokens)));
        all
    }

    /// Takes away what stands around syntax errors.
    pub(super) fn error_shells(&mut self) -> Result<(), Halt> {
        if self.tools.is_none() || !self.allows(Pass::Chains) {
            return Ok(());
        }
        for windows in error_windows(self.work.document()) {
            if self.narrow(&windows)? {
                self.rebase()?;
                break;
            }
        }
        if self.tools.is_none() {
            return Ok(());
        }
        self.peel(error_shells(self.work.document()))
    }

    /// Cuts down to a small part of the text around an error; `true` if there is one that is interesting.
    fn narrow(&mut self, windows: &Windows) -> Result<bool, Halt> {
        self.session.enter_pass(Pass::Chains.name(), self.round)?;
        if self.cut_down_to(std::slice::from_ref(&windows.alone))? {
            return Ok(true);
        }
        for parts in &windows.bracketed {
            if self.cut_down_to(parts)? {
                return Ok(true);
            }
        }
        let groups = &windows.groups;
        // In steps that grow until a group is enough, and then by halves.
        let (mut refused, mut taken, mut step) = (0, 0, 1);
        while taken + 1 < groups.len() && !self.cut_down_to(&groups[taken..=taken])? {
            refused = taken + 1;
            taken = (taken + step).min(groups.len() - 1);
            step *= 2;
        }
        while refused < taken {
            let middle = refused + (taken - refused) / 2;
            if self.cut_down_to(&groups[middle..=middle])? {
                taken = middle;
            } else {
                refused = middle + 1;
            }
        }
        if taken == 0 {
            for window in &windows.near {
                if self.cut_down_to(std::slice::from_ref(window))? {
                    return Ok(true);
                }
            }
        }
        Ok(taken + 1 < groups.len())
    }

    /// Takes away everything but some parts of the text if they are interesting.
    fn cut_down_to(&mut self, parts: &[std::ops::Range<usize>]) -> Result<bool, Halt> {
        let length = self.work.source().len();
        let starts = parts.iter().map(|part| part.start).chain([length]);
        let ends = std::iter::once(0).chain(parts.iter().map(|part| part.end));
        let around = ends.zip(starts).filter(|(end, start)| end < start).map(|(end, start)| Edit::delete(end..start));
        let around = around.collect();
        let removal = Removal::Edits(around);
        let mut single = Single::new(self.work.candidate(std::iter::once(&removal), false));
        self.session.pursue(&mut single)?;
        if single.accepted {
            self.work.commit(&removal);
        }
        Ok(single.accepted)
    }

    /// Collapses chains of nested nodes.
    fn chains(&mut self) -> Result<(), Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Chains)) else { return Ok(()) };
        self.peel(chains(self.work.document(), tools.grammar))
    }

    /// Sweeps over shells, one sequence after the other.
    fn peel(&mut self, mut sequences: Vec<Sequence>) -> Result<(), Halt> {
        let tokens = self.tokens();
        sequences.retain(|chain| {
            let memo = chain_memo(self.work.source(), &chain.units);
            self.memo.get(&memo).is_none_or(|&then| worth_asking_again(then, tokens))
        });
        if sequences.is_empty() {
            return Ok(());
        }
        self.session.enter_pass(Pass::Chains.name(), self.round)?;
        for sequence in sequences {
            // A chain inside a shell that went is gone with it; asking about it costs no test.
            let memo = chain_memo(self.work.source(), &sequence.units);
            let Some(sequence) = self.work.spare(sequence) else { continue };
            let mut sweep = self.new_sweep(sequence);
            self.finish(&mut sweep)?;
            if sweep.removed_count() == 0 {
                self.memo.insert(memo, self.session.size().tokens);
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
        let small = self.work.document().node_count() <= SMALL_TREE;
        let most = if small { 1 } else { EDITS_BEFORE_REBASE };
        let mut edited: Vec<std::ops::Range<usize>> = Vec::new();
        while edited.len() < most {
            let batch = self.next_batch(&mut heap, &edited);
            if batch.is_empty() {
                break;
            }
            if let Some(range) = self.try_batch(batch)? {
                edited.push(range);
            }
        }
        self.rebase()?;
        Ok(!edited.is_empty())
    }

    /// The most valuable edits that do not touch what was edited since the tree was built, one per
    /// worker.
    fn next_batch(&self, heap: &mut BinaryHeap<Waiting>, edited: &[std::ops::Range<usize>]) -> Vec<Alternative> {
        let mut batch = Vec::new();
        while batch.len() < self.session.slots()
            && let Some(mut next) = heap.pop()
        {
            let range = &next.item.range;
            // It waits for the tree in which its surroundings are as they are now.
            if edited.iter().any(|e| e.start < range.end && range.start < e.end) {
                continue;
            }
            // Chances change with every answer; the heap learns of it when an edit comes up.
            let value = self.value(&next.item);
            if value < next.value && heap.peek().is_some_and(|other| other.value > value) {
                next.value = value;
                heap.push(next);
                continue;
            }
            batch.push(next.item);
        }
        batch
    }

    /// Tries some edits, of which at most one is made: its range is returned.
    fn try_batch(&mut self, batch: Vec<Alternative>) -> Result<Option<std::ops::Range<usize>>, Halt> {
        let mut trial = Trial { work: &self.work, verdicts: vec![None; batch.len()], taken: None, batch };
        let result = self.session.pursue(&mut trial);
        let Trial { batch, verdicts, taken, .. } = trial;
        for (at, (alternative, verdict)) in batch.iter().zip(verdicts).enumerate() {
            // What was accepted elsewhere at the same time says nothing about this one's text.
            let Some(verdict) = verdict else { continue };
            if verdict == Verdict::Interesting && taken != Some(at) {
                continue;
            }
            // A timeout says little about the edit: deletions make endless loops.
            if verdict != Verdict::Timeout {
                self.classes.learn(alternative.class, taken == Some(at));
            }
            if verdict != Verdict::Interesting {
                self.memo.insert(alternative.memo, self.session.size().tokens);
            }
        }
        result?;
        Ok(taken.map(|at| {
            self.work.commit(&Removal::Edits(batch[at].edits.clone()));
            batch[at].range.clone()
        }))
    }

    /// What one test is expected to save, in what the user prefers to have little of.
    fn value(&self, alternative: &Alternative) -> f64 {
        let saved = match self.options.prefer {
            Prefer::Tokens => Saved::default(),
            Prefer::Bytes => Saved { bytes: alternative.bytes, lines: 0 },
            Prefer::Lines => Saved::by(self.work.source(), &alternative.edits),
        };
        // An edit that saves nothing of that comes after all that do.
        let saved = saved.value(self.options.prefer, alternative.tokens).max(LITTLE);
        self.classes.chance(alternative.class) * saved
    }
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
        Pass::Expand => expansions(document, grammar, prints),
        Pass::DeepSplice => deep_splices(document, grammar, prints),
        Pass::Literals => shorter_literals(document, grammar, prints),
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
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    "chain".hash(&mut hasher);
    for unit in units {
        if let Removal::Edits(edits) = &unit.removal {
            edits.iter().for_each(|e| source[e.start..e.end].hash(&mut hasher));
        }
    }
    hasher.finish()
}

/// Some edits, at most one of which is made.
struct Trial<'w, 'g> {
    work: &'w Work<'g>,
    batch: Vec<Alternative>,
    verdicts: Vec<Option<Verdict>>,
    taken: Option<usize>,
}

impl Inquiry for Trial<'_, '_> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        if self.taken.is_some() {
            return Vec::new();
        }
        (0..).zip(&self.verdicts).filter(|(_, v)| v.is_none()).map(|(at, _)| at).take(most).collect()
    }

    fn candidate(&self, question: u64) -> Candidate {
        let removal = Removal::Edits(self.at(question).edits.clone());
        self.work.candidate(std::iter::once(&removal), false)
    }

    fn wants(&self, question: u64) -> bool {
        self.taken.is_none() && self.verdicts.get(index(question)).is_some_and(Option::is_none)
    }

    fn may_accept(&self, _: u64) -> bool {
        self.taken.is_none()
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        self.verdicts[index(question)] = Some(verdict);
        let takes = verdict == Verdict::Interesting && self.taken.is_none();
        if takes {
            self.taken = Some(index(question));
        }
        takes.then_some(question)
    }

    fn heeds_blanks(&self) -> bool {
        false
    }

    fn pass(&self, question: u64) -> Option<Pass> {
        Some(pass_of(self.at(question).class.action))
    }

    fn describe(&self, question: u64) -> String {
        let class = self.at(question).class;
        format!("{:?} of kind {} by {}, {} tokens", class.action, class.outer, class.inner, self.at(question).tokens)
    }
}

impl Trial<'_, '_> {
    fn at(&self, question: u64) -> &Alternative {
        &self.batch[index(question)]
    }
}

/// The pass that proposes these edits.
fn pass_of(action: Action) -> Pass {
    match action {
        Action::Hoist => Pass::Hoist,
        Action::Minimal => Pass::Minimal,
        Action::Splice => Pass::Splice,
        Action::Lift => Pass::Lift,
        Action::Rewrite => Pass::Rewrite,
        Action::Unify => Pass::Unify,
        Action::Group => Pass::Groups,
        Action::Forward => Pass::Forward,
        Action::Parameters => Pass::Parameters,
        Action::Alias => Pass::Aliases,
        Action::Globalise => Pass::Globalise,
        Action::Inline => Pass::Inline,
        Action::Literal => Pass::Literals,
        Action::Window => Pass::Tokens,
        Action::Pair => Pass::Pairs,
        Action::Expand => Pass::Expand,
        Action::DeepSplice => Pass::DeepSplice,
    }
}

fn index(question: u64) -> usize {
    usize::try_from(question).expect("a position in the batch")
}
