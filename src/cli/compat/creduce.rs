//! C-Reduce and C-Vise: a test that takes no arguments, and the file that it reads by its name in the working directory.

use std::fs;
use std::path::Path;

use clap::ArgMatches;

use super::table::{Flag, Line, Means, Shape, Tool, long, texts, values};
use crate::cli::failure::Failure;
use crate::cli::grammar_args::GrammarArgs;
use crate::cli::rules::Language;

/// C-Reduce.
pub(super) const CREDUCE: Tool = Tool { name: "creduce", shape: Shape::TestFile, flags: FLAGS, arrange };

/// C-Vise.
pub(super) const CVISE: Tool = Tool { name: "cvise", shape: Shape::TestFile, flags: FLAGS, arrange };

/// What their passes are called is called otherwise in lop.
const PASSES: Means =
    Means::Refused("its passes are others: choose among those of `lop passes` with --only and --skip");

/// The option that says that the file is not in the language its tool is made for; that is the last word of it.
const NOT: &str = "--not-c";

/// What the levels of a log are.
const LOG_LEVEL: &str = "-vv for DEBUG, --quiet for WARNING and ERROR, and INFO is what lop says anyway";

/// Of both; `--timeout`, `--also-interesting`, `--tidy` and `--verbose` are lop's own.
const FLAGS: &[Flag] = &[
    long("n", Some("N"), Means::Option("--jobs")).or('n').plain(),
    long("sllooww", None, Means::Words(&["--thorough"])).plain(),
    long("not-c", None, Means::Arranged("no grammar for a FILE that is taken for C; others keep theirs")).plain(),
    long("skip-initial-passes", None, Means::Words(&["--skip=comments,unreferenced"])).plain(),
    long("print-diff", None, Means::Words(&["--diff-steps"])).plain(),
    long("save-temps", None, Means::Nothing("candidates are in the journal in FILE.lop; see lop replay")).plain(),
    long("no-cache", None, Means::Nothing("what lop remembers of candidates never changes a result")).plain(),
    long("no-give-up", None, Means::Nothing("lop gives up on no pass")).plain(),
    long("shaddap", None, Means::Nothing("passes of lop do not fail")).plain(),
    long("die-on-pass-bug", None, Means::Nothing("passes of lop do not fail")),
    long("skip-interestingness-test-check", None, Means::Nothing("FILE is always judged first: one run")).or('s'),
    long("debug", None, Means::Words(&["-vv"])),
    long("log-level", Some("LEVEL"), Means::Made(log_level, LOG_LEVEL)),
    long("log-file", Some("FILE"), Means::Refused("--json FILE writes every event, 2>FILE what lop says")),
    long("no-timing", None, Means::Nothing("times are always shown")),
    long("timing", None, Means::Nothing("times are always shown")),
    long("timestamp", None, Means::Nothing("times are counted from the start")),
    long("skip-key-off", None, Means::Nothing("--ui line has no keys")),
    long("max-improvement", Some("BYTES"), Means::Nothing("it only slows a reduction down")),
    long("to-utf8", None, Means::Nothing("lop takes any bytes")),
    long("renaming", None, Means::Nothing("names are made short anyway")),
    long("sanitize", None, Means::Nothing("names and literals are made simple anyway")),
    long("sanity-checks", None, Means::Nothing("a test that contradicts itself is found out anyway")),
    long("fuzz", None, Means::Nothing("lop is no fuzzer")),
    long("clang-delta-std", Some("STD"), Means::Nothing("lop has no clang_delta")),
    long("clang-delta-preserve-routine", Some("NAME"), Means::Refused("--keep NAME keeps what matches")),
    long("pass-group", Some("NAME"), PASSES),
    long("pass-group-file", Some("FILE"), PASSES),
    long("no-default-passes", None, PASSES),
    long("add-pass", Some("PASS"), PASSES),
    long("remove-pass", Some("PASS,..."), PASSES),
    long("start-with-pass", Some("PASS"), PASSES),
    long("list-passes", None, Means::Arranged("lop passes")),
    long("skip-after-n-transforms", Some("N"), Means::Refused("--max-tests N stops the whole reduction")),
    long("stopping-threshold", Some("SHARE"), Means::Refused("--max-time SECS and --max-tests N stop early")),
    long("cpp", Some("CMD"), Means::Refused("preprocess the file before, and reduce the result")),
    long("commands", Some("CMD"), Means::Arranged("FILE -- SHELL -c CMD, where exit code 0 is interesting")).or('c'),
    long("shell", Some("SHELL"), Means::Arranged("the shell of --commands [default: bash]")),
];

