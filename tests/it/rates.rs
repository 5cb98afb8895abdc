//! Bugs that show only sometimes: the rate of the result, its size, and the price.

use std::cell::Cell;
use std::fs;

use lop::{Options, RateGoal, Report};
use lop_engine::Verdict;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reduce::{functions, has, run, yes_if};
use crate::support::{Folder, Ran, many};

/// Seeds of each measurement.
const FEW_SEEDS: u64 = 8;

/// A reduction with a test that shows the bug in so many of its runs as `rate` says of a text; the report, and the runs.
fn reduce(file: &str, input: &[u8], seed: u64, options: &Options, rate: impl Fn(&[u8]) -> f64) -> (Report, u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let runs = Cell::new(0);
    let test = |text: &[u8]| {
        runs.set(runs.get() + 1);
        yes_if(random.random_bool(rate(text)))
    };
    let (report, _) = run(file, input, options, test);
    (report.expect("the input shows the bug"), runs.get())
}

fn flaky(goal: RateGoal) -> Options {
    Options { flaky: Some(goal), ..Options::default() }
}

/// The bug in a C file of functions.
fn has_bug(text: &[u8]) -> bool {
    has(text, "f20(") && has(text, "f3(int") && has(text, "return f19")
}

#[test]
fn a_rare_bug_is_reduced_as_far_as_a_certain_one() {
    let input = functions(40);
    let (honest, asked) = run("x.c", input.as_bytes(), &Options::default(), |text| yes_if(has_bug(text)));
    let (honest, asked) = (honest.expect("interesting").best.len() as f64, asked.len() as f64);
    for (rate, price) in [(0.7, 7.0), (0.3, 25.0), (0.1, 90.0)] {
        let seeds = many(FEW_SEEDS);
        let (mut runs, mut size) = (0.0, 0.0);
        for seed in 1..=seeds {
            let bug = |text: &[u8]| if has_bug(text) { rate } else { 0.0 };
            let (report, spent) = reduce("x.c", input.as_bytes(), seed, &flaky(RateGoal::OfInput), bug);
            assert!(has_bug(&report.best), "{rate}, seed {seed}");
            assert_eq!(report.tests.total(), spent, "every run is counted");
            let (of_input, of_result) = (report.reliability.input, report.reliability.result);
            let (of_input, of_result) = (of_input.expect("it was measured"), of_result.expect("it was measured"));
            assert!(of_input.interesting >= 30 && of_result.runs >= 30, "{of_input}, {of_result}");
            let (low, high) = of_input.interval();
            assert!(low < rate + 0.05 && high > rate - 0.05, "{rate}, seed {seed}: {of_input}");
            runs += spent as f64 / asked / seeds as f64;
            size += report.best.len() as f64 / honest / seeds as f64;
        }
        anstream::println!("{rate}: {runs:.1} times the runs, {size:.2} times the size");
        assert!(runs <= price && size <= 1.2, "{rate}: {runs:.1} times the runs, {size:.2} times the size");
    }
}

/// Posts of which two things are the bug, and a third makes it frequent.
fn rate_of_posts(text: &[u8]) -> f64 {
    match (has(text, "\"posts\"") && has(text, "\\ud83d"), has(text, "\"ok\"")) {
        (true, true) => 0.8,
        (true, false) => 0.3,
        (false, _) => 0.0,
    }
}

fn posts() -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/json-crash/input.json")).expect("it is part of the tree")
}

#[test]
fn what_makes_the_bug_frequent_stays_unless_a_lower_rate_is_asked_for() {
    for seed in 1..=many(FEW_SEEDS) {
        let (kept, _) = reduce("x.json", &posts(), seed, &flaky(RateGoal::OfInput), rate_of_posts);
        assert!(has(&kept.best, "\"ok\""), "seed {seed}: {}", String::from_utf8_lossy(&kept.best));
        let (lower, _) = reduce("x.json", &posts(), seed, &flaky(RateGoal::AtLeast(0.2)), rate_of_posts);
        assert!(!has(&lower.best, "\"ok\"") && rate_of_posts(&lower.best) > 0.0, "seed {seed}");
    }
}

