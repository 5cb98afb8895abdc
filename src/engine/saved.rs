//! What a run has learnt, as plain numbers that can be kept for later runs.

use super::minimality::BUCKETS;
use super::steps::{MOST, Steps};

/// Numbers that no run can have learnt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// The chances of verification are kept in other buckets here.
    #[error("it has {0} chances of verification instead of {BUCKETS}")]
    Buckets(usize),
    /// A count is too large.
    #[error("it counts more units than there can be")]
    TooMany,
}

/// What was learnt about the lists of one kind at one depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lesson {
    /// The kind, as the caller numbers it in this run.
    pub kind: u32,
    /// The depth, as the caller counts it.
    pub depth: u32,
    /// What their units showed.
    pub steps: Steps,
}

/// What was learnt in whole runs: independent of the grid, so that it holds for inputs of any size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedEvidence {
    lessons: Vec<Lesson>,
    verification: [(u64, u64); BUCKETS],
}

impl SavedEvidence {
    /// The largest count that is believed.
    pub const MOST: u64 = MOST;

    /// From numbers that were kept. `verification` has, per bucket of distance from the removal that
    /// came after their certificate, the kept units that could go then and those that could not.
    ///
    /// # Errors
    /// When they cannot be a run's.
    pub fn new(lessons: Vec<Lesson>, verification: &[(u64, u64)]) -> Result<Self, SavedError> {
        let buckets = verification.try_into().map_err(|_| SavedError::Buckets(verification.len()))?;
        let counts = verification.iter().all(|pair| pair.0 <= MOST && pair.1 <= MOST);
        if !counts || !lessons.iter().all(|lesson| lesson.steps.is_possible()) {
            return Err(SavedError::TooMany);
        }
        Ok(Self { lessons, verification: buckets })
    }

    /// From counts that a run has made.
    pub(super) fn of_run(lessons: Vec<Lesson>, verification: [(u64, u64); BUCKETS]) -> Self {
        Self { lessons, verification }
    }

