//! Tests that stay up (`--server`), and services that run during the tests (`--setup`).

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Folder, Ran, TIMEOUT, has};

/// A JSON file whose `"bug"` the tests below look for.
const INPUT: &str = r#"{"a": [1, 2, 3, 4], "b": {"c": "bug", "d": [true, false]}, "e": "other", "f": [5, 6, 7]}"#;

/// A folder with the input, and a server that runs these lines of Python for each candidate. They set `said`, from `text`
/// and `state`, a dictionary that lives as long as the process.
fn folder(lines: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("in.json", INPUT);
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    folder.write(
        "check.py",
        format!(
            "import json, os, sys, time\nstate = {{}}\nfor path in sys.stdin:\n    text = open(path.rstrip(chr(10)), \
             errors='replace').read()\n{body}    print(said, flush=True)\n"
        ),
    );
    folder
}

fn reduce(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = ["-j1", "-o", "out.json", "--server", "python3 check.py"];
    folder.lop(&[&arguments[..], &TIMEOUT, more, &["in.json"]].concat())
}

/// Whether there is Python, which the servers here are written in.
fn skips() -> bool {
    !has("python3")
}

/// Answers with state in it would make another result of this: six words of 300 have to stay.
fn long_folder(lines: &[&str]) -> Folder {
    let folder = folder(lines);
    let words: Vec<String> = (0..300).map(|at| format!("\"w{at}\"")).collect();
    folder.write("in.json", format!("[{}]", words.join(", ")));
    folder
}

const WORDS: &str =
    "said = 'interesting' if all(f'\"w{n}\"' in text for n in range(7, 300, 50)) else 'not interesting'";
const SIX_WORDS: &str = "[\"w7\",\"w57\",\"w107\",\"w157\",\"w207\",\"w257\"]";

const PLAIN: &str = "said = 'interesting' if '\"bug\"' in text else 'not interesting'";

#[test]
fn a_server_is_asked_about_all_candidates() {
    if skips() {
        return;
    }
    let plain = folder(&[PLAIN]);
    reduce(&plain, &[]).expect_code(0);
    assert_eq!(plain.read("out.json"), b"\"bug\"");
    // Four workers have a server each.
    let arguments = [&["-j4", "-o", "out.json", "--server", "python3 check.py"][..], &TIMEOUT, &["in.json"]].concat();
    plain.lop(&arguments).expect_code(0);
    assert_eq!(plain.read("out.json"), b"\"bug\"");
    assert_eq!(plain.temporaries(), [""; 0]);
}

#[test]
fn few_processes_are_started() {
    if skips() {
        return;
    }
    let folder = long_folder(&[WORDS]);
    let script = fs::read_to_string(folder.path("check.py")).expect("it was written");
    folder.write("check.py", format!("open({:?}, 'a').write('x')\n{script}", folder.path("starts")));
    reduce(&folder, &["--json=events"]).expect_code(0);
    let tests =
        String::from_utf8_lossy(&folder.read("events")).lines().filter(|line| line.contains("\"tested\"")).count();
    let starts = folder.read("starts").len();
    assert!(tests > 60 && starts <= 20, "{starts} starts for {tests} tests");
}

#[test]
fn an_answer_can_be_a_code_or_a_run_with_outputs() {
    if skips() {
        return;
    }
    let codes = folder(&["said = 0 if '\"bug\"' in text else 1"]);
    reduce(&codes, &[]).expect_code(0);
    assert_eq!(codes.read("out.json"), b"\"bug\"");
    let runs = folder(&["said = json.dumps({'exit': 3, 'stderr': 'found a bug' if '\"bug\"' in text else 'fine'})"]);
    reduce(&runs, &["--exit-code", "3", "--stderr", "found a b"]).expect_code(0);
    assert_eq!(runs.read("out.json"), b"\"bug\"");
}

#[test]
fn state_between_candidates_gives_no_wrong_result() {
    if skips() {
        return;
    }
    // After the tenth candidate everything is interesting, or nothing is.
    for leak in ["interesting", "not interesting"] {
        let count = "state['n'] = state.get('n', 0) + 1";
        let leaks = format!("said = '{leak}' if state['n'] > 10 else said");
        let folder = long_folder(&[count, WORDS, &leaks]);
        let ran = reduce(&folder, &[]).expect_code(0);
        let result: String = String::from_utf8(folder.read("out.json")).expect("text").split_whitespace().collect();
        assert_eq!(result, SIX_WORDS, "{leak}: {}", ran.stderr);
        assert!(ran.stderr.contains("where a fresh one answers"), "{leak}: {}", ran.stderr);
    }
}

