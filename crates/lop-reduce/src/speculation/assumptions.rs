//! Assumptions: the answers that a branch of speculation expects, one after the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use lop_engine::Verdict;
use lop_run::exec::Key;

/// An assumed answer, with the assumptions before it.
pub(super) struct Expected {
    pub(super) key: Key,
    pub(super) is_yes: bool,
    likelihood: f64,
    before: Assumptions,
    /// Whether this assumption and all before it are confirmed, or one is refuted.
    settled: AtomicU8,
}

/// The assumptions of a branch, the last one first.
pub(super) type Assumptions = Option<Arc<Expected>>;

const OPEN: u8 = 0;
const CONFIRMED: u8 = 1;
const REFUTED: u8 = 2;

impl Expected {
    pub(super) fn new(key: Key, is_yes: bool, likelihood: f64, before: Assumptions) -> Assumptions {
        Some(Arc::new(Expected { key, is_yes, likelihood, before, settled: AtomicU8::new(OPEN) }))
    }
}

impl Drop for Expected {
    /// Drops a long chain in a loop, because recursion would be too deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut expected) = next.and_then(Arc::into_inner) {
            next = expected.before.take();
        }
    }
}

/// Computes the likelihood that the search gets to the end of a branch, given the known answers.
pub(super) fn reach(assumed: &Assumptions, known: &HashMap<Key, Verdict>) -> f64 {
    let (mut reach, mut is_open) = (1.0, false);
    for expected in std::iter::successors(assumed.as_ref(), |expected| expected.before.as_ref()) {
        match expected.settled.load(Ordering::Relaxed) {
            CONFIRMED => break,
            REFUTED => return 0.0,
            _ => {}
        }
        match known.get(&expected.key) {
            None => {
                reach *= expected.likelihood;
                is_open = true;
            }
            Some(verdict) if (*verdict == Verdict::Interesting) == expected.is_yes => {}
            Some(_) => {
                expected.settled.store(REFUTED, Ordering::Relaxed);
                return 0.0;
            }
        }
    }
    if let Some(last) = assumed.as_ref().filter(|_| !is_open) {
        last.settled.store(CONFIRMED, Ordering::Relaxed);
    }
    reach
}

/// Returns the answer that a branch assumes.
pub(super) fn assumed_answer(assumed: &Assumptions, key: &Key) -> Option<Verdict> {
    let all = std::iter::successors(assumed.as_ref(), |expected| expected.before.as_ref());
    // Confirmed assumptions are among the known answers.
    let mut open = all.take_while(|expected| expected.settled.load(Ordering::Relaxed) != CONFIRMED);
    open.find(|expected| expected.key == *key).map(|expected| verdict(expected.is_yes))
}

pub(super) fn verdict(is_yes: bool) -> Verdict {
    if is_yes { Verdict::Interesting } else { Verdict::NotInteresting }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_run::exec::key;

    #[test]
    fn a_long_branch_ends_without_a_deep_stack() {
        let step = |before, number: u32| Expected::new(key(&number.to_le_bytes()), true, 0.9, before);
        let assumed = (0..300_000).fold(None, step);
        assert!(reach(&assumed, &HashMap::new()) < 1e-9);
        drop(assumed);
    }
}
