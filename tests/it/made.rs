//! The choices of a generator (`lop reduce-generator`).

use crate::support::{Folder, Ran, TIMEOUT, has};

/// A generator of calls: it reads whether there is another line, the name, and the arguments.
const GENERATOR: &str = "import sys
data = iter(sys.stdin.buffer.read())


def choice(most):
    byte = next(data, None)
    if byte is None:
        sys.exit(1)
    return byte % (most + 1)


lines = []
while choice(7):
    name = choice(25)
    arguments = [str(choice(99)) for _ in range(choice(3))]
    lines.append(f'{chr(97 + name)}({\", \".join(arguments)});')
print('\\n'.join(lines))
";

fn folder() -> Option<Folder> {
    if !has("python3") {
        return None;
    }
    let folder = Folder::new();
    folder.write("gen.py", GENERATOR);
    // Valid choices: each line is a 1, a name, and a number of arguments with each of them.
    let line = |at: u8| [vec![at * 8 + 1, at * 3, at % 4], (0..at % 4).map(|other| at + other * 7).collect()].concat();
    let choices: Vec<u8> = (0..8).flat_map(line).chain([0, 9, 9, 9]).collect();
    folder.write("choices", choices);
    Some(folder)
}

fn reduce(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = ["reduce-generator", "python3 gen.py", "-j1", "-y", "-o", "small"];
    folder.lop(&[&arguments[..], &TIMEOUT, more].concat())
}

/// The line 5 is `p(5)`.
const WANTED: [&str; 6] = ["choices", "--", "grep", "-q", "^p(.*[1-9]", "@@"];

#[test]
fn the_choices_are_the_first_in_short_lex_order() {
    let Some(folder) = folder() else { return };
    let ran = reduce(&folder, &WANTED).expect_code(0);
    // Another line, `p`, one argument, which is a 1; and no other line.
    assert_eq!(folder.read("small"), [1, 15, 1, 1, 0], "{}", ran.stderr);
    assert_eq!(folder.read("small.made"), b"p(1);\n");
    assert!(ran.stderr.contains("small, which makes small.made") && ran.stderr.contains("p(1);"), "{}", ran.stderr);
    // The other spelling, and four workers.
    let arguments = ["--generator", "python3 gen.py", "-j4", "-y", "-o", "small"];
    folder.lop(&[&arguments[..], &TIMEOUT, &WANTED].concat()).expect_code(0);
    assert_eq!(folder.read("small"), [1, 15, 1, 1, 0]);
}

#[test]
fn a_test_sees_the_name_of_the_made_file() {
    let Some(folder) = folder() else { return };
    folder.script("test.sh", "test \"$(basename \"$1\")\" = case.c && grep -q '^p(' case.c");
    reduce(&folder, &["--made", "case.c", "./test.sh", "choices"]).expect_code(0);
    assert_eq!((folder.read("small"), folder.read("case.c")), (vec![1, 15, 0, 0], b"p();\n".to_vec()));
}

#[test]
fn an_empty_result_is_one() {
    let Some(folder) = folder() else { return };
    folder.write("any.py", "import sys\nprint(len(sys.stdin.buffer.read()))\n");
    let arguments =
        ["--generator", "python3 any.py", "-j1", "-y", "-o", "small", "choices", "--", "grep", "-q", ".", "@@"];
    folder.lop(&[&TIMEOUT[..], &arguments].concat()).expect_code(0);
    assert_eq!((folder.read("small"), folder.read("small.made")), (Vec::new(), b"0\n".to_vec()));
}

#[test]
fn a_stopped_run_continues() {
    let Some(folder) = folder() else { return };
    let arguments = ["reduce-generator", "python3 gen.py", "-j1", "-o", "small", "--max-tests", "15"];
    folder.lop(&[&arguments[..], &TIMEOUT, &WANTED].concat()).expect_code(3);
    assert!(folder.read("small").len() > 5 && folder.read("small.made").len() > 6);
    folder.lop(&["resume", "small.lop", "--max-tests", "100000"]).expect_code(0);
    assert_eq!((folder.read("small"), folder.read("small.made")), (vec![1, 15, 1, 1, 0], b"p(1);\n".to_vec()));
}

#[test]
fn what_cannot_be_generated_is_named() {
    let Some(folder) = folder() else { return };
    let said = folder.lop(&["reduce-generator"]).expect_code(2).stderr;
    assert!(said.contains("CMD first"), "{said}");
    let said = reduce(&folder, &["gen.py", "--made", "gen.py", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("`--made gen.py` would overwrite the file to reduce"), "{said}");
    let said = reduce(&folder, &["--made", "none/case.c", "choices", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("there is no directory none"), "{said}");
    folder.write("short", [1]);
    let said = reduce(&folder, &["short", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("nothing can be made of short: the command of --generator ends with exit code 1"), "{said}");
    let said = folder.lop(&["reduce-generator", "cat missing", "choices", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("ends with exit code 1; it wrote: cat: missing: No such file"), "{said}");
    std::fs::create_dir(folder.path("tree")).expect("our own folder");
    folder.write("tree/a", "a");
    let said = reduce(&folder, &["tree", "--", "true"]).expect_code(2).stderr;
    assert!(said.contains("--generator works only with a single file"), "{said}");
}
