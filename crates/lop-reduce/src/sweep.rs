//! Sweeps a sequence: turns the engine's questions into candidates, and its decisions into removed units.

use std::ops::Range;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use lop_engine::{Config, Knowledge, Search, Verdict};
use lop_grammar::RuleId;
use lop_grammar::SweepOrder;
use lop_passes::{NO_DEPTH, Sequence, Unit, each_once};

use super::current::{Candidate, Current};
use super::interrupt::Interrupt;
use super::outlook::RemainingEstimate;
use super::positions::{Outline, Positions};
use super::question_source::{QuestionSource, SourceState};
use super::session::Session;

/// A sequence with the search over it: can be paused and taken up again.
#[derive(Clone)]
pub(super) struct SequenceSweep {
    pub(super) sequence: Sequence,
    pub(super) search: Box<Search>,
    /// Position in the sweep → unit.
    order: Vec<u32>,
    /// The pass that asks, if it isn't the current one.
    pub(super) pass: Option<&'static str>,
    /// Whether it was given up because too much was asked without a test.
    pub(super) is_given_up: bool,
}

impl SequenceSweep {
    /// Starts a search over a sequence. A `seed` other than 0 shuffles it.
    pub(super) fn new(
        sequence: Sequence,
        config: &Config,
        knowledge: &Knowledge,
        order: SweepOrder,
        seed: u64,
    ) -> Self {
        let view = knowledge.view(sequence.kind, sequence.depth);
        let order = positions(&sequence, order, seed);
        let sizes: Vec<u32> = order.iter().map(|&unit| sequence.units[unit as usize].tokens).collect();
        SequenceSweep {
            search: Box::new(Search::with_sizes(&sizes, config, &view)),
            sequence,
            order,
            pass: None,
            is_given_up: false,
        }
    }

    /// Starts the pass over a sequence that gives the guarantee: if `config.theta` is 0, every unit is tested alone
    /// until none of the remaining ones can be removed.
    pub(super) fn verification(sequence: Sequence, config: &Config, knowledge: &Knowledge, seed: u64) -> Self {
        let view = knowledge.view(sequence.kind, sequence.depth);
        // The caller determines the order.
        let order = positions(&sequence, SweepOrder::Forward, seed);
        SequenceSweep {
            search: Box::new(Search::for_verification(order.len(), config, &view)),
            sequence,
            order,
            pass: None,
            is_given_up: false,
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.search.is_finished()
    }

    /// Number of units found needed.
    pub(super) fn needed(&self) -> usize {
        self.search.needed_count()
    }

    /// Units not decided yet.
    pub(super) fn undecided(&self) -> usize {
        self.search.undecided()
    }

    /// Mean size of the units not decided yet.
    pub(super) fn mean_left(&self, size: impl Fn(&Unit) -> f64) -> f64 {
        let size = |at: usize| size(&self.sequence.units[self.order[at] as usize]);
        let sum: f64 = self.search.undecided_positions().map(size).sum();
        sum / self.undecided().max(1) as f64
    }

    /// Units decided since this was called last, and whether each stays.
    pub(super) fn newly_decided(&mut self) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        for (positions, needed) in self.search.take_decided() {
            decided.extend(positions.map(|at| (self.order[at] as usize, Some(at) == needed)));
        }
        decided
    }

    /// Marks units as kept in the current search.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        let removed = self.search.removed();
        (0..self.order.len()).filter(|at| !removed.contains(*at)).map(|at| self.order[at] as usize)
    }

    /// Number of units that went.
    pub(super) fn removed_count(&self) -> usize {
        self.search.removed().count_ones(..)
    }

    /// Units that stay only because the candidate without them timed out.
    pub(super) fn kept_by_timeout(&self) -> Vec<usize> {
        self.search.kept_by_timeout().into_iter().map(|at| self.order[at] as usize).collect()
    }

    /// Adds the evidence to that of the run.
    pub(super) fn teach(&mut self, knowledge: &mut Knowledge) {
        knowledge.absorb(self.sequence.kind, self.sequence.depth, &self.search.take_evidence());
    }

    /// Sweeps a text until `most_needed` units were found needed.
    pub(super) fn pursue(&mut self, session: &mut Session<'_, '_>, most_needed: usize) -> Result<(), Interrupt> {
        let positions = Positions::new(&self.sequence, &self.order);
        let (asked, rules) = (0..0, Vec::new());
        let (pass, is_given_up) = (self.pass, &mut self.is_given_up);
        let search = &mut self.search;
        session.pursue(&mut SweepOn { search, positions, most_needed, pass, is_given_up, asked, chance: 0.5, rules })
    }
}

