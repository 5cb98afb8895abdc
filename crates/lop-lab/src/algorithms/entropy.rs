//! lop's own search as an algorithm among others. With several workers it tests ahead, as lop's session does: the
//! questions that copies of the search ask after the answers that are likely.

use std::collections::{BinaryHeap, HashMap};
use std::rc::Rc;

use crate::algorithm::{Algorithm, Judge, Stopped};
use crate::simulate::CELLS;
use lop_engine::{BitSet, Config, EvidenceView, ListEvidence, Markov, Question, Search, Verdict};

/// Entropy debugging as lop does it: a [`Search`] that is driven to its end.
#[derive(Clone, Debug)]
pub struct Entropy {
    name: &'static str,
    config: Config,
    /// The chains that the model knows the source to be one of; none if it knows nothing.
    among: Vec<Markov>,
}

impl Entropy {
    /// To 1-minimality: a sweep, and a verification of everything that may have become removable.
    /// All of `config` counts but its θ.
    pub fn minimise(config: Config) -> Self {
        Self { name: "entropy", config: Config { theta: Some(0.0), ..config }, among: Vec::new() }
    }

    /// The sweep alone, like the published algorithm unless it has to minimise. All of `config` but its θ applies.
    pub fn simplify(config: Config) -> Self {
        Self { name: "entropy-simplify", config: Config { theta: None, ..config }, among: Vec::new() }
    }

    /// The sweep alone, with a posterior that forgets nothing: Bayes' rule from the prior of `config`, and for each run the
    /// decision tree that is optimal under it.
    pub fn bayes(config: Config) -> Self {
        Self { name: "entropy-bayes", ..Self::simplify(Config { fixed_share: 0.0, ..config }) }
    }

    /// The sweep alone with a model that doesn't learn: it expects a 90 % waste in runs of twenty from the first unit to the
    /// last.
    pub fn fixed(config: Config) -> Self {
        Self { name: "entropy-fixed", among: vec![Markov::from_share(0.9, 0.95)], ..Self::bayes(config) }
    }

    /// [`bayes`](Self::bayes) with another prior: the source is one of [`CELLS`], each as likely as the others.
    pub fn cells(config: Config) -> Self {
        let among = CELLS.map(|(share, a)| Markov::from_share(share, a)).to_vec();
        Self { name: "entropy-cells", among, ..Self::bayes(config) }
    }

    /// Knows the source: nothing is left to learn.
    pub(crate) fn knowing(chain: Markov, config: Config) -> Self {
        Self { name: "optimum", among: vec![chain], ..Self::bayes(config) }
    }

    /// Whether the evidence of other lists means anything to it.
    pub(crate) fn learns_from_others(&self) -> bool {
        self.among.is_empty()
    }

    /// Reduces like [`Algorithm::reduce`], with the evidence of `view` unless the source is known, and also returns the sequence's evidence.
    ///
    /// # Errors
    /// When the judge stopped.
    pub fn reduce_from(
        &self,
        view: &EvidenceView,
        sizes: &[u32],
        judge: &mut dyn Judge,
    ) -> Result<(BitSet, ListEvidence), Stopped> {
        let own = (!self.among.is_empty()).then(|| EvidenceView::among(&self.among, &self.config));
        let mut search = Search::with_sizes(sizes, &self.config, own.as_ref().unwrap_or(view));
        let mut known = HashMap::new();
        while let Some(question) = search.next_test() {
            let candidate = candidate(&question, sizes.len());
            while !known.contains_key(&candidate) {
                let round = ahead(&search, sizes.len(), judge.width(), &known);
                let verdicts = judge.round(&round)?;
                known.extend(round.into_iter().zip(verdicts));
            }
            search.observe(known[&candidate]);
        }
        Ok((search.removed().clone(), search.take_evidence()))
    }
}

/// The units that a candidate leaves out.
fn candidate(question: &Question, len: usize) -> BitSet {
    let mut gone = BitSet::with_capacity(len);
    question.remove.iter().for_each(|range| gone.insert_range(range.clone()));
    gone
}

/// Answers looked at per candidate, at most: many may lead to one.
const LOOKED_AT: usize = 16;

/// The candidates of a search without an answer that are most likely needed, at most `width` of them, the one that is
/// asked about now first.
fn ahead(search: &Search, len: usize, width: usize, known: &HashMap<BitSet, Verdict>) -> Vec<BitSet> {
    let mut found = Vec::new();
    let mut branches = BinaryHeap::from([Branch { reach: 1.0, order: 0, from: Rc::new(search.clone()), answer: None }]);
    for order in 1..=LOOKED_AT * width {
        let Some(Branch { reach, from, answer, .. }) = branches.pop().filter(|_| found.len() < width) else { break };
        let mut search = Rc::unwrap_or_clone(from);
        answer.into_iter().for_each(|verdict| _ = search.observe(verdict));
        let Some(question) = search.next_test() else { continue };
        let candidate = candidate(&question, len);
        let verdict = known.get(&candidate).copied();
        if verdict.is_none() && !found.contains(&candidate) {
            found.push(candidate);
        }
        let answers = match verdict {
            Some(verdict) => [Some((verdict, 1.0)), None],
            None => [(Verdict::Interesting, question.p_yes), (Verdict::NotInteresting, 1.0 - question.p_yes)].map(Some),
        };
        let from = Rc::new(search);
        for (verdict, chance) in answers.into_iter().flatten() {
            branches.push(Branch { reach: reach * chance, order, from: Rc::clone(&from), answer: Some(verdict) });
        }
    }
    found
}

/// A search before an answer that it may get. Half of them are never looked at, so the answer is given only then.
struct Branch {
    /// The probability that the search gets here.
    reach: f64,
    /// Of equal ones, the older comes first.
    order: usize,
    from: Rc<Search>,
    answer: Option<Verdict>,
}

impl Ord for Branch {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.reach.total_cmp(&other.reach).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Branch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Branch {}

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
            assert!(rounds[1] < rounds[0] && rounds[2] < rounds[1], "{rounds:?}");
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
