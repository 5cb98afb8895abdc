//! Derives conditions from a failure: [`Table::signatures`] returns the conditions that a person would write, the most
//! specific first. Text in, text out: nothing runs, and nothing is read.
//!
//! ```text
//!   ending, outputs ─► patterns.toml: what is it? ─► generalise: what of it varies? ─► Signature ─► ConditionSpec
//! ```
//!
//! [`Table::only_errors`] finds the errors that a tool may report for a result. [`Table::more_specific`] makes a weak
//! signature more specific, and [`Table::warnings`] finds the warnings of a successful run.
//!
//! A signature has nothing that differs between two runs or two candidates with the same bug: addresses, positions,
//! directories, the test case's name, and quoted parts of it.

mod errors;
mod generalise;
mod groups;
mod specific;

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex};

use super::patterns::{Listed, Pattern, Row, Rows, compiled};
use super::signal::signal_name;
use super::slippage::crash;
use super::{ConditionSpec, Conditions, Exit, INVALID_CODE, TIMEOUT_CODE};
use generalise::{Context, Treatment};
use lop_engine::Verdict;
use lop_files::project::{Entry, Kind, TestCase};

pub use groups::Groups;

/// The facts about a run that signatures need.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output.
    pub stdout: &'a [u8],
    /// Its standard error.
    pub stderr: &'a [u8],
    /// The test case.
    pub input: TestCase<'a>,
    /// The name of the test case's file, without directories. Of several files, it is the first one that the test
    /// names.
    pub name: &'a str,
}

impl Seen<'_> {
    /// Returns the files of the test case, each with its name and its range in the test case; those with the `name`
    /// come first.
    fn files(&self) -> Vec<(String, Range<usize>)> {
        if let TestCase::File(text) = self.input {
            return vec![(self.name.to_owned(), 0..text.len())];
        }
        let files = self.input.files().into_iter().filter(|file| file.kind == Kind::File);
        let name = |file: &Entry| file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files: Vec<_> = files.map(|file| (name(&file), file.content)).collect();
        files.sort_by_key(|(name, _)| name != self.name);
        files
    }

    /// The place in the test case that a message names: the range from there to the end of its file, and the file.
    fn find_place(&self, find: impl Fn(&str, &[u8]) -> Option<usize>) -> Option<(Range<usize>, Range<usize>)> {
        self.files().into_iter().find_map(|(name, file)| {
            let place = file.start + find(&name, &self.input.text()[file.clone()])?;
            Some((place..file.end, file))
        })
    }
}

/// A place in a test case after which nothing of a file is needed for a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The file, as a range of the test case.
    pub file: Range<usize>,
    /// The rest of the file from the place on.
    pub rest: Range<usize>,
}

/// The condition that distinguishes a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its kind, in words.
    pub kind: String,
    /// Whether it is a crash, and not an error that a sound program reports.
    pub crash: bool,
    /// The condition.
    pub mark: Mark,
    /// The text that must be in the candidate at the position in the output, in addition to the condition: a value of
    /// `--at`.
    pub at: Option<String>,
    /// The error messages that a run may list, in addition to the condition, if it may not list all: values of
    /// `--only-errors`.
    pub only_errors: Vec<String>,
}

impl Signature {
    /// The condition alone.
    fn new(kind: &str, crash: bool, mark: Mark) -> Self {
        Signature { kind: kind.to_owned(), crash, mark, at: None, only_errors: Vec::new() }
    }

    /// The options that say the same, and their values.
    #[must_use]
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let at = self.at.clone().map(|at| ("--at", at));
        let errors = self.only_errors.iter().map(|error| ("--only-errors", error.clone()));
        [self.mark.option()].into_iter().chain(at).chain(errors).collect()
    }

    /// The condition among the others.
    pub fn add_to(&self, spec: &mut ConditionSpec) {
        self.mark.add_to(spec);
        spec.at.extend(self.at.clone());
        spec.only_errors.extend(self.only_errors.iter().cloned());
    }

    /// Whether a run on `candidate` shows it.
    #[must_use]
    pub fn is_shown_by<'a>(
        &self,
        candidate: impl Into<TestCase<'a>>,
        exit: Exit,
        stdout: &[u8],
        stderr: &[u8],
    ) -> bool {
        let mut spec = ConditionSpec::default();
        self.add_to(&mut spec);
        // A text that makes no regular expression, as one that is too large, is shown by nothing.
        Conditions::new(&spec)
            .is_ok_and(|conditions| conditions.judge(candidate, exit, stdout, stderr) == Verdict::Interesting)
    }
}

