//! The full examination: which runs it makes, under which circumstances, and in which order.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lop_reduce::{BASELINE_DEADLINE, usual_deadline};
use lop_run::oracle::{
    Cancel, CommandOracle, Oracle, Outcome, PrivateDirectory, Slot, SlotOptions, is_device, is_root,
};

use super::causes;
use super::facts::Facts;
use super::remote;
use super::traces::{Script, Snapshot};
use super::trivial_inputs::{TRIVIAL, TrivialInputs};
use super::trouble::Trouble;

/// Number of runs on the input, one after the other.
const REPEATS: usize = 5;
/// Number of runs alone before a failure in parallel is attributed to parallelism. A test that fails in a quarter of
/// its runs passes all of them in one case of twenty.
const ALONE: usize = 2 * REPEATS;

/// A test and its subject.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The test.
    pub oracle: &'a CommandOracle,
    /// The words of the test as they were typed.
    pub words: &'a [OsString],
    /// The file to reduce, as the user named it.
    pub path: &'a Path,
    /// Its content.
    pub content: &'a [u8],
    /// Its trivial variants.
    pub trivial_inputs: &'a TrivialInputs,
    /// The condition that makes a run interesting, in words.
    pub wanted: &'a str,
    /// Number of parallel tests; at least 1.
    pub jobs: usize,
    /// The deadline of one test, if the user gave one.
    pub deadline: Option<Duration>,
    /// Where tests run.
    pub slots: SlotOptions,
    /// The path of the null device, /dev/null, which every test relies on.
    pub null: &'a Path,
}

impl Examination<'_> {
    /// The directories that a test must not write to: those of the file and the script, and the current one.
    pub(super) fn sources(&self) -> Vec<PathBuf> {
        let parent = |path: &Path| path.canonicalize().ok()?.parent().map(Path::to_owned);
        let script = if self.words.len() == 1 { parent(self.oracle.program()) } else { None };
        [parent(self.path), script, std::env::current_dir().ok()].into_iter().flatten().collect()
    }

    /// Collects the facts that need no run.
    pub(super) fn read(&self) -> Facts {
        let script = Script::read(self.oracle.program(), self.words);
        let paths = [self.path.canonicalize(), std::path::absolute(self.path)];
        let mut paths = paths.iter().flatten().filter_map(|path| path.to_str());
        Facts {
            program: self.oracle.program().to_owned(),
            wanted: self.wanted.to_owned(),
            names_original: paths.find_map(|path| script.naming(path)),
            names_null: ["-o /dev/null", "-o/dev/null", "--output=/dev/null"]
                .iter()
                .find_map(|text| script.naming(text)),
            is_root: is_root(),
            deadline: self.deadline,
            ..Facts::default()
        }
    }
}

/// Runs tests one after the other in one slot.
struct Runner<'a> {
    slot: Slot,
    deadline: Duration,
    cancel: &'a Cancel,
}

impl Runner<'_> {
    fn run(&mut self, oracle: &CommandOracle, candidate: &[u8], facts: &mut Facts) -> Result<Outcome, Trouble> {
        let (outcome, processes) = oracle.examine(candidate, &mut self.slot, self.deadline, self.cancel);
        if self.cancel.is_stopped() {
            return Err(Trouble::Cancelled);
        }
        for name in processes {
            if !facts.processes.contains(&name) {
                facts.processes.push(name);
            }
        }
        Ok(outcome)
    }
}

/// Makes the full examination. `say` receives a description of the next step.
///
/// # Errors
/// [`Trouble`] if there is no directory for tests, or `cancel` was stopped.
pub fn examine(examination: &Examination<'_>, cancel: &Cancel, say: &mut dyn FnMut(&str)) -> Result<Facts, Trouble> {
    let mut facts = examination.read();
    let null_before = is_device(examination.null);
    let sources = Snapshot::take(examination.sources());
    let run = runs(examination, cancel, &mut facts, say);
    facts.null = Some((null_before, is_device(examination.null)));
    facts.changed = sources.changes();
    let changed = examination.oracle.side_files().iter().filter(|side_file| side_file.has_changed());
    facts.changed.extend(changed.map(|side_file| side_file.original().to_owned()));
    run.map(|()| facts)
}

