//! Runs lop on a thread of its own, so that the caller's thread can call the test and handle signals.
//!
//! ```text
//!   caller's thread: waits, calls the test (one job), calls `on_event`, looks for signals every TICK
//!        ▲ calls                 │ answers
//!        │                       ▼
//!   lop's thread ◄─► lop's threads for several jobs, which call the test themselves
//! ```
//!
//! The first exception cancels the reduction. Candidates after it count as not interesting, without a call.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use lop::{Cancel, Verdict};
use pyo3::prelude::*;

use crate::outgoing::{Candidate, Told};

/// Maximum time until a signal is handled.
const TICK: Duration = Duration::from_millis(50);

/// The answers of a test in Python.
const VERDICTS: [Verdict; 3] = [Verdict::NotInteresting, Verdict::Interesting, Verdict::Invalid];

/// Work for the caller's thread, which answers it.
enum Call {
    Test(Candidate, Sender<Verdict>),
    Event(Told, Sender<()>),
}

/// The Python side of a call of lop.
pub(crate) struct Bridge {
    test: Py<PyAny>,
    on_event: Option<Py<PyAny>>,
    pub(crate) cancel: Cancel,
    failure: Mutex<Option<PyErr>>,
}

impl Bridge {
    pub(crate) fn new(test: Py<PyAny>, on_event: Option<Py<PyAny>>) -> Self {
        Bridge { test, on_event, cancel: Cancel::new(), failure: Mutex::default() }
    }

    /// Runs `work` on a new thread until it ends, also after an exception.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        jobs: usize,
        work: impl FnOnce(&Worker<'_>) -> T + Send,
    ) -> PyResult<T> {
        let (calls, queue) = channel();
        let worker = Worker { bridge: self, calls, calls_itself: jobs != 1 };
        py.detach(|| {
            thread::scope(|scope| {
                let thread = Builder::new().name("lop".to_owned());
                // The queue ends when the thread drops its worker.
                let thread = thread.spawn_scoped(scope, move || work(&{ worker }))?;
                self.serve(queue);
                Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            })
        })
    }

    /// Takes the exception that ended the work.
    pub(crate) fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn serve(&self, queue: Receiver<Call>) {
        loop {
            let call = queue.recv_timeout(TICK);
            if matches!(call, Err(RecvTimeoutError::Disconnected)) {
                return;
            }
            Python::attach(|py| {
                // The thread that asked waits for its answer.
                match call {
                    Ok(Call::Test(candidate, answer)) => {
                        let _ = answer.send(self.judge(py, candidate));
                    }
                    Ok(Call::Event(event, answer)) => {
                        self.tell(py, event);
                        let _ = answer.send(());
                    }
                    Err(_) => {}
                }
                self.keep(py.check_signals());
            });
        }
    }

    fn judge(&self, py: Python<'_>, candidate: Candidate) -> Verdict {
        if self.has_failed() {
            return Verdict::NotInteresting;
        }
        let answer = self.test.call1(py, (candidate,)).and_then(|answer| answer.extract::<usize>(py));
        let verdict = self.keep(answer).and_then(|answer| VERDICTS.get(answer).copied());
        verdict.unwrap_or(Verdict::NotInteresting)
    }

    fn tell(&self, py: Python<'_>, event: Told) {
        if let Some(on_event) = self.on_event.as_ref().filter(|_| !self.has_failed()) {
            let Told { kind, size, tests, best, message } = event;
            self.keep(on_event.call1(py, (kind, size, tests, best, message)));
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps the first exception, and cancels the reduction.
    fn keep<T>(&self, result: PyResult<T>) -> Option<T> {
        result
            .map_err(|error| {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                self.cancel.stop();
            })
            .ok()
    }
}

/// The side of lop's threads.
pub(crate) struct Worker<'b> {
    bridge: &'b Bridge,
    calls: Sender<Call>,
    /// Whether the thread that asks also calls the test.
    calls_itself: bool,
}

impl Worker<'_> {
    /// Has the test judge a candidate.
    pub(crate) fn ask(&self, candidate: Candidate) -> Verdict {
        if self.calls_itself {
            return Python::attach(|py| self.bridge.judge(py, candidate));
        }
        let (answer, answered) = channel();
        // The caller's thread serves until this one ends.
        let _ = self.calls.send(Call::Test(candidate, answer));
        answered.recv().unwrap_or(Verdict::NotInteresting)
    }

    /// Has `on_event` called in the caller's thread.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Told) {
        if self.bridge.on_event.is_none() {
            return;
        }
        let (answer, answered) = channel();
        let _ = self.calls.send(Call::Event(event(), answer));
        let _ = answered.recv();
    }
}
