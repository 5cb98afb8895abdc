//! Command lines as people have them in their fingers from other reducers.

use std::os::unix::process::CommandExt;

use crate::support::{Folder, Ran, finish};

const LINES: &str = "one\ntwo\nneedle\nthree\nfour\n";

/// Runs lop under another name.
fn called(folder: &Folder, name: &str, arguments: &[&str]) -> Ran {
    finish(folder.command(arguments).arg0(name).spawn().expect("lop can be started"))
}

#[test]
fn creduce_replaces_the_file_and_keeps_the_original() {
    let folder = Folder::new();
    folder.write("case.txt", LINES);
    // No arguments are looked at: the file is found by its name in the working directory.
    folder.script("test.sh", "grep -q needle case.txt");
    called(&folder, "creduce", &["-n", "2", "./test.sh", "case.txt"]).expect_code(0);
    assert_eq!(folder.read("case.txt"), b"needle");
    assert_eq!(folder.read("case.txt.orig"), LINES.as_bytes());
}

#[test]
fn cvise_tidies_up_and_keeps_copies_of_what_is_also_interesting() {
    let folder = Folder::new();
    folder.write("case.txt", LINES);
    folder.script("test.sh", "grep -q needle case.txt && exit 0; exit 77");
    let line =
        ["--n", "1", "--timeout", "30", "--tidy", "--also-interesting", "77", "--save-temps", "test.sh", "case.txt"];
    let ran = called(&folder, "cvise", &line).expect_code(0);
    assert_eq!(folder.read("case.txt"), b"needle");
    assert!(!folder.names().contains(&"case.txt.orig".to_owned()), "{:?}", folder.names());
    assert!(ran.stderr.contains("note: --save-temps has no effect"), "{}", ran.stderr);
    assert!(folder.path("case.txt.lop/other").is_dir(), "{}", ran.stderr);
}

#[test]
fn a_shell_command_takes_the_place_of_a_test_in_cvise() {
    let folder = Folder::new();
    folder.write("case.txt", LINES);
    let line = ["--compat", "cvise", "--shell", "sh", "-c", "grep -q needle case.txt", "case.txt", "--print-diff"];
    let ran = folder.lop(&line).expect_code(0);
    assert_eq!(folder.read("case.txt"), b"needle");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("-three"), "{ran:?}");
}

#[test]
fn not_c_means_text_for_a_file_of_that_language_only() {
    let folder = Folder::new();
    folder.script("test.sh", "grep -q needle \"$1\"");
    for (name, language) in [("case.c", "text"), ("case.json", "json")] {
        folder.write(name, "[\"needle\", 2, 3]\n");
        let ran = folder.lop(&["--not-c", "test.sh", name]).expect_code(0);
        assert!(ran.stderr.contains(&format!("({language}, ")), "{}", ran.stderr);
    }
}

