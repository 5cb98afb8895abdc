//! `lop triage`: groups and their folders, what is in none, kills, and what changes between two runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Folder, many, wait};

/// Bugs by a word of the input, each with a line that varies with it.
const BUGS: [(&str, &str); 12] = [
    ("goto", "echo \"tool: gen.c:12: emit: Assertion \\`label != 0' failed.\" >&2; kill -ABRT $$"),
    ("yield", "echo \"tool: gen.c:70: resume: Assertion \\`state != 0' failed.\" >&2; kill -ABRT $$"),
    ("super", "kill -SEGV $$"),
    (
        "shebang",
        "printf \"thread 'main' panicked at src/lex.rs:10:5:\\nindex out of bounds: the len is $n but the index is $n\\n\" >&2; exit 101",
    ),
    ("bigint", "printf \"thread 'main' panicked at src/num.rs:99:5:\\nattempt to add with overflow\\n\" >&2; exit 101"),
    ("meta", "echo \"fatal error: unhandled meta property at line $n\" >&2; exit 3"),
    ("coalesce", "echo \"internal error: unknown operator '??='\" >&2; exit 4"),
    ("comment", "kill -FPE $$"),
    (
        "label",
        "printf \"==$$==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020000${n}00 at pc 0x55d5c000${n}\\nSUMMARY: AddressSanitizer: heap-buffer-overflow lex.c:5 in scan_label\\n\" >&2; exit 1",
    ),
    (
        "home",
        "printf \"TypeError: Cannot read properties of undefined (reading 'home')\\n    at visit (tool.js:$n:3)\\n\" >&2; exit 1",
    ),
    ("async", "exit 42"),
    ("enum", "kill -ILL $$"),
];

/// A tool with the bugs, and files in which words of theirs stand among others.
fn with_crashes(files: usize) -> Folder {
    let folder = Folder::new();
    let cases: String = BUGS.iter().map(|(word, does)| format!("*{word}*) {does};;\n")).collect();
    folder.script("tool.sh", &format!("text=$(cat \"$1\"); n=${{#text}}\ncase $text in\n{cases}esac"));
    fs::create_dir(folder.path("crashes")).expect("a folder");
    for number in 0..files {
        let mut words: Vec<String> = (0..5 + number * 7 % 23).map(|at| format!("word{}", number * at % 31)).collect();
        if let Some((word, _)) = BUGS.get(number % 13) {
            words.insert(number % words.len(), (*word).to_owned());
        }
        folder.write(&format!("crashes/id-{number:04}.txt"), words.join("\n"));
    }
    folder
}

const LINE: [&str; 6] = ["triage", "crashes", "-j2", "--", "./tool.sh", "@@"];

/// The folders of the groups, by the text in a file of each.
fn groups(folder: &Folder, file: &str) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder.path("crashes.triage")).expect("it is there");
    let folders = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let text = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path.join(file)).expect("it is there")).into_owned();
    folders.map(|path| (text(&path), path)).collect()
}

fn check(folder: &Folder) {
    let found = groups(folder, "reduced");
    let reduced: Vec<&str> = found.keys().map(|text| text.trim()).collect();
    let mut words: Vec<&str> = BUGS.iter().map(|(word, _)| *word).collect();
    words.sort_unstable();
    assert_eq!(reduced, words);
    for path in found.values() {
        for name in ["input", "signature", "stderr", "issue.md"] {
            assert!(path.join(name).is_file(), "{name} in {}", path.display());
        }
    }
}

#[test]
fn triage_makes_a_reproducer_of_each_bug() {
    let folder = with_crashes(39);
    folder.write("crashes/readme", "");
    let ran = folder.lop(&[&LINE[..3], &["--json", "groups.json"], &LINE[3..]].concat()).expect_code(0);
    check(&folder);
    assert!(folder.temporaries().is_empty());
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(shown.contains("passes  4: id-0012.txt, id-0025.txt, id-0038.txt, readme"), "{shown}");
    let lines = String::from_utf8(folder.read("groups.json")).expect("text");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let rows: Vec<&Value> = lines.iter().filter(|line| line["event"] == "group").collect();
    assert!(rows.len() == 12 && rows.iter().all(|row| row["files"] == 3), "{rows:?}");
    let page = String::from_utf8(folder.read("crashes.triage/index.html")).expect("text");
    assert!(page.contains("<pre>goto") && page.contains("Assertion"), "{page}");
    // The signature is what a reduction takes, and the result is the same.
    let group = groups(&folder, "reduced").remove("goto").or_else(|| groups(&folder, "reduced").remove("goto\n"));
    let signature = fs::read_to_string(group.expect("the group").join("signature")).expect("it is there");
    folder.script(
        "again.sh",
        &format!("lop=$1; \"$lop\" crashes/id-0000.txt -qo again {} -- ./tool.sh @@", signature.trim()),
    );
    let again = std::process::Command::new(folder.path("again.sh"))
        .arg(env!("CARGO_BIN_EXE_lop"))
        .current_dir(folder.path("."))
        .status();
    assert!(again.expect("a script").success());
    assert_eq!(String::from_utf8_lossy(&folder.read("again")).trim(), "goto");
}

#[test]
fn triage_goes_on_after_kills() {
    let folder = with_crashes(39);
    for kill in 0..many(6) {
        let mut child = folder.command(&LINE).spawn().expect("lop can be started");
        thread::sleep(Duration::from_millis(40 + kill * 97 % 500));
        child.kill().expect("our own child");
        wait(&mut child);
    }
    folder.lop(&LINE).expect_code(0);
    check(&folder);
}

