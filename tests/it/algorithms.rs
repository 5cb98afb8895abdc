//! `--algorithm`: published algorithms in the place of lop's engine, and of its pipeline.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use lop::engine::Verdict;
use lop::exec::{Executor, Inline};
use lop::grammar::{EMBEDDED, Folder, Registry};
use lop::oracle::Cancel;
use lop::reduce::{Ended, Event, EventSink, Method, Order, Report};
use lop::{Options, Silent, reduce_with};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::reduce::{Shuffled, assert_no_token_can_go, functions, grammar, has, run, yes_if};

fn by(method: Method) -> Options {
    Options { algorithm: method, ..Options::default() }
}

fn named(name: &str) -> Options {
    by(Method::named(name).unwrap_or_else(|| panic!("there is no {name}")))
}

/// A file, its content, and what must not get lost.
const SAMPLES: [(&str, &str, &[&str]); 3] = [
    (
        "x.c",
        "#include <a.h>\n/* one */ int a = 1, b[] = {1, 2, 3}; struct s { int x; int y; };\n\
         int f(int p, int q) { if (p) { return g(p + q, 42); } else { b[0] = 7; } for (;;) a++; return 0; }\n\
         int main(void) { f(1, 2); return a; }\n",
        &["f(int", "42", "++"],
    ),
    (
        "x.js",
        "// one\nimport x from 'x';\nclass A extends B { a = 1; m(p = 2) { return [1, , 'needle', ...p]; } }\n\
         const {k, l: [m]} = f(a => a + 1, `t${1}`);\nif (k) { g(k ? l : m) } else h()\n",
        &["needle", "=>"],
    ),
    (
        "x.json",
        "{\"a\": [1, 2, {\"b\": \"needle\"}], \"c\": null, \"d\": [[3], [4, [5, 6]], {}]}\n",
        &["needle", "5", "d\""],
    ),
];

#[test]
fn whatever_the_algorithm_the_result_is_interesting_and_no_token_of_it_can_go() {
    for (file, input, needed) in SAMPLES {
        let test = |c: &[u8]| yes_if(needed.iter().all(|part| has(c, part)));
        assert_eq!(test(input.as_bytes()), Verdict::Interesting);
        for method in Method::all() {
            let (report, asked) = run(file, input.as_bytes(), &by(method), test);
            let report = report.expect("the input is interesting");
            let best = String::from_utf8(report.best.clone()).expect("the input is ASCII");
            assert_eq!(test(best.as_bytes()), Verdict::Interesting, "{}: {best}", method.name());
            assert!(best.len() * 3 < input.len() * 2, "{}: {best}", method.name());
            assert_eq!((report.ended, report.minimal), (Ended::Complete, "token"));
            assert_no_token_can_go(file, &best, test);
            // The input is judged twice before it is believed, and the best result is confirmed.
            let again = 1 + usize::try_from(report.reliability.confirmations).expect("few");
            let distinct: HashSet<_> = asked.iter().collect();
            assert_eq!(asked.len(), distinct.len() + again, "{} asks again", method.name());
        }
    }
}

/// Every candidate after the baseline's, with a mark behind those that became the best result. Those that were asked
/// about to confirm them come once.
fn trace(name: &str, file: &str, input: &str, test: impl Fn(&[u8]) -> bool) -> Vec<String> {
    let options = Options { order: Order::Forward, ..named(name) };
    let (report, asked) = run(file, input.as_bytes(), &options, |c| yes_if(test(c)));
    assert_eq!(report.expect("the input is interesting").ended, Ended::Complete);
    let line = |c: &Vec<u8>| String::from_utf8_lossy(c).into_owned() + if test(c) { " +" } else { "" };
    let mut seen = HashSet::new();
    asked.iter().skip(3).filter(|&candidate| seen.insert(candidate)).map(line).collect()
}

