//! Second commands (`--while-passing` and `--guard`): a further condition on a candidate.

use std::ffi::OsString;

use lop_doctor::reworded;
use lop_grammar::Guard;
use lop_languages::LANGUAGES;
use lop_run::oracle::{CommandError, CommandOracle, ConditionSpec, Conditions, Exit, Guarded, SecondCommand};

use super::absolute_words;
use super::command_words::command_words;
use super::failure::Failure;
use super::incomplete_test::{IncompleteTest, Probe};

/// The further conditions: each second command as it ran on the test case.
pub(super) fn companions(
    open: &IncompleteTest<'_>,
    place: &mut Probe<'_>,
) -> Result<Vec<(CommandOracle, SecondCommand)>, Failure> {
    let mut companions = Vec::new();
    for line in &open.sought.while_passing {
        let oracle = second(open, &command_words("--while-passing", line)?)?;
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
        companions.push((oracle, SecondCommand::ending(outcome.exit)));
    }
    if let Some(language) = &open.sought.guard {
        companions.push(guard(open, language, place)?);
    }
    Ok(companions)
}

fn guard(
    open: &IncompleteTest<'_>,
    language: &str,
    place: &mut Probe<'_>,
) -> Result<(CommandOracle, SecondCommand), Failure> {
    let guard = Guard::of(language, &LANGUAGES).ok_or_else(|| Failure::Usage {
        message: format!("there is no guard for `{language}`"),
        hint: format!("there is one for: {}", Guard::languages(&LANGUAGES).join(", ")),
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
    Ok((oracle, SecondCommand::guard(warnings, outcome.exit, &written)))
}

fn second(open: &IncompleteTest<'_>, words: &[OsString]) -> Result<CommandOracle, Failure> {
    let words = reworded(words, &absolute_words::changes(words, open.path));
    beside(open, second_command(open, &words)?)
}

/// A second command has the confinement and the side files of the test.
fn beside(open: &IncompleteTest<'_>, oracle: CommandOracle) -> Result<CommandOracle, Failure> {
    Ok(oracle.confined(open.confinement.clone())?.with_belongings(open.oracle.side_files().to_vec())?)
}

fn second_command(open: &IncompleteTest<'_>, words: &[OsString]) -> Result<CommandOracle, CommandError> {
    let conditions = Conditions::new(&ConditionSpec::default()).expect("the default has nothing that could be wrong");
    CommandOracle::command(words, open.path, conditions)
}
