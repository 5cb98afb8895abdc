//! Tests ahead of their time: what several workers do, and what they find.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

use lop::{Options, reduce_with};
use lop_engine::Verdict;
use lop_grammar::{AUTO, Registry};
use lop_languages::LANGUAGES;
use lop_reduce::{Event, EventSink, Report};
use lop_run::exec::{Executor, Job, Ticket};
use lop_run::oracle::{Cancel, Outcome};

/// Workers whose tests all end at the same time, one round after the other. A round ends when speculation has found all
/// that it can find.
struct Rounds {
    workers: usize,
    queued: VecDeque<Job>,
    ended: VecDeque<(Ticket, Outcome)>,
    rounds: usize,
    tests: usize,
}

const LONG: Duration = Duration::from_secs(100);

impl Rounds {
    fn new(workers: usize) -> Self {
        Rounds { workers, queued: VecDeque::new(), ended: VecDeque::new(), rounds: 0, tests: 0 }
    }
}

/// It wants both ends of a chain of calls, and brackets that fit.
fn judge(text: &[u8]) -> Verdict {
    let count = |byte| text.iter().filter(|&&other| other == byte).count();
    let text = String::from_utf8_lossy(text);
    let is_whole = count(b'{') == count(b'}') && count(b'(') == count(b')');
    Verdict::from(is_whole && ["f3(", "f17(", "return x * 7"].iter().all(|part| text.contains(part)))
}

impl Executor for Rounds {
    fn slots(&self) -> usize {
        self.workers
    }

    fn submit(&mut self, job: Job) {
        self.queued.push_back(job);
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        if self.ended.is_empty() && !self.queued.is_empty() {
            self.rounds += 1;
            for job in self.queued.drain(..self.workers.min(self.queued.len())) {
                self.tests += 1;
                self.ended.push_back((job.ticket, Outcome { duration: LONG, ..Outcome::of(judge(&job.candidate)) }));
            }
        }
        self.try_wait()
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.ended.pop_front()
    }

    fn cancel(&mut self, ticket: Ticket) {
        if let Some(at) = self.queued.iter().position(|job| job.ticket == ticket) {
            self.queued.remove(at);
            self.ended.push_back((ticket, Outcome::cancelled()));
        }
    }

    fn shutdown(&mut self) {
        self.queued.clear();
    }
}

/// The texts that were accepted, one after the other, and the workers that have something to do, now and at most.
#[derive(Default)]
struct Accepted {
    texts: Vec<Vec<u8>>,
    busy: BTreeSet<usize>,
    most: usize,
}

impl EventSink for Accepted {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        match event {
            Event::Accepted { content, .. } => self.texts.push(content.to_vec()),
            Event::Trying { worker, .. } => {
                self.busy.insert(*worker);
                self.most = self.most.max(self.busy.len());
            }
            Event::Idle { worker } => assert!(self.busy.remove(worker)),
            _ => {}
        }
        Ok(())
    }

    fn follows(&self) -> bool {
        true
    }
}

fn input() -> String {
    (0..24).fold(String::from("int printf(const char *, ...);\n"), |mut text, number| {
        let before = number / 2;
        text += &format!(
            "static int f{number}(int x) {{\n  if (x > {number}) {{ printf(\"%d\", x); }}\n  for (int i = 0; i < x; i++) {{ x \
             += i * {number}; }}\n  {}\n  return x * {number};\n}}\n",
            if number > 0 { format!("x = f{before}(x);") } else { String::new() }
        );
        text
    })
}

/// The rounds and tests of a reduction with this number of workers, the report, and the events.
fn reduced(workers: usize, options: &Options) -> (Rounds, Report, Accepted) {
    let input = input();
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    let (grammar, _) = registry.choose(AUTO, Path::new("input.c"), input.as_bytes()).expect("a known language");
    let (mut executor, mut accepted) = (Rounds::new(workers), Accepted::default());
    let report = reduce_with(input.as_bytes(), grammar, &mut executor, options, &mut accepted, &Cancel::new())
        .expect("the input is interesting");
    assert!(
        accepted.busy.is_empty() && accepted.most <= workers,
        "{:?}, {} of {workers}",
        accepted.busy,
        accepted.most
    );
    (executor, report, accepted)
}

#[test]
fn ahead_several_workers_accept_what_one_accepts_in_fewer_rounds() {
    let (alone, report, one) = reduced(1, &Options::default());
    assert_eq!(alone.rounds, alone.tests);
    // The search itself parses and looks up the same candidates.
    let own_work = |report: &Report| (report.gate_steps, report.gate_refusals, report.cache_hits);
    for (workers, faster) in [(2, 1.4), (4, 1.9), (16, 3.0)] {
        let (several, with_several, same) = reduced(workers, &Options::default());
        assert!(one.texts == same.texts, "{workers} workers took another way");
        assert_eq!(own_work(&with_several), own_work(&report), "{workers} workers");
        assert_eq!(same.most, workers, "all of them are told");
        assert_eq!(several.tests as u64, with_several.tests.total(), "tests whose questions were not asked count, too");
        let rounds = several.rounds as f64;
        assert!(rounds * faster <= alone.rounds as f64, "{workers} workers: {rounds} rounds of {}", alone.rounds);
    }
}

#[test]
fn ahead_no_test_runs_that_is_less_likely_to_be_needed_than_the_user_wants() {
    let (alone, _, one) = reduced(1, &Options::default());
    let (mut fewer, mut slower) = (alone.tests, alone.rounds);
    for (least, faster, most) in [(1.0, 1.0, 1.0), (0.5, 1.5, 1.5), (0.1, 3.0, 4.0)] {
        let options = Options { least_chance: Some(least), ..Options::default() };
        let (several, _, same) = reduced(16, &options);
        assert!(one.texts == same.texts, "a price leads another way");
        let (tests, rounds) = (several.tests as f64, several.rounds as f64);
        assert!(tests <= most * alone.tests as f64, "{least}: {tests} tests of {}", alone.tests);
        assert!(rounds * faster <= alone.rounds as f64, "{least}: {rounds} rounds of {}", alone.rounds);
        assert!(several.tests >= fewer && several.rounds <= slower, "{least}: more tests, fewer rounds");
        (fewer, slower) = (several.tests, several.rounds);
    }
}

#[test]
fn ahead_a_limit_of_tests_counts_those_that_nothing_waits_for() {
    for most in [4, 5, 17, 30] {
        let options = Options { max_tests: Some(most), ..Options::default() };
        let (several, report, _) = reduced(4, &options);
        assert_eq!((several.tests as u64, report.tests.total()), (most, most));
    }
}
