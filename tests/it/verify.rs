//! `lop verify`: what was claimed of a result still holds, or which deletion does not.

use std::fs;

use crate::support::{Folder, Ran, finish};

/// A folder with a result of four letters, two of them equal, and the test that it was reduced with.
fn reduced() -> Folder {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.script("test.sh", "grep -q keep \"$1\"");
    folder.lop(&["-q", "./test.sh", "input.txt", "-o", "small.txt"]).expect_code(0);
    assert_eq!(folder.read("small.txt"), b"keep");
    folder
}

#[test]
fn a_result_is_verified_wherever_lop_is_called() {
    let folder = reduced();
    let ran = folder.lop(&["verify", "small.txt"]).expect_code(0);
    assert_eq!(ran.stdout, b"small.txt is interesting; 3 of 3 deletions hold\n", "either e is as good");
    let mut elsewhere = folder.command(&["verify".as_ref(), folder.path("small.txt").as_os_str()]);
    let ran = finish(elsewhere.current_dir("/").spawn().expect("lop can be started")).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).ends_with("3 of 3 deletions hold\n"));
    assert_eq!((folder.read("small.txt").as_slice(), folder.temporaries().len()), (&b"keep"[..], 0));
}

#[test]
fn a_deletion_that_does_not_hold_any_more_is_named_and_kept() {
    let folder = reduced();
    folder.script("test.sh", "grep -q eep \"$1\"");
    let ran = folder.lop(&["verify", "small.txt", "-o", "smaller.txt"]).expect_code(1);
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(said.contains("small.txt:1:1: still interesting without \"k\"\n"), "{said}");
    assert!(said.contains("2 of 3 deletions hold"), "{said}");
    assert_eq!(
        (folder.read("smaller.txt").as_slice(), folder.read("small.txt").as_slice()),
        (&b"eep"[..], &b"keep"[..])
    );
    folder.script("test.sh", "false");
    let ran = folder.lop(&["verify", "small.txt"]).expect_code(1);
    assert!(ran.stdout.starts_with(b"small.txt is not interesting"), "{:?}", ran.stdout);
}

#[test]
fn what_cannot_be_verified_is_refused_with_the_reason() {
    let folder = reduced();
    let refused = |why: &str| {
        let ran = folder.lop(&["verify", "small.txt"]).expect_code(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    };
    folder.write("small.txt", "keep it");
    refused("it has changed since");
    folder.write("small.txt", "keep");
    fs::remove_file(folder.path("test.sh")).expect("it is there");
    refused("test.sh");
    fs::remove_dir_all(folder.path("small.txt.lop")).expect("it is there");
    refused("cannot read the certificate small.txt.lop/certificate");
}

#[test]
fn a_reduction_that_was_stopped_claims_nothing() {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.lop(&["-q", "--max-tests", "6", "input.txt", "--", "grep", "-q", "keep"]).expect_code(3);
    let ran = folder.lop(&["verify", "input.txt"]).expect_code(0);
    assert_eq!(ran.stdout, b"input.txt is interesting; nothing more is claimed of it\n");
}

#[test]
fn names_and_layout_that_came_last_are_asked_about_for_the_first_time() {
    let folder = Folder::new();
    folder.write("input.c", "int first(int value) { return value; }\n\nint second(int other) { return other + 7; }\n");
    folder.lop(&["-q", "input.c", "--", "grep", "-q", "second"]).expect_code(0);
    let ran = folder.lop(&["verify", "input.c", "-j1"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(said.contains("input.c is interesting; "), "{said}");
}

/// Runs lop as another user would, who has another key.
fn as_another(folder: &Folder, arguments: &[&str]) -> Ran {
    finish(folder.command(arguments).env("HOME", folder.path("../another")).spawn().expect("lop can be started"))
}

#[test]
fn the_command_of_a_strangers_certificate_is_shown_and_not_run() {
    let folder = reduced();
    folder.script("test.sh", "touch \"$(dirname \"$0\")/ran\"; grep -q keep \"$1\"");
    let ran = as_another(&folder, &["verify", "small.txt"]).expect_code(2);
    assert!(ran.stderr.contains("small.txt.lop/certificate was not written by your lop"), "{}", ran.stderr);
    assert!(ran.stderr.contains("./test.sh input.txt -o small.txt") && ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert!(!folder.path("ran").exists());
    as_another(&folder, &["verify", "--yes", "small.txt"]).expect_code(0);
    assert!(folder.path("ran").exists());
    folder.lop(&["verify", "small.txt"]).expect_code(0);
}

#[test]
fn a_certificate_that_was_changed_is_a_strangers() {
    let folder = reduced();
    let text = String::from_utf8(folder.read("small.txt.lop/certificate")).expect("plain");
    let evil = text.replace("./test.sh", "./te\\u001b[2Jst.sh\\u202e");
    assert_ne!(evil, text);
    folder.write("small.txt.lop/certificate", evil);
    let ran = folder.lop(&["verify", "small.txt"]).expect_code(2);
    assert!(ran.stderr.contains("or has changed since") && !ran.stderr.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    // Another question was answered there.
    fs::create_dir_all(folder.home().join(".config/lop")).expect("a new folder");
    fs::write(folder.home().join(".config/lop/lop.toml"), "yes = true\n").expect("our own file");
    folder.lop(&["verify", "small.txt"]).expect_code(2);
}

#[test]
fn the_command_of_a_strangers_journal_is_shown_and_not_run() {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.script("test.sh", "echo >> \"$(dirname \"$0\")/ran\"; grep -q keep \"$1\"");
    folder.lop(&["-q", "--max-tests", "6", "./test.sh", "input.txt"]).expect_code(3);
    let before = folder.read("ran");
    let ran = as_another(&folder, &["resume", "input.txt.lop"]).expect_code(2);
    assert!(ran.stderr.contains("input.txt.lop was not written by your lop"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--max-tests 6 ./test.sh input.txt"), "{}", ran.stderr);
    // Neither runs a test.
    as_another(&folder, &["history", "input.txt.lop"]).expect_code(0);
    as_another(&folder, &["replay", "input.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("ran"), before);
    as_another(&folder, &["resume", "--yes", "input.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("input.txt"), b"keep");
}
