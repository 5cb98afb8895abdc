//! Test cases of several files: directories, and files side by side.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lop::{Config, Error, Files};

use crate::support::{Folder, TIMEOUT, has, many, until};

/// The paths below a folder with their contents; a link with where it leads.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = vec![root.to_owned()];
    while let Some(folder) = rest.pop() {
        for entry in fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()) {
            let name = entry.strip_prefix(root).expect("below").to_string_lossy().into_owned();
            if entry.is_symlink() {
                found.insert(name, format!("-> {}", entry.read_link().expect("a link").display()));
            } else if entry.is_dir() {
                found.insert(format!("{name}/"), String::new());
                rest.push(entry);
            } else {
                found.insert(name, String::from_utf8_lossy(&fs::read(&entry).expect("readable")).into_owned());
            }
        }
    }
    found
}

/// A small project in C whose function is needed with its declaration.
fn project(folder: &Folder) -> PathBuf {
    for name in ["p/src", "p/include", "p/empty", "p/.git"] {
        fs::create_dir_all(folder.path(name)).expect("writable");
    }
    folder.write("p/src/main.c", "#include \"a.h\"\nint g(int a) { return a; }\nint main(void) { return f(1, 2); }\n");
    folder.write("p/src/other.c", "int h(void) { return 2; }\n");
    folder.write("p/include/a.h", "int f(int a, int b);\nint k(void);\nstruct s { int a; };\n");
    folder.write("p/notes.txt", "one\ntwo\nthree\n");
    folder.write("p/.git/HEAD", "ref: refs/heads/main\n");
    folder.path("p")
}

/// Looks for the call and for the declaration.
const TEST: &str = "grep -q 'f(' p/src/main.c && grep -q 'int f' p/include/a.h";

fn has_text(files: &Files, path: &str, text: &str) -> bool {
    files.get(Path::new(path)).is_some_and(|content| String::from_utf8_lossy(content).contains(text))
}

