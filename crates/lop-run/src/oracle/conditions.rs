//! The conditions of an interesting run: [`ConditionSpec`] is the typed form, [`Conditions`] judges.
//!
//! The rules, in this order: 1. A run that exceeded the deadline, or exited with an unrequested 124, is a *timeout*. 2.
//! A run with an unrequested invalid code is *invalid*. 3. Without conditions, exit code 0 is interesting. With a
//! condition that isn't implied any more, and every kind of condition must hold. One of several conditions of a kind is
//! enough, except that none of a `not` kind may match.
//!
//! `--at` is about the text of the candidate at a position in the output: in the lines that match a wanted pattern, or
//! without patterns at the first position in the standard error or else in the standard output.
//!
//! `--only-errors` asks for each error message that the run lists, in either output, whatever the other conditions say.
//!
//! `--timeout-is-interesting` is a kind, too: it holds for timeouts. A timeout is interesting if the conditions on the
//! output also hold. A run that was cut off has no exit status, so `--exit-code` and `--signal` don't apply to it:
//! together with `--timeout-is-interesting`, they are the alternative for runs that end.

use std::ffi::OsStr;
use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};

use super::condition_error::ConditionError;
use super::patterns::Listed;
use super::position::{At, Finder};
use super::signal::signal_number;
use super::slippage::Slippage;
use super::{Exit, INVALID_CODE, TIMEOUT_CODE};
use lop_engine::Verdict;
use lop_files::project::TestCase;

/// The conditions as the user gave them. The default is exit code 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ConditionSpec {
    /// `--exit-code`: the test must return one of these codes.
    pub exit_codes: Vec<i32>,
    /// `--not-exit-code`: the test may return none of these codes.
    pub not_exit_codes: Vec<i32>,
    /// `--signal`: names or numbers of signals; one of them must have killed the test, or a child of its shell.
    pub signals: Vec<String>,
    /// `--stdout`: regular expressions; one must match the standard output.
    pub stdout: Vec<String>,
    /// `--stderr`: regular expressions; one must match the standard error.
    pub stderr: Vec<String>,
    /// `--at`: regular expressions; one must match the candidate at a position in the output. `<here>` marks the
    /// position, which is otherwise the start of the match.
    pub at: Vec<String>,
    /// `--not-stdout`: regular expressions; none may match the standard output.
    pub not_stdout: Vec<String>,
    /// `--not-stderr`: regular expressions; none may match the standard error.
    pub not_stderr: Vec<String>,
    /// `--only-errors`: regular expressions; each error message that the run lists must match one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_errors: Vec<String>,
    /// `--timeout-is-interesting`: the run must time out.
    pub timeout_is_interesting: bool,
    /// `--also-interesting`: exit codes of candidates that lop keeps although they are not interesting.
    pub also_interesting: Vec<i32>,
}

impl ConditionSpec {
    /// Whether there is a condition on the exit or the output.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        let codes = !self.exit_codes.is_empty() || !self.not_exit_codes.is_empty();
        let endings = codes || !self.signals.is_empty() || self.timeout_is_interesting;
        let outputs = [&self.stdout, &self.stderr, &self.at, &self.not_stdout, &self.not_stderr, &self.only_errors];
        endings || outputs.iter().any(|patterns| !patterns.is_empty())
    }
}

/// Judges the exit and the output of a run.
///
/// Patterns match bytes, with Unicode support if the bytes are UTF-8. `^` and `$` match at line ends.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The conditions as the user gave them.
    spec: ConditionSpec,
    exit_codes: Vec<i32>,
    not_exit_codes: Vec<i32>,
    signals: Vec<i32>,
    stdout: Output,
    stderr: Output,
    at: Option<NamedPlaces>,
    errors: Option<ListedErrors>,
    timeout_is_interesting: bool,
    slippage: Option<Slippage>,
}

/// The conditions on one of the two outputs.
#[derive(Clone, Debug)]
struct Output {
    wanted: Vec<Regex>,
    unwanted: Vec<Regex>,
}

/// The conditions on the text at reported positions.
#[derive(Clone, Debug)]
struct NamedPlaces {
    finder: Finder,
    wanted: Vec<At>,
}

/// The conditions on a run's error messages.
#[derive(Clone, Debug)]
struct ListedErrors {
    listed: Arc<Listed>,
    wanted: Vec<Regex>,
}

/// A finished run.
#[derive(Clone, Copy)]
struct JudgedRun<'a> {
    candidate: TestCase<'a>,
    stdout: &'a [u8],
    stderr: &'a [u8],
}

