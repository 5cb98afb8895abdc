//! A test with missing parts, which `detect` completes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lop_doctor::{Missing, TrivialInputs, missing, named};
use lop_files::disk;
use lop_grammar::Grammar;
use lop_reduce::BASELINE_DEADLINE;
use lop_report::Kept;
use lop_run::oracle::{Cancel, CommandOracle, ConditionSpec, Confinement, Outcome, Slot, SlotOptions, Table, Written};

use super::beside::side_files;
use super::failure::Failure;
use super::flaky_args::FlakyArgs;
use super::signature_args::SignatureArgs;

/// A test about which something is left open.
pub(crate) struct IncompleteTest<'a> {
    /// The test case, as the user named it.
    pub(crate) path: &'a Path,
    /// Its content.
    pub(crate) content: &'a [u8],
    /// Whether a failure can be the interesting behaviour. A script defines it by its exit code.
    pub(crate) may_fail: bool,
    /// The options on the signature to find, and on further conditions.
    pub(crate) sought: &'a SignatureArgs,
    /// The confinement of a command.
    pub(crate) confinement: &'a Confinement,
    /// The deadline of a run, if one was given.
    pub(crate) deadline: Option<Duration>,
    /// How often a run that does not fail is repeated.
    pub(crate) flaky: FlakyArgs,
    /// Whether a failure may be kept that the empty file shows as well.
    pub(crate) allow_empty: bool,
    /// The forms of the test case with nothing in it.
    pub(crate) trivial_inputs: &'a TrivialInputs,
    /// The conditions, including found ones.
    pub(crate) spec: ConditionSpec,
    /// The test, which gets the conditions and the second commands.
    pub(crate) oracle: CommandOracle,
}

impl IncompleteTest<'_> {
    /// Where it can be run.
    pub(super) fn place<'c>(&self, cancel: &'c Cancel) -> Result<Probe<'c>, Failure> {
        Probe::new(self.content.len(), self.deadline, cancel)
    }
}

impl IncompleteTest<'_> {
    /// Finds the file or module that the test misses in its directory, from the output of a run.
    ///
    /// # Errors
    /// If there is no place to run the test again.
    pub(crate) fn missing(&self, written: &Written, cancel: &Cancel) -> Result<Option<Missing>, Failure> {
        missing_of(&self.oracle, self.path, written, &mut self.place(cancel)?, self.content)
    }
}

/// Finds the file or module that a test of `path` misses in its directory, from the output of a run.
///
/// # Errors
/// If there is no place to run the test again.
pub(crate) fn missing_of(
    oracle: &CommandOracle,
    path: &Path,
    written: &Written,
    place: &mut Probe<'_>,
    content: &[u8],
) -> Result<Option<Missing>, Failure> {
    let mut again = |things: &[PathBuf]| {
        let more = side_files(things, path, &Kept::InPlace).ok()?;
        let all = [oracle.side_files(), &more].concat();
        let oracle = oracle.clone().with_belongings(all).ok()?;
        Some(place.run(&oracle, content).1)
    };
    Ok(missing(&Table::default(), written, path, &mut again))
}

/// The files next to the test case that it includes, if the test accepts the input with them and refuses it without.
///
/// # Errors
/// If there is no place to run the test again.
pub(crate) fn named_of(
    oracle: &CommandOracle,
    path: &Path,
    grammar: &Grammar,
    place: &mut Probe<'_>,
    content: &[u8],
) -> Option<Missing> {
    let expressions = grammar.includes();
    let found = |text: &[u8]| -> Vec<Vec<u8>> {
        let all = expressions.iter().flat_map(|expression| expression.captures_iter(text));
        all.filter_map(|found| Some(found.get(1)?.as_bytes().to_vec())).collect()
    };
    let mut things: Vec<PathBuf> = Vec::new();
    let mut texts = vec![content.to_vec()];
    // A thing that is named may name further ones.
    for _ in 0..DEEPEST {
        let names: Vec<Vec<u8>> = texts.iter().flat_map(|text| found(text)).collect();
        let new = named(names.iter().map(Vec::as_slice), path);
        let new: Vec<PathBuf> = new.into_iter().filter(|thing| !things.contains(thing)).collect();
        if new.is_empty() {
            break;
        }
        texts = new.iter().filter_map(|thing| disk::read(thing, LARGEST).ok()).collect();
        things.extend(new);
    }
    if things.is_empty() {
        return None;
    }
    let beside = side_files(&things, path, &Kept::InPlace).ok()?;
    let oracle = oracle.clone().with_belongings([oracle.side_files(), &beside].concat()).ok()?;
    let is_interesting = place.run(&oracle, content).0.is_interesting();
    is_interesting.then(|| Missing { line: String::new(), things })
}

/// Maximum depth of files that name further files.
const DEEPEST: usize = 4;
/// Maximum size of a file that is searched for names.
const LARGEST: u64 = 1 << 20;

/// Where commands are run.
pub(crate) struct Probe<'a> {
    slot: Slot,
    pub(super) deadline: Duration,
    cancel: &'a Cancel,
}

impl<'a> Probe<'a> {
    /// A place for candidates of this length.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(candidate_len: usize, deadline: Option<Duration>, cancel: &'a Cancel) -> Result<Self, Failure> {
        let options = SlotOptions::of_program(candidate_len);
        let slot = Slot::new(&options).map_err(|error| Failure::Workers(error.into()))?;
        Ok(Probe { slot, deadline: deadline.unwrap_or(BASELINE_DEADLINE), cancel })
    }

    /// Makes another place to run tests at the same time. If the two did not know of each other, each would end the other's
    /// processes.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn another(&self) -> Result<Self, Failure> {
        let slot = self.slot.another().map_err(|error| Failure::Workers(error.into()))?;
        Ok(Probe { slot, ..*self })
    }

    pub(crate) fn run(&mut self, oracle: &CommandOracle, candidate: &[u8]) -> (Outcome, Written) {
        oracle.observe(candidate, &mut self.slot, self.deadline, self.cancel)
    }
}
