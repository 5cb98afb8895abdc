//! Candidates from outside (`--propose`), and lop as a proposer (`lop propose`).

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Folder, Ran, TIMEOUT, has, path, wheels};

/// A folder with the examples for proposers.
fn folder() -> Folder {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/propose");
    for entry in fs::read_dir(examples).expect("the examples") {
        let entry = entry.expect("an example");
        folder.write(&entry.file_name().to_string_lossy(), fs::read(entry.path()).expect("readable"));
    }
    folder
}

fn lop(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.lop(&[&["-j1", "-o", "out"][..], &TIMEOUT, arguments].concat())
}

/// A list whose header has to tell its length: lop alone can't change both.
fn counted_list() -> Folder {
    let folder = folder();
    let lines: String = (0..30).map(|line| format!("line {line}\n")).collect();
    folder.write("list.txt", format!("count=30\n{lines}"));
    folder.script(
        "test.sh",
        "test \"$(sed -n 's/^count=//p' list.txt)\" = \"$(grep -c ^line list.txt)\" && grep -q '^line 17$' list.txt",
    );
    folder.write(
        "shorter.py",
        "from lop_proposer import propose\n\n\ndef shorter(text):\n    head, *lines = text.splitlines()\n    size = len(lines) // \
         2 or 1\n    while size:\n        for at in range(0, len(lines), size):\n            rest = lines[:at] + lines[at + \
         size:]\n            yield b'\\n'.join([b'count=%d' % len(rest), *rest]) + b'\\n'\n        size //= 2\n\n\n\
         propose(shorter)\n",
    );
    folder
}

const SHORTER: [&str; 4] = ["--propose", "python3 shorter.py", "./test.sh", "list.txt"];

#[test]
fn a_proposer_makes_edits_that_lop_does_not_know() {
    if !has("python3") {
        return;
    }
    let folder = counted_list();
    lop(&folder, &["./test.sh", "list.txt"]).expect_code(0);
    let alone = folder.read("out");
    let ran = lop(&folder, &[&["--verbose", "-y"][..], &SHORTER].concat()).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("out")), "count=1\nline 17", "{}", ran.stderr);
    assert!(alone.len() > 20, "lop needs no help: {}", String::from_utf8_lossy(&alone));
    // With several workers it is the same.
    folder.lop(&[&["-j4", "-y", "-o", "out"][..], &TIMEOUT, &SHORTER].concat()).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("out")), "count=1\nline 17");
}

#[test]
fn parts_to_keep_stay_in_proposals() {
    if !has("python3") {
        return;
    }
    let folder = counted_list();
    lop(&folder, &[&["--keep", "line 3\n"][..], &SHORTER].concat()).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("out")), "count=2\nline 3\nline 17");
}

#[test]
fn proposals_pass_the_gate() {
    if !has("python3") {
        return;
    }
    let folder = folder();
    folder.write("in.json", "{\"a\": 1, \"bug\": 2}");
    folder.script("test.sh", "cat in.json >> seen; echo >> seen; cp seen /dev/stderr; grep -q bug in.json");
    folder.write(
        "broken.py",
        "from lop_proposer import propose\npropose(lambda text: iter([b'[[[bug', b'bug}}', b'\"bug\"']))\n",
    );
    let arguments = ["--only", "proposed", "--propose", "python3 broken.py", "./test.sh", "in.json"];
    lop(&folder, &arguments).expect_code(0);
    assert_eq!(folder.read("out"), b"\"bug\"");
    let events = lop(&folder, &[&["--json=events", "-y"][..], &arguments].concat()).expect_code(0);
    drop(events);
    let events = String::from_utf8(folder.read("events")).expect("text");
    let tested = events.lines().filter(|line| line.contains("\"tested\"") && line.contains("\"proposed\"")).count();
    assert_eq!(tested, 1, "{events}");
}

