//! Finds the directories of the user's own files, as the XDG base directory specification places them.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, Xdg};

/// Returns the directory of the user's configuration of lop.
pub(super) fn user_folder() -> Option<PathBuf> {
    Some(Xdg::new().ok()?.config_dir().join("lop"))
}

/// Returns the directory for lop's own data about the user, such as the key for journals.
pub(super) fn state_folder() -> Option<PathBuf> {
    Some(Xdg::new().ok()?.state_dir()?.join("lop"))
}

/// Returns the user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}
