//! The precedence of configuration files: what a project's file can set, and which files belong to a project.

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use clap::Arg;

use crate::set_by::SetBy;

/// Files and folders in one that a project's file names. More are not looked through.
const MOST_ENTRIES: usize = 200_000;

/// Set on a folder in which everybody may move their own files only.
const STICKY: u32 = 0o1000;

/// Whose file it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner<'a> {
    /// The user's own.
    User,
    /// The project's file, with the path of the user's own, which need not exist.
    Project(Option<&'a Path>),
}

impl Owner<'_> {
    /// Checks whether the file can set an option. The error has the message and the hint.
    ///
    /// # Errors
    /// The message and the hint.
    pub(super) fn check(self, arg: &Arg, name: &str) -> Result<(), (String, String)> {
        match self {
            Owner::User => Ok(()),
            Owner::Project(_) if arg.get::<SetBy>() == Some(&SetBy::Project) => Ok(()),
            Owner::Project(_) => {
                Err((format!("{name} cannot be set in a project's lop.toml"), self.other_places(name)))
            }
        }
    }

    /// Checks whether the file can set an option that names code to run, such as `a parser`. The error has the message
    /// and the hint.
    ///
    /// # Errors
    /// The message and the hint.
    pub(super) fn check_code(self, name: &str, what: &str) -> Result<(), (String, String)> {
        match self {
            Owner::User => Ok(()),
            Owner::Project(_) => Err((
                format!("{name} cannot name {what} in a project's lop.toml, as lop would run its code"),
                self.other_places(name),
            )),
        }
    }

    /// Checks whether the file in this folder can name a path. The error has the message and the hint.
    ///
    /// # Errors
    /// The message and the hint.
    pub(super) fn check_path(self, name: &str, path: &Path, folder: &Path) -> Result<(), (String, String)> {
        let Owner::Project(_) = self else { return Ok(()) };
        if is_inside(path, folder) {
            return Ok(());
        }
        Err((format!("{name} points outside the project"), self.other_places(name)))
    }

    fn other_places(self, name: &str) -> String {
        match self {
            Owner::Project(Some(user)) => format!("set it in your own file, {}, or use --{name}", user.display()),
            _ => format!("use --{name} on the command line"),
        }
    }
}

/// Whether a path, and everything in it, leads to a file or a folder inside another folder.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let (Ok(found), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else {
        // A later step reports a missing path; it must not lead out once it is there.
        let rest = path.strip_prefix(folder);
        return rest.is_ok_and(|rest| rest.components().all(|part| matches!(part, Component::Normal(_))));
    };
    let mut known = HashSet::new();
    let mut rest = vec![found];
    while let Some(path) = rest.pop() {
        // The target of a link counts, and not its own place.
        let Ok(path) = path.canonicalize() else { return false };
        if !path.starts_with(&folder) || !(path.is_file() || path.is_dir()) || known.len() > MOST_ENTRIES {
            return false;
        }
        if known.insert(path.clone()) {
            rest.extend(path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    true
}

/// Whether another user may have put a file into a folder, for others to find.
pub(super) fn is_planted(folder: &Path, path: &Path) -> bool {
    let facts = (folder.metadata(), path.symlink_metadata(), path.metadata());
    let (Ok(folder), Ok(name), Ok(file)) = facts else { return true };
    if ![&name, &file].into_iter().all(is_trusted) || may_others_write(&file) {
        return true;
    }
    // Its owner can move any file there, and so can others who may write to it, but for one that is sticky, like /tmp.
    // There they can still link to one of the user's files.
    let is_sticky = folder.mode() & STICKY != 0;
    let is_plain = !name.is_symlink() && file.nlink() == 1;
    !is_trusted(&folder) || (may_others_write(&folder) && !(is_sticky && is_plain))
}

/// Whether something belongs to the user or to root, who can do everything anyway.
fn is_trusted(facts: &Metadata) -> bool {
    [rustix::process::geteuid().as_raw(), 0].contains(&facts.uid())
}

/// Whether users other than the owner may write it. The group that a user's own files have is often the user's alone.
fn may_others_write(facts: &Metadata) -> bool {
    let by_group = facts.gid() != rustix::process::getegid().as_raw() && facts.mode() & 0o020 != 0;
    by_group || facts.mode() & 0o002 != 0
}

/// Where planted files were found, as a sentence.
pub(super) fn left_out(planted: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = planted.iter().map(|path| path.display().to_string()).collect();
    (!names.is_empty())
        .then(|| format!("ignoring {}: other users may have written it, or can change it", names.join(" and ")))
}
