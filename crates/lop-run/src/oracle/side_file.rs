//! [`SideFile`]: a file or directory that a test needs next to the candidate. lop copies it once, makes the copy
//! read-only, and links it into the directory of every test.
//!
//! It is a copy because a test must not change the user's files, and because it must stay the same while tests run.
//! Root can write read-only files, so a test that runs as root can change the copy; lop detects that.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lop_files::tree::{self, CopyError, CopyLimits, CopyPlan, remove_tree};

use super::private::Held;
use super::remote_runner::Node;
use super::slot::{SlotError, SlotOptions, private_directory};

/// Maximum number of bytes to request for the copy: the sum must fit into a number.
const MOST_ROOM: usize = usize::MAX >> 16;

/// Why a file or directory cannot be put next to the candidate.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SideFileError {
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
    /// Two side files have the same name.
    #[diagnostic(help("tests find each --with path under its own name; name a directory above it"))]
    #[error("{} and {} have the same name", first.display(), second.display())]
    SameName {
        /// The path of one.
        first: PathBuf,
        /// That of the other.
        second: PathBuf,
    },
    /// It cannot be copied.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// There is no place for the copy.
    #[diagnostic(help("--with takes regular files and directories"))]
    #[error(transparent)]
    Place(#[from] SlotError),
}

/// A read-only copy of a file or a directory that tests find next to the candidate under its own name. Dropping it
/// removes the copy.
#[derive(Debug)]
pub struct SideFile {
    name: OsString,
    original: PathBuf,
    /// The directory that holds the copy and nothing else of the user's.
    base: PathBuf,
    /// Shows other processes that it is in use.
    _held: Held,
    /// The hash of everything in it.
    content: blake3::Hash,
    /// The stamp of the copy, which shows a change of it.
    stamp: Option<u64>,
    /// The copy for another machine, once one has asked.
    node: OnceLock<Node>,
}

impl SideFile {
    /// Copies the file or directory at `path`, except for anything at the canonical paths `but`: the test case and what
    /// lop writes.
    ///
    /// # Errors
    /// [`SideFileError`] when it is not there, cannot be read or copied, or is larger than `room`.
    pub fn copy(path: &Path, but: &[PathBuf], room: CopyLimits, slots: &SlotOptions) -> Result<Self, SideFileError> {
        let name = path.file_name().ok_or_else(|| SideFileError::NoName { path: path.to_owned() })?.to_owned();
        let plan = CopyPlan::make(path, but, room)?;
        let bytes = usize::try_from(plan.bytes()).unwrap_or(usize::MAX).min(MOST_ROOM);
        let (base, held) = private_directory(&SlotOptions { candidate_len: bytes, ..slots.clone() })?;
        // From here on `Drop` removes it, after an error too.
        let mut side_file = Self {
            name,
            original: path.to_owned(),
            base,
            _held: held,
            content: blake3::hash(b""),
            stamp: None,
            node: OnceLock::new(),
        };
        side_file.content = plan.carry_out(&side_file.copy_path())?;
        side_file.stamp = tree::stamp(&side_file.copy_path());
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

    /// Whether a test has changed the copy, so that later tests had other files than earlier ones.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        tree::stamp(&self.copy_path()) != self.stamp
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
}

impl Drop for SideFile {
    fn drop(&mut self) {
        let _ = remove_tree(&self.base);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    /// The permission bits for writing.
    const WRITE: u32 = 0o222;

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
