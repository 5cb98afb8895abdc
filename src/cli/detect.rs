//! No test script: the command is run on the test case, and what makes that run special becomes the condition. Second
//! commands are seen on the test case here, too.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use crate::grammar::Guard;
use crate::oracle::{
    Cancel, CommandError, CommandOracle, Companion, ConditionSpec, Conditions, Confinement, Exit, Guarded, Outcome,
    Seen, Signature, Slot, SlotOptions, Table, Written, shell_line,
};
use crate::reduce::BASELINE_DEADLINE;
use crate::report::Verbosity;
use crate::report::text::{self, HINT, STRONG};

use super::failure::Failure;
use super::home;
use super::settings::{Settings, in_words};
use super::signature_args::SignatureArgs;

/// The ways to say by oneself what is interesting.
const BY_HAND: &str = "say what is interesting with --stderr RE, --stdout RE, --signal NAME or --exit-code N";

/// Finds what the settings leave open: the conditions, where none were given and the command fails on the test case, and
/// what second commands do on it. `typed` are the words
/// of the command line when a run begins; in one that is gone on with nothing is said or asked.
///
/// # Errors
/// When there is no crash that was insisted on, a second command cannot be run, or the user says no.
pub(crate) fn settle(settings: &mut Settings, typed: Option<&[OsString]>, cancel: &Cancel) -> Result<(), Failure> {
    let mut open = Open {
        path: &settings.path,
        content: &settings.content,
        may_fail: settings.is_command,
        sought: &settings.sought,
        confinement: &settings.confinement,
        deadline: settings.options.deadline,
        allow_empty: settings.options.allow_empty,
        spec: settings.spec.clone(),
        oracle: settings.oracle.clone(),
    };
    let special = open.find(cancel);
    not_stopped(open.path, cancel)?;
    let special = special?;
    if let Some(typed) = typed.filter(|_| settings.verbosity > Verbosity::Quiet) {
        // Nobody listens: that is no reason to fail.
        let _ = special.show(&mut text::stderr(), &open, typed);
        if let Special::Found(..) = special {
            ask(settings.sought.yes)?;
        }
    }
    if typed.is_some() {
        home::check_seconds(&open, cancel)?;
    }
    let accompanied = open.accompany(cancel);
    not_stopped(open.path, cancel)?;
    accompanied?;
    let Open { spec, oracle, .. } = open;
    settings.wanted = in_words(&spec);
    (settings.spec, settings.oracle, settings.found) = (spec, oracle, special.option());
    Ok(())
}

/// A run that was stopped says nothing.
fn not_stopped(path: &Path, cancel: &Cancel) -> Result<(), Failure> {
    let out_of_time = cancel.has_expired();
    if cancel.is_stopped() { Err(Failure::Stopped { path: path.to_owned(), out_of_time }) } else { Ok(()) }
}

/// A test about which something is left open.
pub(crate) struct Open<'a> {
    /// The test case, as the user named it.
    pub(crate) path: &'a Path,
    /// Its content.
    pub(crate) content: &'a [u8],
    /// Whether a failure may be what is interesting. A script says by its exit code what it means.
    pub(crate) may_fail: bool,
    /// What is to be found out, and what else must hold.
    pub(crate) sought: &'a SignatureArgs,
    /// How much of the machine a command gets.
    pub(crate) confinement: &'a Confinement,
    /// The deadline of a run, if one was given.
    pub(crate) deadline: Option<Duration>,
    /// Whether a failure may be kept that the empty file shows as well.
    pub(crate) allow_empty: bool,
    /// The conditions, those that are found among them.
    pub(crate) spec: ConditionSpec,
    /// The test, which gets the conditions and the second commands.
    pub(crate) oracle: CommandOracle,
}

/// What is special about a command on the test case.
pub(crate) enum Special {
    /// There is nothing to find, or nothing that fails.
    Nothing,
    /// It fails with no sign that could be kept.
    Vague(Exit),
    /// This, which is a condition now.
    Found(Box<Signature>, Exit),
}

/// Where commands are run.
struct Place<'a> {
    slot: Slot,
    deadline: Duration,
    cancel: &'a Cancel,
}

impl Place<'_> {
    fn run(&mut self, oracle: &CommandOracle, candidate: &[u8]) -> (Outcome, Written) {
        oracle.observe(candidate, &mut self.slot, self.deadline, self.cancel)
    }
}

