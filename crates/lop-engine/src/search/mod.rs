//! The search over one sequence: hands out questions, takes outcomes in any order, and commits their union.

pub(crate) mod findings;
pub(crate) mod questions;
pub(crate) mod setting;
pub(crate) mod sweep;
pub(crate) mod verification;

use std::ops::Range;
use std::sync::Arc;

use crate::BitSet;
use crate::config::Config;
use crate::model::chances::Chances;
use crate::model::estimate::{self, Estimate};
use crate::model::evidence::ListEvidence;
use crate::model::posterior::Posterior;
use crate::model::view::EvidenceView;
use crate::parallel::endings;
use crate::parallel::lane::{Answer, Lane};
use crate::parallel::speculation::{Futures, SearchState, lane_purpose};
use crate::question::{Progress, Question, QuestionId};
use crate::runs::Runs;
use crate::search::findings::Findings;
use crate::search::questions::{Purpose, Questions};
use crate::search::setting::Setting;
use crate::search::sweep::Sweep;
use crate::search::verification::Verification;
use crate::verdict::Verdict;

/// Futures looked at per question asked for, at most: many may lead to one candidate.
const FUTURES_PER_QUESTION: usize = 16;

/// Takes the best of the futures, and asks its question if it was not asked yet. Returns whether there was a future.
fn ask_ahead(
    futures: &mut Futures,
    state: &SearchState<'_>,
    book: &mut Questions,
    known_removals: u32,
    questions: &mut Vec<Question>,
) -> bool {
    let Some((mut node, reach)) = futures.pop(state) else { return false };
    let Some(ask) = node.ask(state) else { return true };
    let id = book.id_of(ask.purpose, ask.remove, known_removals);
    let record = &book.records[&id];
    if record.answer.is_none() && questions.iter().all(|question| question.id != id) {
        let remove = record.remove.iter().collect();
        questions.push(Question { id, remove, p_yes: ask.p_yes, reach });
    }
    futures.follow(node, reach, ask.p_yes, record.answer);
    true
}

#[derive(Clone, Debug)]
enum Phase {
    Sweep(Box<Sweep>),
    Verify(Box<Verification>),
    Finished,
}

/// The search over one sequence of units.
///
/// Positions are `0..len` in sweep order; the caller maps them to units. With one question at a time the same answers
/// lead to the same questions. If the test is monotone, the result is the set of needed units, for any number of questions
/// at the same time and any order of the answers. For any other test every committed state was judged interesting, and
/// with `theta` = 0 the last one is 1-minimal.
#[derive(Clone, Debug)]
pub struct Search {
    setting: Setting,
    phase: Phase,
    posterior: Arc<Posterior>,
    chances: Chances,
    removed: BitSet,
    runs: Arc<Runs>,
    findings: Findings,
    questions: Questions,
    /// The sweep before the verification, if it may have to be resumed.
    swept: Option<Box<Sweep>>,
}

impl Search {
    /// Makes a sweep over `len` undecided units with the evidence of `view`, followed by a verification if
    /// `config.theta` asks for it.
    pub fn new(len: usize, config: &Config, view: &EvidenceView) -> Self {
        Self::sweep(Setting::new(len, config, None), config, view)
    }

    /// Makes a search over units with these sizes, in sweep order. It learns whether larger units are needed more
    /// often. Equal sizes make no difference.
    pub fn with_sizes(sizes: &[u32], config: &Config, view: &EvidenceView) -> Self {
        Self::sweep(Setting::new(sizes.len(), config, Some(sizes)), config, view)
    }

    fn sweep(setting: Setting, config: &Config, view: &EvidenceView) -> Self {
        let not_all = setting.empty_known_uninteresting.then_some(setting.len);
        let mut search = Self::idle(setting, config, view, not_all);
        search.phase = Phase::Sweep(Box::new(Sweep::new(&search.setting, &mut search.posterior)));
        search.advance();
        search
    }

    /// Only the verification of `len` units that have no certificate, one unit per question: with
    /// `theta` = 0 the result is 1-minimal.
    pub fn for_verification(len: usize, config: &Config, view: &EvidenceView) -> Self {
        let mut search = Self::idle(Setting::new(len, config, None), config, view, None);
        if let Some(theta) = config.theta {
            let empty = config.empty_known_uninteresting;
            search.phase = Phase::Verify(Box::new(Verification::uncertified(len, view.chances.clone(), theta, empty)));
        }
        search.advance();
        search
    }

    /// A search without questions. `not_all` units aren't removable all together.
    fn idle(setting: Setting, config: &Config, view: &EvidenceView, not_all: Option<usize>) -> Self {
        let evidence = ListEvidence::new(view.grid.clone(), true);
        Self {
            phase: Phase::Finished,
            posterior: Arc::new(Posterior::start(config, view, not_all)),
            chances: view.chances.clone(),
            removed: BitSet::with_capacity(setting.len),
            runs: Arc::default(),
            findings: Findings::new(evidence),
            questions: Questions::default(),
            swept: None,
            setting,
        }
    }

