//! Tests that lie: the result of a reduction when the test says the wrong thing now and then, and its price.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

use lop::{Options, RateGoal, Report, Silent, reduce_with};
use lop_engine::Verdict;
use lop_reduce::{Ended, Event, EventSink};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use regex::bytes::Regex;

use crate::reduce::{functions, grammar, has, run, yes_if};
use crate::support::{Folder, many};

/// Seeds of each measurement.
const FEW_SEEDS: u64 = 6;

/// An honest test.
type Honest = Box<dyn Fn(&[u8]) -> bool>;

/// A real input, and a test of it that costs no process.
struct Subject {
    file: &'static str,
    input: Vec<u8>,
    is_interesting: Honest,
}

fn read(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("it is part of the tree")
}

fn all_match(patterns: &[&str]) -> impl Fn(&[u8]) -> bool + use<> {
    let patterns: Vec<Regex> = patterns.iter().map(|p| Regex::new(p).expect("a constant")).collect();
    move |text| patterns.iter().all(|pattern| pattern.is_match(text))
}

/// The calculator with a function in its table that is not defined: a called function needs a definition.
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
        self.reduce_by(lies, lies, seed, Options { flaky: Some(RateGoal::OfInput), ..Options::default() })
    }

    /// The same with a test that refuses what is interesting and accepts what is not, each so often.
    fn reduce_by(&self, refuses: f64, accepts: f64, seed: u64, options: Options) -> (Report, u64) {
        self.reduce_with(1, refuses, accepts, seed, options)
    }

    /// The same with so many tests at a time.
    fn reduce_with(&self, slots: usize, refuses: f64, accepts: f64, seed: u64, options: Options) -> (Report, u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let runs = Rc::new(Cell::new(0));
        let counter = Rc::clone(&runs);
        let mut executor = Inline::new(|candidate: &[u8]| {
            counter.set(counter.get() + 1);
            let truth = (self.is_interesting)(candidate);
            yes_if(truth != random.random_bool(if truth { refuses } else { accepts }))
        })
        .with_slots(slots);
        let grammar = grammar(self.file, &self.input);
        let report = reduce_with(&self.input, grammar, &mut executor, &options, &mut Silent, &Cancel::new());
        drop(executor);
        (report.expect("it starts, and nothing else is in the way"), runs.get())
    }

    /// The price of lies, as multiples of the honest run: runs of the test and tokens of the result, the mean and the
    /// most. Panics when a result is not interesting.
    #[track_caller]
    fn price(&self, refuses: f64, accepts: f64, seeds: u64) -> Price {
        let (honest, honest_runs) = self.reduce(0.0, 0);
        assert!((self.is_interesting)(&honest.best));
        let mut price = Price::default();
        for seed in 1..=seeds {
            let options = Options { flaky: Some(RateGoal::OfInput), ..Options::default() };
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
        anstream::println!(
            "{} {refuses} {accepts}: {honest_runs} honest runs, {} tokens; {price:?}",
            self.file,
            honest.after.tokens
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
    let seeds = many(FEW_SEEDS);
    for subject in [calculator(), posts()] {
        for lies in [0.05, 0.1] {
            let price = subject.price(lies, lies, seeds);
            let (mean, most) = if lies < 0.1 { (2.2, 4.0) } else { (2.9, 6.0) };
            assert!(price.tests <= mean && price.most_tests <= most, "{price:?}");
            assert!(price.tokens <= 1.05 && price.most_tokens <= 1.2, "{price:?}");
        }
    }
}

/// A test that lies about the input once, so that it is known to lie, and so often about the first text of which it is
/// asked that is not interesting.
fn lies_about_one(times: u32, truth: impl Fn(&[u8]) -> bool) -> impl FnMut(&[u8]) -> Verdict {
    let (mut runs, mut left) = (0, times);
    let mut lied: Option<Vec<u8>> = None;
    move |candidate| {
        runs += 1;
        let is_true = truth(candidate);
        if runs == 2 || is_true || candidate.len() < 40 {
            return yes_if(is_true && runs != 2);
        }
        let lies = left > 0 && lied.get_or_insert_with(|| candidate.to_vec()) == candidate;
        left -= u32::from(lies);
        yes_if(lies)
    }
}

/// The confirmation at the end would come too late if a trusted result were never tried about again.
#[test]
fn a_result_that_was_trusted_by_mistake_is_found_out_when_nothing_comes_of_it() {
    let subject = posts();
    let (_, honest) = subject.reduce(0.0, 0);
    let disk = RefCell::new(Disk::default());
    let mut sink = disk.borrow_mut();
    let mut executor = Inline::new(lies_about_one(6, |text| (subject.is_interesting)(text)));
    let options = Options { flaky: Some(RateGoal::OfInput), ..Options::default() };
    let grammar = grammar(subject.file, &subject.input);
    let report = reduce_with(&subject.input, grammar, &mut executor, &options, &mut *sink, &Cancel::new());
    let report = report.expect("it starts, and nothing else is in the way");
    assert!((subject.is_interesting)(&report.best));
    assert!(sink.returns >= 1, "it was accepted, and taken back");
    let spent = report.tests.total();
    assert!(spent <= 3 * honest, "{spent} runs, {honest} of an honest test");
}

/// A crash that does not always happen: nothing that does not crash is ever called interesting.
#[test]
fn a_crash_that_happens_now_and_then_is_reduced_as_far() {
    // Not more often: the input must not look like a file that never crashes.
    let price = posts().price(0.3, 0.0, FEW_SEEDS);
    assert!(price.tokens <= 1.2, "{price:?}");
    assert_eq!(price.returns, 0, "{price:?}");
}

#[test]
fn lies_do_no_harm_in_any_order_with_any_number_of_workers() {
    let text = Subject { file: "input.txt", ..posts() };
    for subject in [posts(), text] {
        for seed in 0..8 {
            for slots in [1, 4] {
                let max_tests = Some(4_000);
                let options = Options { seed, flaky: Some(RateGoal::OfInput), max_tests, ..Options::default() };
                let (report, runs) = subject.reduce_with(slots, 0.05, 0.05, seed + 1, options);
                let best = String::from_utf8_lossy(&report.best);
                assert!((subject.is_interesting)(&report.best), "{seed}, {slots} slots: {best}");
                assert!(report.tests.total() >= runs, "{seed}: cancelled runs are counted, too");
                assert!(report.best.len() * 2 < subject.input.len(), "{seed}, {slots} slots: {best}");
            }
        }
    }
}

#[test]
fn the_number_of_runs_that_have_to_agree_can_be_given() {
    let subject = posts();
    for (confirm, lies) in [(2, 0.0), (4, 0.05)] {
        let options = Options { confirm: Some(confirm), flaky: Some(RateGoal::OfInput), ..Options::default() };
        let (report, _) = subject.reduce_by(lies, lies, 3, options);
        assert!((subject.is_interesting)(&report.best));
        // Each accepted candidate was asked about that often.
        let accepted: u64 = report.passes.iter().map(|pass| pass.accepted).sum();
        assert!(report.reliability.confirmations >= accepted * (u64::from(confirm) - 1));
        assert_eq!(report.reliability.disagreements > 0, lies > 0.0);
    }
}

/// The candidates of an honest test are those of one that is not confirmed: only confirmations come in between.
#[test]
fn an_honest_test_is_asked_about_the_best_result_again_and_about_nothing_else() {
    let input = functions(40);
    let test = |c: &[u8]| yes_if(has(c, "f20(") && has(c, "f3(int") && has(c, "return f19"));
    let (report, asked) = run("x.c", input.as_bytes(), &Options::default(), test);
    let report = report.expect("the input is interesting");
    // The result three times, or an earlier one once and the result twice.
    let spent = report.reliability.confirmations;
    assert_eq!(spent, 3, "of {} runs", asked.len());
    assert_eq!((report.reliability.disagreements, report.reliability.returns), (0, 0));
    let again: Vec<_> = (1..asked.len()).filter(|&at| asked[..at].contains(&asked[at])).collect();
    assert_eq!(again.len() as u64, spent + 1, "and the input is judged twice");
    assert!(again.iter().all(|&at| test(&asked[at]) == Verdict::Interesting), "what was refused is not asked again");
    let last = asked.len() - 2;
    assert!(asked[last..].iter().all(|candidate| *candidate == report.best), "the result is confirmed at the end");
}

/// The content that a consumer of events would have on disk, with the returns and the notes.
#[derive(Default)]
struct Disk {
    content: Vec<u8>,
    returns: usize,
    /// Whether all that was accepted since the test was first called flaky had been confirmed.
    notes: Vec<String>,
}

impl EventSink for Disk {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Accepted { content, .. } => self.content = content.to_vec(),
            Event::Returned { content, size, .. } => {
                assert_eq!(content.len(), size.bytes);
                assert!(content.len() > self.content.len(), "it goes back to a larger one");
                self.content = content.to_vec();
                self.returns += 1;
            }
            Event::Note(note) => self.notes.push((*note).to_owned()),
            _ => {}
        }
        Ok(())
    }
}

