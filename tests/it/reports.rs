//! The reports of a run beside the summary: the page in a real browser, the explanation, the bug report, the
//! annotations, and the events held against their schema.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Folder, Ran, find, missing};

/// Markup, control characters and bytes that are no UTF-8, around what is looked for.
const HOSTILE: &[u8] =
    b"one </script><b>bold</b> two\n<img src=x onerror=alert(1)>\x1b[31m\xff\xfe\0 &amp; three\nneedle </pre></span> \
    four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen\n";

/// The needed part of it has markup in it, too.
const TEST: &str = "grep -qa 'needle.*</pre>' input.zed || exit 1";

fn reduce_hostile(folder: &Folder, more: &[&str]) -> Ran {
    folder.write("input.zed", HOSTILE);
    folder.script("test.sh", TEST);
    let mut arguments = vec!["-j1", "--no-checkup", "-o", "small.zed", "./test.sh", "input.zed"];
    arguments.extend(more);
    folder.lop(&arguments)
}

#[test]
fn events_are_what_the_schema_says() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/events.schema.json");
    let mut schemas = boon::Schemas::new();
    let index =
        boon::Compiler::new().compile(schema.to_str().expect("a plain path"), &mut schemas).expect("the schema is one");
    let mut seen = std::collections::BTreeSet::new();
    let mut check = |folder: &Folder| {
        let lines = String::from_utf8(folder.read("events")).expect("JSON is UTF-8");
        for line in lines.lines() {
            let event: Value = serde_json::from_str(line).expect("each line is JSON");
            seen.insert(event["event"].as_str().unwrap_or_default().to_owned());
            if let Err(error) = schemas.validate(&event, index) {
                panic!("{line}\n{error:#}");
            }
        }
    };
    let folder = Folder::new();
    reduce_hostile(&folder, &["--json", "events"]).expect_code(0);
    check(&folder);
    // Another crash than the one that is wanted.
    let folder = Folder::new();
    folder.write("a.txt", "line 1\nabort\nline 2\nline 3\nline 4\nline 5\nneedle\n");
    let program = "grep -q needle \"$1\" && echo wanted >&2 && exit 3\ngrep -q abort \"$1\" && kill -ABRT $$\nexit 1";
    let program = folder.script("program", program).display().to_string();
    let arguments = ["-j1", "--stderr", "wanted", "--json", "events", "a.txt", "--", &program, "@@"];
    folder.lop(&arguments).expect_code(0);
    check(&folder);
    // A tree, and more than one worker.
    let folder = Folder::new();
    folder.write("a.json", r#"{"a": [1, 2, 3], "b": {"c": null}, "needle": [[], {}]}"#);
    folder.script("test.sh", "grep -q needle a.json");
    folder.lop(&["-j2", "./test.sh", "a.json", "--json", "events"]).expect_code(0);
    check(&folder);
    // A test that contradicts itself, and a run that does not even start.
    let folder = Folder::new();
    folder.write("a.txt", "one two three four five six seven eight nine ten needle\n");
    let dice = "grep -q needle a.txt || exit 1\n[ $(od -An -N1 -tu1 /dev/urandom) -lt 200 ]";
    folder.script("test.sh", dice);
    folder.lop(&[
        "-j1",
        "--allow-flaky",
        "--max-tests",
        "300",
        "-o",
        "small",
        "./test.sh",
        "a.txt",
        "--json",
        "events",
    ]);
    check(&folder);
    folder.script("test.sh", "exit 1");
    folder.lop(&["./test.sh", "a.txt", "--json", "events"]).expect_code(1);
    check(&folder);
    for event in ["started", "baseline", "pass", "tested", "accepted", "slipped", "confirmed", "finished", "failed"] {
        assert!(seen.contains(event), "no event {event} in {seen:?}");
    }
    let wrong = serde_json::json!({ "event": "note", "time": 1, "text": "a", "more": 1 });
    assert!(schemas.validate(&wrong, index).is_err(), "the schema is exact");
}

