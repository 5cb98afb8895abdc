//! The first minute at the command line: what a slip of a word gets, which language is taken and why, standard input as
//! the test case, and how much is said at the end.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use regex::Regex;

use crate::support::{Folder, Ran, finish};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.c", "int first;\nint needle;\nint last;\n");
    folder.write("b.c", "int other;\n");
    folder.script("t.sh", "grep -q needle \"$1\"");
    folder
}

#[test]
fn a_slip_gets_what_may_have_been_meant() {
    let folder = folder();
    for (words, hint) in [
        ("docter ./t.sh a.c", "did you mean `lop doctor`?"),
        ("docter a.c -- grep needle @@", "did you mean `lop doctor`?"),
        ("verfy a.c", "did you mean `lop verify`?"),
        ("--only nopass ./t.sh a.c", "`lop passes` lists what each pass does"),
        ("grammer", "did you mean `lop grammars`?"),
        ("resum a.c.lop", "did you mean `lop resume`?"),
        ("help docter", "did you mean `lop doctor`?"),
        ("reduce ./t.sh a.c", "lop reduces when no command is named"),
        ("./t.sh a.c --grammar jsno", "did you mean `json`?"),
        ("grammars a.c --grammar jsno", "did you mean `json`?"),
        ("./t.sh a.c --skip hoistt", "a similar value exists: 'hoist'"),
        ("./t.sh a.c --only tokns", "a similar value exists: 'tokens'"),
        ("./t.sh a.c --schedul levels", "a similar argument exists: '--schedule'"),
    ] {
        let ran = folder.lop(&words.split(' ').collect::<Vec<_>>()).expect_code(2);
        assert!(ran.stderr.contains(hint), "lop {words}\n{}", ran.stderr);
    }
    // A name that exists is the one that is meant.
    folder.script("docter", "grep -q needle \"$1\"");
    folder.lop(&["-q", "-o", "out", "docter", "a.c"]).expect_code(0);
    let ran = folder.lop(&["./t.sh", "crash.c"]).expect_code(2);
    assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
    let help = folder.lop(&["help", "reduce"]).expect_code(0);
    assert!(help.stdout.starts_with(b"lop reduces a file"));
}

