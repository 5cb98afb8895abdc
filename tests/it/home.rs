//! A command's paths mean in a test's directory what they mean where the user stands, and a file that it misses is named.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Folder, Ran, has};

/// A compiler says of it that there is no such member, if it finds the header.
const CASE: &str = "#include <api.h>\nint unused(void) { return 4; }\nint depth(struct node *n) { return n->depth; }\n";
const HEADER: &str = "struct node { int kind; };\n";

/// A test as a shell's: with what is before it, it says what it found and ends with 3.
fn complains(before: &str) -> String {
    format!(
        "{before} || {{ echo 'error: nothing to work with' >&2; exit 4; }}\ngrep -q bug \"$1\" || exit 0\necho 'error: bug found' >&2\nexit 3"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["src", "include", "out"] {
        fs::create_dir(folder.path(name)).expect("our own folder");
    }
    folder.write("src/case.c", CASE);
    folder.write("include/api.h", HEADER);
    folder.write("src/case.txt", "some\nbug\nhere\n");
    folder.write("case.txt", "some\nbug\nhere\n");
    folder
}

/// A reduction without a journal, one test at a time.
fn lop(folder: &Folder, line: &[&str]) -> Ran {
    folder.lop(&[&["-j1", "--no-state", "-o", "small"], line].concat())
}

/// The start of one: what is kept is settled before the first test.
#[track_caller]
fn begun(folder: &Folder, line: &[&str]) -> Ran {
    lop(folder, &[&["--max-tests", "3", "--no-checkup"], line].concat()).expect_code(3)
}

#[track_caller]
fn says(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(ran.stderr.contains(word), "{word} is missing in\n{}", ran.stderr);
    }
}

fn here(folder: &Folder) -> String {
    folder.path(".").canonicalize().expect("it is there").display().to_string()
}

#[test]
fn a_compilers_relative_directories_are_those_of_the_user() {
    let folder = folder();
    for option in [&["-I", "include"][..], &["-isystem", "include"], &["-Wall", "-I./include/"]] {
        let ran = begun(&folder, &[&["src/case.c", "--", "gcc"], option, &["-c", "@@"]].concat());
        says(&ran, &["has no member named", "relative paths made absolute", &format!("{}/include", here(&folder))]);
    }
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]).expect_code(0);
    says(&ran, &["has no member named"]);
    let result = String::from_utf8(folder.read("small")).expect("plain");
    assert!(result.contains("struct node") && !result.contains("unused"), "{result}");
}

#[test]
fn words_of_any_command_are_made_absolute_where_that_is_what_is_missing() {
    let folder = folder();
    folder.write("check.sh", complains("true"));
    folder.script("run.sh", &complains("true"));
    folder.write("x.toml", "bug\n");
    folder.write("args.rsp", "x.toml\n");
    folder.write("with_option.sh", complains("test -f \"${2#*=}\""));
    let own = folder.path("with_option.sh").display().to_string();
    for (line, change) in [
        (vec!["sh", "check.sh", "@@"], "check.sh -> HERE/check.sh"),
        (vec!["sh", &own, "@@", "--config=x.toml"], "--config=x.toml -> --config=HERE/x.toml"),
        (vec!["sh", &own, "@@", "x.toml"], "x.toml -> HERE/x.toml"),
        (vec!["./run.sh", "@@"], ""),
    ] {
        let ran = lop(&folder, &[&["case.txt", "--"], &line[..]].concat()).expect_code(0);
        says(&ran, &["condition stderr matching /^error: bug found/", &change.replace("HERE", &here(&folder))]);
        assert_eq!(ran.stderr.contains("relative paths"), !change.is_empty(), "{}", ran.stderr);
        assert!(String::from_utf8_lossy(&folder.read("small")).contains("bug"), "{line:?}");
    }
}