#[test]
fn a_directory_is_reduced_in_place_and_its_original_is_whole() {
    let folder = Folder::new();
    project(&folder);
    let before = tree(&folder.path("p"));
    folder.script("test.sh", TEST);
    let ran = folder.lop(&["-j1", "./test.sh", "p"]).expect_code(0);
    let expected = [("include/", ""), ("include/a.h", "int f;\n"), ("src/", ""), ("src/main.c", "f();\n")];
    let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(tree(&folder.path("p")), BTreeMap::from(expected));
    assert_eq!(tree(&folder.path("p.orig")), before);
    let said = ran.stderr;
    assert!(said.contains(" tokens ") && said.contains("  2 files\n"), "{said}");
    assert!(said.contains("5 → 2 files, ") && said.contains("ignored: .git"), "{said}");
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_place_that_a_message_names_is_looked_for_in_the_file_that_it_names() {
    let folder = Folder::new();
    project(&folder);
    // The same line of two files, of which one has the call.
    folder.script("tool.sh", "echo \"$1/src/main.c:3:25: error: bad\"; echo \"$1/src/other.c:1:1: note: fine\"");
    let words = |at, out| {
        ["-j1", "--skip", "flatten", "-o", out, "--stdout", "error: bad", "--at", at, "p", "--", "./tool.sh", "@@"]
    };
    folder.lop(&words("f\\(1", "out")).expect_code(0);
    assert!(tree(&folder.path("out"))["src/main.c"].contains("f(1"));
    let said = folder.lop(&words("int h", "none")).expect_code(1).stderr;
    assert!(said.contains("the test rejects p itself"), "{said}");
}

#[test]
fn a_test_that_rejects_a_directory_is_told_where_its_files_are() {
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", "grep -q main src/*.c");
    let said = folder.lop(&["-o", "out", "test.sh", "p"]).expect_code(1).stderr;
    assert!(said.ends_with("hint: the test runs in a directory with a copy of p, so its files are in p/\n"), "{said}");
}

#[test]
fn a_file_that_begins_like_an_archive_is_still_a_file() {
    let folder = Folder::new();
    let lines =
        ["lop-files-0123abcd", "// DDBEGIN", "int a;", "int bug(2);", "// DDEND", "lop-files-0123abcd file 644 x"];
    let input = lines.join("\n") + "\n";
    folder.write("input.txt", &input);
    folder.script("tool.sh", r#"grep -n bug "$1" | sed 's|^\([0-9]*\):.*|input.txt:\1:5: error: bad|'"#);
    let condition = ["--stdout", "error: bad", "--at", "bug"];
    let ran = folder.lop(&[&["-j1"][..], &condition, &["input.txt", "--", "./tool.sh", "@@"]].concat());
    let said = ran.expect_code(0).stderr;
    assert!(said.contains("lines 3-4 are reduced, those between DDBEGIN and DDEND"), "{said}");
    let result = String::from_utf8(folder.read("input.txt")).expect("text");
    let [first, begin, .., end, last] = lines;
    assert_eq!(result, [first, begin, "int bug", end, last].join("\n") + "\n");
    // The journal knows that it was a file.
    folder.lop(&["history", "input.txt.lop", "--at", "0", "-o", "before"]).expect_code(0);
    assert_eq!(folder.read("before"), input.as_bytes());
}

#[test]
fn the_page_and_the_explanation_go_file_by_file() {
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", TEST);
    let words = ["-qj1", "-o", "out", "--explain", "--report", "out.html", "./test.sh", "p"];
    let said = String::from_utf8_lossy(&folder.lop(&words).expect_code(0).stdout).into_owned();
    assert!(said.contains("  include/a.h:1:5  "), "{said}");
    let page = String::from_utf8(folder.read("out.html")).expect("text");
    assert!(page.contains("<h3>include/a.h</h3>") && page.contains("<h3>src/main.c</h3>"), "{page}");
    assert!(page.contains("<i>3</i><code>int main(void) { return f(1, 2); }</code>") && !page.contains("lop-files-"));
}

#[test]
fn a_result_goes_into_a_new_directory_and_the_input_stays() {
    let folder = Folder::new();
    project(&folder);
    let before = tree(&folder.path("p"));
    let words = ["-j2", "-o", "out", "p", "--", "grep", "-q", "f(1", "@@/src/main.c"];
    folder.lop(&words).expect_code(0);
    assert_eq!(tree(&folder.path("out"))["src/main.c"], "f(1);\n");
    assert_eq!(tree(&folder.path("p")), before);
    let taken = folder.lop(&words).expect_code(2);
    assert!(taken.stderr.contains("the output out is not empty"));
}

#[test]
fn files_side_by_side_keep_their_paths_and_have_an_original_each() {
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", &format!("[ \"$1\" = \"$PWD/p/src/main.c\" ] && {TEST}"));
    folder.lop(&["-j1", "./test.sh", "p/src/main.c", "p/include/a.h", "p/src/other.c"]).expect_code(0);
    let now = tree(&folder.path("p"));
    assert_eq!((&*now["src/main.c"], &*now["include/a.h"]), ("f();\n", "int f;\n"));
    assert!(!now.contains_key("src/other.c") && now.contains_key("src/other.c.orig"));
    assert!(now["src/main.c.orig"].contains("int g(int a)"));
}

#[test]
fn paths_of_several_files_are_numbered_in_a_command() {
    let folder = Folder::new();
    folder.write("a.txt", "one\ntwo\n");
    folder.write("b.txt", "three\nfour\n");
    folder.script("both.sh", "grep -q two \"$1\" && grep -q four \"$2\"");
    let script = folder.path("both.sh");
    let script = script.to_str().expect("plain");
    folder.lop(&["-j1", "-o", "out", "a.txt", "b.txt", "--", script, "@@1", "@@2"]).expect_code(0);
    assert_eq!(tree(&folder.path("out")).into_values().collect::<Vec<_>>(), ["two", "four"]);
}

#[test]
fn several_files_that_are_all_empty_are_no_result() {
    if !has("python3") {
        return;
    }
    let folder = Folder::new();
    for name in ["e1.json", "e2.json"] {
        folder.write(name, "{\"a\": [1,2,,3]}\n");
    }
    folder.write("a.json", "{\"a\": [1, 2, 3]}\n");
    fs::create_dir(folder.path("d")).expect("writable");
    folder.write("d/a.json", "{\"a\": [1, 2, 3]}\n");
    let json_tool = ["-m", "json.tool"];
    // The command looks at the first file, whose message is that of an empty one unless the place counts.
    let ran =
        folder.lop(&[&["-y", "-o", "r1", "e1.json", "a.json", "--", "python3"], &json_tool[..], &["@@1"]].concat());
    ran.expect_code(0);
    let left = String::from_utf8(folder.read("r1/e1.json")).expect("it is text");
    assert_eq!(left.split_whitespace().collect::<String>(), "[1,,");
    // The place is the same in both files, so nothing is special about the one that is tested.
    let refused =
        folder.lop(&[&["-y", "-o", "r2", "e1.json", "e2.json", "--", "python3"], &json_tool[..], &["@@1"]].concat());
    assert!(refused.expect_code(1).stderr.contains("say what to keep with --stderr RE"));
    for (result, files, command) in
        [("r3", &["a.json", "e1.json"][..], &["cat", "@@1", "@@2"][..]), ("r4", &["d"], &["cat", "@@/a.json"])]
    {
        let ran = folder.lop(&[&["-o", result], files, &["--"], command].concat()).expect_code(2);
        assert!(ran.stderr.contains("and on an empty file, so there is no failure to keep"), "{}", ran.stderr);
    }
    // A condition of one's own that empty files meet is refused, and a result that says nothing is named.
    let own = ["--exit-code", "0", "-o", "r5", "d", "--", "cat", "@@/a.json"];
    let ran = folder.lop(&own).expect_code(2);
    assert!(ran.stderr.contains("--allow-empty"), "{}", ran.stderr);
    assert!(!folder.path("r5").exists());
    let ran = folder.lop(&[&["doctor"], &["a.json", "e1.json", "--", "cat", "@@1", "@@2"][..]].concat()).expect_code(1);
    let findings = String::from_utf8_lossy(&ran.stdout);
    assert!(findings.contains("the test accepts the empty file"), "{findings}");
}

#[test]
fn a_script_before_a_command_is_no_file_to_reduce() {
    let folder = Folder::new();
    folder.write("orders.json", "[1, 2]\n");
    folder.script("test.sh", "grep -q 1 orders.json");
    let ran = folder.lop(&["./test.sh", "orders.json", "--", "cat", "@@"]).expect_code(2);
    assert!(ran.stderr.contains("give either TEST or a command"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["orders.json", "test.sh"]);
    assert_eq!(folder.read("orders.json"), b"[1, 2]\n");
    // A script that the command names by its number is one of the files.
    let named = ["--stdout", "1", "-o", "r", "./test.sh", "orders.json", "--", "cat", "@@1", "@@2"];
    folder.lop(&named).expect_code(0);
}

#[test]
fn links_modes_and_empty_folders_are_part_of_a_candidate() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("p/bin")).expect("writable");
    fs::create_dir_all(folder.path("p/empty")).expect("writable");
    let run = folder.script("p/bin/run", "exit 7");
    fs::set_permissions(&run, Permissions::from_mode(0o750)).expect("ours");
    symlink("bin/run", folder.path("p/link")).expect("a link");
    symlink("/etc/hosts", folder.path("p/far")).expect("a link");
    folder.write("p/more", "text\n");
    folder.script("test.sh", "[ -d p/empty ] && [ ! -e p/far ] && [ ! -L p/far ] && p/link; [ $? = 7 ]");
    folder.lop(&["-j1", "./test.sh", "p"]).expect_code(0);
    let now = tree(&folder.path("p"));
    assert_eq!(now.keys().collect::<Vec<_>>(), ["bin/", "bin/run", "empty/", "link"]);
    assert_eq!(fs::metadata(folder.path("p/bin/run")).expect("it is there").permissions().mode() & 0o777, 0o750);
}

#[test]
fn what_cannot_be_reduced_together_is_refused_with_a_way_out() {
    let folder = Folder::new();
    project(&folder);
    fs::create_dir(folder.path("nothing")).expect("writable");
    folder.script("test.sh", "true");
    folder.script("p/inner.sh", "true");
    for (words, said) in [
        (&["./test.sh", "p", "p/notes.txt"][..], "cannot combine the directory p with other files"),
        (&["./test.sh", "p/notes.txt", "missing"], "missing does not exist"),
        (&["./test.sh", "p/notes.txt", "./p/notes.txt"], "./p/notes.txt is named twice"),
        (&["./test.sh", "nothing"], "nothing has no files"),
        (&["-o", "-", "./test.sh", "p"], "a directory cannot be written to standard output"),
        (&["p/inner.sh", "p"], "is inside the directory to reduce"),
    ] {
        let ran = folder.lop(words).expect_code(2);
        let error = ran.stderr;
        assert!(error.contains(said) && error.contains("hint: "), "{error}");
    }
}

/// A directory is exchanged as a whole: at any instant it is one that the test found interesting, or the original is.
#[test]
fn a_kill_leaves_an_interesting_directory_and_resume_ends_with_the_same() {
    let folder = Folder::new();
    let lines: String = (0..40).map(|number| format!("int v{number};\n")).collect();
    let make = |name: &str| {
        fs::create_dir_all(folder.path(name)).expect("writable");
        for file in ["a.c", "b.c", "c.c"] {
            folder.write(&format!("{name}/{file}"), &lines);
        }
    };
    let test = |name: &str| format!("sleep 0.005; grep -q v7 {name}/a.c && grep -q v9 {name}/b.c");
    make("whole");
    folder.script("whole.sh", &test("whole"));
    folder.lop(&[&TIMEOUT[..], &["-j1", "./whole.sh", "whole"]].concat()).expect_code(0);
    for round in 0..many(3) {
        let name = format!("p{round}");
        make(&name);
        let script = folder.script(&format!("{name}.sh"), &test(&name));
        let mut child =
            folder.command(&[&TIMEOUT[..], &["-j1", "-q", script.to_str().expect("plain"), &name]].concat());
        let mut child = child.spawn().expect("lop runs");
        let journal = folder.path(&format!("{name}.lop/journal"));
        until("the journal is there", || journal.exists().then_some(()));
        // Wherever it strikes, what is said below holds.
        std::thread::sleep(Duration::from_millis(23 * round % 400));
        child.kill().expect("our own child");
        child.wait().expect("our own child");
        let original = folder.path(&format!("{name}.orig"));
        if original.exists() {
            assert_eq!(tree(&original).len(), 3);
        }
        let now = tree(&folder.path(&name));
        assert!(now["a.c"].contains("v7") && now["b.c"].contains("v9"), "{now:?}");
        let begun = journal.metadata().expect("it is there").len() > 0;
        let resumed = folder.lop(&["resume", "-q", &format!("{name}.lop")]);
        if !begun {
            continue;
        }
        resumed.expect_code(0);
        assert_eq!(tree(&folder.path(&name)), tree(&folder.path("whole")));
        assert_eq!(tree(&original).len(), 3);
    }
}

/// Files side by side are replaced one by one: what is there after a kill may be of two results. The originals are whole,
/// and the journal has the best result.
#[test]
fn a_kill_leaves_the_originals_of_files_side_by_side_and_resume_ends_with_the_same() {
    let folder = Folder::new();
    let lines: String = (0..40).map(|number| format!("int v{number};\n")).collect();
    let files = ["a.c", "b.c", "c.c"];
    let words = |name: &str| files.map(|file| format!("{name}/{file}"));
    let test = |name: &str| format!("sleep 0.005; grep -q v7 {name}/a.c && grep -q v9 {name}/b.c");
    let start = |name: &str| {
        fs::create_dir_all(folder.path(name)).expect("writable");
        for file in words(name) {
            folder.write(&file, &lines);
        }
        let script = folder.script(&format!("{name}.sh"), &test(name));
        let files = words(name).into_iter();
        [script.to_string_lossy().into_owned()].into_iter().chain(files).collect::<Vec<String>>()
    };
    let options = ["-j1", "-q", TIMEOUT[0], TIMEOUT[1]].map(str::to_owned);
    folder.lop(&[&options[..], &start("whole")].concat()).expect_code(0);
    let mut whole = tree(&folder.path("whole"));
    whole.retain(|path, _| !path.contains(".lop"));
    for round in 0..many(3) {
        let name = format!("p{round}");
        let mut child = folder.command(&[&options[..], &start(&name)].concat()).spawn().expect("lop runs");
        let state = format!("{name}/a.c.lop");
        let journal = folder.path(&format!("{state}/journal"));
        until("the journal is there", || journal.exists().then_some(()));
        std::thread::sleep(Duration::from_millis(23 * round % 400));
        child.kill().expect("our own child");
        child.wait().expect("our own child");
        for file in words(&name) {
            let original = folder.path(&format!("{file}.orig"));
            let is_whole = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text == lines);
            assert!(is_whole(&original) || is_whole(&folder.path(&file)), "{file}");
        }
        let begun = journal.metadata().expect("it is there").len() > 0;
        let resumed = folder.lop(&["resume", "-q", &state]);
        if begun {
            resumed.expect_code(0);
            let mut now = tree(&folder.path(&name));
            now.retain(|path, _| !path.contains(".lop"));
            assert_eq!(now, whole);
        }
    }
}

#[test]
fn a_directory_that_another_program_writes_to_is_left_alone() {
    let folder = Folder::new();
    let path = project(&folder);
    // The test plays the other program, once.
    let script = format!(
        "{TEST} && {{ [ -e done ] || [ ! -e {0}.orig ] || {{ echo mine > {0}/mine; }}; }}; {TEST}",
        path.display()
    );
    folder.script("test.sh", &script);
    let ran = folder.lop(&["-j1", "--no-checkup", "./test.sh", "p"]).expect_code(0);
    assert_eq!(fs::read_to_string(folder.path("p/mine")).expect("it was not lost"), "mine\n");
    assert!(ran.stderr.contains("the result goes to p.reduced"));
    assert_eq!(tree(&folder.path("p.reduced"))["src/main.c"], "f();\n");
}

/// 1,000 files of which 3 are needed, in folders as a project has them.
#[test]
fn a_thousand_files_go_in_tens_of_tests() {
    let name = |number: usize| format!("src/part{}/{}/file{number}.txt", number / 100, number / 10 % 10);
    let files: Files =
        (0..1_000).map(|number| (name(number).into(), format!("text {number}\n").into_bytes())).collect();
    let needed = [name(17), name(444), name(871)];
    let test = |files: &Files| needed.iter().all(|name| files.contains_key(Path::new(name)));
    let result = lop::reduce_tree(&files, test, &Config::new()).expect("it is interesting");
    let left: Vec<_> = result.files.keys().map(|path| path.to_string_lossy().into_owned()).collect();
    let mut expected = needed.to_vec();
    expected.sort();
    assert_eq!(left, expected);
    assert!(result.files.values().all(Vec::is_empty));
    assert!(result.report.tests.total() <= 60, "{} tests", result.report.tests.total());
}

/// A definition in one file goes with what refers to it in another.
#[test]
fn files_of_one_language_are_one_text() {
    let body = |number: usize| format!("int f{number}(void) {{ return f{}() + {number}; }}\n", number + 1);
    let mut files: Files = (0..30).map(|number| (format!("f{number}.c").into(), body(number).into_bytes())).collect();
    files.insert("f30.c".into(), b"int f30(void) { return 30; }\nint kept = 5;\n".to_vec());
    // As a linker has it: what is called is defined.
    let test = |files: &Files| {
        let all: String = files.values().map(|content| String::from_utf8_lossy(content).into_owned()).collect();
        let calls = (1..=30).filter(|number| all.contains(&format!("return f{number}()")));
        let mut defined = calls.map(|number| all.contains(&format!("int f{number}(")));
        all.contains("kept = 5") && defined.all(|is_there| is_there)
    };
    let result = lop::reduce_tree(&files, test, &Config::new()).expect("it is interesting");
    assert_eq!(result.files, Files::from([("f30.c".into(), b"kept = 5;\n".to_vec())]));
}

#[test]
fn a_file_without_a_language_is_reduced_as_text_and_a_binary_one_is_left() {
    let mut files = Files::new();
    files.insert("a.unknown".into(), b"one two\nthree four\n".to_vec());
    files.insert("b.bin".into(), b"\0\x01\x02needed\x03".to_vec());
    let test = |files: &Files| {
        has_text(files, "a.unknown", "three") && files.get(Path::new("b.bin")).is_some_and(|content| content.len() > 5)
    };
    let result = lop::reduce_tree(&files, test, &Config::new()).expect("it is interesting");
    assert_eq!(result.files[Path::new("a.unknown")], b"three");
    assert_eq!(result.files[Path::new("b.bin")].len(), 10);
}

#[test]
fn a_path_that_leads_out_is_no_file_of_a_tree() {
    for path in ["/etc/x", "../x", ""] {
        let files = Files::from([(path.into(), b"x".to_vec())]);
        let result = lop::reduce_tree(&files, |_: &Files| true, &Config::new());
        assert!(matches!(result, Err(Error::Path(_))), "{path}");
    }
}

#[test]
fn a_compiler_sees_the_files_of_a_candidate() {
    if !has("gcc") {
        return crate::support::missing("gcc");
    }
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", "gcc -Ip/include -c p/src/main.c -o m.o 2>err || exit 1; nm m.o | grep -q 'U f'");
    folder.lop(&["-j1", "./test.sh", "p"]).expect_code(0);
    let now = tree(&folder.path("p"));
    assert_eq!(now.keys().collect::<Vec<_>>(), ["src/", "src/main.c"], "the declaration is not needed to call it");
}

#[test]
fn an_include_becomes_what_it_names() {
    let files = Files::from([
        ("inc/a.h".into(), b"#ifndef A\n#define A\nint f(int a);\n#endif\n".to_vec()),
        ("src/m.c".into(), b"#include \"../inc/a.h\"\nint g(void) { return f(1); }\n".to_vec()),
    ]);
    // As a compiler has it: the declaration comes from the included file while there is an include.
    let test = |files: &Files| {
        let is_included = has_text(files, "src/m.c", "#include \"../inc/a.h\"") && has_text(files, "inc/a.h", "int f");
        has_text(files, "src/m.c", "f(1)") && (is_included || has_text(files, "src/m.c", "int f"))
    };
    let result = lop::reduce_tree(&files, test, &Config::new()).expect("it is interesting");
    assert_eq!(result.files.keys().collect::<Vec<_>>(), [Path::new("src/m.c")], "{:?}", result.files);
}

#[test]
fn a_module_takes_the_place_of_its_import() {
    let rows: [[&str; 7]; 3] = [
        [
            "m.js",
            "import './a.js';\n2n;\n",
            "a.js",
            "export function f() { g(1n); }\nf();\n",
            "import './a.js'",
            "2n",
            "1n",
        ],
        ["m.py", "from a import f\n2\n", "a.py", "def f(x):\n    g(1)\n", "from a import f", "\n2", "(1)"],
        ["m.rs", "mod a;\nfn f() { a::g(2) }\n", "a.rs", "pub fn g() { h(1) }\n", "mod a;", "(2)", "(1)"],
    ];
    for [main, text, other, content, import, needed, imported] in rows {
        let files = Files::from([(main.into(), text.into()), (other.into(), content.into())]);
        // The module runs if the main file imports it or has its text.
        let test = |files: &Files| {
            let is_imported = has_text(files, main, import) && has_text(files, other, imported);
            has_text(files, main, needed) && (is_imported || has_text(files, main, imported))
        };
        let result = lop::reduce_tree(&files, test, &Config::new()).expect("it is interesting");
        assert_eq!(result.files.keys().collect::<Vec<_>>(), [Path::new(main)], "{:?}", result.files);
    }
}

/// A header alone looks like C.
#[test]
fn a_header_is_in_the_language_of_the_files_beside_it() {
    let files = Files::from([
        ("a.h".into(), b"int f(int a);\n".to_vec()),
        ("m.cpp".into(), b"#include \"a.h\"\nclass c { int d = f(1); };\n".to_vec()),
    ]);
    let names = std::cell::RefCell::new(Vec::new());
    let config = Config::new().max_tests(5).on_event(|event| {
        if let lop::Event::Started { grammar, .. } = event {
            names.borrow_mut().extend(grammar.map(str::to_owned));
        }
    });
    lop::reduce_tree(&files, |files: &Files| has_text(files, "a.h", "int f"), &config).expect("it is interesting");
    drop(config);
    assert_eq!(names.into_inner(), ["cpp"]);
}

#[test]
fn files_that_the_user_names_stay_or_are_the_only_ones_that_go() {
    let folder = Folder::new();
    for (options, kept) in [
        (&["--keep-files", "include"][..], &["include/a.h"][..]),
        (&["--keep-files", "**/*.h", "--keep-files", "*.txt"], &["include/a.h", "notes.txt"]),
        (&["--only-files", "src/*.c"], &["include/a.h", "notes.txt"]),
    ] {
        let before = tree(&project(&folder));
        folder.script("test.sh", TEST);
        let words = [&["-q", "-j1", "-o", "out"], options, &["./test.sh", "p"]].concat();
        folder.lop(&words).expect_code(0);
        let now = tree(&folder.path("out"));
        for path in kept {
            assert_eq!(now[*path], before[*path], "{options:?}");
        }
        assert_eq!(now["src/main.c"], "f();\n", "{options:?}");
        fs::remove_dir_all(folder.path("out")).expect("ours");
    }
    for (options, said) in [
        (["--keep-files", "no/such"], "matches no file in p"),
        (["--only-files", "[a"], "--only-files '[a'"),
        (["--keep-lines", "1"], "works only with a single file"),
    ] {
        let ran = folder.lop(&[&options[..], &["./test.sh", "p"]].concat()).expect_code(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    let ran = folder.lop(&["--keep-files", "a", "./test.sh", "p/notes.txt"]).expect_code(2);
    assert!(ran.stderr.contains("p/notes.txt is a single file"), "{}", ran.stderr);
}

#[test]
fn the_difference_and_the_bug_report_go_file_by_file() {
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", TEST);
    let ran = folder.lop(&["-q", "-j1", "-o", "out", "--diff", "--format-issue", "./test.sh", "p"]).expect_code(0);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    for part in [
        "--- src/main.c (original)\n+++ src/main.c (result)",
        "--- notes.txt (original)\n+++ /dev/null",
        "Save as `include/a.h`:\n\n```h\nint f;\n```",
        "Save as `src/main.c`:\n\n```c\nf();\n```",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn a_result_can_be_verified_and_a_test_of_a_directory_examined() {
    let folder = Folder::new();
    project(&folder);
    folder.script("test.sh", TEST);
    let ran = folder.lop(&["doctor", "./test.sh", "p"]).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("language  each file has its own"));
    let ran = folder.lop(&["verify", "./test.sh", "p"]).expect_code(1);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("is not minimal: a smaller text"));
    // A shell completes the name with a slash.
    folder.lop(&["-q", "-j1", "./test.sh", "p/"]).expect_code(0);
    folder.lop(&["history", "p.lop", "--at", "0", "-o", "before"]).expect_code(0);
    assert_eq!(tree(&folder.path("before"))["notes.txt"], "one\ntwo\nthree\n");
    for words in [&["verify", "./test.sh", "p"][..], &["verify", "p"]] {
        let ran = folder.lop(words).expect_code(0);
        assert!(String::from_utf8_lossy(&ran.stdout).starts_with("p is interesting and 1-minimal by token"));
    }
}

#[test]
fn folders_go_that_are_not_needed_around_what_is_in_them() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("p/a/b/src")).expect("writable");
    fs::create_dir_all(folder.path("p/c/only")).expect("writable");
    folder.write("p/a/b/src/m.c", "int f(void);\nint wanted(void) { return f(); }\n");
    folder.write("p/c/only/n.txt", "first\nneedle\n");
    folder.script("test.sh", "grep -rq 'wanted' p && grep -rq needle p/c");
    folder.lop(&["-qj1", "-o", "out", "./test.sh", "p"]).expect_code(0);
    let expected = [("c/", ""), ("c/n.txt", "needle"), ("m.c", "wanted;\n")];
    let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(tree(&folder.path("out")), BTreeMap::from(expected));
}