impl Open<'_> {
    fn place<'c>(&self, cancel: &'c Cancel) -> Result<Place<'c>, Failure> {
        let options = SlotOptions { directory: None, candidate_len: self.content.len(), owns_process: true };
        let slot = Slot::new(&options).map_err(|error| Failure::Workers(error.into()))?;
        Ok(Place { slot, deadline: self.deadline.unwrap_or(BASELINE_DEADLINE), cancel })
    }

    /// Where there is no condition, runs the command at most three times and makes its signature the condition.
    ///
    /// # Errors
    /// When there is no crash that was insisted on, or a condition beside it.
    pub(crate) fn find(&mut self, cancel: &Cancel) -> Result<Special, Failure> {
        let (insists, has_none) = (self.sought.crash, !self.spec.has_conditions());
        if insists && !has_none {
            return Err(Failure::Usage {
                message: "--crash finds the condition by itself, and there is one already".to_owned(),
                hint: "leave --crash out, or the condition".to_owned(),
            });
        }
        // An empty file has nothing that could be special.
        if !has_none || self.content.is_empty() || !(insists || self.may_fail) {
            return Ok(Special::Nothing);
        }
        let mut place = self.place(cancel)?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (first, written) = place.run(&self.oracle, self.content);
        let seen = Seen {
            exit: first.exit,
            stdout: &written.stdout,
            stderr: &written.stderr,
            input: self.content,
            name: &name,
        };
        let mut signatures = Table::default().signatures(&seen);
        signatures.retain(|signature| signature.crash || !insists);
        // The baseline says what is the matter with a run that gave no answer.
        if signatures.is_empty() {
            return match (insists, first.verdict) {
                (true, Some(_)) => Err(no_crash(self.path, first.exit)),
                _ => Ok(Special::Nothing),
            };
        }
        let again = place.run(&self.oracle, self.content);
        signatures.retain(|signature| is_shown(signature, &again));
        let empty = place.run(&self.oracle, b"");
        // What the empty file shows as well says nothing about this one.
        let of_the_input = |signature: &&Signature| !is_shown(signature, &empty);
        let chosen = signatures.iter().find(of_the_input);
        let chosen = chosen.or_else(|| signatures.first().filter(|_| self.allow_empty)).cloned();
        let Some(signature) = chosen else { return Ok(Special::Vague(first.exit)) };
        signature.mark.add_to(&mut self.spec);
        self.oracle = self.oracle.clone().with_conditions(Conditions::new(&self.spec)?);
        Ok(Special::Found(Box::new(signature), first.exit))
    }

    /// Sees what the second commands do on the test case, and gives them to the test.
    ///
    /// # Errors
    /// When one cannot be run, or gives no answer.
    pub(crate) fn accompany(&mut self, cancel: &Cancel) -> Result<(), Failure> {
        if self.sought.while_passing.is_empty() && self.sought.guard.is_none() {
            return Ok(());
        }
        let companions = companions(self, &mut self.place(cancel)?)?;
        self.oracle = self.oracle.clone().with_companions(companions);
        Ok(())
    }
}

fn is_shown(signature: &Signature, (outcome, written): &(Outcome, Written)) -> bool {
    signature.mark.is_shown_by(outcome.exit, &written.stdout, &written.stderr)
}

fn no_crash(path: &Path, exit: Exit) -> Failure {
    Failure::NoCrash {
        path: path.to_owned(),
        exit,
        hint: format!("without --crash any failure of the command is kept; or {BY_HAND}"),
    }
}

impl Special {
    /// The option that says the same, and its value.
    pub(crate) fn option(&self) -> Option<(&'static str, String)> {
        if let Special::Found(signature, _) = self { Some(signature.mark.option()) } else { None }
    }

    /// Says what was found, and the command line that says so; or what to do where nothing could be found.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn show(&self, out: &mut dyn Write, open: &Open<'_>, typed: &[OsString]) -> io::Result<()> {
        let (signature, exit) = match self {
            Special::Nothing => return Ok(()),
            Special::Vague(exit) => {
                let name = text::path(open.path);
                return writeln!(
                    out,
                    "{HINT}hint:{HINT:#} the command ends with {exit} on {name}, on the empty file as well or not each \
                     time: {BY_HAND}"
                );
            }
            Special::Found(signature, exit) => (signature, exit),
        };
        let line = with_condition(typed.to_vec(), self.option().as_ref());
        let line = shell_line(line.iter().map(OsString::as_os_str));
        writeln!(out, "no condition was given: what the command does on {} is kept", text::path(open.path))?;
        writeln!(out, "  {STRONG}ended{STRONG:#}     {exit}")?;
        writeln!(out, "  {STRONG}kind{STRONG:#}      {}", text::one_line(&signature.kind.to_string()))?;
        writeln!(out, "  {STRONG}signature{STRONG:#} {}", text::one_line(&in_words(&open.spec)))?;
        // A script in quotes may have several lines, and is to be pasted.
        writeln!(out, "  {STRONG}the same{STRONG:#}  {}", text::shown(line.as_bytes()))
    }
}

