//! Every error of lop, in the user's words, with its exit code.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use miette::Diagnostic;

use lop_doctor::Missing;
use lop_files::disk::Distrusted;
use lop_files::project;
use lop_grammar::{GrammarError, LoadedError};
use lop_journal::JournalError;
use lop_reduce::KeepError;
use lop_report::StoreError;
use lop_run::exec::StartError;
use lop_run::oracle::{CommandError, ConditionError, ConfineError, Exit, SideFileError};
use lop_syntax::ParseError;

use super::lines::REPEATABLE;
use super::unfinished::{OUT_OF_TIME, STOPPED, Unfinished, stopped};
use crate::exit_code::Code;
use crate::way_out::way_out;

/// Why a user's rules cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[diagnostic(code(grammar))]
pub enum RulesError {
    /// A file, or the folder itself, cannot be read.
    #[error("cannot read {}", path.display())]
    Unread {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// Nothing in the folder is for lop.
    #[error("{} has neither language.toml nor reduce.scm", .0.display())]
    Nothing(PathBuf),
    /// There is no language that the rules could be about.
    #[error("--rules {} needs a language, but FILE is plain text", .0.display())]
    NoGrammar(PathBuf),
}

/// Why lop ends without having reduced.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum Failure {
    /// The command line is wrong or incomplete.
    #[error("{message}")]
    Usage {
        /// The missing or superfluous part.
        message: String,
        /// The way out.
        #[help]
        hint: String,
    },
    /// The test cases don't differ as the command needs.
    #[diagnostic(code(not_interesting))]
    #[error("{message}")]
    Uninteresting {
        /// Their runs, in words.
        message: String,
        /// The way out.
        #[help]
        hint: String,
    },
    /// A crash was insisted on.
    #[diagnostic(code(not_interesting))]
    #[error("the command does not crash on {}: {exit}", path.display())]
    NoCrash {
        /// The file as the user named it.
        path: PathBuf,
        /// How the command ended.
        exit: Exit,
        /// The way out.
        #[help]
        hint: String,
    },
    /// The user, or the limit of time, ended it before the reduction began.
    #[diagnostic(code(stopped_early))]
    #[error("{}", stopped(path, if *out_of_time { OUT_OF_TIME } else { STOPPED }))]
    Stopped {
        /// The file as the user named it.
        path: PathBuf,
        /// Whether it was the limit of time.
        out_of_time: bool,
    },
    /// The file to reduce cannot be read.
    #[diagnostic(help("check the path"))]
    #[error("cannot read {}", path.display())]
    Input {
        /// The file as the user named it.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// A directory instead of a file.
    #[diagnostic(help("name a file in it"))]
    #[error("{} is a directory", .0.display())]
    InputIsDirectory(PathBuf),
    /// A directory that cannot be read.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Project(#[from] project::ReadError),
    /// A patch cannot be applied.
    #[diagnostic(help("DIR must be the state before the patch or after it; `git diff` writes such a patch"))]
    #[error("the patch {} {why}", path.display())]
    Patch {
        /// The file as the user named it.
        path: PathBuf,
        /// Why not.
        why: project::PatchError,
    },
    /// A file to read is a pipe or a device, which can be endless.
    #[diagnostic(help("save its content to a file, or pipe it into lop and write `-` for FILE"))]
    #[error("{} is a pipe or a device, not a regular file", .0.display())]
    InputIsSpecial(PathBuf),
    /// The events cannot be written.
    #[error("cannot write the events to {}", path.display())]
    Json {
        /// The file as the user named it.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The page cannot be written.
    #[error("cannot write the report to {}", path.display())]
    Page {
        /// The file as the user named it.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The test's command cannot be run.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A condition cannot be understood.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// A test misses something in its directory.
    #[diagnostic(help("{}", way_out(missing, typed, typed.iter().any(|word| word == "--"))))]
    #[error("a file is missing in the test's directory: {}", missing.line)]
    Missing {
        /// The test case.
        path: PathBuf,
        /// The file or the module that it misses.
        missing: Missing,
        /// The command line, for the way out.
        typed: Vec<OsString>,
    },
    /// A command has ended in two ways.
    #[diagnostic(code(flaky), help("{REPEATABLE}"))]
    #[error("the test is flaky: one run on {} ended with {first}, another with {other}", path.display())]
    Flaky {
        /// The test case.
        path: PathBuf,
        /// How the first run ended.
        first: Exit,
        /// How the other run ended.
        other: Exit,
    },
    /// Something cannot be put next to the candidate.
    #[diagnostic(transparent)]
    #[error(transparent)]
    SideFile(#[from] SideFileError),
    /// The test cannot be confined as asked for.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// The result cannot be kept in its place.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workers that run the tests cannot be started.
    #[error(transparent)]
    Workers(#[from] StartError),
    /// A grammar or rule file is wrong, or no grammar has the name that was asked for.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A language that is not built in cannot be used.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Loaded(#[from] LoadedError),
    /// A user's rules cannot be used.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The file has no tree that could be shown.
    #[error("cannot parse {}", path.display())]
    Unparsed {
        /// The file as the user named it.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ParseError,
    },
    /// The parts to keep cannot be found.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A journal cannot be created, read or continued.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The shared cache cannot be used.
    #[error("cannot use the cache")]
    Cache(#[source] JournalError),
    /// The system doesn't know the working directory.
    #[error("cannot find the working directory")]
    Directory(#[source] io::Error),
    /// The directory of an interrupted run cannot be entered.
    #[error("cannot enter {}, where the run was started", path.display())]
    Gone {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// Something under one of lop's names is a link, or another user's.
    #[diagnostic(help("{}; or choose another directory with --state DIR, or use --no-state", hint_of(.0)))]
    #[error(transparent)]
    Distrusted(Distrusted),
    /// Signals cannot be watched.
    #[error("cannot watch for Ctrl-C")]
    Signals(#[source] io::Error),
    /// The reduction has no result.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Reduce(Box<Unfinished>),
    /// The result cannot be put in its place at the end.
    #[diagnostic(code(failed))]
    #[error("cannot write the result to {place}; {kept}")]
    Result {
        /// Where it belongs.
        place: String,
        /// Where it is instead, as a sentence.
        kept: String,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The output of lop cannot be written.
    #[diagnostic(code(failed))]
    #[error("cannot write the output")]
    Output(#[source] io::Error),
}

impl Failure {
    /// Adds the command line, if the hint is made from it.
    pub(crate) fn typed_as(self, line: &[OsString]) -> Self {
        match self {
            Failure::Missing { path, missing, .. } => Failure::Missing { path, missing, typed: line.to_vec() },
            other => other,
        }
    }

    /// Takes an error of writing to standard output: a reader that has seen enough is none, nor is a terminal that was
    /// closed.
    ///
    /// # Errors
    /// Any other error.
    pub fn unless_closed(error: io::Error) -> Result<(), Failure> {
        let is_hung_up = rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::IO);
        if error.kind() == io::ErrorKind::BrokenPipe || is_hung_up { Ok(()) } else { Err(Failure::Output(error)) }
    }

    /// Returns the exit code, which the error's diagnostic code names.
    #[must_use]
    pub fn code(&self) -> Code {
        let named = Diagnostic::code(self).and_then(|code| Code::named(&code.to_string()));
        named.unwrap_or(Code::CouldNotStart)
    }

    /// The error, in a line.
    #[must_use]
    pub fn headline(&self) -> String {
        match self {
            Failure::Reduce(run) => run.headline(),
            other => other.to_string(),
        }
    }
}

/// Returns the hint of an error, or nothing.
pub(super) fn hint_of(error: &dyn Diagnostic) -> String {
    error.help().map(|help| help.to_string()).unwrap_or_default()
}
