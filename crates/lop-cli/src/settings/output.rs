//! The path of the result, and the files next to it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::files::{CheckedFiles, is_same};
use crate::options::ReduceArgs;
use crate::piped::is_stdout;
use lop_journal::Past;
use lop_report::{Input, Kept, Store, state_directory};
use lop_run::oracle::Subject;

use super::case::Case;
use super::forms::Test;

/// The place of the result.
#[derive(Debug)]
pub struct Output {
    /// The place of the result.
    pub kept: Kept,
    /// The input, whose place the result takes unless it has another one.
    pub input: Input,
    /// The folder of the journal, if there is one.
    pub state: Option<PathBuf>,
    /// The folder of the shared cache.
    pub cache: Option<PathBuf>,
}

impl Output {
    /// Opens the place of the result for these paths; an interrupted run has a journal.
    ///
    /// # Errors
    /// A name that is taken by something that the run needs, a place that cannot be written.
    pub(super) fn open(
        args: &ReduceArgs,
        paths: &[PathBuf],
        case: &Case,
        (test, program): (&Test, &Path),
        past: Option<&Past>,
    ) -> Result<(Self, Store), Failure> {
        let given = paths.first().unwrap_or(&case.path).as_path();
        let kept = match &args.result.output {
            None if case.is_piped || paths.is_empty() => Kept::Stdout,
            None => Kept::InPlace,
            Some(output) if is_stdout(output) => Kept::Stdout,
            Some(output) => Kept::File(output.clone()),
        };
        if let (Subject::Directory(real, _), Kept::InPlace) = (&case.subject, &kept)
            && std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|here| here.starts_with(real))
        {
            return Err(Failure::Usage {
                message: format!("cannot replace {}: it contains the current directory", given.display()),
                hint: "run lop from its parent directory, or write the result elsewhere with -o OUT".to_owned(),
            });
        }
        if let (Subject::Directory(real, _), Kept::InPlace) = (&case.subject, &kept)
            && fs::canonicalize(program).is_ok_and(|program| program.starts_with(real))
        {
            return Err(Failure::Usage {
                message: format!("the test {} is inside the directory to reduce", program.display()),
                hint: "move it elsewhere, or write the result elsewhere with -o OUT".to_owned(),
            });
        }
        let is_special = |found: fs::Metadata| !found.is_file() && case.project.is_none();
        if kept == Kept::InPlace && fs::metadata(&case.path).map_or(true, is_special) {
            return Err(Failure::InputIsSpecial(case.path.clone()));
        }
        let files = CheckedFiles {
            input: given,
            program,
            output: if let Kept::File(output) = &kept { Some(output) } else { None },
            made: args.generator.made.as_deref(),
            json: args.json.json.as_deref().filter(|json| !is_stdout(json)),
            report: args.reporting.report.as_deref(),
        };
        files.check()?;
        // With -o a program that reads itself may be the test of itself.
        if (kept == Kept::InPlace || matches!(test, Test::File(_))) && is_same(given, program) {
            return Err(Failure::Usage {
                message: format!("{} is both the test and the file to reduce", given.display()),
                hint: "lop TEST FILE: TEST is the script that checks a candidate, FILE is the file to reduce"
                    .to_owned(),
            });
        }
        let input = match &case.subject {
            Subject::File(_) => Input::File(given.to_owned()),
            Subject::Directory(_, archive) => Input::Directory(given.to_owned(), archive.clone()),
            Subject::Files(names, archive) if names.is_empty() => Input::Command(case.path.clone(), archive.clone()),
            Subject::Files(names, archive) => {
                Input::Files(names.iter().cloned().zip(paths.iter().cloned()).collect(), archive.clone())
            }
        };
        let store = match past {
            None => {
                let mut store = Store::open(input.clone(), &kept)?;
                store.expect(&case.content);
                store
            }
            Some(past) => Store::reopen(input.clone(), &kept, &past.input, &|found| past.knows_members(found))?,
        };
        let usual = || usual_folder(given, &kept).filter(|_| store.is_file() && !args.state.no_state);
        let state = args.state.state.clone().or_else(usual);
        Ok((Output { kept, input, state, cache: args.state.cache.clone() }, store))
    }

    /// Names the place of the result.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.kept {
            Kept::InPlace => self.input.path().display().to_string(),
            Kept::File(output) => output.display().to_string(),
            Kept::Stdout => "standard output".to_owned(),
        }
    }

    /// Names the place where the result is, even if it could not be written to its own.
    #[must_use]
    pub fn place_in(&self, store: &Store) -> String {
        let moved = store.moved_to().or_else(|| store.beside().map(Path::to_owned));
        moved.map_or_else(|| self.place(), |path| path.display().to_string())
    }
}

/// Returns the default place of the journal: next to the result.
fn usual_folder(input: &Path, kept: &Kept) -> Option<PathBuf> {
    (!matches!(kept, Kept::Stdout)).then(|| state_directory(input, kept))
}
