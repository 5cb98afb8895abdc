//! The lab of lop on the command line: from the arguments to tables, figures and results.

mod args;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lop_grammar::{AUTO, Registry};
use lop_lab::algorithms::published::{Published, PublishedConfig};
use lop_lab::compare::{self, Cell, Direction, Plan, Problem};
use lop_lab::files::{
    Documents, FileError, FileProblem, GenerateError, Generator, Granularity, compare_documents, compare_file,
    compare_pair, reduce_file,
};
use lop_lab::reduce::Method;
use lop_lab::tables;
use lop_languages::LANGUAGES;
use lop_reduce::ReduceError;
use lop_run::exec::{self, Executor, Jobs, StartError};
use lop_run::oracle::{Cancel, CommandOracle, ConditionSpec, Conditions, Oracle, SlotOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use args::{Cli, Command, CompareArgs, GranularityArg, ReduceArgs};

/// The way out when an algorithm is not known.
const ALL_ALGORITHMS: &str = "without --algorithm all of them run";

/// Workers for which rounds are counted when nothing is asked for.
const WORKERS: [usize; 4] = [1, 4, 16, 64];

/// Trials of a simulated problem.
const TRIALS: usize = 20;

/// The path that means standard output.
const STDOUT: &str = "-";

/// The input is not interesting.
const NOT_INTERESTING: u8 = 1;
/// It could not start, or was typed wrong.
const NOT_STARTED: u8 = 2;
/// It was stopped.
const STOPPED: u8 = 3;

/// A message, the way out, and the exit code.
struct Failure {
    message: String,
    hint: String,
    code: u8,
}

impl Failure {
    fn new(message: impl Into<String>, hint: &str) -> Self {
        Failure { message: message.into(), hint: hint.to_owned(), code: NOT_STARTED }
    }

    /// An error with its causes.
    fn because(error: &dyn std::error::Error, hint: &str) -> Self {
        let causes = std::iter::successors(error.source(), |error| error.source());
        Failure::new(causes.fold(error.to_string(), |all, cause| format!("{all}: {cause}")), hint)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let (code, hint) = match &error {
            FileError::Reduce(ReduceError::NotInteresting { .. }) => {
                (NOT_INTERESTING, "the test says no to the file itself")
            }
            FileError::Reduce(ReduceError::Cancelled) => (STOPPED, "the best result so far stays"),
            FileError::Algorithm(_) => (NOT_STARTED, ALL_ALGORITHMS),
            FileError::PassIsInteresting => {
                (NOT_INTERESTING, "the form is TEST FILE PASS, and the test says no to PASS")
            }
            FileError::EmptyIsInteresting => {
                (NOT_STARTED, "let the test look for what is interesting in the candidate")
            }
            FileError::Parse(_) => (NOT_STARTED, "lines need no grammar: --granularity line"),
            _ => (NOT_STARTED, "see lop-lab --help"),
        };
        Failure { code, ..Failure::because(&error, hint) }
    }
}

fn main() -> ExitCode {
    lop::install_allocator();
    let result = match Cli::parse().command {
        Command::Compare(args) => compare_all(args),
        Command::Reduce(args) => reduce(args),
    };
    let Err(Failure { message, hint, code }) = result else { return ExitCode::SUCCESS };
    // If standard error is closed, the exit code has to be enough.
    let _ = writeln!(anstream::stderr(), "error: {message}\n  hint: {hint}");
    code.into()
}

/// A file with its test.
struct Subject {
    file: PathBuf,
    oracle: Arc<dyn Oracle>,
    cancel: Cancel,
}

impl Subject {
    fn new(test: &Path, file: &Path) -> Result<Self, Failure> {
        let conditions = Conditions::new(&ConditionSpec::default()).expect("none are asked for");
        let oracle = CommandOracle::test(test, file, conditions);
        let oracle = oracle.map_err(|error| Failure::because(&error, "the form is TEST FILE"))?;
        let cancel = Cancel::new();
        let told = cancel.clone();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Failure::because(&error, "signals cannot be watched here"))?;
        thread::spawn(move || signals.forever().for_each(|_| told.stop()));
        Ok(Subject { file: file.to_owned(), oracle: Arc::new(oracle), cancel })
    }

    fn problem(&self, language: &str) -> Result<FileProblem, Failure> {
        let content = fs::read(&self.file).map_err(|error| {
            let message = format!("cannot read {}: {error}", self.file.display());
            Failure::new(message, "name a file that can be read")
        })?;
        let wrong = |error| Failure::because(&error, "lop grammars lists the languages");
        let (grammar, _) = Registry::of(&LANGUAGES)
            .and_then(|registry| registry.choose(language, &self.file, &content))
            .map_err(wrong)?;
        Ok(FileProblem {
            name: self.file.file_name().unwrap_or(self.file.as_os_str()).to_string_lossy().into_owned(),
            content,
            grammar,
            granularity: Granularity::Tree,
            algorithms: Vec::new(),
            workers: vec![1],
            trials: 1,
            seed: 0,
            direction: Direction::Usual,
            deadline: None,
        })
    }

    fn start(&self, workers: usize, candidate_len: usize) -> Result<Box<dyn Executor>, StartError> {
        exec::start(
            self.oracle.clone(),
            Some(Jobs::Exactly(workers)),
            &SlotOptions::of_program(candidate_len),
            &self.cancel,
        )
    }
}

