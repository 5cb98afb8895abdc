//! The confinement of a test: a limit on its memory, and isolation from other processes and from files.
//!
//! A limit must apply before the first instruction of the test. `pre_exec` would do that, but costs a fork (see
//! [`process`](super::process)). Setting it from outside on a running process (`prlimit`) is too late for the children
//! that it has already started. So a small program sets the limits on itself and then becomes the test: lop itself, by
//! [`run_limited`](super::run_limited).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::process::{Orders, probe};
use super::program::find_command;
use super::remote_runner::{RemoteRunner, RemoteTarget};

/// A shell as the first process of a name space, which ignores signals without a handler and which alone reaps.
const FIRST: [&str; 4] = ["/bin/sh", "-c", "\"$@\"; exit $?", "sh"];

/// The isolation of a test from the rest of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Like any other program of the user.
    #[default]
    None,
    /// In a separate namespace of processes, by `unshare(1)`: none of them can outlive the test.
    Pidns,
    /// The test can also write only to its own directories, and has no capabilities, no terminal and only the three
    /// usual descriptors, by `bwrap(1)` (bubblewrap). It can read what the user can read, and use services that listen
    /// on a socket.
    Bwrap {
        /// Whether it can use the machine's network. Otherwise it has its own loopback interface.
        network: bool,
    },
}

/// The arguments of bubblewrap before the writable directories. Each of them matters for root, too, who owns most
/// visible files:
/// - Root without capabilities still owns `/proc/sys`, and could name a program there that the system starts as root
///   when another one crashes. So `/proc` is read-only as a whole.
/// - A new session has no controlling terminal, into which a test could type input for the shell.
/// - Memory and queues of System V aren't files, and have no owner that would stop root.
const BOX: [&str; 17] = [
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--remount-ro",
    "/proc",
];

impl Isolation {
    fn program(self) -> Option<&'static str> {
        match self {
            Isolation::None => None,
            Isolation::Pidns => Some("unshare"),
            Isolation::Bwrap { .. } => Some("bwrap"),
        }
    }

    /// Returns the arguments of that program, before the command that it runs; `slot` is the writable directory.
    fn arguments(self, slot: &Path) -> Vec<OsString> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self {
            Isolation::None => Vec::new(),
            Isolation::Pidns => {
                let user: &[&str] = if is_root() { &[] } else { &["--user", "--map-current-user"] };
                let own = ["--pid", "--fork", "--kill-child", "--mount-proc", "--"];
                [words(user), words(&own), words(&FIRST)].concat()
            }
            Isolation::Bwrap { network } => {
                let offline: &[&str] = if network { &[] } else { &["--unshare-net"] };
                let slot = [OsStr::new("--bind"), slot.as_os_str(), slot.as_os_str(), OsStr::new("--")];
                let slot = slot.map(OsStr::to_owned).to_vec();
                [words(&BOX), words(offline), slot].concat()
            }
        }
    }
}

/// Whether lop runs as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The confinement of a test. By default there is none.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    /// Address space of each of its processes, in bytes.
    pub memory_limit: Option<u64>,
    /// The program that sets the limits and closes what a box must not inherit: one whose `main` starts with
    /// [`run_limited`](super::run_limited). Needed for [`Isolation::Bwrap`] and for a limit.
    pub limiter: PathBuf,
    /// Its isolation from the rest of the machine.
    pub isolation: Isolation,
    /// The other machine that runs the test, if there is one. Then the other fields don't count.
    pub remote: Option<Arc<dyn RemoteRunner>>,
    /// The files and folders that it needs there besides the candidate.
    pub inputs: Vec<PathBuf>,
}

/// A test cannot be confined as asked for.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// A file that a test needs on another machine cannot be read.
    #[error("cannot read {}, which the test needs on the other machine", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The necessary program is missing.
    #[error("isolation needs {program}, which is not installed ({package}); install it, or omit --isolate")]
    NotInstalled {
        /// Its name.
        program: &'static str,
        /// The package that contains it.
        package: &'static str,
    },
    /// It is there and must not do it.
    #[error("{program} cannot isolate a test here: {message}; omit --isolate")]
    NotPermitted {
        /// Its name.
        program: &'static str,
        /// Its message.
        message: String,
    },
}

/// A confinement that is known to be possible.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launcher {
    confinement: Confinement,
    /// The path of the program that isolates.
    isolator: Option<PathBuf>,
    /// The other machine, if it runs there.
    target: Option<RemoteTarget>,
    /// The words of a command that starts the program, such as `env NAME=VALUE`.
    starter: Vec<OsString>,
}

