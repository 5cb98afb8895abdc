//! A user's choices of syntax, effort and preference, and that they take effect.

use std::fs;
use std::path::Path;

use lop::{Options, ReduceError};
use lop_engine::Verdict;
use lop_reduce::{Effort, Minimal, Prefer, Syntax, SyntaxCause};

use crate::reduce::{functions, grammar, has, run, yes_if};
use crate::support::Folder;

/// Syntax errors of a text, parsed by itself.
fn errors(file: &str, text: &[u8]) -> usize {
    let grammar = grammar(file, text).expect("a language");
    let mut parser = grammar.parser().expect("a parser");
    lop_syntax::error_count(&parser.parse(text).expect("it parses"))
}

fn with_syntax(syntax: Syntax) -> Options {
    Options { syntax: Some(syntax), ..Options::default() }
}

#[test]
fn what_must_stay_invalid_has_an_error_in_every_candidate() {
    let rows = [
        ("x.json", "{\"a\": [1, 2, ?? 3], \"b\": [1,, 2], \"c\": [4]}", "4"),
        ("x.c", "int f(void) { return 1 2; } int g(void) { ) } int h;\n", "h"),
        ("x.js", "function f() { let = ; }\nlet b = [1, 2;\nf(b)\n", "b"),
    ];
    for (file, input, needed) in rows {
        for allow_syntax_errors in [false, true] {
            let options = Options { allow_syntax_errors, ..with_syntax(Syntax::Invalid) };
            let (report, asked) = run(file, input.as_bytes(), &options, |c| yes_if(has(c, needed)));
            let best = report.expect("interesting").best;
            assert!(best.len() * 3 < input.len(), "{}", String::from_utf8_lossy(&best));
            for candidate in asked.iter().filter(|candidate| !candidate.is_empty()) {
                assert!(errors(file, candidate) > 0, "{}", String::from_utf8_lossy(candidate));
            }
        }
    }
}

#[test]
fn what_must_stay_valid_has_no_error_in_any_candidate_however_large() {
    let input = functions(1_200);
    assert!(input.len() > 64 << 10, "larger than what is looked at anyway");
    let test = |c: &[u8]| yes_if(has(c, "f600(int") && has(c, "return f3("));
    let (report, asked) = run("x.c", input.as_bytes(), &with_syntax(Syntax::Valid), test);
    assert!(report.expect("interesting").best.len() < 120);
    for candidate in asked {
        assert_eq!(errors("x.c", &candidate), 0, "{}", String::from_utf8_lossy(&candidate));
    }
}

#[test]
fn an_empty_file_that_is_welcome_is_no_invalid_one() {
    let options = Options { allow_empty: true, ..with_syntax(Syntax::Invalid) };
    let best = run("x.json", b"[1, 2, [3", &options, |_| Verdict::Interesting).0.expect("interesting").best;
    assert!(errors("x.json", &best) > 0 && best.len() <= 2, "{}", String::from_utf8_lossy(&best));
    let options = Options { allow_empty: true, ..with_syntax(Syntax::Valid) };
    assert_eq!(run("x.json", b"[1]", &options, |_| Verdict::Interesting).0.expect("interesting").best, b"");
}

