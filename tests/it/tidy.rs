//! Holds the tree to the invariants of ARCHITECTURE.md that a program can check.
//!
//! Every check is a function from a file to its faults, so that a planted fault can show that the
//! check finds it. The reading of Rust is by line and rough; where it errs it errs towards
//! complaining.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Production lines a file may have.
const MAX_LINES: usize = 600;

/// A file of the tree.
struct Source {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
    /// Compiled for tests only.
    test: bool,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Source { path: path.to_owned(), text: text.to_owned(), test: part_of(path).is_none() }
    }

    /// The part of lop that it is in: the first folder or file of `src/`, of `lop-files` or of `lop-run`, or another crate.
    fn part(&self) -> Option<&str> {
        part_of(&self.path)
    }

    /// The files of the modules that this one declares for tests only.
    fn test_modules(&self) -> Vec<String> {
        let declared =
            Regex::new(r"#\[cfg\((?:all\()?test\b[^\n]*\n(?:pub(?:\(crate\))? )?mod (\w+);").expect("a constant");
        let folder = ["/mod.rs", "/lib.rs"].iter().find_map(|name| self.path.strip_suffix(name));
        let folder = folder.unwrap_or(self.path.trim_end_matches(".rs"));
        let names = declared.captures_iter(&self.text).map(|found| found[1].to_owned());
        names.flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]).collect()
    }

    /// Lines with their numbers, without comments; blank lines and those of test modules are left out.
    fn production(&self) -> Vec<(usize, &str)> {
        if self.test {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let mut test_module = false;
        let mut attribute = false;
        for (number, line) in self.code() {
            if test_module {
                test_module = line != "}";
            } else if line.trim() == "#[cfg(test)]" && !line.starts_with(' ') {
                attribute = true;
            } else if attribute && !line.starts_with("#[") {
                attribute = false;
                test_module = line.ends_with('{');
            } else if !attribute {
                lines.push((number, line));
            }
        }
        lines
    }

    /// All lines that are neither blank nor comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.filter(|(_, line)| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with("//")
        })
    }

    fn fault(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.path)
    }

    /// A fault for every production line that matches.
    fn matching(&self, pattern: &str, what: &str) -> Vec<String> {
        let pattern = Regex::new(pattern).expect("the pattern is a constant");
        let found = self.production().into_iter().filter(|(_, line)| pattern.is_match(line));
        found.map(|(number, line)| self.fault(number, format!("{what}: {}", line.trim()))).collect()
    }
}

