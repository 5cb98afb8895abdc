//! `--minimal-pairs`: two parts go at once.

use crate::support::Folder;

/// Interesting if there are as many calls of one function as of the other, and a call of `h` with all its arguments.
const BALANCED: &str = "[ $(grep -o 'f()' \"$1\" | wc -l) = $(grep -o 'g()' \"$1\" | wc -l) ] && \
                        tr -d ' \\n' < \"$1\" | grep -q 'h(1,2,3,4,5,6,7,8)'";

fn reduced(folder: &Folder, options: &[&str]) -> (String, String) {
    let words = [&["-j1", "-v", "--no-state", "-o", "out"], options, &["./test.sh", "x.js"]].concat();
    let ran = folder.lop(&words).expect_code(0);
    let text = String::from_utf8(folder.read("out")).expect("it is text");
    (text, ran.stderr)
}

#[test]
fn two_parts_that_need_each_other_go_at_once() {
    let folder = Folder::new();
    folder.script("test.sh", BALANCED);
    folder.write("x.js", "f();\nh(1, 2, 3, 4, 5, 6, 7, 8);\ng();\n");
    let (alone, _) = reduced(&folder, &[]);
    assert!(alone.contains("f()") && alone.contains("g()"), "otherwise the test shows nothing: {alone}");
    let (both, said) = reduced(&folder, &["--minimal-pairs", "500"]);
    assert!(!both.contains("f()") && !both.contains("g()") && both.contains("h("), "{both}");
    assert!(said.contains("two-parts"), "{said}");
}

#[test]
fn the_limit_counts_the_tests_of_pairs() {
    let folder = Folder::new();
    folder.script("test.sh", BALANCED);
    folder.write("x.js", "f();\nh(1, 2, 3, 4, 5, 6, 7, 8);\ng();\n");
    let (_, said) = reduced(&folder, &["--minimal-pairs", "3", "--skip", "tokens"]);
    let row = said.lines().rfind(|line| line.trim_start().starts_with("two-parts ")).unwrap_or_default();
    let tests: Option<u32> = row.split_whitespace().nth(1).and_then(|tests| tests.parse().ok());
    assert!(tests.is_some_and(|tests| (1..=3).contains(&tests)), "{said}");
}

#[test]
fn it_goes_neither_with_fast_nor_without_tests() {
    let folder = Folder::new();
    folder.script("test.sh", BALANCED);
    folder.write("x.js", "f();\nh(1, 2, 3, 4, 5, 6, 7, 8);\ng();\n");
    let (_, said) = reduced(&folder, &[]);
    assert!(!said.contains("two-parts"), "{said}");
    let ran = folder.lop(&["--fast", "--minimal-pairs", "9", "./test.sh", "x.js"]).expect_code(2);
    assert!(ran.stderr.contains("--fast") && ran.stderr.contains("--minimal-pairs"), "{}", ran.stderr);
}