fn runs(
    examination: &Examination<'_>,
    cancel: &Cancel,
    facts: &mut Facts,
    say: &mut dyn FnMut(&str),
) -> Result<(), Trouble> {
    let Examination { oracle, content, .. } = *examination;
    let deadline = examination.deadline.unwrap_or(BASELINE_DEADLINE);
    let mut place = Runner { slot: Slot::new(&examination.slots)?, deadline, cancel };
    say("the input");
    let first = place.run(oracle, content, facts)?;
    let (verdict, took) = (first.verdict, first.duration);
    facts.input.push(first);
    if verdict.is_some() {
        facts.remote = remote::compare(oracle, examination.words, content, place.deadline, &mut place.slot, cancel);
    }
    if verdict.is_none() {
        // The test cannot run, so there is nothing more to examine.
        return Ok(());
    }
    place.deadline = examination.deadline.unwrap_or_else(|| usual_deadline(took));
    for number in 2..=REPEATS {
        say(&format!("the input, {number} of {REPEATS}"));
        let again = place.run(oracle, content, facts)?;
        facts.input.push(again);
    }
    if facts.is_flaky() {
        say("the cause of different answers");
        let mut input = std::mem::take(&mut facts.input);
        let mut runs = 0;
        let before = input.len();
        let mut run = |oracle: &CommandOracle| {
            runs += 1;
            place.run(oracle, content, facts)
        };
        let cause = causes::find(oracle, &mut input, &mut run);
        facts.for_cause = runs - (input.len() - before);
        facts.input = input;
        facts.cause = cause?;
    }
    say("the empty file");
    facts.empty = Some(place.run(oracle, b"", facts)?);
    for case in examination.trivial_inputs.cases(content) {
        say(&case.name);
        // The empty file was tried already; with several files it isn't a candidate.
        let outcome = if case.candidate.is_empty() { continue } else { place.run(oracle, &case.candidate, facts)? };
        match &*case.text {
            // All files exist and are empty: the baseline of a reduction tests this too.
            b"" if outcome.is_interesting() => facts.empty = Some(outcome),
            TRIVIAL => facts.trivial = Some(outcome),
            _ => facts.trivial_inputs.push((case.name, outcome)),
        }
    }
    if !facts.is_interesting() {
        return Ok(());
    }
    say("the input in another directory");
    try_other_directory(examination, &mut place.slot, place.deadline, cancel, facts)?;
    if examination.jobs > 1 {
        say(&format!("the input, {} at the same time", examination.jobs));
        // Tests that wait for each other must not look like an outcome.
        let deadline = place.deadline.saturating_mul(jobs_factor(examination.jobs));
        facts.together = together(examination, &vec![content; examination.jobs], deadline, cancel)?;
        // A flaky test is flaky alone too, if it runs often enough.
        for _ in 0..ALONE {
            if facts.together.iter().all(Outcome::is_interesting) || facts.is_flaky() {
                break;
            }
            let again = place.run(oracle, content, facts)?;
            facts.input.push(again);
        }
    }
    Ok(())
}

fn jobs_factor(jobs: usize) -> u32 {
    u32::try_from(jobs).unwrap_or(u32::MAX)
}

/// Runs the test in a directory with another, longer path on the same file system as `slot`. Returns nothing if no such
/// directory can be created. If the outcome differs, repeats both, because a flaky test differs everywhere.
pub(super) fn try_other_directory(
    examination: &Examination<'_>,
    slot: &mut Slot,
    deadline: Duration,
    cancel: &Cancel,
    facts: &mut Facts,
) -> Result<(), Trouble> {
    let beside = slot.path().parent().expect("the directory was made in another");
    let Ok(outer) = PrivateDirectory::new(beside) else { return Ok(()) };
    let place = outer.path().join("lop-elsewhere-and-deeper");
    if fs::create_dir(&place).is_err() {
        return Ok(());
    }
    let options = SlotOptions { directory: Some(place), ..examination.slots.clone() };
    let mut there = Slot::new(&options)?;
    let judge = |slot: &mut Slot| {
        let outcome = examination.oracle.judge(examination.content, slot, deadline, cancel);
        if cancel.is_stopped() { Err(Trouble::Cancelled) } else { Ok(outcome) }
    };
    facts.other_directory.push(judge(&mut there)?);
    while facts.differs_in_other_directory() && !facts.is_flaky() && facts.other_directory.len() < REPEATS {
        facts.other_directory.push(judge(&mut there)?);
        facts.input.push(judge(slot)?);
    }
    Ok(())
}

/// Runs the texts in separate slots, as many in parallel as tests would run.
pub(super) fn together(
    examination: &Examination<'_>,
    texts: &[&[u8]],
    deadline: Duration,
    cancel: &Cancel,
) -> Result<Vec<Outcome>, Trouble> {
    let mut outcomes = Vec::new();
    for texts in texts.chunks(examination.jobs) {
        let slots = Slot::several(texts.len(), &examination.slots)?;
        outcomes.extend(thread::scope(|scope| {
            let judge =
                |(mut slot, text)| scope.spawn(move || examination.oracle.judge(text, &mut slot, deadline, cancel));
            let runs: Vec<_> = slots.into_iter().zip(texts.iter().copied()).map(judge).collect();
            runs.into_iter().map(|run| run.join().expect("the oracle does not panic")).collect::<Vec<_>>()
        }));
    }
    if cancel.is_stopped() { Err(Trouble::Cancelled) } else { Ok(outcomes) }
}
