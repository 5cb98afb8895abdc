//! One stretch of a sequence that is being swept: what is asked next in it, and where each answer
//! leads. A sweep has one lane when a single worker asks, and several when more do.

use std::ops::Range;
use std::sync::Arc;

use crate::config::Objective;
use crate::model::decision_tree;
use crate::model::exposure::{Ahead, Exposure, PerExponent};
use crate::model::posterior::Posterior;
use crate::model::run_length::{Before, Run, Survival};
use crate::runs::Runs;

/// Longer runs than where survival falls below this are not asked about in one go.
const NEGLIGIBLE_SURVIVAL: f64 = 1e-7;

/// What a scout asks about is so many times less, where it is at least so much: 14.4 rounds instead of
/// 14.7 at .9/.95 with 16 workers, see `figures`.
const SCOUTED_SHARE: usize = 4;
const LEAST_SCOUTED: usize = 16;

/// Names a lane for as long as it exists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct LaneId(pub(crate) u32);

/// The positions of a lane's units, ascending. Between two of them there is nothing but units that
/// are already removed.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Neighbours, from this position on.
    From(usize),
    /// With holes.
    Listed(Arc<[u32]>),
}

impl Places {
    /// The position of the unit with this index.
    pub(crate) fn position(&self, index: usize) -> usize {
        match self {
            Places::From(first) => first + index,
            Places::Listed(positions) => positions[index] as usize,
        }
    }

    /// From the first to the last of these units: all that is gone when they go.
    pub(crate) fn range(&self, units: Range<usize>) -> Range<usize> {
        if units.is_empty() {
            return 0..0;
        }
        self.position(units.start)..self.position(units.end - 1) + 1
    }
}

/// A run of removable units that starts at one end of a lane's open units, known to be at least `lo`
/// and less than `hi` long.
#[derive(Clone, Debug)]
struct Cursor {
    /// Whether it starts at the last open unit and goes backwards.
    mirrored: bool,
    objective: Objective,
    before: Before,
    lo: usize,
    hi: usize,
    cap: usize,
    /// Whether `hi` stands there because of a timeout.
    timed_out: bool,
    /// How many removals the candidate that set `hi` knew of.
    certified: u32,
    survival: Survival,
    /// What other lanes make of it, where there are any.
    outlook: Option<Survival>,
    /// Probability of the lengths that were possible at the start.
    possible: f64,
    /// The length asked about and the chance of yes, computed when first needed.
    choice: Option<(usize, f64)>,
}

impl Cursor {
    /// Starts a run; `empty_rule` says that removing all `left` units is known not to be interesting.
    fn new(
        around: &Around<'_>,
        (left, ahead): (usize, &Ahead),
        before: Before,
        posterior: &Posterior,
        empty_rule: bool,
    ) -> Self {
        let survival = posterior.survival(before, ahead);
        let cap = survival.cap(left, NEGLIGIBLE_SURVIVAL);
        let excluded = empty_rule && cap == left;
        let possible = if excluded { survival.tail(0).below(cap) } else { 1.0 };
        Self {
            mirrored: around.mirrored,
            objective: around.objective,
            before,
            lo: 0,
            hi: if excluded { cap } else { cap + 1 },
            cap,
            timed_out: false,
            certified: 0,
            survival,
            outlook: None,
            possible,
            choice: None,
        }
    }

    /// The length to ask about and the chance of yes, given that more than one length is possible.
    fn choose(&mut self) -> (usize, f64) {
        let (lo, hi) = (self.lo, self.hi);
        let open = hi == self.cap + 1;
        let survival = self.outlook.as_ref().unwrap_or(&self.survival);
        let choose = match self.objective {
            Objective::Tests => decision_tree::choose,
            Objective::Time => decision_tree::choose_most,
        };
        *self.choice.get_or_insert_with(|| choose(&survival.tail(lo), lo, hi, open))
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
pub(crate) struct Closed {
    /// What is known of it, for the result.
    pub(crate) run: Run,
    /// What the model learnt: a timeout tells less.
    pub(crate) learnt: Run,
    /// Whether the model did learn it.
    pub(crate) taught: bool,
    pub(crate) before: Before,
    /// Probability that the model gave to what it learnt.
    pub(crate) predicted: f64,
    /// The exposures of its units.
    pub(crate) ahead: Ahead,
    /// The weights that the exponents of exposure had, and what the run told of them.
    pub(crate) believed: PerExponent,
    pub(crate) told: PerExponent,
    /// Positions from its first to its last unit, the needed one included.
    pub(crate) positions: Range<usize>,
    /// The needed unit that ended it.
    pub(crate) needed: Option<usize>,
    /// See [`Answer::knew`], for the answer that found the needed unit.
    pub(crate) certified: u32,
}

/// What a lane has to know of the search it is a part of.
pub(crate) struct Around<'a> {
    /// Whether the next run shall begin at the last open unit.
    pub(crate) mirrored: bool,
    pub(crate) objective: Objective,
    /// Whether nothing outside this lane is left or may stay, and the empty candidate is known not to
    /// be interesting.
    pub(crate) empty_rule: bool,
    /// Whether what is found here teaches the model.
    pub(crate) teaches: bool,
    /// Where closed runs are told, if anywhere.
    pub(crate) closed: Option<&'a mut Vec<Closed>>,
}

/// An answer as a lane sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) yes: bool,
    pub(crate) timed_out: bool,
    /// How many removals of the search the candidate knew of.
    pub(crate) knew: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) id: LaneId,
    places: Places,
    start: usize,
    exposure: Exposure,
    /// Units that are not decided yet, those of the run under way included.
    open: Range<usize>,
    before_first: Before,
    before_last: Before,
    cursor: Option<Cursor>,
    /// Units that went, by index.
    gone: Arc<Runs>,
    /// Units that stay.
    kept: usize,
}

