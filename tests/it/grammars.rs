//! `lop grammars FILE` and `--rules DIR`: what a language makes of a file, and a user's own rules.

use std::fs;
use std::path::Path;

use lop::{Options, Silent, Verdict, reduce_with};
use lop_grammar::{AUTO, Choice, Folder as Language, GrammarError, Registry, Texts};
use lop_languages::LANGUAGES;
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;

use crate::support::Folder;

const PROGRAM: &str = "\
int f(int a) {
    if (a) { return 1; }
    return f(a - 1);
}
";

fn stdout(folder: &Folder, line: &[&str]) -> String {
    String::from_utf8(folder.lop(line).expect_code(0).stdout).expect("the inputs are ASCII")
}

/// A folder with a file to reduce and rules of the user's own.
fn with_rules(rules: Option<&str>, language: Option<&str>) -> Folder {
    let folder = Folder::new();
    folder.write("input.c", PROGRAM);
    folder.write("input.json", "{\"a\": [1, 2], \"b\": \"keep\"}\n");
    folder.write("input.txt", "keep\n");
    fs::create_dir(folder.path("own")).expect("a new folder");
    for (name, text) in [("own/reduce.scm", rules), ("own/language.toml", language)] {
        if let Some(text) = text {
            folder.write(name, text);
        }
    }
    folder
}

/// A function and its call have a rule each, and neither proposes anything alone.
#[test]
fn proposals_that_take_several_rules_are_shown() {
    let folder = with_rules(None, None);
    folder.write("called.c", "void f(int a) { b(a); }\nvoid g(void) { f(1); }\n");
    let shown = stdout(&folder, &["grammars", "called.c", "--proposals", "-v"]);
    let line = shown.lines().find(|line| line.trim_start().starts_with("several rules inline  1:1  "));
    assert!(line.is_some_and(|line| line.ends_with("`void g(void) { b(1);`")), "{line:?} in\n{shown}");
}

#[test]
fn a_file_is_shown_with_its_tree_and_its_proposals() {
    let folder = with_rules(None, None);
    let shown = stdout(&folder, &["grammars", "input.c", "--proposals"]);
    for line in [
        "input.c (c, by extension; 25 tokens, 0 syntax errors)",
        "  translation_unit 1:1 `int f(int a) {\\n    if (a) { return 1; }\\n…`",
        "      body: compound_statement 1:14 `{",
        "          consequence: compound_statement 2:12 `{ return 1; }`",
        " lift  2:5  `if (a) { return 1; }` -> `a;`",
        " splice  2:5  `if (a) { return 1; }` -> `return 1;`",
        " bodies  1:14  ",
        "  hoist  3:12  `f(a - 1)` -> ",
        "  minimal  ",
        "  siblings  3:5  `return f(a - 1);` -> ``",
    ] {
        assert!(shown.contains(line), "{line:?} is not in\n{shown}");
    }
    let rule = shown.lines().find(|line| line.contains(" splice  2:5  ")).expect("it was found");
    let place = rule.trim_start().split(' ').next().expect("a place");
    let (file, line) = place.rsplit_once(':').expect("file and line");
    let rules = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("it is shipped");
    let first = line.parse::<usize>().expect("a number") - 1;
    let rule = rules.lines().skip(first).take(2).collect::<String>();
    assert!(rule.contains("if_statement consequence: (compound_statement) @splice.inner"), "{rule}");
}

#[test]
fn long_parts_are_cut_and_deep_trees_are_no_trouble() {
    let folder = Folder::new();
    folder.write("long.json", format!("[{}0]", "1, ".repeat(300)));
    let shown = stdout(&folder, &["grammars", "long.json", "--proposals"]);
    assert!(
        shown.contains("  … 103 more; -v shows them\n") && shown.contains("proposals of the pass hoist ("),
        "{shown}"
    );
    assert!(shown.lines().count() < 620);
    let all = stdout(&folder, &["grammars", "long.json", "-v"]);
    assert!(!all.contains("-v shows them") && all.lines().count() > 900);
    folder.write("deep.json", format!("{}{}", "[".repeat(20_000), "]".repeat(20_000)));
    assert!(stdout(&folder, &["grammars", "deep.json"]).starts_with("deep.json (json, by extension; 40,000 tokens"));
}