/// The command line that was typed, with the condition that was found in it.
pub(crate) fn with_condition(typed: Vec<OsString>, found: Option<&(&'static str, String)>) -> Vec<OsString> {
    let Some((option, value)) = found else { return typed };
    let mut words: Vec<OsString> = vec!["lop".into()];
    let mut rest = typed.into_iter().skip(1).peekable();
    while let Some(word) = rest.next_if(|word| word != "--") {
        if !["--crash", "--yes", "-y"].contains(&word.to_str().unwrap_or_default()) {
            words.push(word);
        }
    }
    words.extend([OsString::from(option), value.into()]);
    words.extend(rest);
    words
}

/// Asks once whether to go on, where somebody is there to answer.
fn ask(yes: bool) -> Result<(), Failure> {
    if yes || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(());
    }
    let mut answer = String::new();
    let asked = write!(text::stderr(), "reduce on this? [Y/n] ").and_then(|()| io::stdin().read_line(&mut answer));
    let no = answer.trim_start().to_lowercase().starts_with('n');
    // The end of the input is no answer, but somebody was there to send it.
    if no || matches!(asked, Ok(0)) {
        return Err(Failure::Usage {
            message: "not reduced; nothing was changed".to_owned(),
            hint: BY_HAND.to_owned(),
        });
    }
    Ok(())
}

/// What must hold besides: each second command as it ran on the test case.
fn companions(open: &Open<'_>, place: &mut Place<'_>) -> Result<Vec<Companion>, Failure> {
    let mut companions = Vec::new();
    for line in &open.sought.while_passing {
        let oracle = second(open, &second_words(line)?)?;
        let (outcome, _) = place.run(&oracle, open.content);
        match outcome.exit {
            Exit::Code(_) | Exit::Signal(_) => {}
            other => {
                return Err(Failure::Usage {
                    message: format!("`{line}` of --while-passing gives no answer on the input: {other}"),
                    hint: "give it more time with --timeout SECS, or another command".to_owned(),
                });
            }
        }
        companions.push(Companion::ending(oracle, outcome.exit));
    }
    if let Some(language) = &open.sought.guard {
        companions.push(guard(open, language, place)?);
    }
    Ok(companions)
}

/// The words of a second command.
pub(crate) fn second_words(line: &str) -> Result<Vec<OsString>, Failure> {
    let words = shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(|| Failure::Usage {
        message: format!("`{line}` of --while-passing is not a command"),
        hint: "close its quotes; for pipes write --while-passing 'sh -c \"…\"'".to_owned(),
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

fn guard(open: &Open<'_>, language: &str, place: &mut Place<'_>) -> Result<Companion, Failure> {
    let guard = Guard::of(language).ok_or_else(|| Failure::Usage {
        message: format!("there is no guard for `{language}`"),
        hint: format!("there is one for: {}", Guard::languages().join(", ")),
    })?;
    let mut found = Err(CommandError::NoCommand);
    for command in &guard.commands {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        found = second_command(open, &words);
        if !matches!(found, Err(CommandError::NotInPath { .. })) {
            break;
        }
    }
    let oracle = beside(open, found?)?;
    let (outcome, written) = place.run(&oracle, open.content);
    let warnings = Guarded::new(&guard.warnings)?;
    Ok(Companion::guard(oracle, warnings, outcome.exit, &written))
}

pub(crate) fn second(open: &Open<'_>, words: &[OsString]) -> Result<CommandOracle, Failure> {
    beside(open, second_command(open, words)?)
}

/// A second command has as much of the machine, and the same beside the candidate, as the test.
fn beside(open: &Open<'_>, oracle: CommandOracle) -> Result<CommandOracle, Failure> {
    Ok(oracle.confined(open.confinement.clone())?.with_belongings(open.oracle.belongings().to_vec())?)
}

fn second_command(open: &Open<'_>, words: &[OsString]) -> Result<CommandOracle, CommandError> {
    let conditions = Conditions::new(&ConditionSpec::default()).expect("the default has nothing that could be wrong");
    CommandOracle::command(words, open.path, conditions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(|word| OsString::from(*word)).collect()
    }

    #[test]
    fn the_explicit_line_is_the_typed_one_with_the_condition() {
        let typed = words(&["/bin/lop", "a.x", "--crash", "-y", "-q", "--", "cc", "--crash", "@@"]);
        let explicit = |typed, option, value: &str| {
            let words = with_condition(typed, Some(&(option, value.to_owned())));
            shell_line(words.iter().map(OsString::as_os_str))
        };
        assert_eq!(explicit(typed, "--signal", "SEGV"), "lop a.x -q --signal SEGV -- cc --crash @@");
        let script = words(&["lop", "--crash", "./t.sh", "a.x"]);
        assert_eq!(explicit(script, "--stderr", "a b"), "lop ./t.sh a.x --stderr 'a b'");
    }
}