#[test]
fn hdd_goes_level_by_level_and_over_all_lists_of_a_level_at_once() {
    let asked = trace("hdd", "x.json", "[[1, 2], [3, 4], 5]", |c| has(c, "2") && has(c, "3"));
    let expected = [
        // The array's elements: all, parts alone, then each of them.
        "[]",
        "[[1, 2]]",
        "[[3, 4], 5]",
        "[[3, 4]]",
        "[5]",
        "[[1, 2], 5]",
        "[[1, 2], [3, 4]] +",
        // The elements of both arrays in them.
        "[[], []]",
        "[[1, 2], []]",
        "[[], [3, 4]]",
        "[[1], []]",
        "[[2], []]",
        "[[], [3]]",
        "[[], [4]]",
        "[[2], [3, 4]] +",
        "[[2], [4]]",
        "[[2], [3]] +",
        // Once more, from the root.
        "[[2]]",
        "[[3]]",
    ];
    assert_eq!(asked, expected);
}

#[test]
fn perses_takes_what_has_the_most_tokens_first() {
    let input = "[[1, 2], {\"k\": [3, 4, 5]}, 6]";
    let asked = trace("perses", "x.json", input, |c| has(c, "1") && has(c, "4") && has(c, "k"));
    let expected = [
        // The whole array by one of its elements, the smallest first.
        "6",
        "[1, 2]",
        "{\"k\": [3, 4, 5]}",
        // Its elements by ddmin.
        "[]",
        "[[1, 2]]",
        "[{\"k\": [3, 4, 5]}, 6]",
        "[{\"k\": [3, 4, 5]}]",
        "[6]",
        "[[1, 2], 6]",
        "[[1, 2], {\"k\": [3, 4, 5]}] +",
        // The object is larger than the first array: by what is in it, then its one pair.
        "[[1, 2], \"k\"]",
        "[[1, 2], [3, 4, 5]]",
        "[[1, 2], {}]",
        // The pair's value.
        "[[1, 2], {\"k\": 3}]",
        "[[1, 2], {\"k\": 4}] +",
        // Only then the first array.
        "[1, {\"k\": 4}] +",
        // Once more, from the root.
        "1",
        "{\"k\": 4}",
        "[1]",
        "[{\"k\": 4}]",
        "[1, 4]",
        "[1, \"k\"]",
        "[1, {}]",
        // The verification goes into the string.
        "[1, {\"\": 4}]",
    ];
    assert_eq!(asked, expected);
}

#[test]
fn the_grammar_reducer_takes_the_largest_subtrees_first_and_then_other_expansions() {
    let asked = trace("grammar-reducer", "x.json", "[0, [1, [2, 3], 4]]", |c| has(c, "2") && has(c, "4"));
    let expected = [
        // The array by the subtrees one level below it.
        "0",
        "[1, [2, 3], 4] +",
        "1",
        "[2, 3]",
        "4",
        // By its rule's expansions with fewer elements, made of the first pieces that there are.
        "[]",
        "[1]",
        "[1,1]",
        // Its children: the list without one, and what is one level below them.
        "[[2, 3], 4] +",
        "[4]",
        "[2, 4] +",
        "[2]",
        // The children again, then the array.
        "2",
    ];
    assert_eq!(asked, expected);
}

#[test]
fn the_grammar_reducer_looks_deeper_when_there_is_nothing_near() {
    let odd = |c: &[u8]| has(c, "7") && c.iter().filter(|byte| **byte == b'[').count() % 2 == 1;
    let asked = trace("grammar-reducer", "x.json", "[[[7]]]", odd);
    assert_eq!(asked[..4], ["[[7]]", "[]", "[[]]", "[[[]]]"]);
    assert_eq!(asked[4], "[7] +", "two levels at once: {asked:?}");
}

#[test]
fn the_grammar_reducer_drops_what_a_rule_leaves_open() {
    let asked = trace("grammar-reducer", "x.js", "if (a) { b } else c", |c| has(c, "if") && has(c, "b"));
    assert_eq!(asked[0], "{ b }", "a statement in the place of a statement");
    assert!(asked.contains(&"if (a) { b } +".to_owned()), "{asked:?}");
}

