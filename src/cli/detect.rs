//! No test script: the command is run on the test case, and what makes that run special becomes the condition. Second
//! commands are seen on the test case here, too.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crate::grammar::Guard;
use crate::oracle::{
    Cancel, CommandError, CommandOracle, Companion, ConditionSpec, Conditions, Exit, Guarded, Outcome, Seen, Signature,
    Slot, SlotOptions, Table, Written, shell_line,
};
use crate::reduce::BASELINE_DEADLINE;
use crate::report::Verbosity;
use crate::report::text::{HINT, STRONG};

use super::failure::Failure;
use super::settings::{Settings, in_words};

/// The ways to say by oneself what is interesting.
const BY_HAND: &str = "say what is interesting with --stderr RE, --stdout RE, --signal NAME or --exit-code N";

/// Finds what the settings leave open: the conditions, where none were given and the command fails on the test case, and
/// what second commands do on it. `typed` are the words
/// of the command line when a run begins; in one that is gone on with nothing is said or asked.
///
/// # Errors
/// When there is no crash that was insisted on, a second command cannot be run, or the user says no.
pub(crate) fn settle(settings: &mut Settings, typed: Option<&[OsString]>, cancel: &Cancel) -> Result<(), Failure> {
    let sought = &settings.sought;
    let open = !settings.spec.has_conditions();
    if sought.crash && !open {
        return Err(Failure::Usage {
            message: "--crash finds the condition by itself, and there is one already".to_owned(),
            hint: "leave --crash out, or the condition".to_owned(),
        });
    }
    // A script says by its exit code what it means; a file that was not found is no bug.
    // An empty file has nothing that could be special.
    let finds =
        open && !settings.content.is_empty() && (sought.crash || settings.is_command && settings.relative.is_empty());
    if !finds && sought.while_passing.is_empty() && sought.guard.is_none() {
        return Ok(());
    }
    let options = SlotOptions { directory: None, candidate_len: settings.content.len(), owns_process: true };
    let slot = Slot::new(&options).map_err(|error| Failure::Workers(error.into()))?;
    let deadline = settings.options.deadline.unwrap_or(BASELINE_DEADLINE);
    let mut place = Place { slot, deadline, cancel };
    if finds {
        find(settings, typed, &mut place)?;
    }
    let companions = companions(settings, &mut place)?;
    settings.oracle = settings.oracle.clone().with_companions(companions);
    Ok(())
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

/// Runs the command at most three times, and makes its signature the condition.
fn find(settings: &mut Settings, typed: Option<&[OsString]>, place: &mut Place<'_>) -> Result<(), Failure> {
    let name = settings.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (first, written) = place.run(&settings.oracle, &settings.content);
    let seen = Seen {
        exit: first.exit,
        stdout: &written.stdout,
        stderr: &written.stderr,
        input: &settings.content,
        name: &name,
    };
    let mut signatures = Table::default().signatures(&seen);
    signatures.retain(|signature| signature.crash || !settings.sought.crash);
    // The baseline says what is the matter with a run that gave no answer.
    if signatures.is_empty() {
        return match (settings.sought.crash, first.verdict) {
            (true, Some(_)) => Err(no_crash(settings, first.exit)),
            _ => Ok(()),
        };
    }
    let again = place.run(&settings.oracle, &settings.content);
    signatures.retain(|signature| is_shown(signature, &again));
    let empty = place.run(&settings.oracle, b"");
    // What the empty file shows as well says nothing about this one.
    let of_the_input = |signature: &&Signature| !is_shown(signature, &empty);
    let chosen = signatures.iter().find(of_the_input);
    let chosen = chosen.or_else(|| signatures.first().filter(|_| settings.options.allow_empty)).cloned();
    let quiet = settings.verbosity == Verbosity::Quiet || typed.is_none();
    let Some(signature) = chosen else {
        if !quiet {
            let _ = writeln!(
                anstream::stderr(),
                "{HINT}hint:{HINT:#} the command ends with {} on {name}, on the empty file as well or not each time: {BY_HAND}",
                first.exit
            );
        }
        return Ok(());
    };
    let (option, value) = signature.mark.option();
    settings.found = Some((option, value));
    signature.mark.add_to(&mut settings.spec);
    settings.oracle = settings.oracle.clone().with_conditions(Conditions::new(&settings.spec)?);
    settings.wanted = in_words(&settings.spec);
    if !quiet {
        // Nobody listens: that is no reason to fail.
        let _ = show(&mut anstream::stderr().lock(), &signature, first.exit, settings, typed.unwrap_or_default());
        return ask(settings.sought.yes);
    }
    Ok(())
}

fn is_shown(signature: &Signature, (outcome, written): &(Outcome, Written)) -> bool {
    signature.mark.is_shown_by(outcome.exit, &written.stdout, &written.stderr)
}

fn no_crash(settings: &Settings, exit: Exit) -> Failure {
    Failure::NoCrash {
        path: settings.path.clone(),
        exit,
        hint: format!("without --crash any failure of the command is kept; or {BY_HAND}"),
    }
}

fn show(
    out: &mut dyn Write,
    signature: &Signature,
    exit: Exit,
    settings: &Settings,
    typed: &[OsString],
) -> io::Result<()> {
    let line = with_condition(typed.to_vec(), settings.found.as_ref());
    let line = shell_line(line.iter().map(OsString::as_os_str));
    writeln!(out, "no condition was given: what the command does on {} is kept", settings.path.display())?;
    writeln!(out, "  {STRONG}ended{STRONG:#}     {exit}")?;
    writeln!(out, "  {STRONG}kind{STRONG:#}      {}", signature.kind)?;
    writeln!(out, "  {STRONG}signature{STRONG:#} {}", settings.wanted)?;
    writeln!(out, "  {STRONG}the same{STRONG:#}  {line}")
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
    let asked = write!(anstream::stderr(), "reduce on this? [Y/n] ").and_then(|()| io::stdin().read_line(&mut answer));
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
fn companions(settings: &Settings, place: &mut Place<'_>) -> Result<Vec<Companion>, Failure> {
    let mut companions = Vec::new();
    for line in &settings.sought.while_passing {
        let words = shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(|| Failure::Usage {
            message: format!("`{line}` of --while-passing is not a command"),
            hint: "close its quotes; for pipes write --while-passing 'sh -c \"…\"'".to_owned(),
        })?;
        let oracle = second(settings, &words)?;
        let (outcome, _) = place.run(&oracle, &settings.content);
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
    if let Some(language) = &settings.sought.guard {
        companions.push(guard(settings, language, place)?);
    }
    Ok(companions)
}

fn guard(settings: &Settings, language: &str, place: &mut Place<'_>) -> Result<Companion, Failure> {
    let guard = Guard::of(language).ok_or_else(|| Failure::Usage {
        message: format!("there is no guard for `{language}`"),
        hint: format!("there is one for: {}", Guard::languages().join(", ")),
    })?;
    let mut found = Err(CommandError::NoCommand);
    for command in &guard.commands {
        found = second_command(settings, command);
        if !matches!(found, Err(CommandError::NotInPath { .. })) {
            break;
        }
    }
    let oracle = found?.confined(settings.confinement.clone())?;
    let (outcome, written) = place.run(&oracle, &settings.content);
    let warnings = Guarded::new(&guard.warnings)?;
    Ok(Companion::guard(oracle, warnings, outcome.exit, &written))
}

fn second(settings: &Settings, words: &[String]) -> Result<CommandOracle, Failure> {
    Ok(second_command(settings, words)?.confined(settings.confinement.clone())?)
}

fn second_command(settings: &Settings, words: &[String]) -> Result<CommandOracle, CommandError> {
    let words: Vec<OsString> = words.iter().map(|word| OsStr::new(word).to_owned()).collect();
    let conditions = Conditions::new(&ConditionSpec::default()).expect("the default has nothing that could be wrong");
    CommandOracle::command(&words, &settings.path, conditions)
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