#[test]
fn a_run_goes_on_although_a_file_was_removed_or_moved_in_the_order() {
    let folder = Folder::new();
    folder.write("a.c", "int a;\nint b;\nint c;\nint keep;\n");
    folder.write("b.c", "int x;\nint y;\n");
    folder.script("t.sh", "grep -q keep \"$1\"");
    let command = ["a.c", "b.c", "--", "./t.sh", "@@1", "@@2"];
    folder.lop(&[&["-j1", "--max-tests", "8"], &command[..]].concat()).expect_code(3);
    assert!(!folder.path("b.c").exists(), "it went first");
    folder.lop(&["resume", "a.c.lop"]).expect_code(0);
    assert_eq!(folder.read("a.c").trim_ascii(), b"keep;");
    // A header moves into the folder above it, and then stands elsewhere in the order of paths.
    fs::create_dir_all(folder.path("d/z")).expect("writable");
    folder.write("d/z/a.h", "int keep;\n");
    folder.write("d/m.c", "int other;\nint more;\nint third;\n");
    let test = "cat d/*.h d/*/*.h 2>/dev/null | grep -q keep && grep -q third d/m.c";
    folder.script("d.sh", test);
    let mut tests = 2;
    loop {
        let ran = folder.lop(&["-j1", "--max-tests", &tests.to_string(), "-o", "out", "./d.sh", "d"]);
        if ran.code == Some(0) {
            break;
        }
        ran.expect_code(3);
        if folder.path("out").exists() {
            let resumed = folder.lop(&["resume", "--max-tests", &(tests + 1).to_string(), "out.lop"]);
            assert!(matches!(resumed.code, Some(0 | 3)), "after {tests} tests: {}", resumed.stderr);
        }
        for name in ["out", "out.lop"] {
            let _ = fs::remove_dir_all(folder.path(name));
        }
        tests += 1;
    }
    assert!(tests > 10, "{tests} tests are few");
}

