//! A lane: one part of a sequence that is swept from one end to the other, run by run. It knows the next question
//! there, and the effect of each outcome. A sweep has one lane for a single worker, and several for more.

use std::ops::Range;
use std::sync::Arc;

use crate::model::decision_tree;
use crate::model::exposure::{Ahead, Exposure, PerExponent};
use crate::model::posterior::Posterior;
use crate::model::run_length::{Before, Run, Survival};
use crate::model::weak_evidence::{Masses, WeakEvidence, Weighed};
use crate::runs::Runs;

/// Minimum probability of a run length for a question about it.
const NEGLIGIBLE_SURVIVAL: f64 = 1e-7;

/// A scout asks about the `SCOUTED_SHARE`-th part of the lane's usual question, if that is at least `LEAST_SCOUTED`
/// units: 14.4 rounds instead of 14.7 at .9/.95 with 16 workers, see `figures`.
const SCOUTED_SHARE: usize = 4;
const LEAST_SCOUTED: usize = 16;

/// The name of a lane, not used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct LaneId(pub(crate) u32);

/// The positions of a lane's units, ascending. Between two of them there is nothing but units that
/// are already removed.
#[derive(Clone, Debug)]
pub(crate) enum Positions {
    /// Neighbours, from this position on.
    From(usize),
    /// With holes.
    Listed(Arc<[u32]>),
}

impl Positions {
    /// The position of the unit with this index.
    pub(crate) fn position(&self, index: usize) -> usize {
        match self {
            Positions::From(first) => first + index,
            Positions::Listed(positions) => positions[index] as usize,
        }
    }

    /// Returns the positions from the first to the last of these units: all that are removed with them.
    pub(crate) fn range(&self, units: Range<usize>) -> Range<usize> {
        if units.is_empty() {
            return 0..0;
        }
        self.position(units.start)..self.position(units.end - 1) + 1
    }
}

/// A run of removable units that starts at a lane's first open unit, known to be at least `lo` and less than `hi` long.
#[derive(Clone, Debug)]
struct Cursor {
    before: Before,
    lo: usize,
    hi: usize,
    cap: usize,
    /// Whether `hi` was set by a timeout.
    timed_out: bool,
    /// How many removals of the search the refused candidate that set `hi` contained.
    certified: u32,
    survival: Survival,
    /// The distribution of its length from the evidence of all lanes, if there are several.
    outlook: Option<Survival>,
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
            certified: 0,
            survival,
            outlook: None,
            possible,
            weak: WeakEvidence::default(),
            choice: None,
        }
    }

    /// The length to ask about and the chance of yes, given that more than one length is possible.
    fn choose(&mut self) -> (usize, f64) {
        let (lo, hi) = (self.lo, self.hi);
        let open = hi == self.cap + 1;
        let survival = self.outlook.as_ref().unwrap_or(&self.survival);
        *self.choice.get_or_insert_with(|| {
            let tail = survival.tail(lo);
            if self.weak.is_empty() {
                decision_tree::choose(&tail, lo, hi, open)
            } else {
                decision_tree::choose(&Weighed::new(&tail, &self.weak), lo, hi, open)
            }
        })
    }

    /// The probability that the run is at least `m` long, by all that is known but the weak evidence about m itself.
    fn chance_of(&self, m: usize) -> f64 {
        let tail = self.outlook.as_ref().unwrap_or(&self.survival).tail(self.lo);
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
#[derive(Clone, Debug)]
pub(crate) struct ClosedRun {
    /// The knowledge of it, for the result.
    pub(crate) run: Run,
    /// The part that the model learns from, which is less after a timeout.
    pub(crate) learnt: Run,
    /// Whether the model has learnt from it.
    pub(crate) taught: bool,
    pub(crate) before: Before,
    /// The probability that the model had predicted for its evidence.
    pub(crate) predicted: f64,
    /// The exposures of its units.
    pub(crate) ahead: Ahead,
    /// The weights of the exponents of exposure before the run, and the log likelihood of the run under each.
    pub(crate) believed: PerExponent,
    pub(crate) told: PerExponent,
    /// Positions from its first to its last unit, the needed one included.
    pub(crate) positions: Range<usize>,
    /// The needed unit that ended it.
    pub(crate) needed: Option<usize>,
    /// [`Answer::known_removals`] of the refusal that found the needed unit.
    pub(crate) certified: u32,
}

/// The facts that a lane needs about its search.
pub(crate) struct LaneContext<'a> {
    /// Whether all units outside this lane are removed, and the empty candidate is known not to be interesting.
    pub(crate) empty_rule: bool,
    /// Whether the model learns from this lane.
    pub(crate) teaches: bool,
    /// Where closed runs are reported, if anywhere.
    pub(crate) closed_runs: Option<&'a mut Vec<ClosedRun>>,
}

