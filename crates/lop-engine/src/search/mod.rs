//! The search over one sequence: asks one question at a time, takes the answer, and commits what was interesting.

pub(crate) mod findings;
pub(crate) mod sweep;
pub(crate) mod verification;

use std::ops::Range;
use std::sync::Arc;

use crate::BitSet;
use crate::config::Config;
use crate::model::chances::Chances;
use crate::model::estimate::{self, Estimate};
use crate::model::evidence::ListEvidence;
use crate::model::exposure::Exposure;
use crate::model::posterior::Posterior;
use crate::model::view::EvidenceView;
use crate::question::Question;
use crate::runs::Runs;
use crate::search::findings::Findings;
use crate::search::sweep::{ClosedRun, Sweep};
use crate::search::verification::Verification;
use crate::verdict::Verdict;

#[derive(Clone, Debug)]
enum Phase {
    Sweep(Box<Sweep>),
    Verify(Box<Verification>),
    Finished,
}

/// The search over one sequence of units.
///
/// Positions are `0..len` in sweep order; the caller maps them to units. The same answers lead to the same questions. If
/// the test is monotone, the result is the set of needed units. For any other test every committed state was judged
/// interesting, and with `theta` = 0 the last one is 1-minimal.
///
/// A search is a value that is cheap to clone. To keep several workers busy, give a clone the answer that you expect,
/// and test what it asks next.
#[derive(Clone, Debug)]
pub struct Search {
    len: usize,
    theta: Option<f64>,
    empty_known_uninteresting: bool,
    phase: Phase,
    posterior: Arc<Posterior>,
    chances: Chances,
    removed: Arc<BitSet>,
    runs: Arc<Runs>,
    findings: Findings,
}

impl Search {
    /// Makes a sweep over `len` undecided units with the evidence of `view`, followed by a verification if
    /// `config.theta` asks for it.
    pub fn new(len: usize, config: &Config, view: &EvidenceView) -> Self {
        Self::sweep(len, Exposure::default(), config, view)
    }

    /// Makes a search over units with these sizes, in sweep order. It learns whether larger units are needed more
    /// often. Equal sizes make no difference.
    pub fn with_sizes(sizes: &[u32], config: &Config, view: &EvidenceView) -> Self {
        Self::sweep(sizes.len(), Exposure::new(sizes), config, view)
    }

    fn sweep(len: usize, exposure: Exposure, config: &Config, view: &EvidenceView) -> Self {
        let empty = config.empty_known_uninteresting;
        let mut search = Self::idle(len, config, view, empty.then_some(len));
        let (sweep, closed) = Sweep::new(len, exposure, empty, &mut search.posterior);
        search.phase = Phase::Sweep(Box::new(sweep));
        search.advance(closed);
        search
    }

    /// Only the verification of `len` units that have no certificate, one unit per question: with
    /// `theta` = 0 the result is 1-minimal.
    pub fn for_verification(len: usize, config: &Config, view: &EvidenceView) -> Self {
        let mut search = Self::idle(len, config, view, None);
        if let Some(theta) = config.theta {
            let empty = config.empty_known_uninteresting;
            search.phase = Phase::Verify(Box::new(Verification::uncertified(len, view.chances.clone(), theta, empty)));
        }
        search.advance(Vec::new());
        search
    }

    /// A search without questions. `not_all` units aren't removable all together.
    fn idle(len: usize, config: &Config, view: &EvidenceView, not_all: Option<usize>) -> Self {
        let evidence = ListEvidence::new(view.grid.clone(), true);
        Self {
            len,
            theta: config.theta,
            empty_known_uninteresting: config.empty_known_uninteresting,
            phase: Phase::Finished,
            posterior: Arc::new(Posterior::start(config, view, not_all)),
            chances: view.chances.clone(),
            removed: Arc::new(BitSet::with_capacity(len)),
            runs: Arc::default(),
            findings: Findings::new(evidence),
        }
    }

    /// Returns the next question; `None` if the search is finished. Until it is answered, the same question comes again.
    pub fn next_test(&mut self) -> Option<Question> {
        let (asked, p_yes) = self.ask()?;
        let mut remove = Runs::clone(&self.runs);
        remove.insert(asked.clone());
        Some(Question { remove: remove.iter().collect(), asked, p_yes })
    }

