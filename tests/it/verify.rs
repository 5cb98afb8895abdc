//! `lop verify`: nothing can go from a result by itself, or what can.

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
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(said.starts_with("small.txt is interesting and 1-minimal by char: "), "{said}");
    let mut elsewhere = folder.command(&["verify".as_ref(), folder.path("small.txt").as_os_str()]);
    let ran = finish(elsewhere.current_dir("/").spawn().expect("lop can be started")).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("is interesting and 1-minimal by char: "));
    assert_eq!((folder.read("small.txt").as_slice(), folder.temporaries().len()), (&b"keep"[..], 0));
}

#[test]
fn the_test_that_is_given_is_asked_and_not_the_journals() {
    let folder = reduced();
    let names = folder.names();
    folder.lop(&["verify", "small.txt", "--", "grep", "-q", "keep"]).expect_code(0);
    folder.lop(&["verify", "./test.sh", "small.txt"]).expect_code(0);
    let ran = folder.lop(&["verify", "small.txt", "--", "grep", "-q", "ee"]).expect_code(1);
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(
        said.starts_with("small.txt is not minimal: a smaller text is interesting, too\n--- small.txt\n"),
        "{said}"
    );
    assert!(said.contains("\n-keep\n") && said.contains("\n+ee\n"), "{said}");
    assert_eq!((folder.names(), folder.read("small.txt").as_slice()), (names, &b"keep"[..]), "it writes nothing");
}

#[test]
fn a_deletion_that_does_not_hold_any_more_is_shown_and_kept() {
    let folder = reduced();
    folder.script("test.sh", "grep -q eep \"$1\"");
    let ran = folder.lop(&["verify", "small.txt", "-o", "smaller.txt"]).expect_code(1);
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(said.contains("\n-keep\n") && said.contains("\n+eep\n"), "{said}");
    assert_eq!(
        (folder.read("smaller.txt").as_slice(), folder.read("small.txt").as_slice()),
        (&b"eep"[..], &b"keep"[..])
    );
    folder.script("test.sh", "false");
    let ran = folder.lop(&["verify", "small.txt"]).expect_code(1);
    assert!(ran.stderr.contains("the test rejects small.txt itself"), "{}", ran.stderr);
}

#[test]
fn a_result_without_a_test_is_refused_with_the_reason() {
    let folder = reduced();
    let refused = |why: &str| {
        let ran = folder.lop(&["verify", "small.txt"]).expect_code(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    };
    let ran = folder.lop(&["verify"]).expect_code(2);
    assert!(ran.stderr.contains("hint: lop verify RESULT, lop verify TEST RESULT, or"), "{}", ran.stderr);
    let ran = folder.lop(&["verify", "gone.txt"]).expect_code(2);
    assert!(ran.stderr.contains("cannot read gone.txt"), "{}", ran.stderr);
    fs::remove_file(folder.path("test.sh")).expect("it is there");
    refused("test.sh");
    fs::remove_dir_all(folder.path("small.txt.lop")).expect("it is there");
    refused("no test found for small.txt");
    refused("hint: name the test: lop verify TEST RESULT, or lop verify RESULT -- CMD");
}

#[test]
fn a_reduction_that_was_stopped_is_not_minimal() {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.lop(&["-q", "--max-tests", "6", "input.txt", "--", "grep", "-q", "keep"]).expect_code(3);
    folder.lop(&["verify", "input.txt"]).expect_code(1);
}

#[test]
fn names_and_layout_that_came_last_hold_as_well() {
    let folder = Folder::new();
    folder.write("input.c", "int first(int value) { return value; }\n\nint second(int other) { return other + 7; }\n");
    folder.lop(&["-q", "input.c", "--", "grep", "-q", "second"]).expect_code(0);
    let ran = folder.lop(&["verify", "input.c", "-j1"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("plain");
    assert!(said.contains("input.c is interesting and 1-minimal by token: "), "{said}");
}

/// Runs lop as another user would, who has another key.
fn as_another(folder: &Folder, arguments: &[&str]) -> Ran {
    finish(folder.command(arguments).env("HOME", folder.path("../another")).spawn().expect("lop can be started"))
}

#[test]
fn the_command_of_a_strangers_journal_is_never_run() {
    let folder = reduced();
    folder.script("test.sh", "touch \"$(dirname \"$0\")/ran\"; grep -q keep \"$1\"");
    let ran = as_another(&folder, &["verify", "small.txt"]).expect_code(2);
    assert!(ran.stderr.contains("small.txt.lop was not written by your lop"), "{}", ran.stderr);
    as_another(&folder, &["verify", "--yes", "small.txt"]).expect_code(2);
    assert!(!folder.path("ran").exists());
    as_another(&folder, &["verify", "./test.sh", "small.txt"]).expect_code(0);
    assert!(folder.path("ran").exists());
    folder.lop(&["verify", "small.txt"]).expect_code(0);
}

#[test]
fn an_interrupted_run_of_a_stranger_is_shown_and_not_gone_on_with() {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.script("te\u{202e}st.sh", "echo >> \"$(dirname \"$0\")/ran\"; grep -q keep \"$1\"");
    folder.lop(&["-q", "--max-tests", "6", "./te\u{202e}st.sh", "input.txt"]).expect_code(3);
    let before = folder.read("ran");
    let ran = as_another(&folder, &["resume", "input.txt.lop"]).expect_code(2);
    assert!(ran.stderr.contains("input.txt.lop was not written by your lop"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--max-tests 6") && ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{202e}'), "{ran:?}");
    // Another question was answered there.
    fs::create_dir_all(folder.path("../another/.config/lop")).expect("a new folder");
    fs::write(folder.path("../another/.config/lop/lop.toml"), "yes = true\n").expect("our own file");
    as_another(&folder, &["resume", "input.txt.lop"]).expect_code(2);
    // Neither runs a test.
    as_another(&folder, &["history", "input.txt.lop"]).expect_code(0);
    as_another(&folder, &["replay", "input.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("ran"), before);
    as_another(&folder, &["resume", "--yes", "input.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("input.txt"), b"keep");
}
