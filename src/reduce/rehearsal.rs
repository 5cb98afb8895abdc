//! Rehearsals: the rest of a reduction is gone through on a copy, with expected answers in the place of those that are
//! not there yet, for the questions that will be asked.
//!
//! A search asks one question after the other, and each depends on the answer before. A rehearsal answers each as the search
//! itself expects, and comes to the next ones before the first is answered: workers that would wait can answer them ahead of
//! their time. From each expectation a second way leads on, with the other answer. The ways are gone in the order of their
//! likelihood, so that the questions that are most likely to be asked come first, as a processor runs ahead of its
//! branches. An answer that came ahead is used when the search asks for it, and never before: a wrong expectation costs
//! tests, and nothing else.
//!
//! Each way begins at a mark, a copy of the state at a moment when nothing is asked, with the answers since then.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;

use crate::engine::Verdict;
use crate::exec::{Executor, Job, Key, Ticket, key};
use crate::oracle::Outcome;

/// Questions that are asked with less likelihood than this are not worth a test, nor with less than `SHARE_OF_WORKERS` by
/// the number of workers, where these are many. With a fiftieth, 16 workers ran a tenth more tests in as many rounds.
const LEAST_REACH: f64 = 0.1;
const SHARE_OF_WORKERS: f64 = 1.6;

/// The likelihood from which on a question is worth a test of one of this number of workers.
pub(super) fn least_reach(workers: usize) -> f64 {
    LEAST_REACH.min(SHARE_OF_WORKERS / workers as f64)
}

/// Goes through the rest of a reduction from a mark on, with the answers of a script, until that is over.
pub(super) type Play<'a> = Rc<dyn Fn(&Scene<'a>) + 'a>;

/// A script that the session of a rehearsal and its executor share.
pub(super) type Scene<'a> = Rc<RefCell<Script<'a>>>;

/// A question that a rehearsal has come to.
pub(super) struct Foreseen {
    pub(super) job: Job,
    pub(super) key: Key,
    /// The expected answers on the way to it.
    way: Option<Rc<Expected>>,
}

/// An answer that is expected, and those before it.
struct Expected {
    key: Key,
    is_yes: bool,
    likelihood: f64,
    before: Option<Rc<Expected>>,
}

impl Foreseen {
    /// How likely it is that the search comes to it, by the answers that are known.
    pub(super) fn reach(&self, answer: impl Fn(&Key) -> Option<bool>) -> f64 {
        std::iter::successors(self.way.as_ref(), |expected| expected.before.as_ref())
            .map(|expected| match answer(&expected.key) {
                None => expected.likelihood,
                Some(answer) => f64::from(u8::from(answer == expected.is_yes)),
            })
            .product()
    }
}

/// A mark, and the answers since.
#[derive(Clone)]
pub(super) struct Marked<'a> {
    pub(super) play: Play<'a>,
    /// In the order in which they were heard.
    pub(super) heard: Vec<(Key, Verdict)>,
}

/// One way through the rest of a reduction.
pub(super) struct Script<'a> {
    slots: usize,
    from: Marked<'a>,
    /// The answers that are given, in this order where their questions are asked at the same time.
    heard: HashMap<Key, VecDeque<(usize, Verdict)>>,
    /// Answers to questions that were not asked until the mark, or were expected since.
    known: HashMap<Key, Verdict>,
    /// How likely this way is so far.
    reach: f64,
    /// The chance that the next candidate is interesting, as the search sees it.
    chance: f64,
    least: f64,
    most: usize,
    until: Instant,
    waiting: VecDeque<(Job, Key, f64)>,
    cancelled: VecDeque<Ticket>,
    foreseen: Vec<(f64, Foreseen)>,
    way: Option<Rc<Expected>>,
    /// The ways that lead on from here with another answer.
    others: Vec<Way<'a>>,
    is_over: bool,
}

