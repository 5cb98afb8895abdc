//! Parts of a text that are in another language: a script, a style sheet and data in a page.

use std::process::{Command, Stdio};
use std::sync::Arc;

use lop::{Options, Silent, reduce_with};
use lop_grammar::{Folder as Language, Grammar, GrammarError};
use lop_languages::LANGUAGES;
use lop_reduce::{Control, Event, EventSink, Keep, KeepSpec};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;
use regex::bytes::Regex;

use crate::reduce::{grammar, has, run, yes_if};
use crate::support::{Folder, has as installed};

const PAGE: &str = r#"<!DOCTYPE html>
<html>
<head>
<title>A page</title>
<style>
body { color: red; margin: 0 }
.a, .b > c { padding: 1px; background: url(x.png) }
</style>
<script type="application/json" id="d">{"a": [1, 2, {"b": "needle"}], "c": null}</script>
</head>
<body>
<div id="main" class="x"><p>Hello <b>there</b></p></div>
<script>
  function helper(a, b) {
    if (a > b) { return a - b; }
    return b;
  }
  const list = [1, 2, 3].map((x) => helper(x, 2));
  for (const item of list) {
    console.log(item);
    if (item) { boom(item, "x", list.length); }
  }
</script>
</body>
</html>
"#;

/// The texts between tags that begin so and their ends.
fn inside<'t>(text: &'t [u8], tag: &str, end: &str) -> Vec<&'t [u8]> {
    let regex = Regex::new(&format!(r"(?s){tag}(.*?){end}")).expect("it is an expression");
    regex.captures_iter(text).map(|found| found.get(1).expect("it has one group").as_bytes()).collect()
}

fn scripts(text: &[u8]) -> Vec<&[u8]> {
    inside(text, "<script>", "</script>")
}

/// Whether a text is in a language, without a syntax error.
fn is_right(file: &str, text: &[u8]) -> bool {
    let grammar = grammar(file, text).expect("it is built in");
    let mut parser = grammar.parser().expect("it is built in");
    parser.parse(text).is_ok_and(|tree| lop_syntax::error_count(&tree) == 0)
}

#[test]
fn a_script_in_a_page_is_reduced_as_a_script() {
    let loops = |text: &[u8]| has(text, "for") && has(text, "boom(") && is_right("x.js", text);
    let test = |text: &[u8]| yes_if(scripts(text).into_iter().any(loops));
    let (report, asked) = run("x.html", PAGE.as_bytes(), &Options::default(), test);
    let best = report.expect("the page is interesting").best;
    let best = String::from_utf8_lossy(&best).into_owned();
    assert!(best.len() <= "<script>for (;;) {boom()}</script>\n".len() + 6, "{best}");
    assert!(asked.len() < 150, "{} tests", asked.len());
}

#[test]
fn a_script_in_a_page_that_is_one_of_several_files_is_reduced_as_a_script() {
    let loops = |text: &[u8]| has(text, "for") && has(text, "boom(") && is_right("x.js", text);
    let page = std::path::PathBuf::from("site/x.html");
    let files = [(page.clone(), PAGE.into()), ("site/y.js".into(), b"let a = 1;\n".to_vec())].into();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let test = |files: &lop::Files| {
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        yes_if(files.get(&page).is_some_and(|text| scripts(text).into_iter().any(loops)))
    };
    let best = lop::reduce_tree(&files, test, &lop::Config::new()).expect("it is interesting").files;
    let left = String::from_utf8_lossy(&best[&page]).into_owned();
    assert!(best.len() == 1 && left.len() <= "<script>for (;;) {boom()}</script>\n".len() + 6, "{left}");
    assert!(asked.into_inner() < 150);
}

#[test]
fn each_part_of_a_page_is_in_its_own_language() {
    let test = |text: &[u8]| {
        let data = inside(text, r#"<script type="application/json"[^>]*>"#, "</script>");
        let styles = inside(text, "<style>", "</style>");
        yes_if(
            scripts(text).into_iter().any(|script| has(script, "boom(") && is_right("x.js", script))
                && data.into_iter().any(|data| has(data, "\"needle\"") && is_right("x.json", data))
                && styles.into_iter().any(|style| has(style, "background:") && is_right("x.css", style)),
        )
    };
    let (report, _) = run("x.html", PAGE.as_bytes(), &Options::default(), test);
    let best = report.expect("the page is interesting").best;
    let shown = String::from_utf8_lossy(&best);
    assert_eq!(scripts(&best).concat().trim_ascii(), b"boom()", "{shown}");
    assert_eq!(inside(&best, "json\"[^>]*>", "</script>"), [b"\"needle\""], "{shown}");
    assert!(inside(&best, "<style>", "</style>").concat().len() <= "a {\n  background: url(x.png)\n}".len(), "{shown}");
}

#[test]
fn what_the_user_wants_kept_in_a_script_stays() {
    let keep = |what: &str| KeepSpec { patterns: vec![what.to_owned()], ..KeepSpec::default() };
    for (kept, is_reduced) in [("return a - b;", true), (r"\}\n</script>", false)] {
        let grammar = grammar("x.html", PAGE.as_bytes());
        let keep = Keep::find(&keep(kept), PAGE.as_bytes(), grammar.as_deref(), 1_000_000).expect("it is there");
        let options = Options { keep, ..Options::default() };
        let (report, _) = run("x.html", PAGE.as_bytes(), &options, |text| yes_if(has(text, "boom(")));
        let best = report.expect("the page is interesting").best;
        let shown = String::from_utf8_lossy(&best);
        assert!(Regex::new(kept).expect("it is one").is_match(&best), "{shown}");
        assert!(!is_reduced || !has(&best, "list.length"), "{shown}");
    }
}

/// HTML with another word for the language of a script.
fn page_with(language: &str) -> Result<Arc<Grammar>, GrammarError> {
    let html = LANGUAGES.built_in.iter().find(|folder| folder.extensions_have("html")).expect("it is built in");
    let text = html.language.replace("language = \"javascript\"", &format!("language = {language}"));
    Grammar::load(&Language { language: &text, ..*html }).map(Arc::new)
}

/// Finds a language by what its files are called: a folder may have any name.
trait Extensions {
    fn extensions_have(&self, extension: &str) -> bool;
}

impl Extensions for Language<'_> {
    fn extensions_have(&self, extension: &str) -> bool {
        self.language.contains(&format!("\"{extension}\""))
    }
}

