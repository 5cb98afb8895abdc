//! Reductions without a condition: the failure of the command says what is kept.

use super::support::{Folder, Ran, has};

fn lop(folder: &Folder, line: &[&str]) -> Ran {
    folder.lop(&[&["-j2", "--no-checkup"], line].concat())
}

#[track_caller]
fn says(ran: &Ran, words: &[&str]) {
    for words in words {
        assert!(ran.stderr.contains(words), "no {words:?} in\n{}", ran.stderr);
    }
}

/// A file in which a compiler, where one is called, is more than the test case needs.
const PROGRAM: &str = "\
int helper(int a) { return a + 1; }
int main(void) {
    int count = helper(3);
    return conut + count;
}
";

#[test]
fn a_compilers_error_is_kept_without_a_condition() {
    if !has("gcc") {
        return;
    }
    let folder = Folder::new();
    folder.write("broken.c", PROGRAM);
    let ran = lop(&folder, &["-o", "small.c", "broken.c", "--", "gcc", "-c", "@@"]).expect_code(0);
    says(&ran, &["no condition given", "exit code 1", "undeclared \\(first use in this function\\)"]);
    says(&ran, &["lop -j2 --no-checkup -o small.c broken.c --stderr 'error: ", "' -- gcc -c @@"]);
    let small = folder.read("small.c");
    assert!(small.len() < 40, "{}", String::from_utf8_lossy(&small));
}

#[test]
fn an_exception_is_kept_without_a_condition() {
    if !has("node") {
        return;
    }
    let folder = Folder::new();
    folder
        .write("crash.js", "const spare = [1, 2];\nconst order = { lines: [] };\nconsole.log(order.lines[0].price);\n");
    let ran = lop(&folder, &["-o", "small.js", "crash.js", "--", "node", "@@"]).expect_code(0);
    says(&ran, &["kind      exception", "^TypeError: Cannot read properties of undefined", "--stderr '^TypeError"]);
    let small = String::from_utf8(folder.read("small.js")).expect("it is text");
    assert!(!small.contains("spare") && small.len() < 40, "{small}");
}

#[test]
fn a_parsers_complaint_is_kept_without_a_condition_and_its_position_is_not() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    folder.write("broken.json", "{\"a\": [1, 2, 3],\n \"b\": {\"c\": 1 \"d\": 2}, \"e\": null}\n");
    let ran = lop(&folder, &["-o", "small.json", "broken.json", "--", "python3", "-m", "json.tool"]).expect_code(0);
    says(&ran, &["syntax error of a JSON parser", "--stderr '^Expecting '\\'','\\'' delimiter' --at "]);
    assert!(folder.read("small.json").len() < 15);
}

#[test]
fn what_the_empty_file_shows_as_well_is_made_more_specific() {
    let folder = Folder::new();
    folder.write("input.txt", "one\ntwo\nbug\n");
    let test = "at=$(grep -c bug \"$1\"); echo \"Expecting value: line 1 column $((at + 1)) (char $at)\" >&2; exit 1";
    let ran = lop(&folder, &["-o", "out", "input.txt", "--", "sh", "-c", test, "sh", "@@"]).expect_code(0);
    says(&ran, &["^Expecting value", r"text at the reported position matching /\w<here>\w/"]);
    assert_eq!(String::from_utf8_lossy(&folder.read("out")).trim(), "bug");
}

#[test]
fn a_signal_is_kept_where_nothing_is_said() {
    let folder = Folder::new();
    folder.write("input.txt", "one\nbug\ntwo\n");
    let test = ["--", "sh", "-c", "grep -q bug \"$1\" && kill -SEGV $$; exit 0", "sh", "@@"];
    let ran = lop(&folder, &[&["--crash", "-o", "out", "input.txt"], &test[..]].concat()).expect_code(0);
    says(&ran, &["killed by signal SEGV", "lop -j2 --no-checkup -o out input.txt --signal SEGV -- sh"]);
    assert_eq!(String::from_utf8_lossy(&folder.read("out")).trim(), "bug");
}

#[test]
fn a_crash_that_was_insisted_on_must_be_there() {
    let folder = Folder::new();
    folder.write("input.txt", "one\n");
    for test in ["exit 0", "echo error: no >&2; exit 1"] {
        let ran = lop(&folder, &["--crash", "input.txt", "--", "sh", "-c", test]).expect_code(1);
        says(&ran, &["error: the command does not crash on input.txt", "hint:", "--stderr RE"]);
    }
    let both = lop(&folder, &["--crash", "--exit-code", "1", "input.txt", "--", "false"]).expect_code(2);
    says(&both, &["'--crash' cannot be used with '--exit-code <N>'"]);
}

#[test]
fn a_condition_turns_the_search_off() {
    let folder = Folder::new();
    folder.write("input.txt", "one\n");
    let ran = lop(&folder, &["--exit-code", "0", "input.txt", "--", "sh", "-c", "echo error: x >&2; exit 1"]);
    assert!(!ran.expect_code(1).stderr.contains("no condition given"));
}

#[test]
fn a_failure_that_the_empty_file_shows_as_well_is_no_signature() {
    let folder = Folder::new();
    folder.write("input.txt", "one\n");
    let ran = lop(&folder, &["input.txt", "--", "false"]).expect_code(1);
    says(&ran, &["too unspecific to keep", "--exit-code N"]);
}

#[test]
fn a_second_command_must_end_as_it_did_on_the_input() {
    let folder = Folder::new();
    folder.write("input.txt", "one\nbug\nother\ntwo\n");
    let line = ["-o", "out", "--while-passing", "grep -q 'other' @@", "input.txt", "--", "grep", "-q", "bug"];
    lop(&folder, &line).expect_code(0);
    let out = String::from_utf8(folder.read("out")).expect("it is text");
    assert!(out.contains("bug") && out.contains("other") && !out.contains("one"), "{out}");
    let open = lop(&folder, &["-o", "out", "--while-passing", "grep 'x", "input.txt", "--", "grep", "-q", "bug"]);
    says(&open.expect_code(2), &["close its quotes"]);
}

#[test]
fn a_guard_refuses_what_the_test_alone_would_take() {
    if !has("gcc") {
        return;
    }
    let folder = Folder::new();
    folder.write("input.c", "int f(int a) {\n    int bug = 3;\n    return bug + a;\n}\n");
    let test = ["--", "grep", "-q", "return bug"];
    lop(&folder, &[&["-o", "guarded", "--guard", "c", "input.c"], &test[..]].concat()).expect_code(0);
    let guarded = String::from_utf8(folder.read("guarded")).expect("it is text");
    assert!(guarded.contains("bug = ") || guarded.contains("int bug"), "{guarded}");
    let ran = lop(&folder, &[&["-o", "x", "--guard", "none-such", "input.c"], &test[..]].concat()).expect_code(2);
    says(&ran, &["there is no guard for `none-such`", "there is one for: "]);
}
