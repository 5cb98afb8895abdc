//! Text that the user wants kept stays, whatever the test says.

use lop::{Options, Report};
use lop_engine::Verdict;
use lop_reduce::{Ended, Keep, KeepSpec, Minimal};

use crate::reduce::{functions, grammar, has, run, yes_if};
use crate::support::Folder;

/// Two functions, one of them with a comment and a nested block.
const PROGRAM: &str = "\
int a, b;
/* keep me */
int f(int x, int y) {
    if (x) { while (y) { a = b + 1; } }
    return x + 2;
}
int g(void) { return f(1, \"two\"); }
";

fn keep(file: &str, text: &str, spec: &KeepSpec) -> Keep {
    Keep::find(spec, text.as_bytes(), grammar(file, text.as_bytes()).as_deref(), 1 << 20).expect("it is well-formed")
}

fn patterns(patterns: &[&str]) -> KeepSpec {
    KeepSpec { patterns: patterns.iter().map(|&pattern| pattern.to_owned()).collect(), ..KeepSpec::default() }
}

/// Reduces and holds every candidate to having the kept texts in their order.
#[track_caller]
fn reduce_keeping(
    file: &str,
    input: &str,
    spec: &KeepSpec,
    options: Options,
    test: impl FnMut(&[u8]) -> Verdict,
) -> (Report, Vec<Vec<u8>>) {
    let keep = keep(file, input, spec);
    let kept: Vec<&str> = keep.ranges().iter().map(|range| &input[range.clone()]).collect();
    let (report, asked) = run(file, input.as_bytes(), &Options { keep: keep.clone(), ..options }, test);
    // The empty file is only asked about: whether the test looks for anything.
    for candidate in asked.iter().filter(|candidate| !candidate.is_empty()) {
        let text = std::str::from_utf8(candidate).expect("the inputs are ASCII");
        let mut rest = text;
        for part in &kept {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is not in\n{text}"));
            rest = &rest[at + part.len()..];
        }
    }
    (report.expect("the input is interesting"), asked)
}

fn text(report: &Report) -> &str {
    std::str::from_utf8(&report.best).expect("the inputs are ASCII")
}

#[test]
fn no_candidate_touches_what_is_kept() {
    let rows: [(&str, &str, &[&str], &str, usize); 7] = [
        ("x.c", PROGRAM, &["keep me"], "two", 32),
        ("x.c", PROGRAM, &["b \\+ 1"], "two", 40),
        ("x.c", PROGRAM, &["while \\(y\\)", "return x"], "b;", 90),
        ("x.c", PROGRAM, &["\\n    return"], "if", 60),
        ("x.js", "function f(a, b) { return g(a ? [b, 1] : 'xyz'); }\nf(1);\n", &["yz", "1\\)"], "f(", 30),
        ("x.json", "{\"a\": [1, 2, {\"b\": \"needle\"}], \"c\": null}\n", &["2, ", "null"], "needle", 30),
        ("x.txt", "one two\nthree four\nfive\n", &["wo\\nth", "iv"], "four", 14),
    ];
    for (file, input, kept, needed, most) in rows {
        let (report, _) = reduce_keeping(file, input, &patterns(kept), Options::default(), |c| yes_if(has(c, needed)));
        assert_eq!(report.ended, Ended::Complete);
        assert!(report.best.len() <= most, "{kept:?}: {}", text(&report));
    }
}

#[test]
fn every_way_to_reduce_leaves_it_alone() {
    let input = functions(12);
    let spec = patterns(&["f3\\(c, 4\\)", "number 7", "int c = a"]);
    let more = [Minimal::None, Minimal::Char].map(|minimal| Options { minimal: Some(minimal), ..Options::default() });
    let orders = [0, 1].map(|seed| Options { seed, ..Options::default() });
    for options in orders.into_iter().chain(more) {
        let (report, _) = reduce_keeping("x.c", &input, &spec, options, |c| yes_if(has(c, "f9(")));
        assert!(report.best.len() < input.len() * 9 / 10, "{}", text(&report));
    }
}

#[test]
fn lines_keep_their_indentation_and_their_ends() {
    let spec = KeepSpec { lines: vec![(4, 4), (7, 7)], ..KeepSpec::default() };
    let (report, _) = reduce_keeping("x.c", PROGRAM, &spec, Options::default(), |c| yes_if(has(c, "f")));
    let lines: Vec<&str> = text(&report).lines().collect();
    for kept in ["    if (x) { while (y) { a = b + 1; } }", "int g(void) { return f(1, \"two\"); }"] {
        assert!(lines.iter().any(|line| line.ends_with(kept)), "{}", text(&report));
    }
    assert!(!text(&report).contains("keep me"));
}

#[test]
fn what_queries_capture_stays() {
    let spec = KeepSpec { queries: vec!["(while_statement body: (_) @keep)".to_owned()], ..KeepSpec::default() };
    let (report, _) = reduce_keeping("x.c", PROGRAM, &spec, Options::default(), |c| yes_if(has(c, "two")));
    assert!(text(&report).contains("{ a = b + 1; }") && report.best.len() < 60, "{}", text(&report));
}

#[test]
fn lines_cut_down_before_there_is_a_tree_are_kept() {
    let input = functions(300);
    let options = Options { max_parse: Some(2_000), ..Options::default() };
    let spec = patterns(&["number 77 ", "return f200"]);
    let (report, _) = reduce_keeping("x.c", &input, &spec, options, |c| yes_if(has(c, "f123(int")));
    assert!(report.best.len() < 120, "{}", text(&report));
}

#[test]
fn nesting_goes_around_what_is_kept() {
    let input = format!("{}1{}", "[0, ".repeat(60), "]".repeat(60));
    // Ten levels down something is kept: the levels above and below it may go.
    let input = input.replacen(&"[0, ".repeat(10), &format!("{}[\"k\", ", "[0, ".repeat(9)), 1);
    let (report, _) =
        reduce_keeping("x.json", &input, &patterns(&["\"k\", "]), Options::default(), |c| yes_if(has(c, "1")));
    assert_eq!(text(&report), "[\"k\", 1]");
}

#[test]
fn keeping_everything_leaves_everything() {
    let (report, asked) =
        reduce_keeping("x.c", PROGRAM, &patterns(&["(?s).+"]), Options::default(), |c| yes_if(!c.is_empty()));
    assert_eq!((text(&report), asked.len()), (PROGRAM, 3), "the input twice and the empty file");
}

#[test]
fn an_empty_file_that_is_welcome_has_what_is_kept() {
    let options = Options { allow_empty: true, ..Options::default() };
    let (report, _) = reduce_keeping("x.json", "[1, 2, [3]]", &patterns(&["2"]), options, |_| Verdict::Interesting);
    assert_eq!(text(&report), "2");
}

#[test]
fn the_command_line_says_what_is_kept() {
    let folder = Folder::new();
    folder.write("input.c", PROGRAM);
    let line = ["-q", "-j1", "--keep", "keep me", "--keep-lines", "5-5", "--keep-query", "(string_literal) @keep"];
    folder.lop(&[&line[..], &["input.c", "--", "grep", "-q", "while"]].concat()).expect_code(0);
    let result = String::from_utf8(folder.read("input.c")).expect("ASCII");
    for kept in ["keep me", "    return x + 2;\n", "\"two\"", "while"] {
        assert!(result.contains(kept), "{kept} is not in\n{result}");
    }
    assert!(!result.contains("int g(void)"), "{result}");
}

#[test]
fn what_keeps_nothing_is_a_note() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let ran = folder.lop(&["--keep", "zzz", "input.txt", "--", "grep", "-q", "keep"]).expect_code(0);
    assert!(ran.stderr.contains("--keep 'zzz' matches nothing in the input, so it keeps nothing"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.write("input.json", "[1]");
    for (file, option, value, message) in [
        ("input.txt", "--keep", "(", "error: the pattern '(' of --keep is not a regular expression\n"),
        ("input.txt", "--keep-lines", "2-9", "error: there are no lines 2-9 to keep: the input has 3;"),
        ("input.txt", "--keep-lines", "9-2", "error: invalid value '9-2' for '--keep-lines <A-B>': line 2 comes"),
        ("input.txt", "--keep-query", "(x) @keep", "error: --keep-query asks the syntax tree, and text has none;"),
        ("input.json", "--keep-query", "(x) @keep", "error: the query '(x) @keep' of --keep-query cannot be used: unk"),
        (
            "input.json",
            "--keep-query",
            "(number) @k",
            "error: the query '(number) @k' of --keep-query cannot be used: it",
        ),
    ] {
        let ran = folder.lop(&[option, value, file, "--", "grep", "-q", "keep"]).expect_code(2);
        assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
    }
    assert_eq!(folder.names(), ["input.json", "input.txt"]);
}
