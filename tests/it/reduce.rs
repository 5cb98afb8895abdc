//! Whole reductions through the library, with tests that are functions: what comes out, how many
//! tests it took, and in which order they were asked.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use lop_engine::{Config, ConfigError, Verdict};
use lop_grammar::{AUTO, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_reduce::{Effort, Ended, Event, EventSink, Minimal, Schedule};
use lop_run::exec::{Executor, Inline, Job, Ticket};
use lop_run::oracle::{Cancel, Outcome};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use lop::{Options, ReduceError, Report, Silent, reduce_with};

use crate::support::many;

/// Loaded once for all tests: compiling rules takes longer than most of them.
static LOADED: Mutex<BTreeMap<String, Option<Arc<Grammar>>>> = Mutex::new(BTreeMap::new());

pub(crate) fn grammar(file: &str, text: &[u8]) -> Option<Arc<Grammar>> {
    let load = || {
        let registry = Registry::of(&LANGUAGES).expect("the shipped grammars are right");
        registry.choose(AUTO, Path::new(file), text).expect("auto always finds something").0
    };
    if Path::new(file).extension().is_none() {
        // The content of the text decides.
        return load();
    }
    // A test that panicked elsewhere has left nothing half done.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.entry(file.to_owned()).or_insert_with(load).clone()
}

pub(crate) fn yes_if(interesting: bool) -> Verdict {
    if interesting { Verdict::Interesting } else { Verdict::NotInteresting }
}

pub(crate) fn has(text: &[u8], part: &str) -> bool {
    text.windows(part.len()).any(|w| w == part.as_bytes())
}

/// Reduces and returns the report with every candidate that was tested.
pub(crate) fn run(
    file: &str,
    input: &[u8],
    options: &Options,
    test: impl FnMut(&[u8]) -> Verdict,
) -> (Result<Report, ReduceError>, Vec<Vec<u8>>) {
    run_with(grammar(file, input), input, options, test)
}

/// The same for a text in this language.
pub(crate) fn run_with(
    grammar: Option<Arc<Grammar>>,
    input: &[u8],
    options: &Options,
    mut test: impl FnMut(&[u8]) -> Verdict,
) -> (Result<Report, ReduceError>, Vec<Vec<u8>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&asked);
    let mut executor = Inline::new(move |candidate: &[u8]| {
        log.borrow_mut().push(candidate.to_vec());
        test(candidate)
    });
    let report = reduce_with(input, grammar, &mut executor, options, &mut Silent, &Cancel::new());
    drop(executor);
    (report, asked.take())
}

fn reduced(file: &str, input: &[u8], test: impl FnMut(&[u8]) -> Verdict) -> String {
    let (report, _) = run(file, input, &Options::default(), test);
    String::from_utf8(report.expect("the input is interesting").best).expect("the inputs are UTF-8")
}

/// A C file with `n` functions, each of which calls the one before it.
pub(crate) fn functions(n: usize) -> String {
    let mut text = "int f0(int a) { return a; }\n".to_owned();
    for i in 1..n {
        text += &format!("/* number {i} */\nint f{i}(int a, int b) {{ int c = a + b; return f{}(c, {i}); }}\n", i - 1);
    }
    text
}

#[test]
fn one_needed_part_of_a_large_file_takes_few_tests() {
    let input = functions(500);
    let (report, asked) = run("x.c", input.as_bytes(), &Options::default(), |c| yes_if(has(c, "f250(")));
    let report = report.expect("the input is interesting");
    assert!(report.best.len() <= 10, "{:?}", String::from_utf8_lossy(&report.best));
    assert!(asked.len() < 60, "{} tests", asked.len());
}

#[test]
fn every_language_ends_at_its_minimum() {
    let rows = [
        ("x.c", "int a; int b(int x, int y) { if (x) { return y + 42; } return 0; }\n", "42"),
        ("x.js", "function f(a, b) { const o = {k: [1, 'needle', 3]}; return o.k[a] ? b : g(o) }\nf(1)\n", "needle"),
        ("x.json", "{\"a\": [1, 2, {\"b\": \"needle\"}], \"c\": null}\n", "needle"),
        ("x.txt", "one\ntwo needle three\nfour\n", "needle"),
    ];
    for (file, input, needed) in rows {
        let best = reduced(file, input.as_bytes(), |c| yes_if(has(c, needed)));
        assert!(best.contains(needed), "{file}: {best}");
        assert!(best.len() <= needed.len() + 11, "{file}: {best:?}");
    }
}

