//! The search over one sequence: hands out questions, takes answers in any order, and commits them in
//! the order in which a single worker would have asked.

use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::bit_set::BitSet;
use super::config::Config;
use super::estimate::{self, Estimate};
use super::evidence::{EvidenceView, ListEvidence};
use super::runs::Runs;
use super::state::{Ledger, Setting, State};

/// What the interestingness test said of a candidate. An unresolved run has no verdict and is not
/// reported here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// The candidate still shows what the user looks for: it may be kept.
    Interesting,
    /// It does not.
    NotInteresting,
    /// It is no valid input; the search takes that as *not interesting*.
    Invalid,
    /// The deadline passed; *not interesting* for the search, and nothing for the model.
    Timeout,
}

/// Names a candidate of one search. Equal candidates have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct QuestionId(pub u64);

/// "Is the candidate without these units still interesting?"
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The name to answer under.
    pub id: QuestionId,
    /// Every position that is gone in this candidate, committed ones included: sorted, disjoint.
    pub remove: Vec<Range<usize>>,
    /// The probability of *interesting*, given the assumptions this question was made under.
    pub p_yes: f64,
    /// The probability that the assumptions hold, i.e. that the answer will be used; 1 for the
    /// question a single worker would ask.
    pub reach: f64,
}

/// What an answer changed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Positions that are removed now and were not before: sorted, disjoint.
    pub newly_removed: Vec<Range<usize>>,
    /// Whether `removed()` is larger than before.
    pub committed: bool,
    /// The last question whose candidate equals the new committed state; `None` when nothing was
    /// committed.
    pub accepted: Option<QuestionId>,
}

/// Futures looked at per question asked for, at most: many may lead to one candidate.
const FUTURES_PER_QUESTION: usize = 16;

/// A future less probable than this is not worth a test.
const NEGLIGIBLE_REACH: f64 = 1e-3;

/// A candidate that was handed out, and its answer.
#[derive(Clone, Debug)]
struct Record {
    remove: Arc<Runs>,
    /// Whether it was (also) made for the verification.
    verifies: bool,
    answer: Option<Verdict>,
}

/// The search over one sequence of units.
///
/// Positions are `0..len` in sweep order; the caller maps them to units. For a deterministic test
/// the committed answers, and with them the result, do not depend on how many questions are asked
/// ahead or in which order they are answered.
#[derive(Clone, Debug)]
pub struct Search {
    setting: Setting,
    state: State,
    removed: BitSet,
    runs: Arc<Runs>,
    ledger: Ledger,
    ids: BTreeMap<Arc<Runs>, QuestionId>,
    records: BTreeMap<QuestionId, Record>,
    next_id: u64,
}

impl Search {
    /// A sweep over `len` undecided units that starts from what `view` knows, followed by
    /// verification where `config.theta` asks for it.
    pub fn new(len: usize, config: &Config, view: &EvidenceView) -> Self {
        Self::start(len, config, view, State::sweep)
    }

    /// Only the verification of `len` units that have no certificate, one unit per question: with
    /// `theta` = 0 the result is 1-minimal.
    pub fn for_verification(len: usize, config: &Config, view: &EvidenceView) -> Self {
        Self::start(len, config, view, State::verification)
    }

    fn start(
        len: usize,
        config: &Config,
        view: &EvidenceView,
        state: fn(&Setting, &Config, &EvidenceView, &mut Ledger) -> State,
    ) -> Self {
        let setting = Setting { len, theta: config.theta, empty_known_uninteresting: config.empty_known_uninteresting };
        let mut ledger = Ledger { evidence: ListEvidence::new(view.grid.clone(), true), timeouts: Default::default() };
        Self {
            state: state(&setting, config, view, &mut ledger),
            setting,
            removed: BitSet::new(len),
            runs: Arc::default(),
            ledger,
            ids: BTreeMap::new(),
            records: BTreeMap::new(),
            next_id: 0,
        }
    }

