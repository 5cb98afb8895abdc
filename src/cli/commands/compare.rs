//! `lop compare`: algorithms on the same problems, from what was typed to the tables.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use indicatif::ProgressBar;
use lop_lab::compare::{self, Cell, Direction, Plan, Problem};

use crate::cli::beside::belongings;
use crate::cli::compare_args::CompareArgs;
use crate::cli::exit_code::Code;
use crate::cli::failure::{Failure, Unfinished};
use crate::cli::files::is_same;
use crate::cli::grammar_args::{GrammarArgs, Wanted};
use crate::cli::live::live_line;
use crate::cli::piped::is_stdout;
use crate::cli::rules::Language;
use crate::cli::settings::{forms, in_words, read_case};
use crate::cli::{piped, signals};
use crate::exec::{Executor, LocalOptions, LocalWorkers, StartError};
use crate::lab::{FileError, FileProblem, GenerateError, Generator, Granularity, compare_file};
use crate::oracle::{Cancel, ConditionSpec, Conditions, Oracle, SlotOptions};
use crate::reduce::ReduceError;
use crate::report::{Kept, comparison, text};

/// The way out when an algorithm is not known.
const ALL_ALGORITHMS: &str = "without --algorithm all of them run";

/// Workers for which rounds are counted when nothing is asked for.
const WORKERS: [usize; 4] = [1, 4, 16, 64];

/// Trials of a simulated problem.
const TRIALS: usize = 20;

/// Compares what the arguments say.
///
/// # Errors
/// Whatever keeps lop from starting or from going on.
pub fn run(mut args: CompareArgs) -> Result<Code, Failure> {
    if args.workers.is_empty() {
        let named = !args.words.is_empty() || !args.test.is_empty() || args.grammar.is_some();
        args.workers = if named { vec![1] } else { WORKERS.to_vec() };
    }
    args.workers.sort_unstable();
    args.workers.dedup();
    check_outputs(&args)?;
    let (csv, plot) = (args.csv.clone(), args.plot.clone());
    let cells = if is_file(&args) { on_file(args)? } else { Some(on_problems(args)?) };
    let Some(cells) = cells else {
        // Nobody listens: the exit code says it, too.
        let _ = writeln!(text::stderr(), "stopped; nothing was compared to the end");
        return Ok(Code::StoppedEarly);
    };
    show(&cells, csv.as_deref(), plot.as_deref())?;
    Ok(Code::Reduced)
}

/// Whether a file with a test is meant, and not problems by their names.
fn is_file(args: &CompareArgs) -> bool {
    let names = args.words.iter().all(|word| word.to_str().is_some_and(Problem::is_name));
    !args.test.is_empty() || (args.granularity.is_some() && !args.words.is_empty() && !names)
}

fn usage(message: impl Into<String>, hint: &str) -> Failure {
    Failure::Usage { message: message.into(), hint: hint.to_owned() }
}

/// Results must have a place, and must not take that of what is read, nor of each other.
fn check_outputs(args: &CompareArgs) -> Result<(), Failure> {
    let outputs = [("--csv", &args.csv), ("--plot", &args.plot)];
    for (option, path) in outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))) {
        if is_stdout(path) {
            if option == "--plot" {
                return Err(usage("the picture cannot go to standard output", "give --plot the name of a file"));
            }
            continue;
        }
        let wrong = |what: &str| Err(usage(format!("`{option} {}` {what}", path.display()), "name another file"));
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
            Err(usage(format!("--csv and --plot would both write {}", csv.display()), "name another file"))
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
                "for a file of yours with its test: lop compare --granularity line TEST FILE"
            } else {
                "lop compare --help explains them"
            };
            usage(error.to_string(), hint)
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
        return Err(usage(format!("{option} needs documents or a file"), hint));
    }
    if args.timeout.is_some()
        || !args.with.is_empty()
        || ConditionSpec::from(args.conditions) != ConditionSpec::default()
    {
        let hint = "lop compare --granularity UNIT TEST FILE";
        return Err(usage("a deadline, --with and conditions are for the test of a file, and there is none", hint));
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
    let cells = compare::compare(&plan, &progress).map_err(|error| usage(error.to_string(), ALL_ALGORITHMS))?;
    line.finish_and_clear();
    Ok(cells)
}

