//! What the user hears of a command that does something else in a test's directory than where the user stands, and what
//! becomes of its words.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::doctor::{
    Compared, Home, Reworded, Sight, Sights, Traveller, Trouble, UNTRIED_WAY_OUT, find_home, own_outputs, reworded,
    why_untried,
};
use crate::oracle::{Cancel, ConditionSpec, Exit, SlotOptions, shell_line};
use crate::reduce::ReduceError;
use crate::report::Verbosity;
use crate::report::text::{self, HINT};

use super::exit_code::Code;
use super::failure::{Away, Failure};
use super::open::Open;
use super::second::{second, second_words};
use super::settings::Settings;

/// The way out with a flaky test.
const REPEATABLE: &str = "make the test repeatable (fixed seeds, no addresses, times or temporary names in what it looks \
                          for), or go on with --allow-flaky";

/// What of two runs has to be the same, for a test with these conditions.
pub(crate) fn compared(spec: &ConditionSpec) -> Compared {
    let outputs = [&spec.stdout, &spec.stderr, &spec.not_stdout, &spec.not_stderr];
    match spec.has_conditions() {
        false => Compared::Signature,
        true if outputs.iter().any(|patterns| !patterns.is_empty()) => Compared::Verdict,
        true => Compared::Both,
    }
}

/// Makes sure that the command of a new reduction does in a test's directory what it does here. Words that lead nowhere
/// from there are made others, in `typed`, the command line, too.
///
/// # Errors
/// When something is missing there, or it does not even do the same each time.
pub(crate) fn settle(settings: &mut Settings, typed: &mut Vec<OsString>, cancel: &Cancel) -> Result<(), Failure> {
    // What an empty file does says nothing about what is missing.
    if !settings.is_command || settings.content.is_empty() {
        return Ok(());
    }
    let outputs = own_outputs(&settings.words, &std::env::current_dir().unwrap_or_default());
    let words = reworded(&settings.words, &outputs);
    reword(settings, typed, words, &outputs)?;
    // Nobody has typed the name that standard input gets, so that no path is relative to where the user stands.
    let path = std::path::absolute(&settings.path).ok().filter(|_| settings.is_piped);
    let traveller = Traveller {
        oracle: &settings.oracle,
        words: &settings.words,
        path: path.as_deref().unwrap_or(&settings.path),
        content: &settings.content,
        compared: compared(&settings.spec),
        deadline: settings.options.deadline,
        slots: SlotOptions { directory: None, candidate_len: settings.content.len(), owns_process: true },
    };
    match find(&traveller, cancel)? {
        Home::Flaky { .. } if settings.options.allow_flaky => Ok(()),
        Home::Reworded { words, changes, .. } => reword(settings, typed, words, &changes),
        Home::Untried { path, words, changes } => {
            if settings.verbosity > Verbosity::Quiet {
                note(&untried(&path));
            }
            reword(settings, typed, words, &changes)
        }
        other => match Away::new(&other, &settings.path.display().to_string(), settings.words.len(), typed) {
            Some(away) => Err(Failure::Away(Box::new(away))),
            None => Ok(()),
        },
    }
}

/// Gives the command of a new reduction other words, and says which.
fn reword(
    settings: &mut Settings,
    typed: &mut Vec<OsString>,
    words: Vec<OsString>,
    changes: &[Reworded],
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if settings.verbosity > Verbosity::Quiet {
        let changes = changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        note(&format!("tests run in a directory of their own, where relative paths lead nowhere: {changes}"));
    }
    *typed = replace_words(typed, settings.words.len(), &words);
    settings.oracle = settings.oracle.reworded(&words, &settings.path)?;
    settings.words = words;
    Ok(())
}

fn note(what: &str) {
    // Nobody listens: that is no reason to fail.
    let _ = writeln!(text::stderr(), "{HINT}note:{HINT:#} {}", text::one_line(what));
}

/// What is said of a test that was not compared, because `path` cannot be copied.
pub(crate) fn untried(path: &Path) -> String {
    format!("{}; {UNTRIED_WAY_OUT}", why_untried(path))
}

/// What a test misses that refuses its own input, if it would accept it where the user stands.
pub(crate) fn of_refusal(
    test: &Traveller<'_>,
    typed: &[OsString],
    error: &ReduceError,
    cancel: &Cancel,
) -> Option<Away> {
    let ReduceError::NotInteresting { .. } = error else { return None };
    let found = find_home(test, cancel).ok()?;
    if let Home::Untried { path, .. } = &found {
        // The refusal is an error, of which nobody can want to hear less.
        note(&untried(path));
    }
    let name = test.path.display().to_string();
    // That the test is flaky would have shown.
    if let Home::Flaky { .. } = found { None } else { Away::new(&found, &name, test.words.len(), typed) }
}

/// Makes sure of the same for second commands: one that does not find its files would have to go on not finding them.
///
/// # Errors
/// When words of one have to be others.
pub(crate) fn check_seconds(open: &Open<'_>, cancel: &Cancel) -> Result<(), Failure> {
    for line in &open.sought.while_passing {
        let words = second_words(line)?;
        let traveller = Traveller {
            oracle: &second(open, &words)?,
            words: &words,
            path: open.path,
            content: open.content,
            compared: Compared::Both,
            deadline: open.deadline,
            slots: SlotOptions { directory: None, candidate_len: open.content.len(), owns_process: true },
        };
        let (why, better) = match find(&traveller, cancel)? {
            // An option that is not seen to do it is no better.
            Home::Reworded { words, is_seen: true, .. } => {
                let line = shell_line(words.iter().map(OsString::as_os_str));
                ("relative paths lead nowhere", shell_line([OsStr::new("--while-passing"), OsStr::new(&line)]))
            }
            Home::Missing { things, .. } => {
                let options = things.iter().flat_map(|path| [OsStr::new("--with"), path.as_os_str()]);
                ("it finds only the candidate", shell_line(options))
            }
            _ => continue,
        };
        return Err(Failure::Usage {
            message: format!(
                "`{line}` of --while-passing does not do in a directory of its own, where {why}, what it does here"
            ),
            hint: format!("it does with {better}"),
        });
    }
    Ok(())
}

