//! Handles Ctrl-C and similar signals: the first one asks the run to stop, the second one ends it at once.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use lop_report::screen;
use lop_run::oracle::{Cancel, end_tests_at_once};

use super::exit_code::Code;

/// Time limit for killing tests and removing directories after a request to end at once.
const LAST_RITES: Duration = Duration::from_secs(1);

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
    // A write beyond `ulimit -f` fails like a write to a full disk, instead of ending lop. A handler does this, because
    // tests would inherit an ignored signal.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let mut signals = Signals::new(wanted)?;
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
            end_tests_at_once();
            screen::restore();
            signal_hook::low_level::exit(Code::StoppedEarly as i32);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(work).map(drop)
}

/// Whether the signal was ignored when lop was started, if the system knows.
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return false;
    };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}
