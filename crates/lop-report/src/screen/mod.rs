//! The run as a screen that is kept up to date: a consumer of events, and a thread that draws and listens to keys.
//!
//! ```text
//!   reduction ── events ──► State ◄── copies ── thread ── Picture ──► view::draw ──► terminal
//!       ▲                  (a lock)               │
//!       └───────── Control, Cancel ◄── Action ── keys
//! ```
//!
//! The reduction only records events. The thread does the slow work on a copy: comparing texts, parsing them for
//! colours, drawing, and waiting for a slow terminal.

pub mod keys;
mod panels;
mod shared;
pub mod source_view;
pub mod state;
mod terminal;
pub mod token_view;
mod user;
pub mod view;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use lop_reduce::{Event, EventSink};

use super::progress::{Form, Progress, Verbosity};
use super::text;

use shared::Shared;
use state::State;
use user::User;

pub use shared::Subject;
pub use terminal::{is_usable, restore};

/// Maximum time that the end of a run waits for the last picture, because a terminal can be stuck.
const PATIENCE: Duration = Duration::from_secs(1);

/// See the module.
pub struct Screen {
    shared: Arc<Shared>,
    subject: Subject,
    /// Says by its end that the thread has ended.
    thread: Option<Receiver<()>>,
    /// The progress lines that replace the screen if there is none.
    instead: Option<Progress>,
}

impl Screen {
    /// A screen that is taken with the first event.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        let mut state = State::new(text::path(&subject.path), &subject.input);
        state.place = subject.place.clone();
        let state = Mutex::new(state);
        let shared = Arc::new(Shared { state, start: Instant::now(), ends: AtomicBool::new(false) });
        Screen { shared, subject, thread: None, instead: None }
    }

    /// Takes the screen and starts the thread.
    fn open(&self) -> io::Result<Receiver<()>> {
        let canvas = terminal::enter()?;
        let user = User::new(Arc::clone(&self.shared), self.subject.clone(), canvas);
        let (alive, ended) = bounded(0);
        let work = move || {
            user.run();
            drop(alive);
        };
        let spawned = thread::Builder::new().name("screen".to_owned()).spawn(work);
        if spawned.is_err() {
            terminal::restore();
        }
        spawned.map(|_| ended)
    }
}

impl EventSink for Screen {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Started { .. } = event {
            match self.open() {
                Ok(ended) => self.thread = Some(ended),
                Err(_) => self.instead = Some(Progress::new(Verbosity::Normal, Form::Line)),
            }
        }
        if let Some(instead) = &mut self.instead {
            return instead.event(event);
        }
        let now = self.shared.start.elapsed();
        self.shared.state().take(event, now);
        Ok(())
    }

    fn follows(&self) -> bool {
        true
    }
}

impl Drop for Screen {
    /// Gives the terminal back as it was before.
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::SeqCst);
        if let Some(ended) = self.thread.take() {
            // Nothing is ever sent: this waits until the sender is dropped. A thread that hangs is abandoned; it draws
            // nothing after the screen is given back.
            let _ = ended.recv_timeout(PATIENCE);
            terminal::restore();
        }
    }
}
