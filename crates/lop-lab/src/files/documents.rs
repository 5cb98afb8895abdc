//! Whole reductions of generated documents: the shoot-out of tree reducers that *The Fuzzing Book* leaves as an exercise
//! ("Reducing Failure-Inducing Inputs", exercise 3). One, two or three kinds of nodes have to stay in each document.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::compare::{Cell, Direction, Mean, choose};
use crate::reduce::Method;
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;

use super::file::{FileError, FileProblem, own, reduce_file, row_of, tree_algorithms};
use super::generate::{Generator, USUAL_SIZE};
use super::text::Granularity;

/// Documents to reduce, and the way to reduce them.
#[derive(Debug)]
pub struct Documents {
    /// Makes them.
    pub generator: Generator,
    /// Their sizes in tokens; empty means the usual one.
    pub sizes: Vec<usize>,
    /// Names of the algorithms; empty means all that reduce a tree.
    pub algorithms: Vec<String>,
    /// Documents of each size, at least one.
    pub trials: usize,
    /// Where all chance comes from.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
}

/// The results of one reduction.
#[derive(Clone, Copy)]
struct Run {
    tests: f64,
    left: f64,
}

/// Compares whole reductions on the same documents, with a cell for each size and number of kinds, and calls `progress` with
/// the number of documents done and of all.
///
/// # Errors
/// See [`FileError`].
pub fn compare_documents(plan: &Documents, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Vec<Cell>, FileError> {
    let names = choose(&plan.algorithms, tree_algorithms())?;
    let sizes = if plan.sizes.is_empty() { vec![USUAL_SIZE] } else { plan.sizes.clone() };
    let counts = plan.generator.counts();
    let groups: Vec<(usize, usize)> =
        sizes.iter().flat_map(|&size| counts.iter().map(move |&count| (size, count))).collect();
    let jobs: Vec<(usize, u64)> =
        (0..groups.len()).flat_map(|group| (0..plan.trials as u64).map(move |trial| (group, trial))).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut results = Vec::new();
    results.resize_with(jobs.len(), || None);
    let results = Mutex::new(results);
    let work = || {
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&(group, trial)) = jobs.get(at)
        {
            let result = plan.reduce(groups[group], trial, &names);
            results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(result);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    thread::scope(|scope| {
        for _ in 0..plan.threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten();
    let mut cells = Vec::new();
    for (size, count) in groups {
        let trials = results.by_ref().take(plan.trials).collect::<Result<Vec<(usize, Vec<Run>)>, FileError>>()?;
        cells.push(plan.cell((size, count), &names, &trials));
    }
    Ok(cells)
}

impl Documents {
    /// Makes the document of a trial and reduces it by each algorithm. Returns its number of tokens and the runs.
    fn reduce(
        &self,
        (size, count): (usize, usize),
        trial: u64,
        names: &[&'static str],
    ) -> Result<(usize, Vec<Run>), FileError> {
        let seed = self.seed.wrapping_add(trial);
        let (content, wanted) = self.generator.document(size, Some(count), &mut ChaCha8Rng::seed_from_u64(seed));
        let problem = FileProblem {
            name: String::new(),
            content,
            grammar: Some(Arc::clone(self.generator.grammar())),
            granularity: Granularity::Tree,
            algorithms: Vec::new(),
            workers: vec![1],
            trials: 1,
            seed,
            direction: Direction::Usual,
            deadline: None,
        };
        let run = |name: &&'static str| {
            let mut executor = Inline::new(self.generator.test(wanted.clone()));
            let Some(method) = Method::named(name, seed) else {
                let (tests, left, _) = own(&problem, seed, &mut executor, &Cancel::new())?;
                return Ok(Run { tests: tests as f64, left: left as f64 });
            };
            let reduced = reduce_file(&problem, &method, 1, Box::new(executor), &mut |_| Ok(()))?;
            let left = problem.tokens(&reduced.best)?;
            Ok(Run { tests: reduced.tests as f64, left: left as f64 })
        };
        let runs = names.iter().map(run).collect::<Result<Vec<Run>, FileError>>()?;
        Ok((problem.tokens(&problem.content)?, runs))
    }

    fn cell(&self, (size, count): (usize, usize), names: &[&'static str], trials: &[(usize, Vec<Run>)]) -> Cell {
        let of = |index: usize, value: fn(&Run) -> f64| -> Vec<f64> {
            trials.iter().map(|(_, runs)| value(&runs[index])).collect()
        };
        let rows = names.iter().enumerate().map(|(index, &algorithm)| {
            row_of(algorithm, &of(index, |run| run.tests), &of(index, |run| run.left), vec![(1, None)])
        });
        let rows = rows.collect();
        let units: Vec<f64> = trials.iter().map(|(units, _)| *units as f64).collect();
        let kinds = if count == 1 { "kind" } else { "kinds" };
        Cell {
            problem: format!(
                "{} as a tree, {count} {kinds} needed, of about {size} tokens",
                self.generator.grammar().name()
            ),
            units: Mean::of(&units).mean,
            trials: trials.len(),
            // One kind is often in many places, and an algorithm that finds any of them needs no further information.
            bound: None,
            optimum: None,
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::csv;

    fn cells(algorithms: &[&str], kinds: &[&str]) -> Vec<Cell> {
        let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let plan = Documents {
            generator: Generator::new("json", &kinds, Granularity::Tree).expect("it has a sample"),
            sizes: vec![40],
            algorithms: algorithms.iter().map(|name| (*name).to_owned()).collect(),
            trials: 3,
            seed: 0,
            threads: 2,
        };
        compare_documents(&plan, &|_, _| {}).expect("they can be reduced")
    }

    #[test]
    fn documents_are_reduced_as_trees_for_one_to_three_kinds() {
        let cells = cells(&["entropy", "perses", "hdd"], &[]);
        assert_eq!(cells.len(), 3);
        for cell in &cells {
            assert_eq!(cell.rows.iter().map(|row| row.algorithm).collect::<Vec<_>>(), ["entropy", "hdd", "perses"]);
            for row in &cell.rows {
                let [tests, left] = row.spread.expect("three trials");
                assert!(row.tests.mean >= 1.0 && tests.worst >= row.tests.mean, "{}: {row:?}", cell.problem);
                assert!(left.worst < cell.units && left.median <= left.worst, "{}: {row:?}", cell.problem);
            }
        }
        // Nothing depends on the threads.
        assert_eq!(cells, self::cells(&["entropy", "perses", "hdd"], &[]));
    }

    #[test]
    fn kinds_that_are_asked_for_are_one_cell() {
        let cells = cells(&["entropy"], &["pair", "null"]);
        assert_eq!(cells.len(), 1);
        assert!(cells[0].problem.contains("2 kinds"), "{}", cells[0].problem);
        // `{"": null}`, whose string has two tokens.
        assert_eq!(cells[0].rows[0].left.mean, 6.0, "{:?}", cells[0].rows);
        let text = csv(&cells);
        let widths: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        // The name of the cell has two commas in quotes.
        assert!(text.contains("left_worst") && widths[1] == widths[0] + 2, "{text}");
    }
}