    /// At most `k` unanswered questions: first the one a single worker would ask, then those it
    /// would most probably ask later, as far as that is probable at all. Empty means finished. Questions that were handed out before
    /// and are still useful come again, under the same id.
    pub fn next_tests(&mut self, k: usize) -> Vec<Question> {
        let mut questions: Vec<Question> = Vec::with_capacity(k);
        let mut futures = BinaryHeap::new();
        let mut order = 0;
        // Asking the committed state itself keeps its choice for `observe`.
        self.state.ask();
        let mut next = Some((1.0, self.state.clone()));
        for _ in 0..k.saturating_mul(FUTURES_PER_QUESTION) {
            let Some((reach, mut state)) =
                next.take().or_else(|| futures.pop().map(|future: Future| future.enter(&self.setting, &self.runs)))
            else {
                break;
            };
            let Some(ask) = state.ask() else {
                continue;
            };
            let mut remove = Runs::clone(&self.runs);
            remove.insert_all(&state.assumed);
            remove.insert(ask.units);
            let ranges = remove.iter().collect();
            let id = self.id_of(remove, ask.verifies);
            let answer = self.records.get(&id).and_then(|record| record.answer);
            if answer.is_none() && questions.iter().all(|question| question.id != id) {
                questions.push(Question { id, remove: ranges, p_yes: ask.p_yes, reach });
                if questions.len() == k {
                    break;
                }
            }
            let branches = match answer {
                Some(verdict) => [(verdict, 1.0), (verdict, 0.0)],
                None => [(Verdict::Interesting, ask.p_yes), (Verdict::NotInteresting, 1.0 - ask.p_yes)],
            };
            let state = Rc::new(state);
            for (verdict, probability) in branches.into_iter().filter(|branch| reach * branch.1 > NEGLIGIBLE_REACH) {
                order += 1;
                futures.push(Future { reach: reach * probability, order, before: Rc::clone(&state), verdict });
            }
        }
        questions
    }

    /// The id of a candidate, a new one when it was not handed out yet.
    fn id_of(&mut self, remove: Runs, verifies: bool) -> QuestionId {
        if let Some(&id) = self.ids.get(&remove) {
            if let Some(record) = self.records.get_mut(&id) {
                record.verifies |= verifies;
            }
            return id;
        }
        let id = QuestionId(self.next_id);
        self.next_id += 1;
        let remove = Arc::new(remove);
        self.ids.insert(Arc::clone(&remove), id);
        self.records.insert(id, Record { remove, verifies, answer: None });
        id
    }

    /// Forgets the questions and those answers that were not used yet: for a search that was paused
    /// while its caller's text changed elsewhere, so that they are about another text.
    pub fn forget_answers(&mut self) {
        self.records.clear();
        self.ids.clear();
    }

    /// Whether the answer can still be used: `false` once an earlier answer has led elsewhere.
    pub fn wants(&self, id: QuestionId) -> bool {
        self.records.get(&id).is_some_and(|record| record.answer.is_none())
    }

    /// Whether a candidate that was found interesting may still become the committed state.
    pub fn may_accept(&self, id: QuestionId) -> bool {
        self.records.contains_key(&id)
    }

    /// Takes an answer and commits as many steps as the known answers allow. Unknown ids, and second
    /// answers to one question, are ignored.
    pub fn observe(&mut self, id: QuestionId, verdict: Verdict) -> Progress {
        let mut progress = Progress::default();
        match self.records.get_mut(&id) {
            Some(record) if record.answer.is_none() => record.answer = Some(verdict),
            _ => return progress,
        }
        let mut newly = Runs::default();
        let mut advanced = false;
        while let Some(ask) = self.state.ask() {
            let mut candidate = Runs::clone(&self.runs);
            candidate.insert(ask.units.clone());
            let known = self.ids.get(&candidate).copied();
            let Some((id, verdict)) = known.and_then(|id| Some((id, self.records[&id].answer?))) else {
                break;
            };
            self.state.answer(&self.setting, &self.runs, verdict, Some(&mut self.ledger));
            advanced = true;
            if verdict == Verdict::Interesting {
                self.state.assumed.clear();
                self.removed.insert_range(ask.units.clone());
                newly.insert(ask.units);
                self.runs = Arc::new(candidate);
                progress.accepted = Some(id);
            }
        }
        if advanced {
            self.forget_unreachable();
        }
        progress.newly_removed = newly.iter().collect();
        progress.committed = !progress.newly_removed.is_empty();
        progress
    }