impl Lane {
    /// A lane over `count` units with nothing known of what is around them.
    pub(crate) fn new(id: LaneId, places: Places, exposure: Exposure, count: usize) -> Self {
        Self {
            id,
            start: if count > 0 { places.position(0) } else { 0 },
            places,
            exposure,
            open: 0..count,
            before_first: Before::Unknown,
            before_last: Before::Unknown,
            cursor: None,
            gone: Arc::default(),
            kept: 0,
        }
    }

    /// Starts the first run; nothing else may be asked of the lane before.
    pub(crate) fn begin(&mut self, posterior: &mut Arc<Posterior>, around: &mut Around<'_>) {
        self.begin_run(posterior, around);
        // One unit whose removal is known to be refused is decided without any question.
        self.settle(posterior, around);
    }

    /// The units asked about next, by index, and the chance of yes; `None` when all are decided.
    pub(crate) fn ask(&mut self) -> Option<(Range<usize>, f64)> {
        let open = self.open.clone();
        let cursor = self.cursor.as_mut()?;
        let (m, p_yes) = cursor.choose();
        let units =
            if cursor.mirrored { open.end - m..open.end - cursor.lo } else { open.start + cursor.lo..open.start + m };
        Some((units, p_yes))
    }

    /// Lets the next choice follow a posterior that knows of all lanes.
    pub(crate) fn look_around(&mut self, all: &Posterior) {
        if let Some(cursor) = &mut self.cursor
            && cursor.choice.is_none()
        {
            let hi = (cursor.hi <= cursor.cap).then_some(cursor.hi);
            cursor.outlook = Some(all.survival_of_known(cursor.before, cursor.lo, hi, cursor.survival.ahead()));
        }
    }

    /// The units that a question of this lane asks about besides those that are gone, if they are what
    /// the run under way may still be asked about.
    pub(crate) fn may_adopt(&self, gone: &Runs) -> Option<Range<usize>> {
        let cursor = self.cursor.as_ref()?;
        let [asked] = gone.minus(&self.gone).try_into().ok()?;
        let asked: Range<usize> = asked;
        let fits = if cursor.mirrored {
            asked.end == self.open.end - cursor.lo && asked.len() + cursor.lo < cursor.hi
        } else {
            asked.start == self.open.start + cursor.lo && asked.len() + cursor.lo < cursor.hi
        };
        (fits && gone.is_superset(&self.gone)).then_some(asked)
    }

    /// Makes these units, which `may_adopt` returned, the question that `ask` returns.
    pub(crate) fn adopt(&mut self, units: &Range<usize>) {
        if let Some(cursor) = &mut self.cursor {
            cursor.choice = Some((cursor.lo + units.len(), 0.5));
        }
    }

    /// Makes those of its next units that are in this set what `ask` returns, if it may be so long.
    /// Returns whether it is.
    pub(crate) fn adopt_gone(&mut self, union: &Runs) -> bool {
        let Some(cursor) = self.cursor.as_mut().filter(|cursor| !cursor.mirrored) else { return false };
        let first = self.open.start + cursor.lo;
        if first >= self.open.end {
            return false;
        }
        let Some(end) = union.run_at(self.places.position(first)) else { return false };
        let gone = (first..self.open.end).take_while(|&unit| self.places.position(unit) < end).count();
        let m = (cursor.lo + gone).min(cursor.cap);
        let fits = m > cursor.lo && m < cursor.hi;
        if fits {
            cursor.choice = Some((m, 0.5));
        }
        fits
    }