#[test]
fn files_and_directories_that_cannot_go_together_are_refused_by_name() {
    let folder = folder();
    for (words, why) in [
        (&["./t.sh", "a.c", "c.c"][..], "c.c does not exist or is not a file"),
        (&["./t.sh", "a.c", "."], "cannot combine the directory . with other files"),
        (&["doctor", "./t.sh", "a.c", "c.c"], "c.c does not exist or is not a file"),
    ] {
        let ran = folder.lop(words).expect_code(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
    for words in [&["./t.sh", "."][..], &[".", "--", "true"]] {
        let ran = folder.lop(words).expect_code(2);
        assert!(ran.stderr.starts_with("error: cannot replace .: it contains the current directory"), "{}", ran.stderr);
    }
    let ran = folder.lop(&["."]).expect_code(2);
    assert!(ran.stderr.starts_with("error: no test given for ."), "{}", ran.stderr);
    assert_eq!(folder.names(), ["a.c", "b.c", "t.sh"]);
}

#[test]
fn the_language_and_its_reason_are_said_first() {
    let folder = folder();
    let like_c = "int main(void)\n{\n    return needle(1);\n}\n";
    folder.write("like.odd", like_c);
    folder.write("like", like_c);
    folder.write("plain", "needle and some words");
    folder.write("tool.run", "#!/usr/bin/env node\nneedle();\n");
    folder.write("data", "{\"needle\": [1, 2]}");
    for (file, more, line) in [
        ("a.c", &[][..], "language  c, by extension"),
        ("like.odd", &[], "language  text: no grammar for .odd is built in; see lop grammars"),
        ("like.odd", &["--grammar", "c"], "language  c, as asked for"),
        ("like", &[], "language  c, by content: it has no extension"),
        ("tool.run", &[], "language  javascript, by its first line"),
        ("data", &[], "language  json, by content: it has no extension"),
        ("a.c", &["--grammar", "text"], "language  text, as asked for"),
        (
            "plain",
            &[],
            "language  text: it has no extension, and its content fits no grammar that is built in; see lop grammars",
        ),
    ] {
        let words = [&["-j1", "--max-tests", "3", "--json", "events", "-o", "out", "./t.sh", file], more].concat();
        let ran = folder.lop(&words);
        assert_eq!(ran.stderr.lines().next(), Some(line), "{}", ran.stderr);
        let events = String::from_utf8(folder.read("events")).expect("JSON");
        let started: serde_json::Value = serde_json::from_str(
            events.lines().find(|line| line.contains("\"event\":\"started\"")).expect("it has begun"),
        )
        .expect("JSON");
        let reason = started["grammar_reason"].as_str().expect("a text");
        assert!(line.contains(reason), "{line} {started}");
        assert_eq!(started["grammar"].is_null(), line.contains("  text"), "{started}");
        let shown = folder.lop(&[&["grammars", file], more].concat());
        let shown = if shown.code == Some(0) { String::from_utf8(shown.stdout).expect("text") } else { shown.stderr };
        assert!(shown.contains(line.trim_start_matches("language  ")), "{shown}");
    }
    let doctor = folder.lop(&["doctor", "./t.sh", "like.odd"]).expect_code(0);
    assert!(doctor.stdout.starts_with(b"language  text: no grammar for .odd is built in"));
    let quiet = folder.lop(&["-q", "-o", "out", "./t.sh", "a.c"]).expect_code(0);
    assert_eq!(quiet.stderr, "");
}

fn piped(folder: &Folder, words: &[&str], input: &[u8]) -> Ran {
    let mut child = folder.command(words).stdin(Stdio::piped()).spawn().expect("lop can be started");
    let mut pipe = child.stdin.take().expect("it was asked for");
    // lop may refuse before it reads.
    let _ = pipe.write_all(input);
    drop(pipe);
    finish(child)
}

#[test]
fn a_dash_is_standard_input_and_the_result_goes_to_standard_output() {
    let folder = folder();
    let before = folder.names();
    let input = folder.read("a.c");
    let name = ["sh", "-c", "grep -q needle \"$1\" || exit 1; echo \"called $1\" >&2", "x", "@@"];
    for (words, called) in [
        (&["-j1", "-", "--stderr", "/stdin.c$", "--grammar", "c", "--"][..], "as asked for"),
        (&["-j1", "-", "--stderr", "/stdin.c$", "--"], "c, by content"),
        (&["-j1", "-", "--stderr", "/stdin$", "--grammar", "text", "--"], "text, as asked for"),
    ] {
        let ran = piped(&folder, &[words, &name[..]].concat(), &input).expect_code(0);
        assert!(ran.stdout.starts_with(b"needle") || ran.stdout.starts_with(b"int needle"), "{:?}", ran.stdout);
        assert!(ran.stderr.contains(called) && ran.stderr.contains("result    standard output"), "{}", ran.stderr);
    }
    let ran = piped(&folder, &["-qj1", "./t.sh", "-"], &input).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("needle"));
    assert_eq!(folder.names(), before, "nothing is left beside standard input");
    piped(&folder, &["-qj1", "./t.sh", "-", "-o", "out.c"], &input).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("out.c")).contains("needle"));
    assert_eq!(folder.names(), ["a.c", "b.c", "out.c", "out.c.lop", "t.sh"]);
    let ran = piped(&folder, &["./t.sh", "-"], b"").expect_code(2);
    assert!(ran.stderr.starts_with("error: standard input is empty"), "{}", ran.stderr);
    let ran = piped(&folder, &["doctor", "./t.sh", "-"], &input).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("stdin.c"), "{:?}", ran.stdout);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_run_from_standard_input_can_be_gone_on_with() {
    let folder = folder();
    let words = ["-qj1", "--max-tests", "4", "./t.sh", "-", "-o", "out.c"];
    piped(&folder, &words, &folder.read("a.c")).expect_code(3);
    folder.lop(&["resume", "-q", "out.c.lop"]).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("out.c")).trim_end().ends_with("needle;"));
}

