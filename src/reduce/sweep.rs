//! Sweeping a sequence: the engine's questions become candidates, its commitments the document's.

use std::collections::BTreeMap;
use std::ops::Range;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::engine::{Config, EvidenceView, Knowledge, Objective, QuestionId, Search, Verdict};
use crate::passes::{NO_DEPTH, Removal, Sequence};

use super::options::Order;
use super::session::{Candidate, Inquiry};
use super::work::Work;

/// A sequence with the search over it: can be paused and taken up again.
pub(super) struct Sweep {
    pub(super) sequence: Sequence,
    search: Search,
    /// Position in the sweep → unit.
    order: Vec<u32>,
}

impl Sweep {
    /// Starts a search over a sequence.
    pub(super) fn new(sequence: Sequence, config: &Config, knowledge: &Knowledge, order: Order, seed: u64) -> Self {
        let view = knowledge.view(sequence.kind, sequence.depth);
        Self::with(sequence, order, seed, |sequence, positions| {
            if config.objective == Objective::Tests {
                return Search::new(positions.len(), config, &view);
            }
            let sizes: Vec<u32> = positions.iter().map(|&unit| sequence.units[unit as usize].tokens).collect();
            Search::with_sizes(&sizes, config, &view)
        })
    }

    /// Starts the guaranteed pass over a sequence: every unit is asked about by itself until none
    /// of those that are left can go.
    pub(super) fn verification(sequence: Sequence, knowledge: &Knowledge, order: Order, seed: u64) -> Self {
        // The caller puts first what is to be asked first.
        let order = if order == Order::Random { order } else { Order::Forward };
        let config = Config { theta: Some(0.0), ..Config::default() };
        let view: EvidenceView = knowledge.view(sequence.kind, sequence.depth);
        Self::with(sequence, order, seed, |_, positions| Search::for_verification(positions.len(), &config, &view))
    }

    fn with(sequence: Sequence, order: Order, seed: u64, search: impl FnOnce(&Sequence, &[u32]) -> Search) -> Self {
        let len = sequence.units.len();
        let mut positions: Vec<u32> = (0..u32::try_from(len).expect("fewer units than bytes")).collect();
        match order {
            Order::Forward => {}
            Order::Backward | Order::Grammar => positions.reverse(),
            Order::Random => {
                // A stream of its own for every list, so that one list's length does not change
                // the order of the next.
                let stream = (u64::from(sequence.kind) << 32 | u64::from(sequence.depth)) ^ (len as u64) << 20;
                positions.shuffle(&mut ChaCha8Rng::seed_from_u64(seed ^ stream));
            }
        }
        Sweep { search: search(&sequence, &positions), sequence, order: positions }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.search.is_finished()
    }

    /// Units found needed so far.
    pub(super) fn needed(&self) -> usize {
        self.search.needed_count()
    }

    /// Units not decided yet.
    pub(super) fn undecided(&self) -> usize {
        self.search.undecided()
    }

    /// Mean tokens of the units not decided yet.
    pub(super) fn mean_tokens_left(&self) -> f64 {
        let units = self.search.undecided_positions().map(|at| self.order[at] as usize);
        let tokens: u64 = units.map(|unit| u64::from(self.sequence.units[unit].tokens)).sum();
        tokens as f64 / self.undecided().max(1) as f64
    }

    /// Units decided since this was called last, and whether each stays.
    pub(super) fn newly_decided(&mut self) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        for (positions, needed) in self.search.take_decided() {
            decided.extend(positions.map(|at| (self.order[at] as usize, Some(at) == needed)));
        }
        decided
    }

    /// Units that stay, with the search as it stands.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.order.len()).filter(|at| !self.search.removed().contains(*at)).map(|at| self.order[at] as usize)
    }

    /// Number of units that went.
    pub(super) fn removed_count(&self) -> usize {
        self.search.removed().count()
    }

    /// Units that stay only because the candidate without them timed out.
    pub(super) fn kept_by_timeout(&self) -> Vec<usize> {
        self.search.kept_by_timeout().into_iter().map(|at| self.order[at] as usize).collect()
    }

    /// Adds what was learnt to what the run knows.
    pub(super) fn teach(&mut self, knowledge: &mut Knowledge) {
        let evidence = self.search.take_evidence();
        knowledge.absorb(self.sequence.kind, self.sequence.depth, &evidence);
    }

    /// The questions of this sweep on a text, until `most_needed` units were found needed.
    pub(super) fn on<'s, 'w, 'g>(&'s mut self, work: &'w mut Work<'g>, most_needed: usize) -> SweepOn<'s, 'w, 'g> {
        // The text may have changed since the search was paused. What is still true of it the
        // session's cache knows.
        self.search.forget_answers();
        SweepOn { sweep: self, work, most_needed, removals: BTreeMap::new() }
    }
}

/// A sweep at work on a text.
pub(super) struct SweepOn<'s, 'w, 'g> {
    sweep: &'s mut Sweep,
    work: &'w mut Work<'g>,
    most_needed: usize,
    /// What is gone in the candidate of a question.
    removals: BTreeMap<u64, Vec<Range<usize>>>,
}

impl SweepOn<'_, '_, '_> {
    fn removal(&self, position: usize) -> &Removal {
        &self.sweep.sequence.units[self.sweep.order[position] as usize].removal
    }
}

impl Inquiry for SweepOn<'_, '_, '_> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        let search = &mut self.sweep.search;
        let pauses = search.needed_count() >= self.most_needed && search.undecided() > 0;
        if pauses && !search.has_unjudged_union() {
            return Vec::new();
        }
        // Before a pause what was found side by side has to be judged together.
        let questions = search.next_tests(if pauses { 1 } else { most });
        self.removals = questions.iter().map(|q| (q.id.0, q.remove.clone())).collect();
        questions.iter().map(|q| q.id.0).collect()
    }

    fn candidate(&self, question: u64) -> Candidate {
        let removed = self.sweep.search.removed();
        let more = || self.removals[&question].iter().cloned().flatten().filter(|at| !removed.contains(*at));
        let cleared = more().all(|at| self.sweep.sequence.units[self.sweep.order[at] as usize].cleared);
        self.work.candidate(more().map(|at| self.removal(at)), cleared)
    }

    fn wants(&self, question: u64) -> bool {
        self.sweep.search.wants(QuestionId(question))
    }

    fn may_accept(&self, question: u64) -> bool {
        self.sweep.search.may_accept(QuestionId(question))
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        let progress = self.sweep.search.observe(QuestionId(question), verdict);
        for position in progress.newly_removed.into_iter().flatten() {
            let unit = self.sweep.order[position] as usize;
            self.work.commit(&self.sweep.sequence.units[unit].removal);
        }
        progress.accepted.map(|id| id.0)
    }

    fn describe(&self, question: u64) -> String {
        let asked: usize = self.removals.get(&question).map_or(0, |r| r.iter().map(ExactSizeIterator::len).sum());
        let removed = self.sweep.search.removed().count();
        let what = format!("{} of {} units", asked.saturating_sub(removed), self.sweep.sequence.units.len());
        match self.sweep.sequence.depth {
            NO_DEPTH => what,
            depth => format!("depth {depth}, {what}"),
        }
    }
}
