//! A file of the user's and its real test: every algorithm on the same units, one after the other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use lop_engine::Verdict;

use crate::algorithm::Stopped;
use crate::algorithms::dd;
use crate::compare::{
    Bound, BoundSource, Cell, DD, Direction, Entrant, Instance, Mean, Measured, Row, Spread, UnknownAlgorithm,
    algorithms, answer, bound, choose,
};

use lop::{Options, Silent, reduce_with};
use lop_grammar::Grammar;
use lop_reduce::isolate::{Pair, isolate, isolate_by};
use lop_reduce::{BASELINE_DEADLINE, Ended, ReduceError, Report, usual_deadline};
use lop_run::exec::{Executor, Job, StartError, Ticket};
use lop_run::oracle::{Cancel, Outcome, Unresolved};
use lop_syntax::ParseError;

use crate::reduce::{Method, Reduced};

use super::text::{Granularity, TextSubject, Units};

/// A file and the way to reduce it.
#[derive(Clone, Debug)]
pub struct FileProblem {
    /// Its name in the results.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
    /// Its grammar; `None` is text.
    pub grammar: Option<Arc<Grammar>>,
    /// The units it is cut into.
    pub granularity: Granularity,
    /// Names of the algorithms; empty means all.
    pub algorithms: Vec<String>,
    /// Numbers of workers, ascending, at least one.
    pub workers: Vec<usize>,
    /// How often each algorithm runs, at least once: with another seed each time.
    pub trials: usize,
    /// Where all chance comes from.
    pub seed: u64,
    /// Through which end the list is entered.
    pub direction: Direction,
    /// Time limit of a test; `None` derives it from the run on the file itself.
    pub deadline: Option<Duration>,
}

/// Why a comparison on a file came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// An algorithm is not known, or not for trees.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// The workers cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The file has no syntax tree.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The text that should pass fails, too.
    #[error("the test says that the text that has to pass is interesting, so there is no difference to isolate")]
    PassIsInteresting,
    /// A candidate without any unit is interesting.
    #[error("the test says that the empty file is interesting, so there is nothing to compare")]
    EmptyIsInteresting,
    /// The test refuses the file, or could not be run, or a reduction failed.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// The result cannot be written.
    #[error("cannot write the result")]
    Result(#[source] io::Error),
}

/// Makes an executor with this number of slots.
pub type StartWorkers<'a> = dyn FnMut(usize) -> Result<Box<dyn Executor>, StartError> + 'a;

/// Compares algorithms on a file, and calls `progress` with the number of runs done and of all.
///
/// Two algorithms that ask about the same text run the test once; each is charged for it.
///
/// # Errors
/// See [`FileError`]; [`ReduceError::Cancelled`] when `cancel` was stopped.
pub fn compare_file(
    problem: &FileProblem,
    start: &mut StartWorkers<'_>,
    cancel: &Cancel,
    progress: &dyn Fn(usize, usize),
) -> Result<Cell, FileError> {
    match problem.granularity {
        Granularity::Tree => as_trees(problem, start, cancel, progress),
        _ => as_list(problem, start, progress),
    }
}