#[test]
fn a_part_without_a_grammar_is_reduced_as_text() {
    let grammar = page_with("\"text\"").expect("a page may say so");
    let mut executor =
        Inline::new(|text: &[u8]| yes_if(scripts(text).into_iter().any(|script| has(script, "boom(item"))));
    let report =
        reduce_with(PAGE.as_bytes(), Some(grammar), &mut executor, &Options::default(), &mut Silent, &Cancel::new());
    let best = report.expect("the page is interesting").best;
    assert_eq!(String::from_utf8_lossy(&best).trim_end(), "<script>boom(item</script>");
}

/// Leaves a pass out when it has begun to ask about a part.
struct Skipping<'c> {
    control: &'c Control,
    pass: &'static str,
    is_in_part: bool,
}

impl EventSink for Skipping<'_> {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        match event {
            // A page with a tree has lines and words in its parts only.
            Event::Pass { name: "lines" | "words", .. } => self.is_in_part = true,
            Event::Tested { pass, .. } if self.is_in_part && *pass == self.pass => self.control.skip(self.pass),
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn a_pass_can_be_skipped_while_a_part_is_reduced_as_text() {
    let test = |text: &[u8]| yes_if(scripts(text).into_iter().any(|script| has(script, "boom(item")));
    for pass in ["lines", "words", "characters"] {
        let control = Control::new();
        let options = Options { control: control.clone(), ..Options::default() };
        let page = page_with("\"text\"").expect("a page may say so");
        let mut sink = Skipping { control: &control, pass, is_in_part: false };
        let report =
            reduce_with(PAGE.as_bytes(), Some(page), &mut Inline::new(test), &options, &mut sink, &Cancel::new());
        let report = report.expect("the page is interesting");
        assert_eq!(report.skipped, [pass]);
        assert!(report.best.len() < 60, "{pass}: {}", String::from_utf8_lossy(&report.best));
    }
}

#[test]
fn a_wrong_entry_is_an_error_that_names_its_line() {
    let html = LANGUAGES.built_in.iter().find(|folder| folder.extensions_have("html")).expect("it is built in");
    let lines = html.language.lines().count();
    for (entry, said) in [
        ("kind = \"nothing\"\nlanguage = \"x\"", "unknown kind `nothing`"),
        ("kind = \"element\"\nparent = \"nothing\"\nlanguage = \"x\"", "unknown kind `nothing`"),
        ("kind = \"element\"\nafter = \"(\"\nlanguage = \"x\"", "not a regular expression"),
        ("kind = \"element\"", "missing field `language`"),
        ("kind = \"element\"\nlanguage = \"no such language\"", "unknown language `no such language`"),
    ] {
        let text = format!("{}\n[[embedded]]\n{entry}\n", html.language);
        let error = Grammar::load(&Language { language: &text, ..*html }).expect_err("the entry is wrong");
        let line = error.to_string().split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
        assert!(error.to_string().contains(said), "{error}");
        assert!(line.is_some_and(|line| line > lines), "{error}");
    }
}

/// A page whose script a real tool refuses.
#[test]
fn the_bug_of_a_script_in_a_page_is_found_by_a_real_tool() {
    if !installed("node") {
        return;
    }
    let folder = Folder::new();
    let page = PAGE.replace("console.log(item);", "console.log(item); null.x;");
    // Node's own words for what happens when the script runs.
    let fails = |script: &[u8]| {
        let path = folder.write("script.js", script);
        let run = Command::new("node").arg(path).stdin(Stdio::null()).output().expect("node is there");
        has(&run.stderr, "Cannot read properties of null")
    };
    let test = |text: &[u8]| yes_if(scripts(text).into_iter().any(|script| has(script, "null") && fails(script)));
    let (report, _) = run("x.html", page.as_bytes(), &Options::default(), test);
    let best = report.expect("the page is interesting").best;
    let best = String::from_utf8_lossy(&best);
    assert!(best.contains("null"), "{best}");
    assert!(best.len() <= "<script>null.x;</script>\n\n".len() + 4, "{best}");
}