fn generator(language: &str, kinds: &[String], granularity: Granularity) -> Result<Generator, Failure> {
    Generator::new(language, kinds, granularity).map_err(|error| match error {
        GenerateError::Grammar(error) => Failure::Grammar(error),
        other => usage(other.to_string(), "lop grammars lists the languages"),
    })
}

/// `None` when it was stopped.
fn on_file(args: CompareArgs) -> Result<Option<Vec<Cell>>, Failure> {
    if !args.sizes.is_empty() || !args.kind.is_empty() {
        return Err(usage("--sizes and --kind are for problems without a file", "leave them out"));
    }
    let (test, path) = forms(&args.words, &args.test)?;
    let spec = ConditionSpec::from(args.conditions);
    let wanted = in_words(&spec);
    let conditions = Conditions::new(&spec)?;
    let content = read_case(&path)?;
    let language = GrammarArgs {
        grammar: args.grammar.as_deref().map(Wanted::from).unwrap_or_default(),
        ..GrammarArgs::default()
    };
    let grammar = Language::find(&language, &path, &content)?.grammar(None)?;
    let path = piped::name(path, grammar.as_deref());
    let oracle = test.oracle(&path, conditions)?;
    // Late, because it takes longer than to see what is wrong.
    let oracle = oracle.with_belongings(belongings(&args.with, &path, &Kept::InPlace)?)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let problem = FileProblem {
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        content,
        grammar,
        granularity: args.granularity.map_or(Granularity::Token, Into::into),
        algorithms: args.algorithm,
        workers: args.workers,
        trials: args.trials.unwrap_or(1),
        seed: args.seed,
        direction: args.order.map_or(Direction::Usual, Into::into),
        deadline: args.timeout,
    };
    let command = oracle.describe();
    let oracle: Arc<dyn Oracle> = Arc::new(oracle);
    let mut start = |workers: usize| -> Result<Box<dyn Executor>, StartError> {
        let slots = SlotOptions { directory: None, candidate_len: problem.content.len(), owns_process: true };
        let options = LocalOptions { workers, cancel: cancel.clone(), slots, while_waiting: true };
        Ok(Box::new(LocalWorkers::new(Arc::clone(&oracle), &options)?))
    };
    let line = live_line();
    let progress = |done: usize, all: usize| show_progress(&line, done, all, "runs");
    let cell = compare_file(&problem, &mut start, &cancel, &progress);
    line.finish_and_clear();
    let unfinished =
        |error| Unfinished { error, input: path, test: command, wanted, says_nothing: false, away: None, kept: None };
    match cell {
        Ok(cell) => Ok(Some(vec![cell])),
        Err(FileError::Reduce(ReduceError::Cancelled)) => Ok(None),
        Err(FileError::Reduce(error)) => Err(Failure::Reduce(Box::new(unfinished(error)))),
        Err(FileError::Start(error)) => Err(Failure::Workers(error)),
        Err(error @ FileError::Algorithm(_)) => Err(usage(error.to_string(), ALL_ALGORITHMS)),
        Err(error @ FileError::EmptyIsInteresting) => {
            Err(usage(error.to_string(), "let the test look for what is interesting in the candidate"))
        }
        Err(error) => Err(usage(error.to_string(), "lines need no grammar: --granularity line")),
    }
}

fn show_progress(line: &ProgressBar, done: usize, all: usize, what: &str) {
    line.set_message(format!("{done} of {all} {what}"));
    line.tick();
}

fn show(cells: &[Cell], csv: Option<&Path>, plot: Option<&Path>) -> Result<(), Failure> {
    let save = |path: &Path, text: String| {
        fs::write(path, text).map_err(|source| Failure::Result {
            place: path.display().to_string(),
            kept: "the figures are lost".to_owned(),
            source,
        })
    };
    if let Some(path) = plot {
        save(path, compare::plot(cells))?;
    }
    let mut out = text::stdout();
    let said = match csv {
        Some(path) if is_stdout(path) => out.write_all(compare::csv(cells).as_bytes()),
        Some(path) => {
            save(path, compare::csv(cells))?;
            comparison::write(&mut out, cells)
        }
        None => comparison::write(&mut out, cells),
    };
    said.and_then(|()| out.flush()).or_else(Failure::unless_closed)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn defaults_in_words_are_those_of_here() {
        let cli = crate::cli::args::Cli::command();
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