impl Launcher {
    /// Makes the launcher of a program; the word is its name in the command if it was found on PATH.
    pub(super) fn new(confinement: Confinement, program: (&Path, Option<&OsStr>)) -> Result<Self, ConfineError> {
        let target = confinement.remote.clone().map(|place| RemoteTarget::new(place, program, &confinement.inputs));
        let target = target.transpose().map_err(|(path, source)| ConfineError::Input { path, source })?;
        let isolator = match confinement.isolation.program() {
            None => None,
            Some(program) => Some(find(confinement.isolation, program)?),
        };
        Ok(Self { confinement, isolator, target, starter: Vec::new() })
    }

    /// The parts of the confinement that decide about outcomes.
    pub(super) fn identity(&self) -> impl serde::Serialize + use<> {
        let Confinement { memory_limit, isolation, .. } = self.confinement;
        let network = matches!(isolation, Isolation::Bwrap { network: true });
        (memory_limit, isolation.program().unwrap_or_default(), network)
    }

    /// Returns the launcher for another program of the system.
    pub(super) fn for_program(&self, program: &Path, called: Option<&OsStr>) -> Self {
        let target = self.target.as_ref().map(|target| target.for_program(program, called));
        Self { target, ..self.clone() }
    }

    /// Lets a command of this machine start the program.
    pub(super) fn started_by(self, starter: Vec<OsString>) -> Self {
        Self { starter, ..self }
    }

    /// The other machine, if it runs there.
    pub(super) fn target(&self) -> Option<&RemoteTarget> {
        self.target.as_ref()
    }

    /// Whether the started program is the test itself.
    pub(crate) fn is_direct(&self) -> bool {
        !self.is_limited() && self.isolator.is_none() && self.starter.is_empty()
    }

    /// Whether the program that is started confines itself and then becomes another one.
    pub(crate) fn is_limited(&self) -> bool {
        self.confinement.memory_limit.is_some() || self.is_box()
    }

    /// Whether the test gets no descriptors that lop has inherited: bubblewrap would pass them on, and one of a
    /// directory leads out of the box.
    fn is_box(&self) -> bool {
        matches!(self.confinement.isolation, Isolation::Bwrap { .. })
    }

    /// The command that runs `program` in a slot; the caller adds its arguments.
    pub(crate) fn command(&self, program: &Path, slot: &Path) -> Command {
        let Confinement { memory_limit, limiter, isolation, .. } = &self.confinement;
        let mut words: Vec<OsString> = Vec::new();
        let orders = Orders { memory_limit: *memory_limit, seals: self.is_box() };
        if orders != Orders::default() {
            words.push(limiter.into());
            words.extend(orders.to_words());
        }
        if let Some(isolator) = &self.isolator {
            words.push(isolator.into());
            words.extend(isolation.arguments(slot));
        }
        words.extend(self.starter.iter().cloned());
        words.push(program.into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }
}

/// The program that isolates, if it is there and may do so.
fn find(isolation: Isolation, program: &'static str) -> Result<PathBuf, ConfineError> {
    let package = if isolation == Isolation::Pidns { "util-linux" } else { "bubblewrap" };
    let missing = |_| ConfineError::NotInstalled { program, package };
    let (path, _) = find_command(OsStr::new(program)).map_err(missing)?;
    let mut command = Command::new(&path);
    command.args(isolation.arguments(&std::env::temp_dir())).arg("true");
    probe(&mut command).map_err(|message| ConfineError::NotPermitted { program, message })?;
    Ok(path)
}

/// Whether a command of this machine can start a program, as [`CommandOracle::started_by`](super::CommandOracle::started_by)
/// needs it.
#[must_use]
pub fn can_start(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).arg("true");
    probe(&mut command).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let error = find(Isolation::Bwrap { network: true }, "no-such-program-anywhere")
            .expect_err("there is none")
            .to_string();
        assert!(error.contains("no-such-program-anywhere") && error.contains("bubblewrap"), "{error}");
    }

    #[test]
    fn what_may_not_isolate_says_why() {
        // `false` acts as a system that forbids it.
        let error = find(Isolation::Pidns, "false").expect_err("it ends with 1").to_string();
        assert!(error.contains("cannot isolate a test here"), "{error}");
    }

    #[test]
    fn nothing_is_in_front_of_a_test_that_is_not_confined() {
        let launcher = Launcher::default();
        assert!(launcher.is_direct());
        assert_eq!(launcher.command(Path::new("/bin/x"), Path::new("/s")).get_program(), "/bin/x");
        let confinement = Confinement { memory_limit: Some(1), limiter: "/bin/lop".into(), ..Confinement::default() };
        let launcher =
            Launcher::new(confinement, (Path::new("/bin/true"), None)).expect("limits need no program but lop");
        let command = launcher.command(Path::new("/bin/x"), Path::new("/s"));
        assert_eq!(command.get_program(), "/bin/lop");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["__limited", "1", "--", "/bin/x"]);
        assert!(!launcher.is_direct());
    }
}
