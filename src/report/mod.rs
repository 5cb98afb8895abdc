//! Consumers of a reduction's events: people, machines and files.
//!
//! One event type feeds three kinds of consumer. [`Store`] keeps the best result on disk,
//! [`JsonLines`] writes every event for programs, [`Progress`] shows people what is going on;
//! [`Reporters`] hands each event to all of them, the store first, so that nobody hears of a
//! result that could still be lost. [`summary`] and [`diff`] speak once, at the end;
//! [`comparison`] says what came of holding algorithms against each other, [`findings`] what is the
//! matter with a test, and [`certificate`] what a result rests on.

pub mod certificate;
pub mod comparison;
pub mod diff;
pub mod findings;
pub mod json;
pub mod others;
pub mod progress;
pub mod store;
pub mod summary;
pub mod text;

use std::io;

use crate::reduce::{Event, EventSink};

pub use certificate::{Certificate, CertificateError};
pub use json::JsonLines;
pub use others::{Other, Others};
pub use progress::{Progress, Verbosity};
pub use store::{Kept, Store, StoreError, state_directory};

/// All consumers of one run.
pub struct Reporters {
    /// Keeps the best result.
    pub store: Store,
    /// Keeps the other crashes.
    pub others: Others,
    /// Writes events as JSON lines, if asked for.
    pub json: Option<JsonLines>,
    /// Shows what is going on, unless lop was asked to be quiet.
    pub progress: Option<Progress>,
}

impl EventSink for Reporters {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.store.event(event)?;
        self.others.event(event)?;
        if let Some(json) = &mut self.json {
            json.event(event)?;
        }
        if let Some(progress) = &mut self.progress {
            progress.event(event)?;
        }
        Ok(())
    }
}
