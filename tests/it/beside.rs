//! `--with`: things that tests find beside the candidate, and that no test can damage.

use std::fs;

use crate::confine::is_possible;
use crate::support::{Folder, Ran};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("case.txt", "some\nbug\nhere\n");
    folder.write("words", "bug\n");
    fs::create_dir_all(folder.path("lib/deep")).expect("our own folder");
    folder.write("lib/deep/x", "x\n");
    folder
}

fn lop(folder: &Folder, line: &[&str]) -> Ran {
    folder.lop(&[&["-j1", "-o", "small"], line].concat())
}

#[test]
fn a_test_finds_files_and_directories_beside_the_candidate() {
    let folder = folder();
    // By a link each, so that nothing is copied for a test.
    folder.script("test.sh", "test -h words && test -h lib && test -e lib/deep/x && grep -q -f words \"$1\"");
    let line = ["--no-state", "--with", "words", "--with", "lib/", "test.sh", "case.txt"];
    lop(&folder, &line).expect_code(0);
    assert_eq!(folder.read("small"), b"bug");
    lop(&folder, &["--no-state", "--with", "words", "test.sh", "case.txt"]).expect_code(1);
    let ran = folder.lop(&["doctor", "-j2", "--with", "words", "--with", "lib", "test.sh", "case.txt"]).expect_code(0);
    assert!(!String::from_utf8_lossy(&ran.stdout).contains("leaves files behind"), "{ran:?}");
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_second_command_finds_them_too() {
    let folder = folder();
    let line = [
        "--no-state",
        "--with",
        "words",
        "--while-passing",
        "test -e words",
        "case.txt",
        "--",
        "grep",
        "-q",
        "bug",
        "@@",
    ];
    lop(&folder, &line).expect_code(0);
    lop(&folder, &["--no-state", "--with", "words", "case.txt", "--", "grep", "-q", "-f", "words", "@@"])
        .expect_code(0);
}

#[test]
fn what_cannot_be_beside_the_candidate_is_refused_by_name() {
    let folder = folder();
    fs::create_dir(folder.path("other")).expect("our own folder");
    folder.write("other/words", "x");
    folder.write("other/case.txt", "x");
    let long = ["--with", "other/case.txt.i", "case.txt", "--", "cat", "@@.i"];
    folder.write("other/case.txt.i", "x");
    for (line, said) in [
        (&["--with", "missing", "case.txt", "--", "grep", "bug"][..], "cannot read missing"),
        (
            &["--with", "words", "--with", "other/words", "case.txt", "--", "grep", "bug"],
            "words and other/words have the same name",
        ),
        (
            &["--with", "other/case.txt", "case.txt", "--", "grep", "bug"],
            "other/case.txt has the same name as the candidate",
        ),
        (&long, "other/case.txt.i has the same name as the candidate"),
        (&["--with", "..", "case.txt", "--", "grep", "bug"], ".. has no file name"),
        (&["--with", "/dev/zero", "case.txt", "--", "grep", "bug"], "/dev/zero is neither a file nor a directory"),
    ] {
        let ran = lop(&folder, line).expect_code(2);
        assert!(ran.stderr.contains(said) && ran.stderr.contains("hint: "), "{said}\n{}", ran.stderr);
    }
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_test_that_changes_its_copy_is_told_of_and_the_users_is_as_it_was() {
    let folder = folder();
    // The permissions are no obstacle to the owner of the copy who changes them.
    folder.script("test.sh", "chmod u+w lib/deep/x; echo more >> lib/deep/x; grep -q bug \"$1\"");
    let ran = lop(&folder, &["--no-state", "--with", "lib", "test.sh", "case.txt"]).expect_code(0);
    assert!(ran.stderr.contains("the test has changed its copy of lib"), "{}", ran.stderr);
    assert_eq!(folder.read("lib/deep/x"), b"x\n");
    let ran = folder.lop(&["doctor", "-j1", "--with", "lib", "test.sh", "case.txt"]).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("created or changed while the test ran: lib"), "{ran:?}");
    assert_eq!(folder.read("lib/deep/x"), b"x\n");
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn the_original_and_what_lop_writes_are_in_no_copy() {
    let folder = folder();
    fs::create_dir(folder.path("src")).expect("our own folder");
    folder.write("src/case.txt", "some more lines\n".repeat(40) + "bug\n");
    folder.write("src/other", "x");
    folder.script("test.sh", "test -e src/other && test ! -e src/case.txt && grep -q bug \"$1\"");
    // In place, so that there are a copy of the original and a journal, which change while tests run.
    folder.lop(&["-j1", "--max-tests", "9", "--with", "src", "test.sh", "src/case.txt"]).expect_code(3);
    assert!(folder.path("src/case.txt.orig").exists() && folder.path("src/case.txt.lop").is_dir());
    folder.lop(&["resume", "src/case.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("src/case.txt"), b"bug");
    folder.lop(&["verify", "src/case.txt"]).expect_code(0);
}

#[test]
fn what_is_beside_the_candidate_is_a_part_of_the_test() {
    let folder = folder();
    folder.script("test.sh", "grep -q -f words \"$1\"");
    lop(&folder, &["--max-tests", "4", "--with", "words", "test.sh", "case.txt"]).expect_code(3);
    folder.write("words", "bug\nbugs\n");
    let ran = folder.lop(&["resume", "small.lop"]).expect_code(2);
    assert!(ran.stderr.contains("--with") && ran.stderr.contains("has changed"), "{}", ran.stderr);
    folder.write("words", "bug\n");
    folder.lop(&["resume", "small.lop"]).expect_code(0);
    assert_eq!(folder.read("small"), b"bug");
}

#[test]
fn a_projects_file_may_name_what_is_in_the_project_and_nothing_else() {
    let folder = folder();
    fs::create_dir_all(folder.path("project/sub")).expect("our own folder");
    folder.write("project/words", "bug\n");
    folder.write("project/sub/case.txt", "some\nbug\n");
    folder.script("test.sh", "grep -q -f words \"$1\"");
    let test = folder.path("test.sh").display().to_string();
    let run = |config: &str| {
        folder.write("project/lop.toml", config);
        let mut command = folder.command(&["-j1", "--no-state", "-o", "small", &test, "case.txt"]);
        command.current_dir(folder.path("project/sub"));
        crate::support::finish(command.spawn().expect("lop can be started"))
    };
    run("with = [\"words\"]\n").expect_code(0);
    assert_eq!(folder.read("project/sub/small"), b"bug");
    std::os::unix::fs::symlink(folder.path("words"), folder.path("project/link")).expect("our own folder");
    for outside in ["../words", "link", "/etc/passwd"] {
        let ran = run(&format!("with = [\"{outside}\"]\n")).expect_code(2);
        assert!(
            ran.stderr.contains("lop.toml:1: ") && ran.stderr.contains("with points outside the project"),
            "{}",
            ran.stderr
        );
    }
    // The user's own file may name anything.
    fs::remove_file(folder.path("project/lop.toml")).expect("our own file");
    fs::create_dir_all(folder.path("config/lop")).expect("our own folder");
    folder.write("config/lop/lop.toml", format!("with = [\"{}\"]\n", folder.path("words").display()));
    let mut command = folder.command(&["-j1", "--no-state", "-o", "small", &test, "case.txt"]);
    command.current_dir(folder.path("project/sub")).env("XDG_CONFIG_HOME", folder.path("config"));
    crate::support::finish(command.spawn().expect("lop can be started")).expect_code(0);
}

#[test]
fn a_box_shows_the_copy_and_lets_nobody_write_to_it() {
    let folder = folder();
    folder.script(
        "test.sh",
        "chmod u+w lib/deep/x && exit 1; echo y >> lib/deep/x && exit 1; grep -q x lib/deep/x && grep -q bug \"$1\"",
    );
    let ran = lop(&folder, &["--no-state", "--isolate", "bwrap", "--with", "lib", "test.sh", "case.txt"]);
    if !is_possible(&ran, "bwrap") {
        return;
    }
    let ran = ran.expect_code(0);
    assert!(!ran.stderr.contains("has changed its copy"), "{}", ran.stderr);
}
