//! `lop compare` as its users see it: tables, figures for programs, pictures, files with real tests, and
//! mistakes.

use std::fs;
use std::process::Command;

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Folder, finish, has, until};

/// Runs a comparison and returns what it says.
fn said(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.lop(&[&["compare"], arguments].concat()).expect_code(0);
    assert_eq!(ran.stderr, "");
    String::from_utf8(ran.stdout).expect("tables are text")
}

/// The names of the algorithms that the help gives.
fn algorithms(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("Algorithms (default: all): ").expect("the help lists them");
    let (list, _) = list.split_once(".\n").expect("the list ends");
    list.split(',').map(|name| name.trim().to_owned()).collect()
}

#[test]
fn a_small_comparison_has_a_table_for_each_problem_and_one_for_all() {
    let folder = Folder::new();
    let line = ["options", "markov:0.9/0.95", "--sizes", "40", "--trials", "3", "--algorithm", "entropy,naive"];
    let tables = said(&folder, &line);
    let shape = Regex::new(
        r"(?x)^options:\ 31\ units,\ 3\ trials;\ bound\ [\d.]+\ \(lop's\ own\ code\ length\)\n
        \ +algorithm\ +tests\ +±\ +left\ +÷\ bound\n
        \ +entropy\ +[\d.]+\ +0\.00\ +1\.0\ +[\d.]+\n
        \ +naive\ +31\.0\ +0\.00\ +1\.0\ +[\d.]+\n
        \n
        markov:0\.9/0\.95:\ 40\ units,\ 3\ trials;\ bound\ [\d.]+\ \(parameters\ known\);\ optimum\ [\d.]+\ \(14\.\d\ expected\)\n
        \ +algorithm\ +tests\ +±\ +left\ +÷\ bound\ +÷\ optimum\ +±\n
        \ +entropy\ .+\n
        \ +naive\ +40\.0\ +0\.00\ .+\n
        \n
        all\ 2\ together:\ geometric\ means\n
        \ +algorithm\ +tests\ +÷\ bound\ of\ 2\ +worst\ +in\ +÷\ optimum\ of\ 1\ +worst\ +in\n
        \ +entropy\ .+\n
        \ +naive\ .+\ options\ n=31\ .+\ markov:0\.9/0\.95\ n=40\n$",
    );
    assert!(shape.expect("a constant").is_match(&tables), "{tables}");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_seed_makes_the_same_tables_again_and_another_one_others() {
    let folder = Folder::new();
    let tables = |seed: &str| {
        let problems = ["markov:0.9/0.95", "noisy", "short-lists"];
        said(&folder, &[&problems[..], &["--sizes", "60", "--trials", "4", "--seed", seed]].concat())
    };
    assert_eq!(tables("1"), tables("1"));
    assert_ne!(tables("1"), tables("2"));
}

#[test]
fn every_algorithm_of_the_help_takes_part() {
    let folder = Folder::new();
    let names = algorithms(&said(&folder, &["--help"]));
    assert!(names.len() >= 3 && names.starts_with(&["entropy".to_owned(), "entropy-simplify".to_owned()]));
    let tables = said(&folder, &["options", "--trials", "1"]);
    let rows: Vec<&str> = tables.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(rows, names);
    let named = said(&folder, &["options", "--trials", "1", "--algorithm", "entropy-lanes,entropy-one-lane"]);
    assert!(named.contains("  entropy-one-lane ") && named.contains("  entropy-lanes "), "{named}");
}

#[test]
fn figures_for_programs_go_to_standard_output_or_a_file() {
    let folder = Folder::new();
    let line = ["pairs", "--sizes", "30,60", "--trials", "2", "-k", "4,1", "--algorithm", "naive", "--csv"];
    let csv = said(&folder, &[&line[..], &["-"]].concat());
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    assert_eq!(rows[0][..6], ["problem", "units", "trials", "algorithm", "workers", "tests"]);
    let starts: Vec<_> = rows[1..].iter().map(|row| (row[0], row[1], row[4])).collect();
    assert_eq!(starts, [("pairs", "30", "1"), ("pairs", "30", "4"), ("pairs", "60", "1"), ("pairs", "60", "4")]);
    let tables = said(&folder, &[&line[..], &["figures.csv"]].concat());
    assert!(tables.contains("k=4"), "{tables}");
    assert_eq!(folder.read("figures.csv"), csv.as_bytes());
}

#[test]
fn the_picture_is_read_by_an_xml_parser() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    for sizes in ["50", "20,50,100"] {
        let plot = ["--plot", "tests.svg"];
        said(&folder, &[&["pairs", "options", "--trials", "2", "--sizes", sizes], &plot[..]].concat());
        let script = "import sys, xml.dom.minidom as m; print(len(m.parse(sys.argv[1]).getElementsByTagName('text')))";
        let mut python = Command::new("python3");
        let ran = python.args(["-c", script, "tests.svg"]).current_dir(folder.path(".")).output().expect("python3");
        let texts: usize = String::from_utf8_lossy(&ran.stdout).trim().parse().expect("the picture is XML");
        assert!(texts > 8, "{texts}");
    }
}