#[test]
fn other_languages_tools_find_what_they_name() {
    if !["make", "node", "python3"].iter().all(|tool| has(tool)) {
        return;
    }
    let folder = folder();
    folder.write("checker.py", "import sys\nif 'bug' in open(sys.argv[1]).read(): sys.exit('error: bug found')\n");
    folder.write(
        "hook.js",
        "if (require('fs').readFileSync(process.argv[1], 'utf8').includes('bug')) { console.error('error: bug found'); process.exit(1); }\n",
    );
    folder
        .write("Makefile.t", "%.txt: FORCE\n\t@! grep -q bug $@ || { echo 'error: bug found' >&2; exit 1; }\nFORCE:\n");
    folder.write("code.js", "a();\nbug();\n");
    let ran = begun(&folder, &["case.txt", "--", "make", "-s", "-f", "Makefile.t", "@@"]);
    says(&ran, &["Makefile.t -> ", "error: bug found"]);
    // A module is no word that could be made absolute.
    let line = ["case.txt", "--", "python3", "-m", "checker", "@@"];
    let ran = lop(&folder, &line).expect_code(2);
    says(&ran, &["case.txt --with checker.py -- python3 -m checker @@"]);
    lop(&folder, &[&["--with", "checker.py"], &line[..]].concat()).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("small")).contains("bug"));
    if !has("node") {
        return;
    }
    let ran = begun(&folder, &["code.js", "--", "node", "--require", "./hook.js", "@@"]);
    says(&ran, &["./hook.js -> ", "error: bug found"]);
}

#[test]
fn what_is_missing_beside_the_file_is_named_with_the_line_that_works() {
    let folder = folder();
    folder.write("src/beside.h", "#include \"deeper.h\"\n");
    folder.write("src/deeper.h", HEADER);
    folder.write("src/unused.h", HEADER);
    folder.write("src/case.c", CASE.replace("<api.h>", "\"beside.h\""));
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-c", "@@"]).expect_code(2);
    says(
        &ran,
        &[
            "error: a file is missing in the test's directory",
            "beside.h: No such file or directory",
            "src/case.c --with src/beside.h --with src/deeper.h -- gcc -c @@\n",
        ],
    );
    let with = ["--with", "src/beside.h", "--with", "src/deeper.h"];
    let ran = begun(&folder, &[&with, &["src/case.c", "--", "gcc", "-c", "@@"][..]].concat());
    says(&ran, &["has no member named"]);
    // Words and things together.
    folder.write("src/deeper.h", "#include <api.h>\n");
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]).expect_code(2);
    says(&ran, &[&format!("--with src/deeper.h -- gcc -I{}/include -c @@\n", here(&folder))]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_command_that_names_the_file_itself_is_told_of_the_mark() {
    let folder = folder();
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "src/case.c"]).expect_code(2);
    says(&ran, &["the command names the original file", "write @@ for the candidate"]);
    assert!(!folder.path("small").exists());
}

/// A message about a file that is missing here as well says nothing of directories.
#[test]
fn a_file_that_is_missing_everywhere_is_the_failure_that_is_kept() {
    let folder = folder();
    folder.write("src/case.c", CASE.replace("<api.h>", "\"nowhere.h\""));
    let ran = begun(&folder, &["src/case.c", "--", "gcc", "-c", "@@"]);
    says(&ran, &["condition stderr matching", "nowhere"]);
}

/// FIXME: nothing but the missing file itself could tell. The condition says what is kept, and `--with .toolrc` mends it.
#[test]
fn a_command_that_says_nothing_of_what_it_misses_is_reduced_by_its_other_failure() {
    let folder = folder();
    folder.script("../tool", &complains("test -e .toolrc"));
    let tool = folder.path("../tool").canonicalize().expect("it is there");
    folder.write(".toolrc", "x");
    let line = ["case.txt", "--", tool.to_str().expect("plain"), "@@"];
    let ran = lop(&folder, &line);
    says(&ran, &["error: nothing to work with"]);
    let ran = begun(&folder, &[&["--with", ".toolrc"], &line[..]].concat());
    says(&ran, &["error: bug found"]);
}

