//! A test about which something is left open: what `detect` finds out.

use std::path::Path;
use std::time::Duration;

use crate::oracle::{Cancel, CommandOracle, ConditionSpec, Confinement, Outcome, Slot, SlotOptions, Written};
use crate::reduce::BASELINE_DEADLINE;

use super::failure::Failure;
use super::signature_args::SignatureArgs;

/// A test about which something is left open.
pub(crate) struct Open<'a> {
    /// The test case, as the user named it.
    pub(crate) path: &'a Path,
    /// Its content.
    pub(crate) content: &'a [u8],
    /// Whether a failure may be what is interesting. A script says by its exit code what it means.
    pub(crate) may_fail: bool,
    /// What is to be found out, and what else must hold.
    pub(crate) sought: &'a SignatureArgs,
    /// How much of the machine a command gets.
    pub(crate) confinement: &'a Confinement,
    /// The deadline of a run, if one was given.
    pub(crate) deadline: Option<Duration>,
    /// Whether a failure may be kept that the empty file shows as well.
    pub(crate) allow_empty: bool,
    /// Whole files of the language with nothing in them.
    pub(crate) empty_texts: &'a [String],
    /// The conditions, those that are found among them.
    pub(crate) spec: ConditionSpec,
    /// The test, which gets the conditions and the second commands.
    pub(crate) oracle: CommandOracle,
}

impl Open<'_> {
    /// Where it can be run.
    pub(super) fn place<'c>(&self, cancel: &'c Cancel) -> Result<Place<'c>, Failure> {
        let options = SlotOptions { directory: None, candidate_len: self.content.len(), owns_process: true };
        let slot = Slot::new(&options).map_err(|error| Failure::Workers(error.into()))?;
        Ok(Place { slot, deadline: self.deadline.unwrap_or(BASELINE_DEADLINE), cancel })
    }
}

/// Where commands are run.
pub(super) struct Place<'a> {
    slot: Slot,
    pub(super) deadline: Duration,
    cancel: &'a Cancel,
}

impl Place<'_> {
    pub(super) fn run(&mut self, oracle: &CommandOracle, candidate: &[u8]) -> (Outcome, Written) {
        oracle.observe(candidate, &mut self.slot, self.deadline, self.cancel)
    }
}
