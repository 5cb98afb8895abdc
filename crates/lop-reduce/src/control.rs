//! Requests to a running reduction: pause, resume, and skip a pass.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lop_run::oracle::Cancel;

/// Maximum duration of one wait; a longer one is repeated.
const LONG: Duration = Duration::from_secs(3600);

/// Requests to a running reduction. Clones share their state: put one into
/// [`Options::control`](super::Options::control), and call the methods of another from any thread.
///
/// ```
/// # use lop_reduce as lop;
/// use lop::{Control, Options};
///
/// let control = Control::new();
/// let options = Options { control: control.clone(), ..Options::default() };
/// // From another thread, while a reduction with these options runs:
/// control.pause();
/// control.skip("characters");
/// control.resume();
/// assert!(!options.control.is_paused() && options.control.skips("characters"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control {
    state: Arc<Requests>,
}

#[derive(Debug, Default)]
struct Requests {
    paused: AtomicBool,
    /// The skipped passes, in the order of the requests. The list only grows.
    skipped: Mutex<Vec<&'static str>>,
    /// Passes to skip at a moment; see [`Control::skip_at`].
    later: Mutex<Vec<(u64, &'static str)>>,
    /// Wakes paused reductions. Code that changes `paused`, or reads it before waiting, holds this lock, so that no
    /// wake-up is lost.
    wake: Mutex<Vec<Cancel>>,
}

impl Control {
    /// Makes a control without a request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pauses: starts no new test. Running tests end normally, and their outcomes count.
    pub fn pause(&self) {
        let _held = self.wake();
        self.state.paused.store(true, Ordering::SeqCst);
    }

    /// Resumes.
    pub fn resume(&self) {
        let mut wake = self.wake();
        self.state.paused.store(false, Ordering::SeqCst);
        wake.drain(..).for_each(|waiting| waiting.stop());
    }

    /// Whether the reduction is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.state.paused.load(Ordering::SeqCst)
    }

    /// Skips the pass of this name from now on, as [`Passes::skip`](super::Passes::skip) does from the start. A running
    /// pass ends, and its accepted steps stay. This is permanent. Without `minimality`, the result has no guarantee. An
    /// unknown name is reported like others and has no effect.
    pub fn skip(&self, pass: &'static str) {
        let mut skipped = self.wanted();
        if !skipped.contains(&pass) {
            skipped.push(pass);
        }
    }

    /// Skips a pass at a moment, so that a repeated run skips it at the same point. A moment is the number of
    /// [`Event::Tested`](super::Event::Tested) and [`Event::Pass`](super::Event::Pass) until then.
    pub fn skip_at(&self, pass: &'static str, moment: u64) {
        self.later().push((moment, pass));
    }

    /// Whether a pass is skipped.
    #[must_use]
    pub fn skips(&self, pass: &str) -> bool {
        self.wanted().contains(&pass)
    }

    /// Lists the skipped passes in the order of the requests.
    #[must_use]
    pub fn skipped(&self) -> Vec<&'static str> {
        self.wanted().clone()
    }

    /// Counts the passes skipped at a moment. The number only grows.
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

    /// Waits until the reduction is resumed or must stop.
    pub fn hold(&self, cancel: &Cancel) {
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
        for step in crate::steps::named_steps() {
            let control = Control::new();
            control.skip(step.name);
            control.skip(step.name);
            assert_eq!(control.skipped(), [step.name]);
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
