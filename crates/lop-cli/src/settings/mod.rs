//! Interprets a command line: looks up, reads and checks everything before any test runs and before any file changes.

mod case;
mod formatter;
mod forms;
mod output;
mod reporting;
mod testing;

use crate::args::{ReduceArgs, SyntaxArg};
use crate::beside::side_files;
use crate::failure::Failure;
use crate::fix::fixing;
use crate::piped;
use crate::values::MinimalArg;
use lop_engine::Config;
use lop_journal::Past;
use lop_reduce::{Control, Effort, Format, Keep, MAX_PARSE, Minimal, Options, Passes, Syntax};
use lop_run::oracle::Conditions;

use case::Source;
use formatter::formatter;
use output::Output;
use reporting::Reporting;
use testing::{Testing, spec};

pub(super) use case::{Case, project, read, read_case};
pub(super) use forms::{Test, forms, subject};
pub(super) use testing::in_words;

/// Everything that a reduction needs.
#[derive(Debug)]
pub struct Settings {
    /// The test case.
    pub case: Case,
    /// The interestingness test.
    pub test: Testing,
    /// Choices of the reduction itself.
    pub options: Options,
    /// The place of the result.
    pub output: Output,
    /// The reports of the run.
    pub reporting: Reporting,
}

impl Settings {
    /// Finds out the meaning of a command line.
    ///
    /// # Errors
    /// Everything that can be known to be wrong before the first test.
    pub fn new(args: &ReduceArgs) -> Result<Settings, Failure> {
        Settings::build(args, Source::File)
    }

    /// The same for the command line of an interrupted run: the input is that of its journal.
    ///
    /// # Errors
    /// The errors of [`Settings::new`].
    pub fn resumed(args: &ReduceArgs, past: &Past) -> Result<Settings, Failure> {
        Settings::build(args, Source::Journal(past))
    }

    /// The same for a text that is verified in the place of the file, or the file itself.
    ///
    /// # Errors
    /// The errors of [`Settings::new`].
    pub fn verifying(args: &ReduceArgs, text: Option<Vec<u8>>) -> Result<Settings, Failure> {
        Settings::build(args, text.map_or(Source::File, Source::Text))
    }

    fn build(args: &ReduceArgs, source: Source<'_>) -> Result<Settings, Failure> {
        let (form, paths) = forms(&args.words, &args.test, args.reduce_args, matches!(source, Source::Journal(_)))?;
        let mut reporting = Reporting::of(args, paths.len() == 1 && piped::is_stdin(&paths[0]))?;
        let options = options(args)?;
        // A slip in a condition is told before a large file is read.
        let conditions = Conditions::new(&spec(args))?;
        let past = if let Source::Journal(past) = source { Some(past) } else { None };
        let case = Case::read(args, &paths, &form, source)?;
        reporting.attention.extend(case.notes.iter().cloned());
        let test = Testing::of(args, &form, &case, conditions)?;
        let project = case.project.clone().map(|project| project.with_named(&test.oracle.named_paths()));
        let case = Case { project, ..case };
        let options = Options {
            keep: case.keep(args)?,
            project: case.project.clone(),
            formatter: formatter(&args.format, &case.subject, &case.path, args.timeout)?,
            ..options
        };
        let mut output = Output::open(args, &paths, &case, (&form, test.oracle.program()), past)?;
        // Late, because it takes longer than to see what is wrong.
        let beside = side_files(&args.confine.with, &case.path, &output.kept)?;
        let fix = args
            .confine
            .fix
            .as_deref()
            .map(|line| fixing(line, (&case.subject, &case.path), args.timeout, &test.confinement, beside.clone()));
        let mut test = Testing { oracle: test.oracle.with_belongings(beside)?, ..test };
        if let Some((fix, formatter)) = fix.transpose()? {
            test.oracle = test.oracle.with_fix(fix);
            output.store.through(formatter);
        }
        Ok(Settings { case, test, options, output, reporting })
    }
}

