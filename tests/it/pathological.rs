//! lop's own work has bounds on texts that are hard on it. Work is counted in steps of the parser, not in time: the
//! figures are the same on every machine. How long it takes is measured by `cargo bench --bench pathological`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lop::Config;
use lop::exec::Inline;
use lop::grammar::{AUTO, Registry};
use lop::syntax::{ParseError, Stop, SyntaxParser};

use crate::generators::{ALL, NEEDLE};

/// Bytes of each text: small, for there are many.
const SIZE: usize = 3_000;
/// Steps of the parser that a run may take before its first test and for each one.
const STEPS_AT_FIRST: u64 = 8_000;
const STEPS_PER_TEST: u64 = 30;

/// The text with which the parser takes minutes, and one whose errors are as deep.
const TOO_HARD: [&str; 2] = ["comment openers and closers, C", "macros"];

fn parser(file: &str) -> SyntaxParser {
    let registry = Registry::embedded().expect("embedded grammars load");
    let (grammar, _) = registry.choose(AUTO, Path::new(file), b"").expect("embedded grammars load");
    SyntaxParser::new(grammar.expect("the extension is one of a language").language()).expect("embedded parsers fit")
}

/// Whether a text has the needle.
fn has_needle(text: &[u8]) -> bool {
    text.windows(NEEDLE.len()).any(|part| part == NEEDLE.as_bytes())
}

#[test]
fn every_text_is_reduced_to_the_needle_in_a_bounded_number_of_steps() {
    for generator in &ALL {
        let input = generator.text(SIZE);
        let config = Config::new().file_name(generator.file).max_tests(400);
        let report = lop::reduce_on(&input, &mut Inline::new(has_needle), &config).expect("the needle is there");
        let most = STEPS_AT_FIRST + STEPS_PER_TEST * report.tests.total();
        assert!(report.gate_steps <= most, "{}: {} steps, not {most}", generator.name, report.gate_steps);
        assert!(has_needle(&report.best), "{}", generator.name);
        assert!(report.best.len() * 4 < input.len(), "{}: {} bytes are left", generator.name, report.best.len());
    }
}

/// The search that finds nothing asks most.
#[test]
fn a_test_that_refuses_everything_costs_a_bounded_number_of_steps() {
    for generator in &ALL {
        let input = generator.text(SIZE);
        let config = Config::new().file_name(generator.file).max_tests(60);
        let mut executor = Inline::new(|text: &[u8]| text == input);
        let report = lop::reduce_on(&input, &mut executor, &config).expect("the input is interesting");
        let most = STEPS_AT_FIRST + STEPS_PER_TEST * report.tests.total();
        assert!(report.gate_steps <= most, "{}: {} steps, not {most}", generator.name, report.gate_steps);
        assert_eq!(report.best, input, "{}", generator.name);
    }
}

/// All of it would take a hundred times as long as what is tried.
#[test]
fn a_text_with_many_deep_errors_is_told_by_its_beginning() {
    let mut parser = parser("x.c");
    let errors = b"X * / * / ".repeat(100_000);
    let tried = parser.try_beginnings(&errors);
    assert!(matches!(tried, Err(ParseError::TooHard)), "{tried:?}");
    assert!(parser.steps() < 1_000, "{} steps", parser.steps());
}

#[test]
fn ordinary_and_deep_texts_are_not_too_hard() {
    for generator in ALL.iter().filter(|generator| !TOO_HARD.contains(&generator.name)) {
        let tried = parser(generator.file).try_beginnings(&generator.text(20_000));
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
    assert_eq!(parser.parse(b"int a;").expect("a small text has a tree").root_node().to_sexp(), tree.root_node().to_sexp());
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
