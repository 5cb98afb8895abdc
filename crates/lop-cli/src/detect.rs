//! Without a test script: runs the command on the test case, and derives the condition from the failure. If the command
//! succeeds, offers its warnings. Also runs second commands on the test case.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use lop_files::project::{Entry, TestCase};
use lop_reduce::Project;
use lop_reduce::usual_deadline;
use lop_report::Verbosity;
use lop_report::text::{self, HINT, STRONG, WARN};
use lop_run::oracle::{Cancel, Conditions, Exit, Outcome, Seen, Signature, Table, shell_line};

use super::failure::{BY_HAND, Failure};
use super::flaky_args::FlakyArgs;
use super::incomplete_test::IncompleteTest;
use super::line;
use super::second_commands::companions;
use super::settings::{Settings, in_words};
use super::signature_choice::{self, Chosen};

/// Warnings that are offered.
const OFFERED: usize = 9;

/// Completes the settings: finds the conditions, if none were given and the command fails on the test case, and the
/// behaviour of second commands on it. `typed` is the command line of a new run; a resumed run prints and asks nothing.
///
/// # Errors
/// If `--crash` finds no crash, a second command cannot run, or the user says no.
pub(crate) fn settle(settings: &mut Settings, typed: Option<&[OsString]>, cancel: &Cancel) -> Result<(), Failure> {
    let trivial_inputs = settings.case.trivial_inputs();
    let mut open = IncompleteTest {
        path: &settings.case.path,
        content: &settings.case.content,
        may_fail: settings.test.is_command,
        sought: &settings.test.sought,
        confinement: &settings.test.confinement,
        deadline: settings.options.deadline,
        flaky: settings.options.flaky.map_or_else(FlakyArgs::never, |_| FlakyArgs::usual()),
        allow_empty: settings.options.allow_empty,
        trivial_inputs: &trivial_inputs,
        spec: settings.test.spec.clone(),
        oracle: settings.test.oracle.clone(),
    };
    let special = open.find(cancel);
    not_stopped(open.path, cancel)?;
    let mut special = special.map_err(|failure| failure.typed_as(typed.unwrap_or_default()))?;
    if let (DetectedFailure::Flaky(first, other), false) = (&special, settings.options.flaky.is_some()) {
        return Err(Failure::Flaky { path: open.path.to_owned(), first: *first, other: *other });
    }
    if let (DetectedFailure::Warnings(warnings), Some(typed)) = (&special, typed) {
        let chosen = offer(warnings, &open, typed)?;
        open.adopt(&chosen)?;
        special =
            DetectedFailure::Found(Box::new(Chosen { signature: chosen, weakness: String::new() }), Exit::Code(0));
    }
    let weakness = special.weakness().to_owned();
    if let (Some(typed), DetectedFailure::Found(..)) = (typed, &special) {
        // lop does not silently keep a weak signature.
        if settings.reporting.verbosity > Verbosity::Quiet || !weakness.is_empty() {
            // A closed standard error is no reason to fail.
            let _ = special.show(&mut text::stderr(), &open, typed);
            if weakness.is_empty() { ask(settings.test.sought.yes)? } else { insist(&special, &open)? }
        }
    }
    if !weakness.is_empty() {
        settings.reporting.attention.push(format!("lop chose the condition, and it is unspecific: {weakness}"));
    }
    let accompanied = open.accompany(cancel);
    not_stopped(open.path, cancel)?;
    accompanied?;
    let IncompleteTest { spec, oracle, .. } = open;
    settings.test.wanted = in_words(&spec);
    (settings.test.spec, settings.test.oracle, settings.test.found) = (spec, oracle, special.options());
    Ok(())
}

/// A run that was stopped says nothing.
fn not_stopped(path: &Path, cancel: &Cancel) -> Result<(), Failure> {
    let out_of_time = cancel.has_expired();
    if cancel.is_stopped() { Err(Failure::Stopped { path: path.to_owned(), out_of_time }) } else { Ok(()) }
}

/// The special behaviour of a command on the test case.
pub(crate) enum DetectedFailure {
    /// There is nothing to find, or nothing that fails.
    Nothing,
    /// It fails with no sign that could be kept.
    Vague(Exit),
    /// It ended in two ways.
    Flaky(Exit, Exit),
    /// It ends well and warns of these.
    Warnings(Vec<Signature>),
    /// This, which is a condition now.
    Found(Box<Chosen>, Exit),
}

