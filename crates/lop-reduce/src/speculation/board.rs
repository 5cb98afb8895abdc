//! The board: the questions that speculation has found and the branches that are left to explore. The session's thread
//! and the threads that explore share it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use lop_engine::Verdict;
use lop_run::exec::{Job, Key, key};

use super::assumptions::{Assumptions, Expected, assumed_answer, reach, verdict};
use super::expectations::Expectations;

/// The default of [`Options::least_chance`](crate::Options), with up to 6 workers. With more of them it is
/// `SHARE_OF_WORKERS` divided by their number. With 0.1, 4 and 16 workers begin 15 and 40 % more tests of 30 ms, for 5
/// and 9 % less time.
const LEAST_CHANCE: f64 = 0.35;
const SHARE_OF_WORKERS: f64 = 2.4;

/// The number of answers to keep: a branch has fewer of them since its checkpoint.
const MOST_KNOWN: usize = 1 << 14;

/// Number of questions to find per worker: the search won't ask some of them.
const PER_WORKER: usize = 2;

/// One thread explores for this number of cores, and at most this number of threads do.
const CORES_PER_THREAD: usize = 4;
const MOST_THREADS: usize = 4;

/// The least chance that a question will be asked for an early test of it to be worth while.
pub(crate) fn least_chance(wanted: Option<f64>, workers: usize) -> f64 {
    wanted.unwrap_or_else(|| LEAST_CHANCE.min(SHARE_OF_WORKERS / workers as f64))
}

/// A state of the search: continues the reduction from there along a branch, until that ends. The branch has the answers
/// since then, which are one or none if the state is that at a question.
pub(crate) type Checkpoint<'a> = Arc<dyn Fn(&SharedBranch<'a>) + Send + Sync + 'a>;

/// A branch that the copied session and its reducer share.
pub(crate) type SharedBranch<'a> = Rc<RefCell<Branch<'a>>>;

/// The speculation of a reduction, shared by the session's thread and those that explore.
pub(crate) struct Speculation<'a> {
    board: Mutex<Board<'a>>,
    /// There may be something to explore, or nothing any more.
    news: Condvar,
}

/// See the [module](self).
pub(crate) struct Board<'a> {
    unexplored: Vec<Unexplored<'a>>,
    /// The branch that each thread explores.
    under_way: HashMap<ThreadId, Assumptions>,
    questions: HashMap<Key, Found>,
    /// The latest answer to each question, whether the search has asked it already or not.
    pub(super) known: HashMap<Key, Verdict>,
    /// Its keys, the oldest first.
    order: VecDeque<Key>,
    /// Candidates that did not pass the gate in a branch since the last start.
    refused: HashSet<Key>,
    pub(crate) expectations: Expectations,
    /// The last checkpoint of the search.
    checkpoint: Option<Checkpoint<'a>>,
    /// It changes when the search has taken a path that no branch has.
    pub(super) epoch: u64,
    workers: usize,
    least_chance: f64,
    /// The number of threads that explore.
    threads: usize,
    /// The number of questions found so far.
    found: u64,
    is_closed: bool,
}

/// A question that speculation has found, and that has no answer yet.
struct Found {
    job: Job,
    /// The number of questions found before it.
    order: u64,
    /// The assumptions of each branch that leads to it.
    assumed: Vec<Assumptions>,
}

impl Found {
    fn reach(&self, known: &HashMap<Key, Verdict>) -> f64 {
        self.assumed.iter().map(|assumed| reach(assumed, known)).sum()
    }
}

impl<'a> Speculation<'a> {
    /// Makes a board with nothing on it.
    pub(crate) fn new() -> Arc<Self> {
        let board = Board {
            unexplored: Vec::new(),
            under_way: HashMap::new(),
            questions: HashMap::new(),
            known: HashMap::new(),
            order: VecDeque::new(),
            refused: HashSet::new(),
            expectations: Expectations::default(),
            checkpoint: None,
            epoch: 0,
            workers: 1,
            least_chance: 1.0,
            threads: 0,
            found: 0,
            is_closed: false,
        };
        Arc::new(Speculation { board: Mutex::new(board), news: Condvar::new() })
    }

