//! Runs a command on many files, each separately.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::unbounded;
use serde_json::Value;

use lop_doctor::reworded;
use lop_files::disk::{self, ReadAccess};
use lop_files::tree;
use lop_reduce::Formatter;
use lop_report::Kept;
use lop_report::text::{self, STRONG};
use lop_run::exec::Jobs;
use lop_run::oracle::{Cancel, CommandOracle, Conditions, Confinement, SideFile, Subject};

use super::absolute_words;
use super::beside::side_files;
use super::failure::Failure;
use super::fix::fixing;
use super::incomplete_test::Probe;
use super::many_args::FolderArgs;
use super::piped::is_stdout;

/// Default time limit of a run.
const DEADLINE: Duration = Duration::from_secs(10);

/// Files per worker whose runs are under way or wait for those before them.
const AHEAD: usize = 4;

/// Files of one kind that are listed on the terminal.
const MOST_LISTED: usize = 10;

/// The command, and how it is run.
pub(super) struct Many {
    /// The words of the command. Paths of this machine are absolute.
    pub(super) words: Vec<OsString>,
    pub(super) jobs: usize,
    pub(super) deadline: Duration,
    confinement: Confinement,
    /// The command that changes each candidate before its test.
    fix: Option<String>,
    beside: Vec<Arc<SideFile>>,
}

/// A file of the directory.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Its path below the directory, for people and records.
    pub(super) name: String,
    /// The same path, for the system.
    pub(super) below: PathBuf,
    pub(super) path: PathBuf,
}

impl Many {
    /// The command for the files in a directory.
    ///
    /// # Errors
    /// No command, or one that cannot be found.
    pub(super) fn new(args: &FolderArgs, usage: &str) -> Result<Self, Failure> {
        let FolderArgs { path: folder, jobs, timeout, many: args, .. } = args;
        if args.test.is_empty() {
            let message = "no command given".to_owned();
            return Err(Failure::Usage { message, hint: usage.to_owned() });
        }
        if !folder.is_dir() {
            let message = format!("{} is not a directory", folder.display());
            return Err(Failure::Usage { message, hint: usage.to_owned() });
        }
        let changes = absolute_words::changes(&args.test, folder);
        let most = thread::available_parallelism().map_or(1, usize::from);
        let many = Many {
            words: if changes.is_empty() { args.test.clone() } else { reworded(&args.test, &changes) },
            jobs: match &args.confine.jobs(*jobs) {
                Some(Jobs::Exactly(jobs)) => *jobs,
                _ => most,
            },
            deadline: timeout.unwrap_or(DEADLINE),
            confinement: args.confine.confinement()?,
            beside: side_files(&args.confine.with, folder, &Kept::InPlace)?,
            fix: args.confine.fix.clone(),
        };
        many.oracle(Path::new("x"))?;
        Ok(many)
    }

    /// The command for one file.
    ///
    /// # Errors
    /// A command that cannot be found.
    pub(super) fn oracle(&self, path: &Path) -> Result<CommandOracle, Failure> {
        let oracle = CommandOracle::command(&self.words, Subject::File(path.to_owned()), Conditions::default())?;
        let oracle = oracle.confined(self.confinement.clone())?.with_belongings(self.beside.clone())?;
        Ok(if let Some((fix, _)) = self.fix(path)? { oracle.with_fix(fix) } else { oracle })
    }

    /// The command that changes each candidate for one file before its test, and each result.
    ///
    /// # Errors
    /// A command that cannot be found.
    pub(super) fn fix(&self, path: &Path) -> Result<Option<(CommandOracle, Formatter)>, Failure> {
        let subject = Subject::File(path.to_owned());
        let fix =
            |line: &String| fixing(line, (&subject, path), Some(self.deadline), &self.confinement, self.beside.clone());
        self.fix.as_ref().map(fix).transpose()
    }