/// A test that lies once, at the run of this number, by saying *interesting*.
fn lies_at(run: u64, truth: impl Fn(&[u8]) -> bool) -> impl FnMut(&[u8]) -> Verdict {
    let mut runs = 0;
    move |candidate| {
        runs += 1;
        yes_if(truth(candidate) || (runs >= run && std::mem::replace(&mut runs, u64::MAX / 2) < u64::MAX / 2))
    }
}

#[test]
fn a_lie_that_was_accepted_is_taken_back() {
    let input = functions(60);
    let truth = |c: &[u8]| has(c, "f20(") && has(c, "f3(int") && has(c, "c = a");
    let (honest, asked) = run("x.c", input.as_bytes(), &Options::default(), |c| yes_if(truth(c)));
    let honest = honest.expect("interesting");
    for (run, returns) in [(4, 1), (asked.len() as u64 / 2, 1), (asked.len() as u64 - 8, 1)] {
        let disk = RefCell::new(Disk::default());
        let mut sink = disk.borrow_mut();
        let mut executor = Inline::new(lies_at(run, truth));
        let grammar = grammar("x.c", input.as_bytes());
        let options = Options::default();
        let report = reduce_with(input.as_bytes(), grammar, &mut executor, &options, &mut *sink, &Cancel::new());
        let report = report.expect("the input is interesting");
        assert!(truth(&report.best), "{run}");
        assert_eq!(sink.content, report.best, "{run}: what is on disk is the result");
        assert_eq!((report.reliability.returns, sink.returns), (returns, returns as usize), "{run}");
        assert_eq!(sink.notes.iter().filter(|note| note.contains("flaky")).count(), 1, "{:?}", sink.notes);
        assert!(report.after.tokens <= honest.after.tokens, "{run}: {:?}", report.after);
        let gone: u64 = report.passes.iter().map(|pass| pass.bytes).sum();
        assert_eq!(gone as usize, report.before.bytes - report.after.bytes, "{run}: what was taken back did not go");
    }
}