    /// Returns at most `k` unanswered questions with the most valuable outcomes: first the single worker's question,
    /// then those of other parts of the sequence, and those that would probably come later. None means that the search
    /// is finished. Questions that were handed out before and are still useful come again, with the same id.
    pub fn next_tests(&mut self, k: usize) -> Vec<Question> {
        let mut questions: Vec<Question> = Vec::with_capacity(k);
        self.arrange(k);
        questions.extend(self.union_question(k));
        let asked = questions.len();
        // Asking in the lanes themselves keeps their choices for `observe`.
        let Self { setting, phase, posterior, chances, runs, questions: book, .. } = self;
        let (sweep, mut futures);
        match phase {
            Phase::Sweep(lanes) => {
                lanes.choose_by_all_lanes();
                for lane in &mut lanes.lanes {
                    lane.ask();
                }
                sweep = Some(&**lanes);
                futures = Futures::default();
            }
            Phase::Verify(verification) => {
                sweep = None;
                futures = Futures::of_verification(verification);
            }
            Phase::Finished => return questions,
        }
        let state = SearchState { setting, sweep, committed: runs, chances };
        let mut endings = Vec::new();
        let known_removals = sweep.map_or(0, Sweep::removals);
        if let Some(sweep) = sweep {
            futures = Futures::of_sweep(sweep, posterior);
            if k > 1 && !sweep.front_goes_through && (sweep.lanes.len() > 1 || sweep.union != *runs) {
                endings = endings::of_sweep(sweep, &state, posterior, k);
            }
            if let Some(probe) = sweep.probe() {
                let mut remove = Runs::clone(&sweep.union);
                remove.insert(probe.clone());
                let id = book.id_of(Purpose::Probe(remove.clone()), remove, known_removals);
                let record = &book.records[&id];
                // An answer that another text got waits until it can be asked for again.
                if record.answer.is_none() {
                    let remove = record.remove.iter().collect();
                    questions.push(Question { id, remove, p_yes: 0.5, reach: 1.0 });
                }
            }
        }
        if let Some(sweep) = sweep.filter(|sweep| sweep.front_goes_through) {
            let mut ahead = Futures::of_front(sweep, posterior);
            let most = (questions.len() + sweep.front_workers()).min(k);
            for _ in 0..k.saturating_mul(FUTURES_PER_QUESTION) {
                if questions.len() >= most || !ask_ahead(&mut ahead, &state, book, known_removals, &mut questions) {
                    break;
                }
            }
        }
        let mut endings = endings.into_iter().filter(|(union, _)| union != runs).peekable();
        for _ in 0..k.saturating_mul(FUTURES_PER_QUESTION) {
            if questions.len() >= k {
                break;
            }
            // Lanes that end together in this round are judged together in it as well.
            if let Some((union, reach)) = endings.next_if(|&(_, reach)| futures.reach().is_none_or(|next| reach > next))
            {
                let id = book.id_of(Purpose::Union(Arc::clone(&union)), Runs::clone(&union), known_removals);
                let remove: Vec<Range<usize>> = union.iter().collect();
                let is_new = questions.iter().all(|question| question.remove != remove);
                if is_new && book.records[&id].answer.is_none() {
                    questions.push(Question { id, remove, p_yes: 1.0, reach });
                }
                continue;
            }
            if !ask_ahead(&mut futures, &state, book, known_removals, &mut questions) {
                break;
            }
        }
        // A worker that has nothing better to do judges the union in passing.
        if questions.len() < k && asked == 0 {
            let union = self.union_question(1);
            questions.extend(union.filter(|union| questions.iter().all(|question| question.id != union.id)));
        }
        questions
    }

    /// Whether some lanes' removals weren't judged together yet. Before a pause, the next question of `next_tests(1)`
    /// has to be answered.
    pub fn has_unjudged_union(&self) -> bool {
        matches!(&self.phase, Phase::Sweep(sweep) if sweep.union != self.runs)
    }

    /// Makes the lanes fit the number of workers.
    fn arrange(&mut self, workers: usize) {
        let Self { setting, phase, posterior, .. } = self;
        let Phase::Sweep(sweep) = phase else { return };
        if sweep.should_collapse(setting) {
            let union = Arc::clone(&sweep.union);
            sweep.collapse(setting, &union, posterior);
        } else if workers > 1 {
            sweep.arrange(setting, workers, posterior);
            sweep.send_scouts();
        }
        self.advance();
    }

    /// Returns the union as a question, if it is due.
    fn union_question(&mut self, workers: usize) -> Option<Question> {
        let Phase::Sweep(sweep) = &self.phase else { return None };
        if sweep.union == self.runs {
            return None;
        }
        let due = workers == 1 || sweep.union_doubted || sweep.is_finished() || sweep.lanes.len() == 1;
        if !due {
            return None;
        }
        let purpose = Purpose::Union(Arc::clone(&sweep.union));
        let id = self.questions.id_of(purpose, Runs::clone(&sweep.union), sweep.removals());
        let remove = sweep.union.iter().collect();
        self.questions.records[&id].answer.is_none().then_some(Question { id, remove, p_yes: 1.0, reach: 1.0 })
    }

    /// Forgets all questions and unused outcomes, which are about another text after a pause in which other parts of
    /// the text have changed. It also forgets a union that wasn't judged.
    pub fn forget_answers(&mut self) {
        self.questions.clear();
        if let Phase::Sweep(sweep) = &mut self.phase
            && sweep.union != self.runs
        {
            sweep.collapse(&self.setting, &self.runs, &mut self.posterior);
        }
    }

    /// Ends a sweep: undecided units stay, and there are no further questions. A verification continues, because a
    /// guarantee depends on it.
    pub fn give_up(&mut self) {
        if matches!(self.phase, Phase::Sweep(_)) {
            self.phase = Phase::Finished;
            self.questions.clear();
        }
    }

