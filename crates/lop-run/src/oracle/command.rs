//! Responsible for the user's command as an oracle: [`CommandOracle`] finds the program, hands it the candidate in one
//! of two forms, runs it in the worker's slot and judges how that went.
//!
//! | form | working directory | arguments | standard input |
//! |---|---|---|---|
//! | `TEST FILE` | the candidate under FILE's base name | the candidate's path | the candidate |
//! | `FILE -- CMD … @@ …` | the candidate under FILE's base name | `@@` replaced by paths | empty |
//! | `FILE -- CMD …` | the candidate under FILE's base name | as given | the candidate |
//!
//! With `--server CMD` the command stays up, and reads the candidate's path as a line; see [`server`](super::server).
//!
//! A test inherits the environment, except for `TMPDIR`, which is inside the slot, the mark of the slot, and the user's
//! changes. Conditions see the first MiB of each output and its last 64 KiB.

mod before;
mod run_error;
mod serving;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::confine::Launcher;
use super::output::Written;
use super::process::{self, Ending, Left, MARK, OUTPUT_LIMIT, Watch, unstarted};
use super::program::{self, CommandError};
use super::remote_runner::{self, RemoteTarget};
use super::second_command::SecondCommand;
use super::server::{self, Servers};
use super::service::Service;
use super::side_file::{SideFile, SideFileError};
use super::slot::RunFiles;
use super::subject::Subject;
use super::template::Word;
use super::{
    Cancel, Conditions, ConfineError, Confinement, Exit, Oracle, Outcome, Slot, output, shell, signal_name, with_causes,
};
use lop_engine::Verdict;
use lop_files::project::{self, TestCase};
use run_error::RunError;

/// The interestingness test as a command. See the module for its two forms.
#[derive(Clone, Debug)]
pub struct CommandOracle {
    program: PathBuf,
    /// The program's `argv[0]`: the user's word if it was found in PATH, as in a shell.
    called: Option<OsString>,
    arguments: Vec<Word>,
    /// Whether a candidate contains the arguments.
    reduces_arguments: bool,
    /// The candidate's names in its directory; the first is FILE's base name.
    names: Vec<OsString>,
    candidate_on_stdin: bool,
    subject: Subject,
    conditions: Conditions,
    description: String,
    /// The other files and directories next to the candidate.
    side_files: Vec<Arc<SideFile>>,
    /// The confinement.
    launcher: Launcher,
    /// The second commands, which an interesting candidate must satisfy too.
    companions: Vec<(CommandOracle, SecondCommand)>,
    /// The command of `--fix`, which changes each candidate first.
    fix: Option<Box<CommandOracle>>,
    /// The command of `--generator`, which makes the file to test of the candidate.
    generator: Option<Box<CommandOracle>>,
    /// The servers, if the command is one that stays up.
    servers: Option<Arc<Servers>>,
    /// The service that has to run during a test.
    service: Option<Arc<Service>>,
}

#[derive(Default)]
struct Details<'a> {
    left_behind: Option<&'a mut Vec<String>>,
    written: Option<&'a mut Written>,
    changed: Option<&'a mut Option<Vec<u8>>>,
    /// The whole standard output.
    output: Option<&'a mut Vec<u8>>,
}

impl CommandOracle {
    /// Makes the oracle of `lop TEST FILE`: the arguments of the test are the candidate's paths. A test without a slash
    /// is looked up in the working directory and on PATH.
    ///
    /// # Errors
    /// [`CommandError`] if the test is missing or cannot be executed, or the test case has no name.
    pub fn test(test: &Path, subject: impl Into<Subject>, conditions: Conditions) -> Result<Self, CommandError> {
        let (program, subject) = (program::find_test(test)?, subject.into());
        let names = subject.names()?;
        let arguments = (0..names.len()).map(Word::of_file).collect();
        let words = std::iter::once(program.as_os_str()).chain(names.iter().map(OsString::as_os_str));
        let description = shell::line(words);
        Ok(Self::new((program, None), arguments, names, (subject, true), (conditions, description)))
    }