fn log_level(level: &str) -> Result<Vec<String>, String> {
    match level {
        "DEBUG" => Ok(vec!["-vv".to_owned()]),
        "INFO" => Ok(Vec::new()),
        "WARNING" | "ERROR" => Ok(vec!["--quiet".to_owned()]),
        _ => Err("it is one of INFO, DEBUG, WARNING, ERROR".to_owned()),
    }
}

fn arrange(matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    if matches.get_flag("--list-passes") {
        *line = Line { words: vec!["passes".into()], ..Line::default() };
        return Ok(());
    }
    if let Some(command) = values(matches, "--commands").pop() {
        let shell = values(matches, "--shell").pop().unwrap_or_else(|| "bash".into());
        line.command = vec![shell, "-c".into(), command];
        line.options.push("--exit-code=0".into());
    }
    let files = line.words.get(usize::from(line.command.is_empty())..).unwrap_or_default();
    if let [first, _, ..] = files {
        let names: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        return Err(Failure::Usage {
            message: format!("lop reduces one file at a time, and these are {}: {}", files.len(), names.join(", ")),
            hint: format!(
                "reduce {} first, with a test that finds the others by their absolute paths, then the next",
                first.display()
            ),
        });
    }
    not_a_language(matches, line)
}

/// `--not-c`: without a grammar where the file is in that very language.
pub(super) fn not_a_language(matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    if texts(matches, NOT).is_empty() || !matches.get_flag(NOT) {
        return Ok(());
    }
    let Some(path) = line.file().map(Path::new) else { return Ok(()) };
    // A file that cannot be read is complained about where it is needed.
    let content = fs::read(path).unwrap_or_default();
    let found = Language::find(&GrammarArgs::default(), path, &content)?;
    let language = NOT.trim_start_matches("--not-");
    if found.folder().is_some_and(|folder| folder.name == language) {
        line.options.push("--grammar=text".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{line, notes, refused};

    #[test]
    fn command_lines_of_both_tools() {
        for (typed, meant) in [
            ("creduce t.sh a.x", "lop t.sh a.x"),
            ("cvise --n 4 --timeout 30 --tidy t.sh a.x", "lop --jobs=4 --tidy --timeout=30 t.sh a.x"),
            ("cvise --also-interesting 77 t.sh a.x", "lop --also-interesting=77 t.sh a.x"),
            ("creduce -n 2 --sllooww t.sh a.x --print-diff", "lop --jobs=2 --thorough --diff-steps t.sh a.x"),
            ("cvise --skip-initial-passes t.sh a.x", "lop --skip=comments,unreferenced t.sh a.x"),
            ("cvise --debug t.sh a.x", "lop -vv t.sh a.x"),
            ("cvise --list-passes t.sh a.x", "lop passes"),
            ("cvise -c 'cc -c a.x' a.x", "lop --exit-code=0 a.x -- bash -c cc -c a.x"),
            ("cvise --shell sh -c 'cc a.x' a.x", "lop --exit-code=0 a.x -- sh -c cc a.x"),
            ("cvise --log-level WARNING t.sh a.x", "lop --quiet t.sh a.x"),
            ("cvise --save-temps --no-cache --not-c t.sh a.x", "lop t.sh a.x"),
        ] {
            assert_eq!(line(typed), meant);
        }
    }

    #[test]
    fn what_is_not_quite_the_same_is_noted() {
        assert!(
            notes("cvise --log-level INFO t.sh a.x")[0].starts_with("--log-level INFO changes nothing: -vv for DEBUG")
        );
        assert!(notes("cvise --log-level DEBUG t.sh a.x").is_empty());
    }

    #[test]
    fn what_lop_cannot_do_is_said_with_the_way_out() {
        assert!(refused("cvise t.sh a.x b.x").contains("lop reduces one file at a time, and these are 2: a.x, b.x"));
        assert!(refused("cvise -c true a.x b.x").contains("reduce a.x first"));
        assert!(refused("cvise --remove-pass lines t.sh a.x").contains("--skip"));
        assert!(refused("cvise --log-level LOUD t.sh a.x").contains("one of INFO"));
    }
}
