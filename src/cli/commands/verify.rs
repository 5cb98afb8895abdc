//! `lop verify`: whether what a reduction claims of its result still holds.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;

use crate::cli::args::Cli;
use crate::cli::beside::belongings;
use crate::cli::consent;
use crate::cli::exit_code::Code;
use crate::cli::failure::{Away, Failure};
use crate::cli::home::untried;
use crate::cli::settings::{forms, read};
use crate::cli::signals;
use crate::cli::state;
use crate::cli::values::Jobs;
use crate::cli::verify_args::VerifyArgs;
use crate::disk::{self, Audience};
use crate::doctor::{Compared, Home, Traveller, find_home};
use crate::engine::Verdict;
use crate::exec::{Executor, Job, LocalOptions, LocalWorkers, Ticket};
use crate::oracle::{Cancel, CommandOracle, ConditionSpec, Conditions, Outcome, SlotOptions, Unresolved};
use crate::reduce::claims::ask_again;
use crate::reduce::{BASELINE_DEADLINE, Claim, Known, usual_deadline};
use crate::report::{Certificate, Kept, certificate, state_directory, text};

/// Bytes of a deletion that are shown.
const SHOWN: usize = 60;

/// Asks the test about a result's deletions again and says on standard output which do not hold.
///
/// # Errors
/// When the certificate is not about the result, or the test cannot be run.
pub fn run(args: VerifyArgs) -> Result<Code, Failure> {
    let result = read(&args.result)?;
    let beside = || state_directory(&args.result, &Kept::InPlace).join(certificate::NAME);
    let from = args.certificate.unwrap_or_else(beside);
    let key = state::own_key();
    let (certificate, is_own) = Certificate::read(&from, &args.result, &result, key.as_ref())?;
    if !is_own {
        consent::ask(args.yes, &from, &certificate.command, &certificate.directory)?;
    }
    // The current directory is about to change.
    let audience = Audience::of_file(&args.result);
    let output = args.output.map(path::absolute).transpose().map_err(Failure::Output)?;
    let same = same_test(&certificate)?;
    let (oracle, deadline) = (same.oracle.clone(), same.deadline);
    let wanted =
        |claim: &&Claim| claim.known != Known::Unsound && args.level.is_none_or(|level| claim.level <= level.into());
    let claims: Vec<&Claim> = certificate.claims.iter().filter(wanted).collect();

    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let options = LocalOptions {
        workers: if let Some(Jobs::Exactly(jobs)) = args.jobs { jobs } else { 0 },
        cancel: cancel.clone(),
        slots: SlotOptions { directory: None, candidate_len: result.len(), owns_process: true },
        while_waiting: true,
    };
    let mut workers = LocalWorkers::new(Arc::new(oracle), &options)?;
    let first = Job {
        ticket: Ticket(u64::MAX),
        candidate: result.as_slice().into(),
        deadline: deadline.unwrap_or(BASELINE_DEADLINE),
    };
    workers.submit(first);
    let (_, outcome) = workers.wait().expect("it has just been submitted");
    let deadline = deadline.unwrap_or_else(|| usual_deadline(outcome.duration));
    let name = args.result.display();
    let mut out = Report { lost: 0, failed: None, answered: 0, smallest: None };
    match out.verdict(&outcome) {
        Some(Verdict::Interesting) => {}
        Some(_) => {
            say(&format!("{name} is not interesting: {}, {}", outcome.exit, text::verdict(outcome.verdict)))?;
            workers.shutdown();
            same.say_missing(&result, &cancel)?;
            return Ok(Code::NotInteresting);
        }
        None => return out.stopped(),
    }
    let mut told = Ok(());
    let mut tell = |number: usize, outcome: Outcome| {
        let verdict = out.verdict(&outcome);
        if out.failed.is_some() {
            cancel.stop();
        }
        if verdict == Some(Verdict::Interesting) && told.is_ok() {
            told = out.lose(claims[number], &result, &name.to_string());
        }
    };
    ask_again(&result, &claims, &mut workers, deadline, &cancel, &mut tell);
    workers.shutdown();
    told?;
    if let (Some(text), Some(path)) = (&out.smallest, &output) {
        let written = disk::create(path, audience, &|| !cancel.is_stopped()).and_then(|mut file| file.write_all(text));
        written.map_err(Failure::Output)?;
        say(&format!("the smallest interesting one is in {}", path.display()))?;
    }
    if out.failed.is_some() || out.answered < claims.len() + 1 {
        return out.stopped();
    }
    let is_new = |claim: &&&Claim| claim.known == Known::Unasked;
    let mut sentence = format!("{name} is interesting; {} of {} deletions hold", claims.len() - out.lost, claims.len());
    let news = claims.iter().filter(is_new).count();
    if news > 0 {
        sentence += &format!(" ({news} of them asked about for the first time)");
    }
    let unsound = certificate.claims.iter().filter(|claim| claim.known == Known::Unsound).count();
    if unsound > 0 {
        sentence += &format!("; {unsound} more would make syntax errors and were not asked about");
    }
    if certificate.claims.is_empty() {
        sentence = format!("{name} is interesting; nothing more is claimed of it");
    }
    say(&sentence)?;
    Ok(if out.lost > 0 { Code::NotInteresting } else { Code::Reduced })
}

/// The test of a reduction.
struct Same {
    oracle: CommandOracle,
    /// The deadline that was asked for.
    deadline: Option<Duration>,
    /// The test case, as seen from the directory of the reduction.
    input: PathBuf,
    /// The words of a command; none of a script.
    words: Vec<OsString>,
    /// The command line of the reduction.
    typed: Vec<OsString>,
}