#[test]
fn an_explanation_has_a_test_for_every_token() {
    let folder = Folder::new();
    folder.write("a.json", r#"{"a": [1, 2, 3], "b": {"c": null}, "needle": [[], {}]}"#);
    folder.script("test.sh", "grep -q needle a.json");
    let ran = folder.lop(&["-v", "-j1", "./test.sh", "a.json", "--explain"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("text");
    assert!(said.starts_with("why each token was kept ("), "{said}");
    assert!(said.contains("needle") && said.contains("without it: not interesting, test "), "{said}");
    assert!(!said.contains("never tried"), "{said}");
}

#[test]
fn tokens_that_were_never_asked_about_are_counted() {
    let folder = Folder::new();
    folder.write("a.json", r#"{"a": [1, 2, 3], "b": {"c": null}, "needle": [[], {}]}"#);
    folder.script("test.sh", "grep -q needle a.json");
    let ran = folder.lop(&["-j1", "--max-tests", "4", "./test.sh", "a.json", "--explain"]).expect_code(3);
    let said = String::from_utf8(ran.stdout).expect("text");
    assert!(said.contains("never tried ("), "{said}");
}

#[test]
fn names_that_were_changed_last_are_said_to_be_where_nothing_is_verified() {
    for (minimal, is_earlier) in [("none", true), ("token", false)] {
        let folder = Folder::new();
        folder.write("a.c", "int first_long_name(void) { return 1; }\nint wanted = first_long_name() + 41414;\n");
        folder.script("test.sh", "grep -q '[a-z_] *( *).*41414' a.c");
        let ran = folder.lop(&["-j1", "--minimal", minimal, "./test.sh", "a.c", "--explain"]).expect_code(0);
        let said = String::from_utf8(ran.stdout).expect("text");
        let result = String::from_utf8_lossy(&folder.read("a.c")).into_owned();
        assert_eq!(said.contains("never tried"), is_earlier, "{said}\n{result}");
        assert_eq!(said.contains("before it shortened names"), is_earlier, "{said}\n{result}");
    }
}

#[test]
fn a_bug_report_is_ready_to_be_pasted() {
    let folder = Folder::new();
    folder.write("input.md", "text\n`````\nneedle\n`````\n");
    let arguments = ["-qj1", "input.md", "-o", "small.md", "--exit-code", "3", "--format-issue", "--"];
    let command = ["sh", "-c", "grep -q '````' \"$1\" && echo 'error: a needle' >&2 && exit 3", "x", "@@"];
    let ran = folder.lop(&[&arguments[..], &command[..]].concat()).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("text");
    for part in [
        "# error: a needle\n",
        "Save as `input.md`:\n\n`````text\n````\n`````\n",
        "## Observed\n\nExit code 3\n",
        "```\nerror: a needle\n```",
        "- lop ",
        " x input.md\n```",
        "`exit code 3`. Reduced from ",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
}

#[test]
fn texts_about_the_result_follow_each_other_on_standard_output() {
    let folder = Folder::new();
    let ran = reduce_hostile(&folder, &["-q", "--explain", "--format-issue", "--diff"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("text");
    let parts = [
        "=== diff ===\n--- input.zed (original)\n",
        "\n=== explain ===\nwhy each token was kept",
        "\n=== format-issue ===\n# ",
    ];
    let places = parts.map(|part| said.find(part).unwrap_or_else(|| panic!("{part} is missing in\n{said}")));
    assert!(places.is_sorted() && places[0] == 0, "{said}");
    let ran = reduce_hostile(&folder, &["-q", "--diff"]).expect_code(0);
    assert!(ran.stdout.starts_with(b"--- input.zed (original)\n"), "one needs no heading");
    assert!(ran.stdout.ends_with(b"\n"));
}

#[test]
fn data_and_texts_do_not_share_standard_output() {
    let folder = Folder::new();
    let ran = reduce_hostile(&folder, &["--explain", "--format-issue", "--json", "-"]).expect_code(2);
    let message = "--json - and --explain and --format-issue would all write to standard output";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let ran = folder.lop(&["-q", "--diff", "-", "--", "cat"]).expect_code(2);
    let message = "the result of standard input and --diff would all write to standard output";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let ran = reduce_hostile(&folder, &["--report", "input.zed"]).expect_code(2);
    assert!(ran.stderr.contains("would overwrite the file to reduce"), "{}", ran.stderr);
    assert_eq!(folder.read("input.zed"), HOSTILE);
}

#[test]
fn a_bug_report_names_no_directory_of_the_run() {
    let folder = Folder::new();
    folder.write("input.txt", "one\ntwo\nneedle\n");
    let home = folder.path("home");
    let body = "grep -q needle \"$1\" || exit 1\necho \"$PWD/$1:1: error: $HOME/.config $TMPDIR/x $0\" >&2\nexit 3";
    let program = folder.script("program", body);
    let here = folder.path(".").canonicalize().expect("our own folder").display().to_string();
    let option = format!("-I{here}/include");
    let program = program.display().to_string();
    let words = ["-qj1", "input.txt", "-o", "out", "--exit-code", "3", "--format-issue", "--", &program, "@@", &option];
    let out = folder.command(&words).env("HOME", &home).output().expect("lop can be started");
    let said = String::from_utf8(out.stdout).expect("text");
    let temporary = folder.path("../tmp").canonicalize().expect("our own folder").display().to_string();
    for place in [&here, &temporary, "lop-", "/tmp/"] {
        assert!(!said.contains(place), "{place} in\n{said}");
    }
    assert!(said.contains("\ninput.txt:1: error: "), "{said}");
    assert!(said.contains("program input.txt -Iinclude"), "{said}");
}

#[test]
fn the_page_leads_with_the_result_and_says_what_became_of_each_line() {
    let folder = Folder::new();
    folder.write("a.c", "int first;\nint f(void)\n{\n    return 1;\n}\nint wanted(void)\n{\n    return 41414;\n}\n");
    folder.script("test.sh", "grep -q 'wanted.*41414\\|return 41414' a.c && grep -q wanted a.c");
    folder.lop(&["-qj1", "--format", "none", "./test.sh", "a.c", "--report", "out.html"]).expect_code(0);
    let page = String::from_utf8(folder.read("out.html")).expect("text");
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} is missing in\n{page}"));
    assert!(at("The result, and why each token was kept") < at("What became of the input"));
    assert!(at("What became of the input") < at("Size over tests"));
    assert!(page.contains("wall clock; ") && page.contains("one worker"), "{page}");
    // The last of three closing brackets is the one that may be left, and nothing of the first lines.
    at("<div class=\"row gone\"><span class=\"left\"><i>1</i><code>int first;</code>");
    let row = regex::Regex::new("row (kept|changed)\"><span class=\"left\"><i>6</i>").expect("a constant");
    assert!(row.is_match(&page), "{page}");
}

#[test]
fn nothing_of_the_input_gets_into_the_markup_of_the_page() {
    let folder = Folder::new();
    reduce_hostile(&folder, &["--report", "out.html"]).expect_code(0);
    let page = String::from_utf8(folder.read("out.html")).expect("the page is UTF-8");
    assert!(!page.contains("<b>bold") && !page.contains("</script>") && !page.contains("<img"), "{page}");
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;bold&lt;/b&gt;") && page.contains("\\xff\\xfe\\u{0}"), "{page}");
    assert!(page.chars().all(|letter| !letter.is_control() || letter == '\n' || letter == '\t'));
    for needed in ["http:", "https:", "<script", "url(", "@import", "src="] {
        let outside = page.replace("img src=x", "");
        assert!(!outside.contains(needed), "{needed}");
    }
}

/// Asks the page what it looks like, and writes the answers into it.
const MEASURE: &str = "<script>
const wrong = [];
addEventListener('error', event => wrong.push(String(event.message)), true);
const complain = console.error; console.error = (...what) => { wrong.push(what.join(' ')); complain(...what); };
addEventListener('load', () => {
  const colours = getComputedStyle(document.body);
  const first = document.querySelector('.map .t');
  first.focus();
  const tip = getComputedStyle(first, '::after');
  const small = [...document.querySelectorAll('body *')].filter(e => e.children.length == 0 && e.textContent.trim() &&
    parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.outerHTML);
  document.documentElement.dataset.measured = JSON.stringify({
    wide: document.scrollingElement.scrollWidth, window: innerWidth, paper: colours.backgroundColor, ink: colours.color,
    tip: tip.content, small, wrong, marked: document.querySelectorAll('.map .t').length });
});
</script>";

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().find_map(|name| find(name))
}

/// The measures that a page of this width takes of itself, in the light or in the dark.
fn measure(browser: &Path, folder: &Folder, page: &Path, width: u32, dark: bool) -> Value {
    let profile = tempfile::tempdir().expect("a temporary directory");
    // A window of a browser is never as narrow as a telephone; a frame is.
    let frame = format!(
        "<!doctype html><meta name=color-scheme content='light dark'><body style='margin:0'><iframe id=f style='border:0;width:{width}px;height:900px' src='{}'></iframe>
        <script>f.onload = () => setTimeout(() => document.documentElement.dataset.measured =
          f.contentDocument.documentElement.dataset.measured, 300)</script>",
        page.file_name().expect("a file").to_string_lossy()
    );
    let outer = folder.write("frame.html", frame);
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
        .args(["--allow-file-access-from-files", "--virtual-time-budget=3000", "--enable-logging=stderr", "--v=0"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={},900", width.max(500)))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .args(["--dump-dom".to_owned(), format!("file://{}", outer.display())])
        .stdin(Stdio::null());
    let output = command.output().expect("the browser can be started");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!log.contains("CONSOLE"), "the console is not empty:\n{log}");
    let measured = dom.split("data-measured=\"").nth(1).and_then(|rest| rest.split('"').next());
    let measured = measured.unwrap_or_else(|| panic!("nothing measured:\n{dom}\n{log}")).replace("&quot;", "\"");
    serde_json::from_str(&measured.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")).expect("JSON")
}

#[test]
fn the_page_is_readable_in_a_browser_wide_and_narrow_light_and_dark() {
    let Some(browser) = browser() else {
        return missing("no chromium is installed, which shows the page");
    };
    let folder = Folder::new();
    reduce_hostile(&folder, &["--report", "out.html"]).expect_code(0);
    let page = String::from_utf8(folder.read("out.html")).expect("the page is UTF-8");
    let measured = page.replacen("<style>", &format!("{MEASURE}<style>"), 1);
    assert_ne!(page, measured);
    let copy = folder.write("copy.html", measured);
    let mut papers = Vec::new();
    for (width, dark) in [(360, false), (360, true), (1400, false), (1400, true)] {
        let said = measure(&browser, &folder, &copy, width, dark);
        let number = |name: &str| said[name].as_u64().unwrap_or_default();
        assert_eq!(number("window"), u64::from(width), "{said}");
        assert!(number("wide") <= number("window"), "at {width} the page is too wide: {said}");
        assert_eq!(said["wrong"], serde_json::json!([]), "{said}");
        assert_eq!(said["small"], serde_json::json!([]), "{said}");
        assert!(said["tip"].as_str().is_some_and(|tip| tip.contains("without it")), "{said}");
        assert!(number("marked") > 5, "{said}");
        let (paper, ink) = (luminance(&said["paper"]), luminance(&said["ink"]));
        let contrast = (paper.max(ink) + 0.05) / (paper.min(ink) + 0.05);
        assert!(contrast >= 7.0, "the contrast is {contrast}: {said}");
        assert_eq!(paper < ink, dark, "{said}");
        papers.push(said["paper"].clone());
    }
    assert_ne!(papers[0], papers[1]);
    fs::remove_file(copy).expect("our own file");
}

/// The relative luminance of `rgb(r, g, b)`, by the definition of WCAG 2.
fn luminance(colour: &Value) -> f64 {
    let text = colour.as_str().unwrap_or_default().trim_start_matches("rgb(").trim_end_matches(')');
    let parts = text.split(',').map(|part| part.trim().parse::<f64>().expect("a number") / 255.0);
    let linear = parts.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    linear.zip([0.2126, 0.7152, 0.0722]).map(|(part, weight)| part * weight).sum()
}

#[test]
fn an_explanation_lists_the_values_that_could_be_others() {
    let folder = Folder::new();
    folder.write("a.c", "int size = 3;\nchar *name = \"abc\";\nint f(int n) { return n[41] + 5; }\n");
    folder.script("test.sh", "cc -fsyntax-only a.c 2>&1 | grep -q 'subscripted value is neither array'");
    let ran = folder.lop(&["-qj1", "--explain", "./test.sh", "a.c"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("text");
    assert!(said.contains("another value would do (1)"), "{said}");
    folder.write("b.c", "int f(int n) { return n[41] + 5; }\n");
    folder.script("test.sh", "grep -q '41' b.c");
    let ran = folder.lop(&["-qj1", "--explain", "./test.sh", "b.c"]).expect_code(0);
    let said = String::from_utf8(ran.stdout).expect("text");
    assert!(!said.contains("another value"), "{said}");
}
