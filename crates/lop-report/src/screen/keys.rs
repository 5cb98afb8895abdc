//! The keys of the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The wish of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pause or continue.
    Pause,
    /// Skip the pass that runs, also in later rounds.
    Skip,
    /// Show the difference, or close it.
    Diff,
    /// Save a copy of the best result.
    Save,
    /// End the run and keep the best result.
    Quit,
    /// Show the keys, or close them.
    Help,
    /// Show or hide workers and the estimates of the model.
    Internals,
    /// Closes whatever covers the panels.
    Close,
    /// Scrolls by a number of lines.
    Scroll(isize),
    /// Follows the changes.
    Follow,
}

/// The keys as the last line shows them, the most important first.
pub const SHORT: [(&str, &str); 6] =
    [("q", "quit"), ("p", "pause"), ("s", "skip pass"), ("d", "diff"), ("w", "save copy"), ("?", "help")];

/// The keys as the help shows them.
pub const LONG: [(&str, &str); 10] = [
    ("p", "pause: start no new tests; again to continue"),
    ("s", "skip this pass, now and in later rounds"),
    ("d", "the difference between the input and the best result"),
    ("w", "write a copy of the best result next to it"),
    ("q, Ctrl-C", "end the run and keep the best result; again: at once"),
    ("i", "show or hide workers and the model's estimates"),
    ("arrows", "scroll, also with page up and page down"),
    ("f, Home", "follow the changes"),
    ("Esc", "close this"),
    ("?", "the keys"),
];

/// Lines of a page.
const PAGE: isize = 15;

/// Returns the meaning of a key, or `None`.
#[must_use]
pub fn action(key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'C')).then_some(Action::Quit);
    }
    Some(match key.code {
        KeyCode::Char('p' | ' ') => Action::Pause,
        KeyCode::Char('s') => Action::Skip,
        KeyCode::Char('d') => Action::Diff,
        KeyCode::Char('w') => Action::Save,
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char('i') => Action::Internals,
        KeyCode::Char('?' | 'h') => Action::Help,
        KeyCode::Char('f') | KeyCode::Home => Action::Follow,
        KeyCode::Char('k') | KeyCode::Up => Action::Scroll(-1),
        KeyCode::Char('j') | KeyCode::Down => Action::Scroll(1),
        KeyCode::PageUp => Action::Scroll(-PAGE),
        KeyCode::PageDown => Action::Scroll(PAGE),
        KeyCode::Esc => Action::Close,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_as_a_key_is_one() {
        for (key, _) in SHORT {
            let letter = key.chars().next().expect("a key has a name");
            assert!(action(KeyEvent::from(KeyCode::Char(letter))).is_some(), "{key}");
        }
    }

    #[test]
    fn control_c_quits_and_other_control_keys_do_nothing() {
        let control = |letter| action(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
        assert_eq!((control('c'), control('p')), (Some(Action::Quit), None));
    }
}