#[test]
fn a_result_in_the_place_of_a_journal_leads_to_the_journal() {
    let folder = Folder::new();
    folder.write("a.txt", "one\nbug\nthree\nfour\n");
    folder.script("t.sh", "grep -q bug a.txt");
    folder.lop(&["-j1", "--max-tests", "4", "./t.sh", "a.txt"]).expect_code(3);
    for command in ["resume", "history", "replay"] {
        let ran = folder.lop(&[command, "a.txt"]).expect_code(2);
        assert!(ran.stderr.contains(&format!("did you mean `lop {command} a.txt.lop`?")), "{}", ran.stderr);
        let ran = folder.lop(&[command, "t.sh"]).expect_code(2);
        assert!(!ran.stderr.contains("remove"), "{}", ran.stderr);
    }
}

#[test]
fn folders_that_tools_have_made_are_named_and_too_much_is_refused_at_once() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("d/node_modules/x")).expect("writable");
    folder.write("d/node_modules/x/index.js", "f();\n");
    folder.write("d/a.js", "bug();\n");
    folder.script("t.sh", "grep -q bug d/a.js");
    let ran = folder.lop(&["-j1", "-o", "out", "./t.sh", "d"]).expect_code(0);
    assert!(
        ran.stderr.contains("the test case includes node_modules/ (1 file); if the bug doesn't need"),
        "{}",
        ran.stderr
    );
    let large = fs::File::create(folder.path("d/large")).expect("writable");
    large.set_len(900 << 20).expect("the file system has holes");
    let ran = folder.lop(&["./t.sh", "d"]).expect_code(2);
    assert!(ran.stderr.contains("d has more than 512 MiB"), "{}", ran.stderr);
    let ran = folder.lop(&["./t.sh", "d/large"]).expect_code(2);
    assert!(ran.stderr.contains("large is larger than 512 MiB"), "{}", ran.stderr);
}