fn part_of(path: &str) -> Option<&str> {
    let (krate, rest) = match path.strip_prefix("crates/lop-") {
        Some(path) => path.split_once("/src/")?,
        None => ("", path.strip_prefix("src/")?),
    };
    let first = rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs");
    Some(if ["", "files", "run"].contains(&krate) { first } else { krate })
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folders` (or files) of the tree with one of these endings.
fn files(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut todo: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                let entries = fs::read_dir(&path).expect("a folder of the tree can be listed");
                todo.extend(entries.map(|entry| entry.expect("a folder of the tree can be listed").path()));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let relative = path.strip_prefix(root()).expect("found below the root");
            found.push(Source::new(&relative.to_string_lossy().replace('\\', "/"), &text));
        }
    }
    let tests: Vec<String> = found.iter().flat_map(Source::test_modules).collect();
    for source in &mut found {
        source.test |= tests.contains(&source.path);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "nothing found in {folders:?}");
    found
}

fn src() -> Vec<Source> {
    let mut sources = files(&["src", "crates"], &[".rs"]);
    // The lab and the tests' own helpers are no part of the program; the only unsafe code is looked at by itself.
    sources.retain(|source| source.part().is_some_and(|part| !["lab", "parser", "testing"].contains(&part)));
    sources
}

fn all_rust() -> Vec<Source> {
    let folders = ["src", "crates", "tests", "benches", "examples"];
    let there: Vec<&str> = folders.into_iter().filter(|folder| root().join(folder).exists()).collect();
    files(&there, &[".rs"])
}

#[track_caller]
fn none(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn purity_faults(source: &Source) -> Vec<String> {
    let mut faults = source.matching(
        r"\bstd::(fs|process|thread|time|env|net|io|os)\b|\btree_sitter|\brustix\b|\bInstant\b|\bSystemTime\b",
        "the engine knows nothing but numbers",
    );
    let simulates = ["model/chain.rs", "simulate/families.rs"].iter().any(|name| source.path.ends_with(name));
    if !simulates {
        faults.extend(source.matching(r"\brand(_\w+)?::", "the engine is handed its randomness"));
    }
    faults
}

#[test]
fn the_engine_knows_nothing_but_numbers() {
    none(files(&["crates/lop-engine"], &[".rs"]).iter().flat_map(purity_faults));
    for text in ["use std::fs;", "let t = std::time::Instant::now();", "use rand::Rng;"] {
        assert!(!purity_faults(&Source::new("crates/lop-engine/src/x.rs", text)).is_empty(), "{text}");
    }
}

fn language_faults(source: &Source, languages: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in source.code() {
        for language in languages {
            let crate_name = language.replace('-', "_");
            if line.contains(&format!("\"{language}\""))
                || line.contains(&format!("tree_sitter_{crate_name}"))
                || line.contains(&format!("tree-sitter-{language}"))
            {
                faults.push(source.fault(number, format!("{language} is a language: say it in grammars/")));
            }
        }
    }
    faults
}

#[test]
fn no_language_is_named_in_the_source() {
    let languages: Vec<String> = fs::read_dir(root().join("grammars"))
        .expect("grammars/ can be listed")
        .map(|entry| entry.expect("grammars/ can be listed").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a listed entry has a name").to_string_lossy().into_owned())
        .collect();
    assert!(!languages.is_empty());
    none(src().iter().flat_map(|source| language_faults(source, &languages)));
    let planted = Source::new("src/x.rs", "if name == \"zed\" {\ntree_sitter_zed::LANGUAGE\n");
    assert_eq!(language_faults(&planted, &["zed".to_owned()]).len(), 2);
}

#[test]
fn every_file_opens_with_what_it_is_responsible_for() {
    let silent = all_rust().into_iter().filter(|source| !source.text.starts_with("//! "));
    none(silent.map(|source| source.fault(1, "open with `//!` and what the file is responsible for")));
}

#[test]
fn files_are_short_enough_to_be_read() {
    let long = src().into_iter().map(|source| (source.production().len(), source));
    let long = long.filter(|(lines, _)| *lines > MAX_LINES);
    none(long.map(|(lines, source)| source.fault(1, format!("{lines} lines; split it before {MAX_LINES}"))));
}

fn printing_faults(source: &Source) -> Vec<String> {
    if matches!(source.part(), Some("report" | "cli")) {
        return Vec::new();
    }
    source.matching(
        r"\be?print(ln)?!|\bdbg!|\banstream::|\bindicatif::|\bio::(stdout|stderr)\b|\b(stdout|stderr)\(\)",
        "only report and cli print",
    )
}

#[test]
fn only_report_and_cli_print() {
    none(src().iter().flat_map(printing_faults));
    assert_eq!(printing_faults(&Source::new("src/reduce/x.rs", "eprintln!();")).len(), 1);
    assert!(printing_faults(&Source::new("src/report/x.rs", "std::io::stdout();")).is_empty());
}

fn text_faults(source: &Source) -> Vec<String> {
    if source.part() == Some("report") && source.path.ends_with("/visible.rs") {
        return Vec::new();
    }
    source.matching(
        r"\banstream::(stdout|stderr|println|eprintln|print|eprint)\b",
        "text goes out by report::text::stdout",
    )
}

#[test]
fn text_goes_out_through_one_place() {
    none(src().iter().flat_map(text_faults));
    assert_eq!(text_faults(&Source::new("src/cli/x.rs", "writeln!(anstream::stderr());")).len(), 1);
}

/// Comments of which a sentence begins with a word that names no thing.
fn subject_faults(source: &Source) -> Vec<String> {
    let starts = Regex::new(r"^\s*//[/!]? (?:.*[.!?] )?(?:What|Who|Whoever|Whatever|So many|Nobody|Somebody)\b");
    let starts = starts.expect("the pattern is a constant");
    let comments = source.text.lines().enumerate().filter(|(_, line)| starts.is_match(line));
    comments.map(|(index, line)| source.fault(index + 1, format!("a thing is the subject: {}", line.trim()))).collect()
}