    /// Whether the answer can still be used: `false` once another answer has made the question pointless.
    pub fn wants(&self, id: QuestionId) -> bool {
        self.questions.records.get(&id).is_some_and(|record| record.answer.is_none())
    }

    /// Whether a candidate that was found interesting may still become the committed state.
    pub fn may_accept(&self, id: QuestionId) -> bool {
        self.questions.records.contains_key(&id)
    }

    /// The probability that the answer to a question will be *interesting*, by all that is known but the outcomes of the
    /// question itself; `None` if there is no model of it.
    pub fn chance_of(&mut self, id: QuestionId) -> Option<f64> {
        match self.lane_of(id) {
            Some((lane, units)) => lane.chance_of(&units),
            None => match &self.phase {
                Phase::Verify(verification) => Some(verification.pick()?.chance),
                Phase::Sweep(_) | Phase::Finished => None,
            },
        }
    }

    /// Takes outcomes of an intermittent test that do not answer a question yet: `ratio` is the logarithm of how much
    /// likelier all outcomes of the question so far are if its candidate is interesting than if it is not. The next
    /// question may be another one. An answer, by `observe`, is a ratio without limit.
    pub fn weigh(&mut self, id: QuestionId, ratio: f64) {
        if let Some((lane, units)) = self.lane_of(id) {
            lane.weigh(&units, ratio);
        }
    }

    /// The lane that asks a question about its run under way, with the units that the question is about.
    fn lane_of(&mut self, id: QuestionId) -> Option<(&mut Lane, Range<usize>)> {
        let record = self.questions.records.get(&id)?;
        let (Purpose::Lane(lane, gone), Phase::Sweep(sweep)) = (&*record.purpose, &mut self.phase) else { return None };
        let lane = sweep.lanes.iter_mut().find(|other| other.id == *lane)?;
        let units = lane.may_adopt(gone)?;
        Some((lane, units))
    }

    /// Takes an answer and commits as many steps as the known answers allow. Unknown ids, and second
    /// answers to one question, are ignored.
    pub fn observe(&mut self, id: QuestionId, verdict: Verdict) -> Progress {
        match self.questions.records.get_mut(&id) {
            Some(record) if record.answer.is_none() => {
                record.answer = Some(verdict);
                if let Phase::Sweep(sweep) = &mut self.phase {
                    sweep.compare(record);
                }
            }
            _ => return Progress::default(),
        }
        let mut accepted = None;
        let before = Arc::clone(&self.runs);
        let mut used = false;
        while self.use_answer(&mut accepted) {
            self.advance();
            used = true;
        }
        if used {
            self.forget_unreachable();
        }
        let newly_removed = self.runs.minus(&before);
        Progress { committed: !newly_removed.is_empty(), newly_removed, accepted }
    }

    /// Uses one of the answers that are known, if one is waited for.
    fn use_answer(&mut self, accepted: &mut Option<QuestionId>) -> bool {
        let Self { setting, phase, posterior, runs, questions, findings, swept, .. } = self;
        match phase {
            Phase::Sweep(sweep) => {
                let union = Arc::clone(&sweep.union);
                if union != *runs
                    && let Some((id, _, verdict)) = questions.answered(&Purpose::Union(Arc::clone(&union)))
                {
                    findings.evidence.tests += 1;
                    if verdict == Verdict::Interesting {
                        sweep.union_doubted = false;
                        *accepted = Some(id);
                        self.commit(union);
                    } else {
                        sweep.learn_dependence();
                        sweep.collapse(setting, runs, posterior);
                    }
                    return true;
                }
                if let Some(probe) = sweep.probe().cloned() {
                    let answered = questions.probe_answer(&probe);
                    if let Some((id, remove, verdict)) = answered {
                        let yes = verdict == Verdict::Interesting;
                        findings.evidence.tests += 1;
                        sweep.probed(yes);
                        if yes && remove.is_superset(runs) && remove != *runs {
                            *accepted = Some(id);
                            self.commit(remove);
                            self.collapse();
                        }
                        return true;
                    }
                }
                for at in 0..sweep.lanes.len() {
                    let Some((units, _)) = sweep.lanes[at].ask() else { continue };
                    let purpose = lane_purpose(&sweep.lanes[at], &Runs::default(), units);
                    let found = match questions.answered(&purpose) {
                        // Any outcome for this run helps, even of an obsolete question.
                        None if sweep.lanes.len() > 1 || sweep.lanes[at].is_weighed() => {
                            questions.adopt(&mut sweep.lanes[at])
                        }
                        found => found,
                    };
                    let Some((id, record, verdict)) = found else { continue };
                    let yes = verdict == Verdict::Interesting;
                    let knows_all = record.remove.is_superset(&sweep.union);
                    let known_removals = if knows_all { sweep.removals() } else { record.known_removals };
                    let answer = Answer { yes, timed_out: verdict == Verdict::Timeout, known_removals };
                    let remove = Arc::clone(&record.remove);
                    sweep.union_doubted |= !yes && knows_all && sweep.union != *runs;
                    sweep.count(at, yes, posterior);
                    sweep.answer(setting, at, answer, posterior);
                    sweep.catch_up(setting, posterior);
                    findings.evidence.tests += 1;
                    if yes && remove.is_superset(runs) && remove != *runs {
                        sweep.union_doubted &= remove != sweep.union;
                        *accepted = Some(id);
                        self.commit(remove);
                    }
                    return true;
                }
                false
            }
            Phase::Verify(verification) => {
                let Some(pick) = verification.pick() else { return false };
                let mut remove = Runs::clone(runs);
                remove.insert(pick.position..pick.position + 1);
                let purpose = Purpose::Verify(remove);
                let Some((id, record, verdict)) = questions.answered(&purpose) else { return false };
                let remove = Arc::clone(&record.remove);
                findings.evidence.tests += 1;
                findings.verified(pick, verdict);
                if verdict == Verdict::Interesting {
                    verification.remove(pick);
                    let resumed = swept.as_mut().is_some_and(|sweep| sweep.reconsider(pick.position));
                    *accepted = Some(id);
                    self.commit(remove);
                    if resumed && let Some(sweep) = self.swept.take() {
                        self.phase = Phase::Sweep(sweep);
                        self.collapse();
                    }
                } else {
                    verification.keep(pick, verdict != Verdict::Timeout);
                }
                true
            }
            Phase::Finished => false,
        }
    }

