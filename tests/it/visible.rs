//! Texts of strangers reach a terminal or a log as text only: names of files, test cases, outputs of tests, values of
//! options. One table of commands is fed with the same nasty things, and every line of what lop says is looked at.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use lop_report::visible::is_hidden;

use crate::support::Folder;

/// A style that lop has itself, another one, a title, a bell, C1, the other direction, something without width, a line
/// feed with a command of a workflow behind it, the other form of one, and a byte that is no UTF-8.
const NASTY: &[u8] =
    b"\x1b[31mRED\x1b[8m\x1b]0;t\x07\xc2\x9b1m\xe2\x80\xae\xd8\x9c\xe2\x80\x8b\n::error::planted\n##[error]x\xff";

/// The styles of lop and of clap.
const STYLES: [&str; 8] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"];

fn os(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}

fn nasty(before: &str, after: &str) -> OsString {
    os(&[before.as_bytes(), NASTY, after.as_bytes()].concat())
}

/// Says what is wrong with a stream. Annotations are commands of a workflow, as they were asked for.
fn wrong(said: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    let Ok(text) = std::str::from_utf8(said) else { return vec!["not UTF-8".to_owned()] };
    if text.contains("\x1b[31mRED") {
        wrong.push("a style that is not lop's".to_owned());
    }
    let plain = STYLES.iter().fold(text.to_owned(), |text, style| text.replace(style, ""));
    let hidden = plain.chars().filter(|letter| is_hidden(*letter) && !['\n', '\t'].contains(letter));
    wrong.extend(hidden.map(|letter| format!("{letter:?}")));
    for line in plain.lines().map(str::trim_start) {
        // Without a second pair of colons a line is no command: the runner looks for it.
        let is_command = line.strip_prefix("::").is_some_and(|rest| rest.contains("::"));
        if is_command || line.contains("##[") {
            wrong.push(line.to_owned());
        }
    }
    wrong
}

/// The folder of every row: a test case with a nasty name and nasty content, and tests with nasty names that write nasty
/// things.
struct Scene {
    folder: Folder,
    file: OsString,
    yes: OsString,
    no: OsString,
}

impl Scene {
    fn new() -> Scene {
        let folder = Folder::new();
        let file = nasty("f", ".txt");
        let lines: Vec<u8> = (0..6).flat_map(|_| [NASTY, b"\r\n::error::in the middle\n \n"].concat()).collect();
        write(&folder, &file, &[&lines[..], b"needle\n::warning::last\n", NASTY].concat());
        let body = |ending: &str| {
            let mut body = b"#!/bin/sh\ncat <<'END'\n".to_vec();
            body.extend([NASTY, b"\n::error::said\nEND\ncat >&2 <<'END'\nerror: ", NASTY, b"\nEND\n"].concat());
            body.extend(ending.as_bytes());
            body
        };
        let (yes, no) = (nasty("yes", ".sh"), nasty("no", ".sh"));
        for (name, ending) in [(&yes, "grep -qa 'needle' \"$1\"\n"), (&no, "exit 1\n")] {
            write(&folder, name, &body(ending));
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(folder.path(".").join(name), mode).expect("our own file");
        }
        let [yes, no] = [yes, no].map(|name| os(&[b"./", name.as_bytes()].concat()));
        Scene { folder, file, yes, no }
    }

    /// Runs lop as if on a terminal with colours, and says what is wrong with what it said.
    fn look(&self, words: &[&OsStr]) -> Vec<String> {
        let words: Vec<&OsStr> = ["--color=always".as_ref()].into_iter().chain(words.iter().copied()).collect();
        let words = if words.get(1).is_some_and(|word| word.to_str().is_some_and(|word| !word.starts_with(['-', '.'])))
            && !words.contains(&OsStr::new("-o"))
        {
            // A subcommand comes first.
            [&words[1..2], &words[..1], &words[2..]].concat()
        } else {
            words
        };
        let out = self.folder.command(&words).output().expect("lop can be started");
        let mut faults = wrong(&out.stdout);
        faults.extend(wrong(&out.stderr));
        if out.stdout.is_empty() && out.stderr.is_empty() {
            faults.push("it said nothing".to_owned());
        }
        faults.iter().map(|fault| format!("{words:?}: {fault}")).collect()
    }
}

fn write(folder: &Folder, name: &OsStr, content: &[u8]) {
    fs::write(folder.path(".").join(name), content).expect("our own folder");
}

