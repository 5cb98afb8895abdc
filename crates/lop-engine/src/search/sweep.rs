//! The sweep: the walk over all units of a sequence, run by run, in which each is decided.
//!
//! A *lane* is a part of the sequence that is swept from one end to the other. A single worker needs one lane; for
//! several workers the sequence is cut into several, the *front lane* and the *far lanes* after it. This file decides
//! when to cut the sequence, unites the outcomes in all lanes, and decides when to give up the far lanes.
//!
//! ```text
//! positions   0 ........ 124 | 125 ....... 249 | 250 ....... 374 | 375 ....... 499
//! lanes       front ──►        far ──►           far ──►           far ──►
//! ```
//!
//! Units of an earlier lane can depend on units of a far lane. Until it is known whether lanes depend on each other,
//! the front lane goes *through* the others: some workers ask its questions as if there were no cut. If independence is
//! likely enough, the front lane ends at the start of the next lane. If it is too unlikely, the far lanes are given up,
//! and the front lane continues alone.
//!
//! Every question of a lane also removes the *union*: everything that any lane has found removable. Simultaneous
//! questions don't contain each other's removals, so perhaps no candidate has contained the whole union yet. The union
//! becomes the committed state when a candidate with it is interesting; the next questions usually are such candidates.
//! Only if all of them are refused, the union is tested alone. If that is refused, too, the lanes depend on each other:
//! the far lanes' removals are forgotten, and one lane continues from the committed state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::BitSet;
use crate::config::Lanes;
use crate::model::posterior::Posterior;
use crate::parallel::independence::Independence;
use crate::parallel::lane::{Answer, ClosedRun, Lane, LaneContext, LaneId, Positions};
use crate::parallel::prospects::Prospects;
use crate::runs::Runs;
use crate::search::questions::{Purpose, Record};
use crate::search::setting::Setting;
use crate::search::verification::Certificate;
use crate::verdict::Verdict;

/// The least number of units of a lane while nothing is known yet.
const FIRST_UNITS: usize = 8;
/// The least number of units on either side of a cut once lanes are known to be independent: 5.3 rounds instead of 6.0 at
/// 64 workers, see `oracles`.
const LEAST_UNITS: usize = 2;
/// Below this probability of independence far lanes are given up. With 1/3 instead, 6 of 200 independent
/// lists at .9/.95 took 5 to 12 of 14 rounds more with 16 workers, with 0.1 one did.
const COLLAPSE_BELOW: f64 = 0.1;
/// The expected rounds lost by keeping dependent far lanes. Far lanes are given up when this loss exceeds the savings
/// of independent ones.
const LOST: f64 = 2.0;
/// In the first round one worker in `FIRST_SHARE`, but at least `LEAST_FIRST`, asks for the front lane. Of 16 workers 3 do
/// so; with 6 instead, independent lists at .9/.95 take 14.8 rounds instead of 14.6. Of 64 workers 8 do so; with 16
/// instead they take 5.6 rounds instead of 5.4.
const FIRST_SHARE: usize = 8;
const LEAST_FIRST: usize = 3;
/// The largest share of workers that ask for the front lane while there are far lanes: without answers in far lanes it
/// would not be learnt whether lanes depend on each other. If all workers but one ask for the front lane, independent
/// lists at .9/.95 take half a round more with 16 workers, because some of them take 40 rounds.
const MOST_FRONT: f64 = 0.7;
/// Below this probability of independence all workers but one ask for the front lane.
const DOUBTED: f64 = 0.3;
/// Probability of independence from which the front lane ends at the start of the next one.
const TRUSTED: f64 = 0.9;
/// Minimum assumed probability that an outcome in a far lane is useful, if several lanes pay even if they depend on
/// each other.
const LEAST_WEIGHT: f64 = 0.2;
/// Probability of independence from which the model learns from the far lanes.
const TEACH_FROM: f64 = 0.7;
/// From this probability of independence on, refusals in far lanes are not asked again.
const CERTAIN: f64 = 0.9;
/// Units with a doubtful refusal are swept once more if there are at least `LEAST_DOUBTFUL` of them, and if the kept units
/// in their range are at most `MOST_AMONG` times as many.
const LEAST_DOUBTFUL: usize = 3;
const MOST_AMONG: usize = 4;
/// In the first round one lane in `SCOUT_EVERY` asks about a part of its usual question, see [`Lane::scout`].
const SCOUT_EVERY: usize = 4;

