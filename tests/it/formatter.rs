//! `--format CMD`: a formatter of the user's own writes the result anew.

use crate::support::Folder;

const SEMICOLONS: &str = "int first;\nint wanted;\nint last;\n";

/// Reduces to `int wanted;`, which a formatter writes anew, and gives the result and the messages.
fn formatted(formatter: &str, more: &[&str]) -> (String, String) {
    let folder = Folder::new();
    folder.write("a.c", SEMICOLONS);
    folder.script("test.sh", "grep -q 'int wanted;' a.c");
    folder.script("own.sh", "cat; echo '/* mine */'");
    let arguments = ["-j1", "--ui", "plain", "--format", formatter, "--only", "siblings", "-o", "out.c"];
    let ran = folder.lop(&[&arguments[..], more, &["./test.sh", "a.c"]].concat());
    let ran = ran.expect_code(0);
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (of(&folder.read("out.c")), ran.stderr + &of(&ran.stdout))
}

#[test]
fn a_formatter_has_the_last_word_on_how_the_result_looks() {
    // Its size does not count, nor where the command stands: tests run elsewhere.
    let (result, said) = formatted("sh own.sh", &[]);
    assert_eq!(result, "int wanted;\n/* mine */\n");
    assert!(said.contains("not guaranteed"), "{said}");
    let (result, said) = formatted("tr '\\n' ' '", &["--only", "minimality"]);
    assert_eq!(result, "int wanted; ");
    assert!(said.contains("1-minimal by token"), "{said}");
    assert_eq!(formatted("cat @@", &[]).0, "int wanted;\n");
}

#[test]
fn a_formatter_that_fails_or_changes_what_is_tested_leaves_the_result() {
    for (formatter, why) in [
        ("false", "the formatter ended with exit code 1;"),
        ("true", "the formatter wrote nothing to standard output;"),
        ("sed s/wanted/lost/", "the formatted text is not interesting"),
        // With a syntax error that was not there.
        ("sed s/;/}/", "the formatted text is not interesting"),
    ] {
        let (result, said) = formatted(formatter, &[]);
        assert!(result == "int wanted;\n" && said.contains(why), "{formatter}: {result}{said}");
    }
}

#[test]
fn a_formatter_that_does_not_end_has_the_deadline_of_the_tests() {
    let (result, said) = formatted("sleep 1000", &["--timeout", "1"]);
    assert!(result == "int wanted;\n" && said.contains("the formatter took longer than 1.00 s;"), "{result}{said}");
}

#[test]
fn a_projects_file_names_no_formatter() {
    let folder = Folder::new();
    folder.write("a.c", SEMICOLONS);
    folder.write("lop.toml", "format = \"touch ran\"\n");
    let said = folder.lop(&["a.c", "--", "grep", "-q", "wanted", "a.c"]).expect_code(2).stderr;
    assert!(said.contains("lop.toml:1: format cannot name a command in a project's lop.toml"), "{said}");
    assert!(!folder.path("ran").exists());
}
