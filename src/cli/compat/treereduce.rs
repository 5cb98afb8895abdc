//! treereduce: a command that sees the candidate as `@@` or on standard input, and of whose conditions any is enough.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;

use super::table::{Flag, Line, Means, Shape, Tool, long, texts, values};
use crate::cli::failure::Failure;

/// treereduce.
pub(super) const TOOL: Tool = Tool { name: "treereduce", shape: Shape::Command, flags: FLAGS, arrange };

/// Where the result goes unless it is said.
const OUTPUT: &str = "treereduce.out";

/// An exit code above this is death by a signal to a shell, and to treereduce.
const SIGNALLED: i32 = 128;

/// The highest signal.
const LAST_SIGNAL: i32 = 64;

/// What is told by an exit code, or by what is written.
const CONDITION: Means =
    Means::Arranged("--exit-code, --signal, --stdout, --stderr; with --any where there are several");

/// `-o`, `-j`, `-q`, `-v` and `--timeout` are lop's own.
const FLAGS: &[Flag] = &[
    long("source", Some("FILE"), Means::Arranged("FILE")).or('s'),
    long("interesting-exit-code", Some("CODE"), CONDITION).plain(),
    long("interesting-stdout", Some("REGEX"), CONDITION).plain(),
    long("interesting-stderr", Some("REGEX"), CONDITION).plain(),
    long("uninteresting-exit-code", Some("CODE"), Means::Option("--not-exit-code")).plain(),
    long("uninteresting-stdout", Some("REGEX"), Means::Option("--not-stdout")).plain(),
    long("uninteresting-stderr", Some("REGEX"), Means::Option("--not-stderr")).plain(),
    long("fast", None, Means::Words(&["--fast"])),
    long("slow", None, Means::Words(&["--thorough"])).plain(),
    long("stable", None, Means::Words(&["--thorough"])).plain(),
    long("passes", Some("N"), Means::Made(passes, "--fast for 1; otherwise lop goes on until nothing more goes"))
        .plain(),
    long("min-reduction", Some("BYTES"), Means::Nothing("lop goes down to single tokens")),
    long(
        "on-parse-error",
        Some("WHAT"),
        Means::Made(on_parse_error, "--must-stay-valid for error; otherwise lop takes FILE as it is"),
    ),
    long("no-verify", None, Means::Nothing("the input is always judged first: one run")),
    long("stats", None, Means::Nothing("figures are always shown")),
    long("inherit-stdout", None, Means::Nothing("lop shows what the test writes when the input is not interesting")),
    long("inherit-stderr", None, Means::Nothing("lop shows what the test writes when the input is not interesting")),
    long("temp-dir", Some("DIR"), Means::Refused("set TMPDIR=DIR")),
];

fn passes(number: &str) -> Result<Vec<String>, String> {
    match number.parse::<u32>() {
        Ok(0) | Err(_) => Err("it is a number from 1".to_owned()),
        Ok(1) => Ok(vec!["--fast".to_owned()]),
        // lop goes on until nothing more goes, which takes no counting.
        Ok(_) => Ok(Vec::new()),
    }
}

fn on_parse_error(what: &str) -> Result<Vec<String>, String> {
    match what {
        "ignore" | "warn" => Ok(Vec::new()),
        "error" => Ok(vec!["--must-stay-valid".to_owned()]),
        _ => Err("it is one of ignore, warn, error".to_owned()),
    }
}

fn arrange(matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    let Some(file) = values(matches, "--source").pop() else {
        return Err(Failure::Usage {
            message: "lop reads no test case from standard input".to_owned(),
            hint: "write it to a file and name that with -s FILE".to_owned(),
        });
    };
    line.command = from_here(std::mem::take(&mut line.words));
    line.words = vec![file];
    if values(matches, "output").is_empty() {
        line.options.push(format!("--output={OUTPUT}").into());
    }
    if !conditions(matches, line) && !has_own_condition(matches) {
        line.options.push("--exit-code=0".into());
    }
    Ok(())
}

/// Words of a command that ran in the working directory, for one that does not.
pub(super) fn from_here(words: Vec<OsString>) -> Vec<OsString> {
    let lost = |word: &OsString| Path::new(word).is_relative() && Path::new(word).exists();
    let absolute = |word: OsString| std::path::absolute(&word).map_or(word, OsString::from);
    let first = words.iter().take(1).cloned().collect::<Vec<_>>();
    let rest = words.into_iter().skip(1).map(|word| if lost(&word) { absolute(word) } else { word });
    first.into_iter().chain(rest).collect()
}

