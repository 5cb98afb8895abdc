//! `--canonical`: results that can be compared.

use crate::support::Folder;

/// The tool's own word for the bug.
const SUBSCRIPT: &str = "cc -fsyntax-only \"$1\" 2>&1 | grep -q 'subscripted value is neither array nor pointer'";

fn reduced(folder: &Folder, options: &[&str], file: &str) -> String {
    let words = [&["-q", "-j1", "--no-state", "-o", "out"], options, &["./test.sh", file]].concat();
    folder.lop(&words).expect_code(0);
    String::from_utf8(folder.read("out")).expect("it is text")
}

#[test]
fn programs_with_one_bug_end_on_one_text() {
    let folder = Folder::new();
    folder.script("test.sh", SUBSCRIPT);
    folder.write("one.c", "int limit(int p, int q) { int r = q; return 3 + r[4]; }\n");
    folder.write("two.c", "int b(int c) { int d = 2 * c; return d[9] + 17; }\nint zeta(int k) { return k; }\n");
    let plain = ["one.c", "two.c"].map(|file| reduced(&folder, &[], file));
    assert_ne!(plain[0], plain[1], "otherwise the test shows nothing");
    let canonical = ["one.c", "two.c"].map(|file| reduced(&folder, &["--canonical"], file));
    assert_eq!(canonical[0], canonical[1]);
    assert!(canonical[0].contains("[0]") && canonical[0].len() <= plain[0].len(), "{canonical:?}");
}

#[test]
fn a_number_becomes_the_least_that_shows_the_bug() {
    let folder = Folder::new();
    let least = "python3 -c 'import json, re, sys; text = open(sys.argv[1]).read(); json.loads(text)
sys.exit(all(int(number) < 17 for number in re.findall(\"[0-9]+\", text)))' \"$1\"";
    folder.script("test.sh", least);
    folder.write("x.json", "{\"rows\": [{\"n\": 3}, {\"size\": 4711, \"x\": [1, 2]}], \"b\": \"text\"}");
    assert_eq!(reduced(&folder, &["--canonical"], "x.json").trim(), "17");
    assert_ne!(reduced(&folder, &[], "x.json").trim(), "17");
}

#[test]
fn what_is_kept_or_needed_keeps_its_name_and_place() {
    let folder = Folder::new();
    folder.script("test.sh", "cc -fsyntax-only \"$1\" && grep -q 'q.*[*].*7' \"$1\"");
    folder.write("x.c", "int q(void) { return 1; }\nint z(int n) { return q() * 7 + n; }\n");
    let text = reduced(&folder, &["--canonical", "--keep", r"\bz\b"], "x.c");
    assert!(text.contains('q') && text.contains('z') && text.contains('7'), "{text}");
}

#[test]
fn it_works_with_fast_and_is_a_pass_that_can_be_skipped() {
    let folder = Folder::new();
    folder.script("test.sh", SUBSCRIPT);
    folder.write("x.c", "int total = 3;\nint main(void) { return total[4]; }\n");
    assert!(reduced(&folder, &["--canonical", "--fast"], "x.c").contains("[0]"));
    assert!(reduced(&folder, &["--canonical", "--skip", "canonical"], "x.c").contains("[4]"));
}

#[test]
fn triage_merges_bugs_whose_programs_differ_in_names_and_numbers() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).expect("a folder");
    folder.write("in/one.c", "int b(int c) { int d = 2 * c; return d[9] + 17; }\n");
    folder.write("in/two.c", "int x;\nint e(int k) { int u = k; return u[4]; }\n");
    // One message for each file, as if the names were in it.
    folder.script(
        "tool.sh",
        &format!("{SUBSCRIPT} || exit 0\ncase $1 in *one.c) kill -SEGV $$;; *) kill -FPE $$;; esac"),
    );
    let ran = folder.lop(&["triage", "in", "-o", "out", "--", "./tool.sh", "@@"]).expect_code(0);
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(shown.contains("merged  1-signal-segv"), "{shown}");
}
