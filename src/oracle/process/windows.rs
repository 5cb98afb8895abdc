//! Responsible for watching a process on Windows, with what std has: a look every few milliseconds, and killing the
//! process alone. Processes that it started are not killed; for that a job object would be needed.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use super::{Ending, Household, Watch};
use crate::oracle::Exit;

/// The pauses between looks grow up to this.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

pub(super) fn run(
    command: &mut Command,
    watch: &Watch<'_>,
    household: &Household,
    start: Instant,
) -> io::Result<Ending> {
    let mut child = household.start(|| command.spawn(), std::process::Child::id)?;
    let mut pause = Duration::from_micros(200);
    let ending = loop {
        if let Some(status) = child.try_wait()? {
            break Ending::Exited(read_status(status));
        }
        if let Some(ending) = watch.verdict(start) {
            let _ = child.kill();
            child.wait()?;
            break ending;
        }
        // True when somebody cancels, and then the verdict above says so.
        let _ = watch.cancel.sleep(watch.nap(start).min(pause));
        pause = (pause * 2).min(LONGEST_PAUSE);
    };
    household.ended(child.id(), true);
    Ok(ending)
}

fn read_status(status: ExitStatus) -> Exit {
    status.code().map_or(Exit::Unknown, Exit::Code)
}
