//! `lop isolate`: of files, directories and patches, with the command or a script, and what it refuses.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, finish, until};

const PASSING: &str = "int a = 1;\nint f(int x) { g(1); h(x, 2); return x + 3; }\nint b = 4;\n";
const FAILING: &str = "int a = 10;\nint f(int x) { g(10); h(x, 20); i(); return x + 30; }\nint b = 40;\nint d;\n";

/// Refuses 20, with a message that has its place in it.
const TOOL: &str = r#"grep -n 20 "$1" | sed 's/^\([0-9]*\):.*/a.c:\1: error: number too large/' >&2
! grep -q 20 "$1""#;

fn with_tool() -> Folder {
    let folder = Folder::new();
    folder.script("tool.sh", TOOL);
    folder.write("pass.c", PASSING);
    folder.write("a.c", FAILING);
    folder
}

fn said(folder: &Folder, words: &[&str]) -> String {
    String::from_utf8(folder.lop(words).expect_code(0).stdout).expect("text")
}

#[test]
fn isolate_shows_the_difference_of_two_files_and_leaves_both() {
    let folder = with_tool();
    let shown = said(&folder, &["isolate", "pass.c", "a.c", "--", "./tool.sh", "@@"]);
    let [pass, fail] = ["a.c.isolated/pass.c", "a.c.isolated/fail.c"].map(|name| folder.read(name));
    let [pass, fail] = [pass, fail].map(|text| String::from_utf8(text).expect("text"));
    assert_eq!(pass.replace("h(x, 2)", "h(x, 20)"), fail, "one token");
    assert!(shown.contains("error: number too large") && shown.contains("a.c.isolated/fail.c:2:"), "{shown}");
    let changed: Vec<&str> = shown.lines().filter(|line| line.starts_with(['+', '-'])).skip(2).collect();
    assert_eq!(changed.len(), 2, "{shown}");
    assert_eq!((folder.read("pass.c"), folder.read("a.c")), (PASSING.into(), FAILING.into()));
    assert!(folder.temporaries().is_empty());
}

#[test]
fn isolate_asks_a_script_and_writes_json() {
    let folder = with_tool();
    folder.script("test.sh", "case $(cat \"$1\") in *'20'*) exit 0;; *'g(10)'*) exit 125;; esac; exit 1");
    let line = said(&folder, &["isolate", "--json", "-", "-o", "two", "./test.sh", "pass.c", "a.c"]);
    let found: Value = serde_json::from_str(line.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&found["complete"], &found["pass"], &found["fail"]),
        (&true.into(), &"two/pass.c".into(), &"two/fail.c".into())
    );
    assert_eq!(found["differences"].as_array().map(Vec::len), Some(1));
    let difference = &found["differences"][0];
    assert_eq!((&difference["pass"]["text"], &difference["fail"]["text"]), (&" 2".into(), &" 20".into()));
    assert_eq!(difference["fail"]["line"], 2);
    assert!(!folder.read("two/fail.c").windows(5).any(|part| part == b"g(10)"), "that was unresolved");
}

#[test]
fn isolate_finds_the_hunk_of_a_patch_from_either_side() {
    let folder = Folder::new();
    for (name, one, two) in [("old", "1", "2"), ("new", "10", "20")] {
        fs::create_dir_all(folder.path(&format!("{name}/lib"))).expect("a folder");
        let lines: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let text = lines.replace("line 5\n", &format!("five {one}\n")).replace("line 30\n", &format!("thirty {two}\n"));
        folder.write(&format!("{name}/lib/a.txt"), text);
    }
    folder.write("new/added.txt", "added\n");
    let diff = Command::new("diff").args(["-ruN", "old", "new"]).current_dir(folder.path(".")).output();
    folder.write("fix.diff", diff.expect("diff is there").stdout);
    let command = ["--", "sh", "-c", "! grep -q 'thirty 20' @@/lib/a.txt"];
    for (side, output) in [("old", "one"), ("new", "two")] {
        let shown = said(&folder, &[&["isolate", "--patch", "fix.diff", side, "-o", output][..], &command].concat());
        assert!(shown.contains("-thirty 2\n+thirty 20\n") && !shown.contains("five"), "{shown}");
    }
    let shown = said(&folder, &[&["isolate", "old", "new"][..], &command].concat());
    assert!(shown.contains("-thirty 2\n+thirty 20\n"), "{shown}");
}