#[test]
fn a_sentence_of_a_comment_has_a_thing_as_its_subject() {
    none(all_rust().iter().flat_map(subject_faults));
    let planted = "/// What a pass proposes.\n/// One edit. Whoever makes it.\nfn f() {}\n// The edits: what goes.\n";
    assert_eq!(subject_faults(&Source::new("src/x.rs", planted)).len(), 2);
}

/// Code that makes a file, or writes to one, by its name. Comparisons and manual pages stand beside no user's file.
fn making_faults(source: &Source) -> Vec<String> {
    let is_beside = matches!(source.part(), Some("journal" | "report" | "cli"));
    if !is_beside || ["compare.rs", "man.rs"].iter().any(|name| source.path.ends_with(name)) {
        return Vec::new();
    }
    source.matching(
        r"\bFile::create|\bfs::(write|rename|copy)\(|\.create(_new)?\(true\)|\btempfile_in\(.*\)\?",
        "only disk makes what stands beside a user's file",
    )
}

#[test]
fn only_disk_makes_what_stands_beside_a_file() {
    none(src().iter().flat_map(making_faults));
    for text in ["let file = File::create(path)?;", "fs::write(path, text)", "OpenOptions::new().create(true)"] {
        assert_eq!(making_faults(&Source::new("src/report/x.rs", text)).len(), 1, "{text}");
    }
    assert!(making_faults(&Source::new("src/disk/x.rs", "fs::rename(a, b)")).is_empty());
}

fn process_faults(source: &Source) -> Vec<String> {
    if source.path.contains("/oracle/process") {
        return Vec::new();
    }
    // The rest of the oracle may name the program to start.
    let starting = r"\.(spawn|output|status)\(\)|\bCommandExt::exec\b|\bexecv|\bposix_spawn";
    let naming = r"\bprocess::Command\b|\bCommand::new\b|\bprocess::\{[^}]*\bCommand\b";
    let pattern = if source.part() == Some("oracle") { starting.to_owned() } else { format!("{starting}|{naming}") };
    source.matching(&pattern, "only oracle::process starts processes")
}

#[test]
fn every_error_names_an_exit_code_that_there_is() {
    let codes =
        src().into_iter().find(|source| source.path.ends_with("lop-cli/src/exit_code.rs")).expect("it is there");
    let attribute = Regex::new(r"diagnostic\(code\((\w+)\)").expect("well-formed");
    let function = Regex::new(r"fn code\(&self\) -> Option(?s:.*?)\n    \}").expect("well-formed");
    let word = Regex::new(r#""(\w+)""#).expect("well-formed");
    let mut named = BTreeSet::new();
    for source in files(&["crates"], &[".rs"]) {
        named.extend(attribute.captures_iter(&source.text).map(|found| found[1].to_owned()));
        for body in function.find_iter(&source.text) {
            named.extend(word.captures_iter(body.as_str()).map(|found| found[1].to_owned()));
        }
    }
    assert!(named.contains("flaky"), "{named:?}");
    for name in named {
        assert!(codes.text.contains(&format!("\"{name}\" => Code::")), "{name} is no exit code");
    }
}

#[test]
fn only_the_oracle_starts_processes() {
    none(src().iter().flat_map(process_faults));
    assert_eq!(process_faults(&Source::new("src/exec/x.rs", "use std::process::{Child, Command};")).len(), 1);
    assert_eq!(process_faults(&Source::new("src/oracle/x.rs", "let child = command.spawn()?;")).len(), 1);
    assert!(process_faults(&Source::new("src/oracle/process/unix.rs", "Command::new(x)")).is_empty());
}

#[test]
fn nothing_is_unsafe_or_unwrapped_or_a_mutable_static() {
    let patterns = [
        (r"\bunsafe\b", "no unsafe code"),
        (r"\.unwrap\(\)", "expect(\"why it holds\") instead"),
        (
            r"\bstatic mut\b|\bthread_local!|\bstatic \w+: .*\b(Atomic\w+|Mutex|RwLock|OnceLock|LazyLock|OnceCell|LazyCell|Cell|RefCell)\b",
            "no mutable statics: pass the value in",
        ),
        (r"#!?\[allow\(", "expect(lint, reason = \"…\") instead"),
        (r"#\[path", "plain mod lines only: cargo fmt skips others"),
        (r"\b(todo|unimplemented)!", "unfinished"),
    ];
    for (pattern, what) in patterns {
        none(src().iter().flat_map(|source| source.matching(pattern, what)));
    }
    let planted = Source::new("src/x.rs", "static N: AtomicU8 = AtomicU8::new(0);\nfn f() { g().unwrap() }\n");
    assert_eq!(planted.matching(patterns[1].0, "").len(), 1);
    assert_eq!(planted.matching(patterns[2].0, "").len(), 1);
}

/// The crate that loads parsers and bounds what they take has a few lines that are; every other one of the workspace
/// forbids them.
#[test]
fn one_crate_has_unsafe_lines_and_few() {
    let is_unsafe = Regex::new(r"\bunsafe\s*(\{|fn|impl|trait)").expect("a constant");
    let lines = |source: &Source| source.code().filter(|(_, line)| is_unsafe.is_match(line)).count();
    let found = files(&["crates", "src", "examples", "benches"], &[".rs"]);
    let elsewhere = found.iter().filter(|source| !source.path.starts_with("crates/lop-parser/") && lines(source) > 0);
    none(elsewhere.map(|source| source.fault(1, "unsafe code is for crates/lop-parser")));
    let here: usize = found.iter().filter(|source| source.path.starts_with("crates/lop-parser/")).map(lines).sum();
    assert!((1..=14).contains(&here), "{here} unsafe blocks");
}

#[test]
fn no_test_is_ignored() {
    let attribute = concat!("#[", "ignore");
    let ignored = |source: &Source| {
        let found = source.text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with(attribute));
        found.map(|(index, _)| source.fault(index + 1, "mend the test or remove it")).collect::<Vec<_>>()
    };
    none(all_rust().iter().flat_map(ignored));
}

