//! The course of a session since its last checkpoint. A copy with it continues at a question that the search has come
//! to, without any of those before it.
//!
//! A checkpoint is a state of the driver. The driver's code after it consists of pursuits, each with its source of
//! questions, and of the work between them. A copy goes through the same code again. But of each earlier pursuit it takes
//! over only the state at its end, of work that takes long only the result, and of the last pursuit the state at the
//! open question.

use std::any::Any;
use std::sync::Arc;

use crate::current::Candidate;
use crate::question_source::SourceState;
use crate::speculation::board::{Checkpoint, SharedBranch};

/// In a longer course copies begin at the checkpoint: each of the steps takes some kilobytes.
const MOST_STEPS: usize = 1 << 10;
/// With as many steps, or texts of as many bytes, the course is long: each text may have a tree.
const MANY_STEPS: usize = 64;
const MANY_BYTES: usize = 1 << 20;

/// Continues a copy in a branch from a checkpoint, along a course.
pub(crate) type Start<'a, S> = Arc<dyn Fn(&SharedBranch<'a>, Course<'a, S>) + Send + Sync + 'a>;

/// The steps since the last checkpoint of a session with this saved state.
pub(crate) struct Course<'a, S> {
    /// `None` where copies can't continue.
    start: Option<Start<'a, S>>,
    steps: Vec<Step<S>>,
    /// The number of those that this session has made or taken over.
    made: usize,
    /// Bytes of the texts of all steps.
    bytes: usize,
}

pub(super) enum Step<S> {
    Pursuit(Arc<Pursuit<S>>),
    /// The result of work between two pursuits.
    Work(Arc<dyn Any + Send + Sync>),
    /// The state after work that changes the session.
    State(Arc<S>),
}

/// A pursuit that has ended or has an open question.
pub(super) struct Pursuit<S> {
    pub(super) session: S,
    pub(super) source: SourceState,
    pub(super) question: Option<OpenQuestion>,
}

/// A question whose candidate needs a test.
#[derive(Clone)]
pub(super) struct OpenQuestion {
    pub(super) candidate: Candidate,
    /// The odds of the candidate before any outcome of its own.
    pub(super) odds: f64,
    /// The probability that the next outcome is *interesting*.
    pub(super) chance: f64,
}

/// The part of a pursuit that a copy has taken over.
pub(super) enum TakenOver {
    Nothing,
    /// All before this question.
    Until(OpenQuestion),
    All,
}

impl<S> Clone for Step<S> {
    fn clone(&self) -> Self {
        match self {
            Step::Pursuit(pursuit) => Step::Pursuit(Arc::clone(pursuit)),
            Step::Work(result) => Step::Work(Arc::clone(result)),
            Step::State(session) => Step::State(Arc::clone(session)),
        }
    }
}

impl<S> Default for Course<'_, S> {
    fn default() -> Self {
        Course { start: None, steps: Vec::new(), made: 0, bytes: 0 }
    }
}

impl<'a, S: Send + Sync + 'a> Course<'a, S> {
    /// Begins at a checkpoint.
    pub(super) fn from(start: &Start<'a, S>) -> Self {
        Course { start: Some(Arc::clone(start)), ..Course::default() }
    }

    /// Whether copies can continue along it.
    pub(super) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Whether steps are left that this session has not made.
    pub(super) fn is_behind(&self) -> bool {
        self.made < self.steps.len()
    }

    /// The next step, if it was made before.
    pub(super) fn next(&self) -> Option<&Step<S>> {
        self.steps.get(self.made)
    }

    /// The next step is taken over.
    pub(super) fn advance(&mut self) {
        self.made += 1;
    }

    /// The next step is taken over but for its end, which is left to make.
    pub(super) fn reopen(&mut self) {
        self.steps.truncate(self.made);
    }

    /// Whether it is so long that copies had better begin elsewhere.
    pub(super) fn is_long(&self) -> bool {
        self.start.is_none() || self.steps.len() >= MANY_STEPS || self.bytes >= MANY_BYTES
    }

    /// A step was made, on a text of this number of bytes.
    pub(super) fn add(&mut self, step: Step<S>, bytes: usize) {
        if self.steps.len() == MOST_STEPS {
            *self = Course::default();
        } else {
            self.steps.push(step);
            self.made += 1;
            self.bytes += bytes;
        }
    }

    /// Returns the checkpoint at the end of the course and of one step more.
    pub(super) fn and_then(&self, step: Step<S>) -> Option<Checkpoint<'a>> {
        let start = Arc::clone(self.start.as_ref()?);
        let bytes = self.bytes;
        let steps: Vec<_> = self.steps.iter().cloned().chain([step]).collect();
        Some(Arc::new(move |branch| {
            start(branch, Course { steps: steps.clone(), bytes, ..Course::from(&start) });
        }))
    }
}