#[test]
fn isolate_refuses_what_is_no_difference() {
    let folder = with_tool();
    folder.write("fix.diff", "no patch at all\n");
    let tool = ["--", "./tool.sh", "@@"];
    for (words, code, message) in [
        (&["a.c", "pass.c"][..], 1, "the command succeeds on pass.c, and ends with exit code 1 on a.c"),
        (&["pass.c", "pass.c"], 1, "pass.c and pass.c are identical"),
        (&["pass.c"], 2, "expected PASS, FAIL and a test"),
        (&["pass.c", "no.c"], 2, "cannot read no.c"),
        (&["pass.c", "."], 2, "only one of pass.c and . is a directory"),
        (&["--patch", "fix.diff", "a.c"], 2, "the patch fix.diff cannot be parsed as a patch"),
        (&["--stderr", "x(", "pass.c", "a.c"], 2, "--stderr"),
        (&["--stderr", "nothing", "pass.c", "a.c"], 1, "neither pass.c nor a.c fails"),
    ] {
        let ran = folder.lop(&[&["isolate"][..], words, &tool].concat()).expect_code(code);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    assert!(!folder.path("a.c.isolated").exists());
    let alike = folder.lop(&["isolate", "pass.c", "a.c", "--", "false"]).expect_code(1);
    assert!(
        alike.stderr.contains("the command fails on pass.c (exit code 1) and a.c (exit code 1) in the same way"),
        "{}",
        alike.stderr
    );
}

#[test]
fn isolate_refuses_what_need_not_end() {
    let folder = with_tool();
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().expect("mkfifo is everywhere").success());
    for words in [
        &["isolate", "./tool.sh", "pipe", "a.c"][..],
        &["isolate", "./tool.sh", "pass.c", "pipe"],
        &["isolate", "--patch", "pipe", "./tool.sh", "a.c"],
        &["isolate", "./tool.sh", "/dev/zero", "a.c"],
        &["./tool.sh", "pipe", "-o", "out"],
        &["./tool.sh", "/dev/zero", "-o", "out"],
        &["doctor", "./tool.sh", "pipe"],
        &["verify", "./tool.sh", "pipe"],
    ] {
        // Less memory than the machine has, for one that does not refuse them.
        let line = format!("ulimit -v 8000000; exec timeout 20 \"$0\" {}", words.join(" "));
        let lop = env!("CARGO_BIN_EXE_lop");
        let ran = Command::new("sh")
            .current_dir(folder.path("."))
            .env("HOME", folder.path("."))
            .args(["-c", &line])
            .arg(lop)
            .output();
        let ran = ran.expect("sh is there");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.code() == Some(2) && said.contains(" is a pipe or a device"), "{words:?}: {said}");
    }
}

#[test]
fn isolate_stopped_early_leaves_two_texts_that_do_what_they_should() {
    let folder = Folder::new();
    let lines = |many: usize| (0..many).map(|line| format!("{line}\n")).collect::<String>();
    folder.write("pass", "");
    folder.write("fail", lines(4000));
    // One answer after the other: the search has far to go.
    let script =
        "test -e \"$DONE\" && sleep 600; grep -qx 1000 \"$1\" || { grep -qx 999 \"$1\" && touch \"$DONE\"; exit 1; }";
    folder.script("test.sh", script);
    let mut command = folder.command(&["isolate", "./test.sh", "pass", "fail"]);
    let child = command.env("DONE", folder.path("done")).spawn().expect("lop can be started");
    until("an answer that stops the search", || folder.path("done").exists().then_some(()));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
    let ran = finish(child).expect_code(3);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("stopped"), "{ran:?}");
    let [pass, fail] = ["fail.isolated/pass", "fail.isolated/fail"].map(|name| folder.read(name));
    let has = |text: &[u8]| String::from_utf8_lossy(text).lines().any(|line| line == "1000");
    assert!(!has(&pass) && has(&fail) && fail.len() < lines(4000).len());
}
