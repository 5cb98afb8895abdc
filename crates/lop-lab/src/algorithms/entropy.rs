//! lop's own search as an algorithm among others.

use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::{BitSet, Config, EvidenceView, Lanes, ListEvidence, Search};

/// Entropy debugging as lop does it: a [`Search`] that is driven to its end.
#[derive(Clone, Debug)]
pub struct Entropy {
    name: &'static str,
    config: Config,
}

impl Entropy {
    /// To 1-minimality: a sweep, and a verification of everything that may have become removable.
    /// All of `config` counts but its θ.
    pub fn minimise(config: Config) -> Self {
        Self { name: "entropy", config: Config { theta: Some(0.0), ..config } }
    }

    /// The sweep alone, like the published algorithm unless it has to minimise. All of `config` but its θ applies.
    pub fn simplify(config: Config) -> Self {
        Self { name: "entropy-simplify", config: Config { theta: None, ..config } }
    }

    /// Reduces to 1-minimality, always with one lane: the baseline of `minimise` with several workers. All of `config`
    /// but its θ and its lanes applies.
    pub fn one_lane(config: Config) -> Self {
        Self { name: "entropy-one-lane", ..Self::minimise(Config { lanes: Lanes::One, ..config }) }
    }

    /// Reduces to 1-minimality, always with many lanes.
    pub fn many_lanes(config: Config) -> Self {
        Self { name: "entropy-lanes", ..Self::minimise(Config { lanes: Lanes::Always, ..config }) }
    }

    /// Reduces like [`Algorithm::reduce`], with the evidence of `view`, and also returns the sequence's evidence.
    ///
    /// # Errors
    /// When the judge stopped.
    pub fn reduce_from(
        &self,
        view: &EvidenceView,
        sizes: &[u32],
        judge: &mut dyn Judge,
    ) -> Result<(BitSet, ListEvidence), Stopped> {
        let mut search = Search::with_sizes(sizes, &self.config, view);
        loop {
            let questions = search.next_tests(judge.width());
            if questions.is_empty() {
                return Ok((search.removed().clone(), search.take_evidence()));
            }
            let candidates: Vec<BitSet> = questions
                .iter()
                .map(|question| {
                    let mut gone = BitSet::with_capacity(sizes.len());
                    question.remove.iter().for_each(|range| gone.insert_range(range.clone()));
                    gone
                })
                .collect();
            for (question, verdict) in questions.iter().zip(judge.round(&candidates)?) {
                search.observe(question.id, verdict);
            }
        }
    }
}

impl Algorithm for Entropy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped> {
        let view = EvidenceView::blank(sizes.len());
        self.reduce_from(&view, sizes, judge).map(|(gone, _)| gone)
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithm::{Algorithm, Judge, Stopped};
    use lop_engine::{BitSet, Config, Verdict};

    use super::Entropy;

    /// A monotone test that counts its rounds and gives up after `patience` of them.
    struct Needs {
        needed: Vec<usize>,
        width: usize,
        rounds: usize,
        patience: usize,
    }

    impl Judge for Needs {
        fn width(&self) -> usize {
            self.width
        }

        fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
            assert!(candidates.len() <= self.width);
            self.rounds += 1;
            if self.rounds > self.patience {
                return Err(Stopped);
            }
            let lost = |gone: &BitSet| self.needed.iter().any(|&unit| gone.contains(unit));
            let verdict = |gone| if lost(gone) { Verdict::NotInteresting } else { Verdict::Interesting };
            Ok(candidates.iter().map(verdict).collect())
        }
    }

    fn needs(width: usize, patience: usize) -> Needs {
        Needs { needed: vec![3, 40, 41, 99], width, rounds: 0, patience }
    }

    #[test]
    fn it_keeps_what_is_needed_at_every_width() {
        for algorithm in [Entropy::minimise(Config::default()), Entropy::simplify(Config::default())] {
            let mut rounds = Vec::new();
            for width in [1, 3, 8] {
                let mut judge = needs(width, usize::MAX);
                let gone = algorithm.reduce(&[1; 100], &mut judge).expect("the judge is patient");
                let kept: Vec<usize> = (0..100).filter(|&unit| !gone.contains(unit)).collect();
                assert_eq!(kept, judge.needed, "{} at width {width}", algorithm.name());
                rounds.push(judge.rounds);
            }
            assert!(rounds[2] < rounds[0], "{rounds:?}");
        }
    }

    #[test]
    fn it_returns_when_the_judge_stops() {
        let algorithm = Entropy::minimise(Config::default());
        let mut judge = needs(1, 5);
        assert_eq!(algorithm.reduce(&[1; 100], &mut judge), Err(Stopped));
        assert_eq!(judge.rounds, 6);
    }
}
