//! `lop verify`: checks whether any single part of a result can be removed.

use std::ffi::OsString;
use std::io::Write;
use std::path;
use std::sync::Arc;

use clap::Parser;

use crate::args::Cli;
use crate::exit_code::Code;
use crate::failure::{Failure, Unfinished};
use crate::format_arg::{FormatArg, OwnFormat};
use crate::options::{Given, ReduceArgs, Timeout};
use crate::settings::{Settings, Source, forms, read};
use crate::values::MinimalArg;
use crate::verify_args::VerifyArgs;
use crate::{absolute_words, detect, piped, signals, state};
use lop_files::disk::{self, ReadAccess};
use lop_journal::{Past, journal_file};
use lop_reduce::steps::MINIMALITY;
use lop_reduce::{Ended, ReduceError, Silent, reduce_shared};
use lop_report::text::{self, count};
use lop_report::{Kept, diff, state_directory};
use lop_run::exec;
use lop_run::exec::Jobs;
use lop_run::oracle::{Cancel, Oracle, SlotOptions, exact_shell_line};

/// The usage lines of the command.
const FORMS: &str =
    "lop verify RESULT, lop verify TEST RESULT, or lop verify RESULT -- CMD ARGS…; see lop verify --help";

/// Asks the test about a result and about its deletions, and says on standard output which do not hold.
///
/// # Errors
/// If there is no test, or it cannot run.
pub fn run(args: VerifyArgs, typed: &[OsString]) -> Result<Code, Failure> {
    let (level, output, jobs) = (args.minimal, args.output.clone(), args.jobs);
    // From here on the current directory is that of the reduction, if its journal has the test.
    let output = output.map(path::absolute).transpose().map_err(Failure::Output)?;
    let name = args.words.last().map(|word| word.display().to_string()).unwrap_or_default();
    let audience = args.words.last().map_or(ReadAccess::OWN, |word| ReadAccess::of_file(word));
    let (reduction, source) = match (&args.words[..], &args.test[..]) {
        ([result], []) => {
            let (archive, content) = read(result)?;
            let (reduction, command) = recorded(result, &content)?;
            (reduction, command.unwrap_or(Source::Stored(archive, content)))
        }
        (words, test) => {
            forms(words, test, false, false).map_err(|failure| match failure {
                Failure::Usage { message, .. } => Failure::Usage { message, hint: FORMS.to_owned() },
                other => other,
            })?;
            (given(args), Source::Named)
        }
    };
    let minimal = level.or(reduction.minimal.minimal.filter(|minimal| *minimal != MinimalArg::None));
    let is_recorded = matches!(source, Source::Stored(..));
    let mut settings = Settings::verifying(&only_asking(reduction, minimal, jobs), source)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let mut typed = typed.to_vec();
    if !is_recorded {
        absolute_words::settle(&mut settings, &mut typed)?;
    }
    detect::settle(&mut settings, (!is_recorded).then_some(&typed[..]), &cancel)?;
    let (command, grammar) = (settings.test.oracle.describe(), settings.case.grammar.clone());
    let result = Arc::clone(&settings.case.content);
    let remote = settings.test.oracle.place();
    let (oracle, slots) = (Arc::new(settings.test.oracle), SlotOptions::of_program(result.len()));
    let mut workers = exec::start(oracle, settings.test.jobs, &slots, &cancel)?;
    let report = reduce_shared(Arc::clone(&result), grammar, &mut *workers, &settings.options, &mut Silent, &cancel);
    workers.shutdown();
    let report = match report {
        Err(ReduceError::Cancelled) => return stopped(),
        Err(error) => {
            let (input, test, wanted) = (name.into(), command, settings.test.wanted);
            let (says_nothing, why, kept, typed) = Default::default();
            let unfinished = Unfinished { error, input, test, wanted, says_nothing, why, typed, remote, kept };
            return Err(Failure::Reduce(Box::new(unfinished)));
        }
        Ok(report) => report,
    };
    let mut out = text::stdout();
    let is_smaller = report.best[..] != result[..];
    if is_smaller && let Some(path) = &output {
        let written = disk::create(path, audience, &|| !cancel.is_stopped());
        written.and_then(|mut file| file.write_all(&report.best)).map_err(Failure::Output)?;
    }
    if report.ended != Ended::Complete {
        return stopped();
    }
    let said = if is_smaller {
        let after = output.map_or_else(|| "still interesting".to_owned(), |path| path.display().to_string());
        writeln!(out, "{} is not minimal: a smaller text is interesting, too", text::one_line(&name))
            .and_then(|()| diff::write(&mut out, true, (&name, &result), (&after, &report.best)))
    } else {
        let tests = count(report.tests.total());
        let rate = report.reliability.input;
        let is = rate.map_or_else(|| "is interesting and".to_owned(), |rate| format!("shows the bug in {rate} and is"));
        writeln!(out, "{} {is} 1-minimal by {}: {tests} tests", text::one_line(&name), report.minimal.name())
    };
    said.and_then(|()| out.flush()).or_else(Failure::unless_closed)?;
    Ok(if is_smaller { Code::NotInteresting } else { Code::Reduced })
}

