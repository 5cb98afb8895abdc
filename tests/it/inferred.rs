//! The condition that lop infers for a command means something: the reduction ends with the bug of the input, or
//! with a refusal that names the way out.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::support::{Folder, Ran, has, missing, wait};

/// Reduces `content` in a file called `name` by what a command says of it, and returns the result.
#[track_caller]
fn reduced(name: &str, content: &str, command: &[&str]) -> (String, Ran) {
    let folder = Folder::new();
    folder.write(name, content);
    let ran = folder.lop(&[&["-j2", "-o", "out", name, "--"], command].concat()).expect_code(0);
    let out = String::from_utf8(folder.read("out")).expect("it is text");
    (out, ran)
}

/// The same, where lop must refuse and say why.
#[track_caller]
fn refused(name: &str, content: &str, options: &[&str], command: &[&str]) -> String {
    let folder = Folder::new();
    folder.write(name, content);
    let ran = folder.lop(&[options, &["-j2", "-o", "out", name, "--"], command].concat()).expect_code(2);
    assert_eq!(folder.names(), [name], "nothing is left behind");
    ran.stderr
}

/// Python itself, and not what stands in front of it to choose a version and takes longer than any test.
fn python() -> Option<String> {
    let ran = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let path =
        ran.ok().filter(|ran| ran.status.success()).map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned());
    if path.is_none() {
        missing("python3 is not installed");
    }
    path
}

/// A document in which something is wrong in the middle.
fn document(wrong: &str) -> String {
    let rows: Vec<String> = (0..3).map(|row| format!("  {{\"id\": {row}, \"tags\": [\"a\", \"b\"]}}")).collect();
    format!("{{\"rows\": [\n{}\n], \"x\": {wrong}, \"last\": null}}\n", rows.join(",\n"))
}

/// Without blanks, which the layout of a result decides about.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_stray_comma_ends_as_a_stray_comma() {
    let Some(python) = python() else { return };
    let json_tool = [&python, "-IS", "-m", "json.tool", "@@"];
    for (wrong, right) in
        [("[1, 2, , 3]", &["[1,,", "[2,,", "[0,,"][..]), ("[1, 2, 3, ]", &["[1,]", "[2,]", "[3,]", "[0,]"])]
    {
        let (out, ran) = reduced("big.json", &document(wrong), &json_tool);
        assert!(right.contains(&bare(&out).as_str()), "{wrong}: {out}\n{}", ran.stderr);
    }
    let (out, _) = reduced("big.json", &document("{\"a\": 1, }"), &json_tool);
    assert!(bare(&out).ends_with(",}"), "{out}");
}

#[test]
fn other_mistakes_in_a_document_do_not_become_an_open_bracket() {
    let Some(python) = python() else { return };
    let json_tool = [&python, "-IS", "-m", "json.tool", "@@"];
    let (out, _) = reduced("big.json", &document("{\"a\": 1 \"b\": 2}"), &json_tool);
    assert!(bare(&out).contains("\"\"") || bare(&out).contains("0\"") || bare(&out).contains("1\""), "{out}");
    let (out, _) = reduced("big.json", &document("{a: 1}"), &json_tool);
    assert!(bare(&out).starts_with("{a") && out.len() < 6, "{out}");
    let (out, _) = reduced("big.json", &document("[1, 2]}"), &json_tool);
    assert!(bare(&out).contains('}') && out.len() < 20, "{out}");
    // The parser complains about the colon behind a string.
    let (out, _) = reduced("big.json", &document("[1, 2"), &json_tool);
    assert!(bare(&out).ends_with("\":") && out.len() < 12, "{out}");
}

/// Says `no value` of every text with something in it, and names the second of two commas, if there are any.
const READER: &str = r#"test -s "$1" || exit 0
awk '{ at = index($0, ",,"); if (at) exit } END { print "error: no value at position " at > "/dev/stderr" }' "$1"
exit 1"#;

