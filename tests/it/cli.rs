//! The program as its users see it: a real compiler, a real JSON parser, good and bad input.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Folder, Ran, TIMEOUT, finish, has};

/// A program with one mistake in it.
const PROGRAM: &str = "\
#include <stddef.h>

/* Sums up what it is given. */
static int sum(const int *values, size_t count) {
    int total = 0;
    for (size_t index = 0; index < count; index++) {
        total += values[index];
    }
    return total;
}

int helper(int value) {
    if (value > 3) {
        return value * mistake;
    }
    return value - 1;
}

int main(void) {
    int values[] = {1, 2, 3};
    return sum(values, sizeof values / sizeof *values) + helper(4);
}
";

/// A payload with a path as Windows writes it.
const PAYLOAD: &str = r#"{
  "name": "payload",
  "items": [1, 2, {"deep": [true, false, null]}, "text"],
  "bad": {"a": 1, "b": [1, 2, 3], "path": "C:\data\input" },
  "more": {"x": "y", "z": [[], [[]], {}]}
}
"#;

#[test]
fn a_c_program_is_reduced_with_a_real_compiler() {
    let folder = Folder::new();
    folder.write("bug.c", PROGRAM);
    let ran = folder
        .lop(&[
            "bug.c",
            "-vj1",
            TIMEOUT[0],
            TIMEOUT[1],
            "--stderr",
            "'mistake' undeclared",
            "--",
            "cc",
            "-fsyntax-only",
            "@@",
        ])
        .expect_code(0);
    let result = String::from_utf8(folder.read("bug.c")).expect("it was text before");
    assert!(result.contains("mistake") && result.len() < 40, "{result}");
    assert_eq!(folder.read("bug.c.orig"), PROGRAM.as_bytes());
    assert_eq!(folder.names(), ["bug.c", "bug.c.lop", "bug.c.orig"]);
    let mut check = Command::new("cc");
    check.args(["-fsyntax-only", "bug.c"]).current_dir(folder.path(".")).env("LC_ALL", "C");
    let said = String::from_utf8_lossy(&check.output().expect("a C compiler").stderr).into_owned();
    assert!(said.contains("'mistake' undeclared"), "{said}");
    for word in ["Reduced bug.c: ", "1-minimal by token", "result    bug.c (c)", "original  bug.c.orig", "time: "] {
        assert!(ran.stderr.contains(word), "{word} is missing in\n{}", ran.stderr);
    }
    assert_eq!(ran.stdout, b"");
}

#[test]
fn broken_json_is_reduced_with_a_real_parser() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    folder.write("bad.json", PAYLOAD);
    let message = r"Invalid \\escape";
    folder
        .lop(&["-q", "bad.json", "-o", "small.json", "--stderr", message, "--", "python3", "-m", "json.tool"])
        .expect_code(0);
    let result = String::from_utf8(folder.read("small.json")).expect("it was text before");
    assert!(result.contains('\\') && result.len() <= 6, "{result}");
    assert_eq!(folder.read("bad.json"), PAYLOAD.as_bytes());
    assert_eq!(folder.names(), ["bad.json", "small.json", "small.json.lop"]);
}

#[test]
fn the_first_form_hands_over_a_name_a_path_and_stdin() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.script("test.sh", "test \"$(ls)\" = input.txt && cmp -s \"$1\" input.txt && grep -q keep");
    let ran = folder.lop(&["-q", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!((ran.stdout.as_slice(), ran.stderr.as_str()), (&b""[..], ""));
    assert_eq!(folder.read("input.txt"), b"keep");
    assert_eq!(folder.read("input.txt.orig"), b"a\nkeep\nb\n");
}

#[test]
fn another_extension_and_the_conditions_work_together() {
    let folder = Folder::new();
    folder.write("input", "a\nkeep\nb\n");
    let script = "case \"$1\" in *.xyz) grep -q keep \"$1\" && { echo found; kill -ABRT $$; };; esac";
    let line = [
        "input", "-o", "out", "-q", "--signal", "ABRT", "--stdout", "^found$", "--", "sh", "-c", script, "sh", "@@.xyz",
    ];
    folder.lop(&line).expect_code(0);
    assert_eq!(folder.read("out"), b"keep");
}

#[test]
fn a_result_can_go_to_standard_output() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let ran = folder.lop(&["input.txt", "-o", "-", "--", "grep", "-q", "keep"]).expect_code(0);
    assert_eq!(ran.stdout, b"keep");
    assert!(ran.stderr.contains("result    standard output"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["input.txt"]);
}

#[test]
fn the_difference_is_shown_on_standard_output() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let ran = folder.lop(&["-q", "--diff", "input.txt", "-o", "out", "--", "grep", "-qx", "keep"]).expect_code(0);
    let expected = "\
--- input.txt (original)
+++ out (result)
@@ -1,3 +1 @@
-a
-keep
-b
+keep
\\ No newline at end of file
";
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
}

