//! Tests that the manual is right: its commands run and print what it shows, its options are those of the program, and
//! every page is in the book. `tidy` checks all links; a test here checks that none leads out of the book.
//!
//! A comment before a fenced block says what to do with it. `<!-- file: NAME -->` writes it to a file. `<!-- runs -->` runs
//! its commands (the lines after `$ `) and expects exit code 0; `<!-- runs, code 2 -->` expects another one for the last
//! command, and `<!-- runs, needs node -->` is skipped if that program is missing. All blocks of a page share a directory.
//!
//! The lines after a command are its output, standard output and standard error together. A line `…` stands for any
//! lines, and `…` within a line for any text. A command without such lines may print anything, but `cat` shows its file.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory;
use lop_cli::args::Cli;
use regex::Regex;

use crate::support::{Folder, finish, has, npm, path, wheels};

fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// A step that a page wants done, in its order.
#[derive(Debug, PartialEq)]
enum Step {
    Write { name: String, text: String },
    Run { commands: Vec<Shown>, code: i32, needs: Option<String> },
}

/// A command, and what a page shows of its output.
#[derive(Debug, PartialEq)]
struct Shown {
    command: String,
    output: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mark = Regex::new(r"^<!-- (?:file: (\S+)|runs(?:, code (\d+))?(?:, needs (\S+))?) -->$").expect("a constant");
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            // Not marked: what is in it is not looked at.
            lines.by_ref().take_while(|line| !line.starts_with("```")).for_each(drop);
        }
        let Some(found) = mark.captures(line) else {
            assert!(!line.starts_with("<!--"), "what is that? {line}");
            continue;
        };
        let fence = lines.next().unwrap_or_default();
        assert!(fence.starts_with("```"), "no block behind {line}");
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        steps.push(match found.get(1) {
            Some(name) => Step::Write { name: name.as_str().to_owned(), text: format!("{}\n", block.join("\n")) },
            None => Step::Run {
                commands: commands(&block),
                code: found.get(2).map_or(0, |code| code.as_str().parse().expect("digits")),
                needs: found.get(3).map(|program| program.as_str().to_owned()),
            },
        });
    }
    steps
}

/// The commands of a block, each with the output that follows it.
fn commands(block: &[&str]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut continues = false;
    for line in block {
        let command = line.strip_prefix("$ ");
        match (command, all.last_mut()) {
            (None, Some(last)) if continues => last.command.push_str(&format!("\n{line}")),
            (None, Some(last)) => last.output.push((*line).to_owned()),
            (None, None) => panic!("output without a command: {line}"),
            (Some(command), _) => all.push(Shown { command: command.to_owned(), output: Vec::new() }),
        }
        continues = (command.is_some() || continues) && line.ends_with('\\');
    }
    assert!(!all.is_empty(), "no command in {block:?}");
    for shown in all.iter().filter(|shown| shown.command.starts_with("cat ") && !shown.command.contains('|')) {
        assert!(!shown.output.is_empty(), "`{}` shows nothing", shown.command);
    }
    all
}

/// Whether lines match those that a page shows, where `…` stands for anything.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((line, rest)) => {
            let parts: Vec<String> = line.trim_end().split('…').map(regex::escape).collect();
            let expected = Regex::new(&format!("^{}$", parts.join(".*"))).expect("escaped");
            printed
                .split_first()
                .is_some_and(|(first, others)| expected.is_match(first.trim_end()) && matches(rest, others))
        }
    }
}

fn run_page(name: &str) {
    run_file(&manual().join(name), Folder::new());
}