/// A way that is not gone yet.
struct Way<'a> {
    from: Marked<'a>,
    known: HashMap<Key, Verdict>,
    reach: f64,
    way: Option<Rc<Expected>>,
}

impl<'a> Script<'a> {
    fn new(way: Way<'a>, slots: usize, least: f64, most: usize, until: Instant) -> Self {
        let mut heard: HashMap<_, VecDeque<_>> = HashMap::new();
        for (order, (key, verdict)) in way.from.heard.iter().enumerate() {
            heard.entry(*key).or_default().push_back((order, *verdict));
        }
        let from = Marked { play: way.from.play, heard: Vec::new() };
        let (Way { known, reach, way, .. }, chance, is_over) = (Way { from: from.clone(), ..way }, 0.5, false);
        let (waiting, cancelled, foreseen, others) = Default::default();
        Script {
            slots,
            from,
            heard,
            known,
            reach,
            chance,
            least,
            most,
            until,
            waiting,
            cancelled,
            foreseen,
            way,
            others,
            is_over,
        }
    }

    /// The search expects the candidate that it hands over next to be interesting with this chance.
    pub(super) fn expect(&mut self, chance: f64) {
        self.chance = chance;
    }

    /// The rest can be gone through from here on, too.
    pub(super) fn mark(&mut self, play: Play<'a>) {
        self.from = Marked { play, heard: Vec::new() };
    }

    fn submit(&mut self, job: Job) {
        let key = key(&job.candidate);
        if !self.heard.contains_key(&key) && !self.known.contains_key(&key) {
            self.is_over |= self.foreseen.len() >= self.most || self.reach < self.least || Instant::now() > self.until;
            if !self.is_over {
                self.foreseen.push((self.reach, Foreseen { job: job.clone(), key, way: self.way.clone() }));
            }
        }
        self.waiting.push_back((job, key, self.chance));
    }

    /// The place of the job that is answered next: the one that was answered first, or is known, or is expected.
    fn next(&self) -> usize {
        let order = |at: usize| Some((self.heard.get(&self.waiting[at].1)?.front()?.0, at));
        let heard = (0..self.waiting.len()).filter_map(order).min().map(|(_, at)| at);
        heard.or_else(|| self.waiting.iter().position(|(_, key, _)| self.known.contains_key(key))).unwrap_or(0)
    }

    fn answer(&mut self) -> Option<(Ticket, Outcome)> {
        if self.is_over {
            return None;
        }
        if let Some(ticket) = self.cancelled.pop_front() {
            return Some((ticket, Outcome::cancelled()));
        }
        let (job, key, chance) = self.waiting.remove(self.next())?;
        let heard = self.heard.get_mut(&key).and_then(VecDeque::pop_front);
        let verdict = match heard {
            Some((_, verdict)) => {
                self.known.insert(key, verdict);
                verdict
            }
            None => self.known.get(&key).copied().unwrap_or_else(|| self.expected(key, chance)),
        };
        self.from.heard.push((key, verdict));
        Some((job.ticket, Outcome::of(verdict)))
    }

    /// The expected answer to a question; the other one opens another way.
    fn expected(&mut self, key: Key, chance: f64) -> Verdict {
        let is_yes = chance >= 0.5;
        let likelihood = if is_yes { chance } else { 1.0 - chance };
        let step = |is_yes, likelihood| Some(Rc::new(Expected { key, is_yes, likelihood, before: self.way.clone() }));
        let (here, there) = (step(is_yes, likelihood), step(!is_yes, 1.0 - likelihood));
        let (verdict, other) = (verdict(is_yes), verdict(!is_yes));
        let reach = self.reach * (1.0 - likelihood);
        if reach >= self.least {
            let mut from = self.from.clone();
            from.heard.push((key, other));
            self.others.push(Way { from, known: self.known.clone(), reach, way: there });
        }
        self.reach *= likelihood;
        self.way = here;
        self.known.insert(key, verdict);
        verdict
    }
}

