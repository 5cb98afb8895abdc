//! afl-tmin: a program that sees the candidate as `@@` or on standard input, and a crash that is kept.

use std::ffi::OsString;

use clap::ArgMatches;

use super::table::{Flag, Line, Means, Shape, Tool, short, values};
use super::treereduce::{from_here, has_own_condition};
use crate::cli::failure::Failure;

/// afl-tmin.
pub(super) const TOOL: Tool = Tool { name: "afl-tmin", shape: Shape::Command, flags: FLAGS, arrange };

/// How the program is instrumented means nothing where no coverage is asked for.
const INSTRUMENTATION: Means = Means::Nothing("lop looks at no coverage: the program is run as it is");

/// The deadline of a hang unless another is given, as lop's option.
const HANG: &str = "--timeout=1";

/// `-o` is lop's own.
const FLAGS: &[Flag] = &[
    short('i', Some("file"), Means::Arranged("FILE")),
    short('f', Some("file"), Means::Arranged("@@ in the place of this path in CMD")),
    short('t', Some("msec"), Means::Made(deadline, "--timeout, in seconds")),
    short('m', Some("megs"), Means::Made(memory, "--memory-limit, in bytes; none where it is 0 or none")),
    short('e', None, Means::Nothing("lop has no coverage map")),
    short('x', None, Means::Arranged("--not-exit-code 0: any other ending is a crash")),
    short('H', None, Means::Arranged("--timeout-is-interesting")),
    short('l', Some("bytes"), Means::Nothing("lop chooses the sizes of its blocks")),
    short('B', Some("file"), Means::Refused("lop has no coverage map; keep a crash, or a message with --stderr RE")),
    short('A', None, INSTRUMENTATION),
    short('O', None, INSTRUMENTATION),
    short('Q', None, INSTRUMENTATION),
    short('U', None, INSTRUMENTATION),
    short('W', None, INSTRUMENTATION),
    short('X', None, INSTRUMENTATION),
    short('Y', None, INSTRUMENTATION),
];

/// Milliseconds.
fn deadline(text: &str) -> Result<Vec<String>, String> {
    match text.parse::<u32>() {
        Ok(milliseconds @ 10..) => Ok(vec![format!("--timeout={}", f64::from(milliseconds) / 1000.0)]),
        _ => Err("it is a number of milliseconds from 10".to_owned()),
    }
}

/// Megabytes, or with k, M, G or T; none and 0 are no limit.
fn memory(text: &str) -> Result<Vec<String>, String> {
    if text == "none" || text == "0" {
        return Ok(Vec::new());
    }
    let digits = text.trim_end_matches(['k', 'M', 'G', 'T']);
    let shift = match &text[digits.len()..] {
        "k" => 10,
        "" | "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("one unit is enough: k, M, G or T".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "it is a number of megabytes, or with k, M, G or T".to_owned())?;
    let bytes = number.checked_mul(1 << shift).ok_or_else(|| "it is too large".to_owned())?;
    if bytes < 5 << 20 {
        Err("no program starts with less than 5 MB".to_owned())
    } else {
        Ok(vec![format!("--memory-limit={bytes}")])
    }
}

fn arrange(matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    let usage = |message: String, hint: &str| Err(Failure::Usage { message, hint: hint.to_owned() });
    let (Some(file), false) = (values(matches, "-i").pop(), values(matches, "output").is_empty()) else {
        return usage("afl-tmin takes -i FILE and -o FILE".to_owned(), "afl-tmin -i in -o out -- CMD ARGS…");
    };
    let mut command = std::mem::take(&mut line.words);
    if let Some(read) = values(matches, "-f").pop() {
        if !command.iter().skip(1).any(|word| *word == read) {
            return usage(
                format!("the command does not name {} of -f, and lop writes no candidate there", read.display()),
                "let the program read @@, its standard input, or the file of -i by its name in the working directory",
            );
        }
        for word in command.iter_mut().filter(|word| **word == read) {
            *word = OsString::from("@@");
        }
    }
    line.command = from_here(command);
    line.words = vec![file];
    if matches.get_flag("-H") {
        let given = line.options.iter().any(|option| option.to_string_lossy().starts_with("--timeout="));
        line.options.extend((!given).then(|| HANG.into()));
        line.options.push("--timeout-is-interesting".into());
    } else if matches.get_flag("-x") {
        line.options.push("--not-exit-code=0".into());
    } else if !has_own_condition(matches) {
        line.options.extend(["--crash", "--yes"].map(OsString::from));
        line.notes.push(
            "lop has no coverage map: what it keeps is the crash, and an input that does not crash is refused"
                .to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{line, refused};

    #[test]
    fn command_lines_of_afl_tmin() {
        for (typed, meant) in [
            ("afl-tmin -i in -o out -- ./p @@", "lop --crash --yes --output=out in -- ./p @@"),
            ("afl-tmin -i in -o out ./p -x -t 3", "lop --crash --yes --output=out in -- ./p -x -t 3"),
            (
                "afl-tmin -i in -o out -t 500 -m 200 -e -Q -- ./p",
                "lop --timeout=0.5 --memory-limit=209715200 --crash --yes --output=out in -- ./p",
            ),
            ("afl-tmin -i in -o out -m none -x -- p", "lop --not-exit-code=0 --output=out in -- p"),
            ("afl-tmin -i in -o out -H -- p", "lop --timeout=1 --timeout-is-interesting --output=out in -- p"),
            ("afl-tmin -i in -o out -H -t50 -- p", "lop --timeout=0.05 --timeout-is-interesting --output=out in -- p"),
            ("afl-tmin -i in -o out -f /t/x -- p -r /t/x", "lop --crash --yes --output=out in -- p -r @@"),
            ("afl-tmin -i in -o out --stderr boom -- p", "lop --output=out --stderr=boom in -- p"),
        ] {
            assert_eq!(line(typed), meant);
        }
    }

    #[test]
    fn what_lop_cannot_do_is_said_with_the_way_out() {
        assert!(refused("afl-tmin -i in -- p").contains("-i FILE and -o FILE"));
        assert!(refused("afl-tmin -i in -o out -f /t/x -- p").contains("does not name /t/x"));
        assert!(refused("afl-tmin -i in -o out -B map -- p").contains("no coverage map"));
        for wrong in ["-t 5", "-t x", "-m 1", "-m 5q", "-m 99999999T"] {
            assert!(refused(&format!("afl-tmin -i in -o out {wrong} -- p")).starts_with(&wrong[..2]), "{wrong}");
        }
    }
}