/// Every language's documents are looked at where they are made.
#[test]
fn documents_are_generated_for_the_first_and_the_last_language_that_is_listed() {
    let folder = Folder::new();
    let listed = String::from_utf8(folder.lop(&["grammars"]).expect_code(0).stdout).expect("plain");
    let built_in = listed.lines().skip(1).filter(|line| line.contains(" built in"));
    let names = built_in.filter_map(|line| line.split_whitespace().next());
    let names: Vec<_> = names.filter(|name| *name != "text").collect();
    let [first, .., last] = &names[..] else { panic!("{listed}") };
    for name in [first, last] {
        let line = ["--grammar", name, "--sizes", "60", "--trials", "1", "--algorithm", "entropy,naive"];
        let tables = said(&folder, &line);
        assert!(tables.starts_with(&format!("{name}:any by tokens: ")), "{tables}");
    }
    let line = ["--grammar", "json", "--kind", "null,pair", "--granularity", "char", "--trials", "1"];
    let tables = said(&folder, &[&line[..], &["--algorithm", "entropy"]].concat());
    assert!(tables.starts_with("json:null+pair by characters: "), "{tables}");
    // Single characters of a word cannot go, so that more is left than {"":null}.
    let row = tables.lines().nth(2).expect("a row");
    let left: f64 = row.split_whitespace().nth(3).expect("what is left").parse().expect("a number");
    assert!((9.0..150.0).contains(&left), "{tables}");
}