/// Runs the commands of a page in a directory.
fn run_file(page: &Path, folder: Folder) {
    let name = page.display();
    let mut page = fs::read_to_string(page).expect("a page of the manual");
    let wheels = page.contains("pip download").then(wheels);
    if matches!(wheels, Some(None)) {
        return;
    }
    if wheels.is_some() {
        // The port of the page may be taken.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
        page = page.replace(":8980", &format!(":{}", free.port())).replace(" 8980", &format!(" {}", free.port()));
    }
    if page.contains("python3") && !has("python3") {
        return;
    }
    let npm = page.contains("npm install").then(npm);
    if matches!(npm, Some(None)) {
        return;
    }
    let steps = steps(&page);
    assert!(steps.iter().any(|step| matches!(step, Step::Run { .. })), "{name} has no commands");
    let mut wrong = Vec::new();
    for step in steps {
        let (commands, code, needs) = match step {
            Step::Write { name, text } => {
                folder.write(&name, text);
                continue;
            }
            Step::Run { commands, code, needs } => (commands, code, needs),
        };
        if needs.is_some_and(|program| !has(&program)) {
            continue;
        }
        let lop = Path::new(env!("CARGO_BIN_EXE_lop")).parent().expect("it is in a folder").display().to_string();
        let path = format!("{lop}:{}", path().display());
        let mut script = "exec 2>&1\n".to_owned();
        for shown in &commands {
            script.push_str(&format!("printf '{MARK}\\n'\n{}\n", shown.command));
        }
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", &script])
            .current_dir(folder.path("."))
            .env("PATH", path)
            .env("HOME", folder.home())
            .env_remove("XDG_CONFIG_HOME");
        if let Some(wheels) = wheels.iter().flatten().next() {
            shell.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", wheels).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        }
        if let Some(npm) = npm.iter().flatten().next() {
            npm.set(&mut shell);
        }
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = finish(shell.spawn().expect("there is a shell"));
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_eq!(ran.code, Some(code), "{name}:\n{script}\n{said}{}", ran.stderr);
        let printed = said.split(MARK).skip(1).map(|printed| printed.trim_start_matches('\n'));
        for (shown, printed) in commands.iter().zip(printed).filter(|(shown, _)| !shown.output.is_empty()) {
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            let output = shown.output.join("\n");
            let expected: Vec<String> = output.trim_end().lines().map(str::to_owned).collect();
            if !matches(&expected, &lines) {
                wrong.push(format!("{name}: {}\n--- shown\n{output}\n--- printed\n{printed}", shown.command));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Separates the outputs of commands.
const MARK: &str = "\u{1e}next";

#[test]
fn output_is_compared_where_a_page_shows_it() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = ["one 12 ms", "two", "three"];
    for (shown, is_right) in [
        ("one … ms\ntwo\nthree", true),
        ("one … ms\n…", true),
        ("…\nthree", true),
        ("…", true),
        ("one … ms\ntwo", false),
        ("one …\nthree", false),
        ("two\nthree", false),
        ("o.e … ms\n…", false),
    ] {
        assert_eq!(matches(&lines(shown), &printed), is_right, "{shown}");
    }
}

#[test]
fn the_first_reduction_is_as_described() {
    run_page("first-reduction.md");
}

#[test]
fn the_tests_are_as_good_and_as_bad_as_described() {
    run_page("tests.md");
}

#[test]
fn the_recipes_work() {
    run_page("recipes.md");
}

#[test]
fn several_files_are_reduced_as_described() {
    run_page("projects.md");
}

#[cfg(feature = "remote")]
#[test]
fn tests_run_on_other_machines_as_described() {
    run_page("remote.md");
}

#[test]
fn differences_are_isolated_as_described() {
    run_page("isolate.md");
}

#[test]
fn the_lines_for_fuzzers_work() {
    run_page("fuzzing.md");
}

#[test]
fn the_journals_do_what_is_described() {
    run_page("journals.md");
}

#[test]
fn the_output_is_as_described() {
    run_page("output.md");
}

#[test]
fn flaky_tests_are_handled_as_described() {
    run_page("flaky.md");
}

#[test]
fn special_inputs_are_reduced_as_described() {
    run_page("special-inputs.md");
}

#[test]
fn choices_are_reduced_as_described() {
    run_page("generators.md");
}

#[test]
fn another_program_proposes_as_described() {
    run_page("proposals.md");
}

#[test]
fn a_language_of_ones_own_takes_what_is_described() {
    run_page("add-a-language.md");
}

#[test]
fn the_readme_works() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), folder.path("examples"))
        .expect("our own folder");
    run_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"), folder);
}

#[test]
fn no_page_with_commands_is_left_out() {
    let tested = [
        "add-a-language.md",
        "first-reduction.md",
        "flaky.md",
        "fuzzing.md",
        "generators.md",
        "isolate.md",
        "journals.md",
        "output.md",
        "projects.md",
        "proposals.md",
        "recipes.md",
        "remote.md",
        "special-inputs.md",
        "tests.md",
    ];
    for page in pages().into_iter().filter(|page| !tested.contains(&page.as_str())) {
        let text = fs::read_to_string(manual().join(&page)).expect("a page of the manual");
        assert!(steps(&text).is_empty(), "{page} has commands: give it a test");
    }
}

#[test]
fn marked_blocks_are_read_and_others_are_not() {
    let page = "x\n<!-- file: a.txt -->\n```text\n1\n```\n```sh\n$ rm\n```\n<!-- runs, code 3, needs cc -->\n```console\n\
                $ one \\\n  two\nprinted\n$ three\n```\n";
    let shown = |command: &str, output: &[&str]| Shown {
        command: command.to_owned(),
        output: output.iter().map(|line| (*line).to_owned()).collect(),
    };
    let commands = vec![shown("one \\\n  two", &["printed"]), shown("three", &[])];
    let run = Step::Run { commands, code: 3, needs: Some("cc".to_owned()) };
    assert_eq!(steps(page), [Step::Write { name: "a.txt".to_owned(), text: "1\n".to_owned() }, run]);
}

/// All pages of the manual but the table of contents, as paths below `docs/`: `tests.md`, `dev/engine.md`.
fn pages() -> Vec<String> {
    let names = |folder: &str| {
        let entries = fs::read_dir(manual().join(folder)).expect("the package has a manual");
        let names = entries.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect::<Vec<_>>()
    };
    let dev = names("dev").into_iter().map(|name| format!("dev/{name}"));
    names("").into_iter().chain(dev).collect()
}

/// The path below `docs/` that a link from a page leads to; `None` outside of `docs/`.
fn resolved(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = fs::read_to_string(manual().join("SUMMARY.md")).expect("the manual has one");
    for page in pages() {
        assert!(contents.contains(&format!("]({page})")), "{page} is not in SUMMARY.md");
    }
}

/// The name of a heading in a link.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn links_lead_to_pages_and_headings_of_the_book() {
    let read = |page: &str| fs::read_to_string(manual().join(page)).unwrap_or_default();
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a constant");
    let mut faults = Vec::new();
    for page in pages() {
        for found in link.captures_iter(&read(&page)).filter(|found| !found[1].contains("://")) {
            let (target, place) = found[1].split_once('#').unwrap_or((&found[1], ""));
            // A file outside of docs/ is no part of the book.
            let target = if target.is_empty() { Some(page.clone()) } else { resolved(&page, target) };
            let target = target.unwrap_or_default();
            let is_there = manual().join(&target).is_file();
            let headings = read(&target);
            let mut headings = headings.lines().filter(|line| line.starts_with('#'));
            if !is_there
                || !place.is_empty() && !headings.any(|line| anchor(line.trim_start_matches(['#', ' '])) == place)
            {
                faults.push(format!("{page}: {}", &found[1]));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert_eq!(resolved("dev/engine.md", "../isolate.md").as_deref(), Some("isolate.md"));
    assert_eq!(resolved("tests.md", "../README.md"), None);
}

#[test]
fn every_field_of_an_event_is_in_its_row() {
    let schema = fs::read(manual().join("events.schema.json")).expect("the manual has it");
    let schema: serde_json::Value = serde_json::from_slice(&schema).expect("it is JSON");
    let page = fs::read_to_string(manual().join("output.md")).expect("a page of the manual");
    for event in schema["oneOf"].as_array().expect("one of several") {
        let name = event["properties"]["event"]["const"].as_str().expect("it has a name");
        let row = page.lines().find(|line| {
            let cell = line.strip_prefix("| ").and_then(|line| line.split(" | ").next());
            cell.is_some_and(|cell| cell.contains(&format!("`{name}`")))
        });
        let row = row.unwrap_or_else(|| panic!("{name} is no row of docs/output.md"));
        let fields = event["properties"].as_object().expect("it has fields").keys();
        for field in fields.filter(|field| !["event", "time"].contains(&field.as_str())) {
            assert!(row.contains(&format!("`{field}`")), "{field} is not in the row of {name} in docs/output.md");
        }
    }
}

/// The options of a command as they are typed.
fn options(command: &clap::Command) -> BTreeSet<String> {
    let arguments = command.get_arguments().filter(|argument| !argument.is_positional() && !argument.is_hide_set());
    let names = |argument: &clap::Arg| {
        let long = argument.get_long_and_visible_aliases().unwrap_or_default();
        let short = argument.get_short_and_visible_aliases().unwrap_or_default();
        let long = long.into_iter().map(|name| format!("--{name}"));
        long.chain(short.into_iter().map(|letter| format!("-{letter}"))).collect::<Vec<_>>()
    };
    arguments.flat_map(names).collect()
}

#[test]
fn the_list_of_options_is_made_of_the_definitions() {
    let made = Folder::new().lop(&["help", "markdown"]).expect_code(0).stdout;
    let page = fs::read(manual().join("options.md")).expect("a page of the manual");
    let way = "cargo run -q -- help markdown >docs/options.md";
    assert!(made == page, "docs/options.md is not what the definitions say; write it anew by `{way}`");
}

/// The maker of the list may leave none out.
#[test]
fn every_option_is_in_the_list() {
    let page = fs::read_to_string(manual().join("options.md")).expect("a page of the manual");
    let mut lop = Cli::command();
    lop.build();
    for command in std::iter::once(&lop).chain(lop.get_subcommands()) {
        for option in options(command) {
            let is_there = [" ", "`"].iter().any(|end| page.contains(&format!("`{option}{end}")));
            assert!(is_there, "{} {option}", command.get_name());
        }
    }
}
