//! The sweep: one lane for a single worker, several for more; what their answers add up to, and when
//! lanes are worth having.
//!
//! ```text
//! positions   0 ........ 124 | 125 ....... 249 | 250 ....... 374 | 375 ....... 499
//! lanes       front ──►        far ──►           far ──►           far ──►
//! ```
//!
//! Until it is known whether lanes depend on each other, the front lane goes on *through* the others:
//! some workers ask for it as if there were no cut, which is what one lane from the start would do. Once
//! the others are trusted it ends where the next begins; if they are given up, it goes on alone.
//!
//! Each lane asks about its own units, on the ground of the *union*: everything that some lane found
//! removable. Answers of one round do not know of each other, so the union itself may be a candidate
//! that nobody has judged. It becomes the committed state as soon as a candidate that contains it is
//! found interesting, which the next questions are likely to do on the way; only when they all are
//! refused is it asked about by itself. If it is refused, the units depend on each other: everything
//! the far lanes found is forgotten, and one lane goes on from the committed state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::bit_set::BitSet;
use crate::config::{Direction, Lanes, Objective};
use crate::model::posterior::Posterior;
use crate::parallel::independence::Trust;
use crate::parallel::lane::{Answer, Around, Closed, Lane, LaneId, Places};
use crate::parallel::prospects::Prospects;
use crate::runs::Runs;
use crate::search::ends::Ends;
use crate::search::questions::{Purpose, Record};
use crate::search::setting::Setting;
use crate::search::verification::Certificate;
use crate::verdict::Verdict;

/// While nothing is known yet a lane has at least so many units.
const FIRST_UNITS: usize = 8;
/// Later on, when lanes are known to be independent, a cut leaves at least so many on either side: 5.3
/// rounds instead of 6.0 at 64 workers, see `oracles`.
const LEAST_UNITS: usize = 2;
/// Lanes that put off telling the last units apart, at most.
const MOST_DEFERRED: usize = 128;
/// Below this probability of independence far lanes are given up. With 1/3 instead, 6 of 200 independent
/// lists at .9/.95 took 5 to 12 of 14 rounds more with 16 workers, with 0.1 one did.
const COLLAPSE_BELOW: f64 = 0.1;
/// So many rounds are lost where lanes that depend on each other are kept: far lanes are given up where
/// that costs less, if they do not.
const LOST: f64 = 2.0;
/// In the first round one worker in so many asks for the front lane, and at least so many: with 6 instead
/// of 3 of 16 independent lists at .9/.95 take 14.8 rounds instead of 14.6, with 16 instead of 8 of 64 5.6
/// instead of 5.4.
const FIRST_SHARE: usize = 8;
const LEAST_FIRST: usize = 3;
/// Of all workers, the most that ask for the front lane first while there are others: who hears nothing
/// of far lanes does not learn whether they depend on each other. With all but one independent lists at
/// .9/.95 take half a round more with 16 workers, for some that take 40.
const MOST_FRONT: f64 = 0.7;
/// Below this probability of independence all but one ask for the front lane.
const DOUBTED: f64 = 0.3;
/// From this probability of independence on the front lane ends where the next begins.
const TRUSTED: f64 = 0.9;
/// The least probability that an answer in a far lane is of use, where several lanes pay in any case.
const LEAST_WEIGHT: f64 = 0.2;
/// From this probability on what far lanes find teaches the model.
const TEACH_FROM: f64 = 0.7;
/// From this probability on refusals of far lanes are taken as they are.
const CERTAIN: f64 = 0.9;
/// At least so many units are swept once more, and at most so many times as many among them.
const LEAST_DOUBTFUL: usize = 3;
const MOST_AMONG: usize = 4;
/// In the first round one lane in so many asks about a part only.
const SCOUT_EVERY: usize = 4;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    /// In the order of their positions.
    pub(crate) lanes: Vec<Lane>,
    /// Whether the front lane goes on through all others, as if there were none.
    pub(crate) through: bool,
    /// Whether a far lane was told no of what one lane was told yes.
    contradicted: bool,
    /// How many asked when the lanes were arranged last.
    workers: usize,
    next_lane: u32,
    /// Everything that some lane found removable.
    pub(crate) union: Arc<Runs>,
    /// Whether a candidate that contains the union was refused since it last changed.
    pub(crate) doubt: bool,
    /// Since there were several lanes.
    trust: Option<Trust>,
    /// A refusal of what is now the front lane that should be asked again, as positions.
    probe: Option<Range<usize>>,
    /// How many removals there were when what is now the front lane became it.
    front_since: u32,
    ends: Ends,
    /// What far lanes were refused before they were given up: positions that are asked about again.
    refused: BTreeSet<usize>,
    /// Runs that are decided, but may be reconsidered.
    closed: BTreeMap<LaneId, Vec<Closed>>,
    /// Units that stay for good, as far as the sweep is concerned.
    settled: BitSet,
    /// Removals in the order in which they were found.
    removals: Vec<Range<usize>>,
    certificates: Vec<Certificate>,
    /// Whether one lane decides all units, from the first to the last.
    in_order: bool,
    /// Whether no answer has come yet.
    fresh: bool,
}