#[test]
fn several_files_are_refused_with_what_to_do() {
    let folder = Folder::new();
    folder.script("test.sh", "exit 0");
    let ran = called(&folder, "creduce", &["test.sh", "a.c", "b.c"]).expect_code(2);
    assert!(ran.stderr.contains("lop reduces one file at a time, and these are 2: a.c, b.c"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: reduce a.c first"), "{}", ran.stderr);
}

#[test]
fn treereduce_writes_elsewhere_and_takes_any_condition() {
    let folder = Folder::new();
    folder.write("in.txt", LINES);
    folder.script("cmd.sh", "grep -q needle \"$1\" && exit 1; grep three \"$1\" && exit 2; exit 0");
    let line = ["-s", "in.txt", "-o", "out.txt", "--interesting-exit-code", "1", "--", "./cmd.sh", "@@"];
    called(&folder, "treereduce", &line).expect_code(0);
    assert_eq!((folder.read("in.txt"), folder.read("out.txt")), (LINES.into(), b"needle".to_vec()));
    let line = [
        "--compat",
        "treereduce",
        "-s",
        "in.txt",
        "--stable",
        "--interesting-exit-code",
        "3",
        "--interesting-stdout",
        "^three",
        "--",
        "sh",
        "cmd.sh",
        "@@",
    ];
    // The needle would hide what is looked for.
    folder.write("in.txt", LINES.replace("needle\n", ""));
    folder.lop(&line).expect_code(0);
    assert_eq!(folder.read("treereduce.out"), b"three");
}

#[test]
fn afl_tmin_keeps_a_crash_and_refuses_what_does_not_crash() {
    let folder = Folder::new();
    folder.write("in", LINES);
    folder.script("target", "grep -q needle && kill -SEGV $$; exit 0");
    let line = ["-i", "in", "-o", "out", "-t", "5000", "-m", "none", "-e", "--", "./target"];
    called(&folder, "afl-tmin", &line).expect_code(0);
    assert_eq!((folder.read("in"), folder.read("out")), (LINES.into(), b"needle".to_vec()));
    folder.write("in", "nothing\n");
    let ran = called(&folder, "afl-tmin", &line).expect_code(1);
    assert!(ran.stderr.contains("does not crash on in: exit code 0"), "{}", ran.stderr);
    assert!(ran.stderr.contains("lop has no coverage map"), "{}", ran.stderr);
}

#[test]
fn with_x_any_exit_code_but_0_is_a_crash() {
    let folder = Folder::new();
    folder.write("in", LINES);
    folder.script("target", "grep -q needle \"$1\" && exit 3; exit 0");
    let line = ["--compat", "afl-tmin", "-i", "in", "-o", "out", "-x", "--", "./target", "@@"];
    folder.lop(&line).expect_code(0);
    assert_eq!(folder.read("out"), b"needle");
}

#[test]
fn lithium_leaves_everything_outside_of_its_markers_alone() {
    let folder = Folder::new();
    let marked = "head\n# DDBEGIN\none\nneedle\ntwo\n# DDEND\ntail\n";
    folder.write("case.txt", marked);
    folder.script("target", "grep -q needle \"$1\" && kill -SEGV $$; exit 0");
    let ran = called(&folder, "lithium", &["crashes", "--timeout", "20", "./target", "case.txt"]).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("case.txt")), "head\n# DDBEGIN\nneedle\n# DDEND\ntail\n");
    assert!(ran.stderr.contains("lines 3-5 are reduced"), "{}", ran.stderr);
    // Markers count in every file, and can be switched off.
    folder.write("case.txt", marked);
    folder.script("test.sh", "grep -q needle case.txt");
    folder.lop(&["test.sh", "case.txt", "--no-markers", "--tidy", "-o", "out"]).expect_code(2);
    folder.lop(&["test.sh", "case.txt", "--no-markers", "-o", "out"]).expect_code(0);
    assert_eq!(folder.read("out"), b"needle");
    folder.write("case.txt", "# DDBEGIN\n");
    let ran = called(&folder, "lithium", &["crashes", "./target", "case.txt"]).expect_code(2);
    assert!(ran.stderr.contains("DDBEGIN and no line with DDEND after it"), "{}", ran.stderr);
}

#[test]
fn an_unknown_option_of_a_tool_is_an_error_that_names_it() {
    let folder = Folder::new();
    for name in ["creduce", "cvise", "treereduce", "afl-tmin", "lithium"] {
        let ran = called(&folder, name, &["--no-such-option"]).expect_code(2);
        assert!(ran.stderr.contains("--no-such-option") && ran.stderr.contains(name), "{}", ran.stderr);
        let help = called(&folder, name, &["--help"]).expect_code(0);
        assert!(String::from_utf8_lossy(&help.stdout).contains("Options of lop:"), "{help:?}");
    }
}

#[test]
fn a_translated_run_can_be_gone_on_with() {
    let folder = Folder::new();
    folder.write("in", LINES);
    folder.script("target", "grep -q needle && kill -SEGV $$; exit 0");
    let line = ["-i", "in", "-o", "out", "-t", "5000", "--max-tests", "2", "--jobs", "1", "--", "./target"];
    let ran = called(&folder, "afl-tmin", &line).expect_code(3);
    // The line that says the same is one of lop's own.
    assert!(ran.stderr.contains("--max-tests=2 in --signal SEGV -- ./target"), "{}", ran.stderr);
    folder.lop(&["resume", "out.lop"]).expect_code(0);
    assert_eq!(folder.read("out"), b"needle");
}