#[test]
fn the_file_may_be_anywhere_and_named_in_any_way() {
    let folder = folder();
    let elsewhere = Folder::new();
    elsewhere.write("case.c", CASE);
    let far = elsewhere.path("case.c").display().to_string();
    let near = folder.path("src/case.c").display().to_string();
    symlink("src", folder.path("link")).expect("our own folder");
    fs::create_dir(folder.path("a folder")).expect("our own folder");
    folder.write("a folder/c'ase.c", CASE);
    for file in [far.as_str(), &near, "link/case.c", "./src/../src/case.c", "a folder/c'ase.c"] {
        let ran = begun(&folder, &[file, "--", "gcc", "-Iinclude", "-c", "@@"]);
        says(&ran, &["has no member named", "-Iinclude -> "]);
    }
    // From below, with the way up.
    let ran = {
        let mut command = folder.command(&[
            "-j1",
            "--no-state",
            "--max-tests",
            "3",
            "-o",
            "../small",
            "case.c",
            "--",
            "gcc",
            "-I../include",
            "-c",
            "@@",
        ]);
        command.current_dir(folder.path("src"));
        crate::support::finish(command.spawn().expect("lop can be started")).expect_code(3)
    };
    says(&ran, &["has no member named", "-I../include -> "]);
    // From above, where tests are run below, and from the very top, where what the kernel shows as files is, too.
    let top = folder.path(".").canonicalize().expect("it is there");
    let small = folder.path("small").display().to_string();
    for (from, include) in [
        (top.join(".."), "-Iwork/include".to_owned()),
        ("/".into(), format!("-I{}", &top.join("include").display().to_string()[1..])),
    ] {
        let mut command = folder.command(&[
            "-j1",
            "--no-state",
            "--max-tests",
            "3",
            "-o",
            &small,
            &near,
            "--",
            "gcc",
            &include,
            "-c",
            "@@",
        ]);
        command.current_dir(&from);
        let ran = crate::support::finish(command.spawn().expect("lop can be started"));
        says(&ran, &["has no member named", &format!("{include} -> ")]);
    }
}

#[test]
fn the_words_that_were_made_absolute_are_those_of_the_journal() {
    let folder = folder();
    let line = ["src/case.c", "-j1", "-o", "small", "--max-tests", "4", "--", "gcc", "-Iinclude", "-c", "@@"];
    let ran = folder.lop(&line).expect_code(3);
    says(&ran, &[&format!("-- gcc -I{}/include -c @@", here(&folder))]);
    let ran = folder.lop(&["resume", "small.lop"]).expect_code(0);
    assert!(!ran.stderr.contains("relative paths"), "it was settled when the run began\n{}", ran.stderr);
    let result = folder.path("small").display().to_string();
    let verify = || {
        let mut command = folder.command(&["verify", &result]);
        crate::support::finish(command.current_dir("/").spawn().expect("lop can be started"))
    };
    let ran = verify().expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("is interesting"), "{ran:?}");
    // Later something is missing that was there.
    fs::rename(folder.path("include"), folder.path("gone")).expect("our own folder");
    verify().expect_code(1);
}

