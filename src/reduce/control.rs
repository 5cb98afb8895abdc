//! What somebody outside may ask of a reduction under way: to hold on, to go on, and to leave passes out.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::oracle::Cancel;

use super::pass::Pass;

/// A wait without an end in sight is begun anew after this.
const LONG: Duration = Duration::from_secs(3600);

/// The wishes of somebody who watches a reduction. Clones share their state; a clone goes into
/// [`Options::control`](super::Options::control), and every method may be called from any thread.
///
/// ```
/// use lop::reduce::{Control, Options, Pass};
///
/// let control = Control::new();
/// let options = Options { control: control.clone(), ..Options::default() };
/// // From another thread, while a reduction with these options is under way:
/// control.pause();
/// control.skip(Pass::Characters);
/// control.resume();
/// assert!(!options.control.is_paused() && options.control.skips(Pass::Characters));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    paused: AtomicBool,
    /// A bit for each pass that is to be left out.
    skipped: AtomicU32,
    /// Passes that are to be left out at a moment; see [`Control::skip_at`].
    later: Mutex<Vec<(u64, Pass)>>,
    /// Wakes the reductions that are on hold. Whoever changes `paused` or looks at it in order to wait has this lock, so
    /// that no waking is missed.
    wake: Mutex<Vec<Cancel>>,
}

const _: () = assert!(Pass::ALL.len() <= 32, "there is a bit for each pass");

impl Control {
    /// Nobody wants anything yet.
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

    /// Whether no test is to be started now.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.state.paused.load(Ordering::SeqCst)
    }

    /// Leaves a pass out from now on, in every round, as [`Passes::skip`](super::Passes::skip) does from the start. If
    /// it is under way, it ends, and what it has accepted stays. This cannot be taken back. Without
    /// [`Pass::Minimality`] nothing is guaranteed of the result.
    pub fn skip(&self, pass: Pass) {
        self.state.skipped.fetch_or(bit(pass), Ordering::SeqCst);
    }

    /// Leaves a pass out when a moment is reached, so that a run which repeats another one does so where that did. A
    /// moment is the number of [`Event::Tested`](super::Event::Tested) and [`Event::Pass`](super::Event::Pass) until
    /// then.
    pub fn skip_at(&self, pass: Pass, moment: u64) {
        self.later().push((moment, pass));
    }

    /// Whether a pass is left out.
    #[must_use]
    pub fn skips(&self, pass: Pass) -> bool {
        contains(self.bits(), pass)
    }

    /// The passes that are left out.
    pub fn skipped(&self) -> impl Iterator<Item = Pass> + use<> {
        passes(self.bits())
    }

    /// The passes that are left out, as a number that changes with every new one.
    fn bits(&self) -> u32 {
        self.state.skipped.load(Ordering::SeqCst)
    }

    /// The same at a moment.
    pub(super) fn bits_at(&self, moment: u64) -> u32 {
        self.later().retain(|(at, pass)| {
            let is_later = *at > moment;
            if !is_later {
                self.skip(*pass);
            }
            is_later
        });
        self.bits()
    }

    /// Waits until it is not paused any more, or the run is to stop.
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

    fn later(&self) -> MutexGuard<'_, Vec<(u64, Pass)>> {
        self.state.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) -> MutexGuard<'_, Vec<Cancel>> {
        self.state.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The passes that a number of [`Control::bits`] stands for.
pub(super) fn passes(bits: u32) -> impl Iterator<Item = Pass> + use<> {
    Pass::ALL.into_iter().filter(move |pass| contains(bits, *pass))
}

/// Whether such a number has a pass in it.
pub(super) fn contains(bits: u32, pass: Pass) -> bool {
    bits & bit(pass) != 0
}

/// The bit of a pass among those that are left out.
fn bit(pass: Pass) -> u32 {
    1 << pass as u32
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_clone_shares_what_is_wanted() {
        let control = Control::new();
        let other = control.clone();
        assert!(!other.is_paused() && other.skipped().next().is_none());
        control.pause();
        control.skip(Pass::Hoist);
        control.skip(Pass::Minimality);
        assert!(other.is_paused());
        assert_eq!(other.skipped().collect::<Vec<_>>(), [Pass::Hoist, Pass::Minimality]);
    }

    #[test]
    fn a_pass_can_be_left_out_at_a_moment() {
        let control = Control::new();
        control.skip_at(Pass::Hoist, 5);
        assert_eq!((control.bits_at(4), control.skips(Pass::Hoist)), (0, false));
        assert!(contains(control.bits_at(5), Pass::Hoist) && control.skips(Pass::Hoist));
    }

    #[test]
    fn every_pass_has_a_bit_of_its_own() {
        for pass in Pass::ALL {
            let control = Control::new();
            control.skip(pass);
            assert_eq!(control.skipped().collect::<Vec<_>>(), [pass]);
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
