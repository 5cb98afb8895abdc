//! The course of a session since its last checkpoint. A copy with it continues at a question that the search has come
//! to, without any of those before it.
//!
//! A checkpoint is a state of the reducer. The code after it consists of pursuits, each with its source of questions, and
//! of the work between them. These are the legs of the course. A copy goes through the same code again. But of each
//! earlier pursuit it takes over only the state at its end, of work that takes long only the result, and of the last
//! pursuit the state at the open question.

use std::any::Any;
use std::sync::Arc;

use crate::current::Candidate;
use crate::question_source::SourceState;
use crate::speculation::board::{Checkpoint, SharedBranch};

/// Limits of a course. At as many legs, which take some kilobytes each, or bytes of text it ends, and copies can't continue
/// at a question again until the next checkpoint.
const MOST_LEGS: usize = 1 << 10;
const MOST_BYTES: usize = 16 << 20;
/// A course is long with as many legs or bytes of text, because each text may have a tree.
const MANY_LEGS: usize = 24;
const MANY_BYTES: usize = 1 << 17;

/// Continues a copy in a branch from a checkpoint, along a course.
pub(crate) type Start<'a, S> = Arc<dyn Fn(&SharedBranch<'a>, Course<'a, S>) + Send + Sync + 'a>;

/// The legs since the last checkpoint of a session with this saved state.
pub(crate) struct Course<'a, S> {
    /// `None` where copies can't continue.
    start: Option<Start<'a, S>>,
    legs: Vec<Leg<S>>,
    /// The number of those that this session has made or taken over.
    made: usize,
    /// The best result at the last leg, and the bytes of all those since the checkpoint.
    text: Option<Arc<[u8]>>,
    bytes: usize,
}

/// A part of a course.
pub(super) enum Leg<S> {
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

impl<S> Clone for Leg<S> {
    fn clone(&self) -> Self {
        match self {
            Leg::Pursuit(pursuit) => Leg::Pursuit(Arc::clone(pursuit)),
            Leg::Work(result) => Leg::Work(Arc::clone(result)),
            Leg::State(session) => Leg::State(Arc::clone(session)),
        }
    }
}

impl<S> Default for Course<'_, S> {
    fn default() -> Self {
        Course { start: None, legs: Vec::new(), made: 0, text: None, bytes: 0 }
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

    /// Whether legs are left that this session has not made.
    pub(super) fn is_behind(&self) -> bool {
        self.made < self.legs.len()
    }

    /// The next leg, if it was made before.
    pub(super) fn next(&self) -> Option<&Leg<S>> {
        self.legs.get(self.made)
    }

    /// The next leg is taken over.
    pub(super) fn advance(&mut self) {
        self.made += 1;
    }

    /// The next leg is taken over but for its end, which is left to make.
    pub(super) fn reopen(&mut self) {
        self.legs.truncate(self.made);
    }

    /// Whether it is so long that copies had better begin elsewhere.
    pub(super) fn is_long(&self) -> bool {
        self.start.is_none() || self.legs.len() >= MANY_LEGS || self.bytes >= MANY_BYTES
    }

    /// A leg was made that has led to this best result.
    pub(super) fn add(&mut self, leg: Leg<S>, text: &Arc<[u8]>) {
        if !self.text.as_ref().is_some_and(|last| Arc::ptr_eq(last, text)) {
            self.bytes += text.len();
            self.text = Some(Arc::clone(text));
        }
        if self.legs.len() == MOST_LEGS || self.bytes > MOST_BYTES {
            *self = Course::default();
        } else {
            self.legs.push(leg);
            self.made += 1;
        }
    }

    /// Returns the checkpoint at the end of the course and of one leg more.
    pub(super) fn and_then(&self, leg: Leg<S>) -> Option<Checkpoint<'a>> {
        let start = Arc::clone(self.start.as_ref()?);
        let bytes = self.bytes;
        let legs: Vec<_> = self.legs.iter().cloned().chain([leg]).collect();
        Some(Arc::new(move |branch| {
            start(branch, Course { legs: legs.clone(), bytes, ..Course::from(&start) });
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course<'static, ()> {
        let start: Start<'static, ()> = Arc::new(|_, _| {});
        Course::from(&start)
    }

    /// The number of legs on these texts until the course ends, and until it is long.
    fn lengths(texts: impl Iterator<Item = Arc<[u8]>>) -> (usize, usize) {
        let (mut course, mut long) = (course(), None);
        for (number, text) in texts.enumerate() {
            course.add(Leg::State(Arc::new(())), &text);
            if !course.has_start() {
                return (number, long.expect("it was long before"));
            }
            long = long.or(course.is_long().then_some(number + 1));
        }
        panic!("it goes on");
    }

    #[test]
    fn a_course_ends_when_it_takes_too_much_memory() {
        let text: Arc<[u8]> = vec![b' '; 1 << 20].into();
        assert_eq!(lengths(std::iter::repeat_with(|| text[..9].into())), (MOST_LEGS, MANY_LEGS));
        assert_eq!(lengths(std::iter::repeat_with(|| Arc::from(&text[..]))), (MOST_BYTES >> 20, 1));
        let same = std::iter::repeat_with(|| Arc::clone(&text));
        assert_eq!(lengths(same), (MOST_LEGS, 1), "one text is there once");
        assert!(Course::<()>::default().is_long(), "copies can't begin there");
    }

    #[test]
    fn a_copy_makes_what_is_left_of_a_course() {
        let mut course = course();
        let text: Arc<[u8]> = Arc::default();
        (0..3).for_each(|_| course.add(Leg::State(Arc::new(())), &text));
        assert!(!course.is_behind() && course.next().is_none());
        course.made = 0;
        course.advance();
        assert!(course.is_behind() && course.next().is_some());
        course.reopen();
        assert!(!course.is_behind() && course.legs.len() == 1);
    }
}
