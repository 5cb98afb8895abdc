//! `lop doctor`: whether a test can be relied on, from what was typed to the findings.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::thread;

use crate::cli::args::Jobs;
use crate::cli::detect::Open;
use crate::cli::doctor_args::DoctorArgs;
use crate::cli::exit_code::Code;
use crate::cli::failure::Failure;
use crate::cli::settings::{forms, in_words, read_case};
use crate::cli::{piped, signals};
use crate::doctor::{Level, Patient, Trouble, examine, findings};
use crate::grammar::{AUTO, Registry};
use crate::oracle::{Cancel, ConditionSpec, Conditions, Confinement, Oracle, SlotOptions};
use crate::report::text::STRONG;
use crate::report::{self, text};

use super::compare::live_line;

/// How it is called.
const FORMS: &str = "lop doctor TEST FILE, or lop doctor FILE -- CMD ARGS…; see lop doctor --help";

/// Examines the test that the arguments name, and says what was found on standard output; first what is special about a
/// command that fails, where no condition is given. `typed` are the words of the command line.
///
/// # Errors
/// Whatever keeps lop from running the test at all.
pub fn run(args: DoctorArgs, typed: &[OsString]) -> Result<Code, Failure> {
    let (test, path) = forms(&args.words, &args.test).map_err(|failure| match failure {
        Failure::Usage { message, .. } => Failure::Usage { message, hint: FORMS.to_owned() },
        other => other,
    })?;
    let spec = ConditionSpec::from(args.conditions);
    let conditions = Conditions::new(&spec)?;
    let content = read_case(&path)?;
    let confinement = Confinement::try_from(args.confine)?;
    let (grammar, choice) = Registry::embedded()?.choose(AUTO, &path, &content)?;
    let language = choice.sentence(grammar.as_ref().map(|grammar| grammar.name()), &path);
    let path = piped::name(path, grammar.as_deref());
    let (oracle, relative) = test.oracle(&path, conditions.clone())?;
    let (grammar, _) = Registry::embedded()?.choose(AUTO, &path, &content)?;
    let empty_texts = grammar.as_ref().map(|grammar| grammar.empty_texts()).unwrap_or_default();
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let mut open = Open {
        path: &path,
        content: &content,
        may_fail: !args.test.is_empty() && relative.is_empty(),
        sought: &args.signature,
        confinement: &confinement,
        deadline: args.timeout,
        allow_empty: false,
        empty_texts,
        spec,
        oracle: oracle.confined(confinement.clone())?,
    };
    let mut out = text::stdout();
    // It stands there before the first run, which may take its time.
    writeln!(out, "{STRONG}language{STRONG:#}  {}", text::one_line(&language))
        .and_then(|()| out.flush())
        .or_else(Failure::unless_closed)?;
    let special = open.find(&cancel)?;
    special.show(&mut out, &open, typed).and_then(|()| out.flush()).or_else(Failure::unless_closed)?;
    drop(out);
    open.accompany(&cancel)?;
    let Open { spec, oracle, .. } = open;
    let other = other_name(&path);
    let renamed = test.oracle(Path::new(&other), Conditions::new(&spec)?)?.0.confined(confinement)?;
    let wanted = in_words(&spec);
    let patient = Patient {
        oracle: &oracle,
        renamed: Some((other, &renamed)),
        words: &test.words(),
        path: &path,
        content: &content,
        empty_texts,
        wanted: &wanted,
        jobs: match args.jobs {
            Some(Jobs::Exactly(jobs)) => jobs,
            _ => thread::available_parallelism().map_or(1, usize::from),
        },
        deadline: args.timeout,
        slots: SlotOptions { directory: None, candidate_len: content.len(), owns_process: true },
        null: Path::new(NULL),
    };
    let line = live_line();
    let examined = examine(&patient, &cancel, &mut |what| {
        line.set_message(what.to_owned());
        line.tick();
    });
    line.finish_and_clear();
    let facts = match examined {
        Ok(facts) => facts,
        Err(Trouble::Slot(error)) => return Err(Failure::Workers(error.into())),
        Err(error @ Trouble::Cancelled) => {
            // Nobody listens: the exit code says it, too.
            let _ = writeln!(text::stderr(), "{error}");
            return Ok(Code::StoppedEarly);
        }
    };
    let findings = findings(&facts);
    let mut out = text::stdout();
    report::findings::write(&mut out, &oracle.describe(), &findings, facts.runs())
        .and_then(|()| out.flush())
        .or_else(Failure::unless_closed)?;
    let worst = findings.iter().map(|finding| finding.level).max();
    Ok(if worst == Some(Level::Fault) { Code::NotInteresting } else { Code::Reduced })
}

/// What every test relies on.
pub(super) const NULL: &str = "/dev/null";

/// Another name for the candidate, with the same extension.
fn other_name(path: &Path) -> OsString {
    let stem = if path.file_stem().is_some_and(|stem| stem == "renamed") { "another" } else { "renamed" };
    path.extension().map_or_else(|| stem.into(), |extension| Path::new(stem).with_extension(extension).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_keeps_the_extension() {
        for (path, other) in [("a/b.x", "renamed.x"), ("b", "renamed"), ("renamed.x", "another.x"), (".x", "renamed")] {
            assert_eq!(other_name(Path::new(path)), *other, "{path}");
        }
    }
}