#[test]
fn a_file_and_a_real_test_are_compared_and_left_alone() {
    let folder = Folder::new();
    let text: String = (0..30).map(|line| format!("{} {line}\n", if line == 11 { "keep" } else { "go" })).collect();
    folder.write("input.txt", &text);
    folder.script("test.sh", "grep -q keep \"$1\"");
    let forms: [&[&str]; 2] = [&["test.sh", "input.txt"], &["input.txt", "--", "grep", "-q", "keep"]];
    for form in forms {
        let line = ["--granularity", "line", "--algorithm", "entropy,naive", "-k", "1,3"];
        let tables = said(&folder, &[&line[..], form].concat());
        assert!(tables.starts_with("input.txt by lines: 30 units; bound "), "{tables}");
        let row = |line: usize| tables.lines().nth(line).expect("a row").split_whitespace().collect::<Vec<_>>();
        assert_eq!(row(3)[..4], ["naive", "30.0", "-", "1.0"]);
        assert_eq!((row(2)[0], row(2)[3]), ("entropy", "1.0"));
    }
    let tree = said(&folder, &["--granularity", "tree", "test.sh", "input.txt"]);
    assert!(tree.starts_with("input.txt by tree: ") && tree.contains("\n  entropy "), "{tree}");
    assert_eq!(folder.read("input.txt"), text.as_bytes());
    assert_eq!(folder.names(), ["input.txt", "test.sh"]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn what_belongs_beside_the_candidate_is_there_in_a_comparison_too() {
    let folder = Folder::new();
    folder.write("input.txt", "go\nkeep\ngo on\n");
    folder.write("words", "keep\n");
    folder.script("test.sh", "grep -q -f words \"$1\"");
    let line = ["--granularity", "line", "--algorithm", "entropy", "test.sh", "input.txt"];
    let ran = folder.lop(&[&["compare"], &line[..]].concat()).expect_code(1);
    assert!(ran.stderr.contains("input.txt is not interesting"), "{}", ran.stderr);
    let tables = said(&folder, &[&["--with", "words"], &line[..]].concat());
    let row = tables.lines().nth(2).expect("a row").split_whitespace().collect::<Vec<_>>();
    assert_eq!((row[0], row[3]), ("entropy", "1.0"), "{tables}");
    assert_eq!(folder.names(), ["input.txt", "test.sh", "words"]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_signal_stops_it_and_leaves_nothing() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nb\nkeep\nd\n".repeat(50));
    let state = folder.path("state");
    folder.script("test.sh", &format!("echo x >> '{}'; sleep 0.02; grep -q keep \"$1\"", state.display()));
    let line = ["compare", "--granularity", "char", "test.sh", "input.txt"];
    let child = folder.command(&line).spawn().expect("lop can be started");
    until("some tests were run", || (fs::metadata(&state).ok()?.len() > 10).then_some(()));
    kill_process(Pid::from_child(&child), Signal::INT).expect("our own child");
    let ran = finish(child).expect_code(3);
    assert_eq!((ran.stderr.as_str(), ran.stdout.len()), ("stopped; nothing was compared to the end\n", 0));
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn mistakes_get_a_clear_error_and_nothing_is_touched() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.script("yes.sh", "exit 0");
    folder.script("no.sh", "exit 3");
    fs::create_dir(folder.path("folder")).expect("a new folder");
    let before = folder.names();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["mozila"], 2, "error: unknown problem `mozila` (known: zeller, mozilla, gcc, options, cells, "),
        (&["markov:0.9"], 2, "error: `markov:0.9` is no source: write markov:SHARE/P with numbers between 0 and 1"),
        (&["markov:0.9/0.5"], 2, "error: `markov:0.9/0.5` is no source: with a share of 0.9, P is at least 0.889\n"),
        (&["--algorithm", "ddmim"], 2, "error: unknown algorithm `ddmim` (known: entropy, entropy-simplify, "),
        (&["--trials", "0"], 2, "error: invalid value '0' for '--trials <N>': at least 1 is needed\n"),
        (&["--sizes", "10,x"], 2, "error: invalid value 'x' for '--sizes <N,N...>': not a number\n"),
        (&["-k", "0"], 2, "error: invalid value '0' for '--workers <K,K...>': at least 1 is needed\n"),
        (&["--order", "random"], 2, "error: invalid value 'random' for '--order <WAY>'\n"),
        (&["--grammar", "klingon"], 2, "error: unknown grammar `klingon` (known: auto, "),
        (&["--grammar", "json", "--kind", "x"], 2, "error: there is no node of kind `x` in the sample of json ("),
        (&["--grammar", "json", "--granularity", "tree"], 2, "error: generated documents are reduced by lines, "),
        (&["--kind", "x"], 2, "error: --kind needs documents or a file\nhint: name a language with --grammar, "),
        (&["--granularity", "line"], 2, "error: --granularity needs documents or a file\n"),
        (
            &["--exit-code", "1"],
            2,
            "error: a deadline, --with and conditions are for the test of a file, and there is none\n",
        ),
        (&["--timeout", "3", "options"], 2, "error: a deadline, --with and conditions are for the test of a file"),
        (&["--with", "yes.sh", "options"], 2, "error: a deadline, --with and conditions are for the test of a file"),
        (
            &["--granularity", "line", "--with", "gone", "yes.sh", "input.txt"],
            2,
            "error: cannot read gone, which is to be beside",
        ),
        (&["--plot", "-"], 2, "error: the picture cannot go to standard output\n"),
        (&["--csv", "folder"], 2, "error: `--csv folder` is a directory\nhint: name another file\n"),
        (&["--plot", "missing/x.svg"], 2, "error: `--plot missing/x.svg` is in a directory that does not exist\n"),
        (&["--csv", "x", "--plot", "./x"], 2, "error: --csv and --plot would both write x\n"),
        (&["yes.sh", "input.txt"], 2, "error: unknown problem `yes.sh` (known: "),
        (
            &["--granularity", "line", "--csv", "input.txt", "yes.sh", "input.txt"],
            2,
            "error: `--csv input.txt` is what is compared\nhint: name another file\n",
        ),
        (&["--granularity", "line", "yes.sh", "missing"], 2, "error: cannot read missing\n"),
        (&["--granularity", "line", "input.txt"], 2, "error: there is no test for input.txt, or no file for the test"),
        (&["--granularity", "line", "no.sh", "input.txt"], 1, "error: input.txt is not interesting: its own test"),
        (
            &["--granularity", "line", "yes.sh", "input.txt"],
            2,
            "error: the test says that the empty file is interesting, so there is nothing to compare\n",
        ),
        (
            &["--granularity", "line", "--sizes", "9", "yes.sh", "input.txt"],
            2,
            "error: --sizes and --kind are for problems without a file\n",
        ),
        (
            &["--granularity", "tree", "--algorithm", "entropy-simplify", "yes.sh", "input.txt"],
            2,
            "error: unknown algorithm `entropy-simplify` (known: entropy, naive, ",
        ),
    ];
    for (arguments, code, expected) in cases {
        let ran = folder.lop(&[&["compare"], *arguments].concat()).expect_code(*code);
        assert!(ran.stderr.starts_with(expected), "{arguments:?} said\n{}\nand not\n{expected}", ran.stderr);
        assert!(ran.stdout.is_empty());
        assert_eq!(folder.names(), before, "{arguments:?}");
    }
    let ran = folder.lop(&["compare", "yes.sh", "input.txt"]);
    assert!(
        ran.stderr.contains("hint: for a file of yours with its test: lop compare --granularity"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_help_of_a_comparison_names_every_problem() {
    let help = said(&Folder::new(), &["--help"]);
    assert_eq!(help.lines().find(|line| line.chars().count() > 110), None);
    for (name, _) in lop_lab::compare::NAMES {
        assert!(help.contains(name), "{name}");
    }
}