impl Sweep {
    /// One lane over everything.
    pub(crate) fn new(setting: &Setting, posterior: &mut Arc<Posterior>) -> Self {
        let mut sweep = Self {
            lanes: Vec::new(),
            through: false,
            contradicted: false,
            workers: 1,
            next_lane: 0,
            union: Arc::default(),
            doubt: false,
            trust: None,
            probe: None,
            front_since: 0,
            ends: Ends::default(),
            refused: BTreeSet::new(),
            closed: BTreeMap::new(),
            settled: BitSet::new(setting.len),
            removals: Vec::new(),
            certificates: Vec::new(),
            in_order: setting.direction == Direction::Forward,
            fresh: true,
        };
        let id = sweep.new_id();
        sweep.lanes.push(Lane::new(id, Places::From(0), setting.exposure.clone(), setting.len));
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
        let mut around = self.around(setting, lane, Some(&mut closed));
        self.lanes[lane].begin(posterior, &mut around);
        self.close(lane, closed);
    }

    /// What a lane has to know.
    pub(crate) fn around<'a>(&self, setting: &Setting, lane: usize, closed: Option<&'a mut Vec<Closed>>) -> Around<'a> {
        Around {
            mirrored: setting.direction == Direction::Evidence && self.ends.mirrored(),
            objective: setting.objective,
            empty_rule: setting.empty_known_uninteresting && self.lanes.len() == 1 && self.settled.is_empty(),
            teaches: self.is_final(setting, lane) || self.independence() >= TEACH_FROM,
            closed,
        }
    }

    /// Whether what a lane decides is never reconsidered.
    fn is_final(&self, setting: &Setting, lane: usize) -> bool {
        lane == 0 || setting.objective == Objective::Time
    }

    fn close(&mut self, lane: usize, closed: Vec<Closed>) {
        if !closed.is_empty() {
            self.closed.entry(self.lanes[lane].id).or_default().extend(closed);
        }
    }

    /// How probable it is that lanes do not depend on each other.
    fn independence(&self) -> f64 {
        self.trust.as_ref().map_or_else(Trust::prior, Trust::share)
    }

    /// Lets the lanes choose their next questions by what all of them found.
    pub(crate) fn look_around(&mut self) {
        let through = self.through;
        if self.lanes.len() > 1
            && let Some(trust) = &self.trust
        {
            for (at, lane) in self.lanes.iter_mut().enumerate() {
                if at == 0 && through {
                    lane.look_around(&trust.alone);
                } else if trust.share() >= TEACH_FROM {
                    lane.look_around(&trust.all);
                }
            }
        }
    }

    /// What speculation in a lane starts from.
    pub(crate) fn outlook<'a>(&'a self, lane: usize, posterior: &'a Arc<Posterior>) -> &'a Arc<Posterior> {
        match &self.trust {
            Some(trust) if self.through && lane == 0 => &trust.alone,
            Some(trust) if self.lanes.len() > 1 && trust.share() >= TEACH_FROM => &trust.all,
            _ => posterior,
        }
    }

    /// How probable it is that an answer in a far lane will be of use.
    pub(crate) fn far_weight(&self) -> f64 {
        let least = if self.pays_anyway() { LEAST_WEIGHT } else { 0.0 };
        self.independence().clamp(least, 0.999)
    }

    /// How many removals there have been.
    pub(crate) fn removals(&self) -> u32 {
        u32::try_from(self.removals.len()).expect("fewer removals than units")
    }

    /// Takes in what an answer to the front question of a lane says about the others.
    pub(crate) fn count(&mut self, setting: &Setting, lane: usize, yes: bool, posterior: &Arc<Posterior>) {
        if self.lanes.len() > 1 && setting.objective == Objective::Tests {
            let trust = self.trust.get_or_insert_with(|| Trust::new(posterior));
            trust.count(&self.lanes[lane], lane == 0, yes);
        }
    }

    /// Takes in that a far lane was told no of what is gone now: lanes depend on each other.
    fn contradict(&mut self) {
        self.contradicted = true;
        self.distrust();
    }

    /// Learns from an answer to a question of a far lane whose units went meanwhile without its doing.
    pub(crate) fn compare(&mut self, record: &Record) {
        let Purpose::Lane(id, _) = &*record.purpose else { return };
        let is_far = self.lanes.iter().skip(1).any(|lane| lane.id == *id);
        if is_far
            && record.answer != Some(Verdict::Timeout)
            && self.union.is_superset(&record.remove)
            && let Some(trust) = &mut self.trust
        {
            trust.asked_again(record.answer != Some(Verdict::Interesting));
        }
    }

    /// Lets the lanes know of what is gone without their doing.
    pub(crate) fn catch_up(&mut self, setting: &Setting, posterior: &mut Arc<Posterior>) {
        for lane in 0..self.lanes.len() {
            let refused = self.lanes[lane].refused(u32::MAX);
            if self.through
                && lane > 0
                && refused.is_some_and(|units| self.union.run_at(units.start) >= Some(units.end))
            {
                self.contradict();
            }
            while self.lanes[lane].adopt_gone(&self.union) {
                let answer = Answer { yes: true, timed_out: false, knew: self.removals() };
                self.answer(setting, lane, answer, posterior);
            }
        }
        let front = &self.lanes[0];
        let is_gone = |run: &Closed| run.needed.is_some_and(|needed| self.union.run_at(needed).is_some());
        let mut far = self.closed.iter().filter(|(id, _)| **id != front.id).flat_map(|(_, closed)| closed);
        if self.through && far.any(is_gone) {
            self.contradict();
        }
    }

    /// Takes the answer to the front question of a lane.
    pub(crate) fn answer(&mut self, setting: &Setting, lane: usize, answer: Answer, posterior: &mut Arc<Posterior>) {
        let Some((units, _)) = self.lanes[lane].ask() else { return };
        self.fresh = false;
        self.ends.count(self.lanes[lane].is_mirrored(), if answer.yes { units.len() } else { 0 });
        let mut closed = Vec::new();
        let mut around = self.around(setting, lane, Some(&mut closed));
        if answer.yes {
            let range = self.lanes[lane].range(units.clone());
            Arc::make_mut(&mut self.union).insert(range.clone());
            self.removals.push(range);
            self.lanes[lane].remove(units);
        }
        self.lanes[lane].answer(answer, posterior, &mut around);
        if let Some(trust) = &mut self.trust {
            trust.forget(closed.iter().map(|run| run.positions.len()).sum());
            // Lanes that were given up by mistake come back: what they were refused stays refused.
            for run in closed.iter().filter(|_| self.lanes.len() == 1) {
                let again = run.needed.is_some_and(|needed| self.refused.remove(&needed));
                let turned: Vec<usize> = self.refused.range(run.positions.clone()).copied().collect();
                turned.iter().for_each(|position| _ = self.refused.remove(position));
                if !turned.is_empty() {
                    trust.asked_again(true);
                } else if again {
                    trust.asked_again(false);
                }
            }
        }
        self.close(lane, closed);
        if setting.objective == Objective::Time && !answer.yes && self.lanes.len() < MOST_DEFERRED {
            self.defer(setting, lane, posterior);
        }
    }

    /// A needed unit is among those that were asked about, wherever: what lies behind them is a lane
    /// of its own now, and may be cleared first.
    fn defer(&mut self, setting: &Setting, lane: usize, posterior: &mut Arc<Posterior>) {
        let Some(at) = self.lanes[lane].beyond() else { return };
        self.cut(setting, lane, at, posterior);
    }

    /// Makes two lanes of one.
    fn cut(&mut self, setting: &Setting, lane: usize, at: usize, posterior: &mut Arc<Posterior>) -> bool {
        let id = self.new_id();
        let Some(other) = self.lanes[lane].split(at, id) else { return false };
        self.in_order = false;
        let before = other.first() < self.lanes[lane].first();
        let place = if before { lane } else { lane + 1 };
        self.lanes.insert(place, other);
        self.begin(setting, place, posterior);
        true
    }

    /// How many of the workers ask for the front lane first.
    pub(crate) fn front_workers(&self) -> usize {
        if !self.through {
            return 0;
        }
        let wanted = match &self.trust {
            None => (self.workers / FIRST_SHARE).max(LEAST_FIRST),
            Some(_) if self.pays_anyway() => 1,
            Some(trust) if trust.share() < DOUBTED => return (self.workers - 1).max(1),
            Some(trust) => (self.workers as f64 * (1.0 - trust.share())).round() as usize,
        };
        wanted.min((self.workers as f64 * MOST_FRONT) as usize).max(1)
    }

    /// Whether several lanes are expected to pay even if they depend on each other.
    fn pays_anyway(&self) -> bool {
        self.trust.as_ref().is_some_and(|trust| self.prospects(&trust.alone).pay_anyway())
    }

    /// Lets the front lane end where the next one begins.
    fn bound_front(&mut self) {
        self.through = false;
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
        if setting.objective == Objective::Time || setting.lanes == Lanes::One {
            return;
        }
        self.workers = workers;
        if self.through && self.independence() >= TRUSTED {
            self.bound_front();
        }
        let may_go_through = setting.lanes == Lanes::ByTrust && setting.direction == Direction::Forward;
        if may_go_through && self.trust.is_none() && self.lanes.len() == 1 {
            self.through = true;
        }
        if self.probe.is_none()
            && let Some(stale) = self.stale_refusal()
        {
            self.probe = Some(stale);
            self.front_since = 0;
        }
        if self.lanes.len() == 1
            && let Some(trust) = &mut self.trust
        {
            trust.start_again(posterior);
        }
        // The front lane is cut like the others, but goes on as if it had not been.
        let uncut = self.through.then(|| (self.lanes[0].clone(), self.in_order));
        if self.lanes.len() == 1 || !self.through {
            self.cut_for(setting, workers - self.front_workers().saturating_sub(1), 0, posterior);
        } else {
            self.cut_for(setting, workers - self.front_workers(), 1, posterior);
        }
        if let Some((front, in_order)) = uncut {
            self.lanes[0] = front;
            self.in_order = in_order;
        }
        self.through &= self.lanes.len() > 1;
    }

    /// Cuts the lanes from `first` on until so many are under way.
    fn cut_for(&mut self, setting: &Setting, workers: usize, first: usize, posterior: &mut Arc<Posterior>) {
        loop {
            let running = self.lanes[first..].iter().filter(|lane| !lane.is_finished()).count();
            let left: usize = self.lanes[first..].iter().map(|lane| lane.undecided().len()).sum();
            let trusted = self.trust.as_ref().is_some_and(|trust| trust.share() >= TEACH_FROM);
            let least = if trusted || self.pays_anyway() { LEAST_UNITS } else { FIRST_UNITS };
            if running >= workers.min(left / least) || self.has_collapsed(setting) {
                return;
            }
            let widest = (first..self.lanes.len()).max_by_key(|&lane| self.lanes[lane].undecided().len());
            let Some(lane) = widest else { return };
            // While nothing was asked yet the lanes are cut to equal parts; later on, what is asked
            // about stays in one lane.
            let parts = if self.fresh { workers.min(left / least) + 1 - running } else { 2 };
            let Some(at) = self.lanes[lane].part(parts, least, self.fresh) else { return };
            if !self.cut(setting, lane, at, posterior) {
                return;
            }
        }
    }

    /// In the first round some lanes ask about a part of what they would ask, to find out sooner what
    /// kind of list it is.
    pub(crate) fn send_scouts(&mut self) {
        if self.fresh && self.lanes.len() >= SCOUT_EVERY {
            self.lanes.iter_mut().skip(SCOUT_EVERY - 1).step_by(SCOUT_EVERY).for_each(Lane::scout);
        }
    }

    /// Whether far lanes disappoint so much that one lane should go on alone.
    pub(crate) fn should_collapse(&self, setting: &Setting) -> bool {
        let is_done = self.through && self.lanes[0].is_finished();
        let may = setting.objective == Objective::Tests && self.lanes.len() > 1;
        may && (is_done || self.contradicted || self.has_collapsed(setting))
    }

    /// Whether far lanes have disappointed so much that there should be none.
    fn has_collapsed(&self, setting: &Setting) -> bool {
        let Some(trust) = self.trust.as_ref().filter(|_| setting.lanes == Lanes::ByTrust) else { return false };
        let share = trust.share();
        let saved = || self.prospects(&trust.all).saved();
        share < COLLAPSE_BELOW && !self.pays_anyway() && share * saved() < (1.0 - share) * LOST
    }

    /// What one lane and several would take from here.
    fn prospects(&self, posterior: &Posterior) -> Prospects {
        Prospects::new(posterior, self.undecided_count(), self.doubtful(), self.workers)
    }

    /// Goes on with one lane on the ground of `removed`, the union or less; what is not settled is open
    /// again, unless what one lane would do is known.
    pub(crate) fn collapse(&mut self, setting: &Setting, removed: &Arc<Runs>, posterior: &mut Arc<Posterior>) {
        let front = self.lanes[0].id;
        let refuted = |run: &Closed| run.needed.is_some_and(|needed| removed.run_at(needed).is_some());
        let goes_on =
            self.through && self.union == *removed && !self.closed.get(&front).into_iter().flatten().any(refuted);
        self.through = false;
        self.union = Arc::clone(removed);
        self.doubt = false;
        self.contradicted = false;
        self.refused.extend(self.closed.values().flatten().filter_map(|run| run.needed));
        self.closed.retain(|id, _| goes_on && *id == front);
        self.closed.values().flatten().filter_map(|run| run.needed).for_each(|needed| _ = self.refused.remove(&needed));
        self.in_order &= goes_on;
        self.probe = None;
        self.front_since = 0;
        if goes_on {
            if let Some(trust) = &self.trust {
                *posterior = Arc::clone(&trust.alone);
            }
            self.lanes.truncate(1);
            self.catch_up(setting, posterior);
            return;
        }
        // What was refused before something that may use it went is open again.
        self.unsettle(setting);
        self.removals.clear();
        self.removals.extend(removed.iter());
        // What is settled knew of every removal before it. What there is behind it is listed later.
        for certificate in &mut self.certificates {
            let before = match setting.direction {
                Direction::Forward => self.removals.partition_point(|removal| removal.start < certificate.position),
                Direction::Evidence => 0,
            };
            certificate.knew = u32::try_from(before).expect("fewer removals than units");
        }
        // A lane's units have nothing but removed ones between them, so what is settled among them is
        // asked about again.
        let unsettled = || removed.gaps(setting.len).filter(|&position| !self.settled.contains(position));
        let hull = unsettled().next().map_or(0..0, |first| first..unsettled().last().map_or(first, |last| last + 1));
        let mut settled = BitSet::new(setting.len);
        self.settled.iter().filter(|position| !hull.contains(position)).for_each(|position| {
            settled.insert(position);
        });
        self.settled = settled;
        self.certificates.retain(|certificate| !hull.contains(&certificate.position));
        let open: Vec<u32> = removed
            .gaps(setting.len)
            .filter(|position| hull.contains(position))
            .map(|position| u32::try_from(position).expect("a list has fewer than 2^32 units"))
            .collect();
        if let Some(trust) = &self.trust {
            // What far lanes found is not true of the units, so it is unlearnt.
            *posterior = Arc::clone(&trust.alone);
        }
        let id = self.new_id();
        let exposure = setting.exposure.listed(&open);
        self.lanes = vec![Lane::new(id, Places::Listed(open.as_slice().into()), exposure, open.len())];
        self.begin(setting, 0, posterior);
    }

    /// Opens again what was refused before units went that may use it.
    fn unsettle(&mut self, setting: &Setting) {
        let stale = self.stale(setting);
        let mut settled = BitSet::new(setting.len);
        let mut numbers = stale.iter();
        self.certificates.retain(|_| !numbers.next().expect("one per certificate"));
        for certificate in &self.certificates {
            settled.insert(certificate.position);
        }
        self.settled = settled;
    }

    /// Which certificates are older than the removal of units that may use theirs: of those before it,
    /// or of any where nobody knows the order. What went of a unit's own run was in the candidate that
    /// was refused.
    fn stale(&self, setting: &Setting) -> Vec<bool> {
        // From the first to the last unit of the removals from each one on, as far as they hold.
        const NOTHING: (usize, usize) = (usize::MAX, 0);
        let mut hulls = vec![NOTHING; self.removals.len() + 1];
        for (number, removal) in self.removals.iter().enumerate().rev() {
            let later = hulls[number + 1];
            let holds = self.union.run_at(removal.start).is_some();
            hulls[number] = if holds { (later.0.min(removal.start), later.1.max(removal.end)) } else { later };
        }
        let anywhere = setting.direction == Direction::Evidence;
        let stale = |certificate: &Certificate| {
            let later = hulls[(certificate.knew as usize).min(hulls.len() - 1)];
            later.0 < certificate.own.start || anywhere && later.1 > certificate.own.end
        };
        self.certificates.iter().map(stale).collect()
    }

    /// Whether there were lanes that may have been told no because of units that went since.
    pub(crate) fn is_doubtful(&self, setting: &Setting) -> bool {
        self.trust.is_some() && setting.lanes == Lanes::ByTrust && self.stale(setting).contains(&true)
    }

    /// Takes in that a unit that was refused before goes now. Returns whether others that were refused
    /// like it should be swept once more.
    pub(crate) fn reconsider(&mut self, setting: &Setting, unit: usize) -> bool {
        let stale = self.stale(setting);
        let mut doubtful: Vec<usize> = Vec::new();
        for (certificate, _) in self.certificates.iter().zip(&stale).filter(|&(_, &stale)| stale) {
            doubtful.push(certificate.position);
        }
        self.removals.push(unit..unit + 1);
        if !doubtful.contains(&unit) {
            return false;
        }
        let (Some(&first), Some(&last)) = (doubtful.iter().min(), doubtful.iter().max()) else { return false };
        let among = self.settled.iter().filter(|position| (first..=last).contains(position)).count();
        if doubtful.len() < LEAST_DOUBTFUL || doubtful.len() * MOST_AMONG < among {
            return false;
        }
        if let Some(trust) = &mut self.trust {
            trust.refute();
        }
        true
    }

    /// The union was refused: its parts depend on each other.
    pub(crate) fn distrust(&mut self) {
        if let Some(trust) = &mut self.trust {
            trust.asked_again(true);
        }
    }

    /// What should be asked again, to learn whether lanes depend on each other.
    pub(crate) fn probe(&self) -> Option<&Range<usize>> {
        self.probe.as_ref().filter(|_| self.independence() < CERTAIN)
    }

    /// What the front lane was refused while it was a far one, i.e. before all that was removed of the
    /// lanes in front of it.
    fn stale_refusal(&self) -> Option<Range<usize>> {
        if self.lanes.len() < 2 || self.independence() >= CERTAIN {
            return None;
        }
        let front = &self.lanes[0];
        let mut closed = self.closed.get(&front.id).into_iter().flatten();
        let stale = closed.find(|run| run.needed.is_some() && run.certified < self.front_since);
        let unit = stale.and_then(|run| run.needed);
        unit.map(|needed| needed..needed + 1).or_else(|| front.refused(self.front_since))
    }

    /// Takes the answer to that.
    pub(crate) fn probed(&mut self, yes: bool) {
        self.probe = None;
        if let Some(trust) = &mut self.trust {
            trust.asked_again(yes);
        }
    }

    /// Hands over the runs that are settled: nothing will reconsider them. Only called when the
    /// union is the committed state.
    pub(crate) fn settle(&mut self, setting: &Setting) -> Vec<Closed> {
        let mut settled = Vec::new();
        let now = self.removals();
        let mut at = 0;
        // What the front lane found while it was a far one waits until it is known to hold.
        while self.probe().is_none() && at < self.lanes.len() && self.is_final(setting, at) {
            settled.extend(self.closed.remove(&self.lanes[at].id).unwrap_or_default());
            if self.lanes[at].is_finished() && self.lanes.len() > 1 && !self.through {
                // The next lane is the front one now. It was told no before all this was removed.
                self.lanes.remove(at);
                self.front_since = now;
            } else {
                at += 1;
            }
        }
        for run in &settled {
            if let Some(needed) = run.needed {
                self.settled.insert(needed);
                let own = run.positions.clone();
                self.certificates.push(Certificate { position: needed, knew: run.certified, own });
            }
        }
        settled
    }

    /// The lanes of which each unit belongs to one.
    fn counted(&self) -> &[Lane] {
        if self.through { &self.lanes[..1] } else { &self.lanes }
    }

    /// Units that stay, unless they are reconsidered.
    fn doubtful(&self) -> usize {
        let front = self.lanes[0].id;
        let closed = self.closed.iter().filter(|(id, _)| !self.through || **id == front);
        closed.flat_map(|(_, runs)| runs).filter(|run| run.needed.is_some()).count()
    }

    /// Units that stay, reconsidered or not.
    pub(crate) fn kept(&self) -> usize {
        self.settled.count() + self.doubtful()
    }

    /// Whether what the lanes find may still add up to this.
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

    /// Units that are not decided, as positions.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = usize> + '_ {
        self.counted().iter().flat_map(|lane| lane.undecided().map(|index| lane.position(index)))
    }

    /// How many they are.
    pub(crate) fn undecided_count(&self) -> usize {
        self.counted().iter().map(|lane| lane.undecided().len()).sum()
    }

    /// Whether every unit is decided.
    pub(crate) fn is_finished(&self) -> bool {
        self.counted().iter().all(Lane::is_finished)
    }

    /// Whether every unit is decided when this lane has come to its end.
    pub(crate) fn ends_with(&self, lane: usize) -> bool {
        self.lanes.len() == 1 || self.through && lane == 0
    }

    /// Whether the order of positions is the order in which they were decided.
    pub(crate) fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Where every kept unit's last refusal stands among the removals.
    pub(crate) fn certificates(&self) -> (&[Certificate], &[Range<usize>]) {
        (&self.certificates, &self.removals)
    }
}