fn reduce(args: ReduceArgs) -> Result<(), Failure> {
    let subject = Subject::new(&args.test, &args.file)?;
    let problem = FileProblem { seed: args.seed, deadline: args.timeout, ..subject.problem(&args.grammar)? };
    let method = match PublishedConfig::named(&args.algorithm) {
        Some(config) => {
            Method::Lists(Box::new(Published::new(args.published.over(PublishedConfig { seed: args.seed, ..config }))))
        }
        None if !args.published.is_empty() => {
            let message =
                format!("--algorithm {} has no hyperparameters of entropy debugging as published", args.algorithm);
            return Err(Failure::new(message, "give --algorithm entropy-published, or leave them out"));
        }
        None => Method::named(&args.algorithm, args.seed).expect("it is a possible value"),
    };
    let output = args.output.unwrap_or_else(|| {
        let mut name = args.file.into_os_string();
        name.push(".reduced");
        name.into()
    });
    let workers = subject.start(args.jobs, problem.content.len()).map_err(FileError::from)?;
    let reduced = reduce_file(&problem, &method, args.jobs, workers, &mut |text| fs::write(&output, text))?;
    // Even if nothing was removed.
    fs::write(&output, &reduced.best).map_err(FileError::Result)?;
    let said = writeln!(
        anstream::stdout(),
        "{}: {} of {} bytes after {} tests, in {}",
        args.algorithm,
        reduced.best.len(),
        problem.content.len(),
        reduced.tests,
        output.display()
    );
    closed_or(said)
}

/// A reader that has gone away is no failure.
fn closed_or(said: io::Result<()>) -> Result<(), Failure> {
    match said {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::because(&error, "see the output")),
        _ => Ok(()),
    }
}

fn compare_all(mut args: CompareArgs) -> Result<(), Failure> {
    if args.workers.is_empty() {
        let named = !args.words.is_empty() || args.grammar.is_some();
        args.workers = if named { vec![1] } else { WORKERS.to_vec() };
    }
    args.workers.sort_unstable();
    args.workers.dedup();
    check_outputs(&args)?;
    let (csv, plot) = (args.csv.clone(), args.plot.clone());
    let is_tree = args.words.is_empty() && args.granularity == Some(GranularityArg::Tree);
    let cells = match args.grammar.take_if(|_| is_tree) {
        Some(language) => on_documents(args, &language)?,
        None if is_file(&args) => on_file(args)?,
        None => on_problems(args)?,
    };
    show(&cells, csv.as_deref(), plot.as_deref())
}

/// Whether a file with a test is meant, and not problems by their names.
fn is_file(args: &CompareArgs) -> bool {
    let names = args.words.iter().all(|word| word.to_str().is_some_and(Problem::is_name));
    args.granularity.is_some() && !args.words.is_empty() && !names
}

