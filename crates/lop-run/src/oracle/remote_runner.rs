//! Commands on another machine: the files that go there, the words, and the result.
//!
//! ```text
//!   /                 what the test brings along: TEST itself, each --remote-input
//!   /case             the working directory: the candidate, and what --with puts beside it
//! ```

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lop_files::tree;

use super::{Cancel, Exit};

/// The working directory of a command, in the root of its files.
pub const CASE: &str = "case";

/// Folders whose programs are those of a system: another machine has its own.
const SYSTEM: [&str; 7] = ["/bin", "/sbin", "/usr", "/opt", "/nix", "/lib", "/snap"];

/// Redirects a command's standard input to the candidate; its path is the first argument.
const FROM_FILE: [&str; 3] = ["/bin/sh", "-c", "exec \"$@\" <\"$0\""];

/// Runs commands on another machine.
///
/// Requirements: several threads may call `run` at the same time; the result comes from a machine that answers known
/// questions correctly; `run` returns soon after `cancel` is stopped.
pub trait RemoteRunner: fmt::Debug + Send + Sync {
    /// Runs an action once, for at most `deadline` from its start there.
    ///
    /// # Errors
    /// [`RunnerError`] if it cannot be run. Then nothing is known about the command.
    fn run(&self, action: &Action, deadline: Duration, cancel: &Cancel) -> Result<RemoteResult, RunnerError>;

    /// The place, for people.
    fn describe(&self) -> String;
}

/// Why an action cannot be run on another machine.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// A name or a word of the action that its protocol cannot express.
    #[error("{} is not UTF-8, which servers reject; rename it", .0.display())]
    NotUtf8(OsString),
    /// The machine gives no reliable answer.
    #[error("{place}: {cause}; look after the server, or use --remote none")]
    Unreachable {
        /// The machine.
        place: String,
        /// The last problem with it.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A command with its files.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its words; the first is a program of the other machine, or a path below the root.
    pub words: Vec<OsString>,
    /// The root of its files; it runs in [`CASE`].
    pub root: Folder,
}

/// The answer about an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteResult {
    /// How it ended; [`Exit::Unknown`] when it was cancelled.
    pub exit: Exit,
    /// Its duration on that machine.
    pub duration: Duration,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A folder: its entries by name.
pub type Folder = BTreeMap<OsString, Node>;

/// A thing in a folder.
#[derive(Clone, Debug)]
pub enum Node {
    /// A file, and whether it is a program.
    File(Arc<Content>, bool),
    /// A link and its target.
    Link(PathBuf),
    /// A folder.
    Folder(Arc<Folder>),
}

/// The content of a file.
#[derive(Debug)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The name that the other machine knows it by, once it was worked out.
    pub name: OnceLock<String>,
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Content { bytes, name: OnceLock::new() }
    }
}

impl Node {
    /// Reads a file, a link or a folder with all that is in it. Links are not followed.
    ///
    /// # Errors
    /// Those of the system; something that is neither of the three is [`io::ErrorKind::Unsupported`].
    pub fn read(path: &Path) -> io::Result<Self> {
        let facts = fs::symlink_metadata(path)?;
        if facts.is_symlink() {
            Ok(Node::Link(fs::read_link(path)?))
        } else if facts.is_dir() {
            read_folder(path).map(|folder| Node::Folder(Arc::new(folder)))
        } else if facts.is_file() {
            let is_program = facts.permissions().mode() & 0o100 != 0;
            Ok(Node::File(Arc::new(fs::read(path)?.into()), is_program))
        } else {
            Err(io::Error::new(io::ErrorKind::Unsupported, format!("{} is not a file", path.display())))
        }
    }
}

/// The things in a folder of this machine.
pub(super) fn read_folder(path: &Path) -> io::Result<Folder> {
    let node = |path: PathBuf| Ok((path.file_name().unwrap_or_default().to_owned(), Node::read(&path)?));
    tree::listed(path)?.into_iter().map(node).collect()
}

/// A command on another machine, and the files that it needs: read once, when the run starts.
#[derive(Clone, Debug)]
pub(super) struct RemoteTarget {
    pub(super) place: Arc<dyn RemoteRunner>,
    /// The program there.
    program: OsString,
    root: Folder,
}

impl RemoteTarget {
    /// Reads a program, unless it belongs to the system, and the inputs. An input below the program's folder (for a
    /// program of the system, below the working directory) keeps its relative path.
    pub(super) fn new(
        place: Arc<dyn RemoteRunner>,
        (program, called): (&Path, Option<&OsStr>),
        inputs: &[PathBuf],
    ) -> Result<Self, (PathBuf, io::Error)> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        let here = || std::env::current_dir().map_err(at(Path::new(".")));
        let read = |path: &Path| Node::read(path).map_err(at(path));
        let mut root = Folder::new();
        let is_system = SYSTEM.iter().any(|folder| program.starts_with(folder));
        let (base, there) = match (called, program.file_name()) {
            (Some(word), _) => (here()?, word.to_owned()),
            (None, Some(name)) if !is_system => {
                insert(&mut root, Path::new(name), read(&fs::canonicalize(program).map_err(at(program))?)?);
                let folder = program.parent().unwrap_or(program).to_owned();
                (folder, Path::new("..").join(name).into_os_string())
            }
            _ => (here()?, program.as_os_str().to_owned()),
        };
        for input in inputs {
            let whole = fs::canonicalize(input).map_err(at(input))?;
            let below = fs::canonicalize(&base).ok().and_then(|base| Some(whole.strip_prefix(base).ok()?.to_owned()));
            let path = below.filter(|path| path.components().next().is_some());
            let path = path.or_else(|| whole.file_name().map(PathBuf::from)).unwrap_or_default();
            insert(&mut root, &path, read(&whole)?);
        }
        Ok(RemoteTarget { place, program: there, root })
    }

    /// Returns the target for another program of the system.
    pub(super) fn for_program(&self, program: &Path, called: Option<&OsStr>) -> Self {
        RemoteTarget { program: called.unwrap_or(program.as_os_str()).to_owned(), ..self.clone() }
    }

    /// Makes the action of the command with these arguments, in its own folder; `stdin` is the path of its standard
    /// input, if it has one.
    pub(super) fn action(&self, case: Folder, arguments: Vec<OsString>, stdin: Option<OsString>) -> Action {
        let mut root = self.root.clone();
        root.insert(CASE.into(), Node::Folder(Arc::new(case)));
        let command = std::iter::once(self.program.clone()).chain(arguments);
        let words = match stdin {
            None => command.collect(),
            Some(path) => FROM_FILE.map(OsString::from).into_iter().chain([path]).chain(command).collect(),
        };
        Action { words, root }
    }
}

/// Puts a node at a path below a folder, and replaces a node that is there.
fn insert(folder: &mut Folder, path: &Path, node: Node) {
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        _ => None,
    });
    let Some(first) = names.next() else { return };
    let rest: PathBuf = names.collect();
    if rest.as_os_str().as_bytes().is_empty() {
        folder.insert(first, node);
        return;
    }
    let mut inner = match folder.remove(&first) {
        Some(Node::Folder(inner)) => Arc::unwrap_or_clone(inner),
        _ => Folder::new(),
    };
    insert(&mut inner, &rest, node);
    folder.insert(first, Node::Folder(Arc::new(inner)));
}
