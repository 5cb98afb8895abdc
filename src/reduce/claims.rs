//! What 1-minimality rests on: the deletions of the finished result, one by one, with what is known of each; and
//! asking a test about them again.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::Verdict;
use crate::exec::{Executor, Job, Ticket};
use crate::oracle::{Cancel, Outcome};
use crate::syntax::Rendering;

use super::options::Minimal;

/// What is known of a deletion of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The test gave this verdict on the result without it.
    Judged(Verdict),
    /// It was not tested: without it the result would have syntax errors that it does not have.
    Unsound,
    /// It was never asked about in the text as it is now, because the result was not verified.
    Unasked,
}

/// Bytes of the result, and what would stand in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes.
    pub range: Range<usize>,
    /// Mostly nothing; a blank where two words would become one.
    pub text: Vec<u8>,
}

/// A deletion of the result after which it should not be interesting any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it is a deletion of: a unit, a token or a character.
    pub level: Minimal,
    /// What is changed, in the order of the text.
    pub changes: Vec<Change>,
    /// What is known of it.
    pub known: Known,
}

impl Claim {
    /// The result without it; `None` if the changes are not in order or not within the result.
    #[must_use]
    pub fn candidate(&self, result: &[u8]) -> Option<Vec<u8>> {
        let (mut text, mut at) = (Vec::with_capacity(result.len()), 0);
        for Change { range, text: instead } in &self.changes {
            text.extend_from_slice(result.get(at..range.start)?);
            text.extend_from_slice(instead);
            result.get(range.clone())?;
            at = range.end;
        }
        text.extend_from_slice(&result[at..]);
        Some(text)
    }

    /// What makes a text of another.
    pub(super) fn changes(rendering: &Rendering, old: usize) -> Vec<Change> {
        let mut changes = Vec::new();
        let (mut from, mut written) = (0, 0);
        let mut change = |range: Range<usize>, text: &[u8]| {
            if !range.is_empty() || !text.is_empty() {
                changes.push(Change { range, text: text.to_vec() });
            }
        };
        for (kept, new) in rendering.kept() {
            change(from..kept.start, &rendering.text[written..new]);
            (from, written) = (kept.end, new + kept.len());
        }
        change(from..old, &rendering.text[written..]);
        changes
    }
}

/// Asks a test about deletions of a result again, as many at the same time as the executor has slots, and tells of
/// each answer. Stops when `cancel` does; then not all were told of.
///
/// # Panics
/// When a claim is none about this result: see [`Claim::candidate`].
pub fn ask_again(
    result: &[u8],
    claims: &[&Claim],
    executor: &mut dyn Executor,
    deadline: Duration,
    cancel: &Cancel,
    tell: &mut dyn FnMut(usize, Outcome),
) {
    let mut next = 0;
    let mut running = 0;
    loop {
        while running < executor.slots() && next < claims.len() && !cancel.is_stopped() {
            let candidate: Arc<[u8]> = claims[next].candidate(result).expect("a claim about this result").into();
            executor.submit(Job { ticket: Ticket(next as u64), candidate, deadline });
            (next, running) = (next + 1, running + 1);
        }
        let Some((ticket, outcome)) = executor.wait() else { return };
        running -= 1;
        tell(usize::try_from(ticket.0).expect("the number of a claim"), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Inline;
    use crate::reduce::{Options, Silent, reduce_with};
    use crate::syntax::{Edit, render};

    fn claim(changes: &[(Range<usize>, &str)]) -> Claim {
        let change =
            |(range, text): &(Range<usize>, &str)| Change { range: range.clone(), text: text.as_bytes().to_vec() };
        Claim { level: Minimal::Char, changes: changes.iter().map(change).collect(), known: Known::Unasked }
    }

    #[test]
    fn changes_make_the_candidate_of_the_result() {
        let result = b"one, two, three";
        for edits in [
            vec![],
            vec![Edit::delete(0..5)],
            vec![Edit::delete(3..8), Edit::delete(8..15)],
            vec![Edit::delete(0..3), Edit::delete(10..15)],
            vec![Edit::delete(0..15)],
        ] {
            let rendering = render(result, edits);
            let claim = Claim { changes: Claim::changes(&rendering, result.len()), ..claim(&[]) };
            assert_eq!(claim.candidate(result).as_deref(), Some(rendering.text.as_slice()));
        }
    }

    #[test]
    fn changes_of_another_text_have_no_candidate() {
        for changes in [&[(3..6, "")][..], &[(2..3, ""), (1..2, "")], &[(6..7, "")]] {
            assert_eq!(claim(changes).candidate(b"12345"), None, "{changes:?}");
        }
        assert_eq!(claim(&[(1..2, ""), (4..5, "x")]).candidate(b"12345").as_deref(), Some(&b"134x"[..]));
    }

    #[test]
    fn a_minimal_text_has_a_claim_for_each_character_and_all_hold() {
        let judge = |text: &[u8]| match text.windows(3).any(|part| part == b"abc") {
            true => Verdict::Interesting,
            false => Verdict::NotInteresting,
        };
        let mut executor = Inline::new(judge);
        let report =
            reduce_with(b"some\nxabcx\ntext", None, &mut executor, &Options::default(), &mut Silent, &Cancel::new())
                .expect("it is interesting");
        assert_eq!((report.best.as_slice(), report.claims.len()), (&b"abc"[..], 3));
        assert!(report.claims.iter().all(|claim| claim.known == Known::Judged(Verdict::NotInteresting)));
        let claims: Vec<_> = report.claims.iter().collect();
        // Another test, for which the first letter is not needed.
        let mut executor = Inline::new(|text| match text.ends_with(b"bc") {
            true => Verdict::Interesting,
            false => Verdict::NotInteresting,
        });
        let mut answers = vec![None; claims.len()];
        let mut tell = |number: usize, outcome: Outcome| answers[number] = outcome.verdict;
        ask_again(&report.best, &claims, &mut executor, Duration::from_secs(9), &Cancel::new(), &mut tell);
        for (claim, answer) in claims.iter().zip(answers) {
            let expected =
                if claim.changes[0].range == (0..1) { Verdict::Interesting } else { Verdict::NotInteresting };
            assert_eq!(answer, Some(expected), "{claim:?}");
        }
    }
}
