//! Sweeping a sequence: the engine's questions become candidates, its commitments the document's.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::engine::{Algorithm, BitSet, Config, Knowledge, QuestionId, Search, Verdict};
use crate::grammar::RuleId;
use crate::passes::{NO_DEPTH, Sequence, Unit, each_once};

use super::current::{Candidate, Current};
use super::halt::Halt;
use super::judge;
use super::options::Order;
use super::outlook::Ahead;
use super::positions::Positions;
use super::question_source::QuestionSource;
use super::session::Session;

/// A sequence with the search over it: can be paused and taken up again.
pub(super) struct Sweep {
    pub(super) sequence: Sequence,
    by: By,
    /// Position in the sweep → unit.
    order: Vec<u32>,
    /// Whether [`Sweep::newly_decided`] has told what an algorithm decided.
    reported: bool,
}

/// What decides which units to try.
enum By {
    Search(Box<Search>),
    /// An algorithm that decides all at once; then what it took out.
    Algorithm(Rc<dyn Algorithm>, Option<BitSet>),
}

impl Sweep {
    /// Starts a search over a sequence.
    pub(super) fn new(sequence: Sequence, config: &Config, knowledge: &Knowledge, order: Order, seed: u64) -> Self {
        let view = knowledge.view(sequence.kind, sequence.depth);
        Self::with(sequence, order, seed, |sequence, positions| {
            let sizes: Vec<u32> = positions.iter().map(|&unit| sequence.units[unit as usize].tokens).collect();
            By::Search(Box::new(Search::with_sizes(&sizes, config, &view)))
        })
    }

    /// Gives a sequence to an algorithm that takes the place of the search.
    pub(super) fn by(algorithm: Rc<dyn Algorithm>, sequence: Sequence, order: Order, seed: u64) -> Self {
        Self::with(sequence, order, seed, |_, _| By::Algorithm(algorithm, None))
    }

    /// Starts the guaranteed pass over a sequence: every unit is asked about by itself until none
    /// of those that are left can go, where `config.theta` is 0.
    pub(super) fn verification(
        sequence: Sequence,
        config: &Config,
        knowledge: &Knowledge,
        order: Order,
        seed: u64,
    ) -> Self {
        // The caller puts first what is to be asked first.
        let order = if order == Order::Random { order } else { Order::Forward };
        let view = knowledge.view(sequence.kind, sequence.depth);
        Self::with(sequence, order, seed, |_, positions| {
            By::Search(Box::new(Search::for_verification(positions.len(), config, &view)))
        })
    }

    fn with(sequence: Sequence, order: Order, seed: u64, by: impl FnOnce(&Sequence, &[u32]) -> By) -> Self {
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
        Sweep { by: by(&sequence, &positions), sequence, order: positions, reported: false }
    }

    pub(super) fn is_finished(&self) -> bool {
        match &self.by {
            By::Search(search) => search.is_finished(),
            By::Algorithm(_, removed) => removed.is_some(),
        }
    }

    /// Units found needed so far.
    pub(super) fn needed(&self) -> usize {
        match &self.by {
            By::Search(search) => search.needed_count(),
            By::Algorithm(_, removed) => removed.as_ref().map_or(0, |removed| removed.len() - removed.count()),
        }
    }

    /// Units not decided yet.
    pub(super) fn undecided(&self) -> usize {
        match &self.by {
            By::Search(search) => search.undecided(),
            By::Algorithm(_, Some(_)) => 0,
            By::Algorithm(_, None) => self.order.len(),
        }
    }

    /// What is gone so far, by position.
    fn removed(&self) -> Option<&BitSet> {
        match &self.by {
            By::Search(search) => Some(search.removed()),
            By::Algorithm(_, removed) => removed.as_ref(),
        }
    }

    fn is_removed(&self, position: usize) -> bool {
        self.removed().is_some_and(|removed| removed.contains(position))
    }

    /// Mean size of the units not decided yet.
    pub(super) fn mean_left(&self, size: impl Fn(&Unit) -> f64) -> f64 {
        let size = |at: usize| size(&self.sequence.units[self.order[at] as usize]);
        let sum: f64 = match &self.by {
            By::Search(search) => search.undecided_positions().map(size).sum(),
            By::Algorithm(_, Some(_)) => 0.0,
            By::Algorithm(_, None) => (0..self.order.len()).map(size).sum(),
        };
        sum / self.undecided().max(1) as f64
    }

    /// Units decided since this was called last, and whether each stays.
    pub(super) fn newly_decided(&mut self) -> Vec<(usize, bool)> {
        match &mut self.by {
            By::Search(search) => {
                let mut decided = Vec::new();
                for (positions, needed) in search.take_decided() {
                    decided.extend(positions.map(|at| (self.order[at] as usize, Some(at) == needed)));
                }
                decided
            }
            By::Algorithm(_, Some(removed)) if !std::mem::replace(&mut self.reported, true) => {
                self.order.iter().enumerate().map(|(at, &unit)| (unit as usize, !removed.contains(at))).collect()
            }
            By::Algorithm(..) => Vec::new(),
        }
    }