    /// The board, for a moment.
    pub(crate) fn board(&self) -> MutexGuard<'_, Board<'a>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the threads that explore, after something has changed on the board.
    pub(crate) fn wake(&self) {
        self.news.notify_all();
    }

    /// Does something while this number of threads explore.
    pub(crate) fn explored_by<T>(self: &Arc<Self>, threads: usize, work: impl FnOnce() -> T) -> T {
        /// Ends the threads, also after a panic.
        struct Closing<'s, 'a>(&'s Speculation<'a>);
        impl Drop for Closing<'_, '_> {
            fn drop(&mut self) {
                self.0.close();
            }
        }
        thread::scope(|scope| {
            let _closing = Closing(self);
            for _ in 0..threads {
                // Without a thread, idle workers wait.
                let thread = thread::Builder::new().name("lop-ahead".into()).spawn_scoped(scope, || self.explore());
                self.board().threads += usize::from(thread.is_ok());
            }
            work()
        })
    }

    /// Ends the threads that explore.
    fn close(&self) {
        let mut board = self.board();
        board.is_closed = true;
        board.stop();
        drop(board);
        self.wake();
    }

    /// The number of threads that should explore on this machine.
    pub(crate) fn threads() -> usize {
        (thread::available_parallelism().map_or(1, usize::from) / CORES_PER_THREAD).clamp(1, MOST_THREADS)
    }

    /// Explores branches, the likeliest first, until the speculation is closed.
    pub(crate) fn explore(self: &Arc<Self>) {
        while let Some((epoch, unexplored)) = self.next() {
            let checkpoint = Arc::clone(&unexplored.from);
            let branch = Rc::new(RefCell::new(Branch::new(self, epoch, unexplored)));
            // A panic after wrong assumptions doesn't come in the search; one after right ones ends the search there.
            let _ = catch_unwind(AssertUnwindSafe(|| checkpoint(&branch)));
            self.board().under_way.remove(&thread::current().id());
        }
    }

