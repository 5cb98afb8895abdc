//! Ctrl-C and its relatives: the first asks the run to stop, the second ends it at once. A run that is told to stop, by a
//! signal or by its limit of time, and goes on working all the same is ended as by a second signal.

use std::fs;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::oracle::{Cancel, ProcessRegistry};
use crate::report::screen;

use super::exit_code::Code;

/// The time that a run told to end at once gets to kill its tests and remove its directories.
const LAST_RITES: Duration = Duration::from_secs(1);

/// The most work of its own that a run may do after a stop. The processor time of lop counts: waiting for a slow disk
/// or for others on a busy machine is no work.
const LAST_WORK: Duration = Duration::from_millis(800);

/// The pause between two looks at that after a stop, and between two looks for a stop.
const LOOK: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// Watches for SIGINT, SIGTERM and SIGHUP from now on, and passes them on to `cancel`.
///
/// # Errors
/// When the handlers or the thread cannot be installed.
pub(crate) fn watch(cancel: Cancel) -> io::Result<()> {
    let mut wanted = vec![SIGINT, SIGTERM];
    // Under nohup lop ignores the hang-up of the terminal. (An ignored SIGINT is not looked at: shells ignore it for
    // every command in the background, and `kill -INT` must work there.)
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    // A write beyond `ulimit -f` is an error like that of a full disk, and not the end. A handler, because to ignore
    // the signal would be inherited by the tests.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let mut signals = Signals::new(wanted)?;
    let told = cancel.clone();
    thread::Builder::new().name("last work".to_owned()).spawn(move || end_work(&told))?;
    let work = move || {
        let mut seen = 0;
        for _ in signals.forever() {
            seen += 1;
            if seen == 1 {
                cancel.stop();
                continue;
            }
            cancel.kill_now();
            // The main thread ends the process as soon as everything is cleaned up. If it hangs
            // in something else (a write to a dead disk), the user's word still counts.
            thread::sleep(LAST_RITES);
            ProcessRegistry::end_at_once();
            screen::restore();
            signal_hook::low_level::exit(Code::StoppedEarly as i32);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(work).map(drop)
}

/// Ends the process when it works on although it was told to stop.
fn end_work(cancel: &Cancel) {
    wait_for_work_after_a_stop(cancel, &own_work);
    cancel.kill_now();
    ProcessRegistry::end_at_once();
    screen::restore();
    // A closed standard error is no problem: the exit code says it, too.
    let _ = writeln!(io::stderr(), "stopped in the middle of its own work; the best result so far is in its place");
    signal_hook::low_level::exit(Code::StoppedEarly as i32);
}

/// Returns when more than [`LAST_WORK`] was done since a stop was asked for. `work` gives all work so far.
fn wait_for_work_after_a_stop(cancel: &Cancel, work: &dyn Fn() -> Duration) {
    loop {
        if !cancel.sleep(LONG) {
            continue;
        }
        let from = work();
        // A limit of time is lifted when the reduction has come to its end.
        while cancel.is_stopped() {
            thread::sleep(LOOK);
            if work().saturating_sub(from) > LAST_WORK {
                return;
            }
        }
    }
}

/// The processor time of this process, without that of the tests.
fn own_work() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Whether the signal was ignored when lop was started, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return false;
    };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn what_works_on_after_a_stop_is_ended_and_what_it_did_before_does_not_count() {
        let cancel = Cancel::new();
        cancel.stop();
        let (before, step) = (Duration::from_secs(100), LAST_WORK / 4);
        let looked = Cell::new(0);
        let work = || {
            looked.set(looked.get() + 1);
            before + step * looked.get()
        };
        wait_for_work_after_a_stop(&cancel, &work);
        assert_eq!(looked.get(), 6, "once at the stop, four times within what may be done, once beyond");
    }
}