#[test]
fn without_productions_the_grammar_reducer_has_subtrees_only() {
    let input = "[0, [1, [2, 3], 4]]";
    let with = |productions| {
        let folder = EMBEDDED.iter().find(|folder| folder.name == "json").expect("it is shipped");
        let folder = [Folder { productions, ..*folder }];
        let registry = Registry::new(&folder).expect("one folder");
        let (grammar, _) = registry.choose("json", Path::new("x.json"), b"").expect("it is there");
        let (mut asked, mut notes) = (Vec::new(), Notes::default());
        let mut executor = Inline::new(|c: &[u8]| {
            asked.push(String::from_utf8_lossy(c).into_owned());
            yes_if(has(c, "2") && has(c, "4"))
        });
        let options = named("grammar-reducer");
        reduce_with(input.as_bytes(), grammar, &mut executor, &options, &mut notes, &Cancel::new())
            .expect("interesting");
        drop(executor);
        (asked, notes.0)
    };
    let (asked, notes) = with("");
    assert!(asked.contains(&"[2, 4]".to_owned()) && !asked.contains(&"[1,1]".to_owned()), "{asked:?}");
    assert!(notes.is_empty(), "{notes:?}");
    let (asked, notes) = with("{");
    assert!(asked.contains(&"[2, 4]".to_owned()), "{asked:?}");
    assert!(notes[0].starts_with("grammars/json/grammar.json:1: "), "{notes:?}");
}

/// What people are told.
#[derive(Default)]
struct Notes(Vec<String>);

impl EventSink for Notes {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Note(text) = event {
            self.0.push((*text).to_owned());
        }
        Ok(())
    }
}

fn reduced_by(method: Method, file: &str, input: &str, executor: &mut dyn Executor) -> Report {
    let grammar = grammar(file, input.as_bytes());
    let report = reduce_with(input.as_bytes(), grammar, executor, &by(method), &mut Silent, &Cancel::new());
    report.expect("the input is interesting")
}

#[test]
fn several_tests_at_a_time_end_at_the_same_result() {
    let input = functions(25);
    let test = |c: &[u8]| yes_if(has(c, "f13(") && has(c, "f2(int a"));
    for method in Method::all().into_iter().filter(|method| *method != Method::default()) {
        let alone = reduced_by(method, "x.c", &input, &mut Inline::new(test));
        let four = reduced_by(method, "x.c", &input, &mut Inline::new(test).with_slots(4));
        let random = ChaCha8Rng::seed_from_u64(1);
        let shuffled = reduced_by(method, "x.c", &input, &mut Shuffled::new(test, 4, random));
        let text = |report: Report| String::from_utf8(report.best).expect("the input is ASCII");
        let alone = text(alone);
        assert_eq!(text(four), alone, "{}", method.name());
        assert_eq!(text(shuffled), alone, "{}", method.name());
    }
}

#[test]
fn malformed_input_stays_malformed_and_gets_small() {
    let input = "{\"list\": [{\"id\": 1, \"name\": [2, 3]}, {\"id\": 4,,}, 5], \"end\": true}";
    for method in Method::all() {
        let squeezed = |c: &[u8]| c.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<_>>();
        let (report, _) = run("x.json", input.as_bytes(), &by(method), |c| yes_if(has(&squeezed(c), ",,")));
        let best = report.expect("the input is interesting").best;
        assert!(best.len() <= 4, "{}: {}", method.name(), String::from_utf8_lossy(&best));
    }
    let broken = "int f( { if (x { return 1 + ; } } else ) needle ] int g(void) { ; ";
    for method in Method::all() {
        let (report, _) = run("x.c", broken.as_bytes(), &by(method), |c| yes_if(has(c, "needle") && has(c, "]")));
        let best = report.expect("the input is interesting").best;
        assert!(best.len() < 20, "{}: {}", method.name(), String::from_utf8_lossy(&best));
    }
}

