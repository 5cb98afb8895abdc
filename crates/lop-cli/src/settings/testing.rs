//! The interestingness test: the command, the conditions on its runs, and its share of the machine.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::options::ReduceArgs;
use crate::signature_args::SignatureArgs;
use lop_doctor::CheckupLevel;
use lop_run::exec::Jobs;
use lop_run::oracle::{CommandOracle, ConditionSpec, Conditions, Confinement, Subject};

use super::case::Case;
use super::forms::Test;

/// The interestingness test.
#[derive(Debug)]
pub struct Testing {
    /// The test itself.
    pub oracle: CommandOracle,
    /// The words of the test as they were typed.
    pub words: Vec<OsString>,
    /// Whether the test is a command after `--`, and not a script whose exit code is its answer.
    pub is_command: bool,
    /// The conditions as they were given.
    pub spec: ConditionSpec,
    /// The conditions on an interesting run, in words.
    pub wanted: String,
    /// The options and values of the condition that was found, if none was given.
    pub found: Vec<(&'static str, String)>,
    /// The path of the file that a generator makes of the test case, if there is one.
    pub made: Option<PathBuf>,
    /// The signature to find, and second commands that must hold.
    pub sought: SignatureArgs,
    /// The confinement of a test.
    pub confinement: Confinement,
    /// The extent of the checkup at the start.
    pub checkup: CheckupLevel,
    /// Number of parallel tests; `None` means one per core.
    pub jobs: Option<Jobs>,
}

impl Testing {
    /// The `test` of candidates of this case, with the conditions that were typed.
    ///
    /// # Errors
    /// A program that cannot be run, a confinement that the system lacks.
    pub(super) fn of(args: &ReduceArgs, test: &Test, case: &Case, conditions: Conditions) -> Result<Self, Failure> {
        let spec = spec(args);
        let confinement = args.confine.confinement()?;
        let here = [("--server", args.server.server.is_some()), ("--setup", args.service.setup.is_some())];
        if let Some((option, _)) = here.iter().find(|(_, is_given)| *is_given && confinement.remote.is_some()) {
            return Err(Failure::Usage {
                message: format!("{option} starts a process on this machine, and the tests run on another one"),
                hint: format!("omit {option}, or the options of the other machine"),
            });
        }
        let made = args.generator.made(args.result.output.as_deref().unwrap_or(&case.path));
        let subject = made.clone().map_or_else(|| case.subject.clone(), Subject::File);
        let oracle = test.oracle(&case.path, subject, conditions)?.confined(confinement.clone())?;
        Ok(Testing {
            oracle: if args.reduce_args.reduce_args { oracle.reducing_arguments() } else { oracle },
            words: test.words(),
            is_command: matches!(test, Test::Command(_)),
            found: Vec::new(),
            wanted: in_words(&spec),
            spec,
            made,
            sought: args.signature.clone(),
            confinement,
            // A quiet run wouldn't print any finding.
            checkup: match (
                args.no_checkup.no_checkup || (args.verbosity.quiet && args.json.json.is_none()),
                args.allows_empty(),
            ) {
                (true, _) => CheckupLevel::Nothing,
                (_, true) => CheckupLevel::Directory,
                _ => CheckupLevel::All,
            },
            jobs: args.confine.jobs(args.jobs.jobs),
        })
    }
}

/// The conditions that were typed.
pub(super) fn spec(args: &ReduceArgs) -> ConditionSpec {
    ConditionSpec { also_interesting: args.also.also_interesting.clone(), ..args.conditions.clone().into() }
}

/// The conditions as a sentence, for the message that they do not hold.
pub(crate) fn in_words(spec: &ConditionSpec) -> String {
    let quoted = |patterns: &[String]| patterns.iter().map(|pattern| format!("/{pattern}/")).collect::<Vec<_>>();
    let one_of = |what: &str, values: &[String]| {
        if values.is_empty() { None } else { Some(format!("{what} {}", values.join(" or "))) }
    };
    let none_of = |what: &str, values: &[String]| match values {
        [] => None,
        [only] => Some(format!("{what} not matching {only}")),
        several => Some(format!("{what} matching neither {}", several.join(" nor "))),
    };
    let codes: Vec<String> = spec.exit_codes.iter().map(i32::to_string).collect();
    let other: Vec<String> = spec.not_exit_codes.iter().map(i32::to_string).collect();
    let other = one_of("an exit code other than", &other);
    let endings = [one_of("exit code", &codes), one_of("killed by signal", &spec.signals)];
    let each = ", and ";
    let endings = endings.into_iter().flatten().collect::<Vec<_>>().join(each);
    let (ending, separator) = match (endings.is_empty(), spec.timeout_is_interesting) {
        (true, true) => (Some("a timeout".to_owned()), each),
        (true, false) => (None, each),
        (false, false) => (Some(endings), each),
        // Conditions on the output apply to both.
        (false, true) => (Some(format!("{endings}, or a timeout")), "; and "),
    };
    let outputs = [
        one_of("stdout matching", &quoted(&spec.stdout)),
        one_of("stderr matching", &quoted(&spec.stderr)),
        one_of("text at the reported position matching", &quoted(&spec.at)),
    ];
    let unwanted = [
        other,
        none_of("stdout", &quoted(&spec.not_stdout)),
        none_of("stderr", &quoted(&spec.not_stderr)),
        one_of("no error message but", &quoted(&spec.only_errors)),
    ];
    let outputs: Vec<String> = outputs.into_iter().flatten().collect();
    let wanted: Vec<String> = ending.into_iter().chain((!outputs.is_empty()).then(|| outputs.join(each))).collect();
    let wanted = (!wanted.is_empty()).then(|| wanted.join(separator));
    let all: Vec<String> = wanted.into_iter().chain(unwanted.into_iter().flatten()).collect();
    if all.is_empty() { "exit code 0".to_owned() } else { all.join(", and ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_like_a_sentence() {
        assert_eq!(in_words(&ConditionSpec::default()), "exit code 0");
        let spec = ConditionSpec {
            exit_codes: vec![1, 2],
            stderr: vec!["oops".into()],
            timeout_is_interesting: true,
            ..ConditionSpec::default()
        };
        assert_eq!(in_words(&spec), "exit code 1 or 2, or a timeout; and stderr matching /oops/");
        let spec = ConditionSpec { exit_codes: vec![3], timeout_is_interesting: true, ..ConditionSpec::default() };
        assert_eq!(in_words(&spec), "exit code 3, or a timeout");
        let spec = ConditionSpec {
            signals: vec!["SEGV".into()],
            not_stdout: vec!["a".into(), "b".into()],
            not_stderr: vec!["z".into()],
            ..ConditionSpec::default()
        };
        assert_eq!(
            in_words(&spec),
            "killed by signal SEGV, and stdout matching neither /a/ nor /b/, and stderr not matching /z/"
        );
    }
}