fn stopped() -> Result<Code, Failure> {
    // If standard error is closed, the exit code has to be enough.
    let _ = writeln!(text::stderr(), "stopped before every deletion was tried");
    Ok(Code::StoppedEarly)
}

/// The reduction that the arguments name, whose test is asked.
fn given(args: VerifyArgs) -> ReduceArgs {
    let VerifyArgs { words, test, timeout, conditions, signature, flaky, grammar, confine, .. } = args;
    let (given, timeout) = (Given { words, test }, Timeout { timeout });
    ReduceArgs { given, timeout, conditions, signature, flaky, grammar, confine, ..ReduceArgs::of_defaults() }
}

/// The reduction whose journal is next to a result with this content. If the result is a command, the file holds its line, and
/// the second value is the command as the journal has it. The directory of the reduction becomes the current one.
fn recorded(result: &path::Path, content: &[u8]) -> Result<(ReduceArgs, Option<Source>), Failure> {
    let folder = state_directory(result, &Kept::InPlace);
    let no_test = |message: String| Failure::Usage {
        message,
        hint: "name the test: lop verify TEST RESULT, or lop verify RESULT -- CMD ARGS…".to_owned(),
    };
    let past = Past::read(&journal_file(&folder))
        .map_err(|error| no_test(format!("no test found for {}: {error}", result.display())))?;
    if !state::own_key().is_some_and(|key| past.header.is_marked_with(&key)) {
        let message = "was not written by your lop, or changed since, so lop doesn't run its test";
        return Err(no_test(format!("{} {message}", folder.display())));
    }
    let directory = path::PathBuf::from(state::word(&past.header.directory));
    std::env::set_current_dir(&directory).map_err(|source| Failure::Gone { path: directory, source })?;
    let words = past.header.arguments.iter().map(state::word);
    let parsed = Cli::try_parse_from(words).map_err(|error| {
        let first = error.to_string().lines().next().unwrap_or_default().to_owned();
        no_test(format!("cannot parse the command line in {}: {first}", folder.display()))
    })?;
    if !parsed.reduce.keep.keep_lines.is_empty() {
        return Err(no_test("--keep-lines counted the lines of the input, not of the result".to_owned()));
    }
    let mut reduction = parsed.reduce;
    if reduction.reduce_args.reduce_args {
        // The command that is left is the test.
        let best = past.text(past.steps.len()).map_err(|error| no_test(error.to_string()))?;
        let words = past.case().with(&best).words();
        if reduction.given.words.is_empty() {
            let words = words.unwrap_or_default();
            let line = exact_shell_line(words.iter().map(|(_, word)| word.as_os_str()));
            if line != content.trim_ascii_end() {
                return Err(no_test(format!("{} is not the command at the end of the journal", result.display())));
            }
            return Ok((reduction, Some(Source::Stored(past.archive, best))));
        }
        reduction.given.test = words.into_iter().flatten().map(|(_, word)| word).collect();
        reduction.reduce_args.reduce_args = false;
    }
    Ok((reduction, None))
}

/// Makes the same reduction with only its last stage, which writes nothing.
fn only_asking(reduction: ReduceArgs, minimal: Option<MinimalArg>, jobs: Option<Jobs>) -> ReduceArgs {
    let mut args = reduction.verified();
    args.confine = args.confine.asking_anew();
    args.result.output = Some(piped::DASH.into());
    args.format.format = FormatArg::Own(OwnFormat::None);
    (args.minimal.minimal, args.jobs.jobs) = (minimal, jobs);
    args.passes.only = vec![MINIMALITY.name];
    args.verbosity.quiet = true;
    args
}