/// The state of a sweep.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    /// In the order of their positions.
    pub(crate) lanes: Vec<Lane>,
    /// Whether the front lane goes through the units of the far lanes, as if there were no cut.
    pub(crate) front_goes_through: bool,
    /// Whether the same removal was refused in a far lane and interesting in the front lane.
    contradicted: bool,
    /// The number of workers when the lanes were arranged last.
    workers: usize,
    next_lane: u32,
    /// Everything that some lane found removable.
    pub(crate) union: Arc<Runs>,
    /// Whether a candidate that contains the union was refused since the union last changed.
    pub(crate) union_doubted: bool,
    /// Whether lanes depend on each other, as far as it is known; none before the first cut.
    independence: Option<Independence>,
    /// The positions of a refused removal of the front lane that should be asked about again.
    probe: Option<Range<usize>>,
    /// The number of removals when the lane that is in front now got there.
    front_since: u32,
    /// Units whose removal was refused in far lanes that were given up; they are asked about again.
    refused: BTreeSet<usize>,
    /// Runs that are decided, but may be reconsidered.
    closed: BTreeMap<LaneId, Vec<ClosedRun>>,
    /// Units that stay, and that this sweep does not ask about again.
    settled: BitSet,
    /// Removals in the order in which they were found.
    removals: Vec<Range<usize>>,
    certificates: Vec<Certificate>,
    /// Whether one lane decides all units, from the first to the last.
    in_order: bool,
    /// Whether there is no outcome yet.
    fresh: bool,
}

impl Sweep {
    /// One lane over everything.
    pub(crate) fn new(setting: &Setting, posterior: &mut Arc<Posterior>) -> Self {
        let mut sweep = Self {
            lanes: Vec::new(),
            front_goes_through: false,
            contradicted: false,
            workers: 1,
            next_lane: 0,
            union: Arc::default(),
            union_doubted: false,
            independence: None,
            probe: None,
            front_since: 0,
            refused: BTreeSet::new(),
            closed: BTreeMap::new(),
            settled: BitSet::with_capacity(setting.len),
            removals: Vec::new(),
            certificates: Vec::new(),
            in_order: true,
            fresh: true,
        };
        let id = sweep.new_id();
        sweep.lanes.push(Lane::new(id, Positions::From(0), setting.exposure.clone(), setting.len));
        sweep.begin(setting, 0, posterior);
        sweep
    }

    fn new_id(&mut self) -> LaneId {
        self.next_lane += 1;
        LaneId(self.next_lane)
    }

    /// Lets a lane start its first run.
    fn begin(&mut self, setting: &Setting, lane: usize, posterior: &mut Arc<Posterior>) {
        let mut closed = Vec::new();
        let mut context = self.context(setting, lane, Some(&mut closed));
        self.lanes[lane].begin(posterior, &mut context);
        self.close(lane, closed);
    }