impl Same {
    /// Says what the test misses that does not find the result interesting, if that is it.
    fn say_missing(&self, result: &[u8], cancel: &Cancel) -> Result<(), Failure> {
        let traveller = Traveller {
            oracle: &self.oracle,
            words: &self.words,
            path: &self.input,
            content: result,
            compared: Compared::Verdict,
            deadline: self.deadline,
            slots: SlotOptions { directory: None, candidate_len: result.len(), owns_process: true },
        };
        let found = find_home(&traveller, cancel).unwrap_or(Home::Same);
        if let Home::Untried { path, .. } = &found {
            return say(&untried(path));
        }
        let name = self.input.display().to_string();
        let Some(away) = Away::new(&found, &name, self.words.len(), &self.typed) else { return Ok(()) };
        say(&away.headline)?;
        away.runs.iter().try_for_each(|(place, run)| say(&format!("  {place:<7} {run}")))?;
        say(&away.hint)
    }
}

/// The test of the reduction that wrote a certificate, and the deadline that was asked for. Names in its command line
/// are those of the directory where it was given, which becomes the current one.
fn same_test(certificate: &Certificate) -> Result<Same, Failure> {
    let parsed = Cli::try_parse_from(&certificate.command);
    let args = parsed.map_err(|error| Failure::CertificateCommand(first_line(&error)))?.reduce;
    std::env::set_current_dir(&certificate.directory)
        .map_err(|source| Failure::CertificateDirectory { path: certificate.directory.clone(), source })?;
    let (test, input) = forms(&args.words, &args.test)?;
    let kept = args.output.map_or(Kept::InPlace, Kept::File);
    let spec = ConditionSpec { also_interesting: args.also_interesting, ..args.conditions.into() };
    let oracle = test.oracle(&input, Conditions::new(&spec)?)?;
    let oracle = oracle.with_belongings(belongings(&args.confine.with, &input, &kept)?)?;
    let oracle = oracle.confined(args.confine.try_into()?)?;
    let words = test.command_words().to_vec();
    Ok(Same { oracle, deadline: args.timeout, input, words, typed: certificate.command.clone() })
}

/// What clap has to say without its advice.
fn first_line(error: &clap::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// What came of it so far.
struct Report {
    /// Deletions that do not hold.
    lost: usize,
    failed: Option<String>,
    answered: usize,
    smallest: Option<Vec<u8>>,
}

impl Report {
    fn verdict(&mut self, outcome: &Outcome) -> Option<Verdict> {
        match &outcome.unresolved {
            Some(Unresolved::Failed(message)) => self.failed = Some(message.clone()),
            Some(_) => {}
            None => self.answered += 1,
        }
        outcome.verdict
    }

    /// Takes note of a deletion after which the result is still interesting, and says so.
    fn lose(&mut self, claim: &Claim, result: &[u8], name: &str) -> Result<(), Failure> {
        self.lost += 1;
        let candidate = claim.candidate(result).expect("the certificate is about this result");
        if self.smallest.as_ref().is_none_or(|smallest| candidate.len() < smallest.len()) {
            self.smallest = Some(candidate);
        }
        let start = claim.changes.first().map_or(0, |change| change.range.start);
        let (line, column) = place(result, start);
        let gone: Vec<&[u8]> = claim.changes.iter().map(|change| &result[change.range.clone()]).collect();
        say(&format!("{name}:{line}:{column}: still interesting without {}", shown(&gone.join(" … ".as_bytes()))))
    }

    /// It came to no end.
    fn stopped(self) -> Result<Code, Failure> {
        match self.failed {
            Some(message) => Err(Failure::TestFailed(message)),
            None => {
                // Nobody listens: the exit code says it, too.
                let _ = writeln!(text::stderr(), "stopped; not every deletion was asked about");
                Ok(Code::StoppedEarly)
            }
        }
    }
}

/// Line and column of a byte, both from 1; columns are characters.
fn place(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    (line, String::from_utf8_lossy(&before[start..]).chars().count() + 1)
}

/// A text in one line, in quotes.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    format!("{start:?}")
}

fn say(line: &str) -> Result<(), Failure> {
    let mut out = text::stdout();
    writeln!(out, "{}", text::one_line(line)).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}

/// Leaves what is claimed of a result, by a run with this command line, in the folder of what its run keeps. A result stands without it, so that a folder
/// that cannot be written is a note and no failure.
pub(super) fn certify(report: &crate::reduce::Report, typed: &[OsString], folder: &Path, audience: Audience) {
    let written = std::env::current_dir().and_then(|directory| {
        let certificate = Certificate::new(report, typed.to_vec(), directory);
        certificate.write(folder, audience, state::own_key().as_ref())
    });
    if let Err(error) = written {
        note(folder, &error);
    }
}

fn note(folder: &Path, error: &io::Error) {
    // Nobody listens: that is no reason to fail.
    let _ = writeln!(
        text::stderr(),
        "note: there is no certificate for lop verify: {}: {error}",
        text::path(&folder.join(certificate::NAME))
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one_in_characters() {
        let text = "one\nzwölf x".as_bytes();
        let at = text.iter().position(|byte| *byte == b'x').expect("it is there");
        assert_eq!((place(text, 0), place(text, 4), place(text, at)), ((1, 1), (2, 1), (2, 7)));
    }

    #[test]
    fn long_texts_are_cut_and_lines_are_kept_together() {
        assert_eq!(shown(b"a\n\"b\""), r#""a\n\"b\"""#);
        assert_eq!(shown(&[b'a'; 99]).chars().count(), SHOWN + 3);
    }
}
