//! Tests of the README: its size, and that it agrees with the program. `manual` runs its commands.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use lop_cli::args::Cli;

use crate::support::Folder;

/// Bytes that it may have.
const MOST: usize = 12_000;

/// Lines that `lop --help` may have.
const MOST_LINES: usize = 60;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(package().join("README.md")).expect("the package has a README")
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
    for words in [["help", "doctor", "--all"], ["help", "--all", "doctor"]] {
        let all = String::from_utf8(Folder::new().lop(&words).expect_code(0).stdout).expect("plain");
        assert!(all.lines().count() > said.lines().count(), "{all}");
    }
}

#[test]
fn every_option_in_it_exists() {
    let option = regex::Regex::new(r"`(?:lop [^`]*)?(--[a-z][a-z-]+)").expect("a constant");
    let (command, readme) = (Cli::command(), readme());
    let known = ["--help", "--path"];
    for found in option.captures_iter(&readme).filter(|found| !known.contains(&&found[1])) {
        let is_there = command.get_arguments().any(|arg| arg.get_long() == found[1].strip_prefix("--"));
        assert!(is_there, "{}", &found[1]);
    }
}

#[test]
fn exit_codes_of_the_manual_are_those_of_the_help() {
    let page = fs::read_to_string(package().join("docs/reference.md")).expect("the manual has the chapter");
    let help = String::from_utf8(Folder::new().lop(&["--help"]).expect_code(0).stdout).expect("plain");
    let codes = help.split("Exit codes:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("it lists them");
    let codes: Vec<&str> =
        codes.lines().flat_map(|line| line.trim().split("   ")).filter(|code| !code.is_empty()).collect();
    assert_eq!(codes.len(), 7, "{codes:?}");
    for code in codes {
        let (number, meaning) = code.split_once(' ').expect("a number and words");
        assert!(page.contains(&format!("| {number} | {meaning}")), "{code}");
    }
}
