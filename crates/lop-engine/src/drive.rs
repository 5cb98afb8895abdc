//! Driving a search to its end with a closure instead of a test: for tests, measurements and first steps.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::question::Question;
use crate::search::Search;
use crate::verdict::Verdict;

/// Drives `search` to its end. Returns the number of distinct candidates judged: a verification can repeat a candidate
/// of the sweep, whose outcome a driver's cache knows.
pub fn drive(search: &mut Search, mut judge: impl FnMut(&Question) -> Verdict) -> usize {
    let mut seen = BTreeSet::new();
    while let Some(question) = search.next_test() {
        let mut hasher = DefaultHasher::new();
        question.remove.hash(&mut hasher);
        seen.insert(hasher.finish());
        search.observe(judge(&question));
    }
    seen.len()
}

/// The verdict of a monotone test: interesting as long as every needed unit is there.
pub fn monotone(needed: &[bool], question: &Question) -> Verdict {
    let lost = question.remove.iter().any(|range| needed[range.clone()].contains(&true));
    if lost { Verdict::NotInteresting } else { Verdict::Interesting }
}
