//! `lop doctor`: checks whether a test is reliable.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::thread;

use crate::absolute_words::{self, replace_words};
use crate::beside::side_files;
use crate::doctor_args::DoctorArgs;
use crate::exit_code::Code;
use crate::failure::Failure;
use crate::fix::fixing;
use crate::flaky_args::FlakyArgs;
use crate::incomplete_test::IncompleteTest;
use crate::language::Language;
use crate::settings::{Test, forms, in_words, project, read_case, server_form};
use crate::{piped, signals};
use lop_doctor::{Examination, Facts, Level, TrivialInputs, Trouble, examine, findings, reworded};
use lop_report::text::STRONG;
use lop_report::{self, Kept, text};
use lop_run::exec::Jobs;
use lop_run::oracle::{Cancel, ConditionSpec, Conditions, Oracle, SlotOptions, Subject, Written};

use crate::progress_line::progress_line;

/// The usage lines of the command.
const FORMS: &str = "lop doctor TEST FILE, or lop doctor FILE -- CMD ARGS…; see lop doctor --help";

/// Examines a test and writes the findings to standard output, starting with the signature of a failing command without
/// a condition. `typed` is the command line.
///
/// # Errors
/// When lop cannot run the test at all.
pub fn run(args: DoctorArgs, typed: &[OsString]) -> Result<Code, Failure> {
    let form = match &args.server.server {
        Some(server) => server_form(&args.words, &args.test, server, false),
        None => forms(&args.words, &args.test, false, false).map_err(|failure| match failure {
            Failure::Usage { message, .. } => Failure::Usage { message, hint: FORMS.to_owned() },
            other => other,
        }),
    };
    let (test, paths) = form?;
    let spec = ConditionSpec::from(args.conditions);
    let conditions = Conditions::new(&spec)?;
    let path = paths[0].clone();
    let (subject, content) = read_case(&paths, false)?;
    let side_files = side_files(&args.confine.with, &path, &Kept::InPlace)?;
    let confinement = args.confine.clone().asking_anew().confinement()?;
    let found = Language::find(&args.grammar, &path, &content)?;
    let grammar = found.grammar(None)?;
    let language = match &subject {
        Subject::File(_) => found.choice.sentence(grammar.as_ref().map(|grammar| grammar.name()), &path),
        Subject::Directory(..) | Subject::Files(..) => "each file has its own".to_owned(),
    };
    let path = piped::name(path, grammar.as_deref());
    let is_file = matches!(subject, Subject::File(_));
    let archive = subject.archive().cloned();
    let subject = if is_file { Subject::File(path.clone()) } else { subject };
    let fix = args.confine.fix.as_deref();
    let fix =
        fix.map(|line| fixing(line, (&subject, &path), args.timeout, &confinement, side_files.clone())).transpose()?;
    let oracle =
        test.oracle(&path, subject, conditions.clone())?.confined(confinement.clone())?.with_belongings(side_files)?;
    let oracle = if let Some((fix, _)) = fix { oracle.with_fix(fix) } else { oracle };
    let oracle = match args.service.service()? {
        Some(service) => oracle.with_service(service),
        None => oracle,
    };
    let files = archive.map(|archive| project(&args.grammar, None, archive, &content)).transpose()?;
    let files = files.map(|files| files.with_named(&oracle.named_paths()));
    let trivial_inputs = TrivialInputs::new(grammar.as_deref(), files.as_ref());
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let slots = SlotOptions::of_program(content.len());
    let stopped = || {
        // If standard error is closed, the exit code has to be enough.
        let _ = writeln!(text::stderr(), "{}", Trouble::Cancelled);
        Ok(Code::StoppedEarly)
    };
    // First make paths in the command absolute, so that they mean the same in a test's directory.
    let changes =
        if test.command_words().is_empty() { Vec::new() } else { absolute_words::changes(&test.words(), &path) };
    let (test, typed, oracle) = match &changes[..] {
        [] => (test, typed.to_vec(), oracle),
        changes => {
            let words = reworded(&test.words(), changes);
            let typed = replace_words(typed, test.words().len(), &words);
            let oracle = oracle.reworded(&words)?;
            (Test::Command(words), typed, oracle)
        }
    };
    let mut open = IncompleteTest {
        path: &path,
        content: &content,
        may_fail: !args.test.is_empty(),
        sought: &args.signature,
        confinement: &confinement,
        deadline: args.timeout,
        flaky: FlakyArgs::usual(),
        allow_empty: false,
        trivial_inputs: &trivial_inputs,
        spec,
        oracle,
    };
    let oracle_line = open.oracle.describe();
    let mut out = text::stdout();
    // Write it before the first run, which can take time.
    writeln!(out, "{STRONG}language{STRONG:#}  {}", text::one_line(&language))
        .and_then(|()| out.flush())
        .or_else(Failure::unless_closed)?;
    let special = match open.find(&cancel) {
        Err(Failure::Missing { missing, .. }) => {
            drop(out);
            let facts = Facts { missing: Some(missing), ..Facts::default() };
            return tell(&oracle_line, &facts);
        }
        special => special?,
    };
    special.show(&mut out, &open, &typed).and_then(|()| out.flush()).or_else(Failure::unless_closed)?;
    drop(out);
    open.accompany(&cancel)?;
    let (spec, oracle) = (open.spec.clone(), open.oracle.clone());
    let wanted = match (&test, spec.has_conditions()) {
        (Test::Command(_), false) => "a specific failure, or exit code 0".to_owned(),
        _ => in_words(&spec),
    };
    let examination = Examination {
        oracle: &oracle,
        words: &test.words(),
        path: &path,
        content: &content,
        trivial_inputs: &trivial_inputs,
        wanted: &wanted,
        jobs: match args.confine.jobs(args.jobs) {
            Some(Jobs::Exactly(jobs)) => jobs,
            _ => thread::available_parallelism().map_or(1, usize::from),
        },
        deadline: args.timeout,
        slots: slots.clone(),
        null: Path::new(NULL),
    };
    let line = progress_line();
    let examined = examine(&examination, &cancel, &mut |what| {
        line.set_message(text::one_line(what));
        line.tick();
    });
    line.finish_and_clear();
    let mut facts = match examined {
        Ok(facts) => facts,
        Err(Trouble::Slot(error)) => return Err(Failure::Workers(error.into())),
        Err(Trouble::Cancelled) => return stopped(),
    };
    let refusal = facts.input.first().filter(|run| run.verdict.is_some() && !run.is_interesting());
    if let Some(run) = refusal {
        let written = Written { stdout: run.stdout_tail.clone(), stderr: run.stderr_tail.clone() };
        facts.missing = open.missing(&written, &cancel)?;
    }
    facts.reworded = changes;
    tell(&oracle_line, &facts)
}

/// Writes the meaning of the facts.
fn tell(test: &str, facts: &Facts) -> Result<Code, Failure> {
    let findings = findings(facts);
    let mut out = text::stdout();
    lop_report::findings::write(&mut out, test, &findings, facts.runs())
        .and_then(|()| out.flush())
        .or_else(Failure::unless_closed)?;
    let worst = findings.iter().map(|finding| finding.level).max();
    Ok(if worst == Some(Level::Fault) { Code::NotInteresting } else { Code::Reduced })
}

/// The device that every test relies on.
pub(super) const NULL: &str = "/dev/null";