    /// Drops the questions that can no longer be asked from the committed state on.
    fn forget_unreachable(&mut self) {
        let Self { state, runs, ids, records, .. } = self;
        records.retain(|_, record| {
            let reachable = state.may_reach(runs, &record.remove, record.verifies);
            if !reachable {
                ids.remove(&record.remove);
            }
            reachable
        });
    }

    /// What is removed for good: what the driver must have left out of its document.
    pub fn removed(&self) -> &BitSet {
        &self.removed
    }

    /// Units that are decided and kept.
    pub fn needed_count(&self) -> usize {
        self.state.front(self.setting.len) - self.removed.count()
    }

    /// Units that are neither removed nor found needed yet.
    pub fn undecided(&self) -> usize {
        self.setting.len - self.state.front(self.setting.len)
    }

    /// Whether there is no further question.
    pub fn is_finished(&self) -> bool {
        self.state.is_finished()
    }

    /// Expected number of tests for the undecided units; during verification, the units that would
    /// still be asked.
    pub fn expected_remaining_tests(&self) -> f64 {
        self.remaining_tests().mean
    }

    /// The same with its standard deviation.
    pub fn remaining_tests(&self) -> Estimate {
        match self.state.stale() {
            Some(stale) => Estimate { mean: stale as f64, deviation: 0.0 },
            None => estimate::remaining(self.state.posterior(), self.undecided()),
        }
    }

    /// Kept units whose last question ran into the deadline, ascending: the guarantee of
    /// 1-minimality excludes them.
    pub fn kept_by_timeout(&self) -> Vec<usize> {
        self.ledger.timeouts.iter().copied().collect()
    }

    /// What was learnt since this was called last, for `Knowledge::absorb`.
    pub fn take_evidence(&mut self) -> ListEvidence {
        let empty = ListEvidence::new(self.ledger.evidence.grid.clone(), false);
        std::mem::replace(&mut self.ledger.evidence, empty)
    }
}

/// A state that assumed answers lead to, ordered by how probable they are; the older of equals first.
/// It is worked out only when its turn comes, which for half of them is never.
struct Future {
    reach: f64,
    order: u64,
    before: Rc<State>,
    verdict: Verdict,
}

impl Future {
    fn enter(self, setting: &Setting, committed: &Runs) -> (f64, State) {
        let mut state = Rc::unwrap_or_clone(self.before);
        state.answer(setting, committed, self.verdict, None);
        (self.reach, state)
    }
}

impl Ord for Future {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.reach.total_cmp(&other.reach).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Future {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Future {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Future {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::{Question, QuestionId, Search, Verdict};
    use crate::engine::{Config, EvidenceView, Knowledge, drive, monotone};

    /// Keeps up to `width` questions in flight, answers a random one, cancels what is not wanted.
    /// Returns the positions kept and the candidates that were accepted, in order.
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
                // The verification may come back to a candidate that the sweep has asked about.
                let known = id.is_none_or(|id| id == question.id);
                assert!(known || search.setting.theta.is_some(), "a candidate has one name");
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
            let after: Vec<usize> = search.removed().iter().collect();
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
                // The empty candidate may be called known only where it is not interesting.
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
    fn width_and_order_of_answers_change_neither_the_path_nor_the_result() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for salt in 0..8 {
            for theta_value in [None, Some(0.03), Some(0.0)] {
                let search = Search::new(60, &theta(theta_value), &EvidenceView::blank(60));
                let judge = |q: &Question| whimsical(q, salt);
                let alone = in_any_order(search.clone(), 1, &mut rng, &judge);
                for width in [2, 5, 20] {
                    let (kept, path) = in_any_order(search.clone(), width, &mut rng, &judge);
                    assert_eq!(kept, alone.0, "salt {salt} width {width}");
                    // Early answers may commit several steps at once, but no others.
                    assert!(path.iter().all(|state| alone.1.contains(state)));
                }
            }
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
                        remove: without.iter().map(|p| p..p + 1).collect(),
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
        assert_eq!(search.removed().count(), 3);
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
        let mut search = Search::new(100, &Config::default(), &EvidenceView::blank(100));
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
}
