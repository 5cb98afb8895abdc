//! Everything that can go wrong, in the user's words: what happened, to which file, and what to do
//! next, with the exit code that goes with it.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::disk::Distrusted;
use crate::doctor::Missing;
use crate::exec::StartError;
use crate::grammar::{GrammarError, LoadError, LoadedError};
use crate::journal::JournalError;
use crate::oracle::{BelongingError, CommandError, ConditionError, ConfineError, Exit, Outcome, Unresolved};
use crate::reduce::{BASELINE_DEADLINE, KeepError, ReduceError, SyntaxCause};
use crate::report::StoreError;
use crate::report::store::original_name;
use crate::report::text::{self, BAD, FAINT, HINT, STRONG, shown};
use crate::syntax::ParseError;

use super::exit_code::Code;
use super::suggestion;
use super::way_out::way_out;

/// The way out with a flaky test.
const REPEATABLE: &str = "make the test repeatable (fixed seeds, no addresses, times or temporary names in what it looks \
                          for), or go on with --allow-flaky";

/// The ways to say by oneself what is interesting.
pub(super) const BY_HAND: &str =
    "say what is interesting with --stderr RE, --stdout RE, --signal NAME or --exit-code N";

/// Why a user's rules cannot be used.
#[derive(Debug, thiserror::Error)]
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
    #[error("--rules {} adds to a language, and this is text without a grammar", .0.display())]
    NoGrammar(PathBuf),
}

/// Lines of a test's output that are shown.
const TAIL: usize = 12;