/// Test modules are not production: what the other checks leave out is left out on purpose.
#[test]
fn test_modules_are_told_from_production() {
    let source = Source::new(
        "src/x.rs",
        "//! X.\nfn a() {}\n#[cfg(test)]\n#[expect(x, reason = \"y\")]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}\n#[cfg(test)]\npub(crate) mod shared;\n",
    );
    let lines: Vec<&str> = source.production().into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, ["fn a() {}", "fn c() {}", "fn d() {}"]);
    for name in ["more", "shared"] {
        assert!(source.test_modules().contains(&format!("src/x/{name}.rs")), "{name}");
    }
}

/// The anchor that a heading gets: lower case, blanks to hyphens, punctuation dropped.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// Links of a Markdown file that lead nowhere; addresses on the net are not followed.
fn link_faults(source: &Source) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a constant");
    let here = root().join(&source.path).parent().map(Path::to_owned).unwrap_or_default();
    let mut faults = Vec::new();
    let mut fenced = false;
    for (index, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for found in link.captures_iter(line) {
            let target = &found[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let path = here.join(file);
            let text = match file {
                "" => source.text.clone(),
                _ if !path.exists() => {
                    faults.push(source.fault(index + 1, format!("{target} does not exist")));
                    continue;
                }
                _ => fs::read_to_string(&path).unwrap_or_default(),
            };
            if !fragment.is_empty() && !anchors(&text).contains(&fragment.to_owned()) {
                faults.push(source.fault(index + 1, format!("{target}: no such heading")));
            }
        }
    }
    faults
}

#[test]
fn links_between_documents_lead_somewhere() {
    none(files(&["."], &[".md"]).iter().flat_map(link_faults));
    let planted = Source::new("x.md", "# A b\n[1](#a-b) [2](#c) [3](missing.md) [4](Cargo.toml) [5](https://x.y/#z)\n");
    assert_eq!(link_faults(&planted).len(), 2);
}