    /// Goes on with one lane from the committed state.
    fn collapse(&mut self) {
        if let Phase::Sweep(sweep) = &mut self.phase {
            sweep.collapse(&self.setting, &self.runs, &mut self.posterior);
        }
    }

    /// A candidate that was found interesting is the committed state from now on.
    fn commit(&mut self, remove: Arc<Runs>) {
        for range in remove.minus(&self.runs) {
            self.removed.insert_range(range);
        }
        self.runs = remove;
    }

    /// Adds the decisions to the findings, and continues with the verification or ends if the sweep has decided
    /// everything.
    fn advance(&mut self) {
        if let Phase::Sweep(sweep) = &mut self.phase
            && sweep.union == self.runs
        {
            let settled = sweep.settle();
            for run in settled {
                self.findings.decided(run);
            }
            if sweep.is_finished() && sweep.probe().is_none() {
                self.swept = sweep.is_doubtful(&self.setting).then(|| sweep.clone());
                self.phase = self.setting.theta.map_or(Phase::Finished, |theta| {
                    let (len, empty) = (self.setting.len, self.setting.empty_known_uninteresting);
                    let chances = self.chances.clone();
                    Phase::Verify(Box::new(if sweep.is_in_order() {
                        Verification::after_sweep(len, &self.runs, chances, theta, empty)
                    } else {
                        let (certificates, removals) = sweep.certificates();
                        Verification::with_certificates(len, &self.runs, removals, certificates, chances, theta, empty)
                    }))
                });
            }
        }
        if matches!(&self.phase, Phase::Verify(verification) if verification.pick().is_none()) {
            self.phase = Phase::Finished;
        }
    }

    /// Drops the questions that can no longer be asked from the committed state on.
    fn forget_unreachable(&mut self) {
        let Self { phase, runs, questions, .. } = self;
        questions.retain(|record| match (&*record.purpose, &*phase) {
            (Purpose::Lane(id, gone), Phase::Sweep(sweep)) => {
                // An answer about units that another lane has removed meanwhile shows whether lanes depend on each
                // other.
                let is_compared = sweep.front_goes_through && record.answer.is_none();
                is_compared || sweep.lanes.iter().any(|lane| lane.id == *id && lane.may_reach(gone))
            }
            (Purpose::Union(union), Phase::Sweep(sweep)) => *union != *runs && sweep.may_come_to(union),
            (Purpose::Probe(gone), Phase::Sweep(sweep)) => {
                sweep.probe().is_some_and(|probe| gone.run_at(probe.start) >= Some(probe.end))
            }
            // Speculation has asked it for the verification that follows.
            (Purpose::Verify(_), Phase::Sweep(_)) => record.remove.is_superset(runs),
            (Purpose::Verify(_), Phase::Verify(verification)) => {
                let first = record.remove.first_not_in(runs);
                let extra = record.remove.count() - runs.count().min(record.remove.count());
                record.remove.is_superset(runs) && (extra > 1 || first.is_some_and(|unit| verification.is_stale(unit)))
            }
            _ => false,
        });
    }

    /// The units that are removed for good: the committed state.
    pub fn removed(&self) -> &BitSet {
        &self.removed
    }

    /// Units that are decided and kept.
    pub fn needed_count(&self) -> usize {
        match &self.phase {
            Phase::Sweep(sweep) => sweep.kept(),
            Phase::Verify(_) | Phase::Finished => self.setting.len - self.removed.count_ones(..),
        }
    }

    /// Units that are neither removed nor found needed yet.
    pub fn undecided(&self) -> usize {
        match &self.phase {
            Phase::Sweep(sweep) => sweep.undecided_count(),
            Phase::Verify(_) | Phase::Finished => 0,
        }
    }