    /// Asks about a part of what it would ask, where that is much and nothing was asked yet.
    pub(crate) fn scout(&mut self) {
        let Some(cursor) = self.cursor.as_mut().filter(|cursor| cursor.choice.is_none()) else { return };
        let (many, _) = cursor.choose();
        if many >= LEAST_SCOUTED {
            let few = many / SCOUTED_SHARE;
            cursor.choice = Some((few, cursor.survival.at(few)));
        }
    }

    /// Tells a posterior that knows of all lanes the answer to the question that `ask` returns, and
    /// returns the chance of yes that it gave.
    pub(crate) fn tell(&self, yes: bool, all: &mut Posterior) -> Option<f64> {
        let cursor = self.cursor.as_ref()?;
        let (m, _) = cursor.choice?;
        let hi = (cursor.hi <= cursor.cap).then_some(cursor.hi);
        Some(all.learn_answer(cursor.before, (cursor.lo, m, hi), yes, cursor.survival.ahead()))
    }

    /// Takes the answer to the question that `ask` returns. What is gone is told by `remove`:
    /// speculation keeps its own book of what it assumes.
    pub(crate) fn answer(&mut self, answer: Answer, posterior: &mut Arc<Posterior>, around: &mut Around<'_>) {
        let Some(cursor) = &mut self.cursor else { return };
        let (m, _) = cursor.choose();
        cursor.choice = None;
        if answer.yes {
            cursor.lo = m;
        } else {
            cursor.hi = m;
            cursor.timed_out = answer.timed_out;
            cursor.certified = answer.knew;
        }
        self.settle(posterior, around);
    }

    /// Marks units as gone.
    pub(crate) fn remove(&mut self, units: Range<usize>) {
        Arc::make_mut(&mut self.gone).insert(units);
    }

    /// Closes runs whose length is known, until there is a question or the end.
    fn settle(&mut self, posterior: &mut Arc<Posterior>, around: &mut Around<'_>) {
        while let Some(cursor) = &self.cursor {
            if cursor.hi - cursor.lo > 1 {
                return;
            }
            let run = Run { length: cursor.lo, ended: cursor.lo < cursor.cap };
            // A timeout does not tell that a needed unit follows: the model learns only that the run
            // is at least as long as the interesting answers made it.
            let learnt = Run { ended: run.ended && !cursor.timed_out, ..run };
            let (before, mirrored) = (cursor.before, cursor.mirrored);
            let units = run.length + usize::from(run.ended);
            let closed_units =
                if mirrored { self.open.end - units..self.open.end } else { self.open.start..self.open.start + units };
            let ahead = cursor.survival.ahead();
            let believed = posterior.exponents();
            let told = if around.teaches {
                Arc::make_mut(posterior).learn(before, learnt, ahead)
            } else {
                PerExponent::default()
            };
            if let Some(closed) = around.closed.as_deref_mut() {
                let needed = run.ended.then(|| {
                    let index = if mirrored { closed_units.start } else { closed_units.end - 1 };
                    self.places.position(index)
                });
                closed.push(Closed {
                    run,
                    learnt,
                    taught: around.teaches,
                    before,
                    predicted: cursor.predicted(learnt),
                    ahead: ahead.clone(),
                    believed,
                    told,
                    positions: self.places.range(closed_units.clone()),
                    needed,
                    certified: cursor.certified,
                });
            }
            self.kept += usize::from(run.ended);
            let now = match (run.ended, learnt.ended) {
                (true, true) => Before::Needed,
                (true, false) => Before::Unknown,
                (false, _) => Before::Removable,
            };
            if mirrored {
                self.open.end = closed_units.start;
                self.before_last = now;
            } else {
                self.open.start = closed_units.end;
                self.before_first = now;
            }
            self.begin_run(posterior, around);
        }
    }

    fn begin_run(&mut self, posterior: &Posterior, around: &Around<'_>) {
        let empty_rule = around.empty_rule && self.kept == 0;
        let before = if around.mirrored { self.before_last } else { self.before_first };
        let ahead = Ahead::new(self.exposure.clone(), &self.open, around.mirrored);
        let left = self.open.len();
        self.cursor = (left > 0).then(|| Cursor::new(around, (left, &ahead), before, posterior, empty_rule));
    }

    /// Whether all units are decided.
    pub(crate) fn is_finished(&self) -> bool {
        self.cursor.is_none()
    }

    /// The units not known to be removed or kept, by index: of the run under way those that are
    /// surely removable are not among them.
    pub(crate) fn undecided(&self) -> Range<usize> {
        match &self.cursor {
            Some(cursor) if cursor.mirrored => self.open.start..self.open.end - cursor.lo,
            Some(cursor) => self.open.start + cursor.lo..self.open.end,
            None => self.open.end..self.open.end,
        }
    }

