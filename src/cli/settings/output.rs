//! The place of the result, and what is kept beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::args::ReduceArgs;
use crate::cli::failure::Failure;
use crate::cli::files::{Files, is_same};
use crate::cli::piped::is_stdout;
use crate::journal::Past;
use crate::report::{Kept, Store, state_directory};

use super::case::Case;
use super::forms::Test;

/// The place of the result.
#[derive(Debug)]
pub struct Output {
    /// Where the result goes.
    pub kept: Kept,
    /// The open place of the result.
    pub store: Store,
    /// The folder of the journal, if there is one.
    pub state: Option<PathBuf>,
    /// The folder of the shared cache.
    pub cache: Option<PathBuf>,
}

impl Output {
    /// Opens the place of the result of `given`; that of an interrupted run has its journal.
    ///
    /// # Errors
    /// A name that is taken by something that the run needs, a place that cannot be written.
    pub(super) fn open(
        args: &ReduceArgs,
        given: &Path,
        case: &Case,
        (test, program): (&Test, &Path),
        past: Option<&Past>,
    ) -> Result<Self, Failure> {
        let kept = match &args.output {
            None if case.is_piped => Kept::Stdout,
            None => Kept::InPlace,
            Some(output) if is_stdout(output) => Kept::Stdout,
            Some(output) => Kept::File(output.clone()),
        };
        if kept == Kept::InPlace && !fs::metadata(&case.path).is_ok_and(|found| found.is_file()) {
            return Err(Failure::InputIsSpecial(case.path.clone()));
        }
        let files = Files {
            input: given,
            program,
            output: if let Kept::File(output) = &kept { Some(output) } else { None },
            json: args.json.as_deref().filter(|json| !is_stdout(json)),
            report: args.reporting.report.as_deref(),
        };
        files.check()?;
        // With -o a program that reads itself may be the test of itself.
        if (kept == Kept::InPlace || matches!(test, Test::File(_))) && is_same(given, program) {
            return Err(Failure::Usage {
                message: format!("{} is both the test and the file to reduce", given.display()),
                hint: "lop TEST FILE: TEST is the script that looks at a candidate, FILE what gets smaller".to_owned(),
            });
        }
        let store = match past {
            None => {
                let mut store = Store::open(given, &kept)?;
                store.expect(&case.content);
                store
            }
            Some(past) => Store::reopen(given, &kept, &past.input)?,
        };
        let usual = || usual_folder(given, &kept).filter(|_| store.is_file() && !args.state.no_state);
        let state = args.state.state.clone().or_else(usual);
        Ok(Output { kept, store, state, cache: args.state.cache.clone() })
    }
}

/// Where the journal of a run is kept unless the user says where: beside the result.
fn usual_folder(input: &Path, kept: &Kept) -> Option<PathBuf> {
    (!matches!(kept, Kept::Stdout)).then(|| state_directory(input, kept))
}
