//! The first minutes of a new user: each mistake gets the line that works.

use crate::support::{Folder, has};

const GUESS: &str = "int guess(void);\n";

#[test]
fn a_header_beside_the_file_is_named_also_where_the_script_says_nothing() {
    if !has("gcc") {
        return;
    }
    let folder = Folder::new();
    folder.write("lib.h", GUESS);
    folder.write("a.c", "#include \"lib.h\"\nint main(void) { return guess(); }\n");
    folder.script("t.sh", "gcc -c a.c -o a.o 2>/dev/null && grep -q guess a.c");
    let ran = folder.lop(&["./t.sh", "a.c"]).expect_code(1);
    assert!(ran.stderr.contains("lop ./t.sh a.c --with lib.h"), "{}", ran.stderr);
    folder.lop(&["-j1", "-o", "out.c", "./t.sh", "a.c", "--with", "lib.h"]).expect_code(0);
    // A header that is not the reason is not blamed.
    folder.script("no.sh", "false");
    let ran = folder.lop(&["./no.sh", "a.c"]).expect_code(1);
    assert!(!ran.stderr.contains("--with"), "{}", ran.stderr);
}

#[test]
fn a_test_that_answers_the_wrong_way_round_is_told_so() {
    let folder = Folder::new();
    folder.write("a.txt", "one\nbug\n");
    folder.script("t.sh", "! grep -q bug a.txt");
    let ran = folder.lop(&["./t.sh", "a.txt"]).expect_code(1);
    assert!(ran.stderr.contains("Exit code 0 means interesting, so invert the answer"), "{}", ran.stderr);
    folder.script("no.sh", "false");
    let ran = folder.lop(&["./no.sh", "a.txt"]).expect_code(1);
    assert!(!ran.stderr.contains("turn its answer round"), "{}", ran.stderr);
}

#[test]
fn a_first_run_that_takes_long_is_told_while_it_does() {
    let folder = Folder::new();
    folder.write("a.txt", "bug\n");
    folder.script("t.sh", "grep -q bug a.txt || exit 1\ntest -e '$0.done' || sleep 6");
    let ran = folder.lop(&["--max-tests", "1", "./t.sh", "a.txt"]);
    assert!(
        ran.stderr
            .contains("the first run of the test has taken 5 s so far; to keep a hang, use --timeout-is-interesting"),
        "{}",
        ran.stderr
    );
    let quick = folder.script("quick.sh", "grep -q bug a.txt");
    let ran = folder.lop(&[quick.as_os_str(), "a.txt".as_ref()]).expect_code(0);
    assert!(!ran.stderr.contains("so far"), "{}", ran.stderr);
}

#[test]
fn programs_that_look_for_things_around_them_are_known() {
    let folder = Folder::new();
    folder.write("a.js", "f();\n");
    folder.script("npx", "echo 'npm ERR! could not determine executable to run' >&2; exit 1");
    folder.script("curl", "case $1 in down) exit 7;; esac; exit 0");
    let ran = folder.lop(&["a.js", "--exit-code", "3", "--", "./npx", "lint", "@@"]).expect_code(1);
    assert!(ran.stderr.contains("node_modules/.bin/NAME, or add --with node_modules"), "{}", ran.stderr);
    let ran = folder.lop(&["a.js", "--exit-code", "3", "--", "./curl", "down", "@@@"]).expect_code(1);
    assert!(ran.stderr.contains("no server answers; start the server first"), "{}", ran.stderr);
    let ran = folder.lop(&["a.js", "--", "./curl", "up", "@@@"]).expect_code(2);
    assert!(ran.stderr.contains("--fail-with-body") && ran.stderr.contains("@@@"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("wanted"), "no condition given: {}", ran.stderr);
}

#[test]
fn a_package_that_a_test_misses_is_in_node_modules() {
    if !has("node") {
        return;
    }
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("node_modules/checker")).expect("writable");
    folder.write("node_modules/checker/index.js", "module.exports = text => text.includes('bug');\n");
    folder.write("a.js", "one();\nbug();\n");
    let test = "process.exit(require('checker')(require('fs').readFileSync('a.js', 'utf8')) ? 0 : 1)";
    folder.write("check.js", test);
    folder.script("t.sh", "cp \"$CHECK\" ./check.js && node check.js");
    let check = folder.path("check.js");
    let mut command = folder.command(&["./t.sh", "a.js"]);
    let ran = crate::support::finish(command.env("CHECK", &check).spawn().expect("lop can be started")).expect_code(1);
    assert!(ran.stderr.contains("--with node_modules"), "{}", ran.stderr);
}

#[test]
fn a_failure_on_standard_output_of_a_command_that_ends_well_is_found() {
    let folder = Folder::new();
    folder.write("a.txt", "one\nbug\n");
    folder.script("tool.sh", "if grep -q bug \"$1\"; then echo 'FAILED: no such thing'; fi; exit 0");
    let ran = folder.lop(&["a.txt", "--", "./tool.sh", "@@"]).expect_code(2);
    assert!(ran.stderr.contains("--stdout '^FAILED: no such thing'"), "{}", ran.stderr);
    folder.lop(&["-y", "-o", "out", "a.txt", "--", "./tool.sh", "@@"]).expect_code(0);
    assert_eq!(folder.read("out").trim_ascii(), b"bug");
}

#[test]
fn a_result_with_everything_in_it_says_what_to_try() {
    let folder = Folder::new();
    let text = "int a = 1;\nint b = 2;\nint c = 3;\n";
    folder.write("a.c", text);
    folder.script("t.sh", &format!("test \"$(tr -d ' \\n' <a.c)\" = '{}'", text.replace([' ', '\n'], "")));
    let ran = folder.lop(&["-j1", "./t.sh", "a.c"]).expect_code(0);
    assert!(ran.stderr.contains("Nothing to remove from a.c"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`lop doctor` looks at the test"), "{}", ran.stderr);
}

#[test]
fn an_extension_that_nobody_knows_gets_the_way_to_a_parser() {
    let folder = Folder::new();
    folder.write("a.odd", "one bug\n");
    folder.script("t.sh", "grep -q bug a.*");
    let ran = folder.lop(&["./t.sh", "a.odd"]).expect_code(0);
    assert!(ran.stderr.contains("--grammar PATH takes any tree-sitter parser"), "{}", ran.stderr);
    folder.write("a.txt", "one bug\n");
    std::fs::remove_file(folder.path("a.odd")).expect("ours");
    let ran = folder.lop(&["./t.sh", "a.txt"]).expect_code(0);
    assert!(!ran.stderr.contains("--grammar PATH"), "{}", ran.stderr);
}

#[test]
fn the_value_of_an_option_is_no_crash_script() {
    let folder = Folder::new();
    folder.write("x-1.c", "int one;\nint bug;\n");
    let compiler = "for file; do :; done; grep -q bug \"$file\" && { echo 'error: odd bug' >&2; exit 1; }; exit 0";
    let compiler = folder.script("cc.sh", compiler);
    let script = format!("# Crash reproducer for clang version 14.0.0\n\"{}\" \"x-1.c\"\n", compiler.display());
    folder.write("x-1.sh", &script);
    // The same word twice: the result would take the place of the script, as was asked for.
    folder.lop(&["-j1", "-o", "x-1.sh", "x-1.sh"]).expect_code(0);
    assert_eq!(folder.read("x-1.c"), b"int one;\nint bug;\n", "the input is not the result");
    assert_eq!(folder.read("x-1.sh").trim_ascii(), b"bug;");
}