    /// Waits for a branch that is worth exploring; `None` if the speculation is closed.
    fn next(&self) -> Option<(u64, Unexplored<'a>)> {
        let mut board = self.board();
        while !board.is_closed {
            if let Some(unexplored) = board.take_likeliest() {
                board.under_way.insert(thread::current().id(), unexplored.assumed.clone());
                return Some((board.epoch, unexplored));
            }
            board = self.news.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

impl<'a> Board<'a> {
    /// Sets the number of workers, and the least chance of a question that is worth an early test.
    pub(crate) fn serve(&mut self, workers: usize, least_chance: f64) {
        (self.workers, self.least_chance) = (workers, least_chance);
    }

    /// Sets the checkpoint that speculation starts at when the search takes another path than those found, or `None` if
    /// it can't.
    pub(crate) fn set_checkpoint(&mut self, checkpoint: Option<Checkpoint<'a>>) {
        self.checkpoint = checkpoint;
        if self.unexplored.is_empty() && self.under_way.is_empty() && self.questions.is_empty() {
            self.start_over();
        }
    }

    /// Ends speculation until there is a checkpoint again.
    pub(crate) fn stop(&mut self) {
        self.checkpoint = None;
        self.start_over();
    }

    /// Takes note of an answer that the search gets now.
    pub(crate) fn answered(&mut self, key: &Key, verdict: Verdict) {
        self.expectations.learn(key, verdict == Verdict::Interesting);
    }

    /// Whether a branch has found a question, or it has an answer.
    pub(crate) fn knows(&self, key: &Key) -> bool {
        self.known.contains_key(key) || self.questions.contains_key(key)
    }

    /// Takes note of a question that the search asks. If no branch has it, speculation starts over.
    pub(crate) fn asked(&mut self, key: Key, pass: &'static str, chance: f64) {
        self.expectations.expect(key, pass, chance);
        if !self.knows(&key) {
            self.start_over();
        }
    }

    /// Takes note of an outcome, whether the search has asked for it or not.
    pub(crate) fn learn(&mut self, key: Key, verdict: Verdict) {
        if self.known.insert(key, verdict).is_none() {
            self.order.push_back(key);
        }
        self.questions.remove(&key);
        let known = &self.known;
        self.unexplored.retain(|unexplored| reach(&unexplored.assumed, known) > 0.0);
        self.questions.retain(|_, question| {
            question.assumed.retain(|assumed| reach(assumed, known) > 0.0);
            !question.assumed.is_empty()
        });
        // The assumptions about it are settled by now.
        if self.order.len() > MOST_KNOWN
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    /// Forgets all branches and questions, and starts at the last checkpoint.
    fn start_over(&mut self) {
        self.epoch += 1;
        self.questions.clear();
        self.refused.clear();
        let start = self.checkpoint.clone();
        self.unexplored = start.into_iter().map(|from| Unexplored { from, assumed: None }).collect();
        self.under_way.clear();
    }

    /// Lists the questions that are worth a test, the likeliest first, with their likelihood.
    pub(crate) fn open(&self) -> Vec<(f64, Key)> {
        let open = self.questions.iter();
        let mut open: Vec<_> =
            open.map(|(key, question)| (question.reach(&self.known), question.order, *key)).collect();
        open.retain(|(reach, ..)| *reach >= self.least_chance);
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        open.into_iter().map(|(reach, _, key)| (reach, key)).collect()
    }

    /// Returns the job of a question.
    pub(crate) fn job(&self, key: &Key) -> Option<&Job> {
        self.questions.get(key).map(|question| &question.job)
    }

    /// Whether no more questions can be found before another answer arrives.
    pub(crate) fn is_explored(&self) -> bool {
        let least = self.least();
        let unexplored = self.unexplored.iter().map(|unexplored| &unexplored.assumed);
        self.threads == 0
            || self.under_way.is_empty()
                && unexplored.map(|assumed| reach(assumed, &self.known)).all(|reach| reach <= least)
    }

    /// Returns the likelihood that a branch must have for further questions to be of use: enough others are likelier
    /// than those below it.
    pub(super) fn least(&self) -> f64 {
        let open = self.open();
        (PER_WORKER * self.workers)
            .checked_sub(1)
            .and_then(|last| open.get(last))
            .map_or(self.least_chance, |last| last.0)
    }

    /// Takes the likeliest branch, if it is worth exploring.
    fn take_likeliest(&mut self) -> Option<Unexplored<'a>> {
        let reaches = self.unexplored.iter().map(|unexplored| reach(&unexplored.assumed, &self.known)).enumerate();
        let (best, likelihood) = reaches.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (likelihood > self.least()).then(|| self.unexplored.remove(best))
    }

    /// Returns a known answer, or the one that a branch assumes.
    pub(super) fn answer_to(&self, key: &Key, assumed: &Assumptions) -> Option<Verdict> {
        self.known.get(key).copied().or_else(|| assumed_answer(assumed, key))
    }

    /// Adds a question that a branch with these assumptions leads to.
    pub(super) fn add(&mut self, job: Job, key: Key, assumed: &Assumptions) {
        self.found += 1;
        let (order, is_same) = (self.found, |other: &Assumptions| match (other, assumed) {
            (Some(other), Some(assumed)) => Arc::ptr_eq(other, assumed),
            (None, None) => true,
            _ => false,
        });
        let question = self.questions.entry(key).or_insert_with(|| Found { job, order, assumed: Vec::new() });
        if !question.assumed.iter().any(is_same) {
            question.assumed.push(assumed.clone());
        }
    }

    /// Leaves a branch for later.
    pub(super) fn leave(&mut self, unexplored: Unexplored<'a>) {
        self.unexplored.push(unexplored);
    }

    /// The branch that this thread explores has these assumptions now.
    pub(super) fn follow(&mut self, assumed: &Assumptions) {
        self.under_way.insert(thread::current().id(), assumed.clone());
    }
}

/// A branch that is not explored yet, or not to its end.
pub(super) struct Unexplored<'a> {
    pub(super) from: Checkpoint<'a>,
    pub(super) assumed: Assumptions,
}

/// A branch that is explored now.
pub(crate) struct Branch<'a> {
    speculation: Arc<Speculation<'a>>,
    /// [`Board::epoch`] when it began.
    epoch: u64,
    /// The last checkpoint.
    from: Checkpoint<'a>,
    assumed: Assumptions,
    is_over: bool,
}

impl<'a> Branch<'a> {
    pub(super) fn new(speculation: &Arc<Speculation<'a>>, epoch: u64, unexplored: Unexplored<'a>) -> Self {
        let Unexplored { from, assumed } = unexplored;
        Branch { speculation: Arc::clone(speculation), epoch, from, assumed, is_over: false }
    }