#[test]
fn what_is_kept_is_kept_when_a_result_is_taken_back() {
    let input = functions(60);
    let spec = lop_reduce::KeepSpec { patterns: vec!["number 41".into()], ..Default::default() };
    let known = grammar("x.c", input.as_bytes());
    let keep = lop_reduce::Keep::find(&spec, input.as_bytes(), known.as_deref(), usize::MAX).expect("it is there");
    let options = Options { keep, ..Options::default() };
    let truth = |c: &[u8]| has(c, "f20(") && has(c, "c = a");
    let (report, _) = run("x.c", input.as_bytes(), &options, lies_at(20, truth));
    let report = report.expect("interesting");
    assert_eq!(report.reliability.returns, 1);
    assert!(truth(&report.best) && has(&report.best, "number 41"), "{}", String::from_utf8_lossy(&report.best));
}

#[test]
fn a_test_that_tosses_a_coin_comes_to_an_end_with_a_note() {
    let input = b"one two three four five six seven eight nine ten";
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let options = Options { flaky: Some(RateGoal::OfInput), max_tests: Some(20_000), ..Options::default() };
    let (result, _) = run("x.txt", input, &options, |_| yes_if(random.random_bool(0.5)));
    if let Ok(report) = result {
        assert!(report.reliability.disagreements > 0);
        assert!(report.reliability.bound > 0.3);
    }
}

#[test]
fn the_program_says_how_flaky_the_test_was_and_what_was_taken_back() {
    let folder = Folder::new();
    let words: Vec<String> = (0..60).map(|i| format!("word{i}\n")).collect();
    folder.write("input.txt", words.concat());
    // The 30th run says yes whatever is in the candidate.
    let runs = folder.path("runs").display().to_string();
    let script =
        format!("echo x >> '{runs}'; test $(wc -l < '{runs}') = 30 || {{ grep -q word7$ $1 && grep -q word33 $1; }}");
    folder.script("test.sh", &script);
    let ran = folder.lop(&["-j1", "--json", "events", "test.sh", "input.txt"]).expect_code(0);
    let result = String::from_utf8(folder.read("input.txt")).expect("words");
    assert!(result.contains("word7") && result.contains("word33"), "{result}");
    for said in ["note: the test is flaky:", "withdrawn: ", "the test is flaky: 1 of ", "1 result withdrawn"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let events = String::from_utf8(folder.read("events")).expect("JSON");
    for event in ["\"event\":\"confirmed\"", "\"event\":\"returned\"", "\"returns\":1"] {
        assert!(events.contains(event), "{event}");
    }
}

#[test]
fn a_test_that_answers_in_turns_is_refused_by_name() {
    let folder = Folder::new();
    folder.write("input.txt", "one\ntwo\nneedle\n");
    let turn = folder.path("turn").display().to_string();
    let flip = format!("if test -e '{turn}'; then rm '{turn}'; flip=1; else touch '{turn}'; flip=0; fi");
    folder.script("test.sh", &format!("{flip}; grep -q needle $1; test $? = $flip"));
    let ran = folder.lop(&["-j1", "--allow-flaky", "-o", "out", "./test.sh", "input.txt"]).expect_code(4);
    assert!(ran.stderr.contains("the test alternates: every second of 5 runs"), "{}", ran.stderr);
}
