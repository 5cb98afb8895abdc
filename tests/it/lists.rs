//! Sibling lists that several workers are asked about: however the units depend on each other, and in whichever order
//! the answers come, each accepted candidate is interesting, and nothing that one list found is lost or believed of
//! another.

use std::collections::HashSet;
use std::io;

use lop::{Options, Report, reduce_with};
use lop_engine::Verdict;
use lop_reduce::{Event, EventSink, Passes};
use lop_run::exec::{Executor, Job, Ticket};
use lop_run::oracle::{Cancel, Outcome};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reduce::{grammar, has, yes_if};
use crate::support::many;

/// Inputs and orders of answers for each test.
const SEEDS: u64 = 12;

/// Answers one of the candidates that it was handed, whichever chance takes; it works on so many at a time.
struct Shuffled<F> {
    judge: F,
    slots: usize,
    jobs: Vec<Job>,
    cancelled: HashSet<Ticket>,
    rng: ChaCha8Rng,
}

impl<F: FnMut(&[u8]) -> Verdict> Executor for Shuffled<F> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        self.jobs.push(job);
        assert!(self.jobs.len() <= self.slots);
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        if self.jobs.is_empty() {
            return None;
        }
        let job = self.jobs.swap_remove(self.rng.random_range(0..self.jobs.len()));
        let is_cancelled = self.cancelled.remove(&job.ticket);
        let outcome = if is_cancelled { Outcome::cancelled() } else { Outcome::of((self.judge)(&job.candidate)) };
        Some((job.ticket, outcome))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.wait()
    }

    fn cancel(&mut self, ticket: Ticket) {
        self.cancelled.insert(ticket);
    }

    fn shutdown(&mut self) {
        self.cancelled.extend(self.jobs.iter().map(|job| job.ticket));
    }
}

/// The accepted candidates, in their order.
#[derive(Default)]
struct Accepted(Vec<Vec<u8>>);

impl EventSink for Accepted {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Accepted { content, .. } = event {
            self.0.push(content.to_vec());
        }
        Ok(())
    }
}

/// Nested lists of names that are found once each, and the names.
fn nested(rng: &mut ChaCha8Rng) -> (String, Vec<String>) {
    let mut names = Vec::new();
    let mut text = "[".to_owned();
    for _ in 0..rng.random_range(2..9) {
        text.push('[');
        for _ in 0..rng.random_range(1..9) {
            let is_inner = rng.random_range(0..3) == 0;
            text.push_str(if is_inner { "[" } else { "" });
            for _ in 0..if is_inner { rng.random_range(1..6) } else { 1 } {
                names.push(format!("\"<{}>\"", names.len()));
                text.push_str(&format!("{},", names[names.len() - 1]));
            }
            text = format!("{}{},", text.trim_end_matches(','), if is_inner { "]" } else { "" });
        }
        text = format!("{}],", text.trim_end_matches(','));
    }
    (format!("{}]", text.trim_end_matches(',')), names)
}

/// The condition that a name sets.
enum Need {
    Always(String),
    /// One of the two.
    Either(String, String),
    /// Where the first is found, the second is, too.
    Both(String, String),
}

impl Need {
    fn is_met(&self, text: &[u8]) -> bool {
        match self {
            Need::Always(name) => has(text, name),
            Need::Either(one, other) => has(text, one) || has(text, other),
            Need::Both(user, used) => !has(text, user) || has(text, used),
        }
    }
}

fn siblings_only() -> Options {
    Options { passes: Passes { only: vec!["siblings"], ..Passes::default() }, ..Options::default() }
}

fn reduced(text: &str, slots: usize, seed: u64, needs: &[Need]) -> (Report, Vec<Vec<u8>>) {
    reduced_by(text, slots, seed, |candidate| needs.iter().all(|need| need.is_met(candidate)))
}

fn reduced_by(text: &str, slots: usize, seed: u64, test: impl Fn(&[u8]) -> bool) -> (Report, Vec<Vec<u8>>) {
    let judge = |candidate: &[u8]| yes_if(test(candidate));
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let (jobs, cancelled) = Default::default();
    let mut executor = Shuffled { judge, slots, jobs, cancelled, rng };
    let mut accepted = Accepted::default();
    let input = text.as_bytes();
    let grammar = grammar("x.json", input);
    let report = reduce_with(input, grammar, &mut executor, &siblings_only(), &mut accepted, &Cancel::new());
    (report.expect("the input is interesting"), accepted.0)
}

#[test]
fn what_is_needed_is_what_a_single_worker_keeps() {
    for seed in 0..many(SEEDS) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (text, names) = nested(&mut rng);
        let needed = rng.random_range(1..6);
        let needs: Vec<_> =
            (0..needed).map(|_| Need::Always(names[rng.random_range(0..names.len())].clone())).collect();
        let (alone, _) = reduced(&text, 1, seed, &needs);
        for slots in [2, 4, 16] {
            let (report, _) = reduced(&text, slots, seed, &needs);
            assert_eq!(report.best, alone.best, "seed {seed}, {slots} slots");
        }
    }
}

#[test]
fn lists_that_depend_on_each_other_end_at_what_is_interesting() {
    let mut larger = 0_u64;
    for seed in 0..many(SEEDS) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (text, names) = nested(&mut rng);
        let some = |rng: &mut ChaCha8Rng| names[rng.random_range(0..names.len())].clone();
        let needs: Vec<_> = (0..rng.random_range(1..12))
            .map(|at| match at % 3 {
                0 => Need::Always(some(&mut rng)),
                1 => Need::Either(some(&mut rng), some(&mut rng)),
                _ => Need::Both(some(&mut rng), some(&mut rng)),
            })
            .collect();
        let is_interesting = |text: &[u8]| needs.iter().all(|need| need.is_met(text));
        let (alone, _) = reduced(&text, 1, seed, &needs);
        for slots in [2, 4, 16] {
            let (report, accepted) = reduced(&text, slots, seed, &needs);
            assert!(accepted.iter().all(|text| is_interesting(text)), "seed {seed}, {slots} slots");
            assert!(accepted.is_sorted_by_key(|text| std::cmp::Reverse(text.len())), "seed {seed}, {slots} slots");
            assert_eq!(Some(&report.best), accepted.last().or(Some(&text.clone().into_bytes())));
            larger += u64::from(report.best.len() > alone.best.len());
        }
    }
    // Which of two goes is left to chance, and what it used goes with it.
    let runs = 3 * many(SEEDS);
    assert!(larger * 5 < runs, "{larger} of {runs} larger than alone");
}

#[test]
fn lists_that_disturb_each_other_come_to_an_end() {
    for seed in 0..many(SEEDS) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (text, names) = nested(&mut rng);
        let needed = &names[rng.random_range(0..names.len())];
        // The answer about one text tells nothing about the next.
        let test = |candidate: &[u8]| {
            let mood =
                candidate.iter().fold(7_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619)) >> 8;
            candidate == text.as_bytes() || has(candidate, needed) && !mood.is_multiple_of(2)
        };
        for slots in [2, 4, 16] {
            let (report, accepted) = reduced_by(&text, slots, seed, test);
            assert!(accepted.iter().all(|text| test(text)) && test(&report.best), "seed {seed}, {slots} slots");
        }
    }
}