/// Why lop ends without having reduced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The command line does not say what to do.
    #[error("{message}")]
    Usage {
        /// The missing or superfluous part.
        message: String,
        /// The way out.
        hint: String,
    },
    /// A crash was insisted on.
    #[error("the command does not crash on {}: {exit}", path.display())]
    NoCrash {
        /// The file as the user named it.
        path: PathBuf,
        /// How the command ended.
        exit: Exit,
        /// The way out.
        hint: String,
    },
    /// The user, or the limit of time, ended it before the reduction began.
    #[error("{}", stopped(path, if *out_of_time { OUT_OF_TIME } else { STOPPED }))]
    Stopped {
        /// The file as the user named it.
        path: PathBuf,
        /// Whether it was the limit of time.
        out_of_time: bool,
    },
    /// The file to reduce cannot be read.
    #[error("cannot read {}", path.display())]
    Input {
        /// The file as the user named it.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The file to reduce is a directory.
    #[error("{} is a directory; lop reduces a file", .0.display())]
    InputIsDirectory(PathBuf),
    /// The file to reduce is a pipe or a device, which cannot be replaced.
    #[error("{} is not a regular file and cannot be replaced; write the result elsewhere with -o", .0.display())]
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
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A condition cannot be understood.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// A test misses something in a directory of its own.
    #[error("the test does not find in a directory of its own what it finds here: {}", missing.line)]
    Missing {
        /// The test case.
        path: PathBuf,
        /// The file or the module that it misses.
        missing: Missing,
        /// The command line, for the way out.
        typed: Vec<OsString>,
    },
    /// A command has ended in two ways.
    #[error("the test is flaky: two runs on {} did not end alike, but with {first} and with {other}", path.display())]
    Flaky {
        /// The test case.
        path: PathBuf,
        /// How the first run ended.
        first: Exit,
        /// How the other one did.
        other: Exit,
    },
    /// Something cannot be put beside the candidate.
    #[error(transparent)]
    Belonging(#[from] BelongingError),
    /// The test cannot be confined as asked for.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// The result cannot be kept where it was asked to be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workers that run the tests cannot be started.
    #[error(transparent)]
    Workers(#[from] StartError),
    /// A grammar or rule file is wrong, or no grammar has the name that was asked for.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A language that is not built in cannot be used.
    #[error(transparent)]
    Loaded(#[from] LoadedError),
    /// A user's rules cannot be used.
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
    /// A journal cannot be made, read or gone on with.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The shared cache cannot be used.
    #[error("cannot use the cache")]
    Cache(#[source] JournalError),
    /// The system does not tell where lop was started.
    #[error("cannot tell the working directory")]
    Directory(#[source] io::Error),
    /// The directory of an interrupted run cannot be gone to.
    #[error("cannot go to {}, where the run was started", path.display())]
    Gone {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// Something under one of lop's names is a link, or another user's.
    #[error(transparent)]
    Distrusted(Distrusted),
    /// Signals cannot be watched.
    #[error("cannot watch for Ctrl-C")]
    Signals(#[source] io::Error),
    /// The reduction did not come to a result.
    #[error(transparent)]
    Reduce(Box<Unfinished>),
    /// The result cannot be put in its place at the end.
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
    #[error("cannot write the output")]
    Output(#[source] io::Error),
}

/// A reduction that did not come to a result, and what a reader needs to see why.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Unfinished {
    /// The error.
    #[source]
    pub error: ReduceError,
    /// The file as the user named it.
    pub input: PathBuf,
    /// The test as a shell line.
    pub test: String,
    /// The conditions of an interesting outcome, in words.
    pub wanted: String,
    /// Whether the test is a command without a condition.
    pub says_nothing: bool,
    /// The missing file or module of a test that refuses its own input, and the command line, if they are known.
    pub missing: Option<(Missing, Vec<OsString>)>,
    /// Where the best result so far is, as a sentence, if there is one.
    pub kept: Option<String>,
}

impl Failure {
    /// The same with the command line, where the way out is made of it.
    pub(super) fn typed_as(self, line: &[OsString]) -> Self {
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

    /// The exit code that goes with it.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            // A name that does not exist is a slip of the command line, not a broken rule file.
            Failure::Grammar(GrammarError::Unknown { .. }) => Code::CouldNotStart,
            Failure::Grammar(_) | Failure::Loaded(_) | Failure::Rules(_) => Code::Grammar,
            Failure::NoCrash { .. } => Code::NotInteresting,
            Failure::Stopped { .. } => Code::StoppedEarly,
            Failure::Flaky { .. } => Code::Flaky,
            Failure::Output(_) | Failure::Result { .. } => Code::Failed,
            Failure::Reduce(run) => match run.error {
                ReduceError::NotInteresting { .. } => Code::NotInteresting,
                ReduceError::Flaky { .. } | ReduceError::InTurns { .. } => Code::Flaky,
                ReduceError::Config(_)
                | ReduceError::PassName(_)
                | ReduceError::NoPass(_)
                | ReduceError::Syntax { .. }
                | ReduceError::EmptyIsInteresting
                | ReduceError::Unresolved { best: None, .. } => Code::CouldNotStart,
                ReduceError::Cancelled | ReduceError::OutOfTime | ReduceError::OutOfTests => Code::StoppedEarly,
                _ => Code::Failed,
            },
            _ => Code::CouldNotStart,
        }
    }

    /// Says it on standard error. Where that is closed, the exit code has to be enough.
    pub fn report(&self) {
        let _ = self.write(&mut text::stderr());
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{BAD}error:{BAD:#} {}", self.in_lines())?;
        match self {
            Failure::Reduce(run) => run.explain(out),
            Failure::Missing { missing, typed, .. } => {
                hint_line(out, &way_out(missing, typed, typed.iter().any(|word| word == "--")))
            }
            Failure::Flaky { .. } => hint_line(out, REPEATABLE),
            Failure::Belonging(error) => {
                causes(out, self)?;
                match error {
                    BelongingError::IsCandidate { .. } | BelongingError::SameName { .. } => hint_line(
                        out,
                        "each thing is beside the candidate under its own name: name a directory above it",
                    ),
                    _ => hint_line(out, "--with takes files and directories, and copies each once"),
                }
            }
            Failure::Usage { hint, .. } | Failure::NoCrash { hint, .. } => hint_line(out, hint),
            Failure::Grammar(GrammarError::Unknown { name, known }) => {
                if Path::new(name).exists() {
                    return hint_line(out, &format!("for the parser in {name} write --grammar ./{name}"));
                }
                match suggestion::nearest(name, known.iter().map(String::as_str)) {
                    Some(known) => hint_line(out, &format!("did you mean `{known}`?")),
                    None => Ok(()),
                }
            }
            Failure::Loaded(error) => {
                causes(out, self)?;
                loaded_hint(error).map_or(Ok(()), |hint| hint_line(out, &hint))
            }
            Failure::Input { .. } => {
                causes(out, self)?;
                hint_line(out, "FILE stands before `--`, or behind TEST, and has to be there and readable")
            }
            Failure::InputIsDirectory(_) => hint_line(out, "name one file in it; the others stay as they are"),
            Failure::Condition(ConditionError::Regex { .. }) => {
                causes(out, self)?;
                hint_line(out, "a sign that is meant as it stands takes a backslash before it: \\( or \\[")
            }
            Failure::Command(CommandError::NotInPath { .. }) => {
                causes(out, self)?;
                hint_line(out, "mend the name, or write the path of the program")
            }
            Failure::Store(StoreError::NotWritable { source, .. }) if Distrusted::cause(source).is_some() => {
                causes(out, self)?;
                hint_line(out, "lop has not made this: look at it, and remove it if you do not need it")
            }
            Failure::Store(StoreError::NotWritable { .. }) => {
                causes(out, self)?;
                hint_line(out, "write the result elsewhere with -o")
            }
            Failure::Store(StoreError::OriginalExists(original)) => {
                causes(out, self)?;
                let folder = original.with_extension("lop");
                if !folder.join("journal").is_file() {
                    return Ok(());
                }
                hint_line(
                    out,
                    &format!("if a run was interrupted here, `lop resume {}` goes on with it", folder.display()),
                )
            }
            Failure::Distrusted(_) => hint_line(
                out,
                "lop has not made this: look at it, and remove it if you do not need it; or name a folder of your own \
                 with --state DIR, or go without a journal by --no-state",
            ),
            Failure::Store(StoreError::OutputIsLink { .. }) => {
                hint_line(out, "name the file that it leads to, if that is what you mean, or another")
            }
            Failure::Journal(error) => {
                causes(out, self)?;
                match journal_hint(error) {
                    Some(hint) => hint_line(out, &hint),
                    None => Ok(()),
                }
            }
            other => causes(out, other),
        }
    }

    /// The error, with nothing hidden in it. An error in a file of rules has several lines.
    fn in_lines(&self) -> String {
        match self {
            Failure::Grammar(_) | Failure::Loaded(LoadedError::Language(_)) | Failure::Rules(_) | Failure::Keep(_) => {
                shown(self.headline().as_bytes())
            }
            _ => text::one_line(&self.headline()),
        }
    }

    /// The error, in a line.
    #[must_use]
    pub fn headline(&self) -> String {
        match self {
            Failure::Reduce(run) => {
                let input = run.input.display();
                match &run.error {
                    ReduceError::NotInteresting { .. } => format!("{input} is not interesting: its own test says no"),
                    ReduceError::EmptyIsInteresting if run.says_nothing => {
                        format!("the command succeeds on {input}, and on an empty file: there is no failure to keep")
                    }
                    ReduceError::EmptyIsInteresting => {
                        "the test says that the empty file is interesting, so it does not look for anything".to_owned()
                    }
                    ReduceError::Cancelled => stopped(&run.input, STOPPED),
                    ReduceError::OutOfTime => stopped(&run.input, OUT_OF_TIME),
                    ReduceError::OutOfTests => stopped(&run.input, "the tests of --max-tests were spent"),
                    ReduceError::Sink { source, .. } => format!("reducing {input} stopped: {source}"),
                    ReduceError::Syntax { wanted, cause } => format!("{input} cannot stay {wanted}: {cause}"),
                    other => format!("{input}: {other}"),
                }
            }
            other => other.to_string(),
        }
    }
}

/// The way out where a parser cannot be used.
fn loaded_hint(error: &LoadedError) -> Option<String> {
    let build = "`tree-sitter build` makes a library of a parser's sources, and npm packages called @ast-grep/lang-NAME \
                 have one";
    match error {
        LoadedError::Library(LoadError::Several { symbols, .. } | LoadError::NoSymbol { symbols, .. })
            if !symbols.is_empty() =>
        {
            Some(format!("choose one with --grammar-symbol: {}", symbols.join(", ")))
        }
        LoadedError::Library(LoadError::NoParser(_) | LoadError::NoSymbol { .. }) => {
            Some(format!("the module of a Python package keeps its parser to itself; {build}"))
        }
        LoadedError::Library(_) | LoadedError::NoParser(_) => Some(build.to_owned()),
        LoadedError::Unread { .. } | LoadedError::Language(_) => None,
    }
}

impl Unfinished {
    /// Writes what is below the headline.
    fn explain(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.error {
            ReduceError::NotInteresting { outcome } => {
                self.show_run(out, outcome)?;
                if self.says_nothing {
                    hint_line(out, &format!("nothing was found that is special about this failure: {BY_HAND}"))?;
                }
                let name = self.input.file_name().unwrap_or_default().to_string_lossy();
                if self.says_nothing && !self.test.contains("@@") && !self.test.contains(&*name) {
                    let hint =
                        "the command gets the candidate on its standard input only; write @@ where the path belongs";
                    return hint_line(out, hint);
                }
                if let Some((missing, typed)) = &self.missing {
                    let is_command = typed.iter().any(|word| word == "--");
                    return hint_line(out, &way_out(missing, typed, is_command));
                }
                for hint in hints(outcome) {
                    hint_line(out, &hint)?;
                }
            }
            ReduceError::Flaky { outcome, .. } => {
                self.show_run(out, outcome)?;
                hint_line(out, REPEATABLE)?;
            }
            ReduceError::InTurns { outcome, .. } => {
                self.show_run(out, outcome)?;
                hint_line(
                    out,
                    "make the test independent of its earlier runs: it may count them, or find a file that one of them \
                     has left behind",
                )?;
            }
            ReduceError::EmptyIsInteresting => {
                field(out, "test", &self.test)?;
                if self.says_nothing {
                    hint_line(
                        out,
                        "check that the command fails on the file, or say what is interesting with --stdout RE, \
                         --stderr RE, --exit-code N or --signal NAME",
                    )?;
                    return Ok(());
                }
                hint_line(
                    out,
                    "usually such a test reads the original by its absolute path instead of the candidate; let it \
                     look for the very message or output of the bug in the candidate. If the empty file is really a \
                     fine result, --allow-empty goes on",
                )?;
            }
            ReduceError::Syntax { wanted, cause: SyntaxCause::Otherwise(_) } => {
                hint_line(out, &format!("leave --must-stay-{wanted} out, or use the other one"))?;
            }
            ReduceError::Unresolved { .. } => field(out, "test", &self.test)?,
            _ => {}
        }
        match &self.kept {
            Some(sentence) => field(out, "kept", sentence),
            None => Ok(()),
        }
    }

    fn show_run(&self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        field(out, "test", &self.test)?;
        field(out, "wanted", &self.wanted)?;
        run(out, outcome)
    }
}

fn field(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "  {STRONG}{name:<7}{STRONG:#} {}", text::one_line(value))
}

fn hint_line(out: &mut dyn Write, hint: &str) -> io::Result<()> {
    writeln!(out, "{HINT}hint:{HINT:#} {}", text::one_line(hint))
}

/// How the test ended and what it wrote last.
fn run(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let answer = text::verdict(outcome.verdict);
    field(out, "ended", &format!("{} after {}: {answer}", outcome.exit, text::duration(outcome.duration)))?;
    if let Some(note) = &outcome.note {
        field(out, "note", note)?;
    }
    if let Some(Unresolved::Failed(message)) = &outcome.unresolved {
        field(out, "because", message)?;
    }
    let streams = [("stdout", &outcome.stdout_tail), ("stderr", &outcome.stderr_tail)];
    for (name, bytes) in streams {
        let lines = text::tail(bytes, TAIL);
        if lines.is_empty() {
            writeln!(out, "  {STRONG}{name:<7}{STRONG:#} {FAINT}(nothing){FAINT:#}")?;
            continue;
        }
        writeln!(out, "  {STRONG}{name}{STRONG:#}")?;
        for line in lines {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// The way out of trouble with a journal.
fn journal_hint(error: &JournalError) -> Option<String> {
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
        JournalError::Missing(_) => Some("the folder of a run stands beside its result: RESULT.lop".to_owned()),
        JournalError::Distrusted(_) => {
            Some("lop has not made this: look at it, and remove it if you do not need it".to_owned())
        }
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

/// The reason for the end of a run that was stopped.
const STOPPED: &str = "stopped";

/// Why a run ended that had no time left.
const OUT_OF_TIME: &str = "the time of --max-time was over";

/// The message on a run that ended before it could begin.
fn stopped(path: &Path, why: &str) -> String {
    format!("{why} before {} was judged; nothing was changed", path.display())
}

/// The usual problems of a test that refuses its own input.
fn hints(outcome: &Outcome) -> Vec<String> {
    let mut hints = Vec::new();
    match outcome.exit {
        Exit::Code(127) => hints.push("127 is a shell's code for a command that it did not find".to_owned()),
        Exit::Code(126) => hints.push("126 is a shell's code for a file that it could not execute".to_owned()),
        Exit::TimedOut if outcome.note.is_some() => hints.push(
            "give the command its input from a file (`< /dev/null`), or run it without a terminal by `setsid -w`"
                .to_owned(),
        ),
        Exit::TimedOut => hints.push(format!(
            "give the test more time with --timeout SECS; without it the first run has {} s",
            BASELINE_DEADLINE.as_secs()
        )),
        _ => {}
    }
    let said = [outcome.stdout_tail.as_slice(), &outcome.stderr_tail].concat();
    let said = String::from_utf8_lossy(&said);
    // A carriage return is a part of the last word of a line for a shell, and so of a message about it.
    if ["\r:", "\r':", "'$'\\r'"].iter().any(|words| said.contains(words)) {
        hints.push("the lines of the test's script end in CRLF; use dos2unix".to_owned());
    // Shells say less than the C library does.
    } else if said.contains("No such file") {
        hints.push(
            "tests run in a directory that holds only the candidate: name every other file by its absolute path"
                .to_owned(),
        );
    }
    if hints.is_empty() {
        hints.push("run the test by hand in an empty directory that holds a copy of the file".to_owned());
    }
    hints
}

/// The chain of causes below an error, each on lines of its own. Some (regular expressions) draw
/// with several lines.
fn causes(out: &mut dyn Write, error: &dyn Error) -> io::Result<()> {
    let mut cause = error.source();
    while let Some(error) = cause {
        for line in error.to_string().lines() {
            writeln!(out, "  {}", text::one_line(line))?;
        }
        cause = error.source();
    }
    Ok(())
}