    /// The units that the next question asks about, and the probability of yes.
    fn ask(&mut self) -> Option<(Range<usize>, f64)> {
        match &mut self.phase {
            Phase::Sweep(sweep) => sweep.ask(),
            Phase::Verify(verification) => {
                let pick = verification.pick()?;
                Some((pick.position..pick.position + 1, pick.chance))
            }
            Phase::Finished => None,
        }
    }

    /// Ends a sweep: undecided units stay, and there are no further questions. A verification continues, because a
    /// guarantee depends on it.
    pub fn give_up(&mut self) {
        if matches!(self.phase, Phase::Sweep(_)) {
            self.phase = Phase::Finished;
        }
    }

    /// The probability that the answer to the next question will be *interesting*, by all that is known but the outcomes
    /// of the question itself; `None` if there is no question.
    pub fn chance(&mut self) -> Option<f64> {
        match &mut self.phase {
            Phase::Sweep(sweep) => sweep.chance(),
            Phase::Verify(verification) => Some(verification.pick()?.chance),
            Phase::Finished => None,
        }
    }

    /// Takes outcomes of an intermittent test that do not answer the next question yet: `ratio` is the logarithm of how
    /// much likelier all outcomes of the question so far are if its candidate is interesting than if it is not. The next
    /// question may be another one then. An answer, by `observe`, is a ratio without limit.
    pub fn weigh(&mut self, ratio: f64) {
        if let Phase::Sweep(sweep) = &mut self.phase {
            sweep.weigh(ratio);
        }
    }

    /// Takes the answer to the question that [`Search::next_test`] returns. Returns whether there was one: if it is
    /// *interesting*, its candidate is the committed state from now on.
    pub fn observe(&mut self, verdict: Verdict) -> bool {
        let Some((asked, _)) = self.ask() else { return false };
        let yes = verdict == Verdict::Interesting;
        self.findings.evidence.tests += 1;
        if yes {
            Arc::make_mut(&mut self.removed).insert_range(asked.clone());
            Arc::make_mut(&mut self.runs).insert(asked);
        }
        let mut closed = Vec::new();
        match &mut self.phase {
            Phase::Sweep(sweep) => closed = sweep.answer(yes, verdict == Verdict::Timeout, &mut self.posterior),
            Phase::Verify(verification) => {
                if let Some(pick) = verification.pick() {
                    self.findings.verified(pick, verdict);
                    if yes {
                        verification.remove(pick);
                    } else {
                        verification.keep(pick, verdict != Verdict::Timeout);
                    }
                }
            }
            Phase::Finished => {}
        }
        self.advance(closed);
        true
    }

    /// Adds decisions to the findings, and continues with the verification or ends if the sweep has decided everything.
    fn advance(&mut self, closed: Vec<ClosedRun>) {
        closed.into_iter().for_each(|run| self.findings.decided(run));
        if matches!(&self.phase, Phase::Sweep(sweep) if sweep.is_finished()) {
            let (len, empty) = (self.len, self.empty_known_uninteresting);
            self.phase = self.theta.map_or(Phase::Finished, |theta| {
                let chances = self.chances.clone();
                Phase::Verify(Box::new(Verification::after_sweep(len, &self.runs, chances, theta, empty)))
            });
        }
        if matches!(&self.phase, Phase::Verify(verification) if verification.pick().is_none()) {
            self.phase = Phase::Finished;
        }
    }

    /// The units that are removed for good: the committed state.
    pub fn removed(&self) -> &BitSet {
        &self.removed
    }

    /// Units that are decided and kept.
    pub fn needed_count(&self) -> usize {
        match &self.phase {
            Phase::Sweep(sweep) => sweep.kept(),
            Phase::Verify(_) | Phase::Finished => self.len - self.removed.count_ones(..),
        }
    }

    /// Units that are neither removed nor found needed yet.
    pub fn undecided(&self) -> usize {
        self.undecided_positions().len()
    }