/// The file as a list of units.
fn as_list(
    problem: &FileProblem,
    start: &mut StartWorkers<'_>,
    progress: &dyn Fn(usize, usize),
) -> Result<Cell, FileError> {
    let names = choose(&problem.algorithms, algorithms())?;
    let units = Units::cut(&problem.content, problem.granularity, problem.grammar.as_deref())?;
    let len = units.len();
    let most = problem.workers.iter().copied().max().unwrap_or(1);
    let runner = RefCell::new(Runner::new(start(most)?, problem.deadline));
    runner.borrow_mut().baseline(&problem.content, b"", || FileError::EmptyIsInteresting)?;
    let judge = |texts: Vec<Vec<u8>>| runner.borrow_mut().judge(texts);
    let mut instance = Instance::of(TextSubject::new(units, Box::new(judge)), true);
    let mut measured: Vec<Vec<Vec<Measured>>> = Vec::new();
    let (mut done, all) = (0, problem.trials * names.len() * problem.workers.len());
    for trial in 0..problem.trials as u64 {
        let mut of_trial = Vec::new();
        for entrant in Entrant::named(&names, problem.seed.wrapping_add(trial), true) {
            let mut widths = Vec::new();
            for &width in &problem.workers {
                let run = entrant.run(&mut instance, width, problem.direction);
                widths.push(run.map_err(|Stopped| runner.borrow_mut().why())?);
                done += 1;
                progress(done, all);
            }
            of_trial.push(widths);
        }
        measured.push(of_trial);
    }
    let mean = |index: usize, width: usize, value: fn(&Measured) -> usize| {
        Mean::of(&measured.iter().map(|trial| value(&trial[index][width]) as f64).collect::<Vec<_>>())
    };
    let own = measured.iter().filter_map(|trial| trial.iter().map(|widths| widths[0]).find(|own| own.bits.is_some()));
    let bound = bound(&own.collect::<Vec<_>>(), BoundSource::CodeLength);
    let row = |(index, &algorithm): (usize, &&'static str)| Row {
        algorithm,
        tests: mean(index, 0, |measured| measured.tests),
        left: mean(index, 0, |measured| measured.left),
        rounds: (problem.workers.iter().enumerate())
            .map(|(width, &workers)| (workers, Some(mean(index, width, |measured| measured.rounds))))
            .collect(),
        to_optimum: None,
        spread: None,
    };
    let rows = names.iter().enumerate().map(row).collect();
    Ok(problem.cell(len, bound, rows))
}

/// lop's own way over a tree.
pub(super) const OWN: &str = "entropy";

/// The names of the algorithms that a whole reduction can be done by, lop's own first.
pub(super) fn tree_algorithms() -> Vec<&'static str> {
    [OWN].into_iter().chain(Method::names()).collect()
}

/// Whole reductions along the tree.
fn as_trees(
    problem: &FileProblem,
    start: &mut StartWorkers<'_>,
    cancel: &Cancel,
    progress: &dyn Fn(usize, usize),
) -> Result<Cell, FileError> {
    let names = choose(&problem.algorithms, tree_algorithms())?;
    let all = problem.trials * names.len() * problem.workers.len();
    let mut done = 0;
    let (mut rows, mut bounds) = (Vec::new(), Vec::new());
    for algorithm in names {
        let (mut tests, mut left) = (Vec::new(), Vec::new());
        for (index, &width) in problem.workers.iter().enumerate() {
            for trial in 0..problem.trials as u64 {
                let seed = problem.seed.wrapping_add(trial);
                let measured = match Method::named(algorithm, seed) {
                    Some(method) => {
                        let reduced = reduce_file(problem, &method, width, start(width)?, &mut |_| Ok(()))?;
                        (reduced.tests, problem.tokens(&reduced.best)?)
                    }
                    None => {
                        let (tests, left, bound) = own(problem, seed, start(width)?.as_mut(), cancel)?;
                        bounds.push(bound);
                        (tests, left)
                    }
                };
                done += 1;
                progress(done, all);
                if index == 0 {
                    tests.push(measured.0 as f64);
                    left.push(measured.1 as f64);
                }
            }
        }
        let rounds = problem.workers.iter().map(|&width| (width, None)).collect();
        rows.push(row_of(algorithm, &tests, &left, rounds));
    }
    let bound = (!bounds.is_empty()).then(|| Bound { tests: Mean::of(&bounds).mean, source: BoundSource::CodeLength });
    Ok(problem.cell(problem.tokens(&problem.content)?, bound, rows))
}