#[test]
fn state_gives_no_wrong_result_to_a_run_that_is_stopped() {
    if skips() {
        return;
    }
    let leaks = "said = 'interesting' if state['n'] > 10 else said";
    let folder = long_folder(&["state['n'] = state.get('n', 0) + 1", WORDS, leaks]);
    for most in ["20", "25"] {
        let ran = reduce(&folder, &["-y", "--max-tests", most]).expect_code(3);
        let result = String::from_utf8(folder.read("out.json")).expect("text");
        let is_right = (7..300).step_by(50).all(|word| result.contains(&format!("\"w{word}\"")));
        assert!(is_right, "{most}: {result}\n{}", ran.stderr);
    }
    // An answer of an earlier process is not believed either.
    let ran = folder.lop(&["resume", "out.json.lop", "--max-tests", "100000"]).expect_code(0);
    let result: String = String::from_utf8(folder.read("out.json")).expect("text").split_whitespace().collect();
    assert_eq!(result, SIX_WORDS, "{}", ran.stderr);
}

#[test]
fn a_server_that_dies_hangs_or_answers_nonsense_now_and_then_is_replaced() {
    if skips() {
        return;
    }
    for fault in ["os._exit(1)", "os.kill(os.getpid(), 9)", "print('loading')", "said = 'oops'", "said = ''"] {
        let count = "state['n'] = state.get('n', 0) + 1";
        let folder = folder(&[count, PLAIN, &format!("if state['n'] == 7: {fault}")]);
        reduce(&folder, &[]).expect_code(0);
        assert_eq!(folder.read("out.json"), b"\"bug\"", "{fault}");
    }
    let hangs = folder(&["state['n'] = state.get('n', 0) + 1", PLAIN, "if state['n'] == 7: time.sleep(3600)"]);
    let arguments = ["-j1", "-o", "out.json", "--timeout", "5", "--server", "python3 check.py", "in.json"];
    hangs.lop(&arguments).expect_code(0);
    assert_eq!(hangs.read("out.json"), b"\"bug\"");
}

#[test]
fn a_crash_of_the_server_can_be_the_bug() {
    if skips() {
        return;
    }
    let folder = folder(&["said = 'not interesting'", "if '\"bug\"' in text: os.abort()"]);
    reduce(&folder, &["--signal", "ABRT"]).expect_code(0);
    assert_eq!(folder.read("out.json"), b"\"bug\"");
}