/// Checks that results have places that differ from the inputs and from each other.
fn check_outputs(args: &CompareArgs) -> Result<(), Failure> {
    let outputs = [("--csv", &args.csv), ("--plot", &args.plot)];
    for (option, path) in outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))) {
        if path == Path::new(STDOUT) {
            if option == "--plot" {
                return Err(Failure::new("the picture cannot go to standard output", "give --plot the name of a file"));
            }
            continue;
        }
        let wrong =
            |what: &str| Err(Failure::new(format!("`{option} {}` {what}", path.display()), "name another file"));
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        if path.is_dir() {
            return wrong("is a directory");
        } else if directory.is_some_and(|directory| !directory.is_dir()) {
            return wrong("is in a directory that does not exist");
        } else if is_file(args) && args.words.iter().any(|word| is_same(path, word)) {
            return wrong("is what is compared");
        }
    }
    match (&args.csv, &args.plot) {
        (Some(csv), Some(plot)) if is_same(csv, plot) => {
            Err(Failure::new(format!("--csv and --plot would both write {}", csv.display()), "name another file"))
        }
        _ => Ok(()),
    }
}

fn on_problems(args: CompareArgs) -> Result<Vec<Cell>, Failure> {
    let mut problems = Vec::new();
    for word in &args.words {
        let named = Problem::named(&word.to_string_lossy());
        problems.extend(named.map_err(|error| {
            let hint = if word.exists() {
                "for a file of yours with its test: lop-lab compare --granularity line TEST FILE"
            } else {
                "lop-lab compare --help explains them"
            };
            Failure::new(error.to_string(), hint)
        })?);
    }
    if let Some(language) = &args.grammar {
        let granularity = args.granularity.map_or(Granularity::Token, Into::into);
        problems.push(Problem::drawn(generator(language, &args.kind, granularity)?));
    } else if let Some(option) = [("--kind", !args.kind.is_empty()), ("--granularity", args.granularity.is_some())]
        .iter()
        .find_map(|(option, given)| given.then_some(option))
    {
        let hint = "name a language with --grammar, or a test and a file with --granularity";
        return Err(Failure::new(format!("{option} needs documents or a file"), hint));
    }
    if args.timeout.is_some() {
        let hint = "lop-lab compare --granularity UNIT TEST FILE";
        return Err(Failure::new("a deadline is for the test of a file, and there is none", hint));
    }
    if problems.is_empty() {
        problems = Problem::usual();
    }
    let plan = Plan {
        problems,
        sizes: args.sizes,
        algorithms: args.algorithm,
        workers: args.workers,
        trials: args.trials.unwrap_or(TRIALS),
        seed: args.seed,
        direction: args.order.map_or(Direction::Usual, Into::into),
        threads: thread::available_parallelism().map_or(1, usize::from),
    };
    let line = live_line();
    let progress = |done: usize, all: usize| show_progress(&line, done, all, "trials");
    let cells = compare::compare(&plan, &progress).map_err(|error| Failure::new(error.to_string(), ALL_ALGORITHMS))?;
    line.finish_and_clear();
    Ok(cells)
}

/// Whole reductions of generated documents.
fn on_documents(args: CompareArgs, language: &str) -> Result<Vec<Cell>, Failure> {
    let outside =
        [("--timeout", args.timeout.is_some()), ("--order", args.order.is_some()), ("--workers", args.workers != [1])];
    if let Some((option, _)) = outside.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::new(format!("{option} is not for whole reductions of documents"), "leave it out"));
    }
    let plan = Documents {
        generator: generator(language, &args.kind, Granularity::Tree)?,
        sizes: args.sizes,
        algorithms: args.algorithm,
        trials: args.trials.unwrap_or(TRIALS),
        seed: args.seed,
        threads: thread::available_parallelism().map_or(1, usize::from),
    };
    let line = live_line();
    let progress = |done: usize, all: usize| show_progress(&line, done, all, "documents");
    let cells = compare_documents(&plan, &progress)?;
    line.finish_and_clear();
    Ok(cells)
}