#[test]
fn no_token_of_the_result_can_go() {
    let input = functions(12);
    let test = |c: &[u8]| yes_if(has(c, "f7(int") && has(c, "return") && c.iter().filter(|b| **b == b'+').count() >= 3);
    let best = reduced("x.c", input.as_bytes(), test);
    assert_no_token_can_go("x.c", &best, test);
}

#[test]
fn what_was_refused_in_another_text_is_looked_at_again() {
    // While it points to characters the pointer has to stay, and a type that takes the place of another takes no token
    // with it: nothing tells that the text is not what it was.
    let others: String = (0..12).map(|i| format!("int a{i}();")).collect();
    let endings = ["char*kept;intf(){return*kept;}", "int*kept;intf(){return*kept;}", "intkept;intf(){returnkept;}"]
        .map(|ending| format!("{others}{ending}").replace(' ', ""));
    let input = format!("{others} char *kept; int f() {{ return *kept; }}");
    let best = reduced("x.c", input.as_bytes(), |text| {
        let text: String = String::from_utf8_lossy(text).split_whitespace().collect();
        yes_if(endings.contains(&text))
    });
    assert!(!best.contains('*'), "{best}");
}

/// The guarantee is about texts that parse as well as the result does.
#[track_caller]
pub(crate) fn assert_no_token_can_go(file: &str, best: &str, mut test: impl FnMut(&[u8]) -> Verdict) {
    let grammar = grammar(file, best.as_bytes()).expect("a language");
    let mut parser = grammar.parser().expect("a parser");
    let document = lop_syntax::Document::parse(&mut parser, best.as_bytes().to_vec()).expect("it parses");
    for id in document.ids().filter(|id| document.is_token(*id)) {
        let mut without = best.to_owned();
        without.replace_range(document.node(id).range(), " ");
        let tree = parser.parse(without.as_bytes()).expect("it is short");
        let worse = lop_syntax::error_count(&tree) > document.errors();
        assert!(worse || test(without.as_bytes()) != Verdict::Interesting, "{without}");
    }
}

#[test]
fn the_same_seed_asks_the_same_questions() {
    let input = functions(40);
    let test = |c: &[u8]| yes_if(has(c, "f20(") && has(c, "f3(int"));
    for seed in [0, 7] {
        let options = Options { seed, ..Options::default() };
        let (first, one) = run("x.c", input.as_bytes(), &options, test);
        let (second, two) = run("x.c", input.as_bytes(), &options, test);
        assert_eq!(one, two, "{seed}");
        assert_eq!(first.expect("interesting").best, second.expect("interesting").best);
    }
    let random = |seed| run("x.c", input.as_bytes(), &Options { seed, ..Options::default() }, test).1;
    assert_ne!(random(1), random(2), "the seed matters");
}

#[test]
fn no_candidate_is_tested_twice_but_to_confirm_it() {
    let input = functions(30);
    let test = |c: &[u8]| yes_if(has(c, "f9(") && has(c, "c = a"));
    let (report, asked) = run("x.c", input.as_bytes(), &Options::default(), test);
    let distinct: HashSet<_> = asked.iter().collect();
    // The input is judged twice before it is believed, so are the first eight that are interesting, and the best result
    // is confirmed: after 8 tests and more, when the search has stopped finding anything, and up to three times at the
    // end.
    let confirmations = report.expect("interesting").reliability.confirmations;
    assert!(confirmations <= 12, "{confirmations}");
    assert_eq!(asked.len(), distinct.len() + 1 + usize::try_from(confirmations).expect("few"));
}