    /// Runs `work` for each of the files on one thread per job, and passes the results to `take` in the order of the
    /// files, with a place to run the command again. Few files are started out of order.
    ///
    /// # Errors
    /// The errors of both functions, and a worker without a place to run tests. Running tests are completed first.
    pub(super) fn each<T: Send>(
        &self,
        files: &[&Input],
        cancel: &Cancel,
        work: impl Fn(&Input, &mut Probe<'_>) -> Result<T, Failure> + Sync,
        mut take: impl FnMut(&Input, T, &mut Probe<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (jobs, asked) = unbounded::<usize>();
        let (answers, answered) = unbounded();
        let workers = self.jobs.min(files.len()).max(1);
        let mut own = Probe::new(0, Some(self.deadline), cancel)?;
        let probes: Vec<Probe<'_>> = (0..workers).map(|_| own.another()).collect::<Result<_, _>>()?;
        thread::scope(|scope| {
            for mut probe in probes {
                let (asked, answers, work) = (asked.clone(), answers.clone(), &work);
                scope.spawn(move || {
                    for number in asked {
                        let done = catch_unwind(AssertUnwindSafe(|| work(files[number], &mut probe)));
                        if answers.send((number, done)).is_err() {
                            return;
                        }
                    }
                });
            }
            // The workers end when there are no more jobs, even after an error.
            let jobs = jobs;
            drop(answers);
            let (mut sent, mut taken, mut waiting) = (0, 0, BTreeMap::new());
            while taken < files.len() {
                while sent < files.len() && sent - taken < AHEAD * workers {
                    let _ = jobs.send(sent);
                    sent += 1;
                }
                let Ok((number, done)) = answered.recv() else { break };
                waiting.insert(number, done);
                while let Some(done) = waiting.remove(&taken) {
                    // A panic of a worker must end the run, which would wait for its result.
                    take(files[taken], done.unwrap_or_else(|panic| resume_unwind(panic))?, &mut own)?;
                    taken += 1;
                }
            }
            Ok(())
        })
    }
}

/// Lists the regular files in a directory and its subdirectories by their paths, except those below `but` and in the
/// directories of version control systems. Links aren't followed.
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn files_in(folder: &Path, but: &Path) -> Result<Vec<Input>, Failure> {
    let but = but.canonicalize().ok();
    let is_part = |entry: &walkdir::DirEntry| {
        let is_left_out = || entry.file_name() == ".git" || (but.is_some() && entry.path().canonicalize().ok() == but);
        !entry.file_type().is_dir() || entry.depth() == 0 || !is_left_out()
    };
    let mut all = Vec::new();
    for entry in tree::walk(folder).into_iter().filter_entry(is_part) {
        let entry = entry.map_err(|error| {
            let (path, source) = tree::unread(folder, error);
            Failure::Input { path, source }
        })?;
        if entry.file_type().is_file() {
            let path = entry.into_path();
            let below = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            all.push(Input { name: below.display().to_string(), below, path });
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    if all.is_empty() {
        return Err(Failure::Usage {
            message: format!("{} has no files", folder.display()),
            hint: "name the directory with the files".to_owned(),
        });
    }
    Ok(all)
}

/// Only users who can read a directory can read the results of its files.
pub(super) fn audience(folder: &Path) -> ReadAccess {
    ReadAccess::of_file(folder)
}

/// Returns the folder for results: the user's, or one next to the directory with this ending.
pub(super) fn place(output: Option<&PathBuf>, folder: &Path, ending: &str) -> PathBuf {
    output.cloned().unwrap_or_else(|| {
        let mut name = folder.components().collect::<PathBuf>().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// Writes lines of JSON to a file or to standard output. Returns `true` for standard output, which then gets nothing
/// else.
///
/// # Errors
/// A place that cannot be written to.
pub(super) fn write_json(path: &Path, lines: &[Value], audience: ReadAccess) -> Result<bool, Failure> {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if is_stdout(path) {
        return io::stdout().write_all(lines.as_bytes()).or_else(Failure::unless_closed).map(|()| true);
    }
    let made = disk::create(path, audience, &|| false);
    let written = made.and_then(|mut file| file.write_all(lines.as_bytes()));
    written.map(|()| false).map_err(|source| Failure::Json { path: path.to_owned(), source })
}

/// Lists some of the files under a heading, with the number of all.
///
/// # Errors
/// Those of the writer.
pub(super) fn listed(out: &mut dyn Write, heading: &str, files: &[String]) -> io::Result<()> {
    let (some, more) = files.split_at(files.len().min(MOST_LISTED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", text::len(more.len())) };
    let (count, some) = (text::len(files.len()), text::one_line(&some.join(", ")));
    writeln!(out, "{STRONG}{heading}{STRONG:#}  {count}: {some}{more}")
}
