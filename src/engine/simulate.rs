//! Simulated sequences and interestingness tests, for tests and benchmarks.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rand::{Rng, RngExt};

use super::search::{Question, Search, Verdict};

/// A source of sequences of needed and removable units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Markov {
    /// P(removable | removable).
    pub a: f64,
    /// P(removable | needed).
    pub b: f64,
}

impl Markov {
    /// From the stationary share of removable units and P(removable | removable). A `share` below 1
    /// is required.
    pub fn from_share(share: f64, a: f64) -> Self {
        Self {
            a,
            b: share * (1.0 - a) / (1.0 - share),
        }
    }

    /// The stationary share of removable units.
    pub fn share(&self) -> f64 {
        self.b / (1.0 - self.a + self.b)
    }

    /// A sequence of `len` units, `true` for needed, that starts in the stationary state.
    pub fn sequence(&self, len: usize, rng: &mut impl Rng) -> Vec<bool> {
        let mut p = self.share();
        (0..len)
            .map(|_| {
                let removable = rng.random::<f64>() < p;
                p = if removable { self.a } else { self.b };
                !removable
            })
            .collect()
    }
}

/// What driving a search to its end took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Distinct candidates judged.
    pub tests: usize,
    /// Rounds of at most `width` candidates judged at once.
    pub rounds: usize,
}

/// Drives `search` to its end, judging up to `width` questions per round.
pub fn drive(
    search: &mut Search,
    width: usize,
    mut judge: impl FnMut(&Question) -> Verdict,
) -> Tally {
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
    let lost = question
        .remove
        .iter()
        .any(|range| needed[range.clone()].contains(&true));
    if lost {
        Verdict::NotInteresting
    } else {
        Verdict::Interesting
    }
}