/// Whether one of lop's own conditions is given.
pub(super) fn has_own_condition(matches: &ArgMatches) -> bool {
    let own = ["exit_code", "signal", "stdout", "stderr", "at", "not_exit_code", "not_stdout", "not_stderr"];
    own.iter().any(|id| !values(matches, id).is_empty())
}

/// What is interesting: an exit code (0 unless another is given), or a match. False if nothing was said of it.
pub(super) fn conditions(matches: &ArgMatches, line: &mut Line) -> bool {
    let given = |what: &str| texts(matches, &format!("--interesting-{what}"));
    let (mut codes, stdout, stderr) = (given("exit-code"), given("stdout"), given("stderr"));
    if codes.is_empty() && stdout.is_empty() && stderr.is_empty() {
        return false;
    }
    if codes.is_empty() {
        codes.push("0".to_owned());
    }
    let ending = |code: &String| match code.parse::<i32>() {
        Ok(code) if (SIGNALLED + 1..=SIGNALLED + LAST_SIGNAL).contains(&code) => {
            format!("--signal={}", code - SIGNALLED)
        }
        _ => format!("--exit-code={code}"),
    };
    let mut options: Vec<String> = codes.iter().map(ending).collect();
    options.extend(stdout.iter().map(|pattern| format!("--stdout={pattern}")));
    options.extend(stderr.iter().map(|pattern| format!("--stderr={pattern}")));
    let kinds: std::collections::BTreeSet<&str> =
        options.iter().filter_map(|option| option.split('=').next()).collect();
    if kinds.len() > 1 {
        line.options.push("--any".into());
        line.notes.push(
            "as in treereduce any one of the conditions is enough, and exit code 0 is one unless another is given; \
             lop's own --exit-code, --stdout and --stderr must all hold"
                .to_owned(),
        );
    }
    line.options.extend(options.into_iter().map(OsString::from));
    true
}

#[cfg(test)]
mod tests {
    use super::super::tests::{line, refused};

    #[test]
    fn command_lines_of_treereduce() {
        for (typed, meant) in [
            (
                "treereduce -s in.x -o out.x --interesting-exit-code 1 -- cc @@",
                "lop --exit-code=1 --output=out.x in.x -- cc @@",
            ),
            ("treereduce -s in.x -- cc -c @@.x", "lop --output=treereduce.out --exit-code=0 in.x -- cc -c @@.x"),
            ("treereduce -s in.x -o o cc -c -j3 @@", "lop --exit-code=0 --output=o in.x -- cc -c -j3 @@"),
            (
                "treereduce -j 4 --stable -s a -o b --interesting-exit-code 1 --interesting-exit-code 139 -- cc",
                "lop --thorough --any --exit-code=1 --signal=11 --output=b --jobs=4 a -- cc",
            ),
            (
                "treereduce -s a -o b --interesting-stderr 'a b' --uninteresting-stderr c -- cc",
                "lop --not-stderr=c --any --exit-code=0 --stderr=a b --output=b a -- cc",
            ),
            ("treereduce -s a -o b --fast -- cc", "lop --fast --exit-code=0 --output=b a -- cc"),
            ("treereduce -s a -o b --slow -- cc", "lop --thorough --exit-code=0 --output=b a -- cc"),
            ("treereduce -s a -o b --passes 1 -- cc", "lop --fast --exit-code=0 --output=b a -- cc"),
            ("treereduce -s a -o b --passes 3 --timeout 9 -- cc", "lop --exit-code=0 --output=b --timeout=9 a -- cc"),
            ("treereduce -s a -o b --stderr x -- cc", "lop --output=b --stderr=x a -- cc"),
        ] {
            assert_eq!(line(typed), meant);
        }
    }

    #[test]
    fn what_lop_cannot_do_is_said_with_the_way_out() {
        assert!(refused("treereduce -- cc @@").contains("-s FILE"));
        assert!(refused("treereduce -s a --temp-dir /x -- cc").contains("TMPDIR"));
        assert!(refused("treereduce -s a --passes 0 -- cc").contains("from 1"));
    }
}