#[test]
fn an_input_that_is_not_as_it_must_stay_is_refused_before_the_first_test() {
    let (small, usual) = (Options { max_parse: Some(2), ..Options::default() }, Options::default());
    for (file, input, syntax, options, expected) in [
        ("x.json", "[1]", Syntax::Invalid, &usual, SyntaxCause::Otherwise(0)),
        ("x.json", "[1,, ??]", Syntax::Valid, &usual, SyntaxCause::Otherwise(1)),
        ("x.txt", "word", Syntax::Valid, &usual, SyntaxCause::NoGrammar),
        ("x.json", "[1]", Syntax::Valid, &small, SyntaxCause::TooLarge),
    ] {
        let options = Options { syntax: Some(syntax), ..options.clone() };
        let (report, asked) = run(file, input.as_bytes(), &options, |_| Verdict::Interesting);
        assert_eq!(asked.len(), 0);
        match report.expect_err("it is refused") {
            ReduceError::Syntax { wanted, cause } => assert_eq!((wanted, cause), (syntax, expected)),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn the_command_line_limits_the_text_that_is_parsed() {
    let folder = Folder::new();
    let words: Vec<String> = (0..200).map(|n| format!("\"word {n}\"")).collect();
    folder.write("input.json", format!("[{}, \"keep\"]", words.join(", ")));
    let goes_by_words = |limit: &str| {
        let options = ["-qj1", "-o", "out", "--no-state", "--json", "events", "--max-parse", limit];
        folder.lop(&[&options[..], &["input.json", "--", "grep", "-q", "keep"]].concat()).expect_code(0);
        String::from_utf8(folder.read("events")).expect("text").contains("\"pass\":\"words\"")
    };
    assert!(!goes_by_words("64K"));
    assert!(goes_by_words("1K"), "there is no tree before the text is shorter");
}

#[test]
fn the_command_line_asks_for_syntax() {
    let folder = Folder::new();
    folder.write("input.json", "[1, [2, ??], \"keep\", 3]");
    folder.write("input.txt", "keep");
    let test = ["--", "grep", "-q", "keep"];
    let lop = |line: &[&str], code| folder.lop(&[line, &test].concat()).expect_code(code).stderr;
    lop(&["-q", "input.json", "-o", "out", "--syntax", "invalid"], 0);
    assert!(errors("x.json", &folder.read("out")) > 0);
    for (line, message) in [
        (
            ["input.json", "--syntax=valid", "-q"],
            "error: input.json cannot stay valid: it has 1 syntax error\nhint: omit --syntax=valid, or use --syntax=invalid\n",
        ),
        (["input.txt", "--syntax=valid", "-q"], "error: input.txt cannot stay valid: it is text without a grammar;"),
    ] {
        let said = lop(&line, 2);
        assert!(said.starts_with(message), "{said}");
    }
}

fn example(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).expect("it is shipped")
}

#[test]
fn thorough_ends_at_nothing_larger_and_fast_needs_fewer_tests() {
    let rows: [(&str, &[&str]); 2] =
        [("c-crash/input.c", &["median", "->at"]), ("broken-json/input.json", &["\\d", "true"])];
    for (file, needed) in rows {
        let input = example(file);
        let [fast, usual, thorough] = [Effort::Fast, Effort::Usual, Effort::Thorough].map(|effort| {
            let options = Options { effort, ..Options::default() };
            let test = |c: &[u8]| yes_if(needed.iter().all(|part| has(c, part)));
            run(file, &input, &options, test).0.expect("interesting")
        });
        assert!(fast.tests.total() < usual.tests.total(), "{file}: {:?} and {:?}", fast.tests, usual.tests);
        assert!(fast.after.bytes < input.len() / 4, "{file}: {:?}", fast.after);
        let size = |report: &lop::Report| (report.after.tokens, report.after.bytes);
        assert!(size(&thorough) <= size(&usual), "{file}: {:?} and {:?}", thorough.after, usual.after);
        assert!(thorough.tests.total() >= usual.tests.total());
        assert_eq!((fast.minimal, thorough.minimal), (Minimal::None, Minimal::Token));
    }
}

#[test]
fn fast_works_on_text_and_does_not_go_with_what_has_no_end_of_its_own() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let test = ["input.txt", "-o", "out", "--", "grep", "-q", "keep"];
    let ran = folder.lop(&[&["--fast"][..], &test].concat()).expect_code(0);
    assert!(ran.stderr.contains("minimal   not guaranteed"), "{}", ran.stderr);
    assert_eq!(folder.read("out"), b"keep");
    folder.lop(&[&["-q", "--thorough"][..], &test].concat()).expect_code(0);
    for (line, message) in [
        (["--fast", "--thorough"], "error: the argument '--fast' cannot be used with '--thorough'"),
        (["--fast", "--minimal=token"], "error: --fast guarantees nothing, so it cannot be combined with --minimal"),
    ] {
        let ran = folder.lop(&[&line[..], &test].concat()).expect_code(2);
        assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
    }
}

#[test]
fn what_is_preferred_goes_first() {
    // Of two lists either may become empty, not both: the one with more of what is preferred does.
    let long = "a long text in one token, which is many bytes";
    let tall = "[\n\n1\n\n]";
    let wide = "[7, 8, 9]";
    let left = |prefer, other: &str| {
        let input = format!("{{\"x\": [{wide}], \"y\": [{other}]}}");
        let needed = other.trim_matches('"').to_owned();
        let test = |c: &[u8]| yes_if(has(c, "\"x\"") && has(c, "\"y\"") && (has(c, wide) || has(c, &needed)));
        let (report, _) = run("x.json", input.as_bytes(), &Options { prefer, ..Options::default() }, test);
        has(&report.expect("interesting").best, wide)
    };
    let quoted = format!("\"{long}\"");
    assert_eq!([Prefer::Tokens, Prefer::Bytes].map(|prefer| left(prefer, &quoted)), [false, true]);
    assert_eq!([Prefer::Tokens, Prefer::Lines].map(|prefer| left(prefer, tall)), [false, true]);
}

#[test]
fn every_preference_ends_small() {
    let input = functions(40);
    for prefer in ["tokens", "bytes", "lines"] {
        let folder = Folder::new();
        folder.write("input.c", &input);
        folder.lop(&["-q", "--prefer", prefer, "input.c", "--", "grep", "-q", "f20("]).expect_code(0);
        assert!(folder.read("input.c").len() < 20, "{prefer}");
    }
}