    /// What was learnt per kind and depth.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// Per bucket: verified units that could go, and those that could not.
    pub fn verification(&self) -> &[(u64, u64); BUCKETS] {
        &self.verification
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::{Lesson, SavedError, SavedEvidence};
    use crate::engine::exposure::Ahead;
    use crate::engine::markov::{Before, Posterior};
    use crate::engine::minimality::BUCKETS;
    use crate::engine::steps::MOST;
    use crate::engine::{Config, EvidenceView, Knowledge, Markov, Search, Steps, drive, monotone};

    const NOTHING: [(u64, u64); BUCKETS] = [(0, 0); BUCKETS];

    /// Reduces lists of one kind and absorbs what they teach; returns the tests.
    fn reduce(knowledge: &mut Knowledge, chain: Markov, lists: usize, seed: u64) -> usize {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut tests = 0;
        for _ in 0..lists {
            let needed = chain.sequence(20, &mut rng);
            let mut search = Search::new(20, &Config::default(), &knowledge.view(3, 2));
            tests += drive(&mut search, 1, |question| monotone(&needed, question)).tests;
            knowledge.absorb(3, 2, &search.take_evidence());
        }
        tests
    }

    #[test]
    fn what_is_saved_is_what_was_learnt_and_not_what_was_recalled() {
        let mut first = Knowledge::new(200);
        reduce(&mut first, Markov { a: 0.9, b: 0.5 }, 10, 1);
        let saved = first.saved();
        let [lesson] = saved.lessons() else { panic!("one kind at one depth: {saved:?}") };
        assert_eq!((lesson.kind, lesson.depth, lesson.steps.units()), (3, 2, 200));
        assert!(saved.verification().iter().any(|pair| pair.1 > 0), "kept units were asked again");
        let mut second = Knowledge::new(50);
        second.recall(&saved);
        assert_eq!(second.saved(), SavedEvidence::default());
        reduce(&mut second, Markov { a: 0.9, b: 0.5 }, 1, 2);
        assert_eq!(second.saved().lessons()[0].steps.units(), 20);
    }

    #[test]
    fn what_two_runs_learnt_adds_up_to_what_one_would_have() {
        let chain = Markov { a: 0.9, b: 0.5 };
        let [mut whole, mut half, mut other] = [(); 3].map(|()| Knowledge::new(200));
        reduce(&mut half, chain, 10, 1);
        reduce(&mut other, chain, 10, 2);
        reduce(&mut whole, chain, 10, 1);
        reduce(&mut whole, chain, 10, 2);
        let mut sum = half.saved().lessons()[0].steps;
        sum.add(&other.saved().lessons()[0].steps);
        assert_eq!(whole.saved().lessons()[0].steps, sum, "however the questions went");
        // Two lessons about one kind at one depth are one.
        let [mut of_two, mut of_one] = [(); 2].map(|()| Knowledge::new(50));
        of_two.recall(&half.saved());
        of_two.recall(&other.saved());
        let lesson = Lesson { kind: 3, depth: 2, steps: sum };
        of_one.recall(&SavedEvidence::new(vec![lesson], &NOTHING).expect("a run's"));
        assert_eq!(of_two.view(3, 2).log_likelihood, of_one.view(3, 2).log_likelihood);
    }

    /// Predicted run lengths behind a needed unit.
    fn predicted(view: &EvidenceView) -> Vec<f64> {
        let prior = view.grid.log_prior(-0.5);
        let start: Vec<f64> = prior.iter().zip(&view.log_likelihood).map(|(prior, log)| prior + log).collect();
        let survival =
            Posterior::new(view.grid.clone(), &start, &prior, 0.0).survival(Before::Needed, &Ahead::default());
        [1, 2, 4, 8, 16].map(|length| survival.at(length)).to_vec()
    }

    #[test]
    fn evidence_predicts_run_lengths_on_grids_for_other_sizes() {
        let mut teacher = Knowledge::new(500);
        reduce(&mut teacher, Markov { a: 0.9, b: 0.5 }, 30, 1);
        let truth = predicted(&EvidenceView::known(0.9, 0.5));
        let error = |knowledge: &Knowledge| {
            let errors = predicted(&knowledge.view(3, 2)).into_iter().zip(&truth).map(|(p, truth)| (p - truth).abs());
            errors.fold(0.0, f64::max)
        };
        for leaves in [20, 500, 10_000] {
            let mut knowledge = Knowledge::new(leaves);
            let without = error(&knowledge);
            knowledge.recall(&teacher.saved());
            let with = error(&knowledge);
            assert!(with < 0.6 * without, "{leaves}: {with} {without}");
        }
    }

    #[test]
    fn recalled_evidence_saves_tests_on_lists_of_the_same_kind() {
        let (mut with, mut without) = (0, 0);
        for seed in 0..20 {
            let chain = if seed % 2 == 0 { Markov { a: 0.98, b: 0.9 } } else { Markov { a: 0.3, b: 0.1 } };
            let mut teacher = Knowledge::new(2_000);
            reduce(&mut teacher, chain, 10, 1_000 + seed);
            let mut pupil = Knowledge::new(100);
            pupil.recall(&teacher.saved());
            with += reduce(&mut pupil, chain, 4, seed);
            without += reduce(&mut Knowledge::new(100), chain, 4, seed);
        }
        assert!(with * 100 < without * 98, "{with} {without}");
    }

    #[test]
    fn wrong_evidence_costs_tests_and_nothing_else() {
        let full = Steps { first: (MOST, 0), after_needed: (MOST, 0), after_removable: (MOST, 0) };
        let empty = Steps { first: (0, MOST), after_needed: (0, MOST), after_removable: (0, MOST) };
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for steps in [full, empty] {
            for verification in [[(MOST, 0); BUCKETS], [(0, MOST); BUCKETS]] {
                let lesson = Lesson { kind: 3, depth: 2, steps };
                let saved = SavedEvidence::new(vec![lesson], &verification).expect("the largest that is believed");
                let mut knowledge = Knowledge::new(100);
                knowledge.recall(&saved);
                let needed = Markov { a: 0.7, b: 0.5 }.sequence(60, &mut rng);
                let config = Config { theta: Some(0.0), ..Config::default() };
                let mut search = Search::new(60, &config, &knowledge.view(3, 2));
                let tally = drive(&mut search, 1, |question| monotone(&needed, question));
                let kept: Vec<bool> = (0..60).map(|unit| !search.removed().contains(unit)).collect();
                assert_eq!(kept, needed);
                assert!(tally.tests < 4 * 60, "{}", tally.tests);
            }
        }
    }

    #[test]
    fn numbers_of_no_run_are_refused() {
        let lesson = |steps| vec![Lesson { kind: 1, depth: 0, steps }];
        let steps = Steps { after_needed: (0, MOST + 1), ..Steps::default() };
        assert_eq!(SavedEvidence::new(lesson(steps), &NOTHING), Err(SavedError::TooMany));
        let mut verification = NOTHING;
        verification[4].0 = u64::MAX;
        assert_eq!(SavedEvidence::new(Vec::new(), &verification), Err(SavedError::TooMany));
        assert_eq!(SavedEvidence::new(Vec::new(), &NOTHING[1..]), Err(SavedError::Buckets(BUCKETS - 1)));
        assert_eq!(SavedEvidence::new(Vec::new(), &NOTHING), Ok(SavedEvidence::default()));
    }
}
