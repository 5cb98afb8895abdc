//! `lop corpus`: few and small files that do what all do, and what it refuses.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Folder, each};

/// Says which of twenty letters a file has, and which of them stand twice, and counts its runs.
const TOOL: &str = r#"echo >>"$COUNT"
for letter in a b c d e f g h i j k l m n o p q r s t; do
  case $(cat "$1") in *$letter*$letter*) echo "$letter twice";; esac
  case $(cat "$1") in *$letter*) echo "$letter";; esac
done"#;

fn with_files(files: usize) -> Folder {
    let folder = Folder::new();
    folder.script("tool.sh", TOOL);
    fs::create_dir_all(folder.path("in/more")).expect("a folder");
    for number in 0..files {
        let letter = |at: usize| char::from(b'a' + u8::try_from((number * 31 + at * at * 17) % 20).expect("a letter"));
        let text: String = (0..1 + number * 13 % 9).flat_map(|at| [letter(at), '-']).collect();
        let folder_of = if number % 3 == 0 { "more/" } else { "" };
        folder.write(&format!("in/{folder_of}{number:04}"), text);
    }
    folder
}

fn run(folder: &Folder, words: &[&str]) -> Vec<Value> {
    let mut command = folder.command(&[&["corpus", "in", "--json", "-"], words, &["--", "./tool.sh", "@@"]].concat());
    let ran = crate::support::finish(command.env("COUNT", folder.path("count")).spawn().expect("lop can be started"));
    let ran = ran.expect_code(0);
    let lines = String::from_utf8(ran.stdout).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn all_in(folder: &Folder, name: &str) -> Vec<String> {
    let (mut all, mut left) = (Vec::new(), vec![folder.path(name)]);
    while let Some(inner) = left.pop() {
        for entry in fs::read_dir(&inner).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { left.push(path) } else { all.push(fs::read_to_string(path).expect("text")) }
        }
    }
    all
}

/// The words of the tool for all files in a folder.
fn behaviours(folder: &Folder, name: &str) -> BTreeSet<String> {
    let of = |text: &String| {
        let letters: BTreeSet<char> = text.chars().filter(|letter| letter.is_ascii_lowercase()).collect();
        let twice = letters.iter().filter(|letter| text.matches(**letter).count() > 1);
        twice.map(|letter| format!("{letter} twice")).chain(letters.iter().map(char::to_string)).collect::<Vec<_>>()
    };
    each(&all_in(folder, name), of).into_iter().flatten().collect()
}

#[test]
fn corpus_keeps_all_behaviours_in_few_runs() {
    let folder = with_files(200);
    let found = run(&folder, &["-o", "out", "-j2"]);
    assert_eq!(behaviours(&folder, "out"), behaviours(&folder, "in"));
    let runs = folder.read("count").len();
    assert!(runs <= 240 && found[0]["runs"] == runs, "{runs} runs");
    let chosen = all_in(&folder, "out");
    assert_eq!((found[0]["files"].as_u64(), found[0]["files_before"].as_u64()), (Some(chosen.len() as u64), Some(200)));
    assert!(chosen.len() < 20, "{chosen:?}");
}

#[test]
fn corpus_makes_each_file_small_for_what_it_is_there_for() {
    let folder = with_files(60);
    let found = run(&folder, &["-o", "out", "--reduce", "-j1"]);
    assert_eq!(behaviours(&folder, "out"), behaviours(&folder, "in"));
    let made: Vec<&Value> = found.iter().filter(|line| line["event"] == "reduced").collect();
    let sum = |field: &str| made.iter().filter_map(|made| made[field].as_u64()).sum::<u64>();
    assert!(sum("bytes") * 3 < sum("bytes_before") * 2 && sum("tests") >= sum("simplified_tests"), "{made:?}");
    assert_eq!(sum("bytes"), all_in(&folder, "out").iter().map(|text| text.len() as u64).sum::<u64>());
    assert!(folder.temporaries().is_empty());
}

#[test]
fn corpus_names_what_does_not_do_the_same_twice() {
    let folder = with_files(3);
    folder.script("odd.sh", "echo $$; echo always");
    let ran = folder.lop(&["corpus", "in", "-o", "out", "--", "./odd.sh", "@@"]).expect_code(4);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("two runs behaved differently"), "{ran:?}");
}

#[test]
fn corpus_refuses_what_it_cannot_do() {
    let folder = with_files(3);
    fs::create_dir(folder.path("used")).expect("a folder");
    folder.write("used/file", "mine");
    for (words, code, message) in [
        (&["in", "-o", "used", "--", "./tool.sh", "@@"][..], 2, "used is not empty"),
        (&["nowhere", "-o", "out", "--", "./tool.sh", "@@"], 2, "nowhere is not a directory"),
        (&["in", "-o", "out"], 2, "no command given"),
        (&["in", "-o", "out", "--", "true"], 1, "the command prints nothing to standard output"),
    ] {
        let ran = folder.lop(&[&["corpus"][..], words].concat()).expect_code(code);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    assert_eq!(folder.read("used/file"), b"mine");
}

#[test]
fn corpus_says_how_small_the_files_are_all_in_all() {
    let folder = with_files(60);
    let mut command = folder.command(&["corpus", "in", "-o", "out", "--reduce", "-j1", "--", "./tool.sh", "@@"]);
    let ran = crate::support::finish(command.env("COUNT", folder.path("count")).spawn().expect("lop can be started"));
    let said = String::from_utf8(ran.expect_code(0).stdout).expect("text");
    let row = |name: &str| -> Vec<usize> {
        let line = said.lines().find(|line| line.trim_start().starts_with(name)).expect("a row");
        line.split_whitespace().skip(1).map(|cell| cell.replace(',', "").parse().expect("a number")).collect()
    };
    let (all, median, average, worst) = (row("all"), row("median"), row("average"), row("worst"));
    let files = all_in(&folder, "out").len();
    for column in 0..5 {
        assert!(median[column] <= worst[column] && average[column] <= worst[column], "{said}");
        assert!(all[column] >= worst[column] && average[column] <= all[column] / files.max(1) + 1, "{said}");
    }
}
