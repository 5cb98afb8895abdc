//! Simulated sequences and interestingness tests, for tests and benchmarks.

pub(crate) mod families;
#[cfg(test)]
mod figures;
pub(crate) mod optimum;
#[cfg(test)]
mod oracles;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::question::Question;
use crate::search::Search;
use crate::verdict::Verdict;

/// Share of removable units and P(removable | removable) of the 23 sources that the engine is measured
/// on, from dense to sparse; sequences have 500 units there.
pub const CELLS: [(f64, f64); 23] = [
    (0.5, 0.5),
    (0.5, 0.75),
    (0.5, 0.95),
    (0.5, 0.99),
    (0.5, 0.999),
    (0.75, 0.75),
    (0.75, 0.95),
    (0.75, 0.99),
    (0.75, 0.999),
    (0.9, 0.9),
    (0.9, 0.95),
    (0.9, 0.99),
    (0.9, 0.999),
    (0.95, 0.95),
    (0.95, 0.99),
    (0.95, 0.999),
    (0.99, 0.99),
    (0.99, 0.999),
    (0.995, 0.995),
    (0.995, 0.999),
    (0.998, 0.998),
    (0.998, 0.999),
    (0.999, 0.999),
];

/// What driving a search to its end took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Distinct candidates judged.
    pub tests: usize,
    /// Rounds of at most `width` candidates judged at once.
    pub rounds: usize,
}

/// Drives `search` to its end, judging up to `width` questions per round.
pub fn drive(search: &mut Search, width: usize, mut judge: impl FnMut(&Question) -> Verdict) -> Tally {
    let mut tally = Tally::default();
    let mut seen = BTreeSet::new();
    loop {
        let questions = search.next_tests(width);
        if questions.is_empty() {
            return tally;
        }
        tally.rounds += 1;
        for question in questions {
            // Verification may come back to a candidate of the sweep, which a driver's cache answers.
            let mut hasher = DefaultHasher::new();
            question.remove.hash(&mut hasher);
            tally.tests += usize::from(seen.insert(hasher.finish()));
            let verdict = judge(&question);
            search.observe(question.id, verdict);
        }
    }
}

/// The verdict of a monotone test: interesting as long as every needed unit is there.
pub fn monotone(needed: &[bool], question: &Question) -> Verdict {
    let lost = question.remove.iter().any(|range| needed[range.clone()].contains(&true));
    if lost { Verdict::NotInteresting } else { Verdict::Interesting }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::{drive, monotone};
    use crate::{Config, EvidenceView, Markov, Search};

    #[test]
    fn a_long_sequence_has_the_share_it_was_made_for() {
        let chain = Markov::from_share(0.9, 0.95);
        assert!((chain.share() - 0.9).abs() < 1e-12 && (chain.b - 0.45).abs() < 1e-12);
        let sequence = chain.sequence(100_000, &mut ChaCha8Rng::seed_from_u64(3));
        let needed = sequence.iter().filter(|&&needed| needed).count();
        assert!((9_000..11_000).contains(&needed), "{needed}");
    }

    #[test]
    fn independent_units_have_an_entropy_each() {
        let coins = Markov::from_share(0.5, 0.5);
        assert!((coins.entropy(20) - 20.0).abs() < 1e-12);
        assert_eq!(coins.entropy(0), 0.0);
        assert!(Markov::from_share(0.5, 0.9).entropy(20) < 12.0);
    }

    #[test]
    fn the_code_length_is_the_entropy_of_the_source() {
        let chain = Markov::from_share(0.9, 0.95);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let config = Config { theta: None, fixed_share: 0.0, ..Config::default() };
        let view = EvidenceView::known(chain.a, chain.b);
        let mut bits = 0.0;
        for _ in 0..20 {
            let needed = chain.sequence(500, &mut rng);
            let mut search = Search::new(500, &config, &view);
            drive(&mut search, 1, |question| monotone(&needed, question));
            bits += search.take_evidence().code_length;
        }
        assert!((bits / (20.0 * chain.entropy(500)) - 1.0).abs() < 0.05, "{bits}");
    }
}
