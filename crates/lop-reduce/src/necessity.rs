//! Explains why each token of the result is still there: the outcome of the test without it.
//!
//! This needs no test. Each test leaves a [`Record`] under its candidate's hash. At the end, the candidate without each
//! token is built again and looked up. Names and layout change last, and usually nothing is tested after them. So the
//! records are also looked up for the text before that, whose tokens have the same order.

use std::ops::Range;

use super::memory::{Record, Why};

/// A token of the result and why it stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Why it stays.
    pub why: Why,
    /// The record of the candidate without it; `None` if there was none.
    pub record: Option<Record>,
    /// Whether that was asked before names were shortened and the text was laid out.
    pub was_earlier: bool,
}

/// The necessity map: the reason for each token of a text, ascending; for each character if there is no grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Necessity {
    /// The text that the ranges are of.
    pub text: Vec<u8>,
    /// Whether that is the result; else it is the result before names were shortened and it was laid out.
    pub is_result: bool,
    /// Its tokens.
    pub reasons: Vec<Reason>,
}

impl Necessity {
    /// Counts the tokens with this reason.
    #[must_use]
    pub fn count(&self, why: Why) -> usize {
        self.reasons.iter().filter(|reason| reason.why == why).count()
    }

    /// Completes this map by one of the text before it was finished. Where the tokens are no longer the same ones, the
    /// map that knows more is taken.
    pub(super) fn or_earlier(mut self, earlier: Option<Necessity>) -> Necessity {
        let Some(earlier) = earlier.filter(|_| self.count(Why::Unasked) > 0) else { return self };
        if earlier.reasons.len() != self.reasons.len() {
            let knows_more = earlier.count(Why::Unasked) * self.reasons.len().max(1)
                < self.count(Why::Unasked) * earlier.reasons.len().max(1);
            return if knows_more { Necessity { is_result: false, ..earlier } } else { self };
        }
        for (now, then) in self.reasons.iter_mut().zip(earlier.reasons) {
            if now.why == Why::Unasked && then.why != Why::Unasked {
                *now = Reason { range: now.range.clone(), was_earlier: true, ..then };
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str, whys: &[Why]) -> Necessity {
        let reasons = whys.iter().enumerate().map(|(at, &why)| {
            let record = Record { test: Some(at as u64), pass: "tokens", why, slip: None };
            Reason { range: at..at + 1, why, record: (why != Why::Unasked).then_some(record), was_earlier: false }
        });
        Necessity { text: text.as_bytes().to_vec(), is_result: true, reasons: reasons.collect() }
    }

    #[test]
    fn what_was_asked_before_the_text_was_finished_fills_the_gaps() {
        let now = map("ab", &[Why::Unasked, Why::Timeout]);
        let both = now.or_earlier(Some(map("xy", &[Why::Refused, Why::Refused])));
        let whys: Vec<_> = both.reasons.iter().map(|reason| (reason.why, reason.was_earlier)).collect();
        assert_eq!(whys, [(Why::Refused, true), (Why::Timeout, false)]);
        assert_eq!((both.text.as_slice(), both.is_result), (&b"ab"[..], true));
    }

    #[test]
    fn other_tokens_are_not_mixed_up() {
        let earlier = || Some(map("xyz", &[Why::Refused; 3]));
        let unknown = map("ab", &[Why::Unasked; 2]).or_earlier(earlier());
        assert_eq!((unknown.text.as_slice(), unknown.is_result), (&b"xyz"[..], false));
        let known = map("ab", &[Why::Invalid; 2]).or_earlier(earlier());
        assert_eq!((known.text.as_slice(), known.is_result), (&b"ab"[..], true));
    }
}
