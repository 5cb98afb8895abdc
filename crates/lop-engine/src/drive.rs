//! Driving a search to its end with a closure in the place of the test: for tests, measurements and first steps.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::question::Question;
use crate::search::Search;
use crate::verdict::Verdict;

/// The cost of driving a search to its end.
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
            // A verification can repeat a candidate of the sweep, whose outcome a driver's cache knows.
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
