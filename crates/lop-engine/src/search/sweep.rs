//! The sweep: the walk over all units of a sequence, from one end to the other, run by run, in which each is decided.
//! It knows the next question, and the effect of each outcome.

use std::ops::Range;
use std::sync::Arc;

use crate::model::decision_tree;
use crate::model::exposure::{Ahead, Exposure, PerExponent};
use crate::model::posterior::Posterior;
use crate::model::run_length::{Before, Run, Survival};
use crate::model::weak_evidence::{Masses, WeakEvidence, Weighed};

/// Minimum probability of a run length for a question about it.
const NEGLIGIBLE_SURVIVAL: f64 = 1e-7;

/// A run of removable units that starts at the first open unit, known to be at least `lo` and less than `hi` long.
#[derive(Clone, Debug)]
struct Cursor {
    before: Before,
    lo: usize,
    hi: usize,
    cap: usize,
    /// Whether `hi` was set by a timeout.
    timed_out: bool,
    survival: Survival,
    /// Probability of the lengths that were possible at the start.
    possible: f64,
    /// The outcomes of questions about it that are not decided.
    weak: WeakEvidence,
    /// The length asked about and the chance of yes, computed when first needed.
    choice: Option<(usize, f64)>,
}

impl Cursor {
    /// Starts a run; `empty_rule` says that removing all `left` units is known not to be interesting.
    fn new((left, ahead): (usize, &Ahead), before: Before, posterior: &Posterior, empty_rule: bool) -> Self {
        let survival = posterior.survival(before, ahead);
        let cap = survival.cap(left, NEGLIGIBLE_SURVIVAL);
        let excluded = empty_rule && cap == left;
        let possible = if excluded { survival.tail(0).below(cap) } else { 1.0 };
        Self {
            before,
            lo: 0,
            hi: if excluded { cap } else { cap + 1 },
            cap,
            timed_out: false,
            survival,
            possible,
            weak: WeakEvidence::default(),
            choice: None,
        }
    }

    /// The length to ask about and the chance of yes, given that more than one length is possible.
    fn choose(&mut self) -> (usize, f64) {
        let (lo, hi) = (self.lo, self.hi);
        let open = hi == self.cap + 1;
        *self.choice.get_or_insert_with(|| {
            let tail = self.survival.tail(lo);
            if self.weak.is_empty() {
                decision_tree::choose(&tail, lo, hi, open)
            } else {
                decision_tree::choose(&Weighed::new(&tail, &self.weak), lo, hi, open)
            }
        })
    }

    /// The probability that the run is at least `m` long, by all that is known but the weak evidence about m itself.
    fn chance_of(&self, m: usize) -> f64 {
        let tail = self.survival.tail(self.lo);
        let mut weak = self.weak.clone();
        weak.weigh(m, 0.0);
        let weighed = Weighed::new(&tail, &weak);
        let beyond = if self.hi == self.cap + 1 { 0.0 } else { weighed.at_least(self.hi) };
        let (below, above) = (weighed.below(m), (weighed.at_least(m) - beyond).max(0.0));
        if below + above > 0.0 { above / (below + above) } else { 0.5 }
    }

    /// Probability the model gave to the run's outcome when the run began.
    fn predicted(&self, run: Run) -> f64 {
        let mass =
            if run.ended { self.survival.tail(run.length).below(run.length + 1) } else { self.survival.at(run.length) };
        (mass / self.possible).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

/// A run whose length became known.
#[derive(Debug)]
pub(crate) struct ClosedRun {
    /// The knowledge of it, for the result.
    pub(crate) run: Run,
    /// The part that the model learns from, which is less after a timeout.
    pub(crate) learnt: Run,
    pub(crate) before: Before,
    /// The probability that the model had predicted for its evidence.
    pub(crate) predicted: f64,
    /// The exposures of its units.
    pub(crate) ahead: Ahead,
    /// The weights of the exponents of exposure before the run, and the log likelihood of the run under each.
    pub(crate) believed: PerExponent,
    pub(crate) told: PerExponent,
    /// Its units, the needed one included.
    pub(crate) units: Range<usize>,
    /// The needed unit that ended it.
    pub(crate) needed: Option<usize>,
}

/// The state of a sweep.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    exposure: Exposure,
    /// Whether the empty candidate is known not to be interesting.
    empty_known_uninteresting: bool,
    /// Units that are not decided yet, those of the run under way included.
    open: Range<usize>,
    /// The knowledge of the unit before the first of them.
    before: Before,
    cursor: Option<Cursor>,
    /// The number of units that stay.
    kept: usize,
}

impl Sweep {
    /// Starts a sweep over `len` units without evidence about the surroundings, and returns the runs that are decided
    /// without any question.
    pub(crate) fn new(
        len: usize,
        exposure: Exposure,
        empty_known_uninteresting: bool,
        posterior: &mut Arc<Posterior>,
    ) -> (Self, Vec<ClosedRun>) {
        let (open, before, cursor, kept) = (0..len, Before::Unknown, None, 0);
        let mut sweep = Self { exposure, empty_known_uninteresting, open, before, cursor, kept };
        sweep.begin_run(posterior);
        // One unit whose removal is known to be refused is decided without any question.
        let closed = sweep.settle(posterior);
        (sweep, closed)
    }