#[test]
fn candidates_have_no_new_syntax_errors() {
    let input = functions(20);
    let test_with = |allow: bool| {
        let options = Options { allow_syntax_errors: allow, ..Options::default() };
        let (_, asked) = run("x.c", input.as_bytes(), &options, |c| yes_if(has(c, "f5(int a") && has(c, "return f")));
        let grammar = grammar("x.c", input.as_bytes()).expect("a language");
        let mut parser = grammar.parser().expect("a parser");
        asked.iter().filter(|c| lop_syntax::error_count(&parser.parse(c).expect("short")) > 0).count()
    };
    let (strict, loose) = (test_with(false), test_with(true));
    assert!(strict <= 2, "{strict} candidates with errors: only cleared units are not parsed first");
    assert!(loose > strict, "without the gate there are more");
}

/// Which depth each question of the sibling lists was about, one vector per sweep over the tree.
#[derive(Default)]
struct Depths {
    sweeps: Vec<Vec<u32>>,
}

impl EventSink for Depths {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Pass { name: "siblings", .. } => self.sweeps.push(Vec::new()),
            Event::Tested { pass: "siblings", what, .. } => {
                let depth = what.strip_prefix("depth ").and_then(|w| w.split(',').next()).expect("a list's depth");
                self.sweeps.last_mut().expect("a sweep").push(depth.parse().expect("a number"));
            }
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn by_levels_depths_never_decrease_inside_a_sweep() {
    let input = functions(30);
    let test = |c: &[u8]| yes_if(has(c, "return f4(") && has(c, "f17("));
    let mut depths = Depths::default();
    let options = Options { schedule: Schedule::Levels, ..Options::default() };
    let mut executor = Inline::new(test);
    let report = reduce_with(
        input.as_bytes(),
        grammar("x.c", input.as_bytes()),
        &mut executor,
        &options,
        &mut depths,
        &Cancel::new(),
    )
    .expect("the input is interesting");
    assert!(depths.sweeps.iter().any(|s| s.len() > 5), "there are sweeps to look at");
    for sweep in depths.sweeps {
        assert!(sweep.is_sorted(), "{sweep:?}");
    }
    let by_gain = reduced("x.c", input.as_bytes(), test);
    assert!(report.best.len() <= by_gain.len() + by_gain.len() / 20 + 2);
}

#[test]
fn several_tests_at_a_time_end_at_the_same_result() {
    let input = functions(60);
    let test = |c: &[u8]| yes_if(has(c, "f31(") && has(c, "f2(int a"));
    let alone = reduced("x.c", input.as_bytes(), test);
    for slots in [2, 3, 8] {
        let mut executor = Inline::new(test).with_slots(slots);
        let report = reduce_with(
            input.as_bytes(),
            grammar("x.c", input.as_bytes()),
            &mut executor,
            &Options::default(),
            &mut Silent,
            &Cancel::new(),
        )
        .expect("the input is interesting");
        let size = report.best.len();
        assert!(size.abs_diff(alone.len()) * 20 <= alone.len(), "{slots}: {size} instead of {}", alone.len());
    }
}

#[test]
fn what_is_minimal_is_what_was_asked_for() {
    let input = "int f(int a) { return a + 12345; }\nint g;\n";
    let with = |minimal| {
        let options = Options { minimal: Some(minimal), ..Options::default() };
        let (report, asked) = run("x.c", input.as_bytes(), &options, |c| yes_if(has(c, "f(") && has(c, "5")));
        (report.expect("interesting"), asked.len())
    };
    let (none, fewest) = with(Minimal::None);
    let (by_char, most) = with(Minimal::Char);
    assert_eq!((none.minimal, by_char.minimal), (Minimal::None, Minimal::Char));
    assert!(fewest <= most);
    for at in 0..by_char.best.len() {
        let mut without = by_char.best.clone();
        without.remove(at);
        let whole = has(&without, "f(") && has(&without, "5");
        let grammar = grammar("x.c", input.as_bytes()).expect("a language");
        let mut parser = grammar.parser().expect("a parser");
        assert!(!whole || parser.parse(&without).expect("short").root().node().has_error(), "{without:?}");
    }
}

fn with_engine(change: impl FnOnce(&mut Config)) -> Options {
    let mut options = Options::default();
    change(&mut options.engine);
    options
}

#[test]
fn the_guarantee_does_not_depend_on_theta() {
    // `x` can go when `a` has gone, which a sweep from the right sees too late.
    let input = b"1a2a3kkkkkkkk0x1234";
    let test = |c: &[u8]| yes_if(has(c, "kkkkkkkk") && (!has(c, "a") || has(c, "x")));
    let [never, seldom, always] = [None, Some(1.0), Some(0.0)].map(|theta| {
        let (report, asked) = run("x.unknown", input, &with_engine(|engine| engine.theta = theta), test);
        let report = report.expect("interesting");
        assert_eq!((report.best.as_slice(), report.minimal), (&b"kkkkkkkk"[..], Minimal::Char), "{theta:?}");
        asked
    });
    assert_eq!(never, seldom, "the chance is never that good");
    assert_ne!(never, always);
}

#[test]
fn simplifying_only_asks_nothing_again() {
    let input = functions(40);
    let test = |c: &[u8]| yes_if(has(c, "f20(") && has(c, "f3(int"));
    let (whole, _) = run("x.c", input.as_bytes(), &Options::default(), test);
    let options = Options { minimal: Some(Minimal::None), ..with_engine(|engine| engine.theta = None) };
    let (simple, _) = run("x.c", input.as_bytes(), &options, test);
    let (whole, simple) = (whole.expect("interesting"), simple.expect("interesting"));
    assert_eq!((simple.ended, simple.minimal), (Ended::Complete, Minimal::None));
    assert!(simple.passes.iter().all(|pass| pass.name != "minimality"), "{:?}", simple.passes);
    assert!(simple.tests.total() < whole.tests.total());
    assert_eq!(test(&simple.best), Verdict::Interesting);
}

#[test]
fn the_parameters_of_the_engine_reach_it() {
    // Needed lines near each other, then none for long: enough for every parameter to matter.
    let needed = [3, 5, 8, 9, 12, 17, 150, 151, 152, 160, 317, 330];
    let test = move |c: &[u8]| yes_if(needed.iter().all(|i| has(c, &format!("line {i} "))));
    let input = (0..400).map(|i| format!("line {i} with some words\n")).collect::<String>();
    let asked = |options: &Options| run("x.unknown", input.as_bytes(), options, test).1;
    let default = asked(&Options::default());
    assert_ne!(asked(&with_engine(|engine| engine.prior_exponent = 1.0)), default);
    assert_ne!(asked(&with_engine(|engine| engine.fixed_share = 0.5)), default);
    // This one is decided for each list.
    assert_eq!(asked(&with_engine(|engine| engine.empty_known_uninteresting = true)), default);
}

#[test]
fn impossible_parameters_are_refused_before_the_first_test() {
    let (report, asked) =
        run("x.c", b"int a;", &with_engine(|engine| engine.theta = Some(2.0)), |c| yes_if(has(c, "a")));
    assert!(matches!(report, Err(ReduceError::Config(ConfigError::Theta))), "{report:?}");
    assert_eq!(asked.len(), 0);
}

#[test]
fn text_is_reduced_by_lines_words_and_characters() {
    let mut input = String::new();
    for i in 0..400 {
        input += &format!("line {i} with some words\n");
    }
    let best = reduced("x.unknown", input.as_bytes(), |c| yes_if(has(c, "317") && has(c, "wor")));
    assert_eq!(best.len(), 6, "{best:?}");
}

#[test]
fn an_input_too_large_to_parse_is_cut_down_by_lines_first() {
    let input = functions(300);
    let options = Options { max_parse: Some(2_000), ..Options::default() };
    let mut passes = Vec::new();
    struct Passes<'a>(&'a mut Vec<&'static str>);
    impl EventSink for Passes<'_> {
        fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
            if let Event::Pass { name, .. } = event {
                self.0.push(name);
            }
            Ok(())
        }
    }
    let mut executor = Inline::new(|c: &[u8]| yes_if(has(c, "f123(int")));
    let grammar = grammar("x.c", input.as_bytes());
    let report =
        reduce_with(input.as_bytes(), grammar, &mut executor, &options, &mut Passes(&mut passes), &Cancel::new())
            .expect("interesting");
    assert!(report.best.len() < 15, "{:?}", String::from_utf8_lossy(&report.best));
    assert_eq!(passes.first(), Some(&"lines"));
    assert!(passes.contains(&"siblings"), "then the tree is used: {passes:?}");
}

