//! [`Cancel`] stops running work. It is a value that the caller passes in.
//!
//! A flag alone would leave a worker asleep until its test ends, so every `Cancel` owns a pipe. Stopping writes one
//! byte that nobody reads. From then on the reading end is readable for every waiter, and a worker that polls it
//! together with its test wakes up at once. A time limit acts like a request to stop; every waiter checks the clock
//! from time to time.

use std::io::{PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const RUNNING: u8 = 0;
const STOPPED: u8 = 1;
const KILLED: u8 = 2;

/// Maximum time that a waiter sleeps if it has nothing to poll because there was no pipe.
const TICK: Duration = Duration::from_millis(5);

/// A request to stop, shared by all its clones.
///
/// There are two levels. [`Cancel::stop`] ends running tests and drops queued ones, and everything is cleaned up.
/// [`Cancel::kill_now`] does the same without waiting for anything that is slow to die. A level is never withdrawn. Any
/// thread can call both, any number of times.
///
/// [`Cancel::expire_at`] sets a moment from which on a stop counts as asked for.
///
/// [`Cancel::child`] makes another request that also obeys its parent: the workers make one for each job.
#[derive(Clone, Debug)]
pub struct Cancel {
    state: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    level: AtomicU8,
    /// The time at which it expires, if it does.
    expiry: Mutex<Option<Instant>>,
    /// `None` when the process had no file descriptors left; waiters then look at the level every [`TICK`].
    wake: Option<(PipeReader, PipeWriter)>,
    parent: Option<Cancel>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

impl Cancel {
    /// A request that is not made yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_parent(None)
    }

    /// A request that is made on its own, or together with this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self::with_parent(Some(self.clone()))
    }

    fn with_parent(parent: Option<Self>) -> Self {
        let (level, expiry) = (AtomicU8::new(RUNNING), Mutex::default());
        let state = Shared { level, expiry, wake: std::io::pipe().ok(), parent };
        Self { state: Arc::new(state) }
    }

    /// Asks for an orderly stop: running tests are killed, nothing new is started.
    pub fn stop(&self) {
        self.raise(STOPPED);
    }

    /// Asks for a stop without waiting: the operating system ends anything that is slow to die.
    pub fn kill_now(&self) {
        self.raise(KILLED);
    }

    fn raise(&self, level: u8) {
        let before = self.state.level.fetch_max(level, Ordering::SeqCst);
        if before == RUNNING
            && let Some((_, writer)) = &self.state.wake
        {
            // One byte always fits into an empty pipe, and we hold the reading end: this neither blocks nor fails.
            let _ = (&mut &*writer).write(&[1]);
        }
    }

    fn level(&self) -> u8 {
        let own = self.state.level.load(Ordering::SeqCst);
        self.state.parent.as_ref().map_or(own, |parent| own.max(parent.level()))
    }

    /// Whether a stop of either level was asked for, here or of a parent, or the time is over.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.level() >= STOPPED || self.has_expired()
    }

    /// From this moment on an orderly stop counts as asked for; with `None` the time has no limit. The moment may be
    /// moved, also when it has passed.
    pub fn expire_at(&self, moment: Option<Instant>) {
        *self.state.expiry.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }

    /// The moment that was set here or on a parent, the first of them.
    #[must_use]
    pub fn expiry(&self) -> Option<Instant> {
        let own = *self.state.expiry.lock().unwrap_or_else(PoisonError::into_inner);
        let outer = self.state.parent.as_ref().and_then(Self::expiry);
        own.into_iter().chain(outer).min()
    }

    /// Whether the time is over, here or of a parent, with or without another request.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.expiry().is_some_and(|moment| moment <= Instant::now())
    }

    /// Whether [`Cancel::kill_now`] was called, here or on a parent.
    #[must_use]
    pub fn is_killed(&self) -> bool {
        self.level() >= KILLED
    }

    /// Sleeps for `duration` or until a stop is asked for; returns whether one was.
    ///
    /// For implementations of [`Oracle`](super::Oracle) that wait for something other than a process.
    #[must_use]
    pub fn sleep(&self, duration: Duration) -> bool {
        let start = Instant::now();
        loop {
            if self.is_stopped() {
                return true;
            }
            let left = duration.saturating_sub(start.elapsed());
            if left.is_zero() {
                return false;
            }
            let until_expiry = self.expiry().map(|moment| moment.saturating_duration_since(Instant::now()));
            self.nap(until_expiry.map_or(left, |most| left.min(most)));
        }
    }

    fn nap(&self, left: Duration) {
        let mut fds = Vec::new();
        let complete = self.watch(&mut fds);
        let left = if complete { left } else { left.min(TICK) };
        // An interrupted or failed poll only makes the caller's loop look again.
        let _ = rustix::event::poll(&mut fds, rustix::event::Timespec::try_from(left).ok().as_ref());
    }

    /// Adds the descriptors that become readable on a stop to a list to poll. Returns `false` if one is missing; then
    /// the caller has to check [`Cancel::is_stopped`] from time to time.
    pub(crate) fn watch<'a>(&'a self, fds: &mut Vec<rustix::event::PollFd<'a>>) -> bool {
        let own = match &self.state.wake {
            Some((reader, _)) => {
                fds.push(rustix::event::PollFd::new(reader, rustix::event::PollFlags::IN));
                true
            }
            None => false,
        };
        own & self.state.parent.as_ref().is_none_or(|parent| parent.watch(fds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_obeys_its_parent_and_not_the_other_way_round() {
        let run = Cancel::new();
        let (first, second) = (run.child(), run.child());
        first.stop();
        assert!(first.is_stopped() && !second.is_stopped() && !run.is_stopped());
        run.kill_now();
        assert!(second.is_killed() && first.is_killed());
    }

    #[test]
    fn a_level_is_never_taken_back() {
        let cancel = Cancel::new();
        cancel.kill_now();
        cancel.stop();
        assert!(cancel.is_killed());
    }

    #[test]
    fn a_stop_wakes_every_sleeper() {
        let cancel = Cancel::new();
        let sleepers: Vec<_> = (0..3)
            .map(|_| {
                let cancel = cancel.child();
                std::thread::spawn(move || cancel.sleep(Duration::from_secs(600)))
            })
            .collect();
        cancel.stop();
        for sleeper in sleepers {
            assert!(sleeper.join().expect("the sleeper does not panic"));
        }
    }

    #[test]
    fn a_moment_that_has_passed_is_a_stop_for_children_too_until_it_is_moved() {
        let run = Cancel::new();
        let job = run.child();
        let now = Instant::now();
        run.expire_at(Some(now + Duration::from_secs(600)));
        assert!(!job.is_stopped() && !job.has_expired());
        assert_eq!(job.expiry(), run.expiry());
        job.expire_at(Some(now));
        assert!(job.is_stopped() && job.has_expired() && !run.is_stopped());
        job.expire_at(None);
        run.expire_at(Some(now));
        assert!(job.is_stopped() && !job.is_killed());
        run.expire_at(None);
        assert!(!job.is_stopped() && !run.has_expired());
        run.stop();
        assert!(!job.has_expired(), "that was no limit of time");
    }

    #[test]
    fn a_sleep_ends_with_the_time() {
        let cancel = Cancel::new();
        cancel.expire_at(Some(Instant::now() + Duration::from_millis(5)));
        assert!(cancel.child().sleep(Duration::from_secs(600)));
    }

    #[test]
    fn a_sleep_that_nobody_ends_returns_false() {
        assert!(!Cancel::new().sleep(Duration::from_millis(1)));
    }
}
