//! The thread between a run and its user: draws the screen and handles keys.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event as Input};

use crate::{diff, text};
use lop_files::disk::{self, ReadAccess};
use lop_reduce::steps::named;

use super::keys::{self, Action};
use super::shared::{Shared, Subject};
use super::source_view::SourceView;
use super::state::State;
use super::terminal::{self, Canvas};
use super::token_view::TokenView;
use super::view::{self, Look, Overlay, Picture};

/// The time to wait for keys between two updates.
const TICK: Duration = Duration::from_millis(50);
/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(80);
/// Copies of one file that are kept apart by a number.
const COPIES: u32 = 10_000;

/// See the module.
pub(super) struct User {
    shared: Arc<Shared>,
    subject: Subject,
    canvas: Canvas,
    leaves: TokenView,
    look: Look,
    /// The best result as it is shown, …
    source_view: SourceView,
    /// … and that it was made from.
    shown: Arc<[u8]>,
    /// The best result whose difference is shown.
    compared: Option<Arc<[u8]>>,
    drawn: Option<Instant>,
}

impl User {
    pub(super) fn new(shared: Arc<Shared>, subject: Subject, canvas: Canvas) -> Self {
        let mut leaves = TokenView::new(subject.grammar.clone());
        let shown = Arc::clone(&subject.input);
        let source_view = SourceView::new(&shown, &shown, &mut leaves);
        let (look, compared, drawn) = Default::default();
        User { shared, subject, canvas, leaves, look, source_view, shown, compared, drawn }
    }

    /// Draws and listens until the run or the terminal ends.
    pub(super) fn run(mut self) {
        let mut listens = true;
        while !self.shared.ends.load(Ordering::SeqCst) && terminal::is_taken() {
            if self.drawn.is_none_or(|last| last.elapsed() >= FRAME) && self.draw().is_err() {
                return;
            }
            match if listens { event::poll(TICK) } else { Ok(false) } {
                Ok(true) => listens = self.hear().is_ok(),
                Ok(false) if listens => {}
                // There are no more keys, but the user can still be watching.
                Ok(false) | Err(_) => {
                    listens = false;
                    std::thread::sleep(TICK);
                }
            }
        }
    }

    fn hear(&mut self) -> io::Result<()> {
        match event::read()? {
            Input::Key(key) => {
                if let Some(action) = keys::action(key) {
                    self.act(action);
                    self.drawn = None;
                }
            }
            Input::Resize(..) => self.drawn = None,
            _ => {}
        }
        Ok(())
    }

    fn draw(&mut self) -> io::Result<()> {
        let mut state = self.shared.state().clone();
        state.clock = self.shared.start.elapsed();
        if state.best != self.shown {
            self.source_view = SourceView::new(&self.shown, &state.best, &mut self.leaves);
            self.shown = Arc::clone(&state.best);
        }
        if self.look.overlay == Overlay::Diff && self.compared.as_ref() != Some(&state.best) {
            self.look.diff = difference(&self.subject.input, &state.best);
            self.compared = Some(Arc::clone(&state.best));
        }
        let picture = Picture { state: &state, source_view: &self.source_view, look: &self.look };
        self.canvas.draw(|frame| view::draw(frame, picture))?;
        self.drawn = Some(Instant::now());
        Ok(())
    }

    fn act(&mut self, action: Action) {
        let Subject { control, cancel, path, .. } = &self.subject;
        let look = &mut self.look;
        match action {
            Action::Pause if control.is_paused() => control.resume(),
            Action::Pause => {
                control.pause();
                self.say("pausing; running tests will finish".to_owned());
            }
            Action::Skip => {
                let pass = self.shared.state().pass;
                match named(pass) {
                    Some(pass) => control.skip(pass.name),
                    None => self.say(format!("{pass} cannot be skipped")),
                }
            }
            Action::Diff => look.overlay = if look.overlay == Overlay::Diff { Overlay::None } else { Overlay::Diff },
            Action::Help => look.overlay = if look.overlay == Overlay::Help { Overlay::None } else { Overlay::Help },
            Action::Close => look.overlay = Overlay::None,
            Action::Internals => look.internals = !look.internals,
            Action::Save => {
                let best = Arc::clone(&self.shared.state().best);
                let said = match save(path, &best) {
                    Ok(place) => format!("saved a copy ({}) as {}", bytes(&best), text::path(&place)),
                    Err(error) => format!("cannot write a copy: {error}"),
                };
                self.say(said);
            }
            Action::Quit if look.quits => cancel.kill_now(),
            Action::Quit => {
                look.quits = true;
                cancel.stop();
            }
            Action::Follow => (look.scroll, look.diff_scroll) = (None, 0),
            Action::Scroll(lines) if look.overlay == Overlay::Diff => {
                let last = look.diff.len().saturating_sub(1);
                look.diff_scroll = look.diff_scroll.saturating_add_signed(lines).min(last);
            }
            Action::Scroll(lines) => {
                let last = self.source_view.lines.len().saturating_sub(1);
                let first = look.scroll.unwrap_or(self.source_view.focus);
                look.scroll = Some(first.saturating_add_signed(lines).min(last));
            }
        }
    }

    fn say(&self, message: String) {
        let now = self.shared.start.elapsed();
        let mut state: std::sync::MutexGuard<'_, State> = self.shared.state();
        state.clock = now;
        state.say(message);
    }
}

fn bytes(text: &[u8]) -> String {
    text::plural(text.len() as u64, "byte")
}

/// The unified difference as lines.
fn difference(before: &[u8], after: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    // A vector takes everything.
    let _ = diff::write(&mut out, false, ("input", before), ("best result", after));
    String::from_utf8_lossy(&out).lines().map(|line| line.replace('\t', "    ")).collect()
}

/// Writes a copy next to a file, under a new name: `crash.copy-1.x` for `crash.x`.
fn save(path: &Path, content: &[u8]) -> io::Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    for number in 1..COPIES {
        let place = path.with_file_name(format!("{stem}.copy-{number}{extension}"));
        match disk::create_new(&place, ReadAccess::of_file(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(mut file) => return file.write_all(content).map(|()| place),
        }
    }
    Err(io::Error::other("there are too many copies already"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_never_replaces_a_file() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("crash.x");
        let first = save(&path, b"one").expect("there is room");
        let second = save(&path, b"two").expect("there is room");
        assert_eq!(first, folder.path().join("crash.copy-1.x"));
        assert_eq!(second, folder.path().join("crash.copy-2.x"));
        assert_eq!(std::fs::read(first).expect("it is there"), b"one");
        let bare = save(&folder.path().join("Makefile"), b"").expect("there is room");
        assert_eq!(bare, folder.path().join("Makefile.copy-1"));
    }

    #[test]
    fn a_difference_has_no_control_characters() {
        let lines = difference(b"a\n\x1b[31mb\tc\n", b"a\n");
        assert_eq!(lines.last().map(String::as_str), Some("-\\u{1b}[31mb    c"));
    }
}