#[test]
fn malformed_input_stays_malformed_and_gets_small() {
    let mut input = String::from("{\"list\": [");
    for i in 0..200 {
        input += &format!("{{\"id\": {i}, \"name\": \"user {i}\"}},");
    }
    input += "{\"id\": 1,,}], \"end\": true}";
    let best = reduced("x.json", input.as_bytes(), |c| {
        let text: String = String::from_utf8_lossy(c).split_whitespace().collect();
        yes_if(text.contains(",,"))
    });
    assert_eq!(best, ",,");
}

#[test]
fn nesting_of_any_depth_takes_a_handful_of_tests() {
    let depth = 100_000;
    let input = format!("{}7{}", "[".repeat(depth), "]".repeat(depth));
    let (report, asked) = run("x.json", input.as_bytes(), &Options::default(), |c| yes_if(has(c, "7")));
    assert_eq!(report.expect("interesting").best, b"7");
    assert!(asked.len() < 30, "{} tests", asked.len());
}

#[test]
fn a_hundred_thousand_elements_take_about_the_logarithm() {
    let list: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
    let input = format!("[{}]", list.join(","));
    let (report, asked) = run("x.json", input.as_bytes(), &Options::default(), |c| {
        yes_if(c.split(|b| !b.is_ascii_digit()).any(|n| n == b"61234"))
    });
    assert_eq!(report.expect("interesting").best, b"61234");
    assert!(asked.len() < 60, "{} tests", asked.len());
}

