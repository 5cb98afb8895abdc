//! The hint for each failure: what to do next, in a sentence.

use std::path::{Path, PathBuf};

use crate::suggestion;
use crate::way_out::way_out;
use lop_files::disk::Distrusted;
use lop_files::project::ReadError;
use lop_grammar::{GrammarError, LoadError, LoadedError};
use lop_journal::{JournalError, NAME};
use lop_report::StoreError;
use lop_report::store::original_name;
use lop_run::oracle::{CommandError, ConditionError, SideFileError};

use super::error::Failure;
use super::lines::REPEATABLE;

/// The hint if something else has one of lop's names.
const NOT_OURS: &str = "lop did not create this; check it, and move it away if you don't need it there";

/// Where a journal is.
const PLACE: &str = "lop keeps the directory of a run next to its result, as RESULT.lop";

/// Returns the hint for a failure, if there is one.
pub(super) fn hint(failure: &Failure) -> Option<String> {
    let hint = match failure {
        Failure::Usage { hint, .. } | Failure::NoCrash { hint, .. } | Failure::Uninteresting { hint, .. } => hint,
        Failure::Patch { .. } => "DIR must be the state before the patch or after it; `git diff` writes such a patch",
        Failure::Missing { missing, typed, .. } => {
            return Some(way_out(missing, typed, typed.iter().any(|word| word == "--")));
        }
        Failure::Flaky { .. } => REPEATABLE,
        Failure::SideFile(SideFileError::IsCandidate { .. } | SideFileError::SameName { .. }) => {
            "tests find each --with path under its own name; name a directory above it"
        }
        Failure::SideFile(_) => "--with takes regular files and directories",
        Failure::Grammar(GrammarError::Unknown { name, known }) => {
            if Path::new(name).exists() {
                return Some(format!("to use the parser in {name}, write --grammar ./{name}"));
            }
            let nearest = suggestion::nearest(name, known.iter().map(String::as_str));
            return nearest.map(|known| format!("did you mean `{known}`?"));
        }
        Failure::Loaded(error) => return loaded(error),
        Failure::Input { .. } => "check the path",
        Failure::InputIsDirectory(_) => "name a file in it",
        Failure::Project(ReadError::TooLarge(_)) => "name a directory that holds only the test case",
        Failure::InputIsSpecial(_) => "save its content to a file, or pipe it into lop and write `-` for FILE",
        Failure::Condition(ConditionError::Regex { .. }) => "escape special characters with a backslash: \\( or \\[",
        Failure::Command(CommandError::NotInPath { .. }) => "check the spelling, or write the path of the program",
        Failure::Store(StoreError::NotWritable { source, .. }) if Distrusted::cause(source).is_some() => NOT_OURS,
        Failure::Store(StoreError::NotWritable { .. }) => "write the result elsewhere with -o",
        Failure::Store(StoreError::OriginalExists(original)) => {
            let folder = original.with_extension("lop");
            let resume = || format!("to continue an interrupted run: lop resume {}", folder.display());
            return folder.join("journal").is_file().then(resume);
        }
        Failure::Distrusted(_) => {
            return Some(format!("{NOT_OURS}; or choose another directory with --state DIR, or use --no-state"));
        }
        Failure::Store(StoreError::OutputIsLink { .. }) => "name the file that the link points to, or another file",
        Failure::Journal(error) => return journal(error),
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Returns the hint for a parser that cannot be used.
fn loaded(error: &LoadedError) -> Option<String> {
    let build = "build a library from the parser's sources with `tree-sitter build`, or install an npm package called \
                 @ast-grep/lang-NAME, which has one";
    match error {
        LoadedError::Library(LoadError::Several { symbols, .. } | LoadError::NoSymbol { symbols, .. })
            if !symbols.is_empty() =>
        {
            Some(format!("choose one with PATH#NAME: {}", symbols.join(", ")))
        }
        LoadedError::Library(LoadError::NoParser(_) | LoadError::NoSymbol { .. }) => {
            Some(format!("a Python package doesn't export its parser; {build}"))
        }
        LoadedError::Library(_) | LoadedError::NoParser(_) => Some(build.to_owned()),
        LoadedError::Unread { .. } | LoadedError::Language(_) => None,
    }
}

/// Returns the hint for trouble with a journal.
fn journal(error: &JournalError) -> Option<String> {
    let again = |path: &PathBuf| {
        let journal = path.display();
        let file = path.parent().filter(|folder| folder.extension().is_some_and(|end| end == "lop"));
        let original = file.map(|folder| original_name(&folder.with_extension("")));
        Some(match original.filter(|original| original.exists()) {
            Some(original) => format!(
                "FILE holds the best result so far; to start again from it, remove {journal} and move {} away",
                original.display()
            ),
            None => {
                format!("to start again, remove {journal}, or choose another directory with --state")
            }
        })
    };
    match error {
        JournalError::Unwritten { .. } => {
            Some("choose another directory with --state DIR, or use --no-state".to_owned())
        }
        JournalError::Missing(_) => Some(PLACE.to_owned()),
        // It may be the input itself.
        JournalError::NotAJournal(path) if path.file_name().is_none_or(|name| name != NAME) => Some(PLACE.to_owned()),
        JournalError::Distrusted(_) => Some(NOT_OURS.to_owned()),
        JournalError::Changed { path, .. } => Some(format!(
            "save your version under another name, restore the input with `lop history {} --at 0 -o FILE`, and run \
             `lop resume` again",
            path.display()
        )),
        JournalError::Busy(_) => Some("wait until it ends, or stop it first".to_owned()),
        JournalError::NotAJournal(path)
        | JournalError::Format { path, .. }
        | JournalError::Version { path, .. }
        | JournalError::Foreign { path, .. }
        | JournalError::Damaged { path, .. } => again(path),
        _ => None,
    }
}
