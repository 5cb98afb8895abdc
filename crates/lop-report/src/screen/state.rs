//! The state of a run for the screen. Events and a clock change it, and drawing reads it. It knows no terminal.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::text;
use lop_files::project::Archive;
use lop_reduce::{Counts, Event, Outlook, Size};

/// Maximum number of points of the size curve; if there are more, every second one is dropped.
const POINTS: usize = 2_000;
/// Messages that are kept.
const MESSAGES: usize = 100;
/// The period over which the rate is measured.
const WINDOW: Duration = Duration::from_secs(10);
/// How often the rate takes a reading.
const READING: Duration = Duration::from_millis(250);

/// A test that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The pass that asked.
    pub pass: &'static str,
    /// Size of the candidate in bytes.
    pub bytes: usize,
    /// The description of the candidate's proposal.
    pub what: String,
    /// When it began.
    pub since: Duration,
}

/// Everything that is known of the run. All times are since the start.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The input, as the user named it.
    pub name: String,
    /// The grammar's name; `None` is text.
    pub grammar: Option<String>,
    /// Whether the test shows the bug only sometimes, and results keep its rate.
    pub keeps_rate: bool,
    /// Now.
    pub clock: Duration,
    /// Size of the input.
    pub before: Size,
    /// Size of the best result.
    pub now: Size,
    /// Files that are left, if the test case has several.
    pub files: Option<usize>,
    archive: Option<Archive>,
    /// The best result.
    pub best: Arc<[u8]>,
    /// The bytes of the best result after a number of tests.
    pub curve: Vec<(u64, usize)>,
    /// The pass under way, as it is announced or as the last test says.
    pub pass: &'static str,
    /// The round.
    pub round: usize,
    /// The outlook of the model.
    pub outlook: Option<Outlook>,
    /// Tests by outcome.
    pub counts: Counts,
    /// Tests so far.
    pub tests: u64,
    /// Answers from the cache.
    pub cache_hits: u64,
    /// The test of each worker; `None` if it is idle.
    pub workers: Vec<Option<Attempt>>,
    /// The machines that run them, if that is not this one.
    pub place: Option<String>,
    /// The messages, the last at the end.
    pub messages: VecDeque<(Duration, String)>,
    /// Whether the run is on hold.
    pub paused: bool,
    /// Whether it has ended.
    pub finished: bool,
    /// Tests at some moments of the last seconds of work.
    readings: VecDeque<(Duration, u64)>,
    /// Time spent on hold, and since when.
    held: Duration,
    held_since: Option<Duration>,
}

impl State {
    /// Before the first event.
    #[must_use]
    pub fn new(name: String, input: &[u8]) -> Self {
        State { name, best: input.into(), ..State::default() }
    }