#[test]
fn what_is_wrong_with_a_condition_is_said_with_its_own_way_out() {
    let folder = Folder::new();
    folder.write("input.txt", "keep\n");
    let said = |option, value| folder.lop(&[option, value, "input.txt", "--", "cat"]).expect_code(2).stderr;
    let signal = said("--signal", "NOPE");
    assert!(signal.contains("give a number from 1 to 64 or a name") && !signal.contains("backslash"), "{signal}");
    assert!(said("--stderr", "(").contains("with a backslash"));
}

#[test]
fn events_are_lines_of_json() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.lop(&["-q", "-j1", "--json", "events", "input.txt", "--", "grep", "-q", "keep"]).expect_code(0);
    let text = String::from_utf8(folder.read("events")).expect("JSON is UTF-8");
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().expect("a name")).collect();
    assert_eq!((names.first(), names.last()), (Some(&"started"), Some(&"finished")));
    for name in ["baseline", "pass", "tested", "accepted"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let last = events.last().expect("there are events");
    assert_eq!((&last["before"]["bytes"], &last["after"]["bytes"]), (&9.into(), &4.into()));
    assert_eq!(last["ended"], "complete");
}

#[test]
fn a_run_that_fails_says_so_in_json_too() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.lop(&["-q", "--json", "events", "input.txt", "--", "false"]).expect_code(1);
    let text = String::from_utf8(folder.read("events")).expect("JSON is UTF-8");
    let last: serde_json::Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["event"], &last["code"]), (&"failed".into(), &1.into()));
    assert_eq!(last["text"], "the failure on input.txt is too unspecific to keep");
    assert!(last["time"].is_number());
}

#[test]
fn a_reader_who_goes_away_stops_nothing() {
    for arguments in [["--json", "-"], ["--diff", "-v"], ["-o", "-"]] {
        let folder = Folder::new();
        folder.write("input.txt", "a\nkeep\nb\n");
        let line = [&arguments[..], &["input.txt", "--", "grep", "-q", "keep"]].concat();
        let mut child = folder.command(&line).spawn().expect("lop can be started");
        drop(child.stdout.take());
        drop(child.stderr.take());
        finish(child).expect_code(0);
    }
}