#[test]
fn a_condition_that_is_found_can_be_typed_resumed_and_verified() {
    let folder = Folder::new();
    folder.write("big.txt", "one [two, three, four], five [six,, seven], eight (nine, ten)");
    let command = ["--", "sh", "-c", READER, "sh", "@@"];
    let stopped = folder.lop(&[&["-j1", "--max-tests", "6", "-o", "out", "big.txt"], &command[..]].concat());
    let said = stopped.expect_code(3).stderr;
    let line = said.lines().find_map(|line| line.strip_prefix("  same as   ")).expect("the line to type").to_owned();
    assert!(line.contains(r" --at ',\s*<here>\s*,' --only-errors "), "{line}");
    folder.lop(&["resume", "out.lop"]).expect_code(0);
    let resumed = folder.read("out");
    assert_eq!(String::from_utf8_lossy(&resumed).trim(), ",,");
    folder.lop(&["verify", "out"]).expect_code(0);
    let line = line.replace("--max-tests 6 ", "").replace("-o out", "-o typed");
    // The command itself has line breaks, which the line to type keeps: its options are enough here.
    let options = shlex::split(line.split_once(" -- ").expect("a command").0).expect("a line of a shell");
    let options: Vec<&str> = options[1..].iter().map(String::as_str).collect();
    folder.lop(&[&options, &command[..]].concat()).expect_code(0);
    assert_eq!(folder.read("typed"), resumed);
    let said = folder.lop(&[&["doctor", "-j1", "big.txt"], &command[..]].concat()).expect_code(0).stdout;
    assert!(String::from_utf8_lossy(&said).contains("text at the reported position"));
}

#[test]
fn a_syntax_error_without_words_of_its_own_is_told_by_its_place() {
    let Some(python) = python() else { return };
    let filler = "import os\nitems = [1, 2, 3]\nfor item in items:\n    print(item)\n";
    let program = |wrong: &str| format!("{filler}{wrong}\n{filler}");
    let (out, ran) = reduced("a.py", &program("total = = 3"), &[&python, "@@"]);
    assert!(out.contains("= =") && out.len() < 10, "{out}\n{}", ran.stderr);
    let (out, _) = reduced("a.py", &program("def total(:\n    pass"), &[&python, "@@"]);
    assert!(bare(&out).contains("(:") && out.len() < 10, "{out}");
    let (out, _) = reduced("a.py", &program("total = (1,"), &[&python, "@@"]);
    assert!(bare(&out).contains("=(") && out.len() < 10, "{out}");
}

#[test]
fn what_an_engine_says_of_a_program_stays_true() {
    if !has("node") {
        return;
    }
    let program =
        |wrong: &str| format!("let a = 1;\nfunction f(x) {{ return x + 1; }}\n{wrong}\nconsole.log(f(2), a);\n");
    let (out, _) = reduced("a.js", &program("let b = [1, 2,, ;"), &["node", "@@"]);
    assert!(out.contains(';') && out.len() < 10, "{out}");
    let (out, _) = reduced("a.js", &program("let s = 'abc;"), &["node", "@@"]);
    assert!(out.contains('\'') && out.len() < 10, "{out}");
    // Any open bracket is as bad, and the message says nothing else.
    let said = refused("a.js", &program("if (a) {"), &["-q"], &["node", "@@"]);
    assert!(said.contains("Unexpected end of input") && said.contains("`{`"), "{said}");
    assert!(said.contains("--stderr RE") && said.contains("--yes"), "{said}");
}

#[test]
fn a_word_in_a_compilers_message_does_not_become_a_sign() {
    if !has("gcc") {
        return;
    }
    let program =
        |wrong: &str| format!("int g(int a) {{ return a; }}\nint f(int x) {{\n\t{wrong}\n\treturn g(x);\n}}\n");
    let (out, _) = reduced("a.c", &program("int y = int;"), &["gcc", "-c", "@@"]);
    assert!(!out.contains('(') && out.contains("=int") || out.contains("= int"), "{out}");
    let (out, _) = reduced("a.c", &program("int y = x + ;"), &["gcc", "-c", "@@"]);
    assert!(bare(&out).contains("+;") || bare(&out).contains("=;"), "{out}");
}