    /// Takes note of an event that happens now.
    pub fn take(&mut self, event: &Event<'_>, now: Duration) {
        self.clock = now;
        match *event {
            Event::Started { size, archive, grammar, slots, .. } => {
                self.archive = archive.cloned();
                (self.before, self.now) = (size, size);
                self.grammar = grammar.map(str::to_owned);
                self.workers = vec![None; slots];
                self.curve.push((0, size.bytes));
            }
            Event::Baseline { outcome, deadline } => {
                let (took, deadline) = (text::duration(outcome.duration), text::duration(deadline));
                self.say(format!("the input is interesting ({took}); deadline of a test: {deadline}"));
            }
            Event::InputRate(rate) => {
                self.keeps_rate = true;
                self.say(format!("the input shows the bug in {}", rate.with_interval()));
            }
            // Each candidate is repeated then.
            Event::Confirmed { is_best: false, .. } if self.keeps_rate => {}
            Event::Pass { name, round } => (self.pass, self.round) = (name, round),
            Event::Tested { number, pass, verdict, cache_hits, .. } => {
                (self.tests, self.cache_hits, self.pass) = (number, cache_hits, pass);
                self.counts.add(verdict);
                self.read();
            }
            Event::Accepted { content, size, tests, pass, .. } => {
                let gone = self.now.tokens.saturating_sub(size.tokens);
                self.replace(content, size, tests);
                let what = match gone {
                    0 => format!("{} bytes left", text::len(size.bytes)),
                    gone => format!("{} less", text::plural(gone as u64, "token")),
                };
                self.say(format!("{pass}: {what}"));
            }
            Event::Returned { content, size, tests } => {
                self.replace(content, size, tests);
                self.say("taken back: what the test had called interesting it refuses".to_owned());
            }
            Event::Confirmed { interesting, yes, no, .. } => {
                let is = if interesting { "" } else { "not " };
                self.say(format!("repeated: {yes} of {} runs accept it, so it is {is}interesting", yes + no));
            }
            Event::Slipped { signature, .. } => self.say(format!("another crash: {signature}")),
            Event::Trying { worker, pass, bytes, what } => {
                if self.workers.len() <= worker {
                    self.workers.resize(worker + 1, None);
                }
                self.workers[worker] = Some(Attempt { pass, bytes, what: what.to_owned(), since: now });
            }
            Event::Idle { worker } => {
                if let Some(attempt) = self.workers.get_mut(worker) {
                    *attempt = None;
                }
            }
            Event::Outlook(outlook) => self.outlook = Some(outlook.clone()),
            Event::Paused { .. } => {
                (self.paused, self.held_since) = (true, Some(now));
                self.say("paused; press p to continue".to_owned());
            }
            Event::Resumed => {
                self.paused = false;
                self.held += now.saturating_sub(self.held_since.take().unwrap_or(now));
                self.say("continuing".to_owned());
            }
            Event::Skipped { pass, .. } => self.say(format!("{pass} is skipped from now on")),
            Event::Note(note) => self.say(format!("note: {note}")),
            Event::Finished(_) => self.finished = true,
        }
    }

    /// Adds a message.
    pub fn say(&mut self, message: String) {
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back((self.clock, message));
    }