impl Default for Conditions {
    fn default() -> Self {
        Self::new(&ConditionSpec::default()).expect("the default has nothing that could be wrong")
    }
}

impl Conditions {
    /// Compiles the conditions.
    ///
    /// # Errors
    /// [`ConditionError`] for an invalid regular expression or an unknown signal.
    pub fn new(spec: &ConditionSpec) -> Result<Self, ConditionError> {
        let signals = spec.signals.iter().map(|name| signal_number(name)).collect::<Result<_, _>>()?;
        Ok(Self {
            spec: spec.clone(),
            exit_codes: spec.exit_codes.clone(),
            not_exit_codes: spec.not_exit_codes.clone(),
            signals,
            stdout: Output {
                wanted: compile("--stdout", &spec.stdout)?,
                unwanted: compile("--not-stdout", &spec.not_stdout)?,
            },
            stderr: Output {
                wanted: compile("--stderr", &spec.stderr)?,
                unwanted: compile("--not-stderr", &spec.not_stderr)?,
            },
            at: match spec.at.as_slice() {
                [] => None,
                patterns => Some(NamedPlaces {
                    finder: Finder::default(),
                    wanted: patterns.iter().map(|pattern| At::new(pattern)).collect::<Result<_, _>>()?,
                }),
            },
            errors: match spec.only_errors.as_slice() {
                [] => None,
                patterns => Some(ListedErrors { listed: Arc::default(), wanted: compile("--only-errors", patterns)? }),
            },
            timeout_is_interesting: spec.timeout_is_interesting,
            // If exit code 0 is the only condition, the test itself decides about crashes.
            slippage: Slippage::new(&spec.also_interesting, spec.has_conditions()),
        })
    }

    /// The conditions as the user gave them.
    pub(super) fn spec(&self) -> &ConditionSpec {
        &self.spec
    }

    /// Whether the standard output is needed.
    #[must_use]
    pub fn need_stdout(&self) -> bool {
        !self.stdout.is_empty() || self.at.is_some() || self.errors.is_some()
    }

    /// Whether the standard error is needed.
    #[must_use]
    pub fn need_stderr(&self) -> bool {
        !self.stderr.is_empty() || self.at.is_some() || self.errors.is_some()
    }

    /// Judges a run on `candidate` by its exit and outputs. [`Exit::Unknown`] is never interesting.
    #[must_use]
    pub fn judge<'a>(&self, candidate: impl Into<TestCase<'a>>, exit: Exit, stdout: &[u8], stderr: &[u8]) -> Verdict {
        let run = JudgedRun { candidate: candidate.into(), stdout, stderr };
        let asked_for = matches!(exit, Exit::Code(code) if self.exit_codes.contains(&code));
        if !asked_for && exit == Exit::Code(INVALID_CODE) {
            return Verdict::Invalid;
        }
        let output_holds =
            || self.stdout.holds(stdout) && self.stderr.holds(stderr) && self.place_holds(run) && self.errors_hold(run);
        if !asked_for && matches!(exit, Exit::TimedOut | Exit::Code(TIMEOUT_CODE)) {
            let interesting = self.timeout_is_interesting && output_holds();
            return if interesting { Verdict::Interesting } else { Verdict::Timeout };
        }
        if matches!(exit, Exit::Code(code) if self.not_exit_codes.contains(&code)) {
            return Verdict::NotInteresting;
        }
        let holds = self.ending_holds(exit) && output_holds();
        if holds { Verdict::Interesting } else { Verdict::NotInteresting }
    }

    /// Returns the signature of another crash, if an uninteresting run shows one: an exit code of `--also-interesting`,
    /// or, if there are conditions, a death by a signal.
    #[must_use]
    pub fn slip(&self, exit: Exit, stdout: &[u8], stderr: &[u8]) -> Option<String> {
        self.slippage.as_ref()?.signature(exit, [stderr, stdout])
    }

    /// Whether the conditions on reported positions hold, if there are any.
    fn place_holds(&self, run: JudgedRun<'_>) -> bool {
        let Some(NamedPlaces { finder, wanted }) = &self.at else { return true };
        let (files, text) = (run.candidate.files(), run.candidate.text());
        let several =
            files.iter().map(|file| (file.path().file_name().and_then(OsStr::to_str), &text[file.content.clone()]));
        let candidates: Vec<(Option<&str>, &[u8])> =
            if files.is_empty() { vec![(None, text)] } else { several.collect() };
        let holds = |text: &[u8], messages: &[Regex]| {
            let mut found = false;
            let holds = candidates.iter().any(|(name, candidate)| {
                let places = finder.places(text, messages, candidate, *name);
                found |= !places.is_empty();
                places.into_iter().any(|place| wanted.iter().any(|at| at.holds(candidate, place)))
            });
            (found, holds)
        };
        let outputs = [(run.stderr, &self.stderr.wanted), (run.stdout, &self.stdout.wanted)];
        if outputs.iter().all(|(_, wanted)| wanted.is_empty()) {
            let first = outputs.into_iter().map(|(text, _)| holds(text, &[])).find(|(found, _)| *found);
            return first.is_some_and(|(_, holds)| holds);
        }
        outputs.into_iter().any(|(text, wanted)| !wanted.is_empty() && holds(text, wanted).1)
    }

    /// Whether all error messages are allowed.
    fn errors_hold(&self, run: JudgedRun<'_>) -> bool {
        let Some(ListedErrors { listed, wanted }) = &self.errors else { return true };
        let is_wanted = |message: &[u8]| wanted.iter().any(|pattern| pattern.is_match(message));
        [run.stderr, run.stdout].into_iter().all(|text| listed.errors(text).all(is_wanted))
    }

    fn code_holds(&self, exit: Exit) -> bool {
        matches!(exit, Exit::Code(code) if self.exit_codes.contains(&code))
    }

    fn signal_holds(&self, exit: Exit) -> bool {
        // A shell reports a command that died of signal n as 128 + n.
        match exit {
            Exit::Signal(number) => self.signals.contains(&number),
            Exit::Code(code) => self.signals.iter().any(|number| number + 128 == code),
            Exit::TimedOut | Exit::Unknown => false,
        }
    }

    /// Whether the exit of a completed run meets the conditions.
    fn ending_holds(&self, exit: Exit) -> bool {
        let (code_holds, signal_holds) = (self.code_holds(exit), self.signal_holds(exit));
        let no_output = !self.need_stdout() && !self.need_stderr();
        let nothing_else = no_output && self.not_exit_codes.is_empty();
        match (self.exit_codes.is_empty(), self.signals.is_empty()) {
            (false, false) => code_holds && signal_holds,
            (false, true) => code_holds,
            (true, false) => signal_holds,
            (true, true) if self.timeout_is_interesting => false,
            (true, true) if nothing_else => exit == Exit::Code(0),
            (true, true) => exit != Exit::Unknown,
        }
    }
}