/// The condition that a signature is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The standard output matches this regular expression.
    Stdout(String),
    /// The standard error matches this regular expression.
    Stderr(String),
    /// Death by this signal.
    Signal(String),
    /// This exit code.
    ExitCode(i32),
}

impl Mark {
    /// The option and its value.
    #[must_use]
    pub fn option(&self) -> (&'static str, String) {
        match self {
            Mark::Stdout(pattern) => ("--stdout", pattern.clone()),
            Mark::Stderr(pattern) => ("--stderr", pattern.clone()),
            Mark::Signal(name) => ("--signal", name.clone()),
            Mark::ExitCode(code) => ("--exit-code", code.to_string()),
        }
    }

    /// The condition among the others.
    pub fn add_to(&self, spec: &mut ConditionSpec) {
        match self {
            Mark::Stdout(pattern) => spec.stdout.push(pattern.clone()),
            Mark::Stderr(pattern) => spec.stderr.push(pattern.clone()),
            Mark::Signal(name) => spec.signals.push(name.clone()),
            Mark::ExitCode(code) => spec.exit_codes.push(*code),
        }
    }
}

/// Longer lines are no messages of a tool, in bytes.
const LONGEST_LINE: usize = 4096;

/// The whole output, if it is one line of at least two words: it is the reason of the failure.
const ONLY_LINE: &str = r"\A[^\n]*[^\W\d][^\n]* [^\n]*[^\W\d][^\n]*(?<skip1>\n?)\z";

/// The known kinds of signatures, ready for use.
#[derive(Debug)]
pub struct Table {
    missing: OnceLock<Vec<Regex>>,
    missing_texts: Vec<String>,
    patterns: Vec<Pattern>,
    listed: Listed,
    only_line: Pattern,
    warnings: Vec<Pattern>,
    context: generalise::Scanner,
}

impl Default for Table {
    fn default() -> Self {
        let rows = Rows::default();
        let only_line =
            Row { name: "message".to_owned(), crash: false, listed: false, find: ONLY_LINE.to_owned(), but: None };
        Table {
            missing: OnceLock::new(),
            missing_texts: rows.missing,
            listed: Listed::of(&rows.pattern),
            patterns: rows.pattern.into_iter().map(Pattern::new).collect(),
            only_line: Pattern::new(only_line),
            warnings: rows.warning.into_iter().map(Pattern::new).collect(),
            context: generalise::Scanner::default(),
        }
    }
}

impl Table {
    /// The signatures of a run, most specific first: the known patterns in its outputs, the signal it died of, the only
    /// line on standard error with any text, its exit code. There is none of a run that ended well, timed out, was
    /// invalid, or ended in an unknown way.
    #[must_use]
    pub fn signatures(&self, seen: &Seen<'_>) -> Vec<Signature> {
        match seen.exit {
            Exit::Code(0 | TIMEOUT_CODE | INVALID_CODE) | Exit::TimedOut | Exit::Unknown => return Vec::new(),
            Exit::Code(_) | Exit::Signal(_) => {}
        }
        let mut found: Vec<Signature> = self.patterns.iter().flat_map(|pattern| self.written(pattern, seen)).collect();
        let ending = ending(seen.exit);
        if ending.iter().all(|signature| matches!(signature.mark, Mark::ExitCode(_))) {
            found.extend(self.in_output(&self.only_line, seen.stderr, Mark::Stderr, seen));
        }
        found.extend(ending);
        shown_once(found, seen)
    }

