//! Responsible for the command that changes each candidate before the test sees it, such as one that corrects a checksum.

use std::time::Duration;

use super::{Cancel, CommandOracle, Exit, Outcome, Slot};
use crate::engine::Verdict;

/// A command that changes the candidate's file in its place.
///
/// Requirement: a file that it has changed is one that it does not change any more.
#[derive(Clone, Debug)]
pub struct Fix(Box<CommandOracle>);

impl Fix {
    /// Takes the command, which runs here and has to end with exit code 0.
    #[must_use]
    pub fn new(command: CommandOracle) -> Self {
        Fix(Box::new(command))
    }

    /// The candidate as the command leaves it.
    ///
    /// # Errors
    /// The outcome of a candidate that the command fails on: it is not interesting.
    pub fn apply(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Outcome> {
        let (outcome, content) = self.0.change(candidate, slot, deadline, cancel);
        match (outcome.exit, content) {
            (Exit::Code(0), Some(content)) => Ok(content),
            _ if outcome.verdict.is_none() => Err(outcome),
            (exit, content) => {
                let what = if content.is_none() { "removes the file".to_owned() } else { format!("ends with {exit}") };
                Err(Outcome {
                    verdict: Some(match exit {
                        Exit::TimedOut => Verdict::Timeout,
                        _ => Verdict::NotInteresting,
                    }),
                    note: Some(format!("the command of --fix {what}")),
                    ..outcome
                })
            }
        }
    }

    /// The parts that decide about outcomes.
    #[cfg(feature = "cli")]
    pub(super) fn identity(&self) -> serde_json::Value {
        self.0.identity()
    }
}