/// An answer as a lane sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) yes: bool,
    pub(crate) timed_out: bool,
    /// How many removals of the search the candidate contained.
    pub(crate) known_removals: u32,
}

/// The state of a lane.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) id: LaneId,
    positions: Positions,
    start: usize,
    exposure: Exposure,
    /// Units that are not decided yet, those of the run under way included.
    open: Range<usize>,
    /// The knowledge of the unit before the first of them.
    before: Before,
    cursor: Option<Cursor>,
    /// Units that are removed, by index.
    gone: Arc<Runs>,
    /// The number of units that stay.
    kept: usize,
}

impl Lane {
    /// Makes a lane over `count` units without evidence about its surroundings.
    pub(crate) fn new(id: LaneId, positions: Positions, exposure: Exposure, count: usize) -> Self {
        Self {
            id,
            start: if count > 0 { positions.position(0) } else { 0 },
            positions,
            exposure,
            open: 0..count,
            before: Before::Unknown,
            cursor: None,
            gone: Arc::default(),
            kept: 0,
        }
    }

    /// Starts the first run; to be called before anything else.
    pub(crate) fn begin(&mut self, posterior: &mut Arc<Posterior>, context: &mut LaneContext<'_>) {
        self.begin_run(posterior, context);
        // One unit whose removal is known to be refused is decided without any question.
        self.settle(posterior, context);
    }

    /// Returns the units of the next question, by index, and the probability of yes; `None` if all are decided.
    pub(crate) fn ask(&mut self) -> Option<(Range<usize>, f64)> {
        let start = self.open.start;
        let cursor = self.cursor.as_mut()?;
        let (m, p_yes) = cursor.choose();
        Some((start + cursor.lo..start + m, p_yes))
    }

    /// Lets the next question be chosen by a posterior that has learnt from all lanes.
    pub(crate) fn choose_by(&mut self, all: &Posterior) {
        if let Some(cursor) = &mut self.cursor
            && cursor.choice.is_none()
        {
            let hi = (cursor.hi <= cursor.cap).then_some(cursor.hi);
            cursor.outlook = Some(all.survival_of_known(cursor.before, cursor.lo, hi, cursor.survival.ahead()));
        }
    }

    /// The units that an earlier question of this lane asked about, if the answer still says something about the run under
    /// way. `gone` are all units of the lane that were gone in that question.
    pub(crate) fn may_adopt(&self, gone: &Runs) -> Option<Range<usize>> {
        let cursor = self.cursor.as_ref()?;
        let [asked] = gone.minus(&self.gone).try_into().ok()?;
        let asked: Range<usize> = asked;
        let fits = asked.start == self.open.start + cursor.lo && asked.len() + cursor.lo < cursor.hi;
        (fits && gone.is_superset(&self.gone)).then_some(asked)
    }

    /// Lets `ask` return these units, which `may_adopt` has returned.
    pub(crate) fn adopt(&mut self, units: &Range<usize>) {
        if let Some(cursor) = &mut self.cursor {
            cursor.choice = Some((cursor.lo + units.len(), 0.5));
        }
    }

    /// The probability that these units may go, which `may_adopt` has returned, without the outcomes of the question about
    /// them.
    pub(crate) fn chance_of(&self, units: &Range<usize>) -> Option<f64> {
        let cursor = self.cursor.as_ref()?;
        Some(cursor.chance_of(cursor.lo + units.len()))
    }

    /// Weighs the outcomes of the question about these units, which `may_adopt` has returned.
    pub(crate) fn weigh(&mut self, units: &Range<usize>, ratio: f64) {
        if let Some(cursor) = &mut self.cursor {
            cursor.weak.weigh(cursor.lo + units.len(), ratio);
            cursor.choice = None;
        }
    }