    /// Makes the oracle of `lop FILE -- CMD ARGS…`; `words` are the command and its arguments.
    ///
    /// # Errors
    /// [`CommandError`] if the command is empty, missing or cannot be executed, or the test case has no name.
    pub fn command(
        words: &[OsString],
        subject: impl Into<Subject>,
        conditions: Conditions,
    ) -> Result<Self, CommandError> {
        let (first, rest) = words.split_first().ok_or(CommandError::NoCommand)?;
        let (called, subject) = (program::find_command(first)?, subject.into());
        let mut names = subject.names()?;
        let own = names.len();
        let arguments: Vec<Word> = rest.iter().map(|word| Word::parse(word, own, &mut names)).collect();
        let reads_stdin = !arguments.iter().any(Word::has_path);
        let description = shell::line(words.iter().map(OsString::as_os_str));
        Ok(Self::new(called, arguments, names, (subject, reads_stdin), (conditions, description)))
    }

    /// Makes the oracle of `lop --server CMD FILE`: `words` are a command that stays up. It reads the path of a candidate
    /// as a line and answers with a line. The paths of several files are separated by tabs.
    ///
    /// # Errors
    /// [`CommandError`] if the command is empty, missing or cannot be executed, or a name of the test case cannot be in
    /// such a line.
    pub fn server(
        words: &[OsString],
        subject: impl Into<Subject>,
        conditions: Conditions,
    ) -> Result<Self, CommandError> {
        let oracle = Self::command(words, subject, conditions)?;
        if let Some(name) = oracle.names.iter().find(|name| !server::fits_in_line(name)) {
            return Err(CommandError::NameOfLines { name: name.clone() });
        }
        Ok(Self { servers: Some(Arc::default()), candidate_on_stdin: false, ..oracle })
    }

    /// Lets a service run during each test. Clones of the oracle share it.
    #[must_use]
    pub fn with_service(self, service: Arc<Service>) -> Self {
        Self { service: Some(service), ..self }
    }

    /// Lets a new process of a command that stays up answer the next question about this text: another process called it
    /// interesting before the run was interrupted.
    pub fn doubt(&self, text: &[u8]) {
        if let Some(servers) = &self.servers {
            servers.remember(text);
        }
    }

    /// Whether the command stays up.
    #[must_use]
    pub fn stays_up(&self) -> bool {
        self.servers.is_some()
    }

    fn new(
        (program, called): (PathBuf, Option<OsString>),
        arguments: Vec<Word>,
        names: Vec<OsString>,
        (subject, reads_stdin): (Subject, bool),
        (conditions, description): (Conditions, String),
    ) -> Self {
        Self {
            program,
            called,
            arguments,
            reduces_arguments: false,
            names,
            candidate_on_stdin: reads_stdin && subject.reads_stdin(),
            subject,
            conditions,
            description,
            side_files: Vec::new(),
            launcher: Launcher::default(),
            companions: Vec::new(),
            fix: None,
            generator: None,
            servers: None,
            service: None,
        }
    }

    /// Returns the absolute path of the program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Lists the files and directories of a test case of several files that appear in the words of the test, by their
    /// paths in it, each once. Empty for a single file, and for a test with a whole directory.
    #[must_use]
    pub fn named_paths(&self) -> Vec<PathBuf> {
        let mut named = Vec::new();
        for (index, rest) in self.arguments.iter().flat_map(Word::paths) {
            let path = match &self.subject {
                Subject::File(_) => None,
                Subject::Files(names, _) => names.get(index).cloned(),
                Subject::Directory(..) => {
                    rest.strip_prefix(b"/").map(|rest| Path::new(OsStr::from_bytes(rest)).to_owned())
                }
            };
            // `a/./b` and `a//b` are `a/b`.
            let path =
                path.map(|path| path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>());
            named.extend(path.filter(|path| !path.as_os_str().is_empty() && !named.contains(path)));
        }
        named
    }

    /// Confines the test.
    ///
    /// # Errors
    /// [`ConfineError`] if this system doesn't support it.
    pub fn confined(self, confinement: Confinement) -> Result<Self, ConfineError> {
        Ok(Self { launcher: Launcher::new(confinement, (&self.program, self.called.as_deref()))?, ..self })
    }

