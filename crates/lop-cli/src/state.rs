//! The link between a journal and its run: the journal's path, and whether everything that the run depends on is
//! unchanged.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::Parser;

use lop_files::disk::{Distrust, Distrusted, Folder};
use lop_files::project::Member;
use lop_journal::{Header, JournalError, OwnKey, Past, Text, journal_file};
use lop_report::store::state_directory;
use lop_report::{Input, Kept, others};
use lop_run::oracle::CommandOracle;

use super::args::Cli;
use super::failure::Failure;
use super::options::ReduceArgs;
use super::own_folder::state_folder;
use super::settings::Settings;
use super::state_args::ResumeArgs;
use super::values::most_workers;
use lop_run::exec::Jobs;

/// A program up to this size is a part of the test as it is; a larger one (a compiler) by its length and time.
const PROGRAM: u64 = 16 << 20;

/// The version that journals are tied to.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Checks everything in the folder of a run.
///
/// # Errors
/// If something there is a link, or belongs to another user.
pub(super) fn check_folder(folder: &Path) -> Result<(), Failure> {
    // The code that needs the folder reports other errors.
    match look(folder) {
        Err(error) => Distrusted::cause(&error).map_or(Ok(()), |cause| Err(Failure::Distrusted(cause.clone()))),
        Ok(()) => Ok(()),
    }
}

fn look(folder: &Path) -> io::Result<()> {
    let Some(state) = Folder::own(folder)? else { return Ok(()) };
    for name in state.names()? {
        let is_journal = name.as_bytes().strip_prefix(lop_journal::NAME.as_bytes());
        let is_journal = is_journal.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."));
        if is_journal {
            state.check_file(&name)?;
        }
    }
    let Some(others) = state.inner(OsStr::new(others::FOLDER))? else { return Ok(()) };
    for name in others.names()? {
        others.inner(&name).map(|_| ()).or_else(|error| match Distrusted::cause(&error).map(|cause| cause.why) {
            Some(Distrust::NotAFolder) => Ok(()),
            _ => Err(error),
        })?;
    }
    Ok(())
}

/// Removes the unfinished files that killed runs have left there. No other run may be at work in it.
pub(super) fn clear_folder(folder: &Path) {
    let Ok(Some(state)) = Folder::own(folder) else { return };
    state.clear(None);
    let Ok(Some(others)) = state.inner(OsStr::new(others::FOLDER)) else { return };
    for name in others.names().unwrap_or_default() {
        if let Ok(Some(one)) = others.inner(&name) {
            one.clear(None);
        }
    }
}

/// Returns the user's own key, or `None` if there is no place for one.
pub(super) fn own_key() -> Option<OwnKey> {
    OwnKey::in_folder(&state_folder()?).ok()
}

/// The dependencies of a run.
///
/// # Errors
/// If the working directory is unknown, or the test's program cannot be read.
pub(super) fn header(settings: &Settings, arguments: &[OsString]) -> Result<Header, Failure> {
    let directory = std::env::current_dir().map_err(Failure::Directory)?;
    let program = settings.test.oracle.program();
    let test = test_identity(&settings.test.oracle);
    let test = test.map_err(|source| Failure::Input { path: program.to_owned(), source })?;
    Ok(Header {
        lop: VERSION.to_owned(),
        arguments: arguments.iter().map(|word| text(word)).collect(),
        directory: text(directory.as_os_str()),
        input: blake3::hash(&settings.case.content).to_string(),
        is_archive: settings.case.project.is_some(),
        test,
        grammar: format!("{}{}", settings.case.language(), settings.case.rules),
        // Known when they are there.
        workers: 0,
        mark: String::new(),
    })
}

/// Returns the hash of everything that the outcome of a test depends on, if lop can know it: its program, arguments and
/// conditions, and the candidate's name.
fn test_identity(oracle: &CommandOracle) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(oracle.identity().to_string().as_bytes());
    let facts = fs::metadata(oracle.program())?;
    if facts.len() <= PROGRAM {
        hasher.update_reader(File::open(oracle.program())?)?;
    } else {
        hasher.update(format!("{} {}.{}", facts.len(), facts.mtime(), facts.mtime_nsec()).as_bytes());
    }
    Ok(hasher.finalize().to_string())
}

/// Whether a test is another one than it was, as a sentence.
pub(super) fn changed(oracle: &CommandOracle, then: &str, result: &str) -> Option<String> {
    let changed = test_identity(oracle).map_or(true, |now| now != then);
    let program = oracle.program().display();
    changed.then(|| {
        format!("{program} changed while lop ran, so the answers come from different tests; check with `lop verify {result}`")
    })
}

