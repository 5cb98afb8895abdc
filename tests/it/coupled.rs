//! Coupled deletion where a compiler refuses what is not used. A function stands in for the compiler, so that no
//! compiler's version is in the results.

use std::sync::Arc;

use lop::{Options, Report, Silent, reduce_with};
use lop_grammar::{Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;

use crate::reduce::{run, yes_if};

const INPUT: &str = r#"package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func name() (string, int) {
	s := os.Args[0]
	return s, 7
}

func helper(n int) string {
	parts := strings.Split("a b", " ")
	joined := strings.Join(parts, "-")
	return joined
}

func main() {
	base := filepath.Base("x/y")
	text := helper(3)
	fmt.Println(base, text)
	fmt.Println(1)
	name()
}
"#;

/// The rules that tie the first of several results to the first value of each return.
const RESULTS: &str = r#"
((function_declaration result: (parameter_list . (parameter_declaration) @group . "," @group))
  (#set! group "first") (#set! text ""))
((return_statement (expression_list . (_) @group . "," @group)) (#set! group "first") (#set! text ""))
((function_declaration) @group.scope (#set! group "first"))
"#;

/// The words of a text, with where each starts.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = text.char_indices().filter(|&(at, c)| is_word(c) && !text[..at].ends_with(is_word));
    starts.map(|(at, _)| (at, text[at..].split(|c| !is_word(c)).next().unwrap_or_default())).collect()
}

/// How many things stand between the commas behind a mark, up to one of some characters.
fn count(text: &str, mark: &str, end: &[char]) -> Option<usize> {
    let behind = &text[text.find(mark)? + mark.len()..];
    let list = behind[..behind.find(end)?].trim();
    Some(if list.is_empty() { 0 } else { list.split(',').filter(|one| !one.trim().is_empty()).count() })
}

/// Whether the stand-in takes a text: what is used is there, and imports and locals that are there are used.
fn compiles(text: &str) -> bool {
    let all = words(text);
    let uses = |name: &str| all.iter().filter(|(_, word)| *word == name).count();
    let packages = ["fmt", "os", "filepath", "strings"];
    let is_imported = |name: &str| text.contains(&format!("{name}\"\n")) || text.contains(&format!("{name}\")"));
    let is_package_right = |name: &&str| is_imported(name) == text.contains(&format!("{name}."));
    let is_local_right = |name: &&str| match uses(name) {
        0 => true,
        1 => false,
        _ => text.contains(&format!("{name} :=")),
    };
    let is_function_right = |name: &&str| uses(name) == 0 || text.contains(&format!("func {name}("));
    packages.iter().all(is_package_right)
        && ["s", "parts", "joined", "base", "text"].iter().all(is_local_right)
        && ["helper", "name"].iter().all(is_function_right)
}

/// The bug needs that the compiler takes the text, and a function that returns 7 behind what else it returns.
fn has_bug(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Some(at) = text.find("func name() (") else { return false };
    let of = &text[at..];
    let results = count(of, "func name() (", &[')']);
    let values = count(of, "return ", &['\n', '}', ';']);
    let has_ends = text.starts_with("package main\n") && of.contains("int) {") && of.contains("7\n}");
    compiles(text) && has_ends && results.is_some() && results == values
}

fn reduced(rules: &str, options: &Options) -> Report {
    let registry = Registry::of(&LANGUAGES).expect("the shipped grammars are right");
    let folder = registry.folders().find(|folder| folder.name == "go").expect("it is built in");
    let grammar = Grammar::load_with_rules(folder, &format!("{}{rules}", folder.rules)).expect("the rules are right");
    let mut executor = Inline::new(|text: &[u8]| yes_if(has_bug(text)));
    reduce_with(INPUT.as_bytes(), Some(Arc::new(grammar)), &mut executor, options, &mut Silent, &Cancel::new())
        .expect("the input is interesting")
}

fn without_coupled() -> Options {
    let mut options = Options::default();
    options.passes.skip.push("coupled");
    options
}

fn text(report: &Report) -> String {
    String::from_utf8(report.best.clone()).expect("the input is UTF-8")
}

#[test]
fn result_value_local_and_import_go_in_one_step() {
    let coupled = reduced(RESULTS, &Options::default());
    assert_eq!(text(&coupled), "package main\nfunc name() (int) {\n  return 7\n}\n");
    let plain = reduced(RESULTS, &without_coupled());
    // The value takes the local's place, but it needs the import, and so does its result.
    assert!(text(&plain).contains("return os.") && text(&plain).contains("(string, int)"), "{}", text(&plain));
    let (coupled, plain) = (coupled.tests.total(), plain.tests.total());
    assert!(coupled * 3 < plain, "{coupled} tests, and {plain} without");
}

/// Functions of which each needs an import and a local.
fn modules(n: usize) -> String {
    let import = |i: usize| format!("import {{m{i}}} from 'lib{i}';\n");
    let function = |i: usize| format!("function f{i}(x) {{\n  let v{i} = m{i}(x);\n  g{i}(v{i});\n}}\n");
    (0..n).map(import).chain((0..n).map(function)).collect::<String>() + "f5(1);\n"
}

/// Whether all that a text imports or declares is used, and what it uses of that is there.
fn is_clean(text: &str) -> bool {
    let all = words(text);
    let uses = |name: &str| all.iter().filter(|(_, word)| *word == name).count();
    let is_ours = |name: &str| name.len() > 1 && name.starts_with(['m', 'v']) && name[1..].parse::<u32>().is_ok();
    let defines = |at: usize| text[..at].ends_with("import {") || text[..at].ends_with("let ");
    let (defined, used): (Vec<_>, Vec<_>) = all.iter().partition(|(at, _)| defines(*at));
    defined.iter().all(|(_, name)| uses(name) > 1)
        && used.iter().all(|(_, name)| !is_ours(name) || defined.iter().any(|(_, other)| other == name))
}

#[test]
fn that_unused_definitions_are_refused_is_learnt() {
    let input = modules(12);
    let test = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        yes_if(["import {m5} from", "let v5 = m5(", "g5(v5)"].iter().all(|part| text.contains(part)) && is_clean(&text))
    };
    let result = |options: &Options| {
        let (report, asked) = run("x.js", input.as_bytes(), options, test);
        (text(&report.expect("the input is interesting")), asked.len())
    };
    let (coupled, tests) = result(&Options::default());
    let (plain, plain_tests) = result(&without_coupled());
    assert_eq!(coupled.trim(), "import {m5} from ''\nlet v5 = m5()\ng5(v5)");
    assert_eq!(plain, coupled);
    assert!(tests < plain_tests, "{tests} tests, and {plain_tests} without");
}