/// The order in which the units of a sequence are asked about.
fn positions(sequence: &Sequence, order: SweepOrder, seed: u64) -> Vec<u32> {
    let len = sequence.units.len();
    let mut positions: Vec<u32> = (0..u32::try_from(len).expect("fewer units than bytes")).collect();
    match order {
        _ if seed != 0 => {
            // A random stream for each list, so that one list's length doesn't change the order of the next.
            let stream = (u64::from(sequence.kind) << 32 | u64::from(sequence.depth)) ^ (len as u64) << 20;
            positions.shuffle(&mut ChaCha8Rng::seed_from_u64(seed ^ stream));
        }
        SweepOrder::Forward => {}
        SweepOrder::Backward => positions.reverse(),
    }
    positions
}

/// A search at work on a text.
struct SweepOn<'s> {
    search: &'s mut Search,
    positions: Positions<'s>,
    most_needed: usize,
    pass: Option<&'static str>,
    is_given_up: &'s mut bool,
    /// The positions that the question is about, and the probability that its candidate is interesting.
    asked: Range<usize>,
    chance: f64,
    /// The rules of the last removed units.
    rules: Vec<RuleId>,
}

/// The state of a [`SweepOn`].
struct SweepState {
    of: Outline,
    search: Search,
    is_given_up: bool,
    asked: Range<usize>,
    chance: f64,
    rules: Vec<RuleId>,
}

impl QuestionSource for SweepOn<'_> {
    fn ask(&mut self) -> bool {
        if self.search.needed_count() >= self.most_needed && self.search.undecided() > 0 {
            return false;
        }
        let Some(question) = self.search.next_test() else { return false };
        (self.asked, self.chance) = (question.asked, question.p_yes);
        true
    }

    fn candidate(&mut self, current: &Current<'_>) -> Candidate {
        let units = || self.asked.clone().map(|at| self.positions.unit(at));
        let known_to_parse = units().all(|unit| unit.known_to_parse);
        current.candidate(units().map(|unit| &unit.removal), known_to_parse)
    }

    fn observe(&mut self, verdict: Verdict) {
        self.search.observe(verdict);
        if verdict == Verdict::Interesting {
            self.rules = each_once(self.asked.clone().flat_map(|at| self.positions.rules(at)).copied());
        }
    }

    fn chance(&self) -> f64 {
        self.chance
    }

    fn prior(&mut self) -> Option<f64> {
        self.search.chance()
    }

    fn weigh(&mut self, ratio: f64) -> bool {
        self.search.weigh(ratio);
        true
    }

    fn give_up(&mut self) {
        self.search.give_up();
        *self.is_given_up = true;
    }

    fn pass(&self) -> Option<&'static str> {
        self.pass
    }

    fn state(&self) -> SourceState {
        let (search, asked, rules) = (Search::clone(self.search), self.asked.clone(), self.rules.clone());
        let of = self.positions.outline();
        Box::new(SweepState { of, search, is_given_up: *self.is_given_up, asked, chance: self.chance, rules })
    }

    fn take_over(&mut self, state: &SourceState) -> bool {
        let is_same = |state: &&SweepState| state.of == self.positions.outline();
        let Some(state) = state.downcast_ref().filter(is_same) else { return false };
        self.search.clone_from(&state.search);
        (*self.is_given_up, self.asked, self.chance) = (state.is_given_up, state.asked.clone(), state.chance);
        self.rules.clone_from(&state.rules);
        true
    }

    fn ahead(&self) -> Option<RemainingEstimate> {
        let depth = self.positions.sequence.depth;
        let (units, tests) = (self.search.undecided(), self.search.remaining_tests());
        Some(RemainingEstimate { depth: (depth != NO_DEPTH).then_some(depth), units, tests })
    }

    fn rules(&self) -> &[RuleId] {
        &self.rules
    }

    fn describe(&self) -> String {
        self.positions.describe(self.asked.len())
    }
}
