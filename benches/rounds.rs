//! How many times faster k workers are, on tests that all take equally long: the clock is a virtual one, so that neither
//! the number of cores nor their load matters.
//!
//! `cargo bench --bench rounds -- CASE...`, where a case is a folder with `test.sh` and `input.*`; without one, the
//! shipped fixtures. A row of a case has the rounds, how many times fewer they are than alone, the share of workers that
//! were busy, the tests that were begun, and how many times those of one worker that is: the rest was run ahead of its time,
//! and not needed. Below stand the rounds and tests of each pass. A round ends when speculation has found all that it can
//! find. `LOP_WORKERS=1,16` says how many workers there are, and a folder in `LOP_ANSWERS` keeps the answers of tests, so
//! that a case that was measured takes seconds the next time. Aims: 3.2 times at 4 workers, 9 at 16, 20 at 64, for 1.3 times
//! the tests at 4 and 2 times at 16.

use lop_languages::LANGUAGES;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use lop::{Options, reduce_with};
use lop_engine::Verdict;
use lop_files::disk::ReadAccess;
use lop_grammar::{AUTO, Registry};
use lop_journal::Cache;
use lop_reduce::{Event, EventSink};
use lop_run::exec::{Executor, Job, Ticket, key};
use lop_run::oracle::{Cancel, Outcome};

const WORKERS: &str = "1,4,16,64,256";

/// Workers whose tests all take one tick of a clock that stands still between them.
struct Clocked<F> {
    judge: F,
    slots: usize,
    now: Rc<Cell<u64>>,
    /// Tests that have begun.
    begun: Rc<Cell<u64>>,
    queued: VecDeque<Job>,
    /// With the tick at which they end, in the order in which they began.
    running: VecDeque<(u64, Job)>,
    cancelled: VecDeque<Ticket>,
}

impl<F: FnMut(&[u8]) -> Verdict> Clocked<F> {
    fn new(judge: F, slots: usize, now: Rc<Cell<u64>>, begun: Rc<Cell<u64>>) -> Self {
        let (queued, running, cancelled) = Default::default();
        Self { judge, slots, now, begun, queued, running, cancelled }
    }

    fn start(&mut self) {
        while self.running.len() < self.slots
            && let Some(job) = self.queued.pop_front()
        {
            self.begun.set(self.begun.get() + 1);
            self.running.push_back((self.now.get() + 1, job));
        }
    }
}

impl<F: FnMut(&[u8]) -> Verdict> Executor for Clocked<F> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, job: Job) {
        self.queued.push_back(job);
        self.start();
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        // The job that began first ends first.
        if let Some((end, _)) = self.running.front().filter(|_| self.cancelled.is_empty()) {
            self.now.set(self.now.get().max(*end));
        }
        self.try_wait()
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(ticket) = self.cancelled.pop_front() {
            return Some((ticket, Outcome::cancelled()));
        }
        self.running.front().filter(|(end, _)| *end <= self.now.get())?;
        let (_, job) = self.running.pop_front()?;
        self.start();
        Some((
            job.ticket,
            Outcome { duration: Duration::from_millis(200), ..Outcome::of((self.judge)(&job.candidate)) },
        ))
    }

    fn cancel(&mut self, ticket: Ticket) {
        let before = self.queued.len() + self.running.len();
        self.queued.retain(|job| job.ticket != ticket);
        self.running.retain(|(_, job)| job.ticket != ticket);
        if self.queued.len() + self.running.len() < before {
            self.cancelled.push_back(ticket);
        }
        self.start();
    }

    fn shutdown(&mut self) {
        self.cancelled.extend(self.queued.drain(..).map(|job| job.ticket));
        self.cancelled.extend(self.running.drain(..).map(|(_, job)| job.ticket));
    }
}

/// The work of a pass, or of all.
#[derive(Clone, Copy, Default)]
struct Work {
    rounds: u64,
    /// Tests that have begun.
    begun: u64,
}

/// The work of each pass, in the order in which they came first.
struct Passes {
    now: Rc<Cell<u64>>,
    begun: Rc<Cell<u64>>,
    /// Counted so far.
    counted: Work,
    current: &'static str,
    all: Vec<(&'static str, Work)>,
}

impl Passes {
    fn new(now: Rc<Cell<u64>>, begun: Rc<Cell<u64>>) -> Self {
        Self { now, begun, counted: Work::default(), current: "baseline", all: Vec::new() }
    }

