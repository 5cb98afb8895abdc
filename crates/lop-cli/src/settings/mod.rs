//! Interprets a command line: looks up, reads and checks everything before any test runs and before any file changes.

mod case;
mod formatter;
mod forms;
mod output;
mod reporting;
mod testing;

use crate::beside::side_files;
use crate::failure::Failure;
use crate::fix::{before_test, fixing};
use crate::options::ReduceArgs;
use crate::piped;
use lop_journal::Past;
use lop_reduce::Options;
use lop_report::Store;
use lop_run::oracle::Conditions;

use formatter::formatter;
use testing::spec;

pub(super) use case::{Case, Source, project, read, read_case, real_path};
pub(super) use forms::{Test, forms, server_form};
pub(crate) use output::Output;
pub(crate) use reporting::Reporting;
pub(crate) use testing::Testing;
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
    /// The open place of the result.
    pub store: Store,
    /// The reports of the run.
    pub reporting: Reporting,
}

impl Settings {
    /// Finds out the meaning of a command line.
    ///
    /// # Errors
    /// Everything that can be known to be wrong before the first test.
    pub fn new(args: &ReduceArgs) -> Result<Settings, Failure> {
        Settings::build(args, Source::Named, None)
    }

    /// Makes the settings of an interrupted run from its command line and the input in its journal.
    ///
    /// # Errors
    /// The errors of [`Settings::new`].
    pub fn resumed(args: &ReduceArgs, past: &Past) -> Result<Settings, Failure> {
        Settings::build(args, Source::Stored(past.archive.clone(), past.input.clone()), Some(past))
    }

    /// Makes the settings to verify a stored result, or a file.
    ///
    /// # Errors
    /// The errors of [`Settings::new`].
    pub(crate) fn verifying(args: &ReduceArgs, source: Source) -> Result<Settings, Failure> {
        Settings::build(args, source, None)
    }

    fn build(args: &ReduceArgs, source: Source, past: Option<&Past>) -> Result<Settings, Failure> {
        let (words, test, reduces_args) = (&args.given.words, &args.given.test, args.reduce_args.reduce_args);
        let (form, paths) = match &args.server.server {
            Some(server) => server_form(words, test, server, reduces_args)?,
            None => forms(words, test, reduces_args, past.is_some())?,
        };
        let mut reporting = Reporting::of(args, paths.len() == 1 && piped::is_stdin(&paths[0]))?;
        let options = args.options()?;
        // An error in a condition is reported before a large file is read.
        let conditions = Conditions::new(&spec(args))?;
        let case = Case::read(args, &paths, &form, source)?;
        reporting.attention.extend(case.notes.iter().cloned());
        if case.project.is_some() && !options.proposers.is_empty() {
            return Err(Failure::Usage {
                message: "--propose works only with a single file".to_owned(),
                hint: "omit --propose, or reduce the files one by one".to_owned(),
            });
        }
        let test = Testing::of(args, &form, &case, conditions)?;
        let project = case.project.clone().map(|project| project.with_named(&test.oracle.named_paths()));
        let case = Case { project, ..case };
        let options = Options {
            keep: case.keep(args, options.max_parse())?,
            project: case.project.clone(),
            formatter: formatter(&args.format.format, &case.subject, &case.path, args.timeout.timeout)?,
            ..options
        };
        let (output, mut store) = Output::open(args, &paths, &case, (&form, test.oracle.program()), past)?;
        // This is late because it takes longer than the checks.
        let beside = side_files(&args.confine.with, &case.path, &output.kept)?;
        let fix = args.confine.fix.as_deref().map(|line| {
            fixing(line, (&case.subject, &case.path), args.timeout.timeout, &test.confinement, beside.clone())
        });
        let mut test = Testing { oracle: test.oracle.with_belongings(beside.clone())?, ..test };
        if let Some(line) = &args.generator.generator {
            let case = (&case.subject, case.path.as_path());
            let generator = before_test("--generator", line, case, &test.confinement, beside.clone())?;
            test.oracle = test.oracle.with_generator(generator);
        }
        if let Some(service) = args.service.service()? {
            test.oracle = test.oracle.with_service(service);
        }
        if let Some((fix, formatter)) = fix.transpose()? {
            test.oracle = test.oracle.with_fix(fix);
            store.through(formatter);
        }
        Ok(Settings { case, test, options, output, store, reporting })
    }
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
