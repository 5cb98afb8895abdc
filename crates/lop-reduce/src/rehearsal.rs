//! Speculation: continues a copy of the search with expected outcomes instead of missing ones, and so finds the tests
//! that will be needed.
//!
//! A search needs each outcome before it chooses the next test. Speculation assumes the outcome that the search
//! expects, and gets to the following tests early, so that idle workers can run them. Each assumption also starts a
//! second branch with the other outcome. The most likely branches come first, as in a processor's branch prediction.
//! The search uses an early outcome only when it needs it, so a wrong assumption costs tests and nothing else.
//!
//! Each branch starts at a checkpoint, a copy of the state at a moment without a pending question, with the outcomes
//! since then. A [`BranchQueue`] keeps the branches and their questions, and continues them as outcomes arrive.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;

use lop_engine::Verdict;
use lop_run::exec::{Executor, Job, Key, Ticket, key};
use lop_run::oracle::Outcome;

/// Least likelihood of a question that is worth a speculative test. With many workers it is `SHARE_OF_WORKERS` divided
/// by their number. With a fiftieth, 16 workers ran a tenth more tests in as many rounds.
const LEAST_REACH: f64 = 0.1;
const SHARE_OF_WORKERS: f64 = 1.6;

/// The least likelihood of a question that is worth a speculative test with this number of workers.
pub(super) fn least_reach(workers: usize) -> f64 {
    LEAST_REACH.min(SHARE_OF_WORKERS / workers as f64)
}

/// Continues the reduction from a checkpoint along a branch, until that ends.
pub(super) type Resume<'a> = Rc<dyn Fn(&SpeculativeRun<'a>) + 'a>;

/// A branch that the copied session and its executor share.
pub(super) type SpeculativeRun<'a> = Rc<RefCell<Branch<'a>>>;

/// The latest answer to each question, whether the search has asked it already or not.
pub(super) type Known = Rc<HashMap<Key, Verdict>>;

/// An assumed answer, with the assumptions before it.
struct Expected {
    key: Key,
    is_yes: bool,
    likelihood: f64,
    before: Option<Rc<Expected>>,
    /// Whether this assumption and all before it are confirmed, or one is refuted; `None` if that is open.
    settled: Cell<Option<bool>>,
}

impl Drop for Expected {
    /// Drops a long chain in a loop, because recursion would be too deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut expected) = next.and_then(Rc::into_inner) {
            next = expected.before.take();
        }
    }
}

/// Computes the likelihood that the search reaches the end of a branch, given the known answers.
fn reach(way: Option<&Rc<Expected>>, known: &HashMap<Key, Verdict>) -> f64 {
    let (mut reach, mut is_open) = (1.0, false);
    for expected in std::iter::successors(way, |expected| expected.before.as_ref()) {
        match expected.settled.get() {
            Some(true) => break,
            Some(false) => return 0.0,
            None => {}
        }
        match known.get(&expected.key) {
            None => {
                reach *= expected.likelihood;
                is_open = true;
            }
            Some(verdict) if (*verdict == Verdict::Interesting) == expected.is_yes => {}
            Some(_) => {
                expected.settled.set(Some(false));
                return 0.0;
            }
        }
    }
    if let Some(way) = way.filter(|_| !is_open) {
        way.settled.set(Some(true));
    }
    reach
}

/// A state of the search, and the answers since.
#[derive(Clone)]
pub(super) struct Checkpoint<'a> {
    pub(super) resume: Resume<'a>,
    /// In the order in which they came.
    pub(super) answers: Vec<(Key, Verdict)>,
}

/// A branch that is not explored yet, or not to its end.
struct Way<'a> {
    from: Checkpoint<'a>,
    way: Option<Rc<Expected>>,
}