#[test]
fn the_summary_fits_a_screen_and_all_of_it_comes_with_verbose() {
    let folder = Folder::new();
    // Flaky, slow without one line, with other crashes, and stopped early.
    let lines: String = (0..40).map(|number| format!("line {number}\n")).collect();
    folder.write("input.txt", format!("{lines}abort\nslow\nneedle\n"));
    let body = "grep -q needle \"$1\" || { grep -q abort \"$1\" && kill -ABRT $$; exit 1; }\n\
                grep -q slow \"$1\" || exit 124\necho wanted >&2; exit 3";
    let program = folder.script("program", body).display().to_string();
    let run = |more: &[&str]| {
        let words = ["-j2", "--no-config", "--max-tests", "24", "--stderr", "wanted", "input.txt", "-o", "out"];
        let ran = folder.lop(&[&words[..], more, &["--", &program, "@@"]].concat());
        assert!([Some(0), Some(3)].contains(&ran.code), "{}", ran.stderr);
        let at = ran.stderr.rfind("Reduced input.txt").unwrap_or_else(|| panic!("no summary: {}", ran.stderr));
        ran.stderr[at..].to_owned()
    };
    let short = run(&[]);
    assert!(short.lines().count() <= 22, "{short}");
    for part in [" left), in ", "\n\n    ", "\n  tests     ", "\n  minimal   not yet\n", "\n  result    out (text)\n"] {
        assert!(short.contains(part), "{part} is missing in\n{short}");
    }
    assert!(!short.contains("accepted") && !short.contains("time: "), "{short}");
    let long = run(&["-v"]);
    assert!(long.contains("accepted") && long.contains("\n  time: ") && long.contains("answered without"), "{long}");
}

/// Words of a translation, which have a plainer counterpart.
const TRANSLATED: &str = r"(?i)\b(behind|mend|mended|anew|beside|of which|is told|so many|so large|content with|in the place of|go on|goes on|going on|whoever|line breaks?)\b";

#[test]
fn what_users_read_has_no_words_of_a_translation() {
    let words = Regex::new(TRANSLATED).expect("a constant");
    let mut texts: Vec<(String, String)> = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut todo = vec![root.join("docs"), root.join("README.md"), root.join("CHANGELOG.md")];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).expect("ours").map(|entry| entry.expect("listed").path()));
        } else if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(&path).expect("text");
            texts.push((path.display().to_string(), text));
        }
    }
    let folder = Folder::new();
    for command in [&["help"][..], &["help", "all"], &["passes"], &["grammars"]] {
        let shown = String::from_utf8(folder.lop(command).expect_code(0).stdout).expect("plain");
        texts.push((format!("lop {}", command.join(" ")), shown));
    }
    // A message is a string literal of several words. Code in braces does not count.
    let literal = Regex::new(r#""(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*""#).expect("a constant");
    let code = Regex::new(r"\{[^{}]*\}").expect("a constant");
    let crates = fs::read_dir(root.join("crates")).expect("ours").map(|entry| entry.expect("listed").path());
    let of_program = |path: &PathBuf| !path.ends_with("lop-lab") && !path.ends_with("lop-testing");
    let mut todo: Vec<PathBuf> = crates.filter(of_program).map(|path| path.join("src")).collect();
    todo.push(root.join("src"));
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).expect("ours").map(|entry| entry.expect("listed").path()));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let found: Vec<String> = lines
                .flat_map(|line| literal.find_iter(line).map(|found| code.replace_all(found.as_str(), "").into_owned()))
                .collect();
            texts.push((path.display().to_string(), found.join("\n")));
        }
    }
    assert!(texts.len() > 100, "{} texts", texts.len());
    let faults: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| text.lines().map(move |line| (name, line)))
        .filter(|(_, line)| words.is_match(line))
        .map(|(name, line)| format!("{name}: {line}"))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