#[test]
fn what_timed_out_is_tried_again_and_then_reported() {
    let input = "int a;\nint b;\nint loops;\nint c;\n";
    // Without `loops` the test never ends.
    let test = |c: &[u8]| {
        if !has(c, "b") {
            Verdict::NotInteresting
        } else if has(c, "loops") {
            Verdict::Interesting
        } else {
            Verdict::Timeout
        }
    };
    let (report, asked) = run("x.c", input.as_bytes(), &Options::default(), test);
    let report = report.expect("interesting");
    assert!(has(&report.best, "loops"));
    assert!(report.tests.timeout > 0);
    assert!(report.kept_by_timeout.iter().any(|t| t.contains("loops")), "{:?}", report.kept_by_timeout);
    let twice = asked.iter().any(|c| test(c) == Verdict::Timeout && asked.iter().filter(|o| *o == c).count() == 2);
    assert!(twice, "a candidate that timed out is asked once more at the end");
}

#[test]
fn the_limit_of_tests_ends_it_with_the_best_so_far() {
    let input = functions(50);
    let options = Options { max_tests: Some(10), ..Options::default() };
    let (report, asked) = run("x.c", input.as_bytes(), &options, |c| yes_if(has(c, "f9(int") && has(c, "f40(int")));
    let report = report.expect("interesting");
    assert_eq!((report.ended, asked.len(), report.minimal), (Ended::Budget, 10, Minimal::None));
    assert!(report.best.len() < input.len() && has(&report.best, "f40(int"));
}

#[test]
fn the_baseline_refuses_what_cannot_be_reduced() {
    let refused = |test: &mut dyn FnMut(&[u8]) -> Verdict| run("x.c", b"int a;", &Options::default(), test).0;
    assert!(matches!(refused(&mut |_| Verdict::NotInteresting), Err(ReduceError::NotInteresting { .. })));
    assert!(matches!(refused(&mut |_| Verdict::Interesting), Err(ReduceError::EmptyIsInteresting)));
    let mut calls = 0;
    let flaky = refused(&mut |_| {
        calls += 1;
        yes_if(calls % 2 == 1)
    });
    assert!(matches!(flaky, Err(ReduceError::Flaky { interesting: 3, runs: 5, .. })), "{flaky:?}");
}

/// Answers in a random order, cancelled questions as cancelled.
pub(crate) struct Shuffled<F> {
    jobs: Vec<(Job, bool)>,
    test: F,
    slots: usize,
    random: ChaCha8Rng,
}

