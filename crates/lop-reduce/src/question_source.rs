//! The trait of search strategies that give a session its next candidates.

use lop_engine::Verdict;
use lop_grammar::RuleId;

use super::current::{Candidate, Current};
use super::outlook::RemainingEstimate;

/// A source of questions; it learns from the answers, in any order.
pub(super) trait QuestionSource {
    /// Returns the questions whose outcomes are needed now, the most urgent first; none when it is done. A question can
    /// come again under its number until it is answered.
    fn questions(&mut self, most: usize) -> Vec<u64>;
    /// Returns the number of questions that are worth asking at the same time with this number of workers. The other
    /// workers get speculative tests.
    fn width(&self, _workers: usize) -> usize {
        1
    }
    /// The candidate of a question, made of the current state.
    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate;
    /// Whether the answer can still be used.
    fn wants(&self, question: u64) -> bool;
    /// Whether the candidate of a question that was answered *interesting* may still be accepted.
    fn may_accept(&self, question: u64) -> bool;
    /// Takes an outcome. `Some` names the question whose candidate is the best result from now on; it was judged
    /// interesting, now or before. Parts that are removed in it stay removed.
    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64>;
    /// The probability that the candidate of a question is interesting, if the source knows it.
    fn chance(&self, _: u64) -> f64 {
        0.2
    }
    /// The probability that the candidate of a question is interesting, by all that the source knows but the outcomes of
    /// this candidate; `None` if it has no model.
    fn prior(&mut self, _question: u64) -> Option<f64> {
        None
    }
    /// Takes the outcomes of an intermittent test that do not answer a question yet: `ratio` is the logarithm of how much
    /// likelier all of them are if the candidate is interesting than if it isn't. Returns whether the source can choose
    /// its next question by them, which may be another; otherwise the test runs on this candidate again.
    fn weigh(&mut self, _question: u64, _ratio: f64) -> bool {
        false
    }
    /// Too much was asked without a test: the source asks no more, unless a promise depends on it.
    fn give_up(&mut self) {}
    /// Whether a candidate is worth a test that differs only in blanks from one that was refused.
    fn blanks_matter(&self) -> bool {
        true
    }
    /// The name of the pass that asks, if a source asks for several.
    fn pass(&self, _: u64) -> Option<&'static str> {
        None
    }
    /// The grammar's rules that made the last accepted candidate, each once.
    fn rules(&self) -> &[RuleId] {
        &[]
    }
    /// The model's expectation for the remaining questions, if it has one. Asked only for sinks that follow.
    fn ahead(&self) -> Option<RemainingEstimate> {
        None
    }
    /// The subject of the question, for people.
    fn describe(&self, question: u64) -> String;
}