    /// The positions of undecided units.
    pub fn undecided_positions(&self) -> Range<usize> {
        match &self.phase {
            Phase::Sweep(sweep) => sweep.undecided(),
            Phase::Verify(_) | Phase::Finished => self.len..self.len,
        }
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

    use super::{Question, Search, Verdict};
    use crate::{Config, EvidenceView, Knowledge, drive, monotone};

    #[test]
    fn a_sweep_that_is_given_up_ends_with_what_was_removed_and_a_verification_goes_on() {
        let next = |search: &mut Search| search.next_test();
        let config = Config { theta: None, empty_known_uninteresting: true, ..Config::default() };
        let mut search = Search::new(500, &config, &EvidenceView::blank(500));
        assert!(search.observe(Verdict::Interesting), "nothing is decided");
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

    /// Drives a search to its end. Returns the kept positions and the committed states in order.
    fn run(mut search: Search, judge: &dyn Fn(&Question) -> Verdict) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut path = Vec::new();
        while let Some(question) = search.next_test() {
            let (verdict, mut expected) = (judge(&question), search.removed().clone());
            assert!(search.observe(verdict));
            if verdict == Verdict::Interesting {
                expected.insert_range(question.asked);
                path.push(search.removed().ones().collect());
            }
            assert_eq!(&expected, search.removed());
        }
        assert!(search.is_finished() && !search.observe(Verdict::Interesting));
        ((0..search.removed().len()).filter(|&p| !search.removed().contains(p)).collect(), path)
    }

    fn bits(set: usize, len: usize) -> Vec<bool> {
        (0..len).map(|i| set >> i & 1 == 1).collect()
    }

    fn theta(theta: Option<f64>) -> Config {
        Config { theta, ..Config::default() }
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

    /// The question whose candidate leaves out these positions.
    fn without(positions: &[usize]) -> Question {
        let remove = positions.iter().map(|&p| p..p + 1).collect();
        Question { remove, asked: 0..0, p_yes: 0.5 }
    }

    #[test]
    fn what_is_kept_is_what_is_needed_for_every_subset_of_ten() {
        for set in 0..1024 {
            let needed = bits(set, 10);
            let expected: Vec<usize> = (0..10).filter(|&i| needed[i]).collect();
            // The empty candidate may only be declared known if it isn't interesting.
            for (theta, empty) in [(None, false), (Some(0.0), set != 0)] {
                let config = Config { theta, empty_known_uninteresting: empty, ..Config::default() };
                let search = Search::new(10, &config, &EvidenceView::blank(10));
                assert_eq!(run(search, &|q| monotone(&needed, q)).0, expected);
            }
        }
    }

    #[test]
    fn every_committed_state_was_judged_interesting() {
        for salt in 0..30 {
            let search = Search::new(80, &theta(Some(0.0)), &EvidenceView::blank(80));
            let (kept, path) = run(search, &|q| whimsical(q, salt));
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

    #[test]
    fn a_clone_that_is_given_the_answer_asks_what_the_search_asks_next() {
        let mut search = Search::new(300, &theta(Some(0.0)), &EvidenceView::blank(300));
        while let Some(question) = search.next_test() {
            assert_eq!(search.next_test(), Some(question.clone()), "asking again changes nothing");
            let verdict = whimsical(&question, 5);
            let (mut right, mut wrong) = (search.clone(), search.clone());
            right.observe(verdict);
            wrong.observe(Verdict::from(verdict != Verdict::Interesting));
            search.observe(verdict);
            assert_eq!(right.next_test(), search.next_test());
            assert_ne!(wrong.next_test(), search.next_test());
        }
    }

    #[test]
    fn every_decided_unit_is_told_once() {
        let needed: Vec<bool> = (0..300).map(|i| i % 31 == 3).collect();
        let mut search = Search::new(300, &theta(None), &EvidenceView::blank(300));
        let (mut kept, mut told) = (Vec::new(), 0);
        while let Some(question) = search.next_test() {
            search.observe(monotone(&needed, &question));
            for (positions, needed) in search.take_decided() {
                assert_eq!(positions.start, told);
                told += positions.len();
                kept.extend(needed);
            }
        }
        assert_eq!(kept, (0..300).filter(|&i| needed[i]).collect::<Vec<_>>());
        assert_eq!(told, 300);
    }

    #[test]
    fn units_that_depend_on_others_end_with_what_is_needed() {
        // A unit can be removed after the one before it, except for the needed ones.
        let needed: Vec<bool> = (0..120).map(|i| i % 40 == 39).collect();
        let judge = |question: &Question| {
            let gone = |p: usize| question.remove.iter().any(|r| r.contains(&p));
            let free = |p: usize| p == 0 || gone(p - 1) || needed[p - 1];
            if (0..120).any(|p| gone(p) && (needed[p] || !free(p))) { Verdict::Invalid } else { Verdict::Interesting }
        };
        let mut search = Search::new(120, &theta(Some(0.0)), &EvidenceView::blank(120));
        drive(&mut search, judge);
        assert_eq!(search.removed().count_ones(..), 117);
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
                drive(&mut search, |q| whimsical(q, salt));
                for unit in (0..40).filter(|&p| !search.removed().contains(p)) {
                    let mut gone = search.removed().clone();
                    gone.insert(unit);
                    let verdict = whimsical(&without(&gone.ones().collect::<Vec<_>>()), salt);
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
        drive(&mut search, |question| {
            let count: usize = question.remove.iter().map(ExactSizeIterator::len).sum();
            assert_eq!(count, last + 1);
            let verdict = monotone(&needed, question);
            last += usize::from(verdict == Verdict::Interesting);
            verdict
        });
        assert_eq!(search.removed().count_ones(..), 3);
    }

    #[test]
    fn an_empty_list_is_finished_at_once() {
        for verification in [false, true] {
            let start = if verification { Search::for_verification } else { Search::new };
            let mut search = start(0, &Config::default(), &EvidenceView::blank(0));
            assert!(search.is_finished() && search.next_test().is_none());
        }
    }

    #[test]
    fn the_only_unit_needs_no_test_when_empty_is_known() {
        let config = Config { empty_known_uninteresting: true, ..theta(Some(0.0)) };
        let mut search = Search::new(1, &config, &EvidenceView::blank(1));
        assert!(search.next_test().is_none());
        assert_eq!(search.needed_count(), 1);
    }

    #[test]
    fn a_timeout_keeps_the_unit_and_teaches_the_model_nothing() {
        let mut search = Search::new(30, &theta(None), &EvidenceView::blank(30));
        drive(&mut search, |_| Verdict::Timeout);
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
            counts.push(drive(&mut search, |q| monotone(&needed, q)));
            knowledge.absorb(1, 2, &search.take_evidence());
        }
        assert!(counts[1] < counts[0], "{counts:?}");
    }

    #[test]
    fn a_paused_search_gives_its_evidence_in_parts() {
        let needed: Vec<bool> = (0..60).map(|i| i % 7 == 3).collect();
        let view = EvidenceView::blank(60);
        let mut whole = Search::new(60, &theta(None), &view);
        drive(&mut whole, |q| monotone(&needed, q));
        let whole = whole.take_evidence();
        let mut search = Search::new(60, &theta(None), &view);
        let mut parts = Vec::new();
        while let Some(question) = search.next_test() {
            search.observe(monotone(&needed, &question));
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
        let tally = drive(&mut search, |q| monotone(&needed, q));
        assert!(first > 0.0 && first < 10.0 * tally as f64);
        assert_eq!(search.expected_remaining_tests(), 0.0);
    }

    /// The runs that a sweep takes with a test that shows what is interesting in this share of its runs, and the removable
    /// units that it leaves. With `weighs` the search may ask another question before one is decided.
    fn with_intermittent(needed: &[bool], rate: f64, seed: u64, weighs: bool) -> (usize, usize) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let config = Config { theta: None, empty_known_uninteresting: false, ..Config::default() };
        let mut search = Search::new(needed.len(), &config, &EvidenceView::blank(needed.len()));
        let mut outcomes: BTreeMap<Vec<usize>, (i32, i32)> = BTreeMap::new();
        let mut runs = 0;
        while let Some(question) = search.next_test() {
            runs += 1;
            let yes = monotone(needed, &question) == Verdict::Interesting && random.random_bool(rate);
            let (seen, missed) = outcomes.entry(question.remove.iter().cloned().flatten().collect()).or_default();
            *(if yes { &mut *seen } else { &mut *missed }) += 1;
            let likelihood = |rate: f64| rate.powi(*seen) * (1.0 - rate).powi(*missed);
            let ratio = (likelihood(rate) / likelihood(0.01)).ln();
            let chance = search.chance().expect("a sweep has a model").clamp(0.05, 0.9);
            let odds = (chance / (1.0 - chance)).ln() + ratio;
            if odds.abs() > 20_f64.ln() {
                search.observe(Verdict::from(odds > 0.0));
            } else if weighs {
                search.weigh(ratio);
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