/// Compares the searches for the difference between a file, which fails, and `passing`, level by level as `lop isolate` does.
/// The units are the differences of the first level, and those of the last are left. An invalid candidate is unresolved.
///
/// # Errors
/// See [`FileError`].
pub fn compare_pair(
    problem: &FileProblem,
    passing: &[u8],
    start: &mut StartWorkers<'_>,
    progress: &dyn Fn(usize, usize),
) -> Result<Cell, FileError> {
    let names = choose(&problem.algorithms, Entrant::isolating().to_vec())?;
    let names = if names.is_empty() { Entrant::isolating().to_vec() } else { names };
    let runner = RefCell::new(Runner::new(start(1)?, problem.deadline));
    runner.borrow_mut().baseline(&problem.content, passing, || FileError::PassIsInteresting)?;
    let pair =
        Pair { passing, failing: &problem.content, archive: None, grammar: problem.grammar.as_ref(), stop: None };
    let judge = |text: &[u8]| runner.borrow_mut().judge(vec![text.to_vec()]).map(|verdicts| answer(verdicts[0]));
    let (mut rows, mut units) = (Vec::new(), 0);
    for (done, &algorithm) in names.iter().enumerate() {
        progress(done, names.len());
        let found = match algorithm {
            DD => isolate_by(pair, &mut |len, _, judge| dd(len, judge), judge),
            _ => isolate(pair, judge),
        };
        let found = found.map_err(|Stopped| runner.borrow_mut().why())?;
        units = found.levels.first().map_or(found.differences.len(), |level| level.before);
        let (tests, left) = (Mean::of(&[found.tests as f64]), Mean::of(&[found.differences.len() as f64]));
        let rounds = problem.workers.iter().map(|&width| (width, (width == 1).then_some(tests))).collect();
        rows.push(Row { algorithm, tests, left, rounds, to_optimum: None, spread: None });
    }
    Ok(Cell { problem: format!("{} after what passes", problem.name), trials: 1, ..problem.cell(units, None, rows) })
}

/// The row of whole reductions, one for each trial.
pub(super) fn row_of(algorithm: &'static str, tests: &[f64], left: &[f64], rounds: Vec<(usize, Option<Mean>)>) -> Row {
    let spread = (tests.len() > 1).then(|| [Spread::of(tests), Spread::of(left)]);
    Row { algorithm, tests: Mean::of(tests), left: Mean::of(left), rounds, to_optimum: None, spread }
}

/// lop's own reduction: tests, tokens that are left, and the ideal code length.
pub(super) fn own(
    problem: &FileProblem,
    seed: u64,
    executor: &mut dyn Executor,
    cancel: &Cancel,
) -> Result<(usize, usize, f64), FileError> {
    let options = Options { seed, deadline: problem.deadline, ..Options::default() };
    let report = reduce_with(&problem.content, problem.grammar.clone(), executor, &options, &mut Silent, cancel)?;
    if report.ended != Ended::Complete {
        return Err(ReduceError::Cancelled.into());
    }
    let bound = report.depths.iter().map(|row| row.lower_bound).sum();
    Ok((tests_of(&report) as usize, problem.tokens(&report.best)?, bound))
}