/// A program that complains about everything in the same words.
const MOANER: &str = "grep -q '^fine$' \"$1\" && exit 0; test -s \"$1\" || exit 0; echo 'error: not good' >&2; exit 1";

#[test]
fn a_message_that_any_text_gets_is_refused_unless_somebody_insists() {
    let command = ["sh", "-c", MOANER, "sh", "@@"];
    for options in [&[][..], &["-q"], &["--no-checkup"]] {
        let said = refused("a.txt", "some {\nbug\n", options, &command);
        assert!(said.contains("stderr matching /^error: not good/"), "it shows what it has: {said}");
        assert!(said.contains("the same failure for: a file of one newline; `{`"), "{said}");
        assert!(said.contains("--stderr RE") && said.contains("--yes keeps this failure anyway"), "{said}");
    }
    let folder = Folder::new();
    folder.write("a.txt", "some {\nbug\n");
    let ran = folder.lop(&[&["-y", "-o", "out", "a.txt", "--"], &command[..]].concat()).expect_code(0);
    let last = ran.stderr.trim_end().lines().rev().take(2).collect::<Vec<_>>().join("\n");
    assert!(last.contains("warning:  lop chose the condition, and it is unspecific"), "{}", ran.stderr);
}

#[test]
fn an_exit_code_of_1_alone_is_no_condition_and_another_is() {
    let test = |code: u32| format!("grep -q bug \"$1\" && exit {code}; exit 0");
    let said = refused("a.txt", "one\nbug\ntwo\n", &[], &["sh", "-c", &test(1), "sh", "@@"]);
    assert!(said.contains("an exit code alone only says that something failed"), "{said}");
    assert!(said.contains("--exit-code N") && said.contains("--exit-code 1 -- sh"), "{said}");
    let (out, _) = reduced("a.txt", "one\nbug\ntwo\n", &["sh", "-c", &test(3), "sh", "@@"]);
    assert_eq!(out.trim(), "bug");
}

/// A tool that lists its errors, one of which is there only when something else is missing.
const LISTS: [&str; 3] = [
    "sh",
    "-c",
    "if grep -q odd @@; then echo 'x: error: odd array'; fi; grep -q fine @@ || echo 'x: error: nothing fine'; exit 1",
];