fn verdict(is_yes: bool) -> Verdict {
    if is_yes { Verdict::Interesting } else { Verdict::NotInteresting }
}

/// The executor of a rehearsal.
pub(super) struct Rehearsing<'a>(pub(super) Scene<'a>);

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

/// At most `most` questions, the most likely first, that a search with this number of workers asks from a mark on, if its
/// answers are those that are known and else as expected.
pub(super) fn foresee(
    from: &Marked<'_>,
    known: HashMap<Key, Verdict>,
    slots: usize,
    most: usize,
    until: Instant,
) -> Vec<Foreseen> {
    let mut found: HashMap<Key, Foreseen> = HashMap::new();
    let mut order: Vec<(f64, Key)> = Vec::new();
    let mut ways = vec![Way { from: from.clone(), known, reach: 1.0, way: None }];
    while let Some(best) = (0..ways.len()).max_by(|&a, &b| ways[a].reach.total_cmp(&ways[b].reach)) {
        let way = ways.swap_remove(best);
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let least = order.get(most.saturating_sub(1)).map_or(least_reach(slots), |last| last.0.max(least_reach(slots)));
        if way.reach <= least || Instant::now() > until {
            break;
        }
        let play = Rc::clone(&way.from.play);
        let scene = Rc::new(RefCell::new(Script::new(way, slots, least, most, until)));
        play(&scene);
        let mut script = scene.borrow_mut();
        for (reach, question) in script.foreseen.drain(..) {
            // The likeliest way to a question comes first.
            if let Entry::Vacant(place) = found.entry(question.key) {
                order.push((reach, question.key));
                place.insert(question);
            }
        }
        ways.append(&mut script.others);
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().take(most).filter_map(|(_, key)| found.remove(&key)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A search that asks five questions, each about a text that has the answers before it, and marks its third.
    fn search(text: String) -> Play<'static> {
        Rc::new(move |scene| {
            let (mut text, mut stage) = (text.clone(), Rehearsing(Rc::clone(scene)));
            while text.len() < 5 {
                if text.len() == 2 {
                    scene.borrow_mut().mark(search(text.clone()));
                }
                scene.borrow_mut().expect(0.3);
                let candidate = text.as_bytes().into();
                stage.submit(Job { ticket: Ticket(0), candidate, deadline: Duration::MAX });
                let Some((_, outcome)) = stage.wait() else { return };
                text.push(if outcome.is_interesting() { 'y' } else { 'n' });
            }
        })
    }

    fn foreseen(heard: &[(&str, bool)], early: &[(&str, bool)], most: usize) -> Vec<String> {
        let named = |(text, yes): &(&str, bool)| (key(text.as_bytes()), verdict(*yes));
        let from = Marked { play: search(String::new()), heard: heard.iter().map(named).collect() };
        let until = Instant::now() + Duration::from_secs(3600);
        let foreseen = foresee(&from, early.iter().map(named).collect(), 1, most, until);
        foreseen.iter().map(|question| String::from_utf8_lossy(&question.job.candidate).into_owned()).collect()
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
        let from = Marked { play: search(String::new()), heard: Vec::new() };
        let until = Instant::now() + Duration::from_secs(3600);
        let all = foresee(&from, HashMap::new(), 1, 9, until);
        let of = |text: &str, known: &[(&str, bool)]| {
            let question = all.iter().find(|question| &*question.job.candidate == text.as_bytes()).expect("foreseen");
            let answer = |at: &Key| known.iter().find(|(text, _)| key(text.as_bytes()) == *at).map(|(_, yes)| *yes);
            question.reach(answer)
        };
        assert!((of("nnn", &[]) - 0.343).abs() < 1e-9);
        assert!((of("ny", &[("", false)]) - 0.3).abs() < 1e-9);
        assert_eq!(of("ny", &[("", true)]), 0.0);
    }
}