#[test]
fn a_proposer_that_fails_is_named_and_the_reduction_continues() {
    if !has("python3") {
        return;
    }
    let folder = folder();
    folder.write("in.json", "{\"a\": 1, \"bug\": 2}");
    folder.script("fails.sh", "echo no licence >&2; exit 3");
    folder.script("chats.sh", "yes hello");
    folder.script("ends.sh", "exit 0");
    for (command, said) in [
        ("./fails.sh", "`./fails.sh` of --propose ended with exit code 3; it wrote: no licence; it is not asked again"),
        ("./chats.sh", "writes no proposals to standard output, but `hello`"),
        ("./ends.sh", ""),
    ] {
        let ran =
            lop(&folder, &["-y", "--propose", command, "in.json", "--", "grep", "-q", "bug", "@@"]).expect_code(0);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert_eq!(folder.read("out"), b"\"bug\"");
    }
    for (command, said) in [("no-such-program-anywhere", "no-such-program-anywhere"), ("'", "is not a command")] {
        let ran =
            lop(&folder, &["-y", "--propose", command, "in.json", "--", "grep", "-q", "bug", "@@"]).expect_code(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    fs::create_dir(folder.path("tree")).expect("our own folder");
    folder.write("tree/a.txt", "bug");
    let ran = lop(&folder, &["--propose", "cat", "tree", "--", "true"]).expect_code(2);
    assert!(ran.stderr.contains("works only with a single file"), "{}", ran.stderr);
}

#[test]
fn lop_proposes_to_another_lop_and_to_any_host() {
    if !has("python3") {
        return;
    }
    let folder = folder();
    let input = "int f(void) { return 1; }\nint g(int a) { if (a) { return f() + 42; } return 0; }\n";
    folder.write("in.c", input);
    let inner = format!("{} propose x.c", env!("CARGO_BIN_EXE_lop"));
    let arguments = ["--only", "proposed", "--propose", &inner, "in.c", "--", "grep", "-q", "return.*42;", "@@"];
    lop(&folder, &arguments).expect_code(0);
    let result = String::from_utf8(folder.read("out")).expect("text");
    assert!(result.len() < 20 && result.contains("42;"), "{result}");
    // A host that asks twice, tests two candidates at a time, and ends.
    folder.write(
        "host.py",
        "import base64, json, subprocess, sys, os\nos.environ['SHRINKRAY_REDUCER_PARALLELISM'] = '2'\nlop = \
         subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\ndef send(m):\n    \
         lop.stdin.write(json.dumps(m) + '\\n'); lop.stdin.flush()\ndef turn(text, bug):\n    send({'reduce': \
         base64.b64encode(text).decode()})\n    for line in lop.stdout:\n        m = json.loads(line)\n        if m.get('idle'): \
         return text\n        new = base64.b64decode(m['content'])\n        ok = bug in new\n        if ok and len(new) < \
         len(text): text = new\n        send({'content': m['content'], 'interesting': ok})\nprint(turn(b'int a; int bug = 1; \
         int c;', b'bug'))\nprint(turn(b'{\"x\": [1, 2, 3]}', b'2'))\nlop.stdin.close()\nprint(lop.wait())\n",
    );
    let mut host = Command::new("python3");
    host.arg("host.py").args([env!("CARGO_BIN_EXE_lop"), "propose"]).current_dir(folder.path("")).env("PATH", path());
    let ran = host.output().expect("python3 starts");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(said, "b'bug;'\nb'2'\n0\n", "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A C file in which a compiler finds most of the text unused.
const UNUSED: &str = "static int first(int a)\n{\n    return a + 1;\n}\n\nstatic int second(int b)\n{\n    int spare = 2;\n    \
                      return b;\n}\n\nint wanted(void)\n{\n    int left = 4;\n    return 7;\n}\n";

#[test]
fn what_a_compiler_calls_unused_goes() {
    if !has("python3") {
        return;
    }
    for compiler in ["gcc", "clang"] {
        if !has(compiler) {
            continue;
        }
        let folder = folder();
        folder.write("in.c", UNUSED);
        let command = format!("python3 gcc_fixes.py in.c {compiler} -Wall -c @@ -o out.o");
        let arguments = ["--only", "proposed", "--propose", &command, "in.c", "--", "grep", "-q", "return 7", "@@"];
        let ran = lop(&folder, &arguments).expect_code(0);
        let result = String::from_utf8(folder.read("out")).expect("text");
        assert!(!result.contains("first") && !result.contains("left"), "{compiler}: {result}\n{}", ran.stderr);
        assert!(result.contains("wanted"), "{result}");
    }
}

#[test]
fn the_suggestions_of_rustc_are_proposals() {
    if !has("python3") || !has("rustc") {
        return;
    }
    let folder = folder();
    folder.write(
        "in.rs",
        "use std::fmt;\n\nfn unused(a: u32) -> u32 {\n    a + 1\n}\n\npub fn wanted() -> u32 {\n    let mut x = (7);\n    return \
         x;\n}\n",
    );
    // The program on PATH may look for a version in the user's home.
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc starts").stdout;
    let rustc = Path::new(String::from_utf8_lossy(&sysroot).trim()).join("bin/rustc");
    let command =
        format!("python3 rustc_fixes.py in.rs {} --edition=2021 --crate-type=lib --emit=metadata @@", rustc.display());
    let arguments = ["--only", "proposed", "--propose", &command, "in.rs", "--", "grep", "-q", "fn wanted", "@@"];
    let ran = lop(&folder, &arguments).expect_code(0);
    let result = String::from_utf8(folder.read("out")).expect("text");
    let gone = ["use std", "unused", "mut", "(7)"].iter().all(|text| !result.contains(text));
    assert!(gone && result.contains("wanted"), "{result}\n{}", ran.stderr);
}

#[test]
fn a_linter_or_a_formatter_is_a_proposer() {
    if !has("python3") {
        return;
    }
    let folder = folder();
    folder.write("in.txt", "a   lot   of    blanks\nand the bug\n");
    let command = "python3 in_place.py in.txt sed -i 's/  */ /g' @@";
    let arguments = ["--only", "proposed", "--propose", command, "in.txt", "--", "grep", "-q", "bug", "@@"];
    lop(&folder, &arguments).expect_code(0);
    assert_eq!(folder.read("out"), b"a lot of blanks\nand the bug\n");
    let Some(wheels) = wheels() else { return };
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--target", "tools", "--find-links"]).arg(wheels);
    let installed = pip.arg("ruff").current_dir(folder.path("")).env("PATH", path()).status().expect("pip starts");
    assert!(installed.success());
    folder.write("in.py", "import os\nimport sys\nimport re\n\n\ndef wanted():\n    return re.compile('x')\n");
    let command = format!(
        "python3 in_place.py in.py {} check --isolated --no-cache --fix --unsafe-fixes @@",
        folder.path("tools/bin/ruff").display()
    );
    let arguments = ["-y", "--only", "proposed", "--propose", &command, "in.py", "--", "grep", "-q", "wanted", "@@"];
    lop(&folder, &arguments).expect_code(0);
    let result = String::from_utf8(folder.read("out")).expect("text");
    assert!(!result.contains("import os") && result.contains("import re"), "{result}");
}