#[test]
fn an_error_that_the_input_does_not_have_is_no_result() {
    let (out, ran) = reduced("a.txt", "one\nodd\nfine\ntwo\n", &LISTS);
    assert_eq!(out.trim(), "oddfine", "{}", ran.stderr);
    assert!(ran.stderr.contains("--only-errors '^error: odd array$'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("to allow them, omit --only-errors"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn a_condition_of_ones_own_allows_other_errors_and_they_are_named() {
    let folder = Folder::new();
    folder.write("a.txt", "one\nodd\nfine\ntwo\n");
    let ran = folder.lop(&[&["-o", "out", "a.txt", "--stdout", "odd array", "--"], &LISTS[..]].concat()).expect_code(0);
    assert_eq!(folder.read("out").trim_ascii(), b"odd");
    let warning = "the result has errors that the input doesn't have: error: nothing fine";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let typed = ["-o", "out", "a.txt", "--stdout", "odd array", "--only-errors", "odd", "--"];
    let ran = folder.lop(&[&typed, &LISTS[..]].concat()).expect_code(0);
    assert_eq!(folder.read("out").trim_ascii(), b"oddfine");
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn a_compilers_only_error_stays_the_only_one() {
    if !has("g++") {
        return;
    }
    let source = "struct Session { int id; Session(int i) : id(i) {} };\n\
                  struct Pool {\n  int a[3];\n  Pool(const int (&x)[3]) : a(x) {}\n};\n\
                  int main() { int v[3] = {1, 2, 3}; Pool p(v); Session s(3); return s.id; }\n";
    let (out, ran) = reduced("a.cpp", source, &["g++", "-c", "@@"]);
    let folder = Folder::new();
    folder.write("out.cpp", &out);
    let said = Command::new("g++").args(["-c", "out.cpp", "-o", "out.o"]).current_dir(folder.path(".")).output();
    let said = String::from_utf8_lossy(&said.expect("it is there").stderr).into_owned();
    assert_eq!(said.matches("error: ").count(), 1, "{out}\n{said}\n{}", ran.stderr);
    assert!(said.contains("array used as initializer"), "{out}\n{said}");
}

#[test]
fn a_failure_that_the_empty_file_has_as_well_names_the_ways_out() {
    let folder = Folder::new();
    folder.write("a.txt", "one\n");
    let said = folder.lop(&["-q", "a.txt", "--", "sh", "-c", "echo 'error: never' >&2; exit 1"]).expect_code(1).stderr;
    assert!(said.contains("too unspecific to keep"), "{said}");
    assert!(said.contains("error: never") && said.contains("--stderr RE"), "{said}");
}

#[test]
fn a_key_that_an_empty_document_lacks_as_well_is_named() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let script = folder
        .write("total.py", "import json, sys\nprint([i['price'] for i in json.load(open(sys.argv[1]))['items']])\n");
    let document = "{\"user\": \"price\", \"items\": [{\"price\": 3}, {\"sku\": \"items\"}, {\"price\": 4}]}\n";
    folder.write("cart.json", document);
    let script = script.display().to_string();
    let ran = folder.lop(&["-j2", "-o", "out", "cart.json", "--", &python, &script, "@@"]).expect_code(0);
    assert!(ran.stderr.contains("KeyError: 'price'"), "{}", ran.stderr);
    assert_eq!(bare(&String::from_utf8_lossy(&folder.read("out"))), "{\"items\":[{}]}");
}

#[test]
fn a_condition_of_ones_own_that_says_nothing_is_named_last() {
    let folder = Folder::new();
    folder.write("a.json", "{\"a\": [1, 2], \"bug\": {}}\n");
    folder.script("test.sh", "grep -q '[[{]' \"$1\"");
    let ran = folder.lop(&["-j1", "-o", "out", "./test.sh", "a.json"]).expect_code(0);
    let last: Vec<&str> = ran.stderr.trim_end().lines().rev().take(2).collect();
    assert!(last[1].contains("warning:  the test accepts a minimal file: `{}`"), "{}", ran.stderr);
    assert!(last[0].contains("warning:  the result is a trivial file"), "{}", ran.stderr);
    // The same of a script that looks for something.
    folder.script("test.sh", "grep -q bug \"$1\"");
    let ran = folder.lop(&["-j1", "-o", "out", "./test.sh", "a.json"]).expect_code(0);
    assert!(!ran.stderr.contains("attention"), "{}", ran.stderr);
}

#[test]
fn an_examination_knows_files_with_nothing_in_them() {
    let folder = Folder::new();
    folder.write("a.json", "{\"a\": [1, 2], \"bug\": {}}\n");
    folder.script("test.sh", "grep -q '[{]' \"$1\"");
    let ran = folder.lop(&["doctor", "-j1", "test.sh", "a.json"]);
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("the test accepts a minimal file: `{}`, `{`"), "{said}");
}

const WARNS: &str = "int f(int x) {\n  int spare;\n  char other = x;\n  if (x = 3) return 2;\n  return other;\n}\nint g(int a) { int more; return a; }\n";

#[test]
fn a_warning_of_a_command_that_succeeds_can_be_kept() {
    if !has("gcc") {
        return;
    }
    let command = ["gcc", "-Wall", "-c", "@@"];
    let said = refused("x.c", WARNS, &[], &command);
    assert!(said.contains("there is no failure to keep"), "{said}");
    let line = said.lines().find_map(|line| line.split_once("of 2 kinds: lop ")).expect("a line to paste").1;
    let folder = Folder::new();
    folder.write("x.c", WARNS);
    folder.lop(&shlex::split(line).expect("a line of a shell")).expect_code(0);
    let out = String::from_utf8(folder.read("out")).expect("it is text");
    assert!(out.contains("if (") && !out.contains("char") && out.len() < 40, "{out}");
    // Each of the others is there, too, as the condition to type.
    let other =
        said.split_once("other warnings: ").expect("another kind").1.split_once("); to keep").expect("an end").0;
    let other = shlex::split(other).expect("a line of a shell");
    assert!(said.matches("--stderr").count() == 2 && other[1].contains("unused variable"), "{said}");
    let conditions: Vec<&str> = other.iter().map(String::as_str).collect();
    folder.lop(&[&conditions, &["-o", "other", "x.c", "--"][..], &command[..]].concat()).expect_code(0);
    let out = String::from_utf8(folder.read("other")).expect("it is text");
    assert!(!out.contains("if ("), "{out}");
    // A user who does not want to be asked gets the first.
    folder.lop(&[&["-y", "-o", "again", "x.c", "--"], &command[..]].concat()).expect_code(0);
    assert_eq!(folder.read("again"), folder.read("out"));
}

#[test]
fn a_linter_that_writes_to_its_output_and_ends_well_is_heard() {
    let linter = "grep -n 'bad' \"$1\" | sed 's/^\\([0-9]*\\).*/a.txt:\\1:1: W10 bad word/'; exit 0";
    let command = ["sh", "-c", linter, "sh", "@@"];
    let said = refused("a.txt", "one\nbad\nbad two\n", &[], &command);
    assert!(said.contains("to keep its warning: lop -j2 -o out a.txt --stdout 'W10 bad word' -- sh"), "{said}");
    // A line about any file is no warning about this one, and a command that refuses the empty file is a test.
    let quiet = refused("a.txt", "one\n", &[], &["sh", "-c", "echo warning: old machine >&2"]);
    assert!(!quiet.contains("keeps"), "{quiet}");
    let (out, _) = reduced("a.txt", "one\nbug\n", &["sh", "-c", "echo warning: odd >&2; grep -q bug"]);
    assert_eq!(out.trim(), "bug");
}

/// Runs lop on a terminal on which `typed` is typed, and returns its exit code and what was shown.
fn on_terminal(folder: &Folder, line: &[&str], typed: &str) -> (Option<i32>, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("ours");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = File::from(rustix::fs::open(&name, flags, Mode::empty()).expect("ours"));
    let mut child = {
        let mut command = folder.command(line);
        let end = || slave.try_clone().expect("ours");
        command.stdin(end()).stderr(end()).spawn().expect("lop can be started")
    };
    drop(slave);
    let mut master = File::from(master);
    master.write_all(typed.as_bytes()).expect("room in the terminal");
    let mut reader = master.try_clone().expect("ours");
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        // The end of a terminal is an error.
        let _ = reader.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let code = wait(&mut child).code();
    (code, said.join().expect("the reader does not panic"))
}

#[test]
fn on_a_terminal_a_warning_is_chosen() {
    let folder = Folder::new();
    folder.write("a.txt", "one\nbug\ntwo\n");
    let test = "for word in one two; do grep -q $word \"$1\" && echo \"warning: $word is odd\" >&2; done; exit 0";
    let line = ["-q", "-j1", "-o", "out", "a.txt", "--", "sh", "-c", test, "sh", "@@"];
    for (typed, kept) in [("\n", "one"), ("2\n", "two")] {
        let (code, said) = on_terminal(&folder, &line, typed);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("1  ^warning: one is odd") && said.contains("2  ^warning: two is odd"), "{said}");
        assert_eq!(String::from_utf8_lossy(&folder.read("out")).trim(), kept);
    }
    for typed in ["n\n", "7\n"] {
        let (code, said) = on_terminal(&folder, &line, typed);
        assert_eq!(code, Some(2), "{said}");
    }
}

#[test]
fn on_a_terminal_a_condition_that_says_little_is_asked_about() {
    let folder = Folder::new();
    folder.write("a.txt", "some {\nbug\n");
    let line = ["-q", "-j1", "-o", "out", "a.txt", "--", "sh", "-c", MOANER, "sh", "@@"];
    let (code, said) = on_terminal(&folder, &line, "\n");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("Use it anyway? [y/N]"), "{said}");
    assert_eq!(on_terminal(&folder, &line, "y\n").0, Some(0));
}