    /// Sets a checkpoint, from which the rest can be continued later. Returns `false` if the branch ends here: the search
    /// has taken another path.
    pub(crate) fn set_checkpoint(&mut self, checkpoint: Checkpoint<'a>) -> bool {
        self.from = checkpoint;
        self.is_over |= self.speculation.board().epoch != self.epoch;
        !self.is_over
    }

    /// Whether the answer to a question is neither known nor assumed.
    pub(crate) fn is_news(&self, key: &Key) -> bool {
        self.speculation.board().answer_to(key, &self.assumed).is_none()
    }

    /// Whether a candidate passes the gate, if it is known: one with an answer has passed it.
    pub(crate) fn passes_gate(&self, key: &Key) -> Option<bool> {
        let board = self.speculation.board();
        let is_asked = board.questions.contains_key(key) || board.answer_to(key, &self.assumed).is_some();
        if is_asked { Some(true) } else { board.refused.contains(key).then_some(false) }
    }

    /// Remembers that a candidate doesn't pass the gate.
    pub(crate) fn refused_by_gate(&self, key: Key) {
        self.speculation.board().refused.insert(key);
    }

    /// Returns the answer to a question that the search expects to be *interesting* with this chance: the known one, or
    /// the one that the branch assumes from now on. `None` if the branch ends here.
    pub(crate) fn answer(&mut self, job: Job, pass: &'static str, chance: f64) -> Option<Verdict> {
        if self.is_over {
            return None;
        }
        let key = key(&job.candidate);
        let speculation = Arc::clone(&self.speculation);
        let mut board = speculation.board();
        let verdict = if board.epoch == self.epoch {
            let known = board.answer_to(&key, &self.assumed);
            known.or_else(|| self.assume(&mut board, job, key, pass, chance))
        } else {
            None
        };
        self.is_over = verdict.is_none();
        verdict
    }

