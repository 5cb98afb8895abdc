//! `--reduce-args`: the arguments of the command are reduced, alone or with files.

use crate::support::Folder;

/// Needs `-O2`, the pair `-x c` and the file with `wanted` in it.
const COMPILER: &str = r#"case " $* " in *" -O2 "*) ;; *) exit 0;; esac
case " $* " in *" -x c "*) ;; *) exit 0;; esac
for file; do :; done
grep -q wanted "$file" || exit 0
echo "internal compiler error: in wanted" >&2
exit 4"#;

const INPUT: &str = "int first;\nint wanted;\nint last;\n";

fn with_compiler() -> Folder {
    let folder = Folder::new();
    folder.script("cc.sh", COMPILER);
    folder.write("a.c", INPUT);
    folder
}

const COMMAND: [&str; 9] = ["--", "./cc.sh", "-g", "-O2", "-Wall", "-x", "c", "-DX=a b", "@@"];

#[test]
fn the_arguments_and_the_file_become_few() {
    let folder = with_compiler();
    let words = [&["-j1", "--reduce-args", "a.c"][..], &COMMAND].concat();
    let said = folder.lop(&words).expect_code(0).stderr;
    assert!(said.contains("/cc.sh -O2 -x c a.c\n"), "{said}");
    assert_eq!(folder.read("a.c"), b"wanted;\n");
    assert_eq!(folder.read("a.c.orig"), INPUT.as_bytes());
}

#[test]
fn a_result_elsewhere_is_a_file_and_verify_asks_the_command_that_is_left() {
    let folder = with_compiler();
    let words = [&["-qj1", "--reduce-args", "-o", "small.c", "a.c"][..], &COMMAND].concat();
    folder.lop(&words).expect_code(0);
    assert_eq!((folder.read("small.c"), folder.read("a.c")), (b"wanted;\n".to_vec(), INPUT.as_bytes().to_vec()));
    let said = folder.lop(&["verify", "small.c"]).expect_code(0).stdout;
    assert!(String::from_utf8_lossy(&said).starts_with("small.c is interesting and 1-minimal by token"), "{said:?}");
}

#[test]
fn a_result_elsewhere_is_there_from_the_first_step_and_takes_the_place_of_an_earlier_one() {
    let folder = with_compiler();
    // Only an argument has gone so far, and the file is as it was.
    let words = [&["-qj1", "--reduce-args", "--max-tests", "7", "-o", "small.c", "a.c"][..], &COMMAND];
    folder.lop(&words.concat()).expect_code(3);
    assert!(folder.path("small.c").exists());
    for _ in 0..2 {
        let words = [&["-qj1", "--reduce-args", "-o", "small.c", "a.c"][..], &COMMAND].concat();
        let said = folder.lop(&words).expect_code(0).stderr;
        assert!(said.is_empty() && !folder.path("small.c.reduced").exists(), "{said}");
        assert_eq!(folder.read("small.c"), b"wanted;\n");
    }
}

#[test]
fn a_command_alone_is_printed_or_written_as_a_line() {
    let folder = Folder::new();
    folder.script("tool.sh", "test $# -gt 0 || exit 0\ncase \"$*\" in *\"two words\"*) echo found;; esac");
    let command = ["--", "./tool.sh", "one", "two words", "--three", ""];
    let words = [&["-qj1", "--reduce-args", "--stdout", "found"][..], &command].concat();
    let line = folder.lop(&words).expect_code(0).stdout;
    assert!(String::from_utf8_lossy(&line).ends_with("tool.sh 'two words'\n"), "{line:?}");
    let words = [&["-qj1", "--reduce-args", "--stdout", "found", "-o", "small.sh"][..], &command].concat();
    assert_eq!(folder.lop(&words).expect_code(0).stdout, b"");
    assert!(folder.read("small.sh").ends_with(b"tool.sh 'two words'\n"));
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_end() {
    let folder = with_compiler();
    let words = [&["-j1", "--reduce-args", "--max-tests", "9", "a.c"][..], &COMMAND].concat();
    folder.lop(&words).expect_code(3);
    assert_ne!(folder.read("a.c"), b"wanted;\n");
    let said = folder.lop(&["resume", "a.c.lop"]).expect_code(0).stderr;
    assert!(said.contains("/cc.sh -O2 -x c a.c\n"), "{said}");
    assert_eq!(folder.read("a.c"), b"wanted;\n");
}

#[test]
fn the_file_has_the_name_that_the_command_wants() {
    let folder = with_compiler();
    let command = ["--", "./cc.sh", "-g", "-O2", "-x", "c", "@@.i"];
    let said = folder.lop(&[&["-j1", "--reduce-args", "a.c"][..], &command].concat()).expect_code(0).stderr;
    assert!(said.contains("/cc.sh -O2 -x c a.c.i\n") && folder.read("a.c") == b"wanted;\n", "{said}");
}

#[test]
fn a_result_of_the_history_has_its_command() {
    let folder = with_compiler();
    folder.lop(&[&["-qj1", "--reduce-args", "-o", "small.c", "a.c"][..], &COMMAND].concat()).expect_code(0);
    let said = folder.lop(&["history", "small.c.lop", "--at", "0", "-o", "first"]).expect_code(0).stdout;
    assert!(String::from_utf8_lossy(&said).contains(" -g -O2 -Wall -x c '-DX=a b' "), "{said:?}");
    assert_eq!(folder.read("first/a.c"), INPUT.as_bytes());
    let command = ["--", "sh", "-c", "test \"$1\" && echo found", "sh", "x", "y"];
    let words = [&["-qj1", "--reduce-args", "--stdout", "found", "-o", "small.sh"][..], &command].concat();
    folder.lop(&words).expect_code(0);
    folder.lop(&["history", "small.sh.lop", "--at", "0", "-o", "whole.sh"]).expect_code(0);
    assert!(folder.read("whole.sh").ends_with(b"' sh x y\n"));
    let piped = folder.lop(&[&["--reduce-args", "-"][..], &COMMAND].concat()).expect_code(2).stderr;
    assert!(piped.contains("--reduce-args cannot be combined with standard input"), "{piped}");
}

#[test]
fn the_bug_report_has_the_command_that_is_left() {
    let folder = with_compiler();
    let words = [&["-qj1", "--reduce-args", "--format-issue", "-o", "small.c", "a.c"][..], &COMMAND].concat();
    let said = String::from_utf8_lossy(&folder.lop(&words).expect_code(0).stdout).into_owned();
    assert!(said.contains("Save as `a.c`:\n\n```c\nwanted;\n```") && said.contains("cc.sh -O2 -x c a.c\n"), "{said}");
}

#[test]
fn a_directory_goes_with_the_arguments() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("p/src")).expect("writable");
    folder.write("p/src/a.c", INPUT);
    folder.write("p/b.c", INPUT);
    folder.script("cc.sh", COMPILER);
    let command = ["--", "./cc.sh", "-g", "-O2", "-x", "c", "@@/b.c", "@@/src/a.c"];
    let said = folder.lop(&[&["-j1", "--reduce-args", "-o", "out", "p"][..], &command].concat()).expect_code(0).stderr;
    assert!(said.contains("/cc.sh -O2 -x c p/") && said.contains("2 → 1 file, "), "{said}");
}