    /// Adds files and directories next to the candidate.
    ///
    /// # Errors
    /// [`SideFileError`] if two of them, or one and the candidate, would have the same name.
    pub fn with_belongings(self, side_files: Vec<Arc<SideFile>>) -> Result<Self, SideFileError> {
        for (number, one) in side_files.iter().enumerate() {
            if self.names.iter().any(|name| name == one.name()) {
                return Err(SideFileError::IsCandidate { path: one.original().to_owned() });
            }
            if let Some(other) = side_files[..number].iter().find(|other| other.name() == one.name()) {
                let (first, second) = (other.original().to_owned(), one.original().to_owned());
                return Err(SideFileError::SameName { first, second });
            }
        }
        Ok(Self { side_files, ..self })
    }

    /// Returns the files and directories next to the candidate.
    #[must_use]
    pub fn side_files(&self) -> &[Arc<SideFile>] {
        &self.side_files
    }

    /// Returns everything that outcomes depend on, except the content of the program, as JSON.
    pub fn identity(&self) -> serde_json::Value {
        let bytes = |text: &OsStr| text.as_encoded_bytes().to_vec();
        let words = self.arguments.iter().map(|word| bytes(&word.render(Path::new("@@"), &self.names)));
        let beside = self.side_files.iter().map(|one| (bytes(one.name()), one.content()));
        let companions = self.companions.iter().map(|(oracle, keeps)| (oracle.identity(), keeps.identity()));
        let mut identity = serde_json::json!({
            "program": bytes(self.program.as_os_str()),
            "called": self.called.as_deref().map(bytes),
            "words": words.collect::<Vec<_>>(),
            "names": self.names.iter().map(|name| bytes(name)).collect::<Vec<_>>(),
            "on_stdin": self.candidate_on_stdin,
            "is_file": self.subject.is_file(),
            "conditions": self.conditions.spec(),
            "beside": beside.collect::<Vec<_>>(),
            "confined": self.launcher.identity(),
            "companions": companions.collect::<Vec<_>>(),
        });
        if self.reduces_arguments {
            identity["reduces_arguments"] = true.into();
        }
        if self.stays_up() {
            identity["stays_up"] = true.into();
        }
        if let Some(fix) = &self.fix {
            identity["fix"] = fix.identity();
        }
        if let Some(generator) = &self.generator {
            identity["generator"] = generator.identity();
        }
        identity
    }

    /// Replaces the words of a test of the second form, and drops its second commands.
    ///
    /// # Errors
    /// The errors of [`CommandOracle::command`].
    pub fn reworded(&self, words: &[OsString]) -> Result<Self, CommandError> {
        let other = Self::command(words, self.subject.clone(), self.conditions.clone())?;
        let (launcher, side_files, fix) = (self.launcher.clone(), self.side_files.clone(), self.fix.clone());
        let (service, generator) = (self.service.clone(), self.generator.clone());
        Ok(Self { launcher, side_files, fix, service, generator, reduces_arguments: self.reduces_arguments, ..other })
    }

    /// Lets a command of this machine, such as `env NAME=VALUE`, start the test: it gets the test's words after its own.
    #[must_use]
    pub fn started_by<W: Into<OsString>>(self, words: impl IntoIterator<Item = W>) -> Self {
        let launcher = self.launcher.clone().started_by(words.into_iter().map(Into::into).collect());
        Self { launcher, ..self }
    }

    /// Lets candidates be archives that contain the command's arguments.
    #[must_use]
    pub fn reducing_arguments(self) -> Self {
        Self { reduces_arguments: true, ..self }
    }