    /// The position of a unit.
    pub(crate) fn position(&self, index: usize) -> usize {
        self.places.position(index)
    }

    /// The positions from the first to the last of these units.
    pub(crate) fn range(&self, units: Range<usize>) -> Range<usize> {
        self.places.range(units)
    }

    /// The position of the first open unit, for the order of lanes.
    pub(crate) fn first(&self) -> usize {
        self.places.position(self.open.start)
    }

    /// The position of its first unit, decided or not.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Whether the run under way starts at the last open unit.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| cursor.mirrored)
    }

    /// The index behind the needed unit that is known to be near, unless two more answers or none would
    /// find it.
    pub(crate) fn beyond(&self) -> Option<usize> {
        let cursor = self.cursor.as_ref()?;
        let known = cursor.hi <= cursor.cap && cursor.hi - cursor.lo > 3;
        known.then(|| if cursor.mirrored { self.open.end - cursor.hi } else { self.open.start + cursor.hi })
    }

    /// The units that the run under way is known not to consist of, as positions, if the candidate
    /// that told so knew of fewer than `now` removals.
    pub(crate) fn refused(&self, now: u32) -> Option<Range<usize>> {
        let cursor = self.cursor.as_ref()?;
        let units = if cursor.mirrored {
            self.open.end.checked_sub(cursor.hi)?..self.open.end - cursor.lo
        } else {
            self.open.start + cursor.lo..self.open.start + cursor.hi
        };
        (cursor.hi <= cursor.cap && cursor.certified < now).then(|| self.places.range(units))
    }

    /// Where to cut so that one of `parts` equal parts stays, with at least `least` units on either
    /// side; `through` allows to cut through what is asked about now.
    pub(crate) fn part(&mut self, parts: usize, least: usize, through: bool) -> Option<usize> {
        let open = self.undecided();
        let (asked, _) = self.ask()?;
        let share = open.len() / parts.max(2);
        let at = match (self.is_mirrored(), through) {
            (false, true) => open.start + share,
            (false, false) => asked.end.max(open.start + share),
            (true, true) => open.end - share,
            (true, false) => asked.start.min(open.end - share),
        };
        (at >= open.start + least && at + least <= open.end).then_some(at)
    }

    /// What is gone, by index.
    pub(crate) fn gone(&self) -> &Arc<Runs> {
        &self.gone
    }

    /// Whether units with these indices may be gone, besides what is gone already, in a question of
    /// this lane to come.
    pub(crate) fn may_reach(&self, remove: &Runs) -> bool {
        let Some(cursor) = &self.cursor else { return false };
        if !remove.is_superset(&self.gone) {
            return false;
        }
        let Some(first) = remove.first_not_in(&self.gone) else { return false };
        if cursor.mirrored {
            let length = self.open.end - remove.run_before(self.open.end).unwrap_or(self.open.end);
            let possible = length < cursor.hi || cursor.hi == cursor.cap + 1;
            return possible && (length > cursor.lo || first < self.open.end - length && length == cursor.lo);
        }
        let start = self.open.start;
        let length = remove.run_at(start).unwrap_or(start) - start;
        let more = remove.end() > start + length;
        // A run that was cut at its cap goes on as the next run.
        let goes_on = cursor.hi == cursor.cap + 1 && length >= cursor.cap;
        let possible = length < cursor.hi || goes_on;
        first >= start && possible && (length > cursor.lo || more && length == cursor.lo)
    }

    /// Cuts the open units in two, at an index beyond what is being asked about; the part in which no
    /// run is under way becomes a lane of its own. `None` when there is no such cut.
    pub(crate) fn split(&mut self, at: usize, id: LaneId) -> Option<Self> {
        let undecided = self.undecided();
        if at <= undecided.start || at >= undecided.end {
            return None;
        }
        let mut other = self.clone();
        let cursor = self.cursor.as_mut()?;
        (other.id, other.cursor, other.gone, other.kept) = (id, None, Arc::default(), 0);
        let (mine, its) = if cursor.mirrored {
            (at..self.open.end, self.open.start..at)
        } else {
            (self.open.start..at, at..self.open.end)
        };
        if cursor.mirrored {
            self.before_first = Before::Unknown;
            other.before_last = Before::Unknown;
        } else {
            self.before_last = Before::Unknown;
            other.before_first = Before::Unknown;
        }
        if cursor.cap > mine.len() {
            // The run is seen up to the cut only: the last length now means "at least to there".
            cursor.cap = mine.len();
            cursor.hi = cursor.hi.min(cursor.cap + 1);
            cursor.choice = None;
        }
        (self.open, other.open) = (mine, its);
        other.start = other.first();
        Some(other)
    }
}
