//! The samples of the README are what the program prints: counts and sizes; times are those of one machine.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

use crate::support::Folder;

/// The compiler that the figures about C were made with; another one may accept other programs.
const COMPILER: &str = "12";

/// A reduction that is shown.
struct Sample {
    /// The words behind `lop`.
    words: Vec<String>,
    /// The example's file.
    input: PathBuf,
    printed: String,
    /// The text of the result.
    result: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every session that reduces an example, with the block behind it.
fn samples() -> Vec<Sample> {
    let readme = fs::read_to_string(package().join("README.md")).expect("the package has a README");
    let blocks: Vec<&str> = readme.split("\n```").skip(1).step_by(2).collect();
    let mut samples = Vec::new();
    for (block, next) in blocks.iter().zip(&blocks[1..]) {
        let Some(session) = block.strip_prefix("console\n$ lop ") else { continue };
        let (line, printed) = session.split_once('\n').unwrap_or((session, ""));
        let words = shlex::split(line).expect("its quotes are closed");
        let input = words.iter().map(|word| package().join(word));
        let Some(input) = input.filter(|path| path.is_file()).find(|path| path.file_stem() == Some("input".as_ref()))
        else {
            continue;
        };
        let result = next.split_once('\n').expect("a block has lines").1.to_owned();
        samples.push(Sample { words, input, printed: printed.to_owned(), result });
    }
    samples
}

fn sample(example: &str) -> Sample {
    let found = samples().into_iter().find(|sample| sample.input.ends_with(example));
    found.unwrap_or_else(|| panic!("no sample of {example}"))
}

/// The numbers of the first line that begins with a word.
fn numbers(printed: &str, word: &str) -> Vec<usize> {
    let line = printed.lines().find(|line| line.trim_start().starts_with(word));
    let line = line.unwrap_or_else(|| panic!("no line of {word}")).replace(',', "");
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn the_samples_agree_with_their_files_and_themselves() {
    let samples = samples();
    assert_eq!(samples.len(), 3, "one for each example");
    let counted = Regex::new(r"(?m)^  ([\d,]+) tests: ([\d,]+) interesting, ([\d,]+) not interesting$");
    let counted = counted.expect("a constant");
    for Sample { words, input, printed, result } in samples {
        let (name, before) = (input.display(), fs::read(&input).expect("an example"));
        assert!(words.contains(&"-j1".to_owned()), "{name}: only with one worker the counts are the same each time");
        // What is shown of a file has no line break at its end.
        let sizes = numbers(&printed, "bytes");
        assert!(sizes[0] == before.len() && [0, 1].contains(&sizes[1].abs_diff(result.len())), "{name}: {sizes:?}");
        let lines = numbers(&printed, "lines");
        let before = String::from_utf8(before).expect("it is text").lines().count();
        assert_eq!(lines[..2], [before, result.lines().count()], "{name}");
        let found = counted.captures(&printed).unwrap_or_else(|| panic!("{name}: its tests"));
        let [all, yes, no] = [1, 2, 3].map(|group| found[group].replace(',', "").parse::<usize>().expect("digits"));
        assert_eq!(all, yes + no, "{name}");
    }
}

/// Runs what a sample shows, and compares all that is no time.
fn run(sample: &Sample, stable: impl Fn(&str) -> Vec<String>) {
    let folder = Folder::new();
    symlink(package().join("examples"), folder.path("examples")).expect("our own folder");
    // A machine under load is no reason for other counts, and takes longer than other tests may.
    let patience = ["--timeout", "60", "--max-time", "1200"].map(str::to_owned);
    let ran = folder.command(&[&patience[..], &sample.words].concat()).output().expect("lop can be started");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let printed = stable(&said);
    let mut rest = printed.iter();
    for line in stable(&sample.printed) {
        assert!(rest.any(|printed| *printed == line), "the README has\n{line}\nand lop prints\n{}", printed.join("\n"));
    }
    let out = sample.words.iter().skip_while(|word| *word != "-o").nth(1).expect("it has an output");
    assert_eq!(String::from_utf8_lossy(&folder.read(out)).trim_end(), sample.result.trim_end());
}

/// The sizes before and after. How many tests that takes depends on the system where the test runs half of a program.
fn sizes(printed: &str) -> Vec<String> {
    let row = Regex::new(r"^  (bytes|tokens|lines)  ").expect("a constant");
    stable(printed).into_iter().filter(|line| row.is_match(line)).collect()
}

/// The lines without times; progress, which depends on them, is left out.
fn stable(printed: &str) -> Vec<String> {
    let time = Regex::new(r"\b(\d+ min )?[\d.]+ (µs|ms|s)\b").expect("a constant");
    let lines = printed.lines().filter(|line| !line.trim().is_empty() && line.trim() != "…");
    let lines = lines.map(|line| time.replace_all(line, "TIME").trim_end().to_owned());
    lines.filter(|line| !line.trim_start().starts_with("TIME  test ") && !line.contains("  time: ")).collect()
}

fn says(program: &str, argument: &str) -> Option<String> {
    let out = Command::new(program).arg(argument).output().ok()?;
    Some(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

#[test]
fn the_crash_is_reduced_as_shown() {
    let version = says("cc", "-dumpversion");
    if version.as_deref() != Some(COMPILER) {
        anstream::eprintln!("skipped: the figures are those of gcc {COMPILER}, and this is {version:?}");
        return;
    }
    run(&sample("c-crash/input.c"), sizes);
}

#[test]
fn the_broken_payload_is_reduced_as_shown() {
    if says("python3", "--version").is_none() {
        anstream::eprintln!("skipped: python3 is not on this machine");
        return;
    }
    run(&sample("broken-json/input.json"), stable);
}