    /// Returns the units of the next question and the probability of yes; `None` if all are decided.
    pub(crate) fn ask(&mut self) -> Option<(Range<usize>, f64)> {
        let start = self.open.start;
        let cursor = self.cursor.as_mut()?;
        let (m, p_yes) = cursor.choose();
        Some((start + cursor.lo..start + m, p_yes))
    }

    /// The probability that the units of the next question may go, without the weak evidence of that question.
    pub(crate) fn chance(&mut self) -> Option<f64> {
        let cursor = self.cursor.as_mut()?;
        let (m, _) = cursor.choose();
        Some(cursor.chance_of(m))
    }

    /// Weighs the outcomes of the next question so far. It may be another one afterwards.
    pub(crate) fn weigh(&mut self, ratio: f64) {
        if let Some(cursor) = &mut self.cursor {
            let (m, _) = cursor.choose();
            cursor.weak.weigh(m, ratio);
            cursor.choice = None;
        }
    }

    /// Takes the outcome of the question that `ask` returned. Returns the runs that are decided by it.
    pub(crate) fn answer(&mut self, yes: bool, timed_out: bool, posterior: &mut Arc<Posterior>) -> Vec<ClosedRun> {
        let Some(cursor) = &mut self.cursor else { return Vec::new() };
        let (m, _) = cursor.choose();
        cursor.choice = None;
        if yes {
            cursor.lo = m;
        } else {
            cursor.hi = m;
            cursor.timed_out = timed_out;
        }
        let (lo, hi) = (cursor.lo, cursor.hi);
        cursor.weak.keep_between(lo, hi);
        self.settle(posterior)
    }

    /// Closes runs whose length is known, until there is a question or the end.
    fn settle(&mut self, posterior: &mut Arc<Posterior>) -> Vec<ClosedRun> {
        let mut closed = Vec::new();
        while let Some(cursor) = self.cursor.take_if(|cursor| cursor.hi - cursor.lo <= 1) {
            let run = Run { length: cursor.lo, ended: cursor.lo < cursor.cap };
            // After a timeout it is not known whether a needed unit follows. The model learns only that the run is at
            // least as long as the interesting answers made it.
            let learnt = Run { ended: run.ended && !cursor.timed_out, ..run };
            let before = cursor.before;
            let units = self.open.start..self.open.start + run.length + usize::from(run.ended);
            let ahead = cursor.survival.ahead();
            let believed = posterior.exponents();
            let told = Arc::make_mut(posterior).learn(before, learnt, ahead);
            self.kept += usize::from(run.ended);
            self.before = match (run.ended, learnt.ended) {
                (true, true) => Before::Needed,
                (true, false) => Before::Unknown,
                (false, _) => Before::Removable,
            };
            self.open.start = units.end;
            let (predicted, ahead) = (cursor.predicted(learnt), ahead.clone());
            let needed = run.ended.then(|| units.end - 1);
            closed.push(ClosedRun { run, learnt, before, predicted, ahead, believed, told, units, needed });
            self.begin_run(posterior);
        }
        closed
    }

    fn begin_run(&mut self, posterior: &Posterior) {
        let empty_rule = self.empty_known_uninteresting && self.kept == 0;
        let ahead = Ahead::new(self.exposure.clone(), self.open.start);
        let left = self.open.len();
        self.cursor = (left > 0).then(|| Cursor::new((left, &ahead), self.before, posterior, empty_rule));
    }

    /// Whether all units are decided.
    pub(crate) fn is_finished(&self) -> bool {
        self.cursor.is_none()
    }

    /// The units that are not decided. Units of the run under way that are known to be removable are not among them.
    pub(crate) fn undecided(&self) -> Range<usize> {
        match &self.cursor {
            Some(cursor) => self.open.start + cursor.lo..self.open.end,
            None => self.open.end..self.open.end,
        }
    }

    /// The number of units that stay.
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }
}
