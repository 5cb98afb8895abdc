//! Lithium: an interestingness test of its own, a command, and the file as the command's last word. What its markers
//! mean is understood in every file: see `reduce::keep`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clap::ArgMatches;

use super::table::{Flag, Line, Means, Shape, Tool, long, values};
use super::treereduce::{from_here, has_own_condition};
use crate::cli::failure::Failure;

/// Lithium.
pub(super) const TOOL: Tool = Tool { name: "lithium", shape: Shape::Command, flags: FLAGS, arrange };

/// In what pieces it cuts.
const PIECES: Means = Means::Nothing("lop takes the pieces from the grammar, or lines, words and characters");

/// How it goes through them.
const ROUNDS: Means = Means::Nothing("lop chooses the sizes of its pieces");

/// The deadline of a hang unless another is given, as lop's option.
const HANG: &str = "--timeout=60";

/// `-v` is lop's own.
const FLAGS: &[Flag] = &[
    long("testcase", Some("FILE"), Means::Arranged("FILE, where it is not the last word of CMD")),
    long("char", None, Means::Words(&["--minimal=char"])).or('c'),
    long("lines", None, PIECES).or('l'),
    long("symbol", None, PIECES).or('s'),
    long("js", None, PIECES).or('j'),
    long("attrs", None, PIECES).or('a'),
    long("cut-before", Some("CHARS"), PIECES),
    long("cut-after", Some("CHARS"), PIECES),
    long(
        "strategy",
        Some("NAME"),
        Means::Made(strategy, "lop has one strategy of its own; see --algorithm for published ones"),
    ),
    long("min", Some("N"), ROUNDS),
    long("max", Some("N"), ROUNDS),
    long("repeat", Some("WHEN"), ROUNDS),
    long("chunk-size", Some("N"), ROUNDS),
    long("chunksize", Some("N"), ROUNDS),
    long("max-run-time", Some("SECS"), Means::Option("--max-time")),
    long("maxruntime", Some("SECS"), Means::Option("--max-time")),
    long("tempdir", Some("DIR"), Means::Nothing("what lop tried is in the journal, in FILE.lop")),
];

fn strategy(name: &str) -> Result<Vec<String>, String> {
    if name == "check-only" { Err("lop doctor runs a test without reducing".to_owned()) } else { Ok(Vec::new()) }
}

fn arrange(matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
    let mut words = std::mem::take(&mut line.words).into_iter();
    let test = words.next().unwrap_or_default();
    let mut command: Vec<OsString> = words.collect();
    let file = values(matches, "--testcase").pop().or_else(|| command.last().cloned());
    let Some(file) = file else {
        return Err(usage("there is no file to reduce".to_owned(), "lithium crashes CMD ARGS… FILE"));
    };
    check_markers(Path::new(&file))?;
    let given = settings(&mut command);
    let has = |names: [&str; 2]| given.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value);
    let deadline = has(["-t", "--timeout"]).map(|seconds| format!("--timeout={seconds}"));
    let name = Path::new(&test).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match name.rsplit('.').next().unwrap_or_default() {
        "crashes" if has_own_condition(matches) => {}
        "crashes" => line.options.extend(["--crash", "--yes"].map(OsString::from)),
        "hangs" => {
            line.options.push("--timeout-is-interesting".into());
            line.options.extend(deadline.is_none().then(|| HANG.into()));
        }
        "outputs" => {
            let text = has(["-s", "--search"]).cloned();
            let text = text.or_else(|| (!command.is_empty()).then(|| command.remove(0).to_string_lossy().into_owned()));
            let text = text.unwrap_or_default();
            let is_pattern = has(["-r", "--regex"]).is_some();
            let pattern = if is_pattern { text } else { regex::escape(&text) };
            line.options.extend([
                "--any".into(),
                format!("--stdout={pattern}").into(),
                format!("--stderr={pattern}").into(),
            ]);
        }
        other => {
            return Err(usage(
                format!(
                    "lop runs no interestingness test written for Lithium, and '{other}' is none of crashes, hangs and outputs"
                ),
                "make it a script that exits with 0 if it is interesting: lop TEST FILE",
            ));
        }
    }
    line.options.extend(deadline.map(OsString::from));
    for word in command.iter_mut().filter(|word| **word == file) {
        *word = "@@".into();
    }
    line.command = from_here(command);
    line.words = vec![file];
    Ok(())
}

/// Takes the options of the interestingness test from the start of its words.
fn settings(words: &mut Vec<OsString>) -> Vec<(String, String)> {
    let mut given = Vec::new();
    while let Some(word) = words.first().and_then(|word| word.to_str()).filter(|word| word.starts_with('-')) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        };
        words.remove(0);
        let takes_one = value.is_none() && !["-r", "--regex"].contains(&name.as_str()) && !words.is_empty();
        let next = if takes_one { Some(words.remove(0).to_string_lossy().into_owned()) } else { None };
        given.push((name, value.or(next).unwrap_or_default()));
    }
    given
}

/// One marker without the other is an error to Lithium.
fn check_markers(file: &Path) -> Result<(), Failure> {
    // A file that cannot be read is complained about where it is needed.
    let text = fs::read(file).unwrap_or_default();
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let place = |from: usize, marker: &str| {
        lines.iter().skip(from).position(|line| memchr::memmem::find(line, marker.as_bytes()).is_some())
    };
    let (begin, end) = (place(0, "DDBEGIN"), place(0, "DDEND"));
    let alone = match (begin, end) {
        (Some(begin), _) if place(begin + 1, "DDEND").is_none() => "DDBEGIN and no line with DDEND after it",
        (None, Some(_)) => "DDEND and no line with DDBEGIN before it",
        _ => return Ok(()),
    };
    Err(Failure::Usage {
        message: format!("{} has a line with {alone}", file.display()),
        hint: "add the other marker, or take this one out".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{line, notes, refused};

    #[test]
    fn command_lines_of_lithium() {
        for (typed, meant) in [
            ("lithium crashes ./js --fuzzing-safe a.x", "lop --crash --yes a.x -- ./js --fuzzing-safe @@"),
            ("lithium --char crashes -t 9 ./js a.x", "lop --minimal=char --crash --yes --timeout=9 a.x -- ./js @@"),
            ("lithium hangs ./js a.x", "lop --timeout-is-interesting --timeout=60 a.x -- ./js @@"),
            ("lithium hangs --timeout=3 ./js a.x", "lop --timeout-is-interesting --timeout=3 a.x -- ./js @@"),
            ("lithium outputs --search '(x)' ./js a.x", r"lop --any --stdout=\(x\) --stderr=\(x\) a.x -- ./js @@"),
            ("lithium outputs -r -s '(x)' ./js a.x", "lop --any --stdout=(x) --stderr=(x) a.x -- ./js @@"),
            ("lithium outputs word ./js a.x", "lop --any --stdout=word --stderr=word a.x -- ./js @@"),
            ("lithium --testcase a.x crashes ./js a.x -q", "lop --crash --yes a.x -- ./js @@ -q"),
        ] {
            assert_eq!(line(typed), meant);
        }
    }

    #[test]
    fn what_lop_cannot_do_is_said_with_the_way_out() {
        assert!(refused("lithium range 1 9 crashes ./js a.x").contains("lop TEST FILE"));
        assert!(refused("lithium").contains("no file"));
        assert_eq!(
            notes("lithium --strategy minimize-around crashes p a"),
            ["--strategy minimize-around changes nothing: lop has one strategy of its own; see --algorithm for \
              published ones"]
        );
        assert!(refused("lithium --strategy check-only crashes p a").contains("lop doctor"));
    }
}