#[test]
fn coupled_edits_are_no_rules_own() {
    let folder = Folder::new();
    folder.write("coupled.c", "static int a; int f(void) { return a; }\n");
    let shown = stdout(&folder, &["grammars", "coupled.c", "-v"]);
    assert!(shown.contains("proposals of the pass coupled ("), "{shown}");
    assert!(!shown.lines().any(|line| line.contains("reduce.scm:") && line.contains(" coupled ")), "{shown}");
    assert!(!shown.lines().any(|line| line.contains("common.scm:") && line.contains(" coupled ")), "{shown}");
}

#[test]
fn a_rule_may_begin_with_any_node() {
    let folder = with_rules(Some("((_ (_) @lift) @lift.outer)\n([(_) (identifier)] @body)\n"), None);
    let shown = stdout(&folder, &["grammars", "input.c", "--coverage", "--rules", "own"]);
    for rule in ["own/reduce.scm:1 ", "own/reduce.scm:2 "] {
        let (_, often) = shown.split_once("\nrules that match (").expect("two parts");
        assert!(often.contains(rule), "{shown}");
    }
}

#[test]
fn coverage_tells_which_rules_never_match() {
    let folder = with_rules(Some("((while_statement) @body)\n((return_statement) @body)\n"), None);
    let shown = stdout(&folder, &["grammars", "input.c", "--coverage", "--rules", "own"]);
    let (never, often) = shown.split_once("\nrules that match (").expect("two parts");
    assert!(
        never.starts_with("rules that never match (") && never.contains("  own/reduce.scm:1 ((while_stat"),
        "{shown}"
    );
    assert!(often.contains("  2 x  own/reduce.scm:2 ((return_statement) @body)"), "{shown}");
    assert!(often.contains(" x  grammars/c/reduce.scm:"), "{shown}");
}

#[test]
fn rules_of_the_user_are_added_and_his_facts_take_the_place_of_others() {
    let folder = with_rules(
        Some("; mine\n\n((binary_expression left: (_) @lift) @lift.outer (#set! suffix \"\"))\n"),
        Some("[minimal]\nreturn_statement = [\"return;\"]\nstatement = [\"{ }\"]\n[identifiers]\nkeep = [\"f\"]\n"),
    );
    let before = stdout(&folder, &["grammars", "input.c", "-v"]);
    let after = stdout(&folder, &["grammars", "input.c", "-v", "--rules", "own/"]);
    for (line, stays) in [
        ("  own/reduce.scm:3 lift  3:14  `a - 1` -> `a`", false),
        ("  minimal  3:5  `return f(a - 1);` -> `return;`", false),
        ("  minimal  2:5  `if (a) { return 1; }` -> `{ }`", false),
        (" splice  2:5  `if (a) { return 1; }` -> `return 1;`", true),
    ] {
        assert!(after.contains(line), "{line:?} is not in\n{after}");
        assert_eq!(before.contains(line), stays, "{line:?} in\n{before}");
    }
    assert!(!after.contains("`return f(a - 1);` -> `;`"), "a list takes the place of the other\n{after}");
    // The name is kept now, so nothing is known of its uses.
    assert!(before.contains(" unreferenced  1:1 ") && !after.contains(" unreferenced  1:1 "), "{after}");
}

#[test]
fn a_reduction_uses_them() {
    let reduced = |line: &[&str]| {
        let folder = with_rules(None, Some("[minimal]\nnumber = [\"7\"]\n"));
        folder.write("input.json", "[123456789, 12]\n");
        let test = ["input.json", "--", "grep", "-q", "[0-9], *[0-9]"];
        folder.lop(&[&["-q", "-j1", "--skip=characters,literals"][..], line, &test].concat()).expect_code(0);
        String::from_utf8(folder.read("input.json")).expect("ASCII")
    };
    assert!(reduced(&["--rules", "own"]).contains("7,"));
    assert!(!reduced(&[]).contains("7,"));
}