fn generator(language: &str, kinds: &[String], granularity: Granularity) -> Result<Generator, Failure> {
    Generator::new(language, kinds, granularity).map_err(|error| match error {
        error @ GenerateError::Grammar(_) => Failure::because(&error, "lop grammars lists the languages"),
        other => Failure::new(other.to_string(), "lop grammars lists the languages"),
    })
}

fn on_file(args: CompareArgs) -> Result<Vec<Cell>, Failure> {
    if !args.sizes.is_empty() || !args.kind.is_empty() {
        return Err(Failure::new("--sizes and --kind are for problems without a file", "leave them out"));
    }
    let (test, file, passing) = match &args.words[..] {
        [test, file] => (test, file, None),
        [test, file, passing] => (test, file, Some(passing)),
        _ => {
            let hint = "lop-lab compare --granularity UNIT TEST FILE";
            return Err(Failure::new("a file is compared with its test", hint));
        }
    };
    if passing.is_some() && args.granularity != Some(GranularityArg::Tree) {
        let hint = "lop-lab compare --granularity tree TEST FILE PASS";
        return Err(Failure::new("a difference is isolated level by level of the tree", hint));
    }
    let subject = Subject::new(test, file)?;
    let problem = FileProblem {
        granularity: args.granularity.map_or(Granularity::Token, Into::into),
        algorithms: args.algorithm,
        workers: args.workers,
        trials: args.trials.unwrap_or(1),
        seed: args.seed,
        direction: args.order.map_or(Direction::Usual, Into::into),
        deadline: args.timeout,
        ..subject.problem(args.grammar.as_deref().unwrap_or(AUTO))?
    };
    let mut start = |workers: usize| subject.start(workers, problem.content.len());
    let line = live_line();
    let progress = |done: usize, all: usize| show_progress(&line, done, all, "runs");
    let cell = match passing {
        None => compare_file(&problem, &mut start, &subject.cancel, &progress),
        Some(path) => {
            let wrong =
                |error| Failure::new(format!("cannot read {}: {error}", path.display()), "name a file that passes");
            compare_pair(&problem, &fs::read(path).map_err(wrong)?, &mut start, &progress)
        }
    };
    line.finish_and_clear();
    Ok(vec![cell?])
}

/// The line that says how far it is, on a terminal.
fn live_line() -> ProgressBar {
    let live = io::stderr().is_terminal();
    let target = if live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::with_draw_target(None, target).with_style(style)
}

/// Whether two paths are one file, or would be.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(path).ok().or_else(|| Some(fs::canonicalize(folder).ok()?.join(path.file_name()?)))
    };
    place(one).is_some() && place(one) == place(other)
}

fn show_progress(line: &ProgressBar, done: usize, all: usize, what: &str) {
    line.set_message(format!("{done} of {all} {what}"));
    line.tick();
}

fn show(cells: &[Cell], csv: Option<&Path>, plot: Option<&Path>) -> Result<(), Failure> {
    let save = |path: &Path, text: String| {
        let lost = |error: io::Error| {
            Failure::new(format!("cannot write {}: {error}", path.display()), "the figures are lost")
        };
        fs::write(path, text).map_err(lost)
    };
    if let Some(path) = plot {
        save(path, compare::plot(cells))?;
    }
    let mut out = anstream::stdout();
    let said = match csv {
        Some(path) if path == Path::new(STDOUT) => out.write_all(compare::csv(cells).as_bytes()),
        Some(path) => {
            save(path, compare::csv(cells))?;
            tables::write(&mut out, cells)
        }
        None => tables::write(&mut out, cells),
    };
    closed_or(said.and_then(|()| out.flush()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn defaults_in_words_are_those_of_here() {
        let cli = Cli::command();
        let command = cli.find_subcommand("compare").expect("it is a command");
        let said = |id: &str| {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id).expect("it is an option");
            arg.get_help().map(ToString::to_string).unwrap_or_default()
        };
        assert!(said("trials").contains(&format!("[default: {TRIALS},")));
        let workers = WORKERS.map(|count| count.to_string()).join(",");
        assert!(said("workers").contains(&format!("; {workers} when no problem is named]")));
    }
}