/// One possible course of the rest of a reduction.
pub(super) struct Branch<'a> {
    slots: usize,
    from: Checkpoint<'a>,
    /// The answers since the checkpoint. Their order counts for questions that are asked at the same time.
    answers: HashMap<Key, VecDeque<(usize, Verdict)>>,
    known: Known,
    /// The likelihood of this branch up to here.
    reach: f64,
    /// The chance that the next candidate is interesting, as the search sees it.
    chance: f64,
    limits: Limits,
    waiting: VecDeque<(Job, Key, f64)>,
    cancelled: VecDeque<Ticket>,
    foreseen: Vec<(Job, Key, Option<Rc<Expected>>)>,
    way: Option<Rc<Expected>>,
    /// The branches that start here, with another answer or for later.
    others: Vec<Way<'a>>,
    is_over: bool,
}

/// The limits of one speculative run.
#[derive(Clone, Copy)]
struct Limits {
    /// The least likelihood of a question.
    least: f64,
    /// The maximum number of questions.
    most: usize,
    until: Instant,
}

impl<'a> Branch<'a> {
    fn new(way: Way<'a>, known: Known, slots: usize, limits: Limits) -> Self {
        let mut answers: HashMap<_, VecDeque<_>> = HashMap::new();
        for (order, (key, verdict)) in way.from.answers.iter().enumerate() {
            answers.entry(*key).or_default().push_back((order, *verdict));
        }
        let reach = reach(way.way.as_ref(), &known);
        let from = Checkpoint { resume: way.from.resume, answers: Vec::new() };
        let (way, chance, is_over) = (way.way, 0.5, false);
        let (waiting, cancelled, foreseen, others) = Default::default();
        Branch {
            slots,
            from,
            answers,
            known,
            reach,
            chance,
            limits,
            waiting,
            cancelled,
            foreseen,
            way,
            others,
            is_over,
        }
    }

    /// Sets the chance that the next candidate is interesting, as the search sees it.
    pub(super) fn expect(&mut self, chance: f64) {
        self.chance = chance;
    }

    /// Sets a checkpoint, from which the rest can be continued later. Returns whether to continue now: proposals of a
    /// large text take longer than its questions.
    pub(super) fn checkpoint(&mut self, resume: Resume<'a>) -> bool {
        self.from = Checkpoint { resume, answers: Vec::new() };
        if !self.is_over && Instant::now() > self.limits.until {
            self.end();
        }
        !self.is_over
    }

    /// Ends this run; a later one continues from here.
    fn end(&mut self) {
        self.is_over = true;
        self.others.push(Way { from: self.from.clone(), way: self.way.clone() });
    }

    /// Returns a known answer, or the one that this branch assumes.
    fn answer_to(&self, key: &Key) -> Option<Verdict> {
        let expected = || {
            let all = std::iter::successors(self.way.as_ref(), |expected| expected.before.as_ref());
            // Confirmed assumptions are among the known answers.
            let mut open = all.take_while(|expected| expected.settled.get() != Some(true));
            open.find(|expected| expected.key == *key).map(|expected| verdict(expected.is_yes))
        };
        self.known.get(key).copied().or_else(expected)
    }

    fn submit(&mut self, job: Job) {
        let key = key(&job.candidate);
        if !self.is_over && !self.answers.contains_key(&key) && self.answer_to(&key).is_none() {
            let Limits { least, most, until } = self.limits;
            if self.foreseen.len() >= most || self.reach < least || Instant::now() > until {
                self.end();
            } else {
                self.foreseen.push((job.clone(), key, self.way.clone()));
            }
        }
        self.waiting.push_back((job, key, self.chance));
    }

    /// Returns the index of the job to answer next: the first one with an answer since the checkpoint, else one with a
    /// known answer, else the first.
    fn next(&self) -> usize {
        let order = |at: usize| Some((self.answers.get(&self.waiting[at].1)?.front()?.0, at));
        let given = (0..self.waiting.len()).filter_map(order).min().map(|(_, at)| at);
        given.or_else(|| self.waiting.iter().position(|(_, key, _)| self.answer_to(key).is_some())).unwrap_or(0)
    }