/// Choices of the reduction itself; all of the text may go.
fn options(args: &ReduceArgs) -> Result<Options, Failure> {
    check_fast(args)?;
    let (minimal, engine) = search(args)?;
    Ok(Options {
        passes: Passes { only: args.only.clone(), skip: args.skip.clone(), ..Passes::default() },
        format: Format::from(&args.format),
        formatter: None,
        schedule: args.schedule.into(),
        seed: args.seed,
        minimal,
        engine,
        effort: match (args.fast, args.thorough) {
            (true, _) => Effort::Fast,
            (_, true) => Effort::Thorough,
            _ => Effort::Usual,
        },
        prefer: args.prefer.into(),
        syntax: match args.syntax {
            SyntaxArg::Valid => Some(Syntax::Valid),
            SyntaxArg::Invalid => Some(Syntax::Invalid),
            SyntaxArg::Old | SyntaxArg::Any => None,
        },
        keep: Keep::default(),
        project: None,
        allow_syntax_errors: args.syntax == SyntaxArg::Any,
        allow_empty: args.allow_empty,
        allow_flaky: args.allow_flaky,
        confirm: args.confirm,
        deadline: args.timeout,
        max_parse: MAX_PARSE,
        max_tests: args.max_tests,
        spend: args.spend,
        max_time: args.max_time,
        control: Control::new(),
    })
}

/// The parts in which the result must be minimal, and the engine's parameters.
fn search(args: &ReduceArgs) -> Result<(Option<Minimal>, Config), Failure> {
    let mut engine = Config { expect: args.expect_waste, ..Config::default() };
    if !args.simplify_only {
        return Ok((args.minimal.map(Into::into), engine));
    }
    if args.minimal.is_some_and(|minimal| minimal != MinimalArg::None) {
        return Err(Failure::Usage {
            message: "--simplify-only guarantees nothing, so it cannot be combined with --minimal".to_owned(),
            hint: "omit one of the two, or use --minimal none".to_owned(),
        });
    }
    engine.theta = None;
    Ok((Some(Minimal::None), engine))
}

/// A fast reduction ends before anything is guaranteed.
fn check_fast(args: &ReduceArgs) -> Result<(), Failure> {
    if !args.fast {
        return Ok(());
    }
    if args.minimal.is_some_and(|minimal| minimal != MinimalArg::None) {
        return Err(Failure::Usage {
            message: "--fast guarantees nothing, so it cannot be combined with --minimal".to_owned(),
            hint: "omit one of the two, or use --minimal none".to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use std::fs;

    use super::*;
    use crate::args::Cli;
    use lop_report::{Kept, Verbosity};
    use lop_run::exec::Jobs;

    fn meant(line: &[&str]) -> Result<Settings, Failure> {
        let words = std::iter::once("lop").chain(line.iter().copied());
        Settings::new(&Cli::try_parse_from(words).expect("clap accepts it").reduce)
    }

    fn wrong(line: &[&str]) -> String {
        meant(line).expect_err("it is wrong").to_string()
    }

    #[test]
    fn each_wrong_form_has_its_own_message() {
        assert_eq!(wrong(&[]), "no file to reduce was given");
        assert_eq!(wrong(&["a"]), "no test given for a, or no file for this test");
        assert_eq!(wrong(&["--", "cc"]), "no file to reduce before `--`");
        assert_eq!(wrong(&["a", "b", "--", "cc"]), "expected one FILE before `--`, found a and b");
        for line in [&["-q", "passes"][..], &["-j2", "doctor", "a", "--", "cc"], &["--color=never", "verify", "b"]] {
            assert!(wrong(line).ends_with("is a command of lop only as the first word"), "{line:?}");
        }
        assert_eq!(wrong(&["-o", "-", "--diff", "a", "b"]), "-o - and --diff would all write to standard output");
    }

    #[test]
    fn the_input_is_read_and_its_grammar_chosen() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("case.unknown");
        fs::write(&file, "some words").expect("a file");
        let name = file.to_str().expect("plain");
        let settings = meant(&["sh", name, "-qj3"]).expect("sh is everywhere");
        assert_eq!((&*settings.case.content, settings.test.jobs), (&b"some words"[..], Some(Jobs::Exactly(3))));
        assert_eq!((&*settings.case.language(), settings.reporting.verbosity), ("text", Verbosity::Quiet));
        assert_eq!(settings.output.kept, Kept::InPlace);
        let whole = meant(&["sh", directory.path().to_str().expect("plain")]).expect("a directory is a test case, too");
        assert_eq!(whole.case.project.map(|project| project.archive().entries(&whole.case.content).len()), Some(1));
        assert!(wrong(&["sh", &format!("{name}.missing")]).contains("cannot read"));
        assert!(wrong(&["sh", name, "--stdout", "("]).contains("--stdout"));
        assert!(wrong(&["sh", "/dev/null"]).contains("not a regular file"));
        assert!(wrong(&["no-such-test-anywhere", name]).contains("no-such-test-anywhere"));
        fs::write(&file, "").expect("a file");
        assert!(wrong(&["sh", name]).ends_with("case.unknown is empty, so there is nothing to reduce"));
    }
}