    /// Names the other machine that runs it, if there is one.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        self.launcher.target().map(|target| target.place.describe())
    }

    /// Moves the test to this machine.
    #[must_use]
    pub fn at_home(&self) -> Self {
        Self { launcher: Launcher::default(), ..self.clone() }
    }

    /// Moves the command to the machine of another one, with that one's files.
    #[must_use]
    pub fn placed_as(&self, other: &Self) -> Self {
        let launcher = other.launcher.for_program(&self.program, self.called.as_deref());
        Self { launcher, ..self.clone() }
    }

    /// Replaces the conditions.
    #[must_use]
    pub fn with_conditions(self, conditions: Conditions) -> Self {
        Self { conditions, ..self }
    }

    /// Adds second commands, which an interesting candidate must satisfy too.
    #[must_use]
    pub fn with_companions(self, companions: Vec<(CommandOracle, SecondCommand)>) -> Self {
        Self { companions, ..self }
    }

    /// Adds a command that changes the candidate's file before the test. The command must not change its own output
    /// again.
    #[must_use]
    pub fn with_fix(self, fix: CommandOracle) -> Self {
        Self { fix: Some(Box::new(fix)), ..self }
    }

    /// Lets candidates be the choices of a generator: the test gets the file that this command writes to standard output.
    #[must_use]
    pub fn with_generator(self, generator: CommandOracle) -> Self {
        Self { generator: Some(Box::new(generator)), ..self }
    }

    /// Runs the command without second commands, and returns its output.
    pub fn observe(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> (Outcome, Written) {
        let mut written = Written::default();
        let details = Details { written: Some(&mut written), ..Details::default() };
        let outcome = match self.fixed(candidate, slot, deadline, cancel) {
            Ok(candidate) => self.alone(&candidate, slot, deadline, cancel, details),
            Err(outcome) => *outcome,
        };
        (outcome, written)
    }

    /// Judges a candidate as [`Oracle::judge`] does, and lists the processes that the test left running (only on
    /// Linux). The search through all processes isn't part of the outcome's duration.
    pub fn examine(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> (Outcome, Vec<String>) {
        let mut processes = Vec::new();
        let details = Details { left_behind: Some(&mut processes), ..Details::default() };
        (self.judge_with(candidate, slot, deadline, cancel, details), processes)
    }

    fn judge_with(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
        details: Details<'_>,
    ) -> Outcome {
        let fixed = match self.fixed(candidate, slot, deadline, cancel) {
            Ok(fixed) => fixed,
            Err(outcome) => return *outcome,
        };
        let candidate = &*fixed;
        let mut outcome = self.alone(candidate, slot, deadline, cancel, details);
        for (second, second_command) in &self.companions {
            if !outcome.is_interesting() {
                break;
            }
            let (seen, written) = second.observe(candidate, slot, deadline, cancel);
            outcome = match (seen.verdict, second_command.complaint(seen.exit, &written)) {
                (None, _) => return seen,
                (_, None) => Outcome { duration: outcome.duration + seen.duration, ..outcome },
                (_, Some(complaint)) => Outcome {
                    verdict: Some(match seen.exit {
                        Exit::TimedOut => Verdict::Timeout,
                        _ => Verdict::NotInteresting,
                    }),
                    duration: outcome.duration + seen.duration,
                    note: Some(format!("{}: {complaint}", second.describe())),
                    ..outcome
                },
            };
        }
        outcome
    }

    fn alone(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
        details: Details<'_>,
    ) -> Outcome {
        if cancel.is_stopped() {
            return Outcome::cancelled();
        }
        let result = match &self.service {
            None => self.run(candidate, slot, deadline, cancel, details),
            Some(service) => self.run_beside(service, candidate, slot, (deadline, cancel), details),
        };
        slot.clear_of(&self.names);
        result.unwrap_or_else(|error| Outcome::failed(with_causes(&error)))
    }

    /// Runs the command while a service runs. If the service dies meanwhile, the outcome may say nothing about the
    /// candidate: then the command runs once more. If it dies again, the candidate is what kills it.
    fn run_beside(
        &self,
        service: &Service,
        candidate: &[u8],
        slot: &mut Slot,
        (deadline, cancel): (Duration, &Cancel),
        Details { mut left_behind, mut written, mut changed, mut output }: Details<'_>,
    ) -> Result<Outcome, RunError> {
        for is_last in [false, true] {
            if service.ensure(slot.registry(), cancel)?.is_none() {
                break;
            }
            let details = Details {
                left_behind: left_behind.as_deref_mut(),
                written: written.as_deref_mut(),
                changed: changed.as_deref_mut(),
                output: output.as_deref_mut(),
            };
            let outcome = self.run(candidate, slot, deadline, cancel, details)?;
            if is_last || outcome.verdict.is_none() || !service.has_died() {
                return Ok(outcome);
            }
        }
        Ok(Outcome::cancelled())
    }

    fn run(
        &self,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
        details: Details<'_>,
    ) -> Result<Outcome, RunError> {
        let Details { left_behind, written, changed, output } = details;
        let place = slot.path().to_owned();
        let in_place = |source| RunError::Prepare { place: place.clone(), source };
        if let Some(servers) = &self.servers {
            return self.run_in_server(servers, candidate, slot, (deadline, cancel), written);
        }
        if let Some(target) = self.launcher.target() {
            let files = slot.prepare().map_err(in_place)?;
            return self.run_remotely(target, candidate, &files, (deadline, cancel), written, in_place);
        }
        let (files, path) = self.lay_out(candidate, slot)?;
        let stdin = if self.candidate_on_stdin {
            match File::open(&path) {
                // Of several parts, the file may be the removed one.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !self.subject.is_file() => {
                    slot.null().map_err(|source| RunError::NullDevice { source })?
                }
                opened => opened.map_err(in_place)?,
            }
        } else {
            slot.null().map_err(|source| RunError::NullDevice { source })?
        };
        let (stdout, stderr) = (files.stdout.try_clone(), files.stderr.try_clone());
        let mut command = self.launcher.command(&self.program, &place);
        command
            .args(self.arguments_of(candidate).map(|word| word.render(&files.directory, &self.names)))
            .envs([slot.environment()])
            .env(MARK, &place)
            .current_dir(&files.directory)
            .stdin(stdin)
            .stdout(Stdio::from(stdout.map_err(in_place)?))
            .stderr(Stdio::from(stderr.map_err(in_place)?));
        self.set_called(&mut command);
        let outputs = [&files.stdout, &files.stderr];
        let left = RefCell::<Left>::default();
        let wants_left = left_behind.is_some().then_some((&left, place.as_path()));
        let watch = Watch { deadline, cancel, outputs, output_limit: OUTPUT_LIMIT, left: wants_left };
        let (ending, duration) = process::run(&mut command, &watch, slot.registry())
            .map_err(|source| RunError::Start { program: self.program.clone(), source })?;
        if let Some(changed) = changed {
            *changed = before::read_changed(&path, candidate.len()).map_err(in_place)?;
        }
        if let Some(output) = output {
            *output = output::whole(&files.stdout, OUTPUT_LIMIT).map_err(|source| RunError::Read { source })?;
        }
        if let Some(processes) = left_behind {
            *processes = left.take().names;
        }
        if ending == Ending::Exited(Exit::Unknown) {
            return Err(RunError::Lost);
        }
        if self.launcher.is_limited()
            && let Some(source) = unstarted(&place)
        {
            return Err(RunError::Start { program: self.program.clone(), source });
        }
        if !matches!(ending, Ending::Exited(_)) {
            slot.clean_up(!cancel.is_killed());
        }
        // Check this before using the outcome: without /dev/null a test's outcome is wrong.
        slot.tick()?;
        self.judge_ending(candidate, ending, duration, &files, written).map_err(|source| RunError::Read { source })
    }

    /// Prepares the slot's directory for a candidate. Returns the output files and the candidate's path.
    fn lay_out(&self, candidate: &[u8], slot: &mut Slot) -> Result<(RunFiles, PathBuf), RunError> {
        let place = slot.path().to_owned();
        let in_place = |source| RunError::Prepare { place: place.clone(), source };
        let files = slot.prepare().map_err(in_place)?;
        for side_file in &self.side_files {
            side_file.link_into(&files.directory).map_err(in_place)?;
        }
        let path = self.write(candidate, &files.directory).map_err(in_place)?;
        Ok((files, path))
    }

    /// Runs the command on another machine, with the same files.
    fn run_remotely(
        &self,
        target: &RemoteTarget,
        candidate: &[u8],
        files: &RunFiles,
        (deadline, cancel): (Duration, &Cancel),
        written: Option<&mut Written>,
        in_place: impl Fn(io::Error) -> RunError,
    ) -> Result<Outcome, RunError> {
        let path = self.write(candidate, &files.directory).map_err(&in_place)?;
        let mut case = remote_runner::read_folder(&files.directory).map_err(&in_place)?;
        for side_file in &self.side_files {
            case.insert(side_file.name().to_owned(), side_file.node().map_err(&in_place)?);
        }
        let arguments = self.arguments_of(candidate).map(|word| word.render(Path::new(""), &self.names)).collect();
        let stdin = (self.candidate_on_stdin && path.is_file()).then(|| self.names[0].clone());
        let action = target.action(case, arguments, stdin);
        let ran = target.place.run(&action, deadline, cancel)?;
        (&files.stdout).write_all(&ran.stdout).map_err(&in_place)?;
        (&files.stderr).write_all(&ran.stderr).map_err(&in_place)?;
        let ending = match ran.exit {
            Exit::TimedOut => Ending::TimedOut,
            Exit::Unknown => Ending::Cancelled,
            exit => Ending::Exited(exit),
        };
        self.judge_ending(candidate, ending, ran.duration, files, written).map_err(|source| RunError::Read { source })
    }

    fn case<'a>(&'a self, candidate: &'a [u8]) -> TestCase<'a> {
        TestCase::new(self.subject.archive(), candidate)
    }

    /// Returns the arguments in a candidate. An empty test case has none.
    fn arguments_of(&self, candidate: &[u8]) -> impl Iterator<Item = &Word> {
        let own = self.reduces_arguments.then(|| self.case(candidate).words().unwrap_or_default());
        let is_there = move |at: &usize| own.as_ref().is_none_or(|own| own.iter().any(|(number, _)| *number == at + 1));
        (0..self.arguments.len()).filter(is_there).map(|at| &self.arguments[at])
    }

    /// Formats the command with a candidate's arguments as a shell line.
    #[must_use]
    pub fn line_of(&self, candidate: &[u8]) -> String {
        let program = self.called.as_deref().unwrap_or(self.program.as_os_str()).to_owned();
        let words = self.arguments_of(candidate).map(|word| word.render(Path::new(""), &self.names));
        let words: Vec<OsString> = std::iter::once(program).chain(words).collect();
        shell::line(words.iter().map(OsString::as_os_str))
    }

    /// Writes the candidate under all of its names and returns the path of the first.
    fn write(&self, candidate: &[u8], directory: &Path) -> io::Result<PathBuf> {
        let path = self.names.first().map_or_else(|| directory.to_owned(), |name| directory.join(name));
        match &self.subject {
            Subject::Directory(_, archive) => {
                project::write(archive, candidate, &path).map_err(|error| error.source)?;
                // Another name is a link to the same directory.
                self.names[1..].iter().try_for_each(|name| symlink(&self.names[0], directory.join(name)))?;
            }
            Subject::Files(own, archive) => {
                project::write(archive, candidate, directory).map_err(|error| error.source)?;
                // Another name belongs to the first file, which may be removed.
                for name in self.names[own.len()..].iter().filter(|_| path.is_file()) {
                    let other = directory.join(name);
                    fs::hard_link(&path, &other).or_else(|_| fs::copy(&path, &other).map(|_| ()))?;
                }
            }
            Subject::File(_) => {
                // Never write through a link, which could lead to a file of the user's.
                let write = |path: &Path| File::create_new(path)?.write_all(candidate);
                write(&path)?;
                for name in &self.names[1..] {
                    let other = directory.join(name);
                    // Not every file system supports links.
                    fs::hard_link(&path, &other).or_else(|_| write(&other))?;
                }
            }
        }
        Ok(path)
    }

    fn set_called(&self, command: &mut Command) {
        if let Some(called) = self.called.as_ref().filter(|_| self.launcher.is_direct()) {
            std::os::unix::process::CommandExt::arg0(command, called);
        }
    }

    fn judge_ending(
        &self,
        candidate: &[u8],
        ending: Ending,
        duration: Duration,
        files: &RunFiles,
        written: Option<&mut Written>,
    ) -> io::Result<Outcome> {
        let stdout = output::read(&files.stdout, written.is_some() || self.conditions.need_stdout())?;
        let stderr = output::read(&files.stderr, written.is_some() || self.conditions.need_stderr())?;
        let verdict = |exit| self.conditions.judge(self.case(candidate), exit, &stdout.text, &stderr.text);
        let judge = |exit| Outcome { exit, ..Outcome::of(verdict(exit)) };
        let mut outcome = match ending {
            Ending::Cancelled => Outcome::cancelled(),
            Ending::TimedOut => judge(Exit::TimedOut),
            Ending::Stopped(signal) => Outcome {
                note: Some(format!(
                    "the terminal stopped the test by {}: it reads from the terminal or changes its settings, and \
                     would never end",
                    signal_name(signal).unwrap_or("a signal")
                )),
                ..judge(Exit::TimedOut)
            },
            // It can have ended between two checks of the size.
            Ending::Exited(exit) if stdout.length.max(stderr.length) <= OUTPUT_LIMIT => judge(exit),
            Ending::Exited(_) | Ending::TooMuchOutput => Outcome {
                note: Some(format!("the test was stopped because it wrote more than {} MiB", OUTPUT_LIMIT >> 20)),
                ..Outcome::of(Verdict::NotInteresting)
            },
        };
        if outcome.verdict.is_some() && !outcome.is_interesting() {
            outcome.slip = self.conditions.slip(outcome.exit, &stdout.tail, &stderr.tail);
        }
        outcome.duration = duration;
        if let Some(written) = written {
            *written = Written { stdout: stdout.text, stderr: stderr.text };
        }
        outcome.stdout_tail = stdout.tail;
        outcome.stderr_tail = stderr.tail;
        Ok(outcome)
    }
}