impl IncompleteTest<'_> {
    /// If there is no condition, runs the command on the test case and on trivial texts, and makes its signature the
    /// condition.
    ///
    /// # Errors
    /// If `--crash` finds no crash, or there is another condition.
    pub(crate) fn find(&mut self, cancel: &Cancel) -> Result<DetectedFailure, Failure> {
        let (insists, has_none) = (self.sought.crash, !self.spec.has_conditions());
        if insists && !has_none {
            return Err(Failure::Usage {
                message: "--crash finds the condition itself, but you gave one".to_owned(),
                hint: "omit --crash, or the condition".to_owned(),
            });
        }
        // An empty file has nothing that could be special.
        if !has_none || self.content.is_empty() || !(insists || self.may_fail) {
            return Ok(DetectedFailure::Nothing);
        }
        let mut place = self.place(cancel)?;
        // Of several files, it is the one in the command.
        let named = self.trivial_inputs.project().and_then(|project| project.named(self.content).into_iter().next());
        let path = named.as_ref().map_or(self.path, Entry::path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_answer = |outcome: &Outcome| outcome.exit != Exit::Code(0) || outcome.unresolved.is_some();
        let run = self.flaky.until(|| place.run(&self.oracle, self.content), |(outcome, _)| is_answer(outcome));
        let (first, written) = run;
        let seen = Seen {
            exit: first.exit,
            stdout: &written.stdout,
            stderr: &written.stderr,
            input: TestCase::new(self.trivial_inputs.project().map(Project::archive), self.content),
            name: &name,
        };
        // A failure to find something is not the one that the user sees.
        if first.exit != Exit::Code(0)
            && let Some(missing) = self.missing(&written, cancel)?
        {
            return Err(Failure::Missing { path: self.path.to_owned(), missing, typed: Vec::new() });
        }
        let table = Table::default();
        let mut signatures = table.signatures(&seen);
        signatures.retain(|signature| signature.crash || !insists);
        let warnings = if first.exit == Exit::Code(0) && !insists { table.warnings(&seen) } else { Vec::new() };
        // The baseline reports a run without an outcome.
        if signatures.is_empty() && warnings.is_empty() {
            return match (insists, first.verdict) {
                (true, Some(_)) => Err(no_crash(self.path, first.exit)),
                _ => Ok(DetectedFailure::Nothing),
            };
        }
        let again =
            self.flaky.until(|| place.run(&self.oracle, self.content), |(outcome, _)| outcome.exit == first.exit);
        // On texts with nothing in them it takes no longer than on the input.
        place.deadline = self.deadline.unwrap_or_else(|| usual_deadline(first.duration));
        let probes = signature_choice::probe(&signatures, &seen, self.trivial_inputs, &mut |text: &[u8]| {
            place.run(&self.oracle, text)
        });
        if !warnings.is_empty() {
            // A command that refuses the empty file has more to say than warnings: its exit code.
            let says_nothing = probes.iter().any(signature_choice::Probe::is_fine_and_empty);
            let warnings = signature_choice::lasting(warnings, seen.input, &again, &probes);
            let offered = says_nothing && !warnings.is_empty();
            return Ok(if offered { DetectedFailure::Warnings(warnings) } else { DetectedFailure::Nothing });
        }
        let chosen = signature_choice::choose(&table, &signatures, &seen, &again, &probes);
        // A signature that the empty file shows as well says nothing about this one, unless that is a fine result.
        let chosen = match chosen.filter(|chosen| !self.allow_empty || chosen.weakness.is_empty()) {
            None if self.allow_empty => {
                let first = signatures.first().cloned();
                first.map(|signature| Chosen { signature, weakness: String::new() })
            }
            chosen => chosen,
        };
        let Some(chosen) = chosen else {
            let answers = [first.exit, again.0.exit].iter().all(|exit| matches!(exit, Exit::Code(_) | Exit::Signal(_)));
            let is_flaky = answers && first.exit != again.0.exit;
            return Ok(if is_flaky {
                DetectedFailure::Flaky(first.exit, again.0.exit)
            } else {
                DetectedFailure::Vague(first.exit)
            });
        };
        let chosen = chosen.with_only_errors(&table, &seen, &again);
        self.adopt(&chosen.signature)?;
        Ok(DetectedFailure::Found(Box::new(chosen), first.exit))
    }

    /// Makes a signature the condition.
    fn adopt(&mut self, signature: &Signature) -> Result<(), Failure> {
        signature.add_to(&mut self.spec);
        self.oracle = self.oracle.clone().with_conditions(Conditions::new(&self.spec)?);
        Ok(())
    }

    /// Runs the second commands on the test case, and adds them to the test.
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

fn no_crash(path: &Path, exit: Exit) -> Failure {
    Failure::NoCrash {
        path: path.to_owned(),
        exit,
        hint: format!("omit --crash to keep any failure of the command, or {BY_HAND}"),
    }
}

impl DetectedFailure {
    /// The options that say the same, and their values.
    pub(crate) fn options(&self) -> Vec<(&'static str, String)> {
        if let DetectedFailure::Found(chosen, _) = self { chosen.signature.options() } else { Vec::new() }
    }

    /// Why the signature is worth little; empty if it is good.
    fn weakness(&self) -> &str {
        if let DetectedFailure::Found(chosen, _) = self { &chosen.weakness } else { "" }
    }

    /// Prints the signature and the command line with it, or the next steps if there is none.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn show(&self, out: &mut dyn Write, open: &IncompleteTest<'_>, typed: &[OsString]) -> io::Result<()> {
        let name = text::path(open.path);
        let (chosen, exit) = match self {
            DetectedFailure::Nothing => return Ok(()),
            DetectedFailure::Vague(exit) => {
                return writeln!(
                    out,
                    "{HINT}hint:{HINT:#} the command ends with {exit} on {name}, but also on the empty file, or not every \
                     time; {BY_HAND}"
                );
            }
            DetectedFailure::Flaky(first, other) => {
                return writeln!(
                    out,
                    "{HINT}hint:{HINT:#} the command is flaky: one run on {name} ended with {first}, another with {other}"
                );
            }
            DetectedFailure::Warnings(warnings) => {
                writeln!(out, "the command succeeds on {name} and warns; to keep its first warning:")?;
                writeln!(out, "  {}", text::one_line(&shown_line(typed, &warnings[0].options())))?;
                return others(warnings).map_or(Ok(()), |others| writeln!(out, "{}", text::one_line(&others)));
            }
            DetectedFailure::Found(chosen, exit) => (chosen, exit),
        };
        writeln!(out, "no condition given; keeping this failure of the command on {name}:")?;
        writeln!(out, "  {STRONG}ended{STRONG:#}     {exit}")?;
        writeln!(out, "  {STRONG}kind{STRONG:#}      {}", text::one_line(&chosen.signature.kind))?;
        writeln!(out, "  {STRONG}condition{STRONG:#} {}", text::one_line(&in_words(&open.spec)))?;
        if !chosen.signature.only_errors.is_empty() {
            writeln!(out, "            new errors are rejected; to allow them, omit --only-errors")?;
        }
        if !chosen.weakness.is_empty() {
            writeln!(out, "  {WARN}warning{WARN:#}   {}", text::one_line(&chosen.weakness))?;
        }
        // A script in quotes may have several lines, and users paste it.
        writeln!(out, "  {STRONG}same as{STRONG:#}   {}", text::shown(shown_line(typed, &self.options()).as_bytes()))
    }
}