/// Reduces a file by one method, judging up to `width` candidates at once. `improved` hears of each text that is smaller than
/// all before; an error of it ends the reduction.
///
/// # Errors
/// See [`FileError`]; [`ReduceError::Cancelled`] when the executor was stopped.
pub fn reduce_file(
    problem: &FileProblem,
    method: &Method,
    width: usize,
    executor: Box<dyn Executor>,
    improved: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<Reduced, FileError> {
    let runner = RefCell::new(Runner::new(executor, problem.deadline));
    runner.borrow_mut().baseline(&problem.content, b"", || FileError::EmptyIsInteresting)?;
    let lost = RefCell::new(None);
    let judge = |texts: Vec<Vec<u8>>| {
        if lost.borrow().is_some() {
            return Err(Stopped);
        }
        runner.borrow_mut().judge(texts)
    };
    let mut heard = |text: &[u8]| {
        if let Err(error) = improved(text) {
            lost.borrow_mut().get_or_insert(error);
        }
    };
    let (content, grammar) = (problem.content.clone(), problem.grammar.clone());
    let reduced = method.reduce(content, grammar, width, Box::new(judge), &mut heard);
    if let Some(source) = lost.take() {
        return Err(FileError::Result(source));
    }
    if reduced.is_complete { Ok(reduced) } else { Err(runner.borrow_mut().why()) }
}

/// Tests except for those that only judge the input, or the result again.
fn tests_of(report: &Report) -> u64 {
    let baseline = report.passes.iter().find(|pass| pass.name == "baseline").map_or(0, |pass| pass.tests);
    report.tests.total() - baseline - report.reliability.confirmations
}

impl FileProblem {
    /// The tokens of a text of this problem.
    pub(super) fn tokens(&self, text: &[u8]) -> Result<usize, ParseError> {
        Ok(Units::cut(text, Granularity::Token, self.grammar.as_deref())?.len())
    }

    fn cell(&self, units: usize, bound: Option<Bound>, rows: Vec<Row>) -> Cell {
        let unit = match self.granularity {
            Granularity::Line => "lines",
            Granularity::Token => "tokens",
            Granularity::Char => "characters",
            Granularity::Tree => "tree",
        };
        Cell {
            problem: format!("{} by {unit}", self.name),
            units: units as f64,
            trials: self.trials,
            bound,
            optimum: None,
            rows,
        }
    }
}

/// Runs the real test on texts.
struct Runner {
    executor: Box<dyn Executor>,
    deadline: Option<Duration>,
    next: u64,
    /// Why it gives no more answers.
    failure: Option<ReduceError>,
}

impl Runner {
    fn new(executor: Box<dyn Executor>, deadline: Option<Duration>) -> Self {
        Runner { executor, deadline, next: 0, failure: None }
    }

    /// Judges the file itself and one that must not be interesting, and sets the deadline.
    fn baseline(&mut self, content: &[u8], other: &[u8], is_interesting: fn() -> FileError) -> Result<(), FileError> {
        let given = self.deadline.is_some();
        self.deadline.get_or_insert(BASELINE_DEADLINE);
        let outcome = self.run(vec![content.to_vec()]).pop().expect("an outcome for a text");
        check(&outcome)?;
        if !outcome.is_interesting() {
            return Err(ReduceError::NotInteresting { outcome: Box::new(outcome) }.into());
        }
        if !given {
            self.deadline = Some(usual_deadline(outcome.duration));
        }
        let other = self.run(vec![other.to_vec()]).pop().expect("an outcome for a text");
        check(&other)?;
        if other.is_interesting() { Err(is_interesting()) } else { Ok(()) }
    }

    fn judge(&mut self, texts: Vec<Vec<u8>>) -> Result<Vec<Verdict>, Stopped> {
        let outcomes = self.run(texts);
        if let Some(error) = outcomes.iter().find_map(|outcome| check(outcome).err()) {
            self.failure = Some(error);
            return Err(Stopped);
        }
        Ok(outcomes.iter().map(|outcome| outcome.verdict.expect("checked above")).collect())
    }

    /// The outcomes of several texts, in their order.
    fn run(&mut self, texts: Vec<Vec<u8>>) -> Vec<Outcome> {
        let mut places = BTreeMap::new();
        let mut outcomes: Vec<Option<Outcome>> = vec![None; texts.len()];
        for (place, text) in texts.into_iter().enumerate() {
            let ticket = Ticket(self.next);
            self.next += 1;
            places.insert(ticket, place);
            let deadline = self.deadline.unwrap_or(BASELINE_DEADLINE);
            self.executor.submit(Job { ticket, candidate: text.into(), deadline });
        }
        while let Some((ticket, outcome)) = self.executor.wait() {
            if let Some(place) = places.remove(&ticket) {
                outcomes[place] = Some(outcome);
            }
        }
        let lost = || Outcome::failed("the workers have stopped");
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(lost)).collect()
    }

    /// Why a run stopped.
    fn why(&mut self) -> FileError {
        self.failure.take().unwrap_or(ReduceError::Cancelled).into()
    }
}