#[test]
fn nothing_that_strangers_wrote_does_anything() {
    let scene = Scene::new();
    let Scene { folder, file, yes, no } = &scene;
    let mut faults = Vec::new();
    let result = nasty("out", ".txt");
    let other = |name: &str| nasty(name, "");
    let (regex, bad_regex) = (nasty("(", ")?"), nasty("(", ""));
    write(folder, "lop.toml".as_ref(), b"keep = [\"\\u001b[31mRED\\u202e\\n::error::x\"]\n");
    let plain = ["-j1", "--max-tests", "25", "--no-config"].map(OsStr::new);
    let reduce: [(&[&str], &OsStr); 9] = [
        (&[], yes),
        (&["--diff"], yes),
        (&["--explain", "--diff", "--format-issue"], yes),
        (&["-v"], yes),
        (&["-vv"], yes),
        (&["--ui", "plain"], yes),
        (&[], no),
        (&["--no-checkup"], no),
        (&["--json", "events"], yes),
    ];
    for (more, test) in reduce {
        let more: Vec<&OsStr> = more.iter().map(OsStr::new).collect();
        let words = [&plain[..], &more, &["-o".as_ref(), &result, test, file]].concat();
        faults.extend(scene.look(&words));
    }
    let folder_of = |name: &OsStr| os(&[name.as_bytes(), b".lop"].concat());
    let state = folder_of(&result);
    let (missing, options) =
        (other("missing"), [other("--bogus"), other("--jobs="), other("--grammar="), other("--only=")]);
    let rules = other("--rules=");
    let o = |word: &'static str| OsStr::new(word);
    let mut rows: Vec<Vec<&OsStr>> = vec![
        vec![o("doctor"), yes, file],
        vec![o("doctor"), no, file],
        vec![o("doctor"), file, o("--"), yes, o("@@")],
        vec![o("config"), yes, file],
        vec![o("config"), o("-o"), &result, o("--stderr"), &regex],
        vec![o("grammars"), file],
        vec![o("grammars"), file, o("--grammar"), o("json")],
        vec![o("grammars"), file, o("--grammar"), o("json"), o("-v")],
        vec![o("grammars"), &missing],
        vec![o("verify"), &result],
        vec![o("verify"), &missing],
        vec![o("resume"), &state],
        vec![o("resume"), &missing],
        vec![o("replay"), &state],
        vec![o("replay"), &missing],
        vec![o("history"), &state],
        vec![&missing],
        vec![o("help"), &missing],
        vec![yes, &missing],
        vec![&missing, file],
        vec![file, o("--"), &missing],
        vec![file, file, o("--"), yes],
        vec![yes, file, file],
        vec![yes, file, o("--stderr"), &bad_regex],
        vec![yes, file, o("--stderr"), &regex, o("--max-tests"), o("1"), o("-o"), &result],
        vec![yes, file, o("--signal"), &missing],
        vec![yes, file, &rules],
        vec![yes, file, o("--report"), o("no/such/place")],
        vec![yes, file, o("-o"), o("no/such/place")],
        vec![file, o("--crash"), o("--"), yes, o("@@")],
        vec![file, o("-j1"), o("--max-tests"), o("9"), o("-o"), &result, o("--"), no, o("@@")],
    ];
    rows.extend(options.iter().map(|option| vec![yes.as_os_str(), file, option]));
    for words in &rows {
        faults.extend(scene.look(words));
    }
    // The original is in its place, and may not be overwritten.
    write(folder, &os(&[file.as_bytes(), b".orig"].concat()), b"x");
    faults.extend(scene.look(&[yes, file]));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_difference_with_nothing_hidden_in_it_is_a_patch() {
    let folder = Folder::new();
    folder.write("a.txt", "one\n\ttwo ::three::\n::f();\n## four [x]\nneedle\nzwölf \u{1f600}\n");
    folder.script("test.sh", "grep -q needle a.txt && grep -q zw a.txt");
    let ran = folder.lop(&["-qj1", "-o", "out.txt", "./test.sh", "a.txt", "--diff"]).expect_code(0);
    // Applied by hand: what is not removed or is added, in its order.
    let text = String::from_utf8(ran.stdout).expect("text");
    let lines = text.lines().skip(2).filter(|line| !line.starts_with("@@"));
    let after: Vec<&str> = lines.filter(|line| line.starts_with([' ', '+'])).map(|line| &line[1..]).collect();
    let result = String::from_utf8(folder.read("out.txt")).expect("text");
    assert_eq!(after, result.lines().collect::<Vec<_>>(), "{text}");
    for line in ["-\ttwo ::three::", "-::f();", "-## four [x]"] {
        assert!(text.contains(line), "{line} in {text}");
    }
}