    fn answer(&mut self) -> Option<(Ticket, Outcome)> {
        if self.is_over {
            return None;
        }
        if let Some(ticket) = self.cancelled.pop_front() {
            return Some((ticket, Outcome::cancelled()));
        }
        let (job, key, chance) = self.waiting.remove(self.next())?;
        let given = self.answers.get_mut(&key).and_then(VecDeque::pop_front).map(|(_, verdict)| verdict);
        let verdict = given.or_else(|| self.answer_to(&key)).unwrap_or_else(|| self.expected(key, chance));
        self.from.answers.push((key, verdict));
        Some((job.ticket, Outcome::of(verdict)))
    }

    /// Assumes the likelier answer, and queues a branch with the other one.
    fn expected(&mut self, key: Key, chance: f64) -> Verdict {
        let is_yes = chance >= 0.5;
        let likelihood = if is_yes { chance } else { 1.0 - chance };
        let (before, settled) = (self.way.clone(), Cell::new(None));
        let other = Expected { key, is_yes: !is_yes, likelihood: 1.0 - likelihood, before, settled };
        let mut from = self.from.clone();
        from.answers.push((key, verdict(other.is_yes)));
        self.others.push(Way { from, way: Some(Rc::new(other)) });
        let (before, settled) = (self.way.take(), Cell::new(None));
        self.way = Some(Rc::new(Expected { key, is_yes, likelihood, before, settled }));
        self.reach *= likelihood;
        verdict(is_yes)
    }
}

fn verdict(is_yes: bool) -> Verdict {
    if is_yes { Verdict::Interesting } else { Verdict::NotInteresting }
}

/// The executor of a speculative run.
pub(super) struct Rehearsing<'a>(pub(super) SpeculativeRun<'a>);

impl Executor for Rehearsing<'_> {
    fn slots(&self) -> usize {
        self.0.borrow().slots
    }

    fn submit(&mut self, job: Job) {
        self.0.borrow_mut().submit(job);
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.0.borrow_mut().answer()
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.wait()
    }

    fn cancel(&mut self, ticket: Ticket) {
        let mut script = self.0.borrow_mut();
        if let Some(at) = script.waiting.iter().position(|(job, ..)| job.ticket == ticket) {
            script.waiting.remove(at);
            script.cancelled.push_back(ticket);
        }
    }

    fn shutdown(&mut self) {
        self.0.borrow_mut().is_over = true;
    }
}

/// The questions found after a checkpoint, and the branches that are still unexplored.
pub(super) struct BranchQueue<'a> {
    ways: Vec<Way<'a>>,
    questions: HashMap<Key, Foreseen>,
}

/// A question that speculation has found.
struct Foreseen {
    job: Job,
    /// The number of questions found before it.
    order: usize,
    /// The assumptions of each branch that leads to it.
    ways: Vec<Option<Rc<Expected>>>,
}

impl Foreseen {
    fn reach(&self, known: &HashMap<Key, Verdict>) -> f64 {
        self.ways.iter().map(|way| reach(way.as_ref(), known)).sum()
    }
}

impl<'a> BranchQueue<'a> {
    /// Makes a queue with one unexplored branch.
    pub(super) fn new(from: Checkpoint<'a>) -> Self {
        BranchQueue { ways: vec![Way { from, way: None }], questions: HashMap::new() }
    }

    /// Returns the job of a found question.
    pub(super) fn job(&self, key: &Key) -> Option<&Job> {
        self.questions.get(key).map(|question| &question.job)
    }

    /// Lists the open questions that are worth a test with this number of workers, the likeliest first.
    pub(super) fn open(&self, known: &HashMap<Key, Verdict>, slots: usize) -> Vec<(f64, Key)> {
        let open = self.questions.iter().filter(|(key, _)| !known.contains_key(*key));
        let mut open: Vec<_> = open.map(|(key, question)| (question.reach(known), question.order, *key)).collect();
        open.retain(|(reach, ..)| *reach >= least_reach(slots));
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        open.into_iter().map(|(reach, _, key)| (reach, key)).collect()
    }