#[test]
fn text_is_reduced_by_any_algorithm() {
    let input: String = (0..60).map(|i| format!("line {i} with some words\n")).collect();
    for method in Method::all() {
        let (report, _) = run("x.unknown", input.as_bytes(), &by(method), |c| yes_if(has(c, "31") && has(c, "wor")));
        let report = report.expect("the input is interesting");
        assert_eq!(report.minimal, "char");
        assert_eq!(report.best.len(), 5, "{}: {}", method.name(), String::from_utf8_lossy(&report.best));
    }
}

#[test]
fn a_limit_ends_any_algorithm_with_the_best_so_far() {
    let input = functions(40);
    let test = |c: &[u8]| yes_if(has(c, "f9(int") && has(c, "f31(int"));
    for method in Method::all() {
        let options = Options { max_tests: Some(14), ..by(method) };
        let (report, asked) = run("x.c", input.as_bytes(), &options, test);
        let report = report.expect("the input is interesting");
        assert_eq!((report.ended, asked.len()), (Ended::Budget, 14), "{}", method.name());
        assert_eq!(test(&report.best), Verdict::Interesting);
        assert!(report.best.len() < input.len(), "{}", method.name());
    }
}

#[test]
fn cancelling_ends_any_algorithm_with_the_best_so_far() {
    let input = functions(40);
    for method in Method::all() {
        let cancel = Cancel::new();
        let mut tests = 0;
        let mut executor = Inline::new(|c: &[u8]| {
            tests += 1;
            if tests == 12 {
                cancel.stop();
            }
            yes_if(has(c, "f9(int"))
        });
        let grammar = grammar("x.c", input.as_bytes());
        let report = reduce_with(input.as_bytes(), grammar, &mut executor, &by(method), &mut Silent, &cancel);
        let report = report.expect("the input is interesting");
        drop(executor);
        assert_eq!((report.ended, tests), (Ended::Cancelled, 12), "{}", method.name());
        assert!(has(&report.best, "f9(int") && report.best.len() < input.len(), "{}", method.name());
    }
}

/// An empty file may be what is wanted, and lists may vanish as a whole.
#[test]
fn what_can_go_as_a_whole_costs_one_test_by_an_algorithm_that_takes_for_granted_that_something_stays() {
    let input = format!("[{}]", (0..50).map(|i| i.to_string()).collect::<Vec<_>>().join(", "));
    let asked = trace("ddmin", "x.json", &input, |c| has(c, "["));
    assert_eq!(asked[0], "[] +", "{asked:?}");
}

/// HDD only takes nodes out, and each of these is needed by the next.
#[test]
fn deep_nesting_goes_where_a_node_may_replace_another() {
    let depth = 400;
    let input = format!("{}7{}", "[".repeat(depth), "]".repeat(depth));
    for (name, brackets) in [("hdd", depth), ("grammar-reducer", 0), ("perses", 0)] {
        let (report, _) = run("x.json", input.as_bytes(), &named(name), |c| yes_if(has(c, "7")));
        let best = report.expect("the input is interesting").best;
        assert_eq!(best.iter().filter(|byte| **byte == b'[').count(), brackets, "{name}");
    }
}

/// An element without text can go as often as the text is parsed.
#[test]
fn grammar_reducer_ends_where_a_step_leaves_the_text_as_long_as_it_was() {
    for (file, input, needle) in [
        ("x.tsx", "(item: number) => <li key={item}>{item + 1} \n   am}>{ny</li%>)}\n", "<li "),
        (
            "x.html",
            "le &amp; 1\"r\"utf-8\"e</titl>\n<title charset=\"utf-8\">\n<style>p { color: red; }</style>\n\
             <script src='x.js' async>if (a < n  { run(); }</script>\n<h1 id=\"top\">One",
            " (a ",
        ),
    ] {
        for allow_syntax_errors in [false, true] {
            let options = Options { max_tests: Some(1_000), allow_syntax_errors, ..named("grammar-reducer") };
            let (report, _) = run(file, input.as_bytes(), &options, |c| yes_if(has(c, needle)));
            let report = report.expect("the input is interesting");
            assert_eq!(report.ended, Ended::Complete, "{file}");
            assert!(has(&report.best, needle));
        }
    }
}