    /// The work since the last pass began is of that one.
    fn count(&mut self) {
        let now = Work { rounds: self.now.get(), begun: self.begun.get() };
        let before = std::mem::replace(&mut self.counted, now);
        let at = self.all.iter().position(|(name, _)| *name == self.current).unwrap_or_else(|| {
            self.all.push((self.current, Work::default()));
            self.all.len() - 1
        });
        let work = &mut self.all[at].1;
        work.rounds += now.rounds - before.rounds;
        work.begun += now.begun - before.begun;
    }
}

impl EventSink for Passes {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        if let Event::Pass { name, .. } = event {
            self.count();
            self.current = name;
        }
        Ok(())
    }
}

/// Below the rows of a case: the rounds of each pass by the number of workers, and the tests that were begun in it.
fn table(by_workers: &[Vec<(&'static str, Work)>]) {
    for (name, _) in &by_workers[0] {
        let of = |passes: &Vec<(&'static str, Work)>| {
            passes.iter().find(|(other, _)| other == name).map_or_else(Work::default, |pass| pass.1)
        };
        let cell = |work: Work| format!("{:>5} {:>6}", work.rounds, work.begun);
        let cells: Vec<String> = by_workers.iter().map(of).map(cell).collect();
        anstream::println!("    {name:<24}{}", cells.join("   "));
    }
}

/// The case's own test on a candidate in a folder of its own.
fn judge(test: &Path, name: &str, candidate: &[u8]) -> Verdict {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(name), candidate).expect("a temporary file");
    let ran = Command::new(test)
        .arg(name)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the test can be started");
    if ran.success() { Verdict::Interesting } else { Verdict::NotInteresting }
}

fn main() {
    let mut cases: Vec<PathBuf> =
        std::env::args_os().skip(1).filter(|arg| arg != "--bench").map(PathBuf::from).collect();
    if cases.is_empty() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let folders = fs::read_dir(fixtures).expect("the fixtures are part of the tree");
        cases.extend(
            folders.map(|entry| entry.expect("a listed folder").path()).filter(|path| path.join("test.sh").is_file()),
        );
        cases.sort();
    }
    for case in cases {
        let case = case.canonicalize().expect("the case is there");
        let entries = fs::read_dir(&case).expect("a case is a folder");
        let mut files = entries.map(|entry| entry.expect("a listed file").path());
        let input =
            files.find(|path| path.file_stem().is_some_and(|stem| stem == "input")).expect("a case has an input");
        let name = input.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let content = fs::read(&input).expect("the input can be read");
        let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
        let (grammar, _) = registry.choose(AUTO, &input, &content).expect("a file of a known language");
        let test = case.join("test.sh");
        let mut answers = std::env::var_os("LOP_ANSWERS").map(|folder| {
            let test = blake3::hash(&fs::read(&test).expect("a case has a test")).to_hex();
            Cache::open(Path::new(&folder), &test, ReadAccess::of_file(&input)).expect("answers can be kept")
        });
        let mut known = HashMap::new();
        let mut alone = Work::default();
        let mut by_workers = Vec::new();
        for workers in std::env::var("LOP_WORKERS").unwrap_or(WORKERS.to_owned()).split(',') {
            let workers = workers.parse().expect("numbers of workers");
            let mut ask = |candidate: &[u8]| {
                let key = key(candidate);
                *known.entry(key).or_insert_with(|| {
                    let kept = answers.as_mut().and_then(|answers| answers.recall(&key)?.verdict);
                    kept.unwrap_or_else(|| {
                        let verdict = judge(&test, &name, candidate);
                        let mut keep = answers.iter_mut();
                        keep.try_for_each(|answers| answers.record(&key, &Outcome::of(verdict)))
                            .expect("there is room");
                        verdict
                    })
                })
            };
            let (now, begun) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
            let mut executor = Clocked::new(&mut ask, workers, Rc::clone(&now), Rc::clone(&begun));
            let mut passes = Passes::new(Rc::clone(&now), Rc::clone(&begun));
            let report =
                reduce_with(&content, grammar.clone(), &mut executor, &Options::default(), &mut passes, &Cancel::new());
            passes.count();
            let work = passes.counted;
            by_workers.push(passes.all);
            alone = if workers == 1 { work } else { alone };
            let size = report.map_or_else(
                |error| error.to_string(),
                |report| format!("{} bytes, {} tokens", report.after.bytes, report.after.tokens),
            );
            let speed = alone.rounds as f64 / work.rounds as f64;
            let busy = 100.0 * work.begun as f64 / (workers as u64 * work.rounds) as f64;
            let price = work.begun as f64 / alone.begun as f64;
            anstream::println!(
                "{:<28} {workers:>3} workers: {:>5} rounds, {speed:>5.2} times faster, {busy:>3.0} % busy, {} tests, {price:.2} \
                 times those of one, {size}",
                case.file_name().expect("a folder has a name").display(),
                work.rounds,
                work.begun,
            );
        }
        table(&by_workers);
    }
}
