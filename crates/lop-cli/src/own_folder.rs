//! Finds the directories of the user's own files.

use std::path::PathBuf;

/// The folder of the user's own files of lop.
pub(super) fn user_folder() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|base| base.is_absolute());
    base.or_else(|| Some(home()?.join(".config"))).map(|base| base.join("lop"))
}

/// The user's home directory.
pub(super) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
