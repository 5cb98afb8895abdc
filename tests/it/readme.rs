//! The promises of the README: its size, that its tables say what the program says, and that what it shows happens.
//! Counts and times depend on compilers and machines, and so it promises none.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use clap::CommandFactory;
use lop::cli::args::Cli;

use crate::support::{Folder, TIMEOUT, has};

/// Bytes that it may have.
const MOST: usize = 10_000;

/// Lines that `lop --help` may have.
const MOST_LINES: usize = 60;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(package().join("README.md")).expect("the package has a README")
}

/// The text below a heading.
fn section(heading: &str) -> String {
    let readme = readme();
    let (_, section) = readme.split_once(&format!("\n## {heading}\n")).expect("the README has the section");
    section.split("\n## ").next().unwrap_or_default().to_owned()
}

#[test]
fn it_can_be_read_in_a_few_minutes() {
    assert!(readme().len() <= MOST, "{} bytes", readme().len());
}

#[test]
fn the_help_is_one_page() {
    for width in ["80", "100"] {
        for words in [&["--help"][..], &["-h"], &["help"]] {
            let ran = Folder::new().command(words).env("COLUMNS", width).output().expect("lop can be started");
            let lines = String::from_utf8_lossy(&ran.stdout).lines().count();
            assert!(ran.status.success() && (20..=MOST_LINES).contains(&lines), "{words:?}: {lines} lines at {width}");
        }
    }
}

#[test]
fn all_of_the_help_is_more_than_the_page() {
    for words in [["help", "all"], ["help", "reduce"]] {
        let said = String::from_utf8(Folder::new().lop(&words).expect_code(0).stdout).expect("plain");
        assert!(said.contains("--expect-waste") && said.contains("Exit codes:"), "{said}");
    }
    let said = String::from_utf8(Folder::new().lop(&["help", "doctor"]).expect_code(0).stdout).expect("plain");
    assert!(said.contains("lop doctor [OPTIONS]"), "{said}");
}

/// The first sentence of each option of the table is that of the definitions.
#[test]
fn its_options_are_described_as_in_the_program() {
    let section = section("Options");
    let command = Cli::command();
    let mut seen = 0;
    for row in section.lines().filter(|line| line.starts_with("| `-") && line.contains("`--")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, said] = cells[..] else { panic!("two cells: {row}") };
        let long = name.split("--").nth(1).and_then(|rest| rest.split([' ', '`']).next()).expect("a name");
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long));
        let arg = arg.unwrap_or_else(|| panic!("there is no option --{long}"));
        assert_eq!(arg.get_help().map(ToString::to_string).as_deref(), Some(said), "--{long}");
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn every_option_of_its_tables_exists() {
    let option = regex::Regex::new(r"`(?:lop [^`]*)?(--[a-z][a-z-]+)").expect("a constant");
    let (command, section) = (Cli::command(), section("Options"));
    for found in option.captures_iter(&section).filter(|found| &found[1] != "--help") {
        let is_there = command.get_arguments().any(|arg| arg.get_long() == found[1].strip_prefix("--"));
        assert!(is_there, "{}", &found[1]);
    }
}

#[test]
fn its_exit_codes_are_those_of_the_help() {
    let section = section("Options");
    let said = section.split("Exit codes: ").nth(1).expect("it lists them").replace('\n', " ");
    let help = String::from_utf8(Folder::new().lop(&["--help"]).expect_code(0).stdout).expect("plain");
    let codes = help.split("Exit codes:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("it lists them");
    let codes: Vec<&str> =
        codes.lines().flat_map(|line| line.trim().split("   ")).filter(|code| !code.is_empty()).collect();
    assert_eq!(codes.len(), 7, "{codes:?}");
    for code in codes {
        assert!(said.contains(code), "{code}");
    }
}

#[test]
fn its_program_is_one_of_the_manual() {
    let section = section("As a library, and in CI");
    let program = section.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is one");
    let chapter = fs::read_to_string(package().join("docs/library.md")).expect("the manual has the chapter");
    assert!(chapter.contains(program), "{program}");
}

/// Runs a command that is shown, on the examples; the lines below it must be printed. Returns the content of the
/// file it writes. The first command, which builds lop, is run by `.ci/run`.
fn shown(begins: &str, output: &str) -> String {
    let readme = readme();
    let mut lines =
        readme.lines().map(|line| line.trim_start_matches("$ ")).skip_while(|line| !line.starts_with(begins));
    let line = lines.next().expect("the README has the command");
    let words = shlex::split(line).expect("its quotes are closed");
    let words = words.iter().map(String::as_str).skip_while(|word| *word != "-o");
    let folder = Folder::new();
    symlink(package().join("examples"), folder.path("examples")).expect("our own folder");
    // A machine under load is no reason for another result, and takes longer than other tests may.
    let words: Vec<&str> = TIMEOUT.into_iter().chain(["--yes"]).chain(words).collect();
    let ran = folder.command(&words).output().expect("lop can be started");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    for line in lines.take_while(|line| *line != "```") {
        assert!(said.lines().any(|said| said == line), "the README has\n{line}\nand lop says\n{said}");
    }
    String::from_utf8(folder.read(output)).expect("it is text")
}

#[test]
fn the_broken_payload_is_reduced_as_shown() {
    if !has("python3") {
        return;
    }
    let small = shown("lop -o small.json ", "small.json");
    assert!(small.len() <= 20, "{small}");
}
