//! Tests that lie: what comes out of a reduction when the test says the wrong thing now and then, and what that costs.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use lop::exec::Inline;
use lop::oracle::Cancel;
use lop::reduce::Ended;
use lop::{Options, Report, Silent, reduce};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use regex::bytes::Regex;

use crate::reduce::{grammar, yes_if};

/// With this in the environment each measurement takes so many seeds.
const SEEDS: &str = "LOP_FLAKY_SEEDS";
/// Seeds of each measurement otherwise.
const FEW_SEEDS: u64 = 6;

/// A real input, and a test of it that costs no process.
struct Subject {
    file: &'static str,
    input: Vec<u8>,
    is_interesting: Box<dyn Fn(&[u8]) -> bool>,
}

fn read(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("it is part of the tree")
}

fn all_match(patterns: &[&str]) -> impl Fn(&[u8]) -> bool + use<> {
    let patterns: Vec<Regex> = patterns.iter().map(|p| Regex::new(p).expect("a constant")).collect();
    move |text| patterns.iter().all(|pattern| pattern.is_match(text))
}

/// The calculator with a function in its table that nobody wrote: what is called has to be defined.
fn calculator() -> Subject {
    let crash =
        all_match(&[r#""median",\s*NULL"#, r"return\s+builtin->call\(", r"\bmain\(", r"product\(", r"primary\("]);
    let names = ["find", "hash", "find_builtin", "advance", "accept", "complain", "call", "primary", "product"];
    let rules = names.map(|name| {
        let call = Regex::new(&format!(r"[^*\w]{name}\(")).expect("a constant");
        let definition = Regex::new(&format!(r"\b{name}\([^;{{}}]*\)\s*\{{")).expect("a constant");
        (call, definition)
    });
    let is_interesting = move |text: &[u8]| {
        crash(text) && rules.iter().all(|(call, definition)| !call.is_match(text) || definition.is_match(text))
    };
    let input = read("examples/c-crash/input.c");
    Subject { file: "input.c", input, is_interesting: Box::new(is_interesting) }
}

/// Posts of which one has half a surrogate pair.
fn posts() -> Subject {
    let is_interesting =
        all_match(&[r#"^\s*\{\s*"#, r#""posts":\s*\[\s*\{"#, r"\\ud83d [a-z]", r#""tags":\s*\["#, r#""ok":\s*true"#]);
    let input = read("fixtures/json-crash/input.json");
    Subject { file: "input.json", input, is_interesting: Box::new(is_interesting) }
}

impl Subject {
    /// A reduction with a test that lies so often, by the seed: the report, and all runs of the test.
    fn reduce(&self, lies: f64, seed: u64) -> (Report, u64) {
        self.reduce_by(lies, lies, seed, Options { allow_flaky: true, ..Options::default() })
    }

    /// The same with a test that refuses what is interesting and accepts what is not, each so often.
    fn reduce_by(&self, refuses: f64, accepts: f64, seed: u64, options: Options) -> (Report, u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let runs = Rc::new(Cell::new(0));
        let counter = Rc::clone(&runs);
        let mut executor = Inline::new(|candidate: &[u8]| {
            counter.set(counter.get() + 1);
            let truth = (self.is_interesting)(candidate);
            yes_if(truth != random.random_bool(if truth { refuses } else { accepts }))
        });
        let grammar = grammar(self.file, &self.input);
        let report = reduce(&self.input, grammar, &mut executor, &options, &mut Silent, &Cancel::new());
        drop(executor);
        (report.expect("it starts, and nothing else is in the way"), runs.get())
    }

    /// What lies cost, as multiples of the honest run: runs of the test and tokens of the result, the mean and the
    /// most. Panics when a result is not interesting.
    #[track_caller]
    fn price(&self, refuses: f64, accepts: f64) -> Price {
        let (honest, honest_runs) = self.reduce(0.0, 0);
        assert!((self.is_interesting)(&honest.best));
        let seeds = std::env::var(SEEDS).map_or(FEW_SEEDS, |seeds| seeds.parse().expect("a number of seeds"));
        let mut price = Price::default();
        for seed in 1..=seeds {
            let options = Options { allow_flaky: true, ..Options::default() };
            let (report, runs) = self.reduce_by(refuses, accepts, seed, options);
            assert!((self.is_interesting)(&report.best), "seed {seed}: {}", String::from_utf8_lossy(&report.best));
            assert_eq!(report.tests.total(), runs, "every run is counted");
            assert_eq!(report.ended, Ended::Complete);
            let ratio = runs as f64 / honest_runs as f64;
            let size = report.after.tokens as f64 / honest.after.tokens as f64;
            price.tests += ratio / seeds as f64;
            price.tokens += size / seeds as f64;
            price.most_tests = price.most_tests.max(ratio);
            price.most_tokens = price.most_tokens.max(size);
            price.returns += report.reliability.returns;
        }
        println!(
            "{} {refuses} {accepts}: {honest_runs} honest runs, {} tokens; {price:?}",
            self.file, honest.after.tokens
        );
        price
    }
}

#[derive(Debug, Default)]
struct Price {
    tests: f64,
    most_tests: f64,
    tokens: f64,
    most_tokens: f64,
    returns: u64,
}

#[test]
fn a_test_that_lies_leads_to_an_interesting_result_at_a_fair_price() {
    for subject in [calculator(), posts()] {
        for lies in [0.05, 0.1] {
            let price = subject.price(lies, lies);
            assert!(price.tests <= 3.0, "{price:?}");
            assert!(price.tokens <= 1.2, "{price:?}");
        }
    }
}