    /// Returns the likeliest unexplored branch with its likelihood, which is also the most that an unfound question can
    /// have.
    fn likeliest_way(&self, known: &HashMap<Key, Verdict>) -> Option<(usize, f64)> {
        let reaches = self.ways.iter().map(|way| reach(way.way.as_ref(), known)).enumerate();
        reaches.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Returns the likelihood above which all questions are found.
    pub(super) fn is_whole_from(&self, known: &HashMap<Key, Verdict>) -> f64 {
        self.likeliest_way(known).map_or(0.0, |(_, likelihood)| likelihood)
    }

    /// Explores the likeliest branch, unless `most` open questions are likelier than all branches. Returns whether it
    /// did.
    pub(super) fn go_on(&mut self, known: &Known, slots: usize, most: usize, until: Instant) -> bool {
        self.ways.retain(|way| reach(way.way.as_ref(), known) > 0.0);
        self.questions.retain(|_, question| {
            question.ways.retain(|way| reach(way.as_ref(), known) > 0.0);
            !question.ways.is_empty()
        });
        let Some((best, likelihood)) = self.likeliest_way(known) else { return false };
        let open = self.open(known, slots);
        let last = most.checked_sub(1).and_then(|last| open.get(last));
        let least = last.map_or(least_reach(slots), |last| last.0);
        if likelihood <= least {
            return false;
        }
        let way = self.ways.remove(best);
        let resume = Rc::clone(&way.from.resume);
        let limits = Limits { least, most, until };
        let run_ahead = Rc::new(RefCell::new(Branch::new(way, Rc::clone(known), slots, limits)));
        resume(&run_ahead);
        let mut script = run_ahead.borrow_mut();
        for (job, key, way) in script.foreseen.drain(..) {
            let order = self.questions.len();
            let question = self.questions.entry(key).or_insert_with(|| Foreseen { job, order, ways: Vec::new() });
            let is_same = |other: &Option<Rc<Expected>>| match (other, &way) {
                (Some(other), Some(way)) => Rc::ptr_eq(other, way),
                (None, None) => true,
                _ => false,
            };
            if !question.ways.iter().any(is_same) {
                question.ways.push(way);
            }
        }
        self.ways.append(&mut script.others);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A search that asks five questions, each about a text that has the answers before it, and marks its third.
    fn search(text: String) -> Resume<'static> {
        Rc::new(move |run_ahead| {
            let (mut text, mut stage) = (text.clone(), Rehearsing(Rc::clone(run_ahead)));
            while text.len() < 5 {
                if text.len() == 2 {
                    run_ahead.borrow_mut().checkpoint(search(text.clone()));
                }
                run_ahead.borrow_mut().expect(0.3);
                let candidate = text.as_bytes().into();
                stage.submit(Job { ticket: Ticket(0), candidate, deadline: Duration::MAX });
                let Some((_, outcome)) = stage.wait() else { return };
                text.push(if outcome.is_interesting() { 'y' } else { 'n' });
            }
        })
    }

    fn named((text, yes): &(&str, bool)) -> (Key, Verdict) {
        (key(text.as_bytes()), verdict(*yes))
    }

    fn branches(answers: &[(&str, bool)]) -> BranchQueue<'static> {
        BranchQueue::new(Checkpoint { resume: search(String::new()), answers: answers.iter().map(named).collect() })
    }

    /// The likelihoods of the open questions after speculation has continued for this number of questions.
    fn likely(branches: &mut BranchQueue<'_>, known: &[(&str, bool)], most: usize) -> Vec<(f64, String)> {
        let known: Known = Rc::new(known.iter().map(named).collect());
        while branches.go_on(&known, 1, most, Instant::now() + Duration::from_secs(3600)) {}
        let mut open = branches.open(&known, 1);
        open.truncate(most);
        let text =
            |key: &Key| String::from_utf8_lossy(&branches.job(key).expect("it was found").candidate).into_owned();
        open.into_iter().map(|(reach, key)| (reach, text(&key))).collect()
    }