/// A line that is noise makes the bug rare; without it, a second line makes it frequent.
fn rate_with_noise(text: &[u8]) -> f64 {
    match (has(text, "bug"), has(text, "noise"), has(text, "often")) {
        (false, ..) => 0.0,
        (true, true, true) => 0.35,
        (true, false, true) => 0.9,
        (true, true, false) => 0.1,
        (true, false, false) => 0.4,
    }
}

#[test]
fn a_rate_that_has_risen_is_kept_if_the_user_wants_more() {
    let lines: Vec<String> = (0..30)
        .map(|line| match line {
            4 => "often\n".to_owned(),
            9 => "bug\n".to_owned(),
            22 => "noise\n".to_owned(),
            line => format!("line {line}\n"),
        })
        .collect();
    let input = lines.concat();
    let (mut higher, mut same) = (0, 0);
    for seed in 1..=many(FEW_SEEDS) {
        let (more, _) = reduce("x.txt", input.as_bytes(), seed, &flaky(RateGoal::More), rate_with_noise);
        let (as_input, _) = reduce("x.txt", input.as_bytes(), seed, &flaky(RateGoal::OfInput), rate_with_noise);
        assert!(rate_with_noise(&as_input.best) >= 0.35, "seed {seed}");
        higher += u32::from(rate_with_noise(&more.best) > 0.8);
        same += u32::from(rate_with_noise(&as_input.best) > 0.8);
    }
    assert!(higher > same && u64::from(higher) * 4 >= 3 * many(FEW_SEEDS), "{higher} are higher, {same} without more");
}

#[test]
fn an_input_that_is_rarer_than_wanted_is_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let test = |_: &[u8]| yes_if(random.random_bool(0.5));
    let (refused, asked) = run("x.txt", b"one two three", &flaky(RateGoal::AtLeast(0.9)), test);
    let error = refused.expect_err("half of the runs are too few");
    assert!(error.to_string().starts_with("the input shows the bug in only 30 of "), "{error}");
    assert!(asked.len() >= 30);
    let (refused, asked) = run("x.txt", b"one two three", &flaky(RateGoal::OfInput), |_| Verdict::NotInteresting);
    assert_eq!(refused.expect_err("it never shows").to_string(), "the input is not interesting");
    assert!(asked.len() <= 60, "{} runs", asked.len());
}

/// The empty file shows it as often as the input, and mostly not in its first run.
#[test]
fn a_test_that_says_the_same_of_an_empty_file_is_refused() {
    let mut refused = 0;
    for seed in 0..20 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let test = |_: &[u8]| yes_if(random.random_bool(0.4));
        let (result, _) = run("x.txt", b"one two three", &flaky(RateGoal::OfInput), test);
        refused += u32::from(result.is_err_and(|error| error.to_string() == "the test accepts the empty file"));
    }
    assert!(refused >= 18, "{refused} of 20");
}

/// The standard output of the program.
fn said(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A script that shows the bug in runs whose numbers are in no simple order, three of four.
fn intermittent(folder: &Folder) -> String {
    let runs = folder.path("runs").display().to_string();
    let often = format!("n=$(wc -l < '{runs}'); test $((n * 7919 % 104729 % 4)) != 0");
    format!("echo x >> '{runs}'; {often} && grep -q word7$ \"$1\" && grep -q word33 \"$1\"")
}

#[test]
fn the_program_prints_the_rates() {
    let folder = Folder::new();
    let words: Vec<String> = (0..60).map(|i| format!("word{i}\n")).collect();
    folder.write("input.txt", words.concat());
    folder.script("test.sh", &intermittent(&folder));
    let ran = folder.lop(&["-j1", "--flaky", "--json", "events", "test.sh", "input.txt"]).expect_code(0);
    let result = String::from_utf8(folder.read("input.txt")).expect("words");
    assert!(result.contains("word7") && result.contains("word33") && result.len() < 20, "{result}");
    for said in ["the input shows the bug in 30 of ", "% interval: ", "shows the bug in ", "(input: 30 of "] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("the test is flaky"), "that is known: {}", ran.stderr);
    let events = String::from_utf8(folder.read("events")).expect("JSON");
    assert!(events.contains("\"event\":\"input_rate\"") && events.contains("\"result\":{\"interesting\":"), "{events}");
    let ran = folder.lop(&["verify", "-j1", "input.txt"]).expect_code(0);
    assert!(
        said(&ran).contains("shows the bug in 30 of ") && said(&ran).contains(" runs and is 1-minimal by "),
        "{}",
        said(&ran)
    );
}