impl<F: FnMut(&[u8]) -> Verdict> Shuffled<F> {
    pub(crate) fn new(test: F, slots: usize, random: ChaCha8Rng) -> Self {
        Shuffled { jobs: Vec::new(), test, slots, random }
    }
}

impl<F: FnMut(&[u8]) -> Verdict> Executor for Shuffled<F> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        self.jobs.push((job, false));
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        if self.jobs.is_empty() {
            return None;
        }
        let (job, cancelled) = self.jobs.swap_remove(self.random.random_range(0..self.jobs.len()));
        let outcome = if cancelled { Outcome::cancelled() } else { Outcome::of((self.test)(&job.candidate)) };
        Some((job.ticket, outcome))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.wait()
    }

    fn cancel(&mut self, ticket: Ticket) {
        self.jobs.iter_mut().filter(|(job, _)| job.ticket == ticket).for_each(|(_, cancelled)| *cancelled = true);
    }

    fn shutdown(&mut self) {}
}

#[test]
fn answers_in_any_order_end_at_a_result_that_was_judged() {
    // Statements of which half must stay, under a test with moods of its own: which depends on the
    // whole text, so an answer about one text says nothing about the next.
    for slots in [3, 8, 16] {
        for seed in 0..many(2) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut input = String::new();
            for function in 0..6 {
                input += &format!("int f{function}(int a) {{\n");
                for i in 0..40 {
                    let value = if random.random_range(0..3) == 0 { "KEEP" } else { "x" };
                    input += &format!("  a{i} = {value};\n");
                }
                input += "}\n";
            }
            let keeps = |text: &str| text.matches("KEEP").count();
            let wanted = keeps(&input) / 2;
            let original = input.clone().into_bytes();
            let test = |c: &[u8]| {
                let mood = c.iter().fold(7_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619)) >> 8;
                yes_if(c == original || (keeps(&String::from_utf8_lossy(c)) >= wanted && !mood.is_multiple_of(5)))
            };
            let mut executor = Shuffled::new(test, slots, random);
            let options = Options { max_tests: Some(2_000), ..Options::default() };
            let grammar = grammar("x.c", input.as_bytes());
            let report = reduce_with(input.as_bytes(), grammar, &mut executor, &options, &mut Silent, &Cancel::new())
                .expect("interesting");
            assert_eq!(test(&report.best), Verdict::Interesting, "{slots} slots, seed {seed}");
            assert!(report.best.len() < input.len());
        }
    }
}

/// Each bracket and quote is asked about by itself in the end, or the guarantee would not hold.
#[test]
fn text_is_minimal_by_character_although_its_brackets_are_kept_in_pairs() {
    for input in ["x (\"keep\") y\n", "[1, {\"a\": \"keep\"}, 2]", "'one' `keep` (two"] {
        let (report, _) = run_with(None, input.as_bytes(), &Options::default(), |text| {
            yes_if(text.windows(4).any(|four| four == b"keep"))
        });
        assert_eq!(String::from_utf8_lossy(&report.expect("interesting").best), "keep", "{input}");
    }
}

/// Every statement of a long file has to stay: the edits of each kind are refused dozens of times.
#[test]
fn unlikely_edits_are_left_out_and_thorough_asks_about_all() {
    let input: String = (0..150).map(|number| format!("f{number}(a{number}.b);\n")).collect();
    let words = |text: &[u8]| text.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect::<Vec<_>>();
    let wanted = words(input.as_bytes());
    let judge = |candidate: &[u8]| yes_if(words(candidate) == wanted);
    let grammar = grammar("x.js", input.as_bytes());
    let run = |effort| {
        let options = Options { effort, ..Options::default() };
        let (report, asked) = run_with(grammar.clone(), input.as_bytes(), &options, judge);
        (report.expect("it ends"), asked.len())
    };
    let ((usual, few), (thorough, many)) = (run(Effort::Usual), run(Effort::Thorough));
    assert!(usual.left_out.iter().any(|(pass, edits)| *pass == "hoist" && *edits > 100), "{:?}", usual.left_out);
    assert_eq!((thorough.left_out.len(), usual.minimal), (0, Minimal::Token));
    assert!(few * 3 < many * 2, "{few} and {many}");
}
