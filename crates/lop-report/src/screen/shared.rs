//! The data that the consumer of events and the thread that draws have in common.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lop_grammar::Grammar;
use lop_reduce::Control;
use lop_run::oracle::Cancel;

use super::state::State;

/// The reduction that a screen shows and its keys act on.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The file to reduce. Copies of the best result are put next to it.
    pub path: PathBuf,
    /// Its content.
    pub input: Arc<[u8]>,
    /// Its grammar.
    pub grammar: Option<Arc<Grammar>>,
    /// Holds the run and skips passes.
    pub control: Control,
    /// Ends the run.
    pub cancel: Cancel,
    /// The machines that run the tests, if that is not this one.
    pub place: Option<String>,
}

/// The data that the consumer of events and the thread share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) start: Instant,
    /// Whether the thread has to end.
    pub(super) ends: AtomicBool,
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