impl Oracle for CommandOracle {
    fn judge(&self, candidate: &[u8], slot: &mut Slot, deadline: Duration, cancel: &Cancel) -> Outcome {
        self.judge_with(candidate, slot, deadline, cancel, Details::default())
    }

    fn describe(&self) -> String {
        self.description.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{ConditionSpec, SlotOptions, Unresolved};

    /// Longer than any of these tests takes on a busy machine.
    const DEADLINE: Duration = Duration::from_secs(900);

    fn run(oracle: &CommandOracle, candidate: &[u8], deadline: Duration) -> Outcome {
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        oracle.judge(candidate, &mut slot, deadline, &Cancel::new())
    }

    fn command(words: &[&str], file: &str) -> CommandOracle {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        CommandOracle::command(&words, Path::new(file), Conditions::default()).expect("a good command")
    }

    fn shell(script: &str) -> CommandOracle {
        command(&["sh", "-c", script], "dir/case.txt")
    }

    #[test]
    fn the_exit_code_decides() {
        for (code, verdict) in
            [(0, Verdict::Interesting), (1, Verdict::NotInteresting), (124, Verdict::Timeout), (125, Verdict::Invalid)]
        {
            let outcome = run(&shell(&format!("exit {code}")), b"", DEADLINE);
            assert_eq!((outcome.verdict, outcome.exit), (Some(verdict), Exit::Code(code)));
        }
    }

    #[test]
    fn a_signal_is_reported_as_such() {
        assert_eq!(run(&shell("kill -ABRT $$"), b"", DEADLINE).exit, Exit::Signal(6));
    }

    #[test]
    fn the_deadline_ends_a_test() {
        // Wait until the shell has started it.
        let mut deadline = Duration::from_millis(100);
        let said = loop {
            let outcome = run(&shell("echo begun; exec sleep 600"), b"", deadline);
            assert_eq!((outcome.verdict, outcome.exit), (Some(Verdict::Timeout), Exit::TimedOut));
            if !outcome.stdout_tail.is_empty() {
                break outcome.stdout_tail;
            }
            deadline *= 2;
        };
        assert_eq!(said, b"begun\n");
    }

    #[test]
    fn without_a_mark_the_candidate_is_on_stdin_and_in_the_directory() {
        let outcome = run(&shell("cat; ls -A; cat case.txt"), b"some text\n", DEADLINE);
        assert_eq!(outcome.stdout_tail, b"some text\ncase.txt\nsome text\n");
    }

    #[test]
    fn with_a_mark_stdin_is_empty() {
        let oracle = command(
            &["sh", "-c", "cat; cat \"$1\"; basename \"$1\"; test ! -w /dev/stdin || true", "x", "@@"],
            "a b'.c",
        );
        assert_eq!(run(&oracle, b"text\n", DEADLINE).stdout_tail, b"text\na b'.c\n");
    }

    #[test]
    fn another_extension_is_another_name_of_the_same_content() {
        let oracle =
            command(&["sh", "-c", "cat $1; basename $1; cat $2; basename $2; ls", "x", "@@.txt", "@@.i"], "case.txt");
        assert_eq!(run(&oracle, b"x\n", DEADLINE).stdout_tail, b"x\ncase.txt\nx\ncase.txt.i\ncase.txt\ncase.txt.i\n");
    }

    #[test]
    fn too_much_output_ends_a_test_and_is_not_interesting() {
        let outcome = run(&shell("exec cat /dev/zero"), b"", DEADLINE);
        assert_eq!(outcome.verdict, Some(Verdict::NotInteresting));
        assert!(outcome.note.expect("a note").contains("64 MiB"));
        assert_eq!(outcome.stdout_tail.len(), Outcome::TAIL);
    }

    #[test]
    fn conditions_see_the_output() {
        let spec = ConditionSpec { stderr: vec!["^oops$".into()], ..ConditionSpec::default() };
        let conditions = Conditions::new(&spec).expect("a good spec");
        let words = ["sh", "-c", "grep -q x && echo oops >&2; exit 3"].map(OsString::from);
        let oracle = CommandOracle::command(&words, Path::new("f"), conditions).expect("a good command");
        assert_eq!(run(&oracle, b"x", DEADLINE).verdict, Some(Verdict::Interesting));
        assert_eq!(run(&oracle, b"y", DEADLINE).verdict, Some(Verdict::NotInteresting));
    }

    #[test]
    fn temporary_files_of_the_test_go_into_the_slot() {
        let outcome =
            run(&shell("test -w \"$TMPDIR\" && echo x > \"$TMPDIR/left\" && echo \"$TMPDIR\""), b"", DEADLINE);
        assert_eq!(outcome.verdict, Some(Verdict::Interesting));
        let directory = String::from_utf8(outcome.stdout_tail).expect("a plain path");
        assert!(directory.contains("lop-") && !Path::new(directory.trim()).exists());
    }

    #[test]
    fn a_cancelled_run_gives_no_verdict() {
        let cancel = Cancel::new();
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let oracle = shell("exec sleep 600");
        let outcome = std::thread::scope(|scope| {
            let runner = scope.spawn(|| oracle.judge(b"", &mut slot, DEADLINE, &cancel));
            std::thread::sleep(Duration::from_millis(20));
            cancel.stop();
            runner.join().expect("no panic")
        });
        assert_eq!((outcome.verdict, outcome.unresolved), (None, Some(Unresolved::Cancelled)));
    }

    #[test]
    fn a_script_without_a_first_line_is_explained() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("t");
        fs::write(&path, "exit 0\n").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        let oracle = CommandOracle::test(&path, Path::new("f"), Conditions::default()).expect("it is executable");
        let Some(Unresolved::Failed(message)) = run(&oracle, b"", DEADLINE).unresolved else {
            panic!("it cannot start")
        };
        assert!(message.contains("#!/bin/sh") && message.contains("cannot start"), "{message}");
        fs::write(&path, "#!/bin/sh\r\nexit 0\r\n").expect("writable");
        let Some(Unresolved::Failed(message)) = run(&oracle, b"", DEADLINE).unresolved else {
            panic!("it cannot start")
        };
        assert!(message.contains("dos2unix"), "{message}");
        fs::remove_file(&path).expect("ours");
        let Some(Unresolved::Failed(message)) = run(&oracle, b"", DEADLINE).unresolved else { panic!("it is gone") };
        assert!(message.contains("still there"), "{message}");
    }

    #[test]
    fn a_command_describes_itself_as_a_shell_line() {
        assert_eq!(command(&["sh", "-c", "a b", "@@.c"], "x").describe(), "sh -c 'a b' @@.c");
    }

    #[test]
    fn an_interesting_candidate_needs_the_consent_of_its_companion() {
        let second = shell("grep -q b case.txt");
        let oracle = shell("true").with_companions(vec![(second, SecondCommand::ending(Exit::Code(0)))]);
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let mut judge = |text: &[u8]| oracle.judge(text, &mut slot, DEADLINE, &Cancel::new());
        assert!(judge(b"abc").is_interesting());
        let refused = judge(b"ac");
        assert_eq!(refused.verdict, Some(Verdict::NotInteresting));
        assert!(refused.note.is_some_and(|note| note.contains("exit code 1, and exit code 0 on the input")));
    }
}
