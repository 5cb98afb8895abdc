//! How many times faster k workers are, on tests that all take equally long: the clock is a virtual one, so that neither
//! the number of cores nor their load matters.
//!
//! `cargo bench --bench rounds -- CASE...`, where a case is a folder with `test.sh` and `input.*`; without one, the
//! shipped fixtures. Below a case stand the rounds of each pass, and how many times fewer they are than alone. Aims on dependent inputs: 2.2 at 4 workers, 4.5 at 16, sizes within 2 %.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use lop::engine::Verdict;
use lop::exec::{Executor, Job, Ticket};
use lop::grammar::{AUTO, Registry};
use lop::oracle::{Cancel, Outcome};
use lop::reduce::{Event, EventSink};
use lop::{Options, reduce_with};

const WORKERS: [usize; 3] = [1, 4, 16];

/// Workers whose tests all take one tick of a clock that stands still between them.
struct Clocked<F> {
    judge: F,
    slots: usize,
    now: Rc<Cell<u64>>,
    queued: VecDeque<Job>,
    /// With the tick at which they end, in the order in which they began.
    running: VecDeque<(u64, Job)>,
    cancelled: VecDeque<Ticket>,
}

impl<F: FnMut(&[u8]) -> Verdict> Clocked<F> {
    fn new(judge: F, slots: usize, now: Rc<Cell<u64>>) -> Self {
        let (queued, running, cancelled) = Default::default();
        Self { judge, slots, now, queued, running, cancelled }
    }

    fn start(&mut self) {
        while self.running.len() < self.slots
            && let Some(job) = self.queued.pop_front()
        {
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

/// How many rounds each pass took, in the order in which they came first.
struct Passes {
    now: Rc<Cell<u64>>,
    /// Until here the rounds are counted.
    counted: u64,
    current: &'static str,
    rounds: Vec<(&'static str, u64)>,
}

impl Passes {
    fn new(now: Rc<Cell<u64>>) -> Self {
        Self { now, counted: 0, current: "baseline", rounds: Vec::new() }
    }

    /// Those since the last pass began are of that one.
    fn count(&mut self) {
        let more = self.now.get() - std::mem::replace(&mut self.counted, self.now.get());
        match self.rounds.iter_mut().find(|(name, _)| *name == self.current) {
            Some((_, rounds)) => *rounds += more,
            None => self.rounds.push((self.current, more)),
        }
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

/// Below the rows of a case: the rounds of each pass by the number of workers.
fn table(by_workers: &[Vec<(&'static str, u64)>]) {
    for (name, alone) in &by_workers[0] {
        let rounds = by_workers.iter().map(|passes| passes.iter().find(|(other, _)| other == name).map_or(0, |p| p.1));
        let cells: Vec<String> = rounds
            .map(|rounds| format!("{rounds:>6} {:>6}", format!("{:.2}", *alone as f64 / rounds.max(1) as f64)))
            .collect();
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
        let registry = Registry::embedded().expect("embedded grammars load");
        let (grammar, _) = registry.choose(AUTO, &input, &content).expect("a file of a known language");
        let mut known = HashMap::new();
        let mut alone = 0;
        let mut by_workers = Vec::new();
        for workers in WORKERS {
            let mut ask = |candidate: &[u8]| {
                *known.entry(candidate.to_vec()).or_insert_with(|| judge(&case.join("test.sh"), &name, candidate))
            };
            let now = Rc::new(Cell::new(0));
            let mut executor = Clocked::new(&mut ask, workers, Rc::clone(&now));
            let mut passes = Passes::new(Rc::clone(&now));
            let report =
                reduce_with(&content, grammar.clone(), &mut executor, &Options::default(), &mut passes, &Cancel::new());
            let rounds = now.get();
            passes.count();
            by_workers.push(passes.rounds);
            alone = if workers == 1 { rounds } else { alone };
            let size = report.map_or_else(
                |error| error.to_string(),
                |report| format!("{} bytes, {} tokens", report.after.bytes, report.after.tokens),
            );
            let speed = alone as f64 / rounds as f64;
            anstream::println!(
                "{:<28} {workers:>2} workers: {rounds:>5} rounds, {speed:.2} times faster, {size}",
                case.file_name().expect("a folder has a name").display()
            );
        }
        table(&by_workers);
    }
}
