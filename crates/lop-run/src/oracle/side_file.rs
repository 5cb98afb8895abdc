//! [`SideFile`]: a file or directory that a test needs next to the candidate. lop copies it once, makes the copy
//! read-only, and links it into the directory of every test.
//!
//! It is a copy because a test must not change the user's files, and because it must stay the same while tests run.
//! Root can write read-only files, so a test that runs as root can change the copy; lop detects that.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::private::Held;
use super::remote_runner::Node;
use super::remove::remove_tree;
use super::slot::{SlotError, SlotOptions, private_directory};

/// The permission bits for writing.
const WRITE: u32 = 0o222;

/// More room is not asked for where the copy goes, in bytes: the sum has to fit into a number.
const MOST_ROOM: usize = usize::MAX >> 16;

/// Directories within each other; what is deeper is a link that leads in a circle.
const DEEPEST: usize = 64;

/// How much is copied at most.
#[derive(Clone, Copy, Debug)]
pub struct CopyLimits {
    /// Files and directories.
    pub entries: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

impl CopyLimits {
    /// For what the user names. More is a slip, such as the home directory, or links that lead in circles.
    pub const NAMED: CopyLimits = CopyLimits { entries: 200_000, bytes: u64::MAX };
}

/// Something cannot be put beside the candidate.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SideFileError {
    /// It is not there, or cannot be read.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error("cannot read {}, which --with puts next to the candidate", path.display())]
    Unread {
        /// Its path, or that of something in it.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Its path does not end in a name, under which a test could find it.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error("{} has no file name to use next to the candidate", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The candidate has the name already.
    #[diagnostic(help("tests find each --with path under its own name; name a directory above it"))]
    #[error("{} has the same name as the candidate", path.display())]
    IsCandidate {
        /// Its path.
        path: PathBuf,
    },
    /// Two things would have the same name.
    #[diagnostic(help("tests find each --with path under its own name; name a directory above it"))]
    #[error("{} and {} have the same name", first.display(), second.display())]
    SameName {
        /// The path of one.
        first: PathBuf,
        /// That of the other.
        second: PathBuf,
    },
    /// It is neither a file nor a directory.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error("{} is neither a file nor a directory, and cannot be copied", path.display())]
    Special {
        /// Its path.
        path: PathBuf,
    },
    /// It has more in it than is copied.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error("{} is too large for --with, or its links form a circle", path.display())]
    TooLarge {
        /// The path that was named.
        path: PathBuf,
    },
    /// The copy cannot be written.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error("cannot copy {} to {}", path.display(), place.display())]
    Unwritten {
        /// The path of the original.
        path: PathBuf,
        /// Where the copy would be.
        place: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no place for the copy.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error(transparent)]
    Place(#[from] SlotError),
}

/// A read-only copy of a file or a directory, to be found beside the candidate under its own name. Dropping it removes
/// the copy.
#[derive(Debug)]
pub struct SideFile {
    name: OsString,
    original: PathBuf,
    /// The directory that holds the copy and nothing else of the user's.
    base: PathBuf,
    /// Tells others that it is in use.
    _held: Held,
    /// The hash of everything in it.
    content: blake3::Hash,
    /// The hash of what would show a change of the copy.
    stamp: blake3::Hash,
    /// The copy for another machine, once one has asked.
    node: OnceLock<Node>,
}

impl SideFile {
    /// Copies what is at `path`. Of what is in it everything is left out that is at one of the canonical paths `but`: the
    /// test case and what lop writes.
    ///
    /// # Errors
    /// [`SideFileError`] when it is not there, cannot be read or copied, or is larger than `room`.
    pub fn copy(path: &Path, but: &[PathBuf], room: CopyLimits, slots: &SlotOptions) -> Result<Self, SideFileError> {
        let name = path.file_name().ok_or_else(|| SideFileError::NoName { path: path.to_owned() })?.to_owned();
        let plan = Plan::make(path, but, room)?;
        let bytes = usize::try_from(plan.bytes).unwrap_or(usize::MAX).min(MOST_ROOM);
        let (base, held) = private_directory(&SlotOptions { candidate_len: bytes, ..slots.clone() })?;
        // From here on `Drop` removes it, after an error too.
        let nothing = blake3::hash(b"");
        let mut side_file = Self {
            name,
            original: path.to_owned(),
            base,
            _held: held,
            content: nothing,
            stamp: nothing,
            node: OnceLock::new(),
        };
        side_file.content = plan.carry_out(&side_file.copy_path())?;
        side_file.stamp = side_file.stamp();
        Ok(side_file)
    }

    /// The hash of everything in it, as text.
    pub(super) fn content(&self) -> String {
        self.content.to_hex().to_string()
    }

    /// The name under which a test finds it.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The path that was copied, as the user named it.
    #[must_use]
    pub fn original(&self) -> &Path {
        &self.original
    }

    /// Whether a test has changed the copy, so that later tests did not find what earlier ones found.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.stamp() != self.stamp
    }

    /// Puts it into the directory of a test.
    pub(super) fn link_into(&self, directory: &Path) -> io::Result<()> {
        symlink(self.copy_path(), directory.join(&self.name))
    }

    /// The copy, for another machine.
    pub(super) fn node(&self) -> io::Result<Node> {
        if let Some(node) = self.node.get() {
            return Ok(node.clone());
        }
        let node = Node::read(&self.copy_path())?;
        Ok(self.node.get_or_init(|| node).clone())
    }

    fn copy_path(&self) -> PathBuf {
        self.base.join(&self.name)
    }

    fn stamp(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut rest = vec![self.copy_path()];
        while let Some(path) = rest.pop() {
            hasher.update(path.as_os_str().as_bytes());
            let Ok(facts) = fs::symlink_metadata(&path) else { continue };
            let said = [facts.len(), facts.ino(), facts.mtime() as u64, facts.mtime_nsec() as u64, facts.mode().into()];
            said.iter().for_each(|number| {
                hasher.update(&number.to_le_bytes());
            });
            if facts.is_dir() {
                rest.extend(listed(&path).unwrap_or_default());
            }
        }
        hasher.finalize()
    }
}

impl Drop for SideFile {
    fn drop(&mut self) {
        let _ = remove_tree(&self.base);
    }
}

/// The paths of the entries of a directory, sorted.
fn listed(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// The steps of a copy, made before the first of them is taken.
struct Plan {
    steps: Vec<Step>,
    bytes: u64,
}

/// One file, directory or link.
struct Step {
    from: PathBuf,
    /// Seen from the copy itself; empty for the whole.
    to: PathBuf,
    kind: Kind,
}

enum Kind {
    File(u32),
    Directory,
    /// A link that leads to something in the copy.
    Link(PathBuf),
}

impl Plan {
    /// Directories come before what is in them. A link stays one where it leads to something that is copied, too; of
    /// any other that is copied which it leads to.
    fn make(top: &Path, but: &[PathBuf], room: CopyLimits) -> Result<Self, SideFileError> {
        let unread = |path: &Path| {
            let path = path.to_owned();
            move |source| SideFileError::Unread { path, source }
        };
        let real_top = top.canonicalize().map_err(unread(top))?;
        let mut plan = Plan { steps: Vec::new(), bytes: 0 };
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
                    // It leads to what is copied, too, or nowhere, there as here.
                    _ => plan.steps.push(Step { from, to, kind: Kind::Link(link) }),
                }
                continue;
            }
            plan.bytes += if facts.is_file() { facts.len() } else { 0 };
            let is_deep = to.components().count() > DEEPEST;
            if is_deep || plan.steps.len() >= room.entries || plan.bytes > room.bytes {
                return Err(SideFileError::TooLarge { path: top.to_owned() });
            }
            let kind = kind(&facts).ok_or_else(|| SideFileError::Special { path: from.clone() })?;
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

    /// Copies, and returns the hash of everything.
    fn carry_out(&self, top: &Path) -> Result<blake3::Hash, SideFileError> {
        let mut hasher = blake3::Hasher::new();
        let unwritten = |step: &Step| {
            let (path, place) = (step.from.clone(), top.to_owned());
            move |source| SideFileError::Unwritten { path, place, source }
        };
        for step in &self.steps {
            // Joined with nothing a path would end in a slash, and be that of no file.
            let place = if step.to.as_os_str().is_empty() { top.to_owned() } else { top.join(&step.to) };
            step.copy(&place, &mut hasher).map_err(unwritten(step))?;
        }
        // When all is in them, what is deepest first.
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
                // The copy, since the original may have changed by now.
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

/// Whether a file is one that lop is about to rename.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".lop-") && name.ends_with(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(path: &Path, but: &[PathBuf]) -> Result<SideFile, SideFileError> {
        SideFile::copy(path, but, CopyLimits::NAMED, &SlotOptions::default())
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(folder.path().join("it/deep")).expect("writable");
        fs::write(folder.path().join("it/deep/x"), "x").expect("writable");
        fs::write(folder.path().join("other"), "other").expect("writable");
        folder
    }

    #[test]
    fn a_copy_is_whole_read_only_and_removed() {
        let folder = folder();
        let it = folder.path().join("it");
        let but = it.join("case").canonicalize().unwrap_or(it.canonicalize().expect("it is there").join("case"));
        fs::write(it.join("case"), "the test case").expect("writable");
        symlink("deep/x", it.join("inside")).expect("writable");
        symlink("../other", it.join("outside")).expect("writable");
        let side_file = copied(&it, &[but]).expect("it can be copied");
        let (copy, base) = (side_file.copy_path(), side_file.base.clone());
        assert_eq!(fs::read_link(copy.join("inside")).expect("a link"), Path::new("deep/x"));
        assert!(copy.join("outside").symlink_metadata().expect("it is there").is_file(), "it is followed");
        assert_eq!(fs::read(copy.join("outside")).expect("readable"), b"other");
        assert!(!copy.join("case").exists(), "the original is nobody's business");
        for path in [&copy, &copy.join("deep"), &copy.join("deep/x")] {
            assert_eq!(path.metadata().expect("it is there").mode() & WRITE, 0, "{}", path.display());
        }
        drop(side_file);
        assert!(!base.exists());
    }

    #[test]
    fn a_change_of_the_copy_is_noticed_and_one_of_the_original_is_another_content() {
        let folder = folder();
        let it = folder.path().join("it");
        let (first, second) = (copied(&it, &[]).expect("copied"), copied(&it, &[]).expect("copied"));
        assert_eq!(first.content(), second.content());
        assert!(!first.has_changed());
        let x = first.copy_path().join("deep/x");
        fs::set_permissions(&x, fs::Permissions::from_mode(0o644)).expect("ours");
        fs::write(&x, "y").expect("writable");
        assert!(first.has_changed() && !second.has_changed());
        fs::write(it.join("deep/x"), "y").expect("writable");
        assert_ne!(second.content(), copied(&it, &[]).expect("copied").content());
    }

    #[test]
    fn what_cannot_be_copied_is_named() {
        let folder = folder();
        let error = |path: &str| copied(&folder.path().join(path), &[]).expect_err("it cannot be copied").to_string();
        assert!(error("missing").contains("missing"));
        assert!(error("it/..").contains("no file name"));
        symlink("..", folder.path().join("it/up")).expect("writable");
        let room = CopyLimits { entries: 100, ..CopyLimits::NAMED };
        let circle = SideFile::copy(&folder.path().join("it"), &[], room, &SlotOptions::default());
        assert!(circle.is_err_and(|error| error.to_string().contains("circle")));
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert!(error("socket").contains("neither a file nor a directory"));
    }
}
