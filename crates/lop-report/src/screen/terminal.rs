//! Full-screen mode of the terminal: entering it, and leaving it however the run ends.

use std::io::{self, BufWriter, IsTerminal, Stderr, Write};
use std::panic;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, is_raw_mode_enabled,
};

/// A smaller terminal shows more by a single line.
const LEAST: (u16, u16) = (40, 10);

/// The terminal that the screen is drawn on.
pub(super) type Canvas = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// Whether standard error is a terminal for a screen: it belongs to a foreground job (a background job would be
/// stopped), can move its cursor, and isn't tiny.
#[must_use]
pub fn is_usable() -> bool {
    let stderr = io::stderr();
    stderr.is_terminal()
        && std::env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
        && is_in_foreground(&stderr)
        && size(&stderr).is_some_and(|(width, height)| width >= LEAST.0 && height >= LEAST.1)
}

fn is_in_foreground(stderr: &Stderr) -> bool {
    rustix::termios::tcgetpgrp(stderr).is_ok_and(|group| group == rustix::process::getpgrp())
}

fn size(stderr: &Stderr) -> Option<(u16, u16)> {
    rustix::termios::tcgetwinsize(stderr).ok().map(|size| (size.ws_col, size.ws_row))
}

/// Takes the screen. From now on a panic gives it back before it says anything.
///
/// # Errors
/// If there is no terminal for keys, or standard error is none.
pub(super) fn enter() -> io::Result<Canvas> {
    let mut out = BufWriter::new(io::stderr());
    if !io::stderr().is_terminal() {
        return Err(io::Error::other("standard error is not a terminal"));
    }
    enable_raw_mode()?;
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        restore();
        before(what);
    }));
    let canvas = execute!(out, EnterAlternateScreen, Hide).and_then(|()| Terminal::new(CrosstermBackend::new(out)));
    if canvas.is_err() {
        restore();
    }
    canvas
}

/// Whether the screen is taken.
pub(super) fn is_taken() -> bool {
    is_raw_mode_enabled().unwrap_or(false)
}

/// Gives the screen back if it is taken. Any thread can call this at any time, even in a process that is about to end.
pub fn restore() {
    if is_taken() {
        let mut out = io::stderr();
        // A terminal that has disappeared cannot be helped.
        let _ = execute!(out, LeaveAlternateScreen, Show);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}
