//! The parts of this tree that other programs run: the step of `action.yml` and the hook of `.pre-commit-hooks.yaml`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Folder, Ran, finish, path};

fn package(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("it is a part of the tree")
}

/// Runs the last step of the action with these inputs and a lop that writes its words, one a line. Returns them.
fn action(folder: &Folder, inputs: &[(&str, &str)]) -> (Ran, String) {
    let text = package("action.yml");
    let (_, script) = text.rsplit_once("run: |\n").expect("a script");
    fs::create_dir_all(folder.path("lop/bin")).expect("our own folder");
    folder.script("lop/bin/lop", "printf '%s\\n' \"$@\" >words");
    let _ = fs::remove_file(folder.path("words"));
    let mut command = Command::new("bash");
    command.args(["-e", "-c", script]).current_dir(folder.path(".")).env_clear().env("PATH", path());
    let usual = [("FILE", "a b.c"), ("OUTPUT", "out"), ("REPORT", "report.html"), ("TEST", ""), ("COMMAND", "")];
    for (name, value) in usual.iter().chain(inputs) {
        command.env(format!("LOP_{name}"), value);
    }
    command.env("RUNNER_TEMP", folder.path("."));
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let ran = finish(child.expect("bash is there"));
    (ran, fs::read_to_string(folder.path("words")).unwrap_or_default())
}

#[test]
fn the_action_splits_words_as_a_shell_and_runs_none_of_them() {
    let folder = Folder::new();
    let lines = [
        "",
        "--exit-code 1  --max-time\t600\n-q",
        "--stderr 'out of  memory' --while-passing \"grep -q 'a b' @@\"",
        r#"a\ b "c\"d" 'e\f' "g\h" "\\" ''"" i"j k"'l m' \' "\$x\`""#,
        "$(touch ran) `touch ran` ; touch ran & * ~ $HOME #x | cat >ran",
    ];
    for line in lines {
        let (ran, words) = action(&folder, &[("OPTIONS", line), ("COMMAND", line)]);
        ran.expect_code(0);
        let wanted = shlex::split(&line.replace('#', "\\#")).expect("its quotes are closed");
        let rest = ["--report", "report.html", "-o", "out", "a b.c", "--"].map(str::to_owned);
        let all: Vec<String> = wanted.iter().chain(&rest).chain(&wanted).cloned().collect();
        assert_eq!(words.lines().collect::<Vec<_>>(), all, "{line}");
        assert!(!folder.path("ran").exists(), "{line}");
    }
    let (ran, words) = action(&folder, &[("OPTIONS", "--stderr 'open"), ("TEST", "./test.sh")]);
    let ran = ran.expect_code(2);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("::error title=lop::A quote"), "{ran:#?}");
    assert_eq!(words, "");
}

/// Runs the hook on files as pre-commit does: its entry, its `args`, the names of the files.
fn hook(folder: &Folder, args: &[&str], files: &[&str]) -> Ran {
    let text = package(".pre-commit-hooks.yaml");
    let (_, rest) = text.split_once("entry: >-\n").expect("an entry");
    let entry: Vec<&str> = rest.lines().take_while(|line| line.starts_with("    ")).map(str::trim).collect();
    let entry = shlex::split(&entry.join(" ")).expect("its quotes are closed");
    let lop = Path::new(env!("CARGO_BIN_EXE_lop")).parent().expect("a folder").to_owned();
    let path = std::env::join_paths([lop].into_iter().chain(std::env::split_paths(path()))).expect("parts of a PATH");
    let mut command = Command::new(&entry[0]);
    command.args(&entry[1..]).args(args).args(files).current_dir(folder.path(".")).env_clear();
    command.env("PATH", path).env("HOME", folder.home()).env("TMPDIR", folder.path("../tmp"));
    finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bash is there"))
}

#[test]
fn the_hook_verifies_each_file_and_fails_where_something_can_go() {
    let folder = Folder::new();
    folder.script("test.sh", "grep -q bug \"$1\"");
    for (name, text) in [("a b.txt", "bug"), ("two.txt", "bug"), ("large.txt", "some\nbug\nhere\n")] {
        folder.write(name, text);
    }
    let args = ["./test.sh", "--"];
    hook(&folder, &args, &["a b.txt", "two.txt"]).expect_code(0);
    hook(&folder, &args, &["a b.txt", "large.txt", "two.txt"]).expect_code(1);
    let ran = hook(&folder, &["./test.sh"], &["large.txt"]).expect_code(2);
    assert!(ran.stderr.contains("the last of args has to be --"), "{}", ran.stderr);
}