    /// The positions of undecided units, ascending.
    pub fn undecided_positions(&self) -> impl Iterator<Item = usize> + '_ {
        let sweep = match &self.phase {
            Phase::Sweep(sweep) => Some(&**sweep),
            Phase::Verify(_) | Phase::Finished => None,
        };
        sweep.into_iter().flat_map(Sweep::undecided)
    }

    /// The stretches that the sweep decided since this was called last, each with the one unit in it
    /// that stays, if one does; the others are removed.
    pub fn take_decided(&mut self) -> Vec<(Range<usize>, Option<usize>)> {
        std::mem::take(&mut self.findings.decided)
    }

    /// Whether there is no further question.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// Expected number of tests for the undecided units; during verification, the units that would
    /// still be asked.
    pub fn expected_remaining_tests(&self) -> f64 {
        self.remaining_tests().mean
    }

    /// Estimates the tests that are left, with the standard deviation.
    pub fn remaining_tests(&self) -> Estimate {
        match &self.phase {
            Phase::Verify(verification) => Estimate { mean: verification.remaining() as f64, deviation: 0.0 },
            Phase::Sweep(_) | Phase::Finished => estimate::remaining(&self.posterior, self.undecided()),
        }
    }

    /// Kept units whose last question ran into the deadline, ascending: the guarantee of
    /// 1-minimality excludes them.
    pub fn kept_by_timeout(&self) -> Vec<usize> {
        self.findings.timeouts.iter().copied().collect()
    }

    /// The evidence since this was called last, for `Knowledge::absorb`.
    pub fn take_evidence(&mut self) -> ListEvidence {
        let empty = ListEvidence::new(self.findings.evidence.grid.clone(), false);
        std::mem::replace(&mut self.findings.evidence, empty)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::{Question, QuestionId, Search, Verdict};
    use crate::{Config, EvidenceView, Knowledge, Lanes, drive, monotone};

    #[test]
    fn of_many_workers_one_asks_at_once_whether_nothing_is_needed() {
        let config = Config { theta: None, ..Config::default() };
        let rounds = |config: &Config, interesting: &dyn Fn(usize) -> bool| {
            let mut search = Search::new(500, config, &EvidenceView::blank(500));
            let tally = drive(&mut search, 16, |question| {
                interesting(question.remove.iter().map(|gone| gone.len()).sum()).into()
            });
            (tally.rounds, search.removed().count_ones(..))
        };
        assert_eq!(rounds(&config, &|_| true), (1, 500));
        // The search keeps an interesting candidate although lanes were refused.
        assert_eq!(rounds(&config, &|gone| gone == 500), (1, 500));
        let known = Config { empty_known_uninteresting: true, ..config };
        assert_eq!(rounds(&known, &|gone| gone < 500).1, 499, "what is known is not asked");
    }

    #[test]
    fn a_sweep_that_is_given_up_ends_with_what_was_removed_and_a_verification_goes_on() {
        let next = |search: &mut Search| search.next_tests(1).pop();
        let config = Config { theta: None, empty_known_uninteresting: true, ..Config::default() };
        let mut search = Search::new(500, &config, &EvidenceView::blank(500));
        let first = next(&mut search).expect("nothing is decided");
        search.observe(first.id, Verdict::Interesting);
        let removed = search.removed().clone();
        assert!(removed.count_ones(..) > 0 && !search.is_finished());
        search.give_up();
        assert!(search.is_finished() && next(&mut search).is_none());
        assert_eq!((search.removed(), search.undecided()), (&removed, 0));
        let config = Config { theta: Some(0.0), ..config };
        let mut search = Search::for_verification(5, &config, &EvidenceView::blank(5));
        search.give_up();
        assert!(!search.is_finished() && next(&mut search).is_some(), "each unit has to be asked about");
    }

    /// Keeps up to `width` questions in flight, answers a random one, and cancels unneeded ones. Returns the kept
    /// positions and the accepted candidates in order.
    fn in_any_order(
        mut search: Search,
        width: usize,
        rng: &mut ChaCha8Rng,
        judge: &dyn Fn(&Question) -> Verdict,
    ) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut flying: BTreeMap<QuestionId, Question> = BTreeMap::new();
        let mut path = Vec::new();
        let mut ids = BTreeMap::new();
        loop {
            for question in search.next_tests(width) {
                assert!(search.wants(question.id));
                let key: Vec<usize> = question.remove.iter().cloned().flatten().collect();
                let id = ids.insert(key, question.id);
                // The verification can repeat a candidate of the sweep, and one lane's candidate can be the union of
                // others.
                let known = id.is_none_or(|id| id == question.id);
                let one_name = search.setting.theta.is_none() && search.setting.lanes == Lanes::One;
                assert!(known || !one_name, "a candidate has one name");
                if flying.len() < width {
                    flying.insert(question.id, question);
                }
            }
            if flying.is_empty() {
                assert!(search.is_finished() && search.next_tests(1).is_empty());
                let kept = (0..search.removed().len()).filter(|&p| !search.removed().contains(p));
                return (kept.collect(), path);
            }
            let nth = rng.random_range(0..flying.len());
            let id = *flying.keys().nth(nth).expect("below the length");
            let question = flying.remove(&id).expect("the key exists");
            let before = search.removed().clone();
            let progress = search.observe(id, judge(&question));
            let after: Vec<usize> = search.removed().ones().collect();
            let mut expected = before;
            progress.newly_removed.iter().for_each(|r| expected.insert_range(r.clone()));
            assert_eq!(&expected, search.removed());
            assert_eq!(progress.committed, progress.accepted.is_some());
            if progress.committed {
                path.push(after);
            }
            flying.retain(|id, _| search.wants(*id));
        }
    }

    fn bits(set: usize, len: usize) -> Vec<bool> {
        (0..len).map(|i| set >> i & 1 == 1).collect()
    }

    fn theta(theta: Option<f64>) -> Config {
        Config { theta, ..Config::default() }
    }

    #[test]
    fn what_is_kept_is_what_is_needed_for_every_subset_of_ten() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for set in 0..1024 {
            let needed = bits(set, 10);
            let expected: Vec<usize> = (0..10).filter(|&i| needed[i]).collect();
            for width in [1, 2, 3, 8] {
                // The empty candidate may only be declared known if it isn't interesting.
                let with_verification = (Some(0.0), set != 0);
                let variants = [(None, false), with_verification];
                for &(theta, empty) in &variants[..if width == 3 { 2 } else { 1 }] {
                    let config = Config { theta, empty_known_uninteresting: empty, ..Config::default() };
                    let search = Search::new(10, &config, &EvidenceView::blank(10));
                    let (kept, _) = in_any_order(search, width, &mut rng, &|q| monotone(&needed, q));
                    assert_eq!(kept, expected, "width {width}");
                }
            }
        }
    }

    /// A test that is anything but monotone: a pseudo-random half of the candidates is interesting.
    fn whimsical(question: &Question, salt: u64) -> Verdict {
        let mut hash = salt ^ 0x9E37_79B9_7F4A_7C15;
        for range in &question.remove {
            for position in range.clone() {
                hash = (hash ^ position as u64).wrapping_mul(0x0100_0000_01B3);
                hash ^= hash >> 29;
            }
        }
        match hash % 16 {
            0..=5 => Verdict::Interesting,
            6 => Verdict::Invalid,
            7 => Verdict::Timeout,
            _ => Verdict::NotInteresting,
        }
    }

    #[test]
    fn at_the_front_alone_width_and_order_change_neither_the_path_nor_the_result() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for salt in 0..8 {
            for theta_value in [None, Some(0.03), Some(0.0)] {
                let config = Config { lanes: Lanes::One, ..theta(theta_value) };
                let search = Search::new(60, &config, &EvidenceView::blank(60));
                let judge = |q: &Question| whimsical(q, salt);
                let alone = in_any_order(search.clone(), 1, &mut rng, &judge);
                for width in [2, 5, 20] {
                    let (kept, path) = in_any_order(search.clone(), width, &mut rng, &judge);
                    assert_eq!(kept, alone.0, "salt {salt} width {width}");
                    // Early outcomes can commit several steps at once, but no others.
                    assert!(path.iter().all(|state| alone.1.contains(state)));
                }
            }
        }
    }

    /// The question whose candidate leaves out these positions.
    fn without(positions: &[usize]) -> Question {
        let remove = positions.iter().map(|&p| p..p + 1).collect();
        Question { id: QuestionId(0), remove, p_yes: 0.5, reach: 1.0 }
    }

    #[test]
    fn with_several_lanes_every_committed_state_was_judged_interesting() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for salt in 0..30 {
            for lanes in [Lanes::ByEvidence, Lanes::Always] {
                let config = Config { lanes, ..theta(Some(0.0)) };
                let search = Search::new(80, &config, &EvidenceView::blank(80));
                let judge = |q: &Question| whimsical(q, salt);
                let width = 2 + salt as usize % 9;
                let (kept, path) = in_any_order(search, width, &mut rng, &judge);
                for state in &path {
                    assert_eq!(whimsical(&without(state), salt), Verdict::Interesting, "salt {salt}");
                }
                let gone: Vec<usize> = (0..80).filter(|p| !kept.contains(p)).collect();
                for unit in kept {
                    let mut more: Vec<usize> = gone.iter().copied().chain([unit]).collect();
                    more.sort_unstable();
                    assert_ne!(whimsical(&without(&more), salt), Verdict::Interesting, "1-minimal");
                }
            }
        }
    }

    #[test]
    fn one_answer_that_never_comes_holds_up_nothing_else() {
        let needed: Vec<bool> = (0..200).map(|i| i % 23 == 7).collect();
        let mut search = Search::new(200, &theta(None), &EvidenceView::blank(200));
        let withheld = search.next_tests(8).pop().expect("there are questions");
        loop {
            // The others are answered last to first.
            let mut round = search.next_tests(8);
            round.retain(|question| question.id != withheld.id);
            if round.is_empty() {
                break;
            }
            for question in round.iter().rev() {
                search.observe(question.id, monotone(&needed, question));
            }
        }
        let removed = search.removed().count_ones(..);
        assert!(removed > 140, "{removed} of 191 that may go, with one lane waiting");
        search.observe(withheld.id, monotone(&needed, &withheld));
        drive(&mut search, 8, |question| monotone(&needed, question));
        assert!((0..200).all(|p| search.removed().contains(p) != needed[p]));
    }

    #[test]
    fn a_union_that_is_refused_is_taken_apart() {
        // Each half may go, both together may not.
        let judge = |question: &Question| {
            let gone = |p: usize| question.remove.iter().any(|r| r.contains(&p));
            if (0..20).any(gone) && (20..40).any(gone) { Verdict::NotInteresting } else { Verdict::Interesting }
        };
        for width in [1, 2, 4, 16] {
            let mut search = Search::new(40, &theta(Some(0.0)), &EvidenceView::blank(40));
            drive(&mut search, width, judge);
            assert_eq!(search.removed().count_ones(..), 20, "width {width}");
        }
    }

    #[test]
    fn a_search_that_pauses_with_an_unjudged_union_goes_on_from_what_was_judged() {
        let needed: Vec<bool> = (0..200).map(|i| i % 23 == 7).collect();
        let mut search = Search::new(200, &theta(None), &EvidenceView::blank(200));
        let mut seen = false;
        for _ in 0..200 {
            for question in search.next_tests(6) {
                search.observe(question.id, monotone(&needed, &question));
            }
            seen |= search.has_unjudged_union();
            if search.has_unjudged_union() {
                let question = search.next_tests(1).pop().expect("the union");
                search.observe(question.id, monotone(&needed, &question));
                assert!(!search.has_unjudged_union());
            }
            search.forget_answers();
        }
        assert!(seen && search.is_finished());
        assert!((0..200).all(|p| search.removed().contains(p) != needed[p]));
    }

    #[test]
    fn every_decided_unit_is_told_once_at_the_front_and_the_needed_ones_in_all_cases() {
        let needed: Vec<bool> = (0..300).map(|i| i % 31 == 3).collect();
        for width in [1, 5] {
            let mut search = Search::new(300, &theta(None), &EvidenceView::blank(300));
            let mut kept = Vec::new();
            let mut told = 0;
            while let [_, ..] = &search.next_tests(width)[..] {
                for question in search.next_tests(width) {
                    search.observe(question.id, monotone(&needed, &question));
                }
                for (positions, needed) in search.take_decided() {
                    told += positions.len();
                    kept.extend(needed);
                }
            }
            kept.sort_unstable();
            assert_eq!(kept, (0..300).filter(|&i| needed[i]).collect::<Vec<_>>(), "width {width}");
            assert_eq!(told, 300);
        }
    }

    #[test]
    fn a_lane_that_depends_on_others_ends_with_what_is_needed() {
        // A unit can be removed after the one before it, except for the needed ones.
        let needed: Vec<bool> = (0..120).map(|i| i % 40 == 39).collect();
        let judge = |question: &Question| {
            let gone = |p: usize| question.remove.iter().any(|r| r.contains(&p));
            let free = |p: usize| p == 0 || gone(p - 1) || needed[p - 1];
            if (0..120).any(|p| gone(p) && (needed[p] || !free(p))) { Verdict::Invalid } else { Verdict::Interesting }
        };
        for width in [1, 2, 4, 16, 64] {
            let mut search = Search::new(120, &theta(Some(0.0)), &EvidenceView::blank(120));
            drive(&mut search, width, judge);
            assert_eq!(search.removed().count_ones(..), 117, "width {width}");
        }
    }

    #[test]
    fn theta_zero_is_one_minimal_for_any_test() {
        for salt in 0..200 {
            for verification in [false, true] {
                let (config, view) = (theta(Some(0.0)), EvidenceView::blank(40));
                let mut search = if verification {
                    Search::for_verification(40, &config, &view)
                } else {
                    Search::new(40, &config, &view)
                };
                drive(&mut search, 3, |q| whimsical(q, salt));
                for unit in (0..40).filter(|&p| !search.removed().contains(p)) {
                    let mut without = search.removed().clone();
                    without.insert(unit);
                    let question = Question {
                        id: QuestionId(0),
                        remove: without.ones().map(|p| p..p + 1).collect(),
                        p_yes: 0.5,
                        reach: 1.0,
                    };
                    let verdict = whimsical(&question, salt);
                    assert_ne!(verdict, Verdict::Interesting);
                    let by_timeout = search.kept_by_timeout().contains(&unit);
                    assert_eq!(verdict == Verdict::Timeout, by_timeout, "unit {unit}");
                }
            }
        }
    }

    #[test]
    fn a_verification_asks_single_units_only() {
        let needed = bits(0b1011_0110, 8);
        let mut search = Search::for_verification(8, &theta(Some(0.0)), &EvidenceView::blank(8));
        let mut last = 0;
        drive(&mut search, 1, |question| {
            let count: usize = question.remove.iter().map(ExactSizeIterator::len).sum();
            assert_eq!(count, last + 1);
            let verdict = monotone(&needed, question);
            last += usize::from(verdict == Verdict::Interesting);
            verdict
        });
        assert_eq!(search.removed().count_ones(..), 3);
    }

    #[test]
    fn late_second_and_unknown_answers_are_ignored() {
        let mut search = Search::new(100, &Config::default(), &EvidenceView::blank(100));
        let questions = search.next_tests(4);
        let first = questions[0].id;
        assert_eq!(search.next_tests(4), questions, "asking again changes nothing");
        search.observe(first, Verdict::NotInteresting);
        let after = search.clone();
        for id in [first, QuestionId(9999)] {
            assert!(!search.wants(id));
            assert_eq!(search.observe(id, Verdict::Interesting), Default::default());
        }
        assert_eq!(search.next_tests(4), after.clone().next_tests(4));
    }

    #[test]
    fn a_question_that_assumed_otherwise_is_not_wanted() {
        let config = Config { lanes: Lanes::One, ..Config::default() };
        let mut search = Search::new(100, &config, &EvidenceView::blank(100));
        let questions = search.next_tests(12);
        let front = &questions[0];
        search.observe(front.id, Verdict::NotInteresting);
        for question in &questions[1..] {
            let builds_on_front = question.remove[0].end >= front.remove[0].end;
            assert!(!(builds_on_front && search.wants(question.id)));
        }
        assert!(questions[1..].iter().any(|q| search.wants(q.id)));
    }

    #[test]
    fn speculation_waits_for_its_turn_and_then_saves_rounds() {
        let needed: Vec<bool> = (0..500).map(|i| i % 37 == 5).collect();
        let mut rounds = Vec::new();
        for width in [1, 4, 16] {
            let mut search = Search::new(500, &theta(None), &EvidenceView::blank(500));
            rounds.push(drive(&mut search, width, |q| monotone(&needed, q)).rounds);
        }
        assert!(rounds[1] * 2 < rounds[0] && rounds[2] < rounds[1], "{rounds:?}");
    }

    #[test]
    fn an_empty_list_is_finished_at_once() {
        for verification in [false, true] {
            let start = if verification { Search::for_verification } else { Search::new };
            let mut search = start(0, &Config::default(), &EvidenceView::blank(0));
            assert!(search.is_finished() && search.next_tests(3).is_empty());
        }
    }

    #[test]
    fn the_only_unit_needs_no_test_when_empty_is_known() {
        let config = Config { empty_known_uninteresting: true, ..theta(Some(0.0)) };
        let mut search = Search::new(1, &config, &EvidenceView::blank(1));
        assert!(search.next_tests(1).is_empty());
        assert_eq!(search.needed_count(), 1);
    }

    #[test]
    fn a_timeout_keeps_the_unit_and_teaches_the_model_nothing() {
        let mut search = Search::new(30, &theta(None), &EvidenceView::blank(30));
        drive(&mut search, 1, |_| Verdict::Timeout);
        assert_eq!(search.kept_by_timeout(), (0..30).collect::<Vec<_>>());
        let evidence = search.take_evidence();
        assert!(evidence.increments.iter().all(|&increment| increment == 0.0));
        assert_eq!((evidence.decided, evidence.code_length), (30, 0.0));
    }

    #[test]
    fn a_second_equal_list_needs_fewer_tests() {
        let needed: Vec<bool> = (0..60).map(|i| i % 20 == 3).collect();
        let mut knowledge = Knowledge::new(120);
        let mut counts = Vec::new();
        for _ in 0..2 {
            let mut search = Search::new(60, &Config::default(), &knowledge.view(1, 2));
            counts.push(drive(&mut search, 1, |q| monotone(&needed, q)).tests);
            knowledge.absorb(1, 2, &search.take_evidence());
        }
        assert!(counts[1] < counts[0], "{counts:?}");
    }

    #[test]
    fn a_paused_search_gives_its_evidence_in_parts() {
        let needed: Vec<bool> = (0..60).map(|i| i % 7 == 3).collect();
        let view = EvidenceView::blank(60);
        let mut whole = Search::new(60, &theta(None), &view);
        drive(&mut whole, 1, |q| monotone(&needed, q));
        let whole = whole.take_evidence();
        let mut search = Search::new(60, &theta(None), &view);
        let mut parts = Vec::new();
        while let Some(question) = search.next_tests(1).pop() {
            search.observe(question.id, monotone(&needed, &question));
            parts.push(search.take_evidence());
        }
        assert_eq!(parts.iter().filter(|part| part.first).count(), 1);
        assert_eq!(parts.iter().map(|part| part.tests).sum::<u64>(), whole.tests);
        assert_eq!(parts.iter().map(|part| part.decided).sum::<u64>(), 60);
        for cell in 0..whole.increments.len() {
            let sum: f64 = parts.iter().map(|part| part.increments[cell]).sum();
            assert!((sum - whole.increments[cell]).abs() < 1e-9);
        }
    }

    #[test]
    fn the_estimate_falls_to_zero() {
        let needed: Vec<bool> = (0..200).map(|i| i % 9 == 0).collect();
        let mut search = Search::new(200, &theta(None), &EvidenceView::blank(200));
        let first = search.expected_remaining_tests();
        let tally = drive(&mut search, 1, |q| monotone(&needed, q));
        assert!(first > 0.0 && first < 10.0 * tally.tests as f64);
        assert_eq!(search.expected_remaining_tests(), 0.0);
    }

    /// The runs that a sweep takes with a test that shows what is interesting in this share of its runs, and the removable
    /// units that it leaves. With `weighs` the search may ask another question before one is decided.
    fn with_intermittent(needed: &[bool], rate: f64, seed: u64, weighs: bool) -> (usize, usize) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let config = Config { theta: None, empty_known_uninteresting: false, ..Config::default() };
        let mut search = Search::new(needed.len(), &config, &EvidenceView::blank(needed.len()));
        let mut outcomes: BTreeMap<QuestionId, (i32, i32)> = BTreeMap::new();
        let mut runs = 0;
        while let Some(question) = search.next_tests(1).pop() {
            runs += 1;
            let yes = monotone(needed, &question) == Verdict::Interesting && random.random_bool(rate);
            let (seen, missed) = outcomes.entry(question.id).or_default();
            *(if yes { &mut *seen } else { &mut *missed }) += 1;
            let likelihood = |rate: f64| rate.powi(*seen) * (1.0 - rate).powi(*missed);
            let ratio = (likelihood(rate) / likelihood(0.01)).ln();
            let chance = search.chance_of(question.id).expect("a sweep has a model").clamp(0.05, 0.9);
            let odds = (chance / (1.0 - chance)).ln() + ratio;
            if odds.abs() > 20_f64.ln() {
                search.observe(question.id, Verdict::from(odds > 0.0));
            } else if weighs {
                search.weigh(question.id, ratio);
            }
        }
        (
            runs,
            search.removed().len() - search.removed().count_ones(..) - needed.iter().filter(|needed| **needed).count(),
        )
    }

    #[test]
    fn a_question_that_is_not_decided_gives_way_to_a_better_one() {
        let needed: Vec<bool> = (0..200).map(|unit| unit % 23 == 5).collect();
        for rate in [0.7, 0.3] {
            let total = |weighs| {
                let runs = (0..20).map(|seed| with_intermittent(&needed, rate, seed, weighs));
                runs.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1))
            };
            let (again, weighed) = (total(false), total(true));
            assert!(weighed.0 * 20 < again.0 * 19, "{rate}: {weighed:?} and {again:?}");
            assert!(weighed.1 <= again.1, "{rate}: {weighed:?} and {again:?}");
        }
    }
}