#[test]
fn triage_takes_new_files_and_no_other_command() {
    let folder = with_crashes(13);
    let without_one: Vec<u8> = folder.read("crashes/id-0003.txt");
    fs::remove_file(folder.path("crashes/id-0003.txt")).expect("our own file");
    folder.lop(&LINE).expect_code(0);
    assert_eq!(groups(&folder, "reduced").len(), 11);
    let before = folder.read("crashes.triage/triage.jsonl");
    folder.write("crashes/id-0003.txt", without_one);
    folder.lop(&LINE).expect_code(0);
    check(&folder);
    let after = folder.read("crashes.triage/triage.jsonl");
    assert!(after.starts_with(&before), "nothing is asked again");
    let other = folder.lop(&["triage", "crashes", "--", "./tool.sh", "@@", "-x"]).expect_code(2);
    assert!(other.stderr.contains("holds the groups of another directory or command"), "{}", other.stderr);
    // A last line that was torn is asked again.
    folder.write("crashes.triage/triage.jsonl", &after[..after.len() - 30]);
    folder.lop(&LINE).expect_code(0);
    check(&folder);
}

#[test]
fn triage_lists_what_is_in_no_group() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in/more")).expect("a folder");
    folder.write("in/hang", "hang");
    folder.write("in/flaky", "flaky");
    folder.write("in/fine", "fine");
    folder.write("in/more/one", "x and one");
    folder.write("in/more/two", "x and both of two");
    // An x fails in one way alone, and in another beside the word.
    folder.script(
        "tool.sh",
        "case $(cat \"$1\") in hang) sleep 3600;; flaky) kill -KILL $$ 2>/dev/null;; esac\n\
         case $(cat \"$1\") in *x*) if grep -q both \"$1\"; then kill -SEGV $$; else kill -FPE $$; fi;; esac",
    );
    folder.script(
        "flaky.sh",
        "grep -q flaky \"$1\" && if mkdir \"$MARK\" 2>/dev/null; then exit 7; else exit 0; fi; exec ./tool.sh \"$1\"",
    );
    let mark = folder.path("mark");
    let mut command = folder.command(&[
        "triage",
        "in",
        "-o",
        "out",
        "--timeout",
        "10",
        "-j1",
        "--with",
        "tool.sh",
        "--",
        "./flaky.sh",
        "@@",
    ]);
    let ran = crate::support::finish(command.env("MARK", mark).spawn().expect("lop can be started")).expect_code(0);
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    for line in ["flaky  1: flaky: exit code 7, then exit code 0", "passes  1: fine", "times out  1: hang"] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert_eq!(
        (folder.read("out/1-signal-fpe/reduced"), folder.read("out/2-signal-segv/input").len()),
        (b"x".to_vec(), 17)
    );
}

#[test]
fn triage_merges_groups_with_the_same_result() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).expect("a folder");
    folder.write("in/one", "words and x");
    folder.write("in/two", "x and more words");
    // The name of the file decides how it fails.
    folder.script("tool.sh", "grep -q x \"$1\" || exit 0\ncase $1 in *one) kill -SEGV $$;; *) kill -FPE $$;; esac");
    for _ in 0..2 {
        let ran = folder.lop(&["triage", "in", "-o", "out", "--", "./tool.sh", "@@"]).expect_code(0);
        let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(shown.contains("merged  1-signal-segv: the same result shows"), "{shown}");
        for name in ["out/1-signal-segv/reduced", "out/1-signal-segv/also-2-signal-fpe/reduced"] {
            assert_eq!(folder.read(name), b"x");
        }
        assert!(!folder.path("out/2-signal-fpe").exists());
    }
}

#[test]
fn triage_reduces_a_group_whose_file_shows_another_signature_as_well() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).expect("a folder");
    folder.write("in/1", "words and both here");
    folder.write("in/2", "words and only here");
    folder.script(
        "tool.sh",
        "case $(cat \"$1\") in *both*|*only*) echo 'TypeError: bad table' >&2;; *) exit 0;; esac\n\
         case $(cat \"$1\") in *both*) echo \"tool: a.c:1: f: Assertion \\`x' failed.\" >&2; kill -ABRT $$;; esac; exit 3",
    );
    folder.lop(&["triage", "in", "--", "./tool.sh", "@@"]).expect_code(0);
    let found = fs::read_dir(folder.path("in.triage")).expect("it is there");
    let folders = found.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let mut reduced: Vec<_> = folders.map(|path| fs::read_to_string(path.join("reduced")).expect("text")).collect();
    reduced.sort();
    assert_eq!(reduced, ["both", "only"]);
}

#[test]
fn triage_refuses_what_it_cannot_do() {
    let folder = with_crashes(1);
    fs::create_dir(folder.path("empty")).expect("a folder");
    for (words, message) in [
        (&["triage", "empty", "--", "./tool.sh", "@@"][..], "empty has no files"),
        (&["triage", "nowhere", "--", "./tool.sh", "@@"], "nowhere is not a directory"),
        (&["triage", "crashes"], "no command given"),
        (&["triage", "crashes", "--", "no-such-tool", "@@"], "no-such-tool"),
    ] {
        let ran = folder.lop(words).expect_code(2);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    folder.script("needs.sh", "cat table.txt >/dev/null || exit 1");
    folder.write("table.txt", "words");
    let ran = folder.lop(&["triage", "crashes", "--", "./needs.sh", "@@"]).expect_code(2);
    assert!(ran.stderr.contains("--with table.txt"), "{}", ran.stderr);
}