#[test]
fn a_run_that_was_interrupted_continues_with_the_same_tests() {
    let words: Vec<String> = (0..40).map(|i| format!("word{i}\n")).collect();
    let all = |limits: &[&[&str]]| {
        let folder = Folder::new();
        folder.write("input.txt", words.concat());
        folder.script("test.sh", &intermittent(&folder));
        for (nth, more) in limits.iter().enumerate() {
            let line = if nth == 0 {
                vec!["-j1", "--flaky", "-o", "out", "test.sh", "input.txt"]
            } else {
                vec!["resume", "-j1", "out.lop"]
            };
            folder.lop(&[&line[..1], more, &line[1..]].concat());
        }
        let runs = fs::read_to_string(folder.path("runs")).expect("the test ran").lines().count();
        (String::from_utf8(folder.read("out")).expect("words"), runs)
    };
    let whole = all(&[&[]]);
    assert_eq!(all(&[&["--max-tests=60"], &["--max-tests=110"], &[]]), whole);
}

#[test]
fn a_file_that_fails_only_sometimes_is_triaged_and_isolated() {
    let folder = Folder::new();
    let runs = folder.path("runs").display().to_string();
    let often = format!("{{ echo x >> '{runs}'; n=$(wc -l < '{runs}'); test $((n % 3)) = 0; }}");
    let script = format!("grep -q bug \"$1\" && {often} && {{ echo 'error: a bug' >&2; exit 7; }}; exit 0");
    folder.script("tool.sh", &script);
    let tool = folder.path("tool.sh").display().to_string();
    fs::create_dir(folder.path("found")).expect("a new directory");
    folder.write("found/one.txt", "some words\nand a bug\n");
    folder.write("found/other.txt", "some words\nand nothing\n");
    // Without the option, the file that fails is one that passes or is listed as flaky.
    folder.write("runs", "x\nx\n");
    let ran = folder.lop(&["triage", "-j1", "found", "--", &tool, "@@"]).expect_code(0);
    assert!(said(&ran).contains("flaky"), "{}", said(&ran));
    let line = ["triage", "-j1", "--flaky", "found", "--", &tool, "@@"];
    let ran = folder.lop(&line).expect_code(0);
    let groups = fs::read_dir(folder.path("found.triage")).expect("it was made");
    let reduced: Vec<_> = groups.filter_map(|entry| fs::read(entry.ok()?.path().join("reduced")).ok()).collect();
    assert_eq!(reduced.iter().map(|text| text.trim_ascii()).collect::<Vec<_>>(), [&b"bug"[..]], "{}", said(&ran));
    folder.write("pass.txt", "some words\nand nothing\n");
    folder.write("fail.txt", "some words\nand a bug\n");
    let line = ["isolate", "--flaky", "pass.txt", "fail.txt", "--", &tool, "@@"];
    let ran = folder.lop(&line).expect_code(0);
    assert!(said(&ran).contains("bug"), "{}", said(&ran));
}

#[test]
fn the_doctor_finds_the_seed_of_a_hash_table() {
    let folder = Folder::new();
    folder.write("input.txt", "a bug\n");
    folder.write("test.py", "import sys\nsys.exit('bug' not in open(sys.argv[1]).read() or hash('a') % 2)\n");
    let test = folder.path("test.py").display().to_string();
    let line = ["doctor", "-j1", "input.txt", "--exit-code", "0", "--", "python3", &test, "@@"];
    // In one of 16 cases the first five runs agree.
    let ran = (0..5).map(|_| folder.lop(&line)).find(|ran| said(ran).contains("is flaky")).expect("in some run");
    assert!(said(&ran).contains("with a fixed hash seed (PYTHONHASHSEED="), "{}", said(&ran));
    assert!(said(&ran).contains("runs show the bug"), "{}", said(&ran));
}