fn find(traveller: &Traveller<'_>, cancel: &Cancel) -> Result<Home, Failure> {
    match find_home(traveller, cancel) {
        // The baseline says that it was stopped.
        Err(Trouble::Cancelled) => Ok(Home::Same),
        Err(Trouble::Slot(error)) => Err(Failure::Workers(error.into())),
        Ok(home) => Ok(home),
    }
}

impl Away {
    /// What is said of a finding about the test case `name`; `None` where there is nothing to say. `typed` is the command
    /// line, of which the last `words` are those of the command.
    pub(crate) fn new(home: &Home, name: &str, words: usize, typed: &[OsString]) -> Option<Self> {
        let differ = |Sights { here, there }: &Sights| vec![("here", shown(here)), ("there", shown(there))];
        let headline = || format!("the test does not do on {name} in a directory of its own what it does here");
        Some(match home {
            Home::Same | Home::Reworded { .. } | Home::Untried { .. } => return None,
            Home::Missing { things, words: others, runs } => {
                let line = shell_line(with_things(typed, words, things, others).iter().map(OsString::as_os_str));
                Away {
                    headline: headline(),
                    runs: differ(runs),
                    hint: format!("it finds only the candidate there; with what it misses beside it: {line}"),
                    code: Code::CouldNotStart,
                }
            }
            Home::Different { names_file, runs } => Away {
                headline: headline(),
                runs: differ(runs),
                hint: match names_file {
                    Some(word) => format!(
                        "`{}` names the file itself, which is not there: write @@ where the candidate's path belongs",
                        word.display()
                    ),
                    None => {
                        // A script gets the path as its argument.
                        let mark = if words == 0 { "" } else { "write @@ where its path belongs, " };
                        format!(
                            "it finds only the candidate there: {mark}name other files by absolute paths, and put what \
                             belongs beside it there with --with PATH"
                        )
                    }
                },
                code: Code::CouldNotStart,
            },
            Home::Flaky { runs, alike, sights } => Away {
                headline: format!("the test is flaky: of {runs} runs on {name} {alike} were like the first"),
                runs: vec![("first", shown(&sights.here)), ("other", shown(&sights.there))],
                hint: REPEATABLE.to_owned(),
                code: Code::Flaky,
            },
        })
    }

    /// What is said of a command that has ended in two ways on the test case `name`.
    pub(crate) fn flaky(name: &str, first: Exit, other: Exit) -> Self {
        Away {
            headline: format!("the test is flaky: two runs on {name} did not end alike"),
            runs: vec![("first", first.to_string()), ("other", other.to_string())],
            hint: REPEATABLE.to_owned(),
            code: Code::Flaky,
        }
    }
}

/// How a run ended, and what it said that the other did not.
fn shown(Sight { exit, line, .. }: &Sight) -> String {
    if line.is_empty() { exit.to_string() } else { format!("{exit}: {line}") }
}

/// A command line of which the last words have become others.
pub(crate) fn replace_words(typed: &[OsString], old: usize, new: &[OsString]) -> Vec<OsString> {
    [&typed[..typed.len().saturating_sub(old)], new].concat()
}

/// A command line that puts these things beside the candidate. Where its test is a command its last `old` words are
/// replaced; a script's are none.
fn with_things(typed: &[OsString], old: usize, things: &[PathBuf], words: &[OsString]) -> Vec<OsString> {
    let typed = replace_words(typed, old, words);
    let end = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let options = things.iter().flat_map(|path| [OsStr::new("--with"), path.as_os_str()]).map(OsStr::to_owned);
    let mut line: Vec<OsString> = std::iter::once(OsString::from("lop")).chain(typed[1..end].iter().cloned()).collect();
    line.extend(options);
    line.extend(typed[end..].iter().cloned());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(|word| OsString::from(*word)).collect()
    }

    #[test]
    fn the_line_that_works_has_the_things_before_the_command() {
        let line = |typed: &[&str], old, new: &[&str]| {
            let line = with_things(&words(typed), old, &["src/a.h".into(), "b c".into()], &words(new));
            shell_line(line.iter().map(OsString::as_os_str))
        };
        let typed = ["/bin/lop", "-q", "x.c", "--", "cc", "-Ii", "@@"];
        assert_eq!(line(&typed, 3, &["cc", "-I/i", "@@"]), "lop -q x.c --with src/a.h --with 'b c' -- cc -I/i @@");
        assert_eq!(line(&["lop", "t.sh", "x.c"], 0, &[]), "lop t.sh x.c --with src/a.h --with 'b c'");
    }

    #[test]
    fn little_is_asked_for_by_an_exit_code() {
        let mut spec = ConditionSpec::default();
        assert_eq!(compared(&spec), Compared::Signature);
        spec.exit_codes.push(1);
        assert_eq!(compared(&spec), Compared::Both);
        spec.stderr.push("x".into());
        assert_eq!(compared(&spec), Compared::Verdict);
    }
}
