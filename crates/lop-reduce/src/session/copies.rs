//! Copies of a session: they continue along its course, each in a branch of speculation.

use std::any::Any;
use std::sync::Arc;

use super::Session;
use super::course::{Course, Leg, OpenQuestion, Pursuit, Start, TakenOver};
use super::observed::Observed;
use super::running::Link;
use crate::interrupt::Interrupt;
use crate::question_source::QuestionSource;
use crate::speculation::board::SharedBranch;

impl<'a, 'g: 'a, L> Session<'a, 'g, L> {
    /// Copies the state without its course; the copy gets its answers from another side.
    pub(crate) fn with_link<M>(&self, link: M) -> Session<'a, 'g, M> {
        Session {
            link,
            course: Course::default(),
            cancel: self.cancel,
            options: self.options,
            gate: self.gate.clone(),
            current: self.current.clone(),
            memory: self.memory.clone(),
            confidence: self.confidence.clone(),
            deadlines: self.deadlines.clone(),
            observed: Observed { skipped: self.observed.skipped.clone(), ..Observed::new(false) },
            statistics: self.statistics.clone(),
            clock: self.clock.clone(),
            untested: self.untested.clone(),
        }
    }
}

/// A session that is the state and no more: a copy of it can continue from here.
pub(crate) type Saved<'a, 'g> = Session<'a, 'g, ()>;

impl<'a, 'g> Saved<'a, 'g> {
    /// Continues in a branch of speculation.
    pub(crate) fn in_branch(&self, branch: &SharedBranch<'a>) -> Session<'a, 'g> {
        self.with_link(Link::Branch(SharedBranch::clone(branch)))
    }
}

impl<'a, 'g> Session<'a, 'g> {
    /// Sets a checkpoint, from which speculation can continue. No question is open. A branch of speculation may end here.
    pub(crate) fn set_checkpoint(&mut self, start: Start<'a, Saved<'a, 'g>>) -> Result<(), Interrupt> {
        self.course = Course::from(&start);
        self.continue_copies_from(Arc::new(move |branch| start(branch, Course::from(&start))))
    }

    /// Drops the checkpoint, which is not that of the present state.
    pub(crate) fn forget_checkpoint(&mut self) {
        self.course = Course::default();
        self.stop_copies();
    }

    /// Takes over this course from the checkpoint, at which the session is.
    pub(crate) fn follow(&mut self, course: Course<'a, Saved<'a, 'g>>) {
        self.course = course;
    }

    /// Whether legs are left to take over: a checkpoint before them is not new.
    pub(crate) fn is_behind(&self) -> bool {
        self.course.is_behind()
    }

    /// Takes over the result of work, if that is the next leg.
    pub(crate) fn take_result<T: Any + Send + Sync>(&mut self) -> Option<Arc<T>> {
        let Leg::Work(result) = self.next_leg()? else { return None };
        let result = Arc::clone(result).downcast().ok()?;
        self.course.advance();
        Some(result)
    }

    /// Keeps the result of work for copies.
    pub(crate) fn keep_result<T: Any + Send + Sync>(&mut self, result: &Arc<T>) {
        if self.is_followed() {
            self.add_leg(Leg::Work(Arc::<T>::clone(result)));
        }
    }

    /// Takes over the state after work, if that is the next leg.
    pub(crate) fn take_state(&mut self) -> bool {
        let Some(Leg::State(session)) = self.next_leg().cloned() else { return false };
        self.become_copy_of(&session);
        self.course.advance();
        true
    }

    /// Keeps the state after work for copies.
    pub(crate) fn keep_state(&mut self) {
        if self.is_followed() {
            self.add_leg(Leg::State(Arc::new(self.with_link(()))));
        }
    }

    /// Has copies continue from the next checkpoint only: the code after this differs from theirs.
    pub(crate) fn leave_course(&mut self) {
        self.course = Course::default();
    }

    /// Whether copies have many legs to take over.
    pub(crate) fn is_far(&self) -> bool {
        self.course.is_long() && !self.is_behind()
    }

    fn add_leg(&mut self, leg: Leg<Saved<'a, 'g>>) {
        self.course.add(leg, &self.current.best().text);
    }

    /// Takes over a state, and keeps the branch and the course.
    fn become_copy_of(&mut self, session: &Saved<'a, 'g>) {
        let course = std::mem::take(&mut self.course);
        if let Link::Branch(branch) = &self.link {
            *self = session.in_branch(branch);
        }
        self.course = course;
    }

    /// The next leg that a copy can take over. The search itself makes all of them.
    fn next_leg(&self) -> Option<&Leg<Saved<'a, 'g>>> {
        self.course.next().filter(|_| self.is_copy())
    }

    /// Whether copies may continue along the course.
    fn is_followed(&self) -> bool {
        self.course.has_start() && !self.is_behind() && self.looks_ahead()
    }

    /// Takes over the next pursuit, if that is the next leg.
    pub(super) fn take_pursuit(&mut self, source: &mut dyn QuestionSource) -> TakenOver {
        let Some(Leg::Pursuit(pursuit)) = self.next_leg().cloned() else {
            return TakenOver::Nothing;
        };
        if !source.take_over(&pursuit.source) {
            return TakenOver::Nothing;
        }
        self.become_copy_of(&pursuit.session);
        if let Some(question) = &pursuit.question {
            // It isn't over yet.
            self.course.reopen();
            TakenOver::Until(question.clone())
        } else {
            self.course.advance();
            TakenOver::All
        }
    }

    /// Keeps the state at the end of a pursuit for copies. After an interrupt the search goes another way than they would.
    pub(super) fn keep_pursuit(&mut self, source: &dyn QuestionSource, was_interrupted: bool) {
        if was_interrupted {
            self.leave_course();
        } else if self.is_followed() {
            self.add_leg(self.at(source, None));
        }
    }

