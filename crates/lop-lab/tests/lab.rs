//! `lop-lab` as its users see it: tables, figures for programs, pictures, files with real tests, reductions and mistakes.

use lop_languages::LANGUAGES;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use lop_lab::reduce::Method;
use regex::Regex;
use tempfile::TempDir;

/// A directory in which lop-lab runs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("our own folder");
    }

    fn script(&self, name: &str, body: &str) {
        self.write(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("our own file");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("it is there")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("our own folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs lop-lab, and returns its exit code and output.
    fn lab(&self, arguments: &[&str]) -> (Option<i32>, Output) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lop-lab"));
        let output = command.args(arguments).current_dir(self.0.path()).output().expect("lop-lab can be started");
        (output.status.code(), output)
    }
}

/// Runs a comparison and returns what it says.
fn said(folder: &Folder, arguments: &[&str]) -> String {
    let (code, output) = folder.lab(&[&["compare"], arguments].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((code, &*stderr), (Some(0), ""));
    String::from_utf8(output.stdout).expect("tables are text")
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
fn a_picture_is_drawn_for_one_size_and_for_several() {
    let folder = Folder::new();
    for sizes in ["50", "20,50,100"] {
        said(&folder, &["pairs", "options", "--trials", "2", "--sizes", sizes, "--plot", "tests.svg"]);
        let picture = String::from_utf8(folder.read("tests.svg")).expect("a picture is text");
        assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
        assert!(picture.matches("<text").count() > 8, "{picture}");
    }
}

#[test]
fn documents_are_generated_for_every_language() {
    let folder = Folder::new();
    let registry = lop_grammar::Registry::of(&LANGUAGES).expect("the folders of lop");
    for name in registry.folders().map(|folder| folder.name) {
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
    let line = ["--granularity", "line", "--algorithm", "entropy,naive", "-k", "1,3", "test.sh", "input.txt"];
    let tables = said(&folder, &line);
    assert!(tables.starts_with("input.txt by lines: 30 units; bound "), "{tables}");
    let row = |line: usize| tables.lines().nth(line).expect("a row").split_whitespace().collect::<Vec<_>>();
    assert_eq!(row(3)[..4], ["naive", "30.0", "-", "1.0"]);
    assert_eq!((row(2)[0], row(2)[3]), ("entropy", "1.0"));
    let tree = said(&folder, &["--granularity", "tree", "test.sh", "input.txt"]);
    assert!(tree.starts_with("input.txt by tree: ") && tree.contains("\n  entropy "), "{tree}");
    assert_eq!(folder.read("input.txt"), text.as_bytes());
    assert_eq!(folder.names(), ["input.txt", "test.sh"]);
}

#[test]
fn the_difference_of_a_real_pair_is_isolated_with_half_of_the_tests_of_dd_where_parts_need_each_other() {
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures"));
    // In percent of the tests of dd. In the pair of c-warning nearly every candidate compiles: both halve.
    for (name, most) in [("c-wrong-output", 50.0), ("c-warning", 100.0)] {
        let of = |file: &str| fixtures.join(name).join(file).display().to_string();
        let line = ["--granularity", "tree", &of("test.sh"), &of("input.c"), &of("passing.c")];
        let tables = said(&Folder::new(), &line);
        let figures = |algorithm: &str| {
            let row = tables.lines().find(|row| row.trim().starts_with(algorithm)).expect("a row");
            let figures = row.split_whitespace().skip(1).filter_map(|figure| figure.parse().ok());
            figures.collect::<Vec<f64>>()
        };
        let (lop, dd) = (figures("isolate"), figures("dd"));
        assert!(lop[0] * 100.0 <= most * dd[0], "{name}: {tables}");
        assert_eq!(lop[1], 1.0, "{name}: {tables}");
    }
}

#[test]
fn every_algorithm_reduces_a_program_and_a_text() {
    let folder = Folder::new();
    let program = "#include <a.h>\nstruct s { int x; int y; };\n\
         int f(int p, int q) { if (p) { return g(p + q, 42); } else { p = 7; } for (;;) q++; return 0; }\n\
         int main(void) { f(1, 2); return 3; }\n";
    folder.write("x.c", program);
    folder.script("c.sh", "grep -q 'g(.*42' \"$1\"");
    let text: String = (0..30).map(|line| format!("line {line} with some words\n")).collect();
    folder.write("x.txt", &text);
    folder.script("text.sh", "grep -q 17 \"$1\"");
    for algorithm in Method::names() {
        for (file, test, input, most) in [("x.c", "c.sh", program, 70), ("x.txt", "text.sh", text.as_str(), 2)] {
            let line = ["reduce", "--algorithm", algorithm, "-j", "2", "-o", "out", test, file];
            let (code, output) = folder.lab(&line);
            assert_eq!(code, Some(0), "{algorithm}: {}", String::from_utf8_lossy(&output.stderr));
            let result = folder.read("out");
            assert!(result.len() <= most, "{algorithm}: {}", String::from_utf8_lossy(&result));
            assert_eq!(folder.read(file), input.as_bytes());
        }
    }
}

#[test]
fn hdd_only_takes_nodes_out_and_the_others_put_one_in_the_place_of_another() {
    let folder = Folder::new();
    let depth = 60;
    folder.write("x.json", format!("{}7{}", "[".repeat(depth), "]".repeat(depth)));
    folder.script("test.sh", "grep -q 7 \"$1\"");
    for (algorithm, brackets) in
        [("hdd", depth), ("gtr", 0), ("grammar-reducer", 0), ("grammar-reducer-all", 0), ("perses", 0)]
    {
        let (code, _) = folder.lab(&["reduce", "--algorithm", algorithm, "-o", "out", "test.sh", "x.json"]);
        assert_eq!(code, Some(0), "{algorithm}");
        let left = folder.read("out").iter().filter(|byte| **byte == b'[').count();
        assert_eq!(left, brackets, "{algorithm}");
    }
}

/// An element without text can go as often as the text is parsed.
#[test]
fn the_grammar_reducer_ends_where_a_step_leaves_the_text_as_long_as_it_was() {
    let folder = Folder::new();
    for (file, input, needle) in [
        ("x.tsx", "(item: number) => <li key={item}>{item + 1} \n   am}>{ny</li%>)}\n", "<li "),
        (
            "x.html",
            "le &amp; 1\"r\"utf-8\"e</titl>\n<title charset=\"utf-8\">\n<style>p { color: red; }</style>\n\
             <script src='x.js' async>if (a < n  { run(); }</script>\n<h1 id=\"top\">One",
            " (a ",
        ),
    ] {
        folder.write(file, input);
        folder.script("test.sh", &format!("grep -q '{needle}' \"$1\""));
        let (code, _) = folder.lab(&["reduce", "--algorithm", "grammar-reducer", "-o", "out", "test.sh", file]);
        assert_eq!(code, Some(0), "{file}");
        assert!(String::from_utf8_lossy(&folder.read("out")).contains(needle));
    }
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
        (&["--algorithm", "ddmim"], 2, "error: unknown algorithm `ddmim` (known: entropy, entropy-simplify, "),
        (&["--trials", "0"], 2, "error: invalid value '0' for '--trials <N>'"),
        (&["--order", "random"], 2, "error: invalid value 'random' for '--order <WAY>'\n"),
        (&["--grammar", "klingon"], 2, "error: unknown grammar `klingon` (known: auto, "),
        (&["--grammar", "json", "--kind", "x"], 2, "error: there is no node of kind `x` in the sample of json ("),
        (
            &["--grammar", "json", "--granularity", "tree", "--timeout", "5"],
            2,
            "error: --timeout is not for whole reductions of documents",
        ),
        (&["--kind", "x"], 2, "error: --kind needs documents or a file\n  hint: name a language with --grammar, "),
        (&["--granularity", "line"], 2, "error: --granularity needs documents or a file\n"),
        (&["--timeout", "3", "options"], 2, "error: a deadline is for the test of a file"),
        (&["--plot", "-"], 2, "error: the picture cannot go to standard output\n"),
        (&["--csv", "folder"], 2, "error: `--csv folder` is a directory\n  hint: name another file\n"),
        (&["--csv", "x", "--plot", "./x"], 2, "error: --csv and --plot would both write x\n"),
        (&["yes.sh", "input.txt"], 2, "error: unknown problem `yes.sh` (known: "),
        (
            &["--granularity", "line", "--csv", "input.txt", "yes.sh", "input.txt"],
            2,
            "error: `--csv input.txt` is what is compared\n  hint: name another file\n",
        ),
        (&["--granularity", "line", "yes.sh", "missing"], 2, "error: cannot read missing: "),
        (&["--granularity", "line", "input.txt"], 2, "error: a file is compared with its test\n"),
        (&["--granularity", "line", "yes.sh", "input.txt", "x"], 2, "error: a difference is isolated level by level "),
        (&["--granularity", "tree", "yes.sh", "input.txt", "missing"], 2, "error: cannot read missing: "),
        (&["--granularity", "tree", "yes.sh", "input.txt", "no.sh"], 1, "error: the test says that the text that has "),
        (&["--granularity", "line", "no.sh", "input.txt"], 1, "error: "),
        (
            &["--granularity", "line", "yes.sh", "input.txt"],
            2,
            "error: the test says that the empty file is interesting, so there is nothing to compare\n",
        ),
    ];
    for (arguments, code, expected) in cases {
        let (ended, output) = folder.lab(&[&["compare"], *arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(ended, Some(*code), "{arguments:?} said\n{stderr}");
        assert!(stderr.starts_with(expected), "{arguments:?} said\n{stderr}\nand not\n{expected}");
        assert!(output.stdout.is_empty());
        assert_eq!(folder.names(), before, "{arguments:?}");
    }
}

#[test]
fn the_help_of_a_comparison_names_every_problem() {
    let help = said(&Folder::new(), &["--help"]);
    for (name, _) in lop_lab::compare::NAMES {
        assert!(help.contains(name), "{name}");
    }
}

#[test]
fn whole_reductions_of_documents_are_compared() {
    let folder = Folder::new();
    let line = [
        "--grammar",
        "json",
        "--granularity",
        "tree",
        "--sizes",
        "40",
        "--trials",
        "3",
        "--algorithm",
        "entropy,perses",
    ];
    let tables = said(&folder, &line);
    for count in ["1 kind needed", "2 kinds needed", "3 kinds needed"] {
        assert!(tables.contains(&format!("json as a tree, {count}, of about 40 tokens: ")), "{tables}");
    }
    assert!(tables.contains("median  worst") && tables.contains("\n  perses "), "{tables}");
}