#[test]
fn an_accepted_step_names_the_rules_that_made_it() {
    let folder = with_rules(None, Some("[identifiers]\nkeep = [\"g\"]\n[minimal]\nnumber = [\"6\", \"7\"]\n"));
    folder.write("input.json", "[123456789, 12]\n");
    let line = ["-v", "-j1", "--skip=characters,literals", "--json=events", "--rules=own", "input.json"];
    let said = folder.lop(&[&line[..], &["--", "grep", "-q", "[0-57-9], *[0-9]"]].concat()).expect_code(0).stderr;
    let events = String::from_utf8(folder.read("events")).expect("ASCII");
    let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON lines"));
    let (mut named, mut counted) = (Vec::new(), Vec::new());
    for event in events {
        named.extend(event.get("rules").filter(|_| event["event"] == "accepted").cloned());
        counted.extend(event.get("rules").filter(|_| event["event"] == "finished").cloned());
    }
    // The user's own line, not that of the two files as one; tokens stay, all digits but one go.
    assert_eq!(named, vec![serde_json::json!(["own/language.toml:4 7"]); 2]);
    assert_eq!(counted, [serde_json::json!([{ "rule": "own/language.toml:4 7", "hits": 2, "bytes": 9, "tokens": 0 }])]);
    assert!(said.contains("own/language.toml:4 7"), "-v shows it: {said}");
}

#[test]
fn mistakes_name_the_users_file_and_line() {
    for (rules, language, message) in [
        (Some("; x\n(nonsense) @body"), None, "error: own/reduce.scm:2: unknown kind \"nonsense\"\n"),
        (Some("\n\n(_) @wrong"), None, "error: own/reduce.scm:3: unknown capture `@wrong`"),
        (Some("(if_statement"), None, "error: own/reduce.scm:1: syntax error"),
        (None, Some("[lists]\n\nopake = []\n"), "error: own/language.toml:3: unknown field `opake`"),
        (None, Some("[trivia]\ncomments = [\"no such\"]\n"), "error: own/language.toml:2: unknown kind `no such`"),
        (None, Some("[minimal]\n\n\"_.no\" = []\n"), "error: own/language.toml:3: unknown field `no`"),
        (
            None,
            Some("[language]\nextensions = [\"x\"]\n"),
            "error: own/language.toml:2: `extensions` cannot be changed",
        ),
        (None, Some("\n[structure]\n"), "error: own/language.toml:2: `[structure]` is for languages without a parser"),
        (None, Some("[language\n"), "error: own/language.toml:1: "),
        (None, None, "error: own has neither language.toml nor reduce.scm\n"),
    ] {
        let folder = with_rules(rules, language);
        for line in [&["grammars", "input.c", "--rules", "own"][..], &["input.c", "--rules=own", "--", "true"]] {
            let ran = folder.lop(line).expect_code(5);
            assert!(ran.stderr.starts_with(message), "{}", ran.stderr);
        }
    }
    let folder = with_rules(Some("(_) @body"), None);
    let refused = |line: &[&str], code| folder.lop(line).expect_code(code).stderr;
    let said = refused(&["input.txt", "--rules", "own", "--", "true"], 5);
    assert!(said.starts_with("error: --rules own needs a language, but FILE is plain text"), "{said}");
    assert!(refused(&["grammars", "input.c", "--rules", "none"], 5).starts_with("error: cannot read none\n"));
    let text = String::from_utf8(folder.lop(&["grammars", "input.txt"]).expect_code(0).stdout).expect("it is text");
    assert!(text.starts_with("input.txt (text: no grammar for .txt is") && text.contains("\n  text 1:1 "), "{text}");
    assert!(refused(&["grammars", "missing.c"], 2).starts_with("error: cannot read missing.c\n"));
    assert!(refused(&["grammars", "--coverage"], 2).contains("<FILE>"));
}