/// Where passes that the driver does not lead are named, by their type or by their name, outside of their file and of the
/// registry. Passes import what they share from one another, and no pass.
fn passes_named_elsewhere(sources: &[Source]) -> Vec<String> {
    let pass =
        Regex::new(r"(?:impl Pass for (?:EditsOfTree)?|static )(\w+)\b(?: \{|: EditsOfTree)").expect("a constant");
    let name = Regex::new(r#"Facts::new\(\s*"([^"]+)""#).expect("a constant");
    let mut faults = Vec::new();
    let files =
        sources.iter().filter(|source| source.path.starts_with("src/passes/") && !source.text.contains(".led()"));
    for source in files {
        let code: String = source.production().iter().map(|(_, line)| format!("{line}\n")).collect();
        for (pass, name) in pass.captures_iter(&code).zip(name.captures_iter(&code)) {
            // Elsewhere such a word may mean something else.
            let near = sources
                .iter()
                .filter(|other| ["src/passes/", "src/reduce/"].iter().any(|at| other.path.starts_with(at)));
            let others = near.filter(|other| ![&source.path[..], "src/passes/mod.rs"].contains(&&other.path[..]));
            let file = Path::new(&source.path).file_stem().expect("a file").to_string_lossy();
            let named = format!(r#"\b{file}::{}\b|&{}\b|"{}""#, &pass[1], &pass[1], &name[1]);
            faults.extend(others.flat_map(|other| other.matching(&named, "names a pass")));
        }
    }
    faults
}

#[test]
fn a_pass_is_one_file_and_its_lines_in_the_registry() {
    let sources = src();
    none(passes_named_elsewhere(&sources));
    let toy = "impl Pass for Toy {\n    fn facts(&self) -> Facts {\n        Facts::new(\"toy\", Stage::Rules, \"toys\")\n    }\n}\n";
    let registry = ("src/passes/mod.rs", "mod toy;\npub static ALL: &[&dyn Pass] = &[&toy::Toy];\n");
    let made = |elsewhere: (&str, &str)| {
        passes_named_elsewhere(
            &[("src/passes/toy.rs", toy), registry, elsewhere].map(|(path, text)| Source::new(path, text)),
        )
    };
    assert_eq!(made(("src/reduce/x.rs", "fn f() { turn(Stage::Rules) }")).len(), 0);
    assert_eq!(made(("src/reduce/x.rs", "fn f() { allows(&Toy) }")).len(), 1);
    assert_eq!(made(("src/reduce/x.rs", "const SKIPPED: &str = \"toy\";")).len(), 1);
}

/// Types whose methods are in more files than their own and one other. A type's own folder counts as its file.
fn spread_types(sources: &[Source]) -> Vec<String> {
    let declaration = Regex::new(r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum) (\w+)").expect("a constant");
    let methods = Regex::new(r"^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{").expect("a constant");
    let declares = |source: &Source, name: &str| {
        source.code().any(|(_, line)| declaration.captures(line).is_some_and(|found| &found[1] == name))
    };
    let mut elsewhere: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let homes = [source.path.clone(), format!("{folder}.rs"), format!("{folder}/mod.rs")];
        for name in source.code().filter_map(|(_, line)| Some(methods.captures(line)?.get(1)?.as_str())) {
            if !sources.iter().any(|home| homes.contains(&home.path) && declares(home, name)) {
                elsewhere.entry(name).or_default().insert(&source.path);
            }
        }
    }
    let spread = elsewhere.iter().filter(|(_, files)| files.len() > 1);
    spread.map(|(name, files)| format!("{name} has methods in {files:?}")).collect()
}

#[test]
fn the_methods_of_a_type_are_not_spread_over_a_folder() {
    none(spread_types(&all_rust()));
    let home = ("src/reduce/reducer.rs", "pub(super) struct Reducer<'a, 'g> {\n}\n");
    let methods = "impl<'a> Reducer<'a, '_> {\n}\nimpl Drop for Reducer {\n}\n";
    let made = |files: &[&str]| {
        let more = files.iter().map(|path| (*path, methods));
        let sources: Vec<_> = more.chain([home]).map(|(path, text)| Source::new(path, text)).collect();
        spread_types(&sources).len()
    };
    assert_eq!(made(&["src/reduce/stages/a.rs", "src/reduce/stages/b.rs"]), 1);
    assert_eq!(made(&["src/reduce/stages/a.rs", "src/reduce/reducer/b.rs"]), 0);
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    let pattern = Regex::new(r"(^|[^\w.])/(work|root|home/\w+|Users/\w+)/").expect("a constant");
    let documents = files(&["."], &[".md", ".rs", ".toml", ".sh", ".scm", ".yml"]);
    let faults = documents.iter().filter(|source| !source.path.starts_with("fixtures/")).flat_map(|source| {
        let found = source.text.lines().enumerate().filter(|(_, line)| pattern.is_match(line));
        found.map(|(index, line)| source.fault(index + 1, line.trim())).collect::<Vec<_>>()
    });
    none(faults);
}