    /// Whether there is weak evidence about the run under way, so that an answer may be to another question than that of
    /// `ask`.
    pub(crate) fn is_weighed(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| !cursor.weak.is_empty())
    }

    /// Lets `ask` return those of the next units that are in `union`, if there are any and the run may be that long.
    /// Returns whether it does.
    pub(crate) fn adopt_gone(&mut self, union: &Runs) -> bool {
        let Some(cursor) = &mut self.cursor else { return false };
        let first = self.open.start + cursor.lo;
        if first >= self.open.end {
            return false;
        }
        let Some(end) = union.run_at(self.positions.position(first)) else { return false };
        let gone = (first..self.open.end).take_while(|&unit| self.positions.position(unit) < end).count();
        let m = (cursor.lo + gone).min(cursor.cap);
        let fits = m > cursor.lo && m < cursor.hi;
        if fits {
            cursor.choice = Some((m, 0.5));
        }
        fits
    }

    /// Lets `ask` return only a part of its units, if there are many and nothing was asked yet.
    pub(crate) fn scout(&mut self) {
        let Some(cursor) = self.cursor.as_mut().filter(|cursor| cursor.choice.is_none()) else { return };
        let (many, _) = cursor.choose();
        if many >= LEAST_SCOUTED {
            let few = many / SCOUTED_SHARE;
            cursor.choice = Some((few, cursor.survival.at(few)));
        }
    }

    /// Lets another posterior learn the answer to the question that `ask` returns. Returns the probability of *interesting*
    /// that it gave.
    pub(crate) fn teach(&self, yes: bool, all: &mut Posterior) -> Option<f64> {
        let cursor = self.cursor.as_ref()?;
        let (m, _) = cursor.choice?;
        let hi = (cursor.hi <= cursor.cap).then_some(cursor.hi);
        Some(all.learn_answer(cursor.before, (cursor.lo, m, hi), yes, cursor.survival.ahead()))
    }

    /// Takes the outcome of the question that `ask` returned. It doesn't mark units as removed, which `remove` does:
    /// speculation stores its assumed removals separately.
    pub(crate) fn answer(&mut self, answer: Answer, posterior: &mut Arc<Posterior>, context: &mut LaneContext<'_>) {
        let Some(cursor) = &mut self.cursor else { return };
        let (m, _) = cursor.choose();
        cursor.choice = None;
        if answer.yes {
            cursor.lo = m;
        } else {
            cursor.hi = m;
            cursor.timed_out = answer.timed_out;
            cursor.certified = answer.known_removals;
        }
        let (lo, hi) = (cursor.lo, cursor.hi);
        cursor.weak.keep_between(lo, hi);
        self.settle(posterior, context);
    }

    /// Marks units as removed.
    pub(crate) fn remove(&mut self, units: Range<usize>) {
        Arc::make_mut(&mut self.gone).insert(units);
    }

    /// Closes runs whose length is known, until there is a question or the end.
    fn settle(&mut self, posterior: &mut Arc<Posterior>, context: &mut LaneContext<'_>) {
        while let Some(cursor) = &self.cursor {
            if cursor.hi - cursor.lo > 1 {
                return;
            }
            let run = Run { length: cursor.lo, ended: cursor.lo < cursor.cap };
            // After a timeout it is not known whether a needed unit follows. The model learns only that the run is at
            // least as long as the interesting answers made it.
            let learnt = Run { ended: run.ended && !cursor.timed_out, ..run };
            let before = cursor.before;
            let closed_units = self.open.start..self.open.start + run.length + usize::from(run.ended);
            let ahead = cursor.survival.ahead();
            let believed = posterior.exponents();
            let told = if context.teaches {
                Arc::make_mut(posterior).learn(before, learnt, ahead)
            } else {
                PerExponent::default()
            };
            if let Some(closed) = context.closed_runs.as_deref_mut() {
                let needed = run.ended.then(|| self.positions.position(closed_units.end - 1));
                closed.push(ClosedRun {
                    run,
                    learnt,
                    taught: context.teaches,
                    before,
                    predicted: cursor.predicted(learnt),
                    ahead: ahead.clone(),
                    believed,
                    told,
                    positions: self.positions.range(closed_units.clone()),
                    needed,
                    certified: cursor.certified,
                });
            }
            self.kept += usize::from(run.ended);
            self.before = match (run.ended, learnt.ended) {
                (true, true) => Before::Needed,
                (true, false) => Before::Unknown,
                (false, _) => Before::Removable,
            };
            self.open.start = closed_units.end;
            self.begin_run(posterior, context);
        }
    }

    fn begin_run(&mut self, posterior: &Posterior, context: &LaneContext<'_>) {
        let empty_rule = context.empty_rule && self.kept == 0;
        let ahead = Ahead::new(self.exposure.clone(), self.open.start);
        let left = self.open.len();
        self.cursor = (left > 0).then(|| Cursor::new((left, &ahead), self.before, posterior, empty_rule));
    }

    /// Whether all units are decided.
    pub(crate) fn is_finished(&self) -> bool {
        self.cursor.is_none()
    }

    /// The units that are not decided, by index. Units of the run under way that are known to be removable are not among
    /// them.
    pub(crate) fn undecided(&self) -> Range<usize> {
        match &self.cursor {
            Some(cursor) => self.open.start + cursor.lo..self.open.end,
            None => self.open.end..self.open.end,
        }
    }

    /// The position of a unit.
    pub(crate) fn position(&self, index: usize) -> usize {
        self.positions.position(index)
    }

    /// The positions from the first to the last of these units.
    pub(crate) fn range(&self, units: Range<usize>) -> Range<usize> {
        self.positions.range(units)
    }

    /// The position of its first unit, decided or not.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Returns the positions of the units that the current run is known not to contain all of, if the refused candidate
    /// had fewer than `now` removals of the search.
    pub(crate) fn refused(&self, now: u32) -> Option<Range<usize>> {
        let cursor = self.cursor.as_ref()?;
        let units = self.open.start + cursor.lo..self.open.start + cursor.hi;
        (cursor.hi <= cursor.cap && cursor.certified < now).then(|| self.positions.range(units))
    }

    /// Where to cut so that one of `parts` equal parts stays, with at least `least` units on either
    /// side; `through` allows a cut inside the units that are asked about now.
    pub(crate) fn part(&mut self, parts: usize, least: usize, through: bool) -> Option<usize> {
        let open = self.undecided();
        let (asked, _) = self.ask()?;
        let share = open.len() / parts.max(2);
        let at = if through { open.start + share } else { asked.end.max(open.start + share) };
        (at >= open.start + least && at + least <= open.end).then_some(at)
    }

    /// The removed units, by index.
    pub(crate) fn gone(&self) -> &Arc<Runs> {
        &self.gone
    }

    /// Whether a later question of this lane can be the one without these units, by index.
    pub(crate) fn may_reach(&self, remove: &Runs) -> bool {
        let Some(cursor) = &self.cursor else { return false };
        if !remove.is_superset(&self.gone) {
            return false;
        }
        let Some(first) = remove.first_not_in(&self.gone) else { return false };
        let start = self.open.start;
        let length = remove.run_at(start).unwrap_or(start) - start;
        let more = remove.end() > start + length;
        // A run that ended at its limit continues as the next run.
        let goes_on = cursor.hi == cursor.cap + 1 && length >= cursor.cap;
        let possible = length < cursor.hi || goes_on;
        first >= start && possible && (length > cursor.lo || more && length == cursor.lo)
    }

    /// Splits the open units at an index after the current question; the part without the current run becomes a
    /// separate lane. Returns `None` if that is impossible.
    pub(crate) fn split(&mut self, at: usize, id: LaneId) -> Option<Self> {
        let undecided = self.undecided();
        if at <= undecided.start || at >= undecided.end {
            return None;
        }
        let mut other = self.clone();
        let cursor = self.cursor.as_mut()?;
        (other.id, other.cursor, other.gone, other.kept) = (id, None, Arc::default(), 0);
        let (mine, its) = (self.open.start..at, at..self.open.end);
        other.before = Before::Unknown;
        if cursor.cap > mine.len() {
            // The run is seen up to the cut only: the last length now means "at least to there".
            cursor.cap = mine.len();
            cursor.hi = cursor.hi.min(cursor.cap + 1);
            cursor.choice = None;
        }
        (self.open, other.open) = (mine, its);
        other.start = other.position(at);
        Some(other)
    }
}