#[test]
fn something_that_is_no_server_is_named() {
    let folder = Folder::new();
    folder.write("in.json", INPUT);
    folder.script("test.sh", "exit 0");
    let said = folder.lop(&["--server", "./test.sh", "in.json"]).expect_code(2).stderr;
    assert!(said.contains("it ended without an answer"), "{said}");
    folder.script("chats.sh", "while read -r path; do echo hello; done");
    let said = folder.lop(&["--server", "./chats.sh", "in.json"]).expect_code(2).stderr;
    assert!(said.contains("it answered `hello`"), "{said}");
    let said = folder.lop(&["--server", "no-such-program-anywhere", "in.json"]).expect_code(2).stderr;
    assert!(said.contains("no-such-program-anywhere"), "{said}");
    let said = folder.lop(&["--server", "cat @@", "in.json"]).expect_code(2).stderr;
    assert!(said.contains("reads the path"), "{said}");
    let said = folder.lop(&["--server", "cat", "in.json", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("another one after `--`"), "{said}");
    folder.write("a\nb.json", INPUT);
    let said = folder.lop(&["--server", "cat", "a\nb.json"]).expect_code(2).stderr;
    assert!(said.contains("rename"), "{said}");
}

#[test]
fn several_files_are_one_line_with_tabs() {
    if skips() {
        return;
    }
    let folder = Folder::new();
    folder.write("a.txt", "one\ntwo\nthree\n");
    folder.write("b.txt", "four\nfive\nsix\n");
    folder.write(
        "check.py",
        "import sys\nfor line in sys.stdin:\n    a, b = [open(p).read() for p in line.rstrip('\\n').split('\\t')]\n    \
         print('true' if 'two' in a and 'five' in b else 'false', flush=True)\n",
    );
    let arguments = ["-j1", "-o", "out", "--server", "python3 check.py"];
    folder.lop(&[&arguments[..], &TIMEOUT, &["a.txt", "b.txt"]].concat()).expect_code(0);
    assert_eq!((folder.read("out/a.txt"), folder.read("out/b.txt")), (b"two".to_vec(), b"five".to_vec()));
}

/// The helpers in `examples/server`, each with a check.
#[test]
fn the_helpers_answer() {
    let helpers = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/server");
    let folder = Folder::new();
    folder.write("in.json", INPUT);
    let copy = |name: &str| folder.write(name, fs::read(helpers.join(name)).expect("a helper"));
    let mut lines = Vec::new();
    if has("python3") {
        copy("lop_server.py");
        let check = "from lop_server import serve\n\ndef shows(path):\n    print('noise')\n    return '\"bug\"' in open(path, \
                     errors='replace').read()\n\nserve(shows)\n";
        folder.write("check.py", check);
        lines.push("python3 check.py");
    }
    if has("node") {
        copy("lop-server.mjs");
        let check = "import { readFileSync } from 'node:fs';\nimport { serve } from './lop-server.mjs';\nserve((path) => { \
                     console.log('noise'); return readFileSync(path, 'utf8').includes('\"bug\"'); });\n";
        folder.write("check.mjs", check);
        lines.push("node check.mjs");
    }
    if has("javac") {
        copy("LopServer.java");
        let check = "import java.nio.file.Files;\npublic class Check {\n  public static void main(String[] args) throws \
                     Exception {\n    LopServer.serve(path -> { System.out.println(\"noise\"); return new \
                     String(Files.readAllBytes(path)).contains(\"\\\"bug\\\"\"); });\n  }\n}\n";
        folder.write("Check.java", check);
        let mut javac = Command::new("javac");
        let made = javac.args(["-d", "classes", "Check.java", "LopServer.java"]).current_dir(folder.path("")).status();
        let made = made.expect("javac starts");
        assert!(made.success());
        lines.push("java -cp classes Check");
    }
    for line in lines {
        let arguments = ["-j1", "-o", "out.json", "--server", line];
        folder.lop(&[&arguments[..], &TIMEOUT, &["in.json"]].concat()).expect_code(0);
        assert_eq!(folder.read("out.json"), b"\"bug\"", "{line}");
    }
}

/// A service that writes its number to a file, and a test that needs the file of a living service.
fn beside_service(test: &str, more: &[&str]) -> (Folder, Ran) {
    let folder = Folder::new();
    folder.write("in.json", INPUT);
    let state = folder.path("state").display().to_string();
    // It takes a moment until it is ready.
    folder.script("serve.sh", &format!("sleep 0.3; echo x >> {state}.starts; echo $$ > {state}; exec sleep 3600"));
    folder.script("ready.sh", &format!("test -f {state} && kill -0 \"$(cat {state})\""));
    folder.script("test.sh", &test.replace("STATE", &state));
    let arguments = ["-j1", "-o", "out.json", "--setup", "./serve.sh"];
    let ran = folder.lop(&[&arguments[..], &TIMEOUT, more, &["./test.sh", "in.json"]].concat());
    (folder, ran)
}

#[test]
fn a_service_runs_beside_the_tests_and_ends_with_them() {
    let (folder, ran) =
        beside_service("kill -0 \"$(cat STATE)\" && grep -q '\"bug\"' in.json", &["--ready", "./ready.sh"]);
    ran.expect_code(0);
    assert_eq!(folder.read("out.json"), b"\"bug\"");
    assert_eq!(folder.read("state.starts"), b"x\n");
    let number = String::from_utf8(folder.read("state")).expect("a number");
    let is_alive = Path::new("/proc").join(number.trim()).join("cmdline");
    assert!(!fs::read_to_string(is_alive).is_ok_and(|line| line.contains("3600")), "it was left behind");
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_service_that_dies_is_started_again_and_the_test_repeated() {
    // The fifth run kills it, and then fails, as a client of a dead server does.
    let test = "echo x >> STATE.runs; if [ \"$(wc -l < STATE.runs)\" = 5 ]; then kill -9 \"$(cat STATE)\"; sleep 0.1; \
                exit 1; fi; kill -0 \"$(cat STATE)\" && grep -q '\"bug\"' in.json";
    let (folder, ran) = beside_service(test, &["--ready", "./ready.sh"]);
    ran.expect_code(0);
    assert_eq!(folder.read("out.json"), b"\"bug\"");
    assert_eq!(folder.read("state.starts"), b"x\nx\n");
}

#[test]
fn a_service_that_does_not_start_is_named() {
    let folder = Folder::new();
    folder.write("in.json", INPUT);
    folder.script("serve.sh", "echo port 80 is taken >&2; exit 3");
    let said = folder.lop(&["--setup", "./serve.sh", "--ready", "false", "in.json", "--", "true"]);
    let said = said.expect_code(2).stderr;
    assert!(said.contains("has ended before it was ready") && said.contains("port 80 is taken"), "{said}");
    let said = folder.lop(&["--ready", "true", "in.json", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("--setup"), "{said}");
}

#[test]
fn the_doctor_examines_a_server_and_uses_a_service() {
    if skips() {
        return;
    }
    let plain = folder(&[PLAIN]);
    let ran = plain.lop(&[&["doctor", "-j2", "--server", "python3 check.py"][..], &TIMEOUT, &["in.json"]].concat());
    let said = String::from_utf8_lossy(&ran.expect_code(0).stdout).into_owned();
    assert!(said.contains("the input is interesting (exit code 0)") && said.contains("0 faults"), "{said}");
    let state = plain.path("state").display().to_string();
    plain.script("needs.sh", &format!("test -f {state} && grep -q '\"bug\"' \"$1\""));
    plain.script("serve.sh", &format!("touch {state}; exec sleep 3600"));
    let ready = format!("test -f {state}");
    let arguments = ["doctor", "-j2", "--setup", "./serve.sh", "--ready", &ready, "./needs.sh", "in.json"];
    plain.lop(&arguments).expect_code(0);
}