#[test]
fn one_worker_and_one_seed_ask_the_same_questions() {
    let questions = |seed: &str| {
        let folder = Folder::new();
        folder.write("bug.c", PROGRAM);
        let order = ["-j1", "--seed", seed, "-q", "--json", "-", "-o", "small.c"];
        let test = ["bug.c", "--stderr", "'mistake' undeclared", "--", "cc", "-fsyntax-only", "@@"];
        let ran = folder.lop(&[&TIMEOUT, &order[..], &test].concat()).expect_code(0);
        let text = String::from_utf8(ran.stdout).expect("JSON is UTF-8");
        let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        events
            .filter(|event| event["event"] == "tested")
            .map(|event| (event["bytes"].clone(), event["what"].clone(), event["verdict"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(questions("7"), questions("7"));
}

#[test]
fn a_limit_ends_the_run_with_3_and_a_valid_result() {
    let folder = Folder::new();
    let lines: String = (0..300).map(|number| format!("keep {number}\n")).collect();
    folder.write("input.txt", &lines);
    folder.script("test.sh", "test $(grep -c keep \"$1\") -gt 150");
    folder.lop(&["-q", "-j1", "--max-tests", "6", "test.sh", "input.txt", "-o", "out"]).expect_code(3);
    let result = String::from_utf8(folder.read("out")).expect("it was text before");
    assert!(result.lines().filter(|line| line.contains("keep")).count() > 150);
    folder.lop(&["-q", "--max-time", "0.000001", "test.sh", "input.txt", "-o", "out"]).expect_code(3);
}

#[test]
fn simplifying_only_promises_nothing() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let line = ["--simplify-only", "-j1", "input.txt", "-o", "out", "--", "grep", "-q", "keep"];
    let ran = folder.lop(&line).expect_code(0);
    assert!(ran.stderr.contains("minimal   not guaranteed"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("minimality  "), "{}", ran.stderr);
    assert_eq!(folder.read("out"), b"keep");
}

#[test]
fn grammars_are_listed_and_a_file_may_have_a_subcommands_name() {
    let folder = Folder::new();
    let listed = String::from_utf8(folder.lop(&["grammars"]).expect_code(0).stdout).expect("plain");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    for entry in fs::read_dir(root).expect("grammars/ can be listed").filter_map(Result::ok) {
        if entry.path().is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(listed.lines().any(|line| line.split_whitespace().next() == Some(&name)), "{name} in\n{listed}");
        }
    }
    // Each has the parts of its folder, and the version of the lock.
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).expect("it is shipped");
    let row = |name: &str| {
        let mut rows = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.find(|words| words.first() == Some(&name)).unwrap_or_else(|| panic!("{name} in\n{listed}"))
    };
    for (name, krate, rest) in [
        ("c", "tree-sitter-c", &["built", "in", "rules,", "guard,", "minimal", "texts"][..]),
        ("json", "tree-sitter-json", &["built", "in", "rules,", "minimal", "texts"]),
        ("ruby", "tree-sitter-ruby", &["feature", "lang-ruby"]),
    ] {
        let (_, locked) = lock.split_once(&format!("name = \"{krate}\"\nversion = \"")).expect("it is locked");
        let version = locked.split('"').next().expect("a split has a first part");
        let expected = [&[krate, version][..], rest].concat();
        if name == "ruby" && cfg!(feature = "lang-ruby") {
            continue;
        }
        assert!(row(name).ends_with(&expected), "{expected:?} in\n{listed}");
    }
    folder.write("grammars", "a\nkeep\n");
    folder.lop(&["-q", "./grammars", "--", "grep", "-q", "keep"]).expect_code(0);
    assert_eq!(folder.read("grammars"), b"keep");
}

#[test]
fn help_names_every_exit_code_and_fits_a_screen() {
    let folder = Folder::new();
    let help = String::from_utf8(folder.lop(&["help"]).expect_code(0).stdout).expect("plain");
    assert!(help.contains("0 reduced") && help.contains("6 runtime error"), "{help}");
    let long = help.lines().find(|line| line.chars().count() > 110);
    assert_eq!(long, None);
}

/// Runs lop in a folder with good and bad things in it, and holds it to leaving all of them alone.
fn refused(arguments: &[&str], code: i32) -> String {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder.write("taken.txt", "a\nkeep\nb\n");
    folder.write("taken.txt.orig", "precious");
    folder.write("plain", "not a program");
    folder.write("empty.txt", "");
    folder.script("yes.sh", "exit 0");
    folder.script("no.sh", "echo searched; echo 'no such thing' >&2; exit 3");
    fs::create_dir(folder.path("folder")).expect("a new folder");
    let before: Vec<(String, Option<Vec<u8>>)> = contents(&folder);
    let ran: Ran = folder.lop(arguments).expect_code(code);
    assert_eq!(contents(&folder), before, "{arguments:?} changed something");
    assert_eq!(folder.temporaries(), [""; 0]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "");
    // Which language it is stands before all else that goes wrong.
    let said = ran.stable_stderr(&folder);
    said.strip_prefix("language  text: no grammar for .txt is built in; see lop grammars\n").unwrap_or(&said).to_owned()
}

fn contents(folder: &Folder) -> Vec<(String, Option<Vec<u8>>)> {
    folder.names().into_iter().map(|name| (name.clone(), fs::read(folder.path(&name)).ok())).collect()
}

#[test]
fn what_was_left_out_is_told() {
    let said = refused(&["input.txt", "sh", "-c", "true", "@@"], 2);
    assert!(said.ends_with("hint: write the command and its options after `--`: lop FILE -- CMD ARGS…\n"), "{said}");
    let said = refused(&["input.txt", "--", "sh", "-c", "exit 3"], 1);
    assert!(
        said.ends_with("hint: the command gets the candidate only on standard input; write @@ for its path\n"),
        "{said}"
    );
}

#[test]
fn bad_input_gets_a_clear_error_and_nothing_is_touched() {
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["no.sh", "input.txt"],
            1,
            "error: the test rejects input.txt itself: exit code 3, expected exit code 0
  test    HERE/no.sh input.txt
  ended   exit code 3 after TIME
  stdout
    searched
  stderr
    no such thing
hint: run the test by hand in an empty directory with a copy of the file
",
        ),
        (
            &["-q", "input.txt", "--", "sh", "no.sh", "@@"],
            1,
            "error: the failure on input.txt is too unspecific to keep
  test    sh HERE/no.sh @@
  ended   exit code 3 after TIME
",
        ),
        (
            &["yes.sh", "input.txt"],
            2,
            "error: the test accepts an empty file, so it checks nothing
  test    HERE/yes.sh input.txt
hint: make the test check for the message or output of your bug, in the candidate and not in the original by its \
             absolute path. If an empty file is a good result, use --allow-empty
",
        ),
        (
            &["input.txt", "--", "true"],
            2,
            "error: the command succeeds on input.txt and on an empty file, so there is no failure to keep
  test    true
hint: check that the command fails on the file, or say what to keep with --stdout RE, --stderr RE, --exit-code N \
             or --signal NAME
",
        ),
        (&["input.txt", "sh", "-c", "true", "@@"], 2, "error: unexpected argument '-c' found\n"),
        (
            &["empty.txt", "--", "sh", "-c", "false"],
            2,
            "error: empty.txt is empty, so there is nothing to reduce
hint: name the file that shows the bug. Did a redirection (`>`) empty it?
",
        ),
        (
            &["--color", "never", "config"],
            2,
            "error: `config` is a command of lop only as the first word
",
        ),
        (
            &[],
            2,
            "error: no file to reduce was given
hint: lop FILE -- CMD ARGS…, or lop TEST FILE; see lop --help
",
        ),
        (&["yes.sh", "missing"], 2, "error: cannot read missing\n  No such file or directory (os error 2)\n"),
        (
            &["yes.sh", "folder"],
            2,
            "error: folder has no files, so there is nothing to reduce\nhint: name the directory that shows the bug\n",
        ),
        (&["plain", "input.txt"], 2, "error: HERE/plain is not executable; make it so with `chmod +x HERE/plain`\n"),
        (
            &["input.txt", "yes.sh"],
            2,
            "error: input.txt is not executable\nhint: TEST comes first: lop yes.sh input.txt\n",
        ),
        (
            &["input.txt", "--", "no.sh", "@@"],
            2,
            "error: no.sh is not a command in PATH; for the file here write ./no.sh\n",
        ),
        (
            &["yes.sh", "input.txt", "--json", "./input.txt"],
            2,
            "error: `--json ./input.txt` would overwrite the file to reduce\nhint: name another file\n",
        ),
        (
            &["yes.sh", "input.txt", "--json", "yes.sh"],
            2,
            "error: `--json yes.sh` would overwrite the test's program\n",
        ),
        (
            &["yes.sh", "input.txt", "--json", "folder/../input.txt.orig"],
            2,
            "error: `--json folder/../input.txt.orig` would overwrite the backup of the original\n",
        ),
        (
            &["yes.sh", "taken.txt", "-o", "o", "--json", "taken.txt.orig"],
            2,
            "error: `--json taken.txt.orig` would overwrite",
        ),
        (&["yes.sh", "input.txt", "-o", "x", "--json", "./x"], 2, "error: `--json ./x` would overwrite the result\n"),
        (&["yes.sh", "input.txt", "-o", "yes.sh"], 2, "error: `-o yes.sh` would overwrite the test's program\n"),
        (&["yes.sh", "input.txt", "--max-tests", "0"], 2, "error: invalid value '0' for '--max-tests <N>'"),
        (&["./missing.sh", "input.txt"], 2, "error: the test HERE/./missing.sh does not exist"),
        (&["input.txt", "--", "no-such-command-anywhere"], 2, "error: no-such-command-anywhere is neither"),
        (
            &["yes.sh", "taken.txt"],
            2,
            "error: taken.txt.orig exists already and is never overwritten; move it away, or write the result \
             elsewhere with -o\n",
        ),
        (&["yes.sh", "input.txt", "-o", "folder"], 2, "error: the output folder is a directory; name a file\n"),
        (
            &["yes.sh", "input.txt", "-o", "missing/out"],
            2,
            "error: cannot write missing/out: the directory missing does not exist\n",
        ),
        (
            &["yes.sh", "input.txt", "-o", "input.txt"],
            2,
            "error: the output input.txt is the input itself; without -o the input is replaced and the original kept \
             as input.txt.orig\n",
        ),
        (
            &["yes.sh", "input.txt", "--json", "missing/events"],
            2,
            "error: cannot write the events to missing/events\n  No such file or directory (os error 2)\n",
        ),
        (&["yes.sh", "input.txt", "--grammar", "klingon"], 2, "error: unknown grammar `klingon` (known: auto, "),
        (
            &["yes.sh", "input.txt", "--stderr", "("],
            2,
            "error: the pattern '(' of --stderr is not a regular expression
  regex parse error:
      (
      ^
  error: unclosed group
",
        ),
        (&["yes.sh", "input.txt", "--signal", "SIGNOT"], 2, "error: cannot use the signal given to --signal\n"),
        (
            &["yes.sh", "input.txt", "--simplify-only", "--minimal", "token"],
            2,
            "error: --simplify-only guarantees nothing, so it cannot be combined with --minimal
hint: omit one of the two, or use --minimal none
",
        ),
        (
            &["yes.sh", "input.txt", "--expect-waste", "0.9,0.5"],
            2,
            "error: invalid value '0.9,0.5' for '--expect-waste <P[,P(u|u)]>': where 0.9 of the units are removable, at \
             least 0.889 of those after a removable one are, too\n",
        ),
        (
            &["yes.sh", "input.txt", "-j0"],
            2,
            "error: invalid value '0' for '--jobs <N|auto>': must be at least 1; or write auto\n",
        ),
        (&["yes.sh", "input.txt", "--no-such-option"], 2, "error: unexpected argument '--no-such-option' found\n"),
    ];
    for (arguments, code, expected) in cases {
        let said = refused(arguments, *code);
        assert!(said.starts_with(expected), "{arguments:?} said\n{said}\nand not\n{expected}");
    }
}

#[test]
fn a_relative_path_in_the_command_is_made_absolute_and_that_is_said() {
    let said = refused(&["input.txt", "--", "sh", "no.sh", "@@"], 1);
    let note = "note: relative paths made absolute, as tests run in another directory: no.sh -> HERE/no.sh\n";
    assert!(said.contains(note), "{said}");
}

#[test]
fn usual_mistakes_of_a_script_are_pointed_out() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    for (script, hint) in [
        ("grep -q keep \"$1\"\r", "end in CRLF; convert it with dos2unix"),
        ("read -r line < no-such-file", "use absolute paths for other files"),
    ] {
        let path = folder.script("test.sh", script);
        let path = path.to_str().expect("plain");
        let ran = folder.lop(&["input.txt", "--", "sh", path, "@@"]).expect_code(1);
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    }
}

