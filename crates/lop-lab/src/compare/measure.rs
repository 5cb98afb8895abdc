//! Running a plan: trials on threads, and the means over them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use lop_engine::lower_bound;

use super::entrant::{Direction, Entrant, Measured, UnknownAlgorithm, algorithms, choose, run_optimal};
use super::problem::Problem;
use super::results::{Bound, BoundSource, Cell, Mean, Optimum, Row};

/// The algorithm whose code length gives the bound if no parameters are known.
const REFERENCE: &str = "entropy-simplify";

/// The problems, algorithms and numbers of a comparison.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The problems.
    pub problems: Vec<Problem>,
    /// Sizes of those problems that can be of any size; empty means the usual one of each.
    pub sizes: Vec<usize>,
    /// Names of the algorithms; empty means all.
    pub algorithms: Vec<String>,
    /// Numbers of workers, ascending, at least one.
    pub workers: Vec<usize>,
    /// Instances drawn of each problem and size, at least one.
    pub trials: usize,
    /// Where all chance comes from.
    pub seed: u64,
    /// Through which end the lists are entered.
    pub direction: Direction,
    /// Threads, at least one. The results do not depend on it.
    pub threads: usize,
}

/// Compares, and calls `progress` with the number of trials done and of all whenever that changes.
///
/// # Errors
/// When an algorithm's name is not known.
pub fn compare(plan: &Plan, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Vec<Cell>, UnknownAlgorithm> {
    let names = choose(&plan.algorithms, algorithms())?;
    let cells: Vec<(&Problem, usize)> = plan
        .problems
        .iter()
        .flat_map(|problem| {
            let sizes = match problem.usual_size() {
                None => vec![0],
                Some(usual) if plan.sizes.is_empty() => vec![usual],
                Some(_) => plan.sizes.clone(),
            };
            sizes.into_iter().map(move |size| (problem, size))
        })
        .collect();
    let count = cells.len() * plan.trials;
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let trials: Vec<Mutex<Option<Trial>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = trials.get(task) else { return };
            let (problem, size) = cells[task / plan.trials];
            let trial = Trial::run(plan, &names, problem, size, task % plan.trials);
            *place.lock().expect("nobody panics while holding it") = Some(trial);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        }
    };
    thread::scope(|scope| {
        for _ in 0..plan.threads.min(count) {
            scope.spawn(work);
        }
    });
    let trials = trials.into_iter().map(|place| place.into_inner().expect("all threads have ended well"));
    let trials: Vec<Trial> = trials.map(|trial| trial.expect("every task was taken")).collect();
    let trials = trials.chunks(plan.trials);
    Ok(cells.into_iter().zip(trials).map(|((problem, _), trials)| cell(plan, &names, problem, trials)).collect())
}

/// The measurements on one instance.
struct Trial {
    units: usize,
    /// The measurements of the best sweep, which knows the sources.
    optimal: Option<Measured>,
    /// The tests it needs on average, worked out once for all trials.
    expected: Option<f64>,
    /// The findings of one of lop's own: how many units it kept, and its code length.
    found: Measured,
    /// Per algorithm, per number of workers.
    measured: Vec<Vec<Measured>>,
}

impl Trial {
    fn run(plan: &Plan, names: &[&str], problem: &Problem, size: usize, number: usize) -> Trial {
        const ANSWERS: &str = "a simulated test always answers";
        let seed = seed(plan.seed, problem.name(), size, number);
        let mut instance = problem.instance(size, &mut ChaCha8Rng::seed_from_u64(seed));
        let optimal = run_optimal(&mut instance).expect(ANSWERS);
        let empty_is_known = instance.empty_is_known;
        let mut run =
            |entrant: &Entrant, width: usize| entrant.run(&mut instance, width, plan.direction).expect(ANSWERS);
        let entrants = Entrant::named(names, seed, empty_is_known);
        let measured: Vec<Vec<Measured>> =
            entrants.iter().map(|entrant| plan.workers.iter().map(|&width| run(entrant, width)).collect()).collect();
        let own = measured.iter().map(|widths| widths[0]).find(|measured| measured.bits.is_some());
        let found = own.unwrap_or_else(|| run(&Entrant::named(&[REFERENCE], seed, empty_is_known)[0], 1));
        let expected = (number == 0).then(|| problem.expected_optimum(size)).flatten();
        Trial { units: instance.units(), optimal, expected, found, measured }
    }
}

