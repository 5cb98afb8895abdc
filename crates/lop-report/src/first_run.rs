//! The message while the first run takes long, so that the user knows that lop isn't stuck.

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::text::{self, HINT};

/// The time after which the message appears.
const LONG: Duration = Duration::from_secs(5);

/// Waits for the end of the first run, which is when this is dropped, and says once that it takes long.
#[derive(Debug)]
pub struct FirstRun {
    _done: mpsc::Sender<()>,
}

impl FirstRun {
    /// Starts to wait. `keeps_hangs` says whether the user is looking for a run without end.
    #[must_use]
    pub fn watch(keeps_hangs: bool) -> Option<Self> {
        let (done, ended) = mpsc::channel();
        let wait = move || {
            if ended.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                let hang =
                    if keeps_hangs { "" } else { "; to keep a hang, use --timeout-is-interesting --timeout SECS" };
                let so_far = LONG.as_secs();
                // A closed standard error is no reason to fail.
                let _ = writeln!(
                    text::stderr(),
                    "{HINT}note:{HINT:#} the first run of the test has taken {so_far} s so far{hang}"
                );
            }
        };
        thread::Builder::new().name("first-run".to_owned()).spawn(wait).ok()?;
        Some(FirstRun { _done: done })
    }
}
