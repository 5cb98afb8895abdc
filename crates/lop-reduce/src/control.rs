//! Requests from outside to a reduction under way: to hold on, to go on, and to leave passes out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lop_run::oracle::Cancel;

/// A wait without an end in sight is begun anew after this.
const LONG: Duration = Duration::from_secs(3600);

/// The requests of an observer of a reduction. Clones share their state; a clone goes into
/// [`Options::control`](super::Options::control), and every method may be called from any thread.
///
/// ```
/// use lop::reduce::{Control, Options};
///
/// let control = Control::new();
/// let options = Options { control: control.clone(), ..Options::default() };
/// // From another thread, while a reduction with these options is under way:
/// control.pause();
/// control.skip("characters");
/// control.resume();
/// assert!(!options.control.is_paused() && options.control.skips("characters"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    paused: AtomicBool,
    /// The passes to leave out, by name, in the order of the requests. It only grows.
    skipped: Mutex<Vec<&'static str>>,
    /// Passes to leave out at a moment; see [`Control::skip_at`].
    later: Mutex<Vec<(u64, &'static str)>>,
    /// Wakes the reductions that are on hold. Code that changes `paused`, or reads it in order to wait, holds this
    /// lock, so that no waking is missed.
    wake: Mutex<Vec<Cancel>>,
}

impl Control {
    /// A control without any request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No new test is started from now on; those that run end as they would, and their answers count.
    pub fn pause(&self) {
        let _held = self.wake();
        self.state.paused.store(true, Ordering::SeqCst);
    }

    /// Tests are started again.
    pub fn resume(&self) {
        let mut wake = self.wake();
        self.state.paused.store(false, Ordering::SeqCst);
        wake.drain(..).for_each(|waiting| waiting.stop());
    }

    /// Whether no test may start now.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.state.paused.load(Ordering::SeqCst)
    }

    /// Leaves the pass of this name out from now on, in every round, as [`Passes::skip`](super::Passes::skip) does from the
    /// start. If it is under way, it ends, and what it has accepted stays. This cannot be taken back. Without `minimality`
    /// nothing is guaranteed of the result. A name that no pass has is told and reported like others, and leaves nothing out.
    pub fn skip(&self, pass: &'static str) {
        let mut skipped = self.wanted();
        if !skipped.contains(&pass) {
            skipped.push(pass);
        }
    }

    /// Leaves a pass out when a moment is reached, so that a run which repeats another one does so where that did. A
    /// moment is the number of [`Event::Tested`](super::Event::Tested) and [`Event::Pass`](super::Event::Pass) until
    /// then.
    pub fn skip_at(&self, pass: &'static str, moment: u64) {
        self.later().push((moment, pass));
    }

    /// Whether a pass is left out.
    #[must_use]
    pub fn skips(&self, pass: &str) -> bool {
        self.wanted().contains(&pass)
    }

    /// The passes that are left out, in the order in which that was asked for.
    #[must_use]
    pub fn skipped(&self) -> Vec<&'static str> {
        self.wanted().clone()
    }

    /// How many passes are left out at a moment. It only grows.
    pub(super) fn skipped_at(&self, moment: u64) -> usize {
        self.later().retain(|(at, pass)| {
            let is_later = *at > moment;
            if !is_later {
                self.skip(pass);
            }
            is_later
        });
        self.wanted().len()
    }

    /// Waits until it is not paused any more, or the run must stop.
    pub(super) fn hold(&self, cancel: &Cancel) {
        while !cancel.is_stopped() {
            let waiting = {
                let mut wake = self.wake();
                if !self.is_paused() {
                    return;
                }
                let waiting = cancel.child();
                wake.retain(|other| !other.is_stopped());
                wake.push(waiting.clone());
                waiting
            };
            let _ = waiting.sleep(LONG);
        }
    }

    fn wanted(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.state.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn later(&self) -> MutexGuard<'_, Vec<(u64, &'static str)>> {
        self.state.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) -> MutexGuard<'_, Vec<Cancel>> {
        self.state.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_clone_shares_what_is_wanted() {
        let control = Control::new();
        let other = control.clone();
        assert!(!other.is_paused() && other.skipped().is_empty());
        control.pause();
        control.skip("hoist");
        control.skip("minimality");
        assert!(other.is_paused());
        assert_eq!(other.skipped(), ["hoist", "minimality"]);
    }

    #[test]
    fn a_pass_can_be_left_out_at_a_moment() {
        let control = Control::new();
        control.skip_at("hoist", 5);
        assert_eq!((control.skipped_at(4), control.skips("hoist")), (0, false));
        assert_eq!((control.skipped_at(5), control.skips("hoist")), (1, true));
    }

    #[test]
    fn every_pass_is_left_out_by_itself_and_once() {
        for pass in lop_passes::ALL {
            let control = Control::new();
            control.skip(pass.name());
            control.skip(pass.name());
            assert_eq!(control.skipped(), [pass.name()]);
        }
    }

    #[test]
    fn who_holds_on_is_woken_by_resume_and_by_a_stop() {
        for stops in [false, true] {
            let (control, cancel) = (Control::new(), Cancel::new());
            control.pause();
            let holder = {
                let (control, cancel) = (control.clone(), cancel.clone());
                thread::spawn(move || control.hold(&cancel))
            };
            if stops {
                cancel.stop()
            } else {
                control.resume()
            }
            holder.join().expect("it does not panic");
            assert_eq!((control.is_paused(), cancel.is_stopped()), (stops, stops));
        }
    }
}