impl Output {
    fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }

    fn holds(&self, text: &[u8]) -> bool {
        (self.wanted.is_empty() || self.is_wanted(text)) && !self.is_ruled_out(text)
    }

    fn is_wanted(&self, text: &[u8]) -> bool {
        self.wanted.iter().any(|pattern| pattern.is_match(text))
    }

    fn is_ruled_out(&self, text: &[u8]) -> bool {
        self.unwanted.iter().any(|pattern| pattern.is_match(text))
    }
}

fn compile(option: &'static str, patterns: &[String]) -> Result<Vec<Regex>, ConditionError> {
    let one = |pattern: &String| {
        RegexBuilder::new(pattern).multi_line(true).build().map_err(|source| ConditionError::Regex {
            option,
            pattern: pattern.clone(),
            source,
        })
    };
    patterns.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn a_code_that_is_ruled_out_leaves_every_other_ending() {
        let rows = [
            (Exit::Code(0), Verdict::NotInteresting),
            (Exit::Code(1), Verdict::Interesting),
            (Exit::Signal(11), Verdict::Interesting),
            (Exit::TimedOut, Verdict::Timeout),
            (Exit::Unknown, Verdict::NotInteresting),
        ];
        let conditions = spec(|spec| spec.not_exit_codes = vec![0]);
        for (exit, verdict) in rows {
            assert_eq!(conditions.judge(b"", exit, b"", b""), verdict, "{exit:?}");
        }
        let both = spec(|spec| (spec.not_exit_codes, spec.stderr) = (vec![1], vec!["x".into()]));
        assert_eq!(both.judge(b"", Exit::Code(1), b"", b"x"), Verdict::NotInteresting);
        assert_eq!(both.judge(b"", Exit::Code(0), b"", b"x"), Verdict::Interesting);
        assert_eq!(both.judge(b"", Exit::Code(0), b"", b""), Verdict::NotInteresting);
    }

    fn spec(change: impl FnOnce(&mut ConditionSpec)) -> Conditions {
        let mut spec = ConditionSpec::default();
        change(&mut spec);
        Conditions::new(&spec).expect("a good spec")
    }

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|&word| word.to_owned()).collect()
    }

    use Verdict::{Interesting, Invalid, NotInteresting, Timeout};

    #[test]
    fn without_conditions_exit_0_is_interesting() {
        let conditions = Conditions::default();
        for (exit, verdict) in [
            (Exit::Code(0), Interesting),
            (Exit::Code(1), NotInteresting),
            (Exit::Code(124), Timeout),
            (Exit::Code(125), Invalid),
            (Exit::Signal(11), NotInteresting),
            (Exit::TimedOut, Timeout),
            (Exit::Unknown, NotInteresting),
        ] {
            assert_eq!(conditions.judge(b"", exit, b"", b""), verdict, "{exit}");
        }
    }

    #[test]
    fn one_condition_of_any_kind_takes_exit_0_back() {
        let conditions = spec(|spec| spec.stdout = words(&["^found$"]));
        assert_eq!(conditions.judge(b"", Exit::Code(0), b"", b"found"), NotInteresting);
        assert_eq!(conditions.judge(b"", Exit::Code(7), b"a\nfound\nb", b""), Interesting);
        assert_eq!(conditions.judge(b"", Exit::Signal(6), b"found", b""), Interesting);
        let conditions = spec(|spec| spec.exit_codes = vec![1, 3]);
        assert_eq!(conditions.judge(b"", Exit::Code(0), b"", b""), NotInteresting);
        assert_eq!(conditions.judge(b"", Exit::Code(3), b"", b""), Interesting);
        assert_eq!(conditions.judge(b"", Exit::Code(1), b"", b""), Interesting);
    }

    #[test]
    fn all_kinds_must_hold_and_one_of_a_kind_is_enough() {
        let conditions = spec(|spec| {
            spec.exit_codes = vec![1];
            spec.stderr = words(&["warning", "error"]);
            spec.not_stderr = words(&["fatal", "out of memory"]);
            spec.not_stdout = words(&["^usage"]);
        });
        for (exit, stdout, stderr, verdict) in [
            (Exit::Code(1), "", "an error", Interesting),
            (Exit::Code(1), "", "a warning", Interesting),
            (Exit::Code(1), "", "a note", NotInteresting),
            (Exit::Code(1), "", "an error\nout of memory", NotInteresting),
            (Exit::Code(1), "x\nusage: y", "an error", NotInteresting),
            (Exit::Code(0), "", "an error", NotInteresting),
        ] {
            assert_eq!(
                conditions.judge(b"", exit, stdout.as_bytes(), stderr.as_bytes()),
                verdict,
                "{exit} {stdout} {stderr}"
            );
        }
    }

    #[test]
    fn a_signal_counts_directly_and_as_a_shell_reports_it() {
        let conditions = spec(|spec| spec.signals = words(&["9", "6"]));
        for (exit, verdict) in [
            (Exit::Signal(6), Interesting),
            (Exit::Code(134), Interesting),
            (Exit::Code(137), Interesting),
            (Exit::Signal(8), NotInteresting),
            (Exit::Code(6), NotInteresting),
            (Exit::Code(0), NotInteresting),
        ] {
            assert_eq!(conditions.judge(b"", exit, b"", b""), verdict, "{exit}");
        }
    }

    #[test]
    fn a_timeout_is_interesting_only_where_it_was_asked_for() {
        let hang = spec(|spec| spec.timeout_is_interesting = true);
        assert_eq!(hang.judge(b"", Exit::TimedOut, b"", b""), Interesting);
        assert_eq!(hang.judge(b"", Exit::Code(124), b"", b""), Interesting);
        assert_eq!(hang.judge(b"", Exit::Code(0), b"", b""), NotInteresting);
        let loud = spec(|spec| {
            spec.timeout_is_interesting = true;
            spec.stdout = words(&["phase 3"]);
        });
        assert_eq!(loud.judge(b"", Exit::TimedOut, b"phase 3", b""), Interesting);
        assert_eq!(loud.judge(b"", Exit::TimedOut, b"phase 2", b""), Timeout);
        assert_eq!(loud.judge(b"", Exit::Code(0), b"phase 3", b""), NotInteresting);
        let either = spec(|spec| {
            spec.timeout_is_interesting = true;
            spec.signals = words(&["6"]);
        });
        assert_eq!(either.judge(b"", Exit::TimedOut, b"", b""), Interesting);
        assert_eq!(either.judge(b"", Exit::Signal(6), b"", b""), Interesting);
        assert_eq!(either.judge(b"", Exit::Code(0), b"", b""), NotInteresting);
    }

    #[test]
    fn a_code_that_was_asked_for_loses_its_special_meaning() {
        let conditions = spec(|spec| spec.exit_codes = vec![124, 125]);
        assert_eq!(conditions.judge(b"", Exit::Code(124), b"", b""), Interesting);
        assert_eq!(conditions.judge(b"", Exit::Code(125), b"", b""), Interesting);
        assert_eq!(conditions.judge(b"", Exit::TimedOut, b"", b""), Timeout);
    }

    #[test]
    fn output_that_is_not_utf_8_is_matched_as_bytes() {
        let conditions = spec(|spec| spec.stderr = words(&[r"(?-u)\xff\x00", "größe"]));
        assert_eq!(conditions.judge(b"", Exit::Code(1), b"", b"a\xff\x00b"), Interesting);
        assert_eq!(conditions.judge(b"", Exit::Code(1), b"", "\u{fffd} größe".as_bytes()), Interesting);
        assert_eq!(conditions.judge(b"", Exit::Code(1), b"", b"a"), NotInteresting);
    }

    #[test]
    fn a_bad_pattern_is_named_with_its_option_and_the_place() {
        let spec = ConditionSpec { not_stderr: words(&["fine", "a(b"]), ..ConditionSpec::default() };
        let error = Conditions::new(&spec).expect_err("an open group");
        assert!(error.to_string().contains("'a(b' of --not-stderr"), "{error}");
        let cause = error.source().expect("the cause").to_string();
        assert!(cause.contains("unclosed group") && cause.contains('^'), "{cause}");
    }

    #[test]
    fn a_bad_signal_is_named_with_some_that_exist() {
        let spec = ConditionSpec { signals: words(&["SEGV", "BOOM"]), ..ConditionSpec::default() };
        let error = Conditions::new(&spec).expect_err("no such signal");
        let cause = error.source().expect("the cause").to_string();
        assert!(cause.contains("'BOOM'") && cause.contains("ABRT"), "{cause}");
    }

    #[test]
    fn what_stands_at_the_place_that_a_message_names_is_a_condition() {
        let conditions = spec(|spec| (spec.stderr, spec.at) = (words(&["^no value"]), words(&[r"\d,<here>,"])));
        let rows = [
            ("[1,,2]", "no value: line 1 column 4", Interesting),
            ("[,]", "no value: line 1 column 2", NotInteresting),
            ("[1,,", "no value: line 1 column 5", NotInteresting),
            ("[1,,", "no value", NotInteresting),
            ("[1,,", "bad: line 1 column 4", NotInteresting),
            ("[1,,", "bad: line 1 column 1\nno value: line 1 column 4", Interesting),
        ];
        for (candidate, said, verdict) in rows {
            let judged = conditions.judge(candidate.as_bytes(), Exit::Code(1), b"", said.as_bytes());
            assert_eq!(judged, verdict, "{candidate} {said}");
        }
    }

    #[test]
    fn error_messages_that_nobody_asked_for_are_refused() {
        let conditions = spec(|spec| {
            spec.stderr = words(&["error: odd array"]);
            spec.only_errors = words(&["^error: odd array$", r"^error: no '[^']*' in \d+ rows$"]);
        });
        for (said, verdict) in [
            ("a.x:1:2: error: odd array\n1 error generated.\n", Interesting),
            (
                "a.x:9:9: error: odd array\na.x:3:1: error: no 'b' in 7 rows\nerror: aborting due to 2 previous errors\n",
                Interesting,
            ),
            ("a.x:1:2: error: odd array\na.x:2:2: error: no such function\n", NotInteresting),
            ("a.x:1:2: error: odd array\n   3 | puts(\"error: no such function\");\n", Interesting),
            ("a.x:1:2: warning: odd\n", NotInteresting),
        ] {
            assert_eq!(conditions.judge(b"", Exit::Code(1), b"", said.as_bytes()), verdict, "{said}");
        }
        assert_eq!(conditions.judge(b"", Exit::Code(1), b"error: new", b"error: odd array"), NotInteresting);
    }

    #[test]
    fn a_place_without_a_message_is_the_first_and_no_exit_code_is_implied() {
        let alone = spec(|spec| spec.at = words(&[","]));
        assert!(alone.need_stdout() && alone.need_stderr());
        assert_eq!(alone.judge(b"1,", Exit::Code(1), b"x:1:2: bad", b""), Interesting);
        assert_eq!(alone.judge(b"1,", Exit::Code(0), b"x:1:1: bad\nx:1:2: bad", b""), NotInteresting);
        assert_eq!(alone.judge(b"1,", Exit::Code(0), b"x:1:2: bad", b"x:1:1: odd"), NotInteresting, "stderr is first");
        assert_eq!(alone.judge(b"1,", Exit::Code(0), b"", b""), NotInteresting);
    }
}