/// Returns the command line of an interrupted run, with the user's new limits. Changes to the run's working directory,
/// because paths are relative to it.
///
/// # Errors
/// If the directory was removed, or this version doesn't understand the line.
pub(super) fn arguments(past: &Past, now: &ResumeArgs) -> Result<ReduceArgs, Failure> {
    let directory = PathBuf::from(word(&past.header.directory));
    std::env::set_current_dir(&directory).map_err(|source| Failure::Gone { path: directory, source })?;
    let words = past.header.arguments.iter().map(word);
    let Ok(Cli { command: None, mut reduce }) = Cli::try_parse_from(words) else {
        return Err(JournalError::NotAJournal(past.path.clone()).into());
    };
    #[cfg(feature = "remote")]
    {
        reduce.confine.remote = std::mem::take(&mut reduce.confine.remote).replaced_by(&now.remote);
        reduce.confine.remote.remote_jobs = now.remote.remote_jobs;
    }
    reduce.jobs.jobs = Some(Jobs::Exactly(now.jobs.unwrap_or(past.header.workers.min(most_workers()))));
    if past.ended.is_some_and(|ended| ended == lop_reduce::Ended::Budget) {
        (reduce.limits.max_tests, reduce.limits.max_time) = (None, None);
    }
    (reduce.limits.max_tests, reduce.limits.max_time) =
        (now.max_tests.or(reduce.limits.max_tests), now.max_time.or(reduce.limits.max_time));
    if now.quiet || now.verbose > 0 {
        (reduce.verbosity.quiet, reduce.verbosity.verbose) = (now.quiet, now.verbose);
    }
    Ok(reduce)
}

/// The failure to find a journal at a path. If the path is a result, its journal is next to it, and the hint says so.
pub(super) fn not_found(command: &str, path: &Path, error: JournalError) -> Failure {
    let beside = state_directory(path, &Kept::InPlace);
    if journal_file(path) == journal_file(&beside) || !journal_file(&beside).is_file() {
        return error.into();
    }
    Failure::Usage {
        message: format!("{} is not a journal", path.display()),
        hint: format!("did you mean `lop {command} {}`?", beside.display()),
    }
}

/// Whether a journal was written by this version of lop.
///
/// # Errors
/// When it was not.
pub(super) fn check_version(past: &Past) -> Result<(), JournalError> {
    let (path, found) = (past.path.clone(), past.header.lop.clone());
    if found == VERSION { Ok(()) } else { Err(JournalError::Version { path, found, own: VERSION.to_owned() }) }
}

/// Whether everything that the run depends on is as it was.
///
/// # Errors
/// The first dependency that is not.
pub(super) fn check(past: &Past, now: &Header, settings: &Settings) -> Result<(), JournalError> {
    let foreign = |what, why: String| Err(JournalError::Foreign { path: past.path.clone(), what, why });
    let then = &past.header;
    if then.input != now.input {
        return foreign("input", "the copy in the journal differs".to_owned());
    }
    let changed = match (&settings.output.kept, settings.output.input.found(&Kept::InPlace)) {
        // Steps after damage are unknown; then the file is left as it is.
        (Kept::InPlace, Some(found)) => !knows(past, &settings.output.input, &found) && !past.is_damaged,
        (_, Some(found)) => found != without_words(past, &past.input) && !settings.case.is_piped,
        (_, None) => false,
    };
    if changed {
        return Err(JournalError::Changed { path: past.path.clone(), file: settings.case.path.clone() });
    }
    if then.test != now.test {
        let program = settings.test.oracle.program().display();
        let what = if settings.test.oracle.side_files().is_empty() { "" } else { ", or a --with path," };
        return foreign("test", format!("{program}{what} has changed"));
    }
    if then.grammar != now.grammar {
        return foreign("grammar", format!("it was {}, and is {}", then.grammar, now.grammar));
    }
    Ok(())
}

/// Whether the text `found` in the place of a result is the input, or was judged interesting. It has no words of a
/// command. Several files are replaced one by one: each can belong to another result.
pub(super) fn knows(past: &Past, input: &Input, found: &[u8]) -> bool {
    let are_side_by_side = matches!(input, Input::Files(..));
    if matches!(input, Input::Directory(..)) {
        let members = past.archive.as_ref().map(|archive| archive.members(found)).unwrap_or_default();
        return past.knows(found) || past.knows_members(&members);
    }
    if past.knows(found) || !(are_side_by_side || past.case().words().is_some()) {
        return past.knows(found);
    }
    let texts: Vec<Vec<u8>> = (0..=past.steps.len()).filter_map(|number| past.text(number).ok()).collect();
    if !are_side_by_side {
        return texts.iter().any(|text| without_words(past, text) == found);
    }
    let members = |text: &[u8]| past.archive.as_ref().map(|archive| archive.members(text)).unwrap_or_default();
    let known: Vec<Vec<Member>> = texts.iter().map(|text| members(text)).collect();
    let found = members(found);
    let content = |members: &[Member], path: &[u8]| {
        members.iter().find(|member| member.path == path).map(|member| member.content.clone())
    };
    members(&past.input).iter().all(|Member { path, .. }| {
        let now = content(&found, path);
        known.iter().any(|members| content(members, path) == now)
    })
}

fn without_words(past: &Past, text: &[u8]) -> Vec<u8> {
    past.archive.as_ref().map_or_else(|| text.to_vec(), |archive| archive.without_words(text))
}

fn text(word: &std::ffi::OsStr) -> Text {
    match word.to_str() {
        Some(plain) => Text::Plain(plain.to_owned()),
        None => Text::Bytes(word.as_bytes().to_vec()),
    }
}

pub(super) fn word(text: &Text) -> OsString {
    match text {
        Text::Plain(plain) => OsString::from(plain),
        Text::Bytes(bytes) => OsString::from_vec(bytes.clone()),
    }
}