#[test]
fn with_a_condition_words_are_made_absolute_as_well() {
    let folder = folder();
    let command = ["--", "gcc", "-Iinclude", "-c", "@@"];
    let ran = begun(&folder, &[&["src/case.c", "--stderr", "no member"], &command[..]].concat());
    says(&ran, &["-Iinclude -> "]);
    let ran = lop(&folder, &[&["src/case.c", "--exit-code", "1"], &command[..]].concat());
    says(&ran, &["-Iinclude -> "]);
    let ran = begun(&folder, &[&["-q", "src/case.c", "--stderr", "no member"], &command[..]].concat());
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_script_that_refuses_its_input_only_in_its_own_directory_says_what_it_misses() {
    let folder = folder();
    folder.write("words", "bug\n");
    folder.script("test.sh", "grep -q -f words \"$1\"");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    says(&ran, &["the test rejects case.txt itself", "./test.sh case.txt --with words\n"]);
    begun(&folder, &["--with", "words", "./test.sh", "case.txt"]);
    // One that says no everywhere misses nothing.
    folder.script("test.sh", "exit 1");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    assert!(!ran.stderr.contains("--with"), "{}", ran.stderr);
}

#[test]
fn the_words_of_a_second_command_are_absolute_as_well() {
    let folder = folder();
    folder.write("case.c", CASE.replace("n->depth", "n->kind"));
    let second = "gcc -Iinclude -fsyntax-only @@";
    let line = ["--while-passing", second, "case.c", "--stdout", "unused", "--", "grep", "unused", "@@"];
    lop(&folder, &line).expect_code(0);
    let result = String::from_utf8_lossy(&folder.read("small")).into_owned();
    assert!(result.contains("unused"), "{result}");
    folder.write("result.c", &result);
    lop(&folder, &["result.c", "--exit-code", "0", "--", "gcc", "-Iinclude", "-fsyntax-only", "@@"]);
}

#[test]
fn a_command_that_changes_its_mind_is_flaky() {
    let folder = folder();
    let count = folder.path("../tmp/count").display().to_string();
    // When its failure is looked at for the second time there is none.
    let script = format!("echo x >> '{count}'; test $(wc -l < '{count}') = 2 && exit 0; echo error: bad >&2; exit 3");
    let line = ["case.txt", "--", "sh", "-c", &script];
    let ran = lop(&folder, &line).expect_code(4);
    says(&ran, &["the test is flaky", "ended with exit code 3, another with exit code 0", "--flaky"]);
}

#[test]
fn outputs_go_to_the_tests_directory_and_a_hang_finds_its_files() {
    let folder = folder();
    fs::create_dir(folder.path("../build")).expect("our own folder");
    folder.write("../build/case.o", "mine\n");
    let writes = "grep -q bug \"$1\" && test -e \"$2/api.h\" && echo 'warning: bug' >&2 && echo x > \"$4\"";
    let line = |out| {
        ["--stderr", "bug", "--exit-code", "0", "case.txt", "--", "sh", "-c", writes, "sh", "@@", "include", "-o", out]
    };
    // A file that it writes there stays with the test.
    let ran = begun(&folder, &line("../build/case.o"));
    says(
        &ran,
        &[&format!(
            "relative paths made absolute, as tests run in another directory: include -> {}/include, ../build/case.o -> case.o\n",
            here(&folder)
        )],
    );
    assert_eq!(folder.read("../build/case.o"), b"mine\n");
    let hangs = "grep -q bug \"$1\" && test -e \"$2/api.h\" && sleep 600; exit 1";
    let line =
        ["--timeout", "10", "--timeout-is-interesting", "case.txt", "--", "sh", "-c", hangs, "sh", "@@", "include"];
    let ran = begun(&folder, &line);
    says(&ran, &[&format!(": include -> {}/include\n", here(&folder))]);
    // A condition that holds nowhere is none of the words' business.
    let line = ["--stderr", "nonsense", "case.txt", "--", "sh", "-c", "exit 1", "sh", "@@"];
    let ran = lop(&folder, &line).expect_code(1);
    assert!(!ran.stderr.contains("relative paths"), "{}", ran.stderr);
}

#[test]
fn the_doctor_names_what_a_test_misses() {
    let folder = folder();
    folder.write("words", "bug\n");
    folder.script("test.sh", "grep -q -f words \"$1\"");
    for line in [&["doctor", "./test.sh", "case.txt"][..], &["doctor", "src/case.c", "--", "gcc", "-c", "@@"]] {
        folder.write("src/beside.h", HEADER);
        folder.write("src/case.c", CASE.replace("<api.h>", "\"beside.h\""));
        let ran = folder.lop(line).expect_code(1);
        let said = String::from_utf8(ran.stdout).expect("plain");
        assert!(said.contains("paths") && said.contains("reduce with --with "), "{line:?}: {said}");
    }
    folder.write("src/case.c", CASE);
    let ran = folder.lop(&["doctor", "src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("-Iinclude -> "), "{ran:?}");
}

/// The messages of tools in other languages about a file beside the test case.
#[test]
fn tools_of_other_languages_are_understood() {
    let folder = folder();
    fs::create_dir(folder.path("pkg")).expect("our own folder");
    for (name, text) in [
        ("util.mjs", "export const a = 1;\n"),
        ("main.mjs", "import { b } from './util.mjs';\nb();\n"),
        ("util.js", "exports.a = 1;\n"),
        ("main.js", "require('./util').b();\n"),
        ("pkg/__init__.py", ""),
        ("main.py", "from pkg import nothing\n"),
        ("Used.java", "class Used { }\n"),
        ("Main.java", "class Main { void f() { new Used().g(); } }\n"),
    ] {
        folder.write(name, text);
    }
    for (file, tool, needed) in [
        ("main.mjs", "node", "util.mjs"),
        ("main.js", "node", "util.js"),
        ("main.py", "python3", "pkg"),
        ("Main.java", "javac", "Used.java"),
    ] {
        if has(tool) {
            let ran = lop(&folder, &[file, "--", tool, "@@"]).expect_code(2);
            says(&ran, &[&format!("{file} --with {needed} -- {tool} @@\n")]);
            assert!(!ran.stderr.contains("/lop-"), "{}", ran.stderr);
        }
    }
}