/// The command line that was typed, with the conditions that were found in it.
pub(crate) fn with_conditions(typed: Vec<OsString>, found: &[(&'static str, String)]) -> Vec<OsString> {
    if found.is_empty() {
        return typed;
    }
    let mut words: Vec<OsString> = vec!["lop".into()];
    let values = line::values(&typed);
    let mut rest = typed.into_iter().enumerate().skip(1).peekable();
    while let Some((at, word)) = rest.next_if(|(_, word)| word != "--") {
        let is_flag = ["--crash", "--yes", "-y"].contains(&word.to_str().unwrap_or_default());
        if !is_flag || values.contains(&at) {
            words.push(word);
        }
    }
    words.extend(found.iter().flat_map(|(option, value)| [OsString::from(option), value.into()]));
    words.extend(rest.map(|(_, word)| word));
    words
}

/// Formats the command line with the conditions that were found for a shell.
fn shown_line(typed: &[OsString], found: &[(&'static str, String)]) -> String {
    let words = with_conditions(typed.to_vec(), found);
    shell_line(words.iter().map(OsString::as_os_str))
}

/// Lets a user at the terminal choose a warning, the first by default.
fn offer(warnings: &[Signature], open: &IncompleteTest<'_>, typed: &[OsString]) -> Result<Signature, Failure> {
    if open.sought.yes {
        return Ok(warnings[0].clone());
    }
    let name = text::path(open.path);
    let nothing = |hint: String| {
        let message = format!("the command succeeds on {name} and on an empty file, so there is no failure to keep");
        Err(Failure::Usage { message, hint })
    };
    if !is_somebody_there() {
        let more = match warnings.len() {
            1 => "its warning".to_owned(),
            several => format!("the first of {several} kinds"),
        };
        let others = others(warnings).map_or_else(String::new, |others| format!(" ({others})"));
        return nothing(format!(
            "it prints warnings{others}; to keep {more}: {}",
            shown_line(typed, &warnings[0].options())
        ));
    }
    let shown = warnings.iter().take(OFFERED);
    let mut out = text::stderr();
    let listed = writeln!(out, "the command succeeds on {name} and warns. Which warning do you want to keep?")
        .and_then(|()| {
            shown.enumerate().try_for_each(|(number, warning)| {
                writeln!(out, "  {STRONG}{}{STRONG:#}  {}", number + 1, text::one_line(&warning.mark.option().1))
            })?;
            write!(out, "A number, Enter for 1, or n for none: ")
        });
    let mut answer = String::new();
    let chosen = match listed.and_then(|()| io::stdin().read_line(&mut answer)) {
        Err(_) | Ok(0) => None,
        Ok(_) if answer.trim().is_empty() => warnings.first(),
        Ok(_) => answer
            .trim()
            .parse()
            .ok()
            .and_then(|number: usize| warnings[..warnings.len().min(OFFERED)].get(number.checked_sub(1)?)),
    };
    chosen.map_or_else(|| nothing(BY_HAND.to_owned()), |warning| Ok(warning.clone()))
}

/// The conditions of all warnings but the first, if there are any.
fn others(warnings: &[Signature]) -> Option<String> {
    let (shown, more) = warnings[1..].split_at(warnings.len().min(OFFERED) - 1);
    let shown = shown.iter().map(|warning| {
        let options = warning.options();
        let words = options.iter().flat_map(|(option, value)| [OsStr::new(option), OsStr::new(value)]);
        shell_line(words)
    });
    let shown: Vec<String> = shown.collect();
    let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
    (!shown.is_empty()).then(|| format!("other warnings: {}{more}", shown.join(" or ")))
}

fn is_somebody_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Goes on with a weak signature only if the user wants that.
fn insist(special: &DetectedFailure, open: &IncompleteTest<'_>) -> Result<(), Failure> {
    if open.sought.yes {
        return Ok(());
    }
    if is_somebody_there() {
        let mut answer = String::new();
        let asked = write!(text::stderr(), "Use it anyway? [y/N] ").and_then(|()| io::stdin().read_line(&mut answer));
        if asked.is_ok() && answer.trim_start().to_lowercase().starts_with('y') {
            return Ok(());
        }
    }
    let name = text::path(open.path);
    Err(Failure::Usage {
        message: format!("the failure on {name} is too unspecific to keep: {}", special.weakness()),
        hint: format!(
            "{BY_HAND}, or --at RE for the text at the position in a message; --yes keeps this failure anyway"
        ),
    })
}

/// Asks once whether to continue, if there is a user at the terminal.
fn ask(yes: bool) -> Result<(), Failure> {
    if yes || !is_somebody_there() {
        return Ok(());
    }
    let mut answer = String::new();
    let asked = write!(text::stderr(), "Continue? [Y/n] ").and_then(|()| io::stdin().read_line(&mut answer));
    let no = answer.trim_start().to_lowercase().starts_with('n');
    // The end of the input is no answer, but a user sent it.
    if no || matches!(asked, Ok(0)) {
        return Err(Failure::Usage { message: "stopped; nothing was changed".to_owned(), hint: BY_HAND.to_owned() });
    }
    Ok(())
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
        let explicit = |typed: Vec<OsString>, option, value: &str| shown_line(&typed, &[(option, value.to_owned())]);
        assert_eq!(explicit(typed, "--signal", "SEGV"), "lop a.x -q --signal SEGV -- cc --crash @@");
        let value = words(&["lop", "-o", "-y", "-y", "a.x", "--", "cc"]);
        assert_eq!(explicit(value, "--signal", "SEGV"), "lop -o -y a.x --signal SEGV -- cc");
        let script = words(&["lop", "--crash", "./t.sh", "a.x"]);
        assert_eq!(explicit(script, "--stderr", "a b"), "lop ./t.sh a.x --stderr 'a b'");
    }
}
