//! The way out of each failure, in a sentence.

use std::path::{Path, PathBuf};

use crate::cli::suggestion;
use crate::cli::way_out::way_out;
use crate::disk::Distrusted;
use crate::grammar::{GrammarError, LoadError, LoadedError};
use crate::journal::{JournalError, NAME};
use crate::oracle::{BelongingError, CommandError, ConditionError};
use crate::project::ReadError;
use crate::report::StoreError;
use crate::report::store::original_name;

use super::error::Failure;
use super::lines::REPEATABLE;

/// The way out where something stands under one of lop's names.
const NOT_OURS: &str = "lop has not made this: look at it, and move it away if it is in the way";

/// Where a journal is.
const BESIDE: &str = "the folder of a run stands beside its result: RESULT.lop";

/// The way out, where there is one.
pub(super) fn hint(failure: &Failure) -> Option<String> {
    let hint = match failure {
        Failure::Usage { hint, .. } | Failure::NoCrash { hint, .. } | Failure::Uninteresting { hint, .. } => hint,
        Failure::Patch { .. } => {
            "it has to lead from the files that are there to others, or from others to these: `git diff` makes one"
        }
        Failure::Missing { missing, typed, .. } => {
            return Some(way_out(missing, typed, typed.iter().any(|word| word == "--")));
        }
        Failure::Flaky { .. } => REPEATABLE,
        Failure::Belonging(BelongingError::IsCandidate { .. } | BelongingError::SameName { .. }) => {
            "each thing is beside the candidate under its own name: name a directory above it"
        }
        Failure::Belonging(_) => "--with takes files and directories, and copies each once",
        Failure::Grammar(GrammarError::Unknown { name, known }) => {
            if Path::new(name).exists() {
                return Some(format!("for the parser in {name} write --grammar ./{name}"));
            }
            let nearest = suggestion::nearest(name, known.iter().map(String::as_str));
            return nearest.map(|known| format!("did you mean `{known}`?"));
        }
        Failure::Loaded(error) => return loaded(error),
        Failure::Input { .. } => "FILE stands before `--`, or behind TEST, and has to be there and readable",
        Failure::InputIsDirectory(_) => "name one file in it",
        Failure::Project(ReadError::TooLarge(_)) => "name a directory that has the test case and no more",
        Failure::InputIsSpecial(_) => "write its content to a file and name that, or pipe it into lop and write `-`",
        Failure::Condition(ConditionError::Regex { .. }) => "escape special characters with a backslash: \\( or \\[",
        Failure::Command(CommandError::NotInPath { .. }) => "mend the name, or write the path of the program",
        Failure::Store(StoreError::NotWritable { source, .. }) if Distrusted::cause(source).is_some() => NOT_OURS,
        Failure::Store(StoreError::NotWritable { .. }) => "write the result elsewhere with -o",
        Failure::Store(StoreError::OriginalExists(original)) => {
            let folder = original.with_extension("lop");
            let resume = || format!("if a run was interrupted here, `lop resume {}` goes on with it", folder.display());
            return folder.join("journal").is_file().then(resume);
        }
        Failure::Distrusted(_) => {
            return Some(format!(
                "{NOT_OURS}; or name a folder of your own with --state DIR, or go without a journal by --no-state"
            ));
        }
        Failure::Store(StoreError::OutputIsLink { .. }) => {
            "name the file that it leads to, if that is what you mean, or another"
        }
        Failure::Journal(error) => return journal(error),
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The way out where a parser cannot be used.
fn loaded(error: &LoadedError) -> Option<String> {
    let build = "`tree-sitter build` makes a library of a parser's sources, and npm packages called @ast-grep/lang-NAME \
                 have one";
    match error {
        LoadedError::Library(LoadError::Several { symbols, .. } | LoadError::NoSymbol { symbols, .. })
            if !symbols.is_empty() =>
        {
            Some(format!("choose one by its name behind the path, PATH#NAME: {}", symbols.join(", ")))
        }
        LoadedError::Library(LoadError::NoParser(_) | LoadError::NoSymbol { .. }) => {
            Some(format!("the module of a Python package keeps its parser to itself; {build}"))
        }
        LoadedError::Library(_) | LoadedError::NoParser(_) => Some(build.to_owned()),
        LoadedError::Unread { .. } | LoadedError::Language(_) => None,
    }
}

/// The way out of trouble with a journal.
fn journal(error: &JournalError) -> Option<String> {
    let anew = |path: &PathBuf| {
        let journal = path.display();
        let file = path.parent().filter(|folder| folder.extension().is_some_and(|end| end == "lop"));
        let original = file.map(|folder| original_name(&folder.with_extension("")));
        Some(match original.filter(|original| original.exists()) {
            Some(original) => format!(
                "to begin anew with the best result so far, which is in FILE, remove {journal}, move {} away, and run \
                 the test again",
                original.display()
            ),
            None => {
                format!("to begin anew, remove {journal} or name another folder with --state, and run the test again")
            }
        })
    };
    match error {
        JournalError::Unwritten { .. } => {
            Some("name another folder with --state DIR, or go without a journal by --no-state".to_owned())
        }
        JournalError::Missing(_) => Some(BESIDE.to_owned()),
        // It may be the input itself.
        JournalError::NotAJournal(path) if path.file_name().is_none_or(|name| name != NAME) => Some(BESIDE.to_owned()),
        JournalError::Distrusted(_) => Some(NOT_OURS.to_owned()),
        JournalError::Changed { path, .. } => Some(format!(
            "keep yours under another name; `lop history {} --at 0 -o FILE` writes the run's input again, and then \
             `lop resume` goes on",
            path.display()
        )),
        JournalError::Busy(_) => Some("wait for it to end, or stop it first".to_owned()),
        JournalError::NotAJournal(path)
        | JournalError::Format { path, .. }
        | JournalError::Version { path, .. }
        | JournalError::Foreign { path, .. }
        | JournalError::Damaged { path, .. } => anew(path),
        _ => None,
    }
}