    /// Units that stay, with the search as it stands.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.order.len()).filter(|at| !self.is_removed(*at)).map(|at| self.order[at] as usize)
    }

    /// Number of units that went.
    pub(super) fn removed_count(&self) -> usize {
        self.removed().map_or(0, BitSet::count)
    }

    /// Units that stay only because the candidate without them timed out.
    pub(super) fn kept_by_timeout(&self) -> Vec<usize> {
        match &self.by {
            By::Search(search) => search.kept_by_timeout().into_iter().map(|at| self.order[at] as usize).collect(),
            By::Algorithm(..) => Vec::new(),
        }
    }

    /// Adds what was learnt to what the run knows.
    pub(super) fn teach(&mut self, knowledge: &mut Knowledge) {
        if let By::Search(search) = &mut self.by {
            let evidence = search.take_evidence();
            knowledge.absorb(self.sequence.kind, self.sequence.depth, &evidence);
        }
    }

    /// The search, where there is one.
    pub(super) fn search(&self) -> Option<&Search> {
        match &self.by {
            By::Search(search) => Some(search),
            By::Algorithm(..) => None,
        }
    }

    /// The search, to be asked and answered.
    pub(super) fn search_mut(&mut self) -> Option<&mut Search> {
        match &mut self.by {
            By::Search(search) => Some(search),
            By::Algorithm(..) => None,
        }
    }

    /// The units in the order of the sweep.
    pub(super) fn positions(&self) -> Positions<'_> {
        Positions::new(&self.sequence, &self.order)
    }

    /// A candidate without this number of further units, for people.
    pub(super) fn describe(&self, gone: &[Range<usize>]) -> String {
        let asked: usize = gone.iter().map(ExactSizeIterator::len).sum();
        self.positions().describe(asked.saturating_sub(self.removed_count()))
    }

    /// Begins a turn beside other lists. The text may have changed since the last one.
    pub(super) fn begin_turn(&mut self) {
        if let By::Search(search) = &mut self.by {
            search.forget_answers();
            search.stand_beside_others();
        }
    }

    /// Sweeps a text until `most_needed` units were found needed; an algorithm that takes the place of
    /// the search is not stopped half-way.
    pub(super) fn pursue(&mut self, session: &mut Session<'_, '_>, most_needed: usize) -> Result<(), Halt> {
        let positions = Positions::new(&self.sequence, &self.order);
        match &mut self.by {
            By::Search(search) => {
                // The text may have changed since the search was paused. What is still true of it the
                // session's cache knows.
                search.forget_answers();
                let (removals, rules) = Default::default();
                session.pursue(&mut SweepOn { search, positions, most_needed, removals, rules })
            }
            By::Algorithm(algorithm, removed) => {
                let (gone, result) = judge::reduce(&**algorithm, session, positions);
                *removed = Some(gone);
                result
            }
        }
    }
}

/// A search at work on a text.
struct SweepOn<'s> {
    search: &'s mut Search,
    positions: Positions<'s>,
    most_needed: usize,
    /// What is gone in the candidate of a question.
    removals: BTreeMap<u64, Vec<Range<usize>>>,
    /// The rules behind the units that went last.
    rules: Vec<RuleId>,
}

impl QuestionSource for SweepOn<'_> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        let pauses = self.search.needed_count() >= self.most_needed && self.search.undecided() > 0;
        if pauses && !self.search.has_unjudged_union() {
            return Vec::new();
        }
        // Before a pause what was found side by side has to be judged together.
        let questions = self.search.next_tests(if pauses { 1 } else { most });
        self.removals = questions.iter().map(|q| (q.id.0, q.remove.clone())).collect();
        questions.iter().map(|q| q.id.0).collect()
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        let removed = self.search.removed();
        let more = || {
            let positions = self.removals[&question].iter().cloned().flatten().filter(|at| !removed.contains(*at));
            positions.map(|at| self.positions.unit(at))
        };
        let cleared = more().all(|unit| unit.cleared);
        current.candidate(more().map(|unit| &unit.removal), cleared)
    }

    fn wants(&self, question: u64) -> bool {
        self.search.wants(QuestionId(question))
    }

    fn may_accept(&self, question: u64) -> bool {
        self.search.may_accept(QuestionId(question))
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        let progress = self.search.observe(QuestionId(question), verdict);
        self.rules.clear();
        for position in progress.newly_removed.into_iter().flatten() {
            self.rules.extend(self.positions.rules(position));
        }
        self.rules = each_once(self.rules.drain(..));
        progress.accepted.map(|id| id.0)
    }

    fn give_up(&mut self) {
        self.search.give_up();
    }

    fn mark(&self) -> Option<Vec<Search>> {
        Some(vec![self.search.clone()])
    }

    fn go_back(&mut self, mark: Vec<Search>) {
        for search in mark {
            *self.search = search;
        }
    }

    fn ahead(&self) -> Option<Ahead> {
        let depth = self.positions.sequence.depth;
        let (units, tests) = (self.search.undecided(), self.search.remaining_tests());
        Some(Ahead { depth: (depth != NO_DEPTH).then_some(depth), units, tests })
    }

    fn rules(&self) -> &[RuleId] {
        &self.rules
    }

    fn describe(&self, question: u64) -> String {
        let asked: usize = self.removals.get(&question).map_or(0, |r| r.iter().map(ExactSizeIterator::len).sum());
        self.positions.describe(asked.saturating_sub(self.search.removed().count()))
    }
}