#[test]
fn a_test_that_changes_its_mind_is_flaky() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let state = folder.path("state");
    let state = state.display();
    folder.script(
        "test.sh",
        &format!("grep -q keep \"$1\" || exit 1; echo x >> '{state}'; test $(($(wc -l < '{state}') % 2)) = 1"),
    );
    let ran = folder.lop(&["-j1", "test.sh", "input.txt"]).expect_code(4);
    assert!(ran.stderr.contains("the test is flaky: of "), "{}", ran.stderr);
    assert!(ran.stderr.contains("use --flaky"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["input.txt", "state", "test.sh"]);
    fs::remove_file(folder.path("state")).expect("our own file");
    folder.lop(&["-q", "-j1", "--allow-flaky", "test.sh", "input.txt"]).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("input.txt")).contains("keep"));
}

#[test]
fn standard_input_of_the_terminal_never_reaches_a_test() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let mut command = folder.command(&[
        "-q",
        "input.txt",
        "-o",
        "out",
        "--",
        "sh",
        "-c",
        "test -z \"$(cat)\" && grep -q keep \"$0\"",
        "@@",
    ]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("lop can be started");
    // Open and silent, as a terminal is: a test that read it would wait until its deadline.
    let terminal = child.stdin.take();
    finish(child).expect_code(0);
    drop(terminal);
    assert_eq!(folder.read("out"), b"keep");
}