/// The languages of the program, but that one of their folders has another name, also for those that extend it.
fn with_renamed(old: &str, new: &'static str) -> Registry<'static> {
    let name = |name: &'static str| if name == old { new } else { name };
    let extends = |name: &str| format!("extends = \"{name}\"");
    // Folders are borrowed, as they are where they are part of the program.
    let language = |text: &str| -> &'static str { text.replace(&extends(old), &extends(new)).leak() };
    let texts = |texts: &Texts<'static>| Texts { name: name(texts.name), language: language(texts.language), ..*texts };
    let folders: Vec<_> = LANGUAGES
        .built_in
        .iter()
        .map(|folder| Language {
            name: name(folder.name),
            language: language(folder.language),
            inherited: folder.inherited.iter().map(texts).collect::<Vec<_>>().leak(),
            ..*folder
        })
        .collect();
    Registry::new(&folders).expect("only a name has changed")
}

#[test]
fn a_folders_name_is_its_languages_name_and_nothing_else_knows_it() {
    let before = Registry::new(LANGUAGES.built_in).expect("it is right");
    for folder in LANGUAGES.built_in {
        let after = with_renamed(folder.name, "zed");
        let listed: Vec<String> = after.list().expect("it is right").into_iter().map(|listed| listed.name).collect();
        assert!(
            listed.iter().any(|name| name == "zed") && !listed.iter().any(|name| name == folder.name),
            "{listed:?}"
        );
        let old = after.find(folder.name, Path::new("x"), b"");
        assert!(matches!(old, Err(GrammarError::Unknown { .. })), "{old:?}");
        let (file, text) = folder.sample.expect("it has one");
        let found = |registry: &Registry<'static>| {
            let (found, choice) = registry.find(AUTO, Path::new(file), text).expect("it is right");
            (found.map(|found| found.name), choice)
        };
        let (was, choice) = found(&before);
        assert_eq!(found(&after), (was.map(|was| if was == folder.name { "zed" } else { was }), choice));
    }
}

#[test]
fn a_language_reduces_under_its_folders_name_whatever_that_is() {
    let program = b"int unused;\nint f(int a) { return a; }\nint main(void) { return keep; }\n";
    let keeps = |text: &[u8]| {
        let main =
            text.windows(13).any(|part| part == b"{ return keep") && text.windows(5).any(|part| part == b"main(");
        if main { Verdict::Interesting } else { Verdict::NotInteresting }
    };
    let reduced = |registry: &Registry<'static>| {
        // The second takes over what the renamed one says.
        ["x.c", "x.cpp"].map(|file| {
            let (grammar, choice) = registry.choose(AUTO, Path::new(file), program).expect("it is right");
            let name = grammar.as_ref().expect("its extension is known").name().to_owned();
            let mut executor = Inline::new(keeps);
            let report = reduce_with(program, grammar, &mut executor, &Options::default(), &mut Silent, &Cancel::new());
            let report = report.expect("it is interesting");
            (name, choice, report.best, report.tests.total())
        })
    };
    let [c, cpp] = reduced(&with_renamed("c", "zed"));
    let before = reduced(&Registry::new(LANGUAGES.built_in).expect("it is right"));
    assert_eq!((c.0.as_str(), c.1), ("zed", Choice::Extension));
    assert!(c.2.len() < program.len() / 2, "{}", String::from_utf8_lossy(&c.2));
    assert_eq!(([&c.2, &cpp.2], [c.3, cpp.3]), ([&before[0].2, &before[1].2], [before[0].3, before[1].3]));
}

#[test]
fn the_list_tells_of_a_name_that_is_no_language() {
    let folder = Folder::new();
    for (option, said) in
        [("--grammar=nope", "error: unknown grammar `nope`"), ("--grammar-for=x=nope", "error: unknown grammar `nope`")]
    {
        let ran = folder.lop(&["grammars", option]).expect_code(2);
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    }
}