    /// Puts a new question on the board, assumes the likelier answer, and leaves a branch with the other one.
    fn assume(
        &mut self,
        board: &mut Board<'a>,
        job: Job,
        key: Key,
        pass: &'static str,
        chance: f64,
    ) -> Option<Verdict> {
        let reach = reach(&self.assumed, &board.known);
        if reach == 0.0 {
            return None;
        }
        if reach < board.least() {
            board.leave(Unexplored { from: Arc::clone(&self.from), assumed: self.assumed.clone() });
            return None;
        }
        let chance = board.expectations.corrected(pass, chance);
        board.add(job, key, &self.assumed);
        let is_yes = chance >= 0.5;
        let likelihood = if is_yes { chance } else { 1.0 - chance };
        let other = Expected::new(key, !is_yes, 1.0 - likelihood, self.assumed.clone());
        board.leave(Unexplored { from: Arc::clone(&self.from), assumed: other });
        self.assumed = Expected::new(key, is_yes, likelihood, self.assumed.take());
        board.follow(&self.assumed);
        Some(verdict(is_yes))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use lop_run::exec::Ticket;

    fn job(text: &str) -> Job {
        Job { ticket: Ticket(0), candidate: text.as_bytes().into(), deadline: Duration::MAX }
    }

    /// A search that asks five questions, each about a text that has the answers before it, with this chance of
    /// *interesting*. It has a checkpoint before its third.
    fn search(text: &str, chance: f64) -> Checkpoint<'static> {
        let text = text.to_owned();
        Arc::new(move |branch| {
            let mut text = text.clone();
            while text.len() < 5 {
                if text.len() == 2 {
                    branch.borrow_mut().set_checkpoint(search(&text, chance));
                }
                let Some(verdict) = branch.borrow_mut().answer(job(&text), "pass", chance) else { return };
                text.push(if verdict == Verdict::Interesting { 'y' } else { 'n' });
            }
        })
    }

    fn named((text, yes): &(&str, bool)) -> (Key, Verdict) {
        (key(text.as_bytes()), Verdict::from(*yes))
    }

    /// A board at the start of a search.
    fn board(start: Checkpoint<'static>) -> Arc<Speculation<'static>> {
        let speculation = Speculation::new();
        let mut board = speculation.board();
        board.serve(8, 0.0);
        board.set_checkpoint(Some(start));
        // Nothing is sure, and "interesting" has a chance of 0.3.
        (0..100_u32).for_each(|number| {
            let key = key(&number.to_le_bytes());
            board.expectations.expect(key, "pass", 0.9);
            board.expectations.learn(&key, number % 10 < 3);
        });
        drop(board);
        speculation
    }

    /// The likelihoods of the open questions once all are found, and the answers of early tests.
    fn likely(speculation: &Arc<Speculation<'static>>, known: &[(&str, bool)]) -> Vec<(f64, String)> {
        known.iter().map(named).for_each(|(key, verdict)| speculation.board().learn(key, verdict));
        loop {
            let next = speculation.board().take_likeliest();
            let Some(unexplored) = next else { break };
            let (checkpoint, epoch) = (Arc::clone(&unexplored.from), speculation.board().epoch);
            checkpoint(&Rc::new(RefCell::new(Branch::new(speculation, epoch, unexplored))));
            speculation.board().under_way.clear();
        }
        let board = speculation.board();
        assert!(board.is_explored());
        let text = |key: &Key| String::from_utf8_lossy(&board.job(key).expect("it was found").candidate).into_owned();
        board.open().iter().map(|(reach, key)| (*reach, text(key))).collect()
    }

    fn found(known: &[(&str, bool)], most: usize) -> Vec<String> {
        let all = likely(&board(search("", 1.0)), known);
        all.into_iter().map(|(_, text)| text).take(most).collect()
    }

    /// The chance that the search expects, after what the pass has found.
    fn chance() -> f64 {
        let speculation = board(search("", 1.0));
        let chance = speculation.board().expectations.corrected("pass", 0.9);
        assert!((0.29..0.32).contains(&chance), "{chance}");
        chance
    }

    #[test]
    fn the_likeliest_questions_come_first() {
        let all: Vec<_> = likely(&board(search("", 0.9)), &[]).into_iter().map(|(_, text)| text).collect();
        assert_eq!(all[..6], ["", "n", "nn", "nnn", "y", "nnnn"]);
        assert_eq!(all.len(), 16, "as many as two for each worker are likelier than the rest");
    }

    #[test]
    fn answers_that_are_known_are_no_questions() {
        assert_eq!(found(&[("", true)], 3), ["y", "yy", "yyy"]);
        assert_eq!(found(&[("", false), ("n", true), ("nyy", false)], 3), ["ny", "nyyn", "nyn"]);
    }

    #[test]
    fn a_question_is_as_likely_as_the_answers_before_it() {
        let (speculation, chance) = (board(search("", 0.9)), chance());
        let of = |text: &str, known: &[(&str, bool)]| {
            let all = likely(&speculation, known);
            all.iter().find(|(_, other)| other == text).map_or(0.0, |(reach, _)| *reach)
        };
        assert!((of("nnn", &[]) - (1.0 - chance).powi(3)).abs() < 1e-9);
        assert!((of("ny", &[("", false)]) - chance).abs() < 1e-9);
        assert_eq!(of("y", &[("", false)]), 0.0);
    }

    #[test]
    fn speculation_continues_where_it_had_ended() {
        let continued = board(search("", 0.9));
        let texts = |all: Vec<(f64, String)>| all.into_iter().map(|(_, text)| text).take(3).collect::<Vec<_>>();
        likely(&continued, &[]);
        let (first, then) = ([("", false)], [("", false), ("n", true), ("ny", false)]);
        for known in [&first[..], &then] {
            let fresh = texts(likely(&board(search("", 0.9)), known));
            assert_eq!(texts(likely(&continued, known)), fresh);
        }
    }

    #[test]
    fn two_branches_to_a_question_make_it_likelier() {
        // The second question is the same whatever the first answer was.
        let start: Checkpoint<'static> = Arc::new(|branch| {
            for text in ["first", "second"] {
                if branch.borrow_mut().answer(job(text), "pass", 0.9).is_none() {
                    return;
                }
            }
        });
        let likely = likely(&board(start), &[]);
        assert!(likely.len() == 2 && likely.iter().all(|(reach, _)| (reach - 1.0).abs() < 1e-9), "{likely:?}");
    }