    /// The messages in an output about files that are not there: each line, and the name of the file.
    #[must_use]
    pub fn missing(&self, output: &[u8]) -> Vec<(String, String)> {
        let patterns = self.missing.get_or_init(|| self.missing_texts.iter().map(|text| compiled(text)).collect());
        let mut found = Vec::new();
        for line in output.split(|byte| *byte == b'\n').filter(|line| line.len() <= LONGEST_LINE) {
            for captures in patterns.iter().filter_map(|pattern| pattern.captures(line)) {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
                found.push((text(line), text(&captures["name"])));
            }
        }
        found
    }

    /// The first signature that a pattern finds in each of the two outputs.
    fn written(&self, pattern: &Pattern, seen: &Seen<'_>) -> Vec<Signature> {
        let outputs = [(seen.stderr, Mark::Stderr as fn(String) -> Mark), (seen.stdout, Mark::Stdout)];
        outputs.into_iter().filter_map(|(text, mark)| self.in_output(pattern, text, mark, seen)).collect()
    }

    fn in_output(
        &self,
        pattern: &Pattern,
        text: &[u8],
        mark: fn(String) -> Mark,
        seen: &Seen<'_>,
    ) -> Option<Signature> {
        self.all_in_output(pattern, text, mark, seen).next().filter(|found| !found.mark.option().1.is_empty())
    }

    /// Everything that a pattern finds in an output.
    fn all_in_output(
        &self,
        pattern: &Pattern,
        text: &[u8],
        mark: fn(String) -> Mark,
        seen: &Seen<'_>,
    ) -> impl Iterator<Item = Signature> {
        let is_meant = |found: &Captures<'_>| pattern.but().is_none_or(|but| !but.is_match(&found[0]));
        pattern.regex().captures_iter(text).filter(is_meant).map(move |found| {
            let text = self.carry_over(pattern, &found, text, seen);
            Signature::new(&pattern.row.name, pattern.row.crash, mark(text))
        })
    }

    /// The text that was found as a regular expression, group by group.
    fn carry_over(&self, pattern: &Pattern, found: &Captures<'_>, text: &[u8], seen: &Seen<'_>) -> String {
        let whole = found.get(0).expect("group 0 is the match").range();
        let named = pattern.regex().capture_names().flatten().filter_map(|name| {
            let group = found.name(name)?;
            Some((group.range(), Treatment::named(name)))
        });
        let mut groups: Vec<_> = named.collect();
        groups.sort_by_key(|(range, _)| range.start);
        let mut context = Context::new(&self.context, seen.input.text(), seen.name);
        let mut at = whole.start;
        for (range, treatment) in groups.into_iter().chain([(whole.end..whole.end, Treatment::Skip)]) {
            context.add(text, at..range.start, Treatment::Generalise);
            context.add(text, range.clone(), treatment);
            at = range.end;
        }
        context.finish()
    }
}

/// Those that the run itself shows, each once.
fn shown_once(mut found: Vec<Signature>, seen: &Seen<'_>) -> Vec<Signature> {
    found.retain(|signature| signature.is_shown_by(seen.input, seen.exit, seen.stdout, seen.stderr));
    let mut known = Vec::new();
    found.retain(|signature| !known.contains(&signature.mark) && (known.push(signature.mark.clone()), true).1);
    found
}

/// The conditions on the end of a run.
fn ending(exit: Exit) -> Vec<Signature> {
    let by_signal = |number: i32| {
        let name = signal_name(number).map_or_else(|| number.to_string(), |name| name["SIG".len()..].to_owned());
        Signature::new("death by a signal", crash(number).is_some(), Mark::Signal(name))
    };
    let by_code = |code| Signature::new("exit code", false, Mark::ExitCode(code));
    match exit {
        Exit::Signal(number) => vec![by_signal(number)],
        // As a shell reports it.
        Exit::Code(code) if code > 128 && crash(code - 128).is_some() => vec![by_signal(code - 128)],
        Exit::Code(code) => vec![by_code(code)],
        Exit::TimedOut | Exit::Unknown => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
