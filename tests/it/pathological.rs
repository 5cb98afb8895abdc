//! lop's own work has bounds on texts that are hard on it. Work is counted in steps of the parser, not in time: the
//! figures are the same on every machine. How long it takes is measured by `cargo bench --bench pathological`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lop::Config;
use lop_grammar::{AUTO, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_reduce::Report;
use lop_run::exec::Inline;
use lop_syntax::{ParseError, Stop, SyntaxParser};

use crate::generators::{ALL, Generator, NEEDLE};

/// Bytes of each text: small, for there are many.
const SIZE: usize = 2_000;
/// Steps of the parser that a run may take before its first test and for each one.
const STEPS_AT_FIRST: u64 = 8_000;
const STEPS_PER_TEST: u64 = 30;

/// The text with which the parser takes minutes, one whose errors are as deep, and those with an error every few bytes.
const TOO_HARD: [&str; 6] = [
    "comment openers and closers, C",
    "macros",
    "alternating brackets, C",
    "alternating brackets, JavaScript",
    "openers, C",
    "openers, JavaScript",
];

fn grammar(file: &str) -> Arc<Grammar> {
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    let (grammar, _) = registry.choose(AUTO, Path::new(file), b"").expect("embedded grammars load");
    grammar.expect("the extension is one of a language")
}

fn parser(file: &str) -> SyntaxParser {
    grammar(file).parser().expect("embedded parsers fit")
}

/// Reduces each text, and says how many bytes it had, what it is called and what came of it.
fn reduce_each(most_tests: u64, test: impl Fn(&[u8], &[u8]) -> bool) -> Vec<(usize, &'static str, Report)> {
    // To load a grammar takes longer than most of the runs.
    let mut grammars = BTreeMap::new();
    let reduce = |generator: &Generator| {
        let input = generator.text(SIZE);
        let grammar = grammars.entry(generator.file).or_insert_with(|| grammar(generator.file));
        let config = Config::new().with_grammar(Some(Arc::clone(grammar))).max_tests(most_tests);
        let mut executor = Inline::new(|text: &[u8]| test(&input, text));
        let report = lop::reduce_on(&input, &mut executor, &config).expect("the input is interesting");
        (input.len(), generator.name, report)
    };
    ALL.iter().map(reduce).collect()
}

#[track_caller]
fn assert_bounded(name: &str, report: &Report) {
    let most = STEPS_AT_FIRST + STEPS_PER_TEST * report.tests.total();
    assert!(report.gate_steps <= most, "{name}: {} steps, not {most}", report.gate_steps);
}

/// Whether a text has the needle.
fn has_needle(text: &[u8]) -> bool {
    text.windows(NEEDLE.len()).any(|part| part == NEEDLE.as_bytes())
}

#[test]
fn every_text_is_reduced_to_the_needle_in_a_bounded_number_of_steps() {
    for (bytes, name, report) in reduce_each(400, |_, text| has_needle(text)) {
        assert_bounded(name, &report);
        assert!(has_needle(&report.best), "{name}");
        assert!(report.best.len() * 4 < bytes, "{name}: {} bytes are left", report.best.len());
    }
}

/// The search that finds nothing asks most.
#[test]
fn a_test_that_refuses_everything_costs_a_bounded_number_of_steps() {
    for (bytes, name, report) in reduce_each(20, |input, text| input == text) {
        assert_bounded(name, &report);
        assert_eq!(report.best.len(), bytes, "{name}");
    }
}

/// Comments are no tokens: a model that expects lists as short as there are tokens would take out a few dozens at a time.
#[test]
fn thousands_of_comments_around_one_name_take_a_few_tests() {
    let names = ["comments in front of line comments", "comments in front of one line comment"];
    for generator in ALL.iter().filter(|generator| names.contains(&generator.name)) {
        let mut executor = Inline::new(has_needle);
        let config = Config::new().with_grammar(Some(grammar(generator.file)));
        let report = lop::reduce_on(&generator.text(20_000), &mut executor, &config).expect("it has the needle");
        let tests = report.tests.total();
        assert!(tests < 100, "{}: {tests} tests", generator.name);
        assert!(report.best.len() < 20, "{}: {} bytes", generator.name, report.best.len());
    }
}

/// All of it would take a hundred times as long as what is tried.
#[test]
fn a_text_with_many_deep_errors_is_told_by_its_beginning() {
    let mut parser = parser("x.c");
    let errors = b"X * / * / ".repeat(100_000);
    let tried = parser.try_parts(&errors);
    assert!(matches!(tried, Err(ParseError::TooHard)), "{tried:?}");
    assert!(parser.steps() < 1_000, "{} steps", parser.steps());
}

#[test]
fn ordinary_and_deep_texts_are_not_too_hard() {
    for generator in ALL.iter().filter(|generator| !TOO_HARD.contains(&generator.name)) {
        let tried = parser(generator.file).try_parts(&generator.text(20_000));
        assert!(tried.is_ok(), "{}: {tried:?}", generator.name);
    }
}

/// A lexer that looks for the end of what has none reads everything behind it, and no operation of the parser is
/// counted meanwhile.
#[test]
fn what_is_read_is_counted_too() {
    let mut parser = parser("x.js");
    let comment = ["/*", &"x".repeat(1_000_000), "*/"].concat();
    parser.parse(comment.as_bytes()).expect("a comment has a tree");
    assert!((244..1_000).contains(&parser.steps()), "{} steps", parser.steps());
}

#[test]
fn a_parser_gives_up_after_so_many_steps_and_parses_the_next_text() {
    let mut parser = parser("x.c");
    let text = b"int f(int a) { return a + 1; }\n".repeat(10_000);
    assert!(matches!(parser.parse_within(&text, 100), Err(ParseError::TooHard)));
    assert_eq!(parser.steps(), 100);
    let tree = parser.parse(b"int a;").expect("a small text has a tree");
    assert!(matches!(parser.reparse_within(&tree, b"int a;", &text, 100), Err(ParseError::TooHard)));
    assert_eq!(
        parser.parse(b"int a;").expect("a small text has a tree").root().node().to_sexp(),
        tree.root().node().to_sexp()
    );
}

#[test]
fn a_parser_that_is_told_to_stop_stops_at_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let stop: Stop = {
        let asked = Arc::clone(&asked);
        Arc::new(move || asked.fetch_add(1, Ordering::SeqCst) == 50)
    };
    let mut parser = parser("x.c").stopping(&stop);
    let text = b"int f(int a) { return a + 1; }\n".repeat(10_000);
    assert!(matches!(parser.parse(&text), Err(ParseError::Stopped)));
    assert_eq!(parser.steps(), 51);
    parser.parse(&text).expect("it is not told so again");
}