    #[test]
    fn a_path_that_no_branch_has_starts_at_the_last_checkpoint() {
        let speculation = board(search("", 1.0));
        likely(&speculation, &[]);
        speculation.board().asked(key(b"yn"), "pass", 0.9);
        assert_eq!(speculation.board().epoch, 1, "this one was found");
        speculation.board().set_checkpoint(Some(search("yyyy", 1.0)));
        speculation.board().asked(key(b"elsewhere"), "pass", 0.9);
        assert_eq!(speculation.board().epoch, 2);
        assert_eq!(likely(&speculation, &[]).into_iter().map(|(_, text)| text).collect::<Vec<_>>(), ["yyyy"]);
    }

    #[test]
    fn threads_explore_until_the_work_is_done_and_after_a_panic() {
        let speculation = board(search("", 1.0));
        let found = speculation.explored_by(2, || {
            speculation.wake();
            while !speculation.board().is_explored() {
                thread::yield_now();
            }
            speculation.board().open().len()
        });
        assert!(found >= 16, "{found}");
        let panics = || speculation.explored_by(1, || panic!("on purpose"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    }

    #[test]
    fn the_text_of_a_question_with_an_answer_is_not_kept() {
        let speculation = board(search("", 1.0));
        assert_eq!(likely(&speculation, &[]).len(), 16);
        likely(&speculation, &[("", true), ("y", true), ("yn", true)]);
        let board = speculation.board();
        assert!(["", "y", "yn"].iter().all(|text| board.job(&key(text.as_bytes())).is_none()));
        assert!(board.questions.len() <= 16, "{}", board.questions.len());
    }

    #[test]
    fn a_branch_that_panics_ends_alone() {
        let start: Checkpoint<'static> = Arc::new(|branch| {
            let verdict = branch.borrow_mut().answer(job("first"), "pass", 1.0);
            assert_ne!(verdict, Some(Verdict::Interesting), "on purpose");
            let _ = branch.borrow_mut().answer(job("second"), "pass", 1.0);
        });
        let speculation = board(start);
        let found = speculation.explored_by(1, || {
            speculation.wake();
            while speculation.board().open().len() < 2 {
                thread::yield_now();
            }
            speculation.board().open().len()
        });
        assert_eq!(found, 2, "the other branch is explored");
    }
}
