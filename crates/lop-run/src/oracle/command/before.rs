//! The commands before the test: `--generator` makes the file to test of the candidate, and `--fix` changes that file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use super::{CommandOracle, Details};
use crate::oracle::{Cancel, Exit, Outcome, Slot};
use lop_engine::Verdict;

/// Maximum number of bytes by which `--fix` can make a candidate larger.
const CHANGED_LIMIT: u64 = 64 << 20;

/// Reads a file that a command may have changed; `None` if it isn't a file any more.
pub(super) fn read_changed(path: &Path, before: usize) -> io::Result<Option<Vec<u8>>> {
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let mut content = Vec::new();
    let most = CHANGED_LIMIT.saturating_add(u64::try_from(before).unwrap_or(u64::MAX));
    File::open(path)?.take(most).read_to_end(&mut content)?;
    Ok(Some(content))
}

impl CommandOracle {
    /// Returns what the generator makes of a candidate, if there is a generator.
    ///
    /// # Errors
    /// The outcome of choices that the generator fails on: they are invalid.
    pub fn made(
        &self,
        choices: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Result<Option<Vec<u8>>, Box<Outcome>> {
        let Some(generator) = &self.generator else { return Ok(None) };
        let mut made = Vec::new();
        let details = Details { output: Some(&mut made), ..Details::default() };
        let outcome = generator.alone(choices, slot, deadline, cancel, details);
        match (outcome.exit, outcome.verdict) {
            (Exit::Code(0), Some(_)) => Ok(Some(made)),
            (_, None) => Err(Box::new(outcome)),
            (exit, _) => {
                let verdict = if exit == Exit::TimedOut { Verdict::Timeout } else { Verdict::Invalid };
                let note = Some(format!("the command of --generator ends with {exit}"));
                Err(Box::new(Outcome { verdict: Some(verdict), note, ..outcome }))
            }
        }
    }

    /// Returns the candidate after this command, which changes the file in place and exits with 0.
    ///
    /// # Errors
    /// The outcome of a candidate for which the command fails: it isn't interesting.
    pub fn change(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Box<Outcome>> {
        let mut changed = None;
        let details = Details { changed: Some(&mut changed), ..Details::default() };
        let outcome = self.alone(candidate, slot, deadline, cancel, details);
        match (outcome.exit, changed) {
            (Exit::Code(0), Some(content)) => Ok(content),
            _ if outcome.verdict.is_none() => Err(Box::new(outcome)),
            (exit, changed) => {
                let is_slow = exit == Exit::TimedOut;
                let what = match changed {
                    _ if is_slow => "takes too long".to_owned(),
                    None => "removes the file".to_owned(),
                    Some(_) => format!("ends with {exit}"),
                };
                let verdict = if is_slow { Verdict::Timeout } else { Verdict::NotInteresting };
                let note = Some(format!("the command of --fix {what}"));
                Err(Box::new(Outcome { verdict: Some(verdict), note, ..outcome }))
            }
        }
    }

    /// Returns the text to test: what the generator makes of the candidate, with the changes of `--fix`.
    pub(super) fn fixed<'c>(
        &self,
        candidate: &'c [u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Result<Cow<'c, [u8]>, Box<Outcome>> {
        let made = self.made(candidate, slot, deadline, cancel)?.map_or(Cow::Borrowed(candidate), Cow::Owned);
        match &self.fix {
            None => Ok(made),
            Some(fix) => fix.change(&made, slot, deadline, cancel).map(Cow::Owned),
        }
    }
}
