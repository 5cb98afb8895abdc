//! The trait of search strategies that give a session its next candidates.

use std::any::Any;

use lop_engine::Verdict;
use lop_grammar::RuleId;

use super::current::{Candidate, Current};
use super::outlook::RemainingEstimate;

/// The state of a source.
pub(super) type SourceState = Box<dyn Any + Send + Sync>;

/// A source of questions, one after the other; it learns from each answer.
pub(super) trait QuestionSource {
    /// Whether there is another question. It stays the same until it is answered.
    fn ask(&mut self) -> bool;
    /// The candidate of the question, made of the current state.
    fn candidate(&mut self, current: &Current<'_>) -> Candidate;
    /// Takes the answer to the question. If it is *interesting*, the candidate is the best result from now on.
    fn observe(&mut self, verdict: Verdict);
    /// The probability that the candidate is interesting, if the source knows it.
    fn chance(&self) -> f64 {
        0.2
    }
    /// The probability that the candidate is interesting, by all that the source knows but the outcomes of this candidate;
    /// `None` if it has no model.
    fn prior(&mut self) -> Option<f64> {
        None
    }
    /// Takes the outcomes of an intermittent test that do not answer the question yet: `ratio` is the logarithm of how
    /// much likelier all of them are if the candidate is interesting than if it isn't. Returns whether the source can
    /// choose its next question by them, which may be another; otherwise the test runs on this candidate again.
    fn weigh(&mut self, _ratio: f64) -> bool {
        false
    }
    /// Too much was asked without a test: the source asks no more, unless a promise depends on it.
    fn give_up(&mut self) {}
    /// Whether a candidate is worth a test that differs only in blanks from one that was refused.
    fn blanks_matter(&self) -> bool {
        true
    }
    /// The name of the pass that asks, or whose candidate was accepted, if a source asks for several.
    fn pass(&self) -> Option<&'static str> {
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
    /// Copies the state, open question included.
    fn state(&self) -> SourceState;
    /// Continues from the state of a source of the same questions. Returns `false`, and changes nothing, if it is of
    /// others.
    #[must_use]
    fn take_over(&mut self, state: &SourceState) -> bool;
    /// The subject of the question, for people.
    fn describe(&self) -> String;
}