    fn foreseen(answers: &[(&str, bool)], known: &[(&str, bool)], most: usize) -> Vec<String> {
        likely(&mut branches(answers), known, most).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_likeliest_questions_come_first() {
        assert_eq!(foreseen(&[], &[], 6), ["", "n", "nn", "nnn", "y", "nnnn"]);
        assert_eq!(foreseen(&[], &[], 9)[6..], ["yn", "ny", "ynn"], "of equals the one that was found first");
        assert_eq!(foreseen(&[], &[], 1), [""]);
    }

    #[test]
    fn answers_that_are_known_are_no_questions() {
        assert_eq!(foreseen(&[("", true)], &[], 3), ["y", "yn", "ynn"]);
        assert_eq!(foreseen(&[("", false)], &[("n", true), ("nnn", false)], 3), ["ny", "nyn", "nynn"]);
    }

    #[test]
    fn a_question_is_as_likely_as_the_answers_before_it() {
        let mut branches = branches(&[]);
        likely(&mut branches, &[], 9);
        let mut of = |text: &str, known: &[(&str, bool)]| {
            let all = likely(&mut branches, known, 9);
            all.iter().find(|(_, other)| other == text).map_or(0.0, |(reach, _)| *reach)
        };
        assert!((of("nnn", &[]) - 0.343).abs() < 1e-9);
        assert!((of("ny", &[("", false)]) - 0.3).abs() < 1e-9);
        assert_eq!(of("y", &[("", false)]), 0.0);
    }

    #[test]
    fn a_forecast_goes_on_where_it_had_ended() {
        let mut played = branches(&[]);
        assert_eq!(likely(&mut played, &[], 2).len(), 2);
        let (first, then) = ([("", false)], [("", false), ("n", true), ("ny", false)]);
        for known in [&first[..], &then] {
            let anew = likely(&mut branches(&[]), known, 3);
            let gone_on = likely(&mut played, known, 3);
            assert_eq!(
                gone_on.iter().map(|open| &open.1).collect::<Vec<_>>(),
                anew.iter().map(|open| &open.1).collect::<Vec<_>>()
            );
            assert!(gone_on.iter().zip(&anew).all(|(a, b)| (a.0 - b.0).abs() < 1e-9));
        }
    }

    #[test]
    fn a_long_way_ends_without_a_deep_stack() {
        let step = |before: Option<Rc<Expected>>, number: u32| {
            let (key, settled) = (key(&number.to_le_bytes()), Cell::new(None));
            Some(Rc::new(Expected { key, is_yes: true, likelihood: 0.9, before, settled }))
        };
        let way = (0..300_000).fold(None, step);
        assert!(reach(way.as_ref(), &HashMap::new()) < 1e-9);
        drop(way);
    }

    #[test]
    fn two_ways_to_a_question_make_it_likelier() {
        // The second question is the same whatever the first answer was.
        let resume: Resume<'static> = Rc::new(|run_ahead| {
            let mut stage = Rehearsing(Rc::clone(run_ahead));
            for text in ["first", "second"] {
                run_ahead.borrow_mut().expect(0.4);
                stage.submit(Job { ticket: Ticket(0), candidate: text.as_bytes().into(), deadline: Duration::MAX });
                if stage.wait().is_none() {
                    return;
                }
            }
        });
        let mut branches = BranchQueue::new(Checkpoint { resume, answers: Vec::new() });
        let likely = likely(&mut branches, &[], 3);
        assert!(likely.len() == 2 && likely.iter().all(|(reach, _)| (reach - 1.0).abs() < 1e-9), "{likely:?}");
    }
}