#[test]
fn the_crash_pair_of_clang_is_understood() {
    let folder = with_compiler();
    std::fs::rename(folder.path("a.c"), folder.path("a-1f.c")).expect("our own file");
    let compiler = folder.path("cc.sh");
    let script = format!(
        "# Crash reproducer for clang version 14.0.0\n# Driver args: \"-O2\" \"a.c\"\n# Original command:  \"cc\" \
         \"a.c\"\n \"{}\" \"-g\" \"-O2\" \"-main-file-name\" \"a.c\" \"-x\" \"c\" \"a-1f.c\"\n",
        compiler.display()
    );
    folder.write("a-1f.sh", script);
    let said = folder.lop(&["-j1", "a-1f.sh"]).expect_code(0).stderr;
    assert!(said.contains("a-1f.sh is a crash reproducer: reducing a-1f.c"), "{said}");
    assert!(said.contains("/cc.sh -O2 -x c a-1f.c\n"), "{said}");
    assert_eq!(folder.read("a-1f.c"), b"wanted;\n");
    std::fs::remove_file(folder.path("a-1f.c")).expect("our own file");
    let said = folder.lop(&["-j1", "a-1f.sh"]).expect_code(2).stderr;
    assert!(said.contains("its command has no input next to it"), "{said}");
}

#[test]
fn a_script_has_no_arguments_that_could_go() {
    let folder = with_compiler();
    for words in [&["--reduce-args", "./cc.sh", "a.c"][..], &["--reduce-args"], &["--reduce-args", "a.c"]] {
        let said = folder.lop(words).expect_code(2).stderr;
        assert!(said.contains("--reduce-args needs a command"), "{said}");
    }
}

#[test]
fn an_argument_that_is_not_text_stays_as_it_is() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    folder.script("t.sh", "for word; do case $word in *bug*) printf '%s' \"$word\" | od -An -tx1 | grep -q ff && exit 0;; esac; done; exit 1");
    let mut words: Vec<&std::ffi::OsStr> =
        ["-o", "small.sh", "--exit-code", "0", "--reduce-args", "--", "./t.sh", "a"].map(std::ffi::OsStr::new).to_vec();
    words.extend([std::ffi::OsStr::from_bytes(b"-D bug\xff"), std::ffi::OsStr::new("b")]);
    folder.lop(&words).expect_code(0);
    assert_eq!(folder.read("small.sh"), b"./t.sh '-D bug\xff'\n");
    let said = folder.lop(&["verify", "small.sh"]).expect_code(0).stdout;
    assert!(String::from_utf8_lossy(&said).starts_with("small.sh is interesting and 1-minimal"), "{said:?}");
}

#[test]
fn a_command_that_was_edited_is_not_verified() {
    let folder = Folder::new();
    folder.lop(&["-o", "small.sh", "--stdout", "x", "--reduce-args", "--", "echo", "a", "x", "b"]).expect_code(0);
    folder.lop(&["verify", "small.sh"]).expect_code(0);
    folder.write("small.sh", "echo x y\n");
    let ran = folder.lop(&["verify", "small.sh"]).expect_code(2);
    assert!(ran.stderr.contains("is not the command at the end of the journal"), "{}", ran.stderr);
}