    fn replace(&mut self, content: &[u8], size: Size, tests: u64) {
        (self.best, self.now, self.tests) = (content.into(), size, tests);
        self.files = self.archive.as_ref().map(|archive| archive.files(content).len());
        self.curve.push((tests, size.bytes));
        if self.curve.len() > POINTS {
            let mut number = 0;
            self.curve.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
    }

    /// Time of work: the clock without pauses.
    #[must_use]
    pub fn worked(&self) -> Duration {
        let held = self.held + self.held_since.map_or(Duration::ZERO, |since| self.clock.saturating_sub(since));
        self.clock.saturating_sub(held)
    }

    fn read(&mut self) {
        let now = self.worked();
        if self.readings.back().is_none_or(|(last, _)| now.saturating_sub(*last) >= READING) {
            self.readings.push_back((now, self.tests));
        }
        while self.readings.len() > 2 && now.saturating_sub(self.readings[0].0) > WINDOW {
            self.readings.pop_front();
        }
    }

    /// Tests per second of work in the last seconds; `None` until there is enough to measure.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let &(from, tests) = self.readings.front()?;
        let time = self.worked().saturating_sub(from).as_secs_f64();
        let tests = self.tests.saturating_sub(tests);
        (time > 0.2 && tests > 0).then(|| tests as f64 / time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::{Estimate, Verdict};

    const SIZE: Size = Size { bytes: 100, tokens: 30, lines: 4 };

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn tested(number: u64, verdict: Option<Verdict>) -> Event<'static> {
        let duration = Duration::from_millis(10);
        let (pass, bytes, cache_hits, recalled, what) = ("siblings", 9, 5, None, "");
        Event::Tested { number, pass, bytes, verdict, duration, cache_hits, recalled, what }
    }

    fn started() -> State {
        let mut state = State::new("x.zed".to_owned(), b"input");
        state.take(
            &Event::Started {
                size: SIZE,
                archive: None,
                grammar: Some("zed"),
                syntax_errors: 0,
                by_structure: false,
                slots: 2,
            },
            seconds(0.0),
        );
        state
    }

    #[test]
    fn outcomes_are_counted_and_the_size_follows_what_is_accepted() {
        let mut state = started();
        for (number, verdict) in [Some(Verdict::Interesting), Some(Verdict::Timeout), None].into_iter().enumerate() {
            state.take(&tested(number as u64 + 1, verdict), seconds(1.0));
        }
        assert_eq!((state.counts.interesting, state.counts.timeout, state.counts.unresolved), (1, 1, 1));
        let size = Size { bytes: 40, tokens: 12, lines: 2 };
        state.take(&Event::Accepted { content: b"best", size, tests: 3, pass: "siblings", rules: &[] }, seconds(2.0));
        assert_eq!((&*state.best, state.now, state.curve.as_slice()), (&b"best"[..], size, &[(0, 100), (3, 40)][..]));
        assert_eq!(state.messages.back(), Some(&(seconds(2.0), "siblings: 18 tokens less".to_owned())));
    }

    #[test]
    fn a_worker_is_taken_and_free_again() {
        let mut state = started();
        let trying = Event::Trying { worker: 1, pass: "hoist", bytes: 7, what: "1 of 3 units" };
        state.take(&trying, seconds(1.0));
        assert!(state.workers[0].is_none());
        assert_eq!(
            state.workers[1].as_ref().map(|attempt| (attempt.pass, attempt.since)),
            Some(("hoist", seconds(1.0)))
        );
        state.take(&Event::Idle { worker: 1 }, seconds(2.0));
        assert_eq!(state.workers, [None, None]);
        // With `-j auto` there may be more than at the start.
        state.take(&Event::Trying { worker: 4, pass: "hoist", bytes: 7, what: "" }, seconds(1.0));
        assert_eq!(state.workers.len(), 5);
    }

    #[test]
    fn a_pause_is_no_time_of_work() {
        let mut state = started();
        for number in 0..=20 {
            state.take(&tested(number, Some(Verdict::NotInteresting)), seconds(number as f64 * 0.1));
        }
        let rate = state.rate().expect("two seconds of tests");
        assert!((rate - 10.0).abs() < 0.01, "{rate}");
        state.take(&Event::Paused { tests: 20 }, seconds(2.0));
        assert!(state.paused);
        state.clock = seconds(50.0);
        assert_eq!((state.worked(), state.rate()), (seconds(2.0), Some(rate)));
        state.take(&Event::Resumed, seconds(60.0));
        state.take(&tested(21, None), seconds(60.1));
        assert!(!state.paused && (state.worked().as_secs_f64() - 2.1).abs() < 1e-9);
        assert!((state.rate().expect("as before") - 10.0).abs() < 0.01);
    }

    #[test]
    fn the_outlook_is_the_latest() {
        let mut state = started();
        for mean in [9.0, 4.0] {
            let outlook = Outlook { now: None, total: Estimate { mean, deviation: 1.0 }, depths: Vec::new() };
            state.take(&Event::Outlook(&outlook), seconds(1.0));
        }
        assert_eq!(state.outlook.map(|outlook| outlook.total.mean), Some(4.0));
    }

    #[test]
    fn long_runs_keep_a_bounded_picture() {
        let mut state = started();
        for number in 1..10_000 {
            let size = Size { bytes: 20_000 - number, ..SIZE };
            state.take(
                &Event::Accepted { content: b"", size, tests: number as u64, pass: "lines", rules: &[] },
                seconds(0.0),
            );
        }
        assert!(state.curve.len() <= POINTS && state.messages.len() == MESSAGES);
        assert_eq!(state.curve[0], (0, 100), "the beginning stays");
        assert!(state.curve.is_sorted_by_key(|point| point.0));
    }
}
