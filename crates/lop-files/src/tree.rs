//! Lists, stamps, copies and removes trees of files.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// The permission bits for writing.
const WRITE: u32 = 0o222;

/// Maximum depth of directories. Anything deeper is a circle of links.
const DEEPEST: usize = 64;

/// The limits of a copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyLimits {
    /// Maximum number of files and directories.
    pub entries: usize,
    /// Maximum size of all files.
    pub bytes: u64,
}

impl CopyLimits {
    /// The limits for a path that the user names. Anything larger is a slip, such as the home directory.
    pub const NAMED: CopyLimits = CopyLimits { entries: 200_000, bytes: u64::MAX };
}

/// Why a file or a directory cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It is missing, or cannot be read.
    #[error("cannot read {}", path.display())]
    Unread {
        /// Its path, or that of something in it.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is neither a file nor a directory.
    #[error("{} is neither a file nor a directory, and cannot be copied", .0.display())]
    Special(PathBuf),
    /// It exceeds the limits.
    #[error("{} is too large to be copied, or its links form a circle", .0.display())]
    TooLarge(PathBuf),
    /// The copy cannot be written.
    #[error("cannot copy {} to {}", path.display(), place.display())]
    Unwritten {
        /// The path of the original.
        path: PathBuf,
        /// The path of the copy.
        place: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Walks through a tree in the order of the names, with a directory before its entries. Follows no link, except for the
/// root itself.
#[must_use]
pub fn walk(root: &Path) -> WalkDir {
    WalkDir::new(root).sort_by_file_name()
}

/// Returns the path and the cause of an error of a walk below `root`.
#[must_use]
pub fn unread(root: &Path, error: walkdir::Error) -> (PathBuf, io::Error) {
    let path = error.path().unwrap_or(root).to_owned();
    (path, error.into_io_error().unwrap_or_else(|| io::Error::other("its links form a circle")))
}

/// Returns a stamp that changes whenever a file in a tree, or the single file, changes. It doesn't read the files. `None`
/// if part of the tree cannot be read.
#[must_use]
pub fn stamp(root: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for entry in walk(root) {
        let entry = entry.ok()?;
        let facts = entry.metadata().ok()?;
        // A directory's own facts change if an entry is added, and the entries are part of the stamp.
        if !facts.is_dir() {
            (facts.ino(), facts.len(), facts.mode(), facts.mtime(), facts.mtime_nsec()).hash(&mut hasher);
        }
        (entry.path().strip_prefix(root).ok()?, facts.is_dir()).hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// Removes a directory and everything in it, even if it was made read-only, or a process still writes into it.
///
/// # Errors
/// The last error of the system, if part of it is left.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    const TRIES: usize = 4;
    let mut result = Ok(());
    for attempt in 0..TRIES {
        if attempt > 0 {
            make_writable(path);
        }
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => result = Err(error),
            _ => return Ok(()),
        }
    }
    result
}

/// Gives its owner every right on a directory and on those in it.
fn make_writable(path: &Path) {
    // A link that a test has put in the place of its directory would be followed, and rights changed elsewhere.
    let is_directory = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    let mut rest = if is_directory { vec![path.to_owned()] } else { Vec::new() };
    while let Some(directory) = rest.pop() {
        let _ = fs::set_permissions(&directory, std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        // `file_type` does not follow links: nothing outside is touched.
        let directories = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        rest.extend(directories.map(|entry| entry.path()));
    }
}

/// Lists the paths of the entries of a directory, sorted.
///
/// # Errors
/// The error of the system.
pub fn listed(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// The steps of a read-only copy, made before the first of them is taken.
#[derive(Debug)]
pub struct CopyPlan {
    steps: Vec<Step>,
    bytes: u64,
}

/// One file, directory or link.
#[derive(Debug)]
struct Step {
    from: PathBuf,
    /// The path in the copy; empty for the whole.
    to: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    File(u32),
    Directory,
    /// A link that leads to something in the copy.
    Link(PathBuf),
}

impl CopyPlan {
    /// Plans a copy of a file or a directory, without the canonical paths `but`. Directories come before their entries. A
    /// link is copied as a link if its target is copied, too; otherwise the target is copied in its place.
    ///
    /// # Errors
    /// [`CopyError`] if something cannot be read or copied, or is larger than the limits.
    pub fn make(top: &Path, but: &[PathBuf], limits: CopyLimits) -> Result<Self, CopyError> {
        let unread = |path: &Path| {
            let path = path.to_owned();
            move |source| CopyError::Unread { path, source }
        };
        let real_top = top.canonicalize().map_err(unread(top))?;
        let mut plan = CopyPlan { steps: Vec::new(), bytes: 0 };
        let mut rest = vec![(real_top.clone(), PathBuf::new())];
        while let Some((from, to)) = rest.pop() {
            if but.contains(&from) || is_unfinished(&from) {
                continue;
            }
            let facts = fs::symlink_metadata(&from).map_err(unread(&from))?;
            if facts.is_symlink() {
                let link = fs::read_link(&from).map_err(unread(&from))?;
                match from.canonicalize() {
                    Ok(real) if !link.is_relative() || !real.starts_with(&real_top) => rest.push((real, to)),
                    // Its target is copied, too, or is missing in the original as well.
                    _ => plan.steps.push(Step { from, to, kind: Kind::Link(link) }),
                }
                continue;
            }
            plan.bytes += if facts.is_file() { facts.len() } else { 0 };
            let is_deep = to.components().count() > DEEPEST;
            if is_deep || plan.steps.len() >= limits.entries || plan.bytes > limits.bytes {
                return Err(CopyError::TooLarge(top.to_owned()));
            }
            let kind = kind(&facts).ok_or_else(|| CopyError::Special(from.clone()))?;
            if let Kind::Directory = kind {
                let entries = listed(&from).map_err(unread(&from))?;
                let named = |path: PathBuf| {
                    let to = to.join(path.file_name().unwrap_or_default());
                    (path, to)
                };
                rest.extend(entries.into_iter().rev().map(named));
            }
            plan.steps.push(Step { from, to, kind });
        }
        Ok(plan)
    }

    /// Returns the size of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies to a new path, and returns a hash of all paths and contents.
    ///
    /// # Errors
    /// [`CopyError::Unwritten`] if the system refuses a step.
    pub fn carry_out(&self, top: &Path) -> Result<blake3::Hash, CopyError> {
        let mut hasher = blake3::Hasher::new();
        let unwritten = |step: &Step| {
            let (path, place) = (step.from.clone(), top.to_owned());
            move |source| CopyError::Unwritten { path, place, source }
        };
        for step in &self.steps {
            // Joined with an empty path, it would end in a slash, and no file has such a path.
            let place = if step.to.as_os_str().is_empty() { top.to_owned() } else { top.join(&step.to) };
            step.copy(&place, &mut hasher).map_err(unwritten(step))?;
        }
        // Last, because nothing can be added to them any more.
        for step in self.steps.iter().rev().filter(|step| matches!(step.kind, Kind::Directory)) {
            fs::set_permissions(top.join(&step.to), fs::Permissions::from_mode(0o555)).map_err(unwritten(step))?;
        }
        Ok(hasher.finalize())
    }
}

impl Step {
    fn copy(&self, place: &Path, hasher: &mut blake3::Hasher) -> io::Result<()> {
        hasher.update(self.to.as_os_str().as_bytes());
        match &self.kind {
            Kind::Directory => {
                hasher.update(b"\0d");
                fs::create_dir(place)
            }
            Kind::Link(to) => {
                hasher.update(b"\0l").update(to.as_os_str().as_bytes());
                symlink(to, place)
            }
            Kind::File(mode) => {
                fs::copy(&self.from, place)?;
                let mode = (mode | 0o444) & 0o777 & !WRITE;
                hasher.update(b"\0f").update(&mode.to_le_bytes());
                // Hash the copy: the original may have changed by now.
                hasher.update_reader(File::open(place)?)?;
                fs::set_permissions(place, fs::Permissions::from_mode(mode))
            }
        }
    }
}

fn kind(facts: &Metadata) -> Option<Kind> {
    match facts.is_file() {
        true => Some(Kind::File(facts.mode())),
        false => facts.is_dir().then_some(Kind::Directory),
    }
}

/// Whether a file is a temporary one of lop, which is about to be renamed.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".lop-") && name.ends_with(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_change_in_the_slot_only() {
        use std::os::unix::fs::PermissionsExt;
        let [outside, slot] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        let link = slot.path().join("tmp");
        std::os::unix::fs::symlink(outside.path(), &link).expect("a link");
        make_writable(&link);
        let mode = fs::metadata(outside.path()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