/// The seed of one instance: every algorithm gets the same one, in every comparison.
fn seed(seed: u64, problem: &str, size: usize, number: usize) -> u64 {
    let hash = blake3::hash(format!("{seed} {problem} {size} {number}").as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

fn cell(plan: &Plan, names: &[&'static str], problem: &Problem, trials: &[Trial]) -> Cell {
    let mean = |value: &dyn Fn(&Trial) -> f64| Mean::of(&trials.iter().map(value).collect::<Vec<_>>());
    let optimal: Option<Vec<Measured>> = trials.iter().map(|trial| trial.optimal).collect();
    let source = if optimal.is_some() { BoundSource::Parameters } else { BoundSource::CodeLength };
    let found = optimal.clone().unwrap_or_else(|| trials.iter().map(|trial| trial.found).collect());
    let optimum = optimal.as_ref().map(|optimal| Optimum {
        here: Mean::of(&optimal.iter().map(|measured| measured.tests as f64).collect::<Vec<_>>()).mean,
        expected: trials.iter().find_map(|trial| trial.expected),
    });
    let row = |(index, &algorithm): (usize, &&'static str)| {
        let of = |width: usize, value: fn(&Measured) -> usize| {
            mean(&|trial: &Trial| value(&trial.measured[index][width]) as f64)
        };
        Row {
            algorithm,
            tests: of(0, |measured| measured.tests),
            left: of(0, |measured| measured.left),
            rounds: plan
                .workers
                .iter()
                .enumerate()
                .map(|(width, &workers)| (workers, Some(of(width, |measured| measured.rounds))))
                .collect(),
            spread: None,
            to_optimum: optimal.as_ref().and_then(|optimal| {
                let pair = |(trial, optimal): (&Trial, &Measured)| {
                    (trial.measured[index][0].tests as f64, optimal.tests as f64)
                };
                Mean::ratio(&trials.iter().zip(optimal).map(pair).collect::<Vec<_>>())
            }),
        }
    };
    Cell {
        problem: problem.name().to_owned(),
        units: mean(&|trial| trial.units as f64).mean,
        trials: trials.len(),
        bound: bound(&found, source),
        optimum,
        rows: names.iter().enumerate().map(row).collect(),
    }
}

/// The minimum of the mean tests for the results of several trials; `None` if they have no code length. It is the bound
/// of the means and not the mean of the bounds: only mean tests are bounded at all.
pub fn bound(found: &[Measured], source: BoundSource) -> Option<Bound> {
    let bits: Option<Vec<f64>> = found.iter().map(|measured| measured.bits).collect();
    let bits = bits.filter(|bits| !bits.is_empty())?;
    let kept: Vec<f64> = found.iter().map(|measured| measured.left as f64).collect();
    Some(Bound { tests: lower_bound(Mean::of(&kept).mean, Mean::of(&bits).mean), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(problems: &[&str], algorithms: &[&str]) -> Plan {
        Plan {
            problems: problems.iter().flat_map(|name| Problem::named(name).expect("a known name")).collect(),
            sizes: vec![60],
            algorithms: algorithms.iter().map(|name| (*name).to_owned()).collect(),
            workers: vec![1],
            trials: 3,
            seed: 7,
            direction: Direction::Usual,
            threads: 2,
        }
    }

    fn run(plan: &Plan) -> Vec<Cell> {
        compare(plan, &|_, _| {}).expect("the algorithms are known")
    }

    #[test]
    fn threads_change_nothing_and_the_seed_does() {
        let plan = plan(&["markov:0.9/0.95", "noisy", "short-lists"], &[]);
        let cells = run(&plan);
        assert_eq!(cells, run(&Plan { threads: 1, ..plan.clone() }));
        assert_ne!(cells, run(&Plan { seed: 8, ..plan }));
    }

    #[test]
    fn what_else_is_compared_changes_nothing() {
        let all = run(&plan(&["regimes", "markov:0.9/0.95"], &[]));
        let one = run(&plan(&["markov:0.9/0.95"], &["naive"]));
        let row = all[1].rows.iter().find(|row| row.algorithm == "naive").expect("all take part");
        assert_eq!(one[0].rows.as_slice(), std::slice::from_ref(row));
        assert_eq!(one[0].bound, all[1].bound);
    }

    #[test]
    fn bounds_come_from_parameters_where_there_are_any() {
        let cells = run(&plan(&["markov:0.9/0.95", "short-lists", "pairs"], &["naive"]));
        let source = |cell: &Cell| cell.bound.expect("there is always one").source;
        assert_eq!(
            cells.iter().map(source).collect::<Vec<_>>(),
            [BoundSource::Parameters, BoundSource::Parameters, BoundSource::CodeLength,]
        );
        assert_eq!(cells.iter().map(|cell| cell.optimum.is_some()).collect::<Vec<_>>(), [true, true, false]);
        let optima = cells[..2].iter().map(|cell| cell.optimum.expect("checked above"));
        assert_eq!(optima.map(|optimum| optimum.expected.is_some()).collect::<Vec<_>>(), [true, false]);
        assert!(cells.iter().all(|cell| cell.rows[0].to_optimum.is_some() == cell.optimum.is_some()));
        // Without any of lop's own among them there is a code length all the same.
        assert!(cells[2].bound.expect("there is always one").tests > 1.0);
    }

    #[test]
    fn the_optimum_on_many_instances_is_the_expected_one_and_not_below_the_bound() {
        let plan = Plan { sizes: vec![200], trials: 100, ..plan(&["markov:0.9/0.9"], &["naive"]) };
        let cell = &run(&plan)[0];
        let (optimum, bound) = (cell.optimum.expect("a source"), cell.bound.expect("a source").tests);
        let expected = optimum.expected.expect("short runs");
        assert!((optimum.here / expected - 1.0).abs() < 0.05, "{optimum:?}");
        assert!(bound < 1.01 * optimum.here && bound > 0.95 * optimum.here, "{bound} {optimum:?}");
        let ratio = cell.rows[0].to_optimum.expect("a source");
        assert!((ratio.mean - 200.0 / optimum.here).abs() < 1e-9 && ratio.error.expect("many trials") > 0.0);
    }

    #[test]
    fn sizes_are_for_problems_that_can_have_any() {
        let plan = Plan { sizes: vec![20, 40], trials: 1, ..plan(&["options", "pairs"], &["naive"]) };
        let units: Vec<f64> = run(&plan).iter().map(|cell| cell.units).collect();
        assert_eq!(units, [31.0, 20.0, 40.0]);
    }

    #[test]
    fn more_workers_need_fewer_rounds() {
        let plan = Plan { workers: vec![1, 4, 16], ..plan(&["markov:0.9/0.95"], &["entropy", "naive"]) };
        for row in &run(&plan)[0].rows {
            let rounds: Vec<f64> = row.rounds.iter().map(|(_, mean)| mean.expect("they are counted").mean).collect();
            assert_eq!(rounds[0], row.tests.mean);
            let falls = rounds.windows(2).all(|pair| pair[1] <= pair[0]);
            assert!(falls && (row.algorithm == "naive" || rounds[2] < rounds[0]), "{rounds:?}");
        }
    }

    #[test]
    fn progress_counts_every_trial() {
        let seen = Mutex::new(Vec::new());
        let plan = plan(&["pairs", "sized"], &["naive"]);
        compare(&plan, &|done, all| seen.lock().expect("no panic").push((done, all))).expect("naive is known");
        let mut seen = seen.into_inner().expect("no panic");
        seen.sort_unstable();
        assert_eq!(seen, (1..=6).map(|done| (done, 6)).collect::<Vec<_>>());
    }
}
