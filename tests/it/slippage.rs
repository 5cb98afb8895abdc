//! Other crashes met on the way: a program that dies in several ways, and what is kept of that.

use crate::support::Folder;

/// A program that dies in another way for each of some words, and as wanted for `needle`.
const PROGRAM: &str = r#"
if grep -q needle "$1"; then echo "$1:7: the wanted error" >&2; exit 3; fi
if grep -q abort "$1"; then echo "reading" >&2; echo "$PWD/$1:$(wc -l < "$1"): internal error at 0x$$" >&2; kill -ABRT $$; fi
if grep -q divide "$1"; then kill -FPE $$; fi
if grep -q odd "$1"; then echo "Error: odd thing number $(wc -c < "$1")"; exit 9; fi
exit 1
"#;

/// The needle stands at the end, so that what is without it still has the other words.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut lines: Vec<String> = (0..12).map(|number| format!("line {number}")).collect();
    lines[1] = "abort".to_owned();
    lines[4] = "divide".to_owned();
    lines[6] = "odd".to_owned();
    lines[10] = "needle".to_owned();
    folder.write("input.txt", lines.join("\n") + "\n");
    folder.script("program", PROGRAM);
    folder
}

fn list(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(name)).expect("it is there");
    let mut names: Vec<_> = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn other_crashes_are_kept_beside_the_result_and_listed() {
    let folder = folder();
    let program = folder.path("program").display().to_string();
    let arguments = ["-vj1", "--stderr", "wanted error", "--also-interesting", "9", "--json", "events", "input.txt"];
    let ran = folder.lop(&[&arguments[..], &["--", &program, "@@"]].concat()).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("input.txt")).contains("needle"));
    let kept = list(&folder, "input.txt.lop/other");
    assert!(!kept.is_empty(), "{}", ran.stderr);
    let mut signatures = Vec::new();
    for crash in &kept {
        let place = format!("input.txt.lop/other/{crash}");
        assert_eq!(list(&folder, &place), ["input.txt", "signature", "stderr", "stdout"]);
        let signature = String::from_utf8(folder.read(&format!("{place}/signature"))).expect("text");
        let candidate = String::from_utf8(folder.read(&format!("{place}/input.txt"))).expect("text");
        let word = match signature.trim_end() {
            "SIGABRT: input.txt:N: internal error at N" => "abort",
            "SIGFPE" => "divide",
            "exit code 9: Error: odd thing number N" => "odd",
            other => panic!("{other}"),
        };
        assert!(candidate.contains(word) && !candidate.contains("needle"), "{signature}: {candidate}");
        assert!(ran.stderr.contains(signature.trim_end()), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("{place}/input.txt")), "{}", ran.stderr);
        signatures.push(signature);
    }
    signatures.sort();
    signatures.dedup();
    assert_eq!(signatures.len(), kept.len(), "one for each signature");
    assert!(kept.iter().any(|name| name.ends_with("SIGABRT")), "{kept:?}");
    let output = kept.iter().find(|name| name.ends_with("SIGABRT")).expect("seen above");
    let output = String::from_utf8(folder.read(&format!("input.txt.lop/other/{output}/stderr"))).expect("text");
    assert!(output.starts_with("reading\n"), "{output}");
    assert!(ran.stderr.contains("found other crashes"), "{}", ran.stderr);
    let events = String::from_utf8(folder.read("events")).expect("JSON");
    assert!(events.contains("\"event\":\"slipped\""));
}

#[test]
fn what_is_left_alone_is_left_alone_and_the_folder_is_beside_the_result() {
    let folder = folder();
    let program = folder.path("program").display().to_string();
    let words = ["-q", "-j1", "-o", "small.txt", "--exit-code", "3", "input.txt", "--", &program, "@@"];
    folder.lop(&words).expect_code(0);
    let names = folder.names();
    assert_eq!(names, ["input.txt", "program", "small.txt", "small.txt.lop"]);
    let kept = list(&folder, "small.txt.lop/other");
    assert!(kept.iter().all(|name| name.ends_with("SIGABRT") || name.ends_with("SIGFPE")), "{kept:?}");
}

#[test]
fn a_test_that_decides_by_itself_has_no_other_crashes_but_those_it_names() {
    let folder = folder();
    folder.script("test.sh", "grep -q needle $1 && exit 0; grep -q odd $1 && exit 9; kill -ABRT $$");
    folder.lop(&["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
    assert!(!folder.path("input.txt.lop/other").exists(), "nothing is kept unasked");
    let folder = self::folder();
    folder.script("test.sh", "grep -q needle $1 && exit 0; grep -q odd $1 && exit 9; kill -ABRT $$");
    let ran = folder.lop(&["-j1", "--also-interesting", "9", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!(list(&folder, "input.txt.lop/other"), ["1-exit-code-9"], "{}", ran.stderr);
    let kept = String::from_utf8(folder.read("input.txt.lop/other/1-exit-code-9/input.txt")).expect("text");
    assert!(kept.contains("odd") && !kept.contains("needle"), "{kept}");
    assert!(String::from_utf8_lossy(&folder.read("input.txt")).contains("needle"), "it went on as if nothing was");
}
