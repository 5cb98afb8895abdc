//! The parts that the tests of the program share: an empty folder, a scrubbed environment, a deadline, so that a hang
//! is a failure and not a stuck CI job, and the message where a test cannot do its work.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use regex::Regex;

/// How long a test waits for anything: longer than all of these tests take on a busy machine. Each deadline that only ends a
/// hang is this one, so that no test depends on the load. A test that is about a deadline has its own, and holds however late
/// that strikes.
pub(crate) const fn deadline() -> Duration {
    Duration::from_secs(900)
}

/// [`deadline`] for the tests of a run of lop, which by itself gives them a second.
pub(crate) const TIMEOUT: [&str; 2] = ["--timeout", "900"];

/// In the environment: the file to which [`missing`] adds its lines. `tests/run.sh` shows it at the end.
const NOT_TESTED: &str = "LOP_NOT_TESTED";

/// In the environment: how many times as many seeds, kills and inputs as usual. `.ci/nightly` sets it.
const EFFORT: &str = "LOP_TEST_EFFORT";

/// Says that something is not tested on this machine, and why. A test that passes after it says nothing else.
pub(crate) fn missing(why: &str) {
    let line = format!("not tested: {}: {why}\n", thread::current().name().unwrap_or("a part of a test"));
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os(NOT_TESTED) {
        // One write: tests run side by side.
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list can be written");
    }
}

/// Whether a program is on this machine. Where it is not, that is [`missing`].
pub(crate) fn has(program: &str) -> bool {
    let is_there = find(program).is_some();
    if !is_there {
        missing(&format!("{program} is not installed"));
    }
    is_there
}

/// The program's path, without a word where there is none.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The PATH of every run. Python itself comes first: what stands in front of it on some machines, to choose a version,
/// takes longer than any test.
pub(crate) fn path() -> &'static OsStr {
    static PATH: OnceLock<OsString> = OnceLock::new();
    PATH.get_or_init(|| {
        let usual = std::env::var_os("PATH").expect("a PATH");
        let ran = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let python =
            ran.ok().filter(|ran| ran.status.success()).map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned());
        let own = python.and_then(|path| Some(Path::new(path.trim()).parent()?.to_owned()));
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&usual))).expect("parts of a PATH")
    })
}

/// npm, with the packages that `fixtures/setup.sh` has fetched and no others.
pub(crate) struct Npm {
    cache: PathBuf,
}

/// npm and its packages. Where one of them is not there, that is [`missing`].
pub(crate) fn npm() -> Option<Npm> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/npm");
    if !has("npm") {
        return None;
    }
    if !cache.is_dir() {
        missing("fixtures/setup.sh has not fetched the packages of npm");
        return None;
    }
    Some(Npm { cache })
}

/// The folder with the packages of Python that `fixtures/setup.sh` has fetched. Without it the server that they bring is not
/// tested, but the one of `farm` is.
pub(crate) fn wheels() -> Option<PathBuf> {
    let wheels = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wheels");
    (wheels.is_dir() && has("bwrap")).then_some(wheels)
}

impl Npm {
    /// Has the npm that a command calls take its packages from there, and nothing from the net.
    pub(crate) fn set<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        // The packages are known by the registry that they came from.
        let own = std::env::var_os("HOME").map(|home| Path::new(&home).join(".npmrc")).unwrap_or_default();
        command.env("npm_config_cache", &self.cache).env("npm_config_userconfig", own).env("npm_config_offline", "true")
    }
}

/// How many seeds, kills or inputs a test takes: a few each time, many by `.ci/nightly`.
pub(crate) fn many(few: u64) -> u64 {
    few * std::env::var(EFFORT).map_or(1, |times| times.parse().expect("a whole number"))
}

/// Does something with each item, on as many threads as there are processors.
pub(crate) fn each<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let walk = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let made = work(item);
            done.lock().expect("nothing panics with it").push(made);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(walk);
        }
    });
    done.into_inner().expect("nothing panics with it")
}

/// An empty folder to run lop in, and one for temporary files that must be empty again at the end.
pub(crate) struct Folder {
    directory: tempfile::TempDir,
}

/// The outcome of a run of lop.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("work")).expect("a new folder");
        fs::create_dir(directory.path().join("tmp")).expect("a new folder");
        Folder { directory }
    }

    /// A path in the folder where lop runs.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a file in our own folder");
        path
    }

    /// An executable script for the usual shell.
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.write(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Names in the folder where lop runs, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        list(&self.path("."))
    }

    /// The names left in the place for temporary files.
    pub(crate) fn temporaries(&self) -> Vec<String> {
        list(&self.directory.path().join("tmp"))
    }

    /// Where lop keeps what is the user's own.
    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// lop with these arguments, ready to be started in the folder. Nothing of the environment but
    /// PATH reaches it, and its home is its own.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lop"));
        command
            .args(arguments)
            .current_dir(self.path("."))
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.home())
            .env("TMPDIR", self.directory.path().join("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs lop with these arguments to its end.
    pub(crate) fn lop<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        finish(self.command(arguments).spawn().expect("lop can be started"))
    }
}

fn list(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("our own folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("our own folder").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Ran {
    /// Panics with everything that was said unless the exit code is this.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        let stdout = String::from_utf8_lossy(&self.stdout);
        assert_eq!(self.code, Some(code), "\nstdout:\n{stdout}\nstderr:\n{}", self.stderr);
        self
    }

    /// Standard error with everything that differs from run to run replaced: times, and the folder.
    pub(crate) fn stable_stderr(&self, folder: &Folder) -> String {
        let here = folder.directory.path().join("work").display().to_string();
        let time = Regex::new(r"\d+(\.\d+)? (µs|ms|s)\b").expect("a constant");
        time.replace_all(&self.stderr.replace(&here, "HERE"), "TIME").into_owned()
    }
}

/// Collects what a running lop says until it ends.
pub(crate) fn finish(mut child: Child) -> Ran {
    fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                pipe.read_to_end(&mut bytes).expect("a pipe can be read");
            }
            bytes
        })
    }
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let status = wait(&mut child);
    let text = |bytes: thread::JoinHandle<Vec<u8>>| bytes.join().expect("the reader does not panic");
    Ran { code: status.code(), stdout: text(stdout), stderr: String::from_utf8_lossy(&text(stderr)).into_owned() }
}

/// Waits for lop to end, not for ever.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    until("lop has ended", || child.try_wait().expect("our own child"))
}

/// Asks again and again until there is an answer.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < deadline(), "still not so after {:?}: {what}", deadline());
        thread::sleep(Duration::from_millis(5));
    }
}
