//! Consumers of a reduction's events: people, machines and files.
//!
//! One event type feeds three kinds of consumers. [`Store`] keeps the best result on disk, [`JsonLines`] writes every
//! event for programs, and [`Progress`] and [`Screen`] show the run to people. [`Reporters`] passes each event to all
//! of them, to the journal and the store first, so that no one reports a result that could still be lost. [`summary`],
//! [`diff`], [`page`], [`explain`] and [`issue`] report once, at the end. [`findings`] reports an examination, and
//! [`steps`] the content of a journal.
//!
//! Internal to lop: no version of this crate promises anything.

mod details;
pub mod diff;
pub mod explain;
pub mod findings;
mod first_run;
pub mod history;
pub mod issue;
pub mod json;
mod many_files;
pub mod origins;
pub mod others;
pub mod page;
pub mod progress;
pub mod reasons;
pub mod redaction;
mod result_file;
pub mod screen;
mod several;
pub mod steps;
pub mod store;
pub mod summary;
mod target;
pub mod text;
pub mod triage_page;
pub mod visible;

use std::io;

use lop_journal::Notes;
use lop_reduce::{Event, EventSink};

pub use first_run::FirstRun;
pub use history::History;
pub use json::JsonLines;
pub use others::{Other, Others};
pub use progress::{Form, Progress, Verbosity};
pub use result_file::StoreError;
pub use screen::Screen;
pub use store::{Input, Kept, Store, state_directory};

/// All consumers of one run.
pub struct Reporters {
    /// Says that the first run takes long, until it has ended.
    pub first_run: Option<FirstRun>,
    /// Stores on disk what lop needs to continue an interrupted run.
    pub notes: Notes,
    /// Keeps the best result.
    pub store: Store,
    /// Keeps the other crashes, if they have a place.
    pub others: Option<Others>,
    /// Writes events as JSON lines, if asked for.
    pub json: Option<JsonLines>,
    /// The part of the events that the report at the end needs.
    pub history: History,
    /// Says when something that the outcomes rest on is not as it was. It is asked when a result is confirmed, and at
    /// the end.
    pub watch: Option<ChangeCheck>,
    /// The warnings that the end shows, however quiet lop is.
    pub warnings: Vec<String>,
    /// Shows the progress, unless lop is quiet: [`Progress`] or [`Screen`].
    pub progress: Option<Box<dyn EventSink>>,
}

/// Tells the change of something that the outcomes rest on, as a sentence.
pub type ChangeCheck = Box<dyn FnMut() -> Option<String>>;

impl Reporters {
    /// Shows a warning at once, and again at the end.
    fn warn(&mut self, warning: String) -> io::Result<()> {
        let note = Event::Note(&warning);
        self.history.event(&note)?;
        self.json.as_mut().map_or(Ok(()), |json| json.event(&note))?;
        self.progress.as_mut().map_or(Ok(()), |progress| progress.event(&note))?;
        self.warnings.push(warning);
        Ok(())
    }
}

impl EventSink for Reporters {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if matches!(event, Event::Baseline { .. }) {
            self.first_run = None;
        }
        self.history.event(event)?;
        if self.notes.event(event)? {
            // A step of the resumed run: the file already has a later one.
            return self.json.as_mut().map_or(Ok(()), |json| json.event(event));
        }
        self.store.event(event)?;
        if let Some(notice) = self.store.notice() {
            self.warn(notice)?;
        }
        if matches!(event, Event::Confirmed { .. } | Event::Finished(_))
            && let Some(warning) = self.watch.as_mut().and_then(|watch| watch())
        {
            self.watch = None;
            self.warn(warning)?;
        }
        if let Some(others) = &mut self.others {
            others.event(event)?;
        }
        if let Some(json) = &mut self.json {
            json.event(event)?;
        }
        if let Some(progress) = &mut self.progress {
            progress.event(event)?;
        }
        Ok(())
    }

    fn follows(&self) -> bool {
        self.progress.as_ref().is_some_and(|progress| progress.follows())
    }
}