    /// Lets speculation continue from a question that it doesn't have yet. A branch of speculation may end here.
    pub(super) fn mark(&mut self, source: &dyn QuestionSource, question: &OpenQuestion) -> Result<(), Interrupt> {
        if !self.is_news(&question.candidate) {
            return Ok(());
        }
        if self.is_behind() {
            // This copy has gone another way: its checkpoint was in the middle of a step, and it began that again.
            self.leave_course();
        }
        if !self.is_followed() {
            return Ok(());
        }
        let checkpoint = self.course.and_then(self.at(source, Some(question.clone())));
        checkpoint.map_or(Ok(()), |checkpoint| self.continue_copies_from(checkpoint))
    }

    fn at(&self, source: &dyn QuestionSource, question: Option<OpenQuestion>) -> Leg<Saved<'a, 'g>> {
        let mut session = self.with_link(());
        if let Some(gate) = session.gate.as_mut().filter(|_| question.is_none()) {
            gate.forget_candidate();
        }
        Leg::Pursuit(Arc::new(Pursuit { session, source: source.state(), question }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use lop_passes::Removal;
    use lop_run::exec::{Executor, Job, Ticket};
    use lop_run::oracle::{Cancel, Outcome};
    use lop_syntax::Edit;

    use super::super::running::Tests;
    use super::*;
    use crate::event::Silent;
    use crate::options::Options;
    use crate::ordered::first_interesting;
    use crate::size::Size;
    use crate::speculation::board::Speculation;
    use lop_engine::Verdict;

    /// Two workers, and a test that nothing passes.
    struct Refusals(VecDeque<Ticket>);

    impl Executor for Refusals {
        fn slots(&self) -> usize {
            2
        }

        fn submit(&mut self, job: Job) {
            self.0.push_back(job.ticket);
        }

        fn wait(&mut self) -> Option<(Ticket, Outcome)> {
            self.0.pop_front().map(|ticket| (ticket, Outcome::of(Verdict::NotInteresting)))
        }

        fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
            None
        }

        fn wait_for(&mut self, _: std::time::Duration) -> Option<(Ticket, Outcome)> {
            // Speculation comes first.
            std::thread::yield_now();
            None
        }

        fn cancel(&mut self, _: Ticket) {}

        fn shutdown(&mut self) {}
    }

    /// The legs of the search and of its copies (`true`).
    #[derive(Debug, PartialEq, Eq, Hash, Clone, Copy)]
    enum Done {
        Candidate(usize),
        Work,
        ChangedState,
    }

    type Log = Mutex<Vec<(bool, Done)>>;

    /// Asks about four characters, does some work, and asks about four others.
    fn search(session: &mut Session<'_, '_>, log: &Log) -> Result<(), Interrupt> {
        let is_copy = session.is_copy();
        let note = |done| log.lock().expect("nothing panics").push((is_copy, done));
        for from in [0, 4] {
            first_interesting(session, 4, "a character", 0.1, |at, current| {
                note(Done::Candidate(from + at));
                let removal = Removal::Edits(vec![Edit::delete(from + at..from + at + 1)]);
                current.candidate(std::iter::once(&removal), true)
            })?;
            if from == 0 && session.take_result::<()>().is_none() {
                note(Done::Work);
                session.keep_result(&Arc::new(()));
            }
            if from == 0 && !session.take_state() {
                note(Done::ChangedState);
                session.enter_pass("characters", 2)?;
                session.keep_state();
            }
        }
        Ok(())
    }

    /// Continues a copy of this state.
    fn from_here<'a, 'g: 'a>(saved: Saved<'a, 'g>, log: Arc<Log>) -> Start<'a, Saved<'a, 'g>> {
        Arc::new(move |branch, course| {
            let mut copy = saved.in_branch(branch);
            copy.follow(course);
            let _ = search(&mut copy, &log);
        })
    }

    #[test]
    fn a_copy_continues_at_a_question_and_repeats_nothing() {
        let (log, options, cancel) = (Arc::<Log>::default(), Options::default(), Cancel::new());
        let (mut executor, mut sink, speculation) = (Refusals(VecDeque::new()), Silent, Speculation::new());
        let tests = Tests::new(&mut executor, &mut sink, Arc::clone(&speculation));
        let text: Arc<[u8]> = b"abcdefgh".as_slice().into();
        let mut session = Session::new(text, Size::default(), None, tests, &cancel, &options);
        session.statistics.pass = "characters";
        speculation.explored_by(1, || {
            let start = from_here(session.with_link(()), Arc::clone(&log));
            session.set_checkpoint(start).expect("no branch ends here");
            search(&mut session, &log).expect("nothing stops it");
            session.leave_ahead().expect("nothing stops it");
        });
        let log = log.lock().expect("nothing panics");
        let done_by = |copy: bool| log.iter().filter(move |(is_copy, _)| *is_copy == copy).map(|(_, done)| *done);
        let first = (0..4).map(Done::Candidate);
        let all: Vec<_> = first.chain([Done::Work, Done::ChangedState]).chain((4..8).map(Done::Candidate)).collect();
        assert_eq!(done_by(false).collect::<Vec<_>>(), all);
        let times = |what: Done| done_by(true).filter(|done| *done == what).count();
        assert_eq!(times(Done::Candidate(0)), 0, "the search was there before: {log:?}");
        assert!((1..4).all(|at| times(Done::Candidate(at)) == 1), "{log:?}");
        // Each of the four candidates may be interesting, or none.
        let (work, changes) = (times(Done::Work), times(Done::ChangedState));
        assert!(work == changes && (1..=5).contains(&work), "{log:?}");
    }
}