    /// The facts about the search that a lane needs.
    pub(crate) fn context<'a>(
        &self,
        setting: &Setting,
        lane: usize,
        closed_runs: Option<&'a mut Vec<ClosedRun>>,
    ) -> LaneContext<'a> {
        LaneContext {
            empty_rule: setting.empty_known_uninteresting && self.lanes.len() == 1 && self.settled.is_clear(),
            teaches: lane == 0 || self.independence_probability() >= TEACH_FROM,
            closed_runs,
        }
    }

    fn close(&mut self, lane: usize, closed: Vec<ClosedRun>) {
        if !closed.is_empty() {
            self.closed.entry(self.lanes[lane].id).or_default().extend(closed);
        }
    }

    /// The probability that lanes don't depend on each other.
    fn independence_probability(&self) -> f64 {
        self.independence.as_ref().map_or_else(Independence::prior, Independence::probability)
    }

    /// Lets the lanes choose their next questions from the evidence of all of them.
    pub(crate) fn choose_by_all_lanes(&mut self) {
        let front_goes_through = self.front_goes_through;
        if self.lanes.len() > 1
            && let Some(independence) = &self.independence
        {
            for (at, lane) in self.lanes.iter_mut().enumerate() {
                if at == 0 && front_goes_through {
                    lane.choose_by(&independence.alone);
                } else if independence.probability() >= TEACH_FROM {
                    lane.choose_by(&independence.all);
                }
            }
        }
    }

    /// The posterior that speculation in a lane starts from.
    pub(crate) fn outlook<'a>(&'a self, lane: usize, posterior: &'a Arc<Posterior>) -> &'a Arc<Posterior> {
        match &self.independence {
            Some(independence) if self.front_goes_through && lane == 0 => &independence.alone,
            Some(independence) if self.lanes.len() > 1 && independence.probability() >= TEACH_FROM => &independence.all,
            _ => posterior,
        }
    }

    /// The probability that an outcome in a far lane is useful.
    pub(crate) fn far_weight(&self) -> f64 {
        let least = if self.pays_anyway() { LEAST_WEIGHT } else { 0.0 };
        self.independence_probability().clamp(least, 0.999)
    }

    /// The number of removals.
    pub(crate) fn removals(&self) -> u32 {
        u32::try_from(self.removals.len()).expect("fewer removals than units")
    }

    /// Learns from an answer whether lanes depend on each other.
    pub(crate) fn count(&mut self, lane: usize, yes: bool, posterior: &Arc<Posterior>) {
        if self.lanes.len() > 1 {
            let independence = self.independence.get_or_insert_with(|| Independence::new(posterior));
            independence.count(&self.lanes[lane], lane == 0, yes);
        }
    }

    /// A removal that was refused in a far lane has turned out possible: lanes depend on each other.
    fn contradict(&mut self) {
        self.contradicted = true;
        self.learn_dependence();
    }

    /// Learns from a late answer to a question of a far lane whose units were removed by another lane meanwhile.
    pub(crate) fn compare(&mut self, record: &Record) {
        let Purpose::Lane(id, _) = &*record.purpose else { return };
        let is_far = self.lanes.iter().skip(1).any(|lane| lane.id == *id);
        if is_far
            && record.answer != Some(Verdict::Timeout)
            && self.union.is_superset(&record.remove)
            && let Some(independence) = &mut self.independence
        {
            independence.asked_again(record.answer != Some(Verdict::Interesting));
        }
    }

    /// Tells the lanes which of their units were removed by other lanes.
    pub(crate) fn catch_up(&mut self, setting: &Setting, posterior: &mut Arc<Posterior>) {
        for lane in 0..self.lanes.len() {
            let refused = self.lanes[lane].refused(u32::MAX);
            if self.front_goes_through
                && lane > 0
                && refused.is_some_and(|units| self.union.run_at(units.start) >= Some(units.end))
            {
                self.contradict();
            }
            while self.lanes[lane].adopt_gone(&self.union) {
                let answer = Answer { yes: true, timed_out: false, known_removals: self.removals() };
                self.answer(setting, lane, answer, posterior);
            }
        }
        let front = &self.lanes[0];
        let is_gone = |run: &ClosedRun| run.needed.is_some_and(|needed| self.union.run_at(needed).is_some());
        let mut far = self.closed.iter().filter(|(id, _)| **id != front.id).flat_map(|(_, closed)| closed);
        if self.front_goes_through && far.any(is_gone) {
            self.contradict();
        }
    }

    /// Takes the answer to the question that a lane asks now.
    pub(crate) fn answer(&mut self, setting: &Setting, lane: usize, answer: Answer, posterior: &mut Arc<Posterior>) {
        let Some((units, _)) = self.lanes[lane].ask() else { return };
        self.fresh = false;
        let mut closed = Vec::new();
        let mut context = self.context(setting, lane, Some(&mut closed));
        if answer.yes {
            let range = self.lanes[lane].range(units.clone());
            Arc::make_mut(&mut self.union).insert(range.clone());
            self.removals.push(range);
            self.lanes[lane].remove(units);
        }
        self.lanes[lane].answer(answer, posterior, &mut context);
        if let Some(independence) = &mut self.independence {
            independence.forget(closed.iter().map(|run| run.positions.len()).sum());
            // Lanes that were given up by mistake return: their refusals stay.
            for run in closed.iter().filter(|_| self.lanes.len() == 1) {
                let again = run.needed.is_some_and(|needed| self.refused.remove(&needed));
                let turned: Vec<usize> = self.refused.range(run.positions.clone()).copied().collect();
                turned.iter().for_each(|position| _ = self.refused.remove(position));
                if !turned.is_empty() {
                    independence.asked_again(true);
                } else if again {
                    independence.asked_again(false);
                }
            }
        }
        self.close(lane, closed);
    }

    /// Cuts a lane in two. Returns whether it could be cut.
    fn cut(&mut self, setting: &Setting, lane: usize, at: usize, posterior: &mut Arc<Posterior>) -> bool {
        let id = self.new_id();
        let Some(other) = self.lanes[lane].split(at, id) else { return false };
        self.in_order = false;
        self.lanes.insert(lane + 1, other);
        self.begin(setting, lane + 1, posterior);
        true
    }

    /// The number of workers that ask for the front lane while it goes through the others.
    pub(crate) fn front_workers(&self) -> usize {
        if !self.front_goes_through {
            return 0;
        }
        let wanted = match &self.independence {
            None => (self.workers / FIRST_SHARE).max(LEAST_FIRST),
            Some(_) if self.pays_anyway() => 1,
            Some(independence) if independence.probability() < DOUBTED => return (self.workers - 1).max(1),
            Some(independence) => (self.workers as f64 * (1.0 - independence.probability())).round() as usize,
        };
        wanted.min((self.workers as f64 * MOST_FRONT) as usize).max(1)
    }

    /// Whether several lanes are expected to pay even if they depend on each other.
    fn pays_anyway(&self) -> bool {
        self.independence.as_ref().is_some_and(|independence| self.prospects(&independence.alone).pay_anyway())
    }

    /// Ends the front lane at the start of the next one.
    fn bound_front(&mut self) {
        self.front_goes_through = false;
        self.in_order = false;
        let next = self.new_id();
        while self.lanes.len() > 1 {
            let end = self.lanes[1].start();
            let undecided = self.lanes[0].undecided();
            if self.lanes[0].position(undecided.start) < end {
                let places = undecided.clone().find(|&index| self.lanes[0].position(index) >= end);
                _ = places.and_then(|at| self.lanes[0].split(at, next));
                return;
            }
            let passed = self.lanes.remove(1);
            self.closed.remove(&passed.id);
        }
    }

    /// Arranges the lanes for `workers` that ask at the same time.
    pub(crate) fn arrange(&mut self, setting: &Setting, workers: usize, posterior: &mut Arc<Posterior>) {
        if setting.lanes == Lanes::One {
            return;
        }
        self.workers = workers;
        if self.front_goes_through && self.independence_probability() >= TRUSTED {
            self.bound_front();
        }
        if setting.lanes == Lanes::ByEvidence && self.independence.is_none() && self.lanes.len() == 1 {
            self.front_goes_through = true;
        }
        if self.probe.is_none()
            && let Some(stale) = self.stale_refusal()
        {
            self.probe = Some(stale);
            self.front_since = 0;
        }
        if self.lanes.len() == 1
            && let Some(independence) = &mut self.independence
        {
            independence.start_again(posterior);
        }
        // The front lane is cut like the others, but continues as if it weren't.
        let uncut = self.front_goes_through.then(|| (self.lanes[0].clone(), self.in_order));
        if self.lanes.len() == 1 || !self.front_goes_through {
            self.cut_for(setting, workers - self.front_workers().saturating_sub(1), 0, posterior);
        } else {
            self.cut_for(setting, workers - self.front_workers(), 1, posterior);
        }
        if let Some((front, in_order)) = uncut {
            self.lanes[0] = front;
            self.in_order = in_order;
        }
        self.front_goes_through &= self.lanes.len() > 1;
    }

    /// Cuts the lanes from `first` on until `workers` of them have something to ask.
    fn cut_for(&mut self, setting: &Setting, workers: usize, first: usize, posterior: &mut Arc<Posterior>) {
        loop {
            let running = self.lanes[first..].iter().filter(|lane| !lane.is_finished()).count();
            let left: usize = self.lanes[first..].iter().map(|lane| lane.undecided().len()).sum();
            let trusted =
                self.independence.as_ref().is_some_and(|independence| independence.probability() >= TEACH_FROM);
            let least = if trusted || self.pays_anyway() { LEAST_UNITS } else { FIRST_UNITS };
            if running >= workers.min(left / least) || self.has_collapsed(setting) {
                return;
            }
            let widest = (first..self.lanes.len()).max_by_key(|&lane| self.lanes[lane].undecided().len());
            let Some(lane) = widest else { return };
            // Before the first question, the lanes are cut into equal parts; later, the units of the current question
            // stay in one lane.
            let parts = if self.fresh { workers.min(left / least) + 1 - running } else { 2 };
            let Some(at) = self.lanes[lane].part(parts, least, self.fresh) else { return };
            if !self.cut(setting, lane, at, posterior) {
                return;
            }
        }
    }

    /// Lets some lanes ask about a part of their usual question in the first round, so that the kind of the list is
    /// known sooner.
    pub(crate) fn send_scouts(&mut self) {
        if self.fresh && self.lanes.len() >= SCOUT_EVERY {
            self.lanes.iter_mut().skip(SCOUT_EVERY - 1).step_by(SCOUT_EVERY).for_each(Lane::scout);
        }
    }

    /// Whether to continue with one lane.
    pub(crate) fn should_collapse(&self, setting: &Setting) -> bool {
        let is_done = self.front_goes_through && self.lanes[0].is_finished();
        self.lanes.len() > 1 && (is_done || self.contradicted || self.has_collapsed(setting))
    }

    /// Whether lanes are so likely to depend on each other that there should be one only.
    fn has_collapsed(&self, setting: &Setting) -> bool {
        let Some(independence) = self.independence.as_ref().filter(|_| setting.lanes == Lanes::ByEvidence) else {
            return false;
        };
        let share = independence.probability();
        let saved = || self.prospects(&independence.all).saved();
        share < COLLAPSE_BELOW && !self.pays_anyway() && share * saved() < (1.0 - share) * LOST
    }

    /// The rounds that one lane and several lanes would take from here.
    fn prospects(&self, posterior: &Posterior) -> Prospects {
        Prospects::new(posterior, self.undecided_count(), self.doubtful(), self.workers)
    }

    /// Continues with one lane from the state in which `removed`, the union or a part of it, is removed. All other
    /// units are open again, unless the front lane went through the others: then it continues at its position.
    pub(crate) fn collapse(&mut self, setting: &Setting, removed: &Arc<Runs>, posterior: &mut Arc<Posterior>) {
        let front = self.lanes[0].id;
        let refuted = |run: &ClosedRun| run.needed.is_some_and(|needed| removed.run_at(needed).is_some());
        let goes_on = self.front_goes_through
            && self.union == *removed
            && !self.closed.get(&front).into_iter().flatten().any(refuted);
        self.front_goes_through = false;
        self.union = Arc::clone(removed);
        self.union_doubted = false;
        self.contradicted = false;
        self.refused.extend(self.closed.values().flatten().filter_map(|run| run.needed));
        self.closed.retain(|id, _| goes_on && *id == front);
        self.closed.values().flatten().filter_map(|run| run.needed).for_each(|needed| _ = self.refused.remove(&needed));
        self.in_order &= goes_on;
        self.probe = None;
        self.front_since = 0;
        if goes_on {
            if let Some(independence) = &self.independence {
                *posterior = Arc::clone(&independence.alone);
            }
            self.lanes.truncate(1);
            self.catch_up(setting, posterior);
            return;
        }
        // A unit that was refused before the removal of units that may use it is open again.
        self.unsettle();
        self.removals.clear();
        self.removals.extend(removed.iter());
        // A decided unit knew every removal before it. The removals after it are listed later.
        for certificate in &mut self.certificates {
            let before = self.removals.partition_point(|removal| removal.start < certificate.position);
            certificate.known_removals = u32::try_from(before).expect("fewer removals than units");
        }
        // Only removed units are between a lane's units, so decided ones among them are tested again.
        let unsettled = || removed.gaps(setting.len).filter(|&position| !self.settled.contains(position));
        let hull = unsettled().next().map_or(0..0, |first| first..unsettled().last().map_or(first, |last| last + 1));
        let mut settled = BitSet::with_capacity(setting.len);
        self.settled.ones().filter(|position| !hull.contains(position)).for_each(|position| {
            settled.insert(position);
        });
        self.settled = settled;
        self.certificates.retain(|certificate| !hull.contains(&certificate.position));
        let open: Vec<u32> = removed
            .gaps(setting.len)
            .filter(|position| hull.contains(position))
            .map(|position| u32::try_from(position).expect("a list has fewer than 2^32 units"))
            .collect();
        if let Some(independence) = &self.independence {
            // The findings of far lanes are not true of the units, so they are unlearnt.
            *posterior = Arc::clone(&independence.alone);
        }
        let id = self.new_id();
        let exposure = setting.exposure.listed(&open);
        self.lanes = vec![Lane::new(id, Positions::Listed(open.as_slice().into()), exposure, open.len())];
        self.begin(setting, 0, posterior);
    }

    /// Opens units again that were refused before the removal of units that may have used them.
    fn unsettle(&mut self) {
        let stale = self.stale();
        let mut settled = BitSet::with_capacity(self.settled.len());
        let mut numbers = stale.iter();
        self.certificates.retain(|_| !numbers.next().expect("one per certificate"));
        for certificate in &self.certificates {
            settled.insert(certificate.position);
        }
        self.settled = settled;
    }

    /// Which certificates are stale: older than the removal of units that may have used the certificate's unit. These are
    /// the units before it. Units of the same run do not count: the refused candidate did not contain them either.
    fn stale(&self) -> Vec<bool> {
        // The first unit of the removals from each one on, as far as they hold.
        let mut firsts = vec![usize::MAX; self.removals.len() + 1];
        for (number, removal) in self.removals.iter().enumerate().rev() {
            let holds = self.union.run_at(removal.start).is_some();
            firsts[number] = if holds { firsts[number + 1].min(removal.start) } else { firsts[number + 1] };
        }
        let stale = |certificate: &Certificate| {
            firsts[(certificate.known_removals as usize).min(self.removals.len())] < certificate.run.start
        };
        self.certificates.iter().map(stale).collect()
    }

    /// Whether refusals in far lanes may have been due to units that were removed later.
    pub(crate) fn is_doubtful(&self, setting: &Setting) -> bool {
        self.independence.is_some() && setting.lanes == Lanes::ByEvidence && self.stale().contains(&true)
    }

    /// The verification has removed a unit that the sweep had kept. Returns whether other units that were refused at the
    /// same time should be swept once more.
    pub(crate) fn reconsider(&mut self, unit: usize) -> bool {
        let stale = self.stale();
        let mut doubtful: Vec<usize> = Vec::new();
        for (certificate, _) in self.certificates.iter().zip(&stale).filter(|&(_, &stale)| stale) {
            doubtful.push(certificate.position);
        }
        self.removals.push(unit..unit + 1);
        if !doubtful.contains(&unit) {
            return false;
        }
        let (Some(&first), Some(&last)) = (doubtful.iter().min(), doubtful.iter().max()) else { return false };
        let among = self.settled.ones().filter(|position| (first..=last).contains(position)).count();
        if doubtful.len() < LEAST_DOUBTFUL || doubtful.len() * MOST_AMONG < among {
            return false;
        }
        if let Some(independence) = &mut self.independence {
            independence.refute();
        }
        true
    }

    /// The union was refused: its parts depend on each other.
    pub(crate) fn learn_dependence(&mut self) {
        if let Some(independence) = &mut self.independence {
            independence.asked_again(true);
        }
    }

    /// The positions that should be asked about again, to learn whether lanes depend on each other.
    pub(crate) fn probe(&self) -> Option<&Range<usize>> {
        self.probe.as_ref().filter(|_| self.independence_probability() < CERTAIN)
    }

    /// A refusal that the front lane got while it was a far lane, before the removals in the lanes that were in front of
    /// it.
    fn stale_refusal(&self) -> Option<Range<usize>> {
        if self.lanes.len() < 2 || self.independence_probability() >= CERTAIN {
            return None;
        }
        let front = &self.lanes[0];
        let mut closed = self.closed.get(&front.id).into_iter().flatten();
        let stale = closed.find(|run| run.needed.is_some() && run.certified < self.front_since);
        let unit = stale.and_then(|run| run.needed);
        unit.map(|needed| needed..needed + 1).or_else(|| front.refused(self.front_since))
    }

    /// Takes the outcome of the question that [`Sweep::probe`] returned.
    pub(crate) fn probed(&mut self, yes: bool) {
        self.probe = None;
        if let Some(independence) = &mut self.independence {
            independence.asked_again(yes);
        }
    }

    /// Hands over the runs that are settled, which means that this sweep does not reconsider them. Only called when the
    /// union is the committed state.
    pub(crate) fn settle(&mut self) -> Vec<ClosedRun> {
        let mut settled = Vec::new();
        let now = self.removals();
        // The findings of the front lane while it was a far one wait until they are known to hold.
        while self.probe().is_none() {
            settled.extend(self.closed.remove(&self.lanes[0].id).unwrap_or_default());
            if !self.lanes[0].is_finished() || self.lanes.len() == 1 || self.front_goes_through {
                break;
            }
            // The next lane is in front now. Its refusals are older than these removals.
            self.lanes.remove(0);
            self.front_since = now;
        }
        for run in &settled {
            if let Some(needed) = run.needed {
                self.settled.insert(needed);
                self.certificates.push(Certificate {
                    position: needed,
                    known_removals: run.certified,
                    run: run.positions.clone(),
                });
            }
        }
        settled
    }

    /// Lists the lanes without overlap: a front lane that goes through the others replaces all of them.
    fn counted(&self) -> &[Lane] {
        if self.front_goes_through { &self.lanes[..1] } else { &self.lanes }
    }

    /// The number of units that stay unless they are reconsidered.
    fn doubtful(&self) -> usize {
        let front = self.lanes[0].id;
        let closed = self.closed.iter().filter(|(id, _)| !self.front_goes_through || **id == front);
        closed.flat_map(|(_, runs)| runs).filter(|run| run.needed.is_some()).count()
    }

    /// The number of units that stay according to the current outcomes.
    pub(crate) fn kept(&self) -> usize {
        self.settled.count_ones(..) + self.doubtful()
    }

    /// Whether the union may still become this one.
    pub(crate) fn may_come_to(&self, union: &Runs) -> bool {
        let open: Vec<Range<usize>> = self.lanes.iter().map(|lane| lane.range(lane.undecided())).collect();
        let is_open = |mut gone: Range<usize>| {
            while let Some(lane) = open.iter().find(|lane| lane.contains(&gone.start)) {
                gone.start = lane.end.min(gone.end);
                if gone.is_empty() {
                    return true;
                }
            }
            false
        };
        union.is_superset(&self.union) && union.minus(&self.union).into_iter().all(is_open)
    }

    /// The positions of units that are not decided.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = usize> + '_ {
        self.counted().iter().flat_map(|lane| lane.undecided().map(|index| lane.position(index)))
    }

    /// Their number.
    pub(crate) fn undecided_count(&self) -> usize {
        self.counted().iter().map(|lane| lane.undecided().len()).sum()
    }

    /// Whether every unit is decided.
    pub(crate) fn is_finished(&self) -> bool {
        self.counted().iter().all(Lane::is_finished)
    }

    /// Whether every unit is decided at the end of this lane.
    pub(crate) fn ends_with(&self, lane: usize) -> bool {
        self.lanes.len() == 1 || self.front_goes_through && lane == 0
    }

    /// Whether the order of positions is the order in which they were decided.
    pub(crate) fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// The index of each kept unit's last refusal among the removals.
    pub(crate) fn certificates(&self) -> (&[Certificate], &[Range<usize>]) {
        (&self.certificates, &self.removals)
    }
}