/// An outcome with a verdict.
fn check(outcome: &Outcome) -> Result<(), ReduceError> {
    match (&outcome.verdict, &outcome.unresolved) {
        (Some(_), _) => Ok(()),
        (None, Some(Unresolved::Failed(message))) => {
            Err(ReduceError::Unresolved { message: message.clone(), best: None })
        }
        (None, _) => Err(ReduceError::Cancelled),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell as Count;
    use std::rc::Rc;

    use super::*;
    use lop_run::exec::Inline;

    fn problem(content: &str, granularity: Granularity) -> FileProblem {
        FileProblem {
            name: "file".to_owned(),
            content: content.into(),
            grammar: None,
            granularity,
            algorithms: Vec::new(),
            workers: vec![1, 3],
            trials: 1,
            seed: 0,
            direction: Direction::Usual,
            deadline: None,
        }
    }

    /// Compares with a test that looks for two words, and counts its runs.
    fn run(problem: &FileProblem) -> (Result<Cell, FileError>, usize) {
        let runs = Rc::new(Count::new(0));
        let counter = Rc::clone(&runs);
        let mut start = move |slots: usize| -> Result<Box<dyn Executor>, StartError> {
            let counter = Rc::clone(&counter);
            let judge = move |text: &[u8]| {
                counter.set(counter.get() + 1);
                let text = String::from_utf8_lossy(text);
                if text.contains("ba") && text.contains("na") { Verdict::Interesting } else { Verdict::NotInteresting }
            };
            Ok(Box::new(Inline::new(judge).with_slots(slots)))
        };
        (compare_file(problem, &mut start, &Cancel::new(), &|_, _| {}), runs.get())
    }

    #[test]
    fn a_file_is_reduced_by_everybody_and_no_text_is_judged_twice() {
        let text: String = (0..30).map(|line| if line == 7 { "banana\n" } else { "apple\n" }).collect();
        let (cell, runs) = run(&problem(&text, Granularity::Line));
        let cell = cell.expect("it can be compared");
        assert_eq!((cell.problem.as_str(), cell.units), ("file by lines", 30.0));
        assert!(cell.rows.iter().all(|row| row.left.mean == 1.0 && row.rounds.len() == 2), "{cell:?}");
        let charged: f64 = cell.rows.iter().map(|row| row.tests.mean).sum();
        assert!((runs as f64) < charged, "{runs} runs, {charged} charged");
        // The other lines are equal: candidates differ in the numbers of lines before and after the needed one, and in
        // its presence. The file itself is judged first.
        assert!(runs <= 8 * 23 * 2 + 1, "{runs}");
        let bound = cell.bound.expect("lop's own take part");
        assert!(bound.source == BoundSource::CodeLength && bound.tests > 1.0);
    }

    #[test]
    fn a_tree_is_a_whole_reduction() {
        let (cell, _) = run(&problem("an apple, a banana, a cherry", Granularity::Tree));
        let cell = cell.expect("it can be compared");
        assert_eq!(cell.problem, "file by tree");
        let names: Vec<&str> = cell.rows.iter().map(|row| row.algorithm).collect();
        assert_eq!(names, tree_algorithms());
        for row in &cell.rows {
            assert_eq!(row.left.mean, 1.0, "{row:?}");
            assert!(row.tests.mean > 3.0 && row.rounds == [(1, None), (3, None)], "{row:?}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let (error, _) = run(&problem("cherry", Granularity::Line));
        assert!(matches!(error, Err(FileError::Reduce(ReduceError::NotInteresting { .. }))), "{error:?}");
        let odd =
            FileProblem { algorithms: vec!["entropy-simplify".to_owned()], ..problem("banana", Granularity::Tree) };
        let (error, runs) = run(&odd);
        assert!(matches!(error, Err(FileError::Algorithm(_))) && runs == 0, "{error:?}");
    }

    #[test]
    fn without_lops_own_there_is_no_bound() {
        let naive = FileProblem { algorithms: vec!["naive".to_owned()], ..problem("a banana", Granularity::Char) };
        let cell = run(&naive).0.expect("it can be compared");
        assert_eq!((cell.bound, cell.rows[0].left.mean), (None, 4.0));
    }
}
