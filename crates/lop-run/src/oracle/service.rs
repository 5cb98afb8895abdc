//! A service that runs during the tests, such as a database: it starts before the first test, starts again when it has
//! died, and ends with the last [`CommandOracle`](super::CommandOracle) that needs it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::process::{self, Ending, Lasting, MARK, OUTPUT_LIMIT, ProcessRegistry, Watch};
use super::program::Program;
use super::{Cancel, CommandError, Exit, PrivateDirectory, output};

/// Maximum time until a service is ready.
const START: Duration = Duration::from_secs(120);
/// Time limit for one run of the command that finds out whether it is.
const READY: Duration = Duration::from_secs(30);
/// The pause between two such runs. It grows up to a limit.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Time that a service gets to end in order.
const FAREWELL: Duration = Duration::from_secs(10);

/// The command of a service, and the service once it is running.
#[derive(Debug)]
pub struct Service {
    setup: Program,
    ready: Option<Program>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    process: Lasting,
    /// Has its output, and that of `ready`.
    _directory: PrivateDirectory,
}

/// A service isn't running.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServiceError {
    #[error("cannot start `{line}` of --setup")]
    Start { line: String, source: io::Error },
    #[error("cannot run `{line}` of --ready")]
    Ready { line: String, source: io::Error },
    #[error("`{line}` of --setup has ended before it was ready; it must stay in the foreground{}", said(output))]
    Ended { line: String, output: String },
    #[error("`{line}` of --setup was not ready after {} s: `{ready}` ends with {exit}{}", START.as_secs(), said(output))]
    NotReady { line: String, ready: String, exit: Exit, output: String },
}

fn said(output: &str) -> String {
    let last = output.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| format!("; it wrote: {}", line.trim()))
}

impl Service {
    /// Finds the program of a service, and that of the command that ends with 0 when the service is ready.
    ///
    /// # Errors
    /// [`CommandError`] if one of them is missing or cannot be executed.
    pub fn new(setup: &[OsString], ready: Option<&[OsString]>) -> Result<Self, CommandError> {
        let (setup, ready) = (Program::find(setup)?, ready.map(Program::find).transpose()?);
        Ok(Self { setup, ready, running: Mutex::default() })
    }

    /// Starts it if it isn't running, and waits until it is ready. Returns whether it was started; `None` if that was
    /// cancelled.
    pub(super) fn ensure(
        &self,
        registry: &Arc<ProcessRegistry>,
        cancel: &Cancel,
    ) -> Result<Option<bool>, ServiceError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|service| service.process.is_running()) {
            return Ok(Some(false));
        }
        *running = None;
        let (setup, at_start) = (&self.setup, |source| ServiceError::Start { line: self.setup.line.clone(), source });
        let directory = PrivateDirectory::new(&std::env::temp_dir()).map_err(at_start)?;
        let (mut command, log) = logged(setup, &directory, "service").map_err(at_start)?;
        let process = Lasting::start_alone(&mut command, registry).map_err(at_start)?;
        let start = Instant::now();
        let mut pause = PAUSE;
        loop {
            let exit = match &self.ready {
                None => Exit::Code(0),
                Some(ready) => match ask(ready, &directory, registry, cancel)? {
                    Some(exit) => exit,
                    None => return Ok(None),
                },
            };
            let output = || output::read(&log, false).map(|log| String::from_utf8_lossy(&log.tail).into_owned());
            if !process.is_running() {
                return Err(ServiceError::Ended { line: setup.line.clone(), output: output().unwrap_or_default() });
            }
            if exit == Exit::Code(0) {
                *running = Some(Running { process, _directory: directory });
                return Ok(Some(true));
            }
            if start.elapsed() >= START {
                let ready = self.ready.as_ref().map(|ready| ready.line.clone()).unwrap_or_default();
                let (line, output) = (setup.line.clone(), output().unwrap_or_default());
                return Err(ServiceError::NotReady { line, ready, exit, output });
            }
            if cancel.sleep(pause) {
                return Ok(None);
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Whether it has died.
    pub(super) fn has_died(&self) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        !running.as_ref().is_some_and(|service| service.process.is_running())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = running.take() {
            service.process.end_in_order(FAREWELL);
        }
    }
}

/// Runs the command that finds out whether a service is ready. `None` if that was cancelled.
fn ask(
    ready: &Program,
    directory: &PrivateDirectory,
    registry: &Arc<ProcessRegistry>,
    cancel: &Cancel,
) -> Result<Option<Exit>, ServiceError> {
    let failed = |source| ServiceError::Ready { line: ready.line.clone(), source };
    let (mut command, log) = logged(ready, directory, "ready").map_err(failed)?;
    let watch = Watch { deadline: READY, cancel, outputs: [&log, &log], output_limit: OUTPUT_LIMIT, left: None };
    let (ending, _) = process::run(&mut command, &watch, registry).map_err(failed)?;
    Ok(match ending {
        Ending::Exited(exit) => Some(exit),
        Ending::Cancelled => None,
        Ending::TimedOut | Ending::Stopped(_) | Ending::TooMuchOutput => Some(Exit::TimedOut),
    })
}

/// The command of a program, with a file of this name for its output.
fn logged(program: &Program, directory: &PrivateDirectory, name: &str) -> io::Result<(Command, File)> {
    let path = directory.path().join(name);
    let log = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
    let mut command = program.command();
    command.env(MARK, directory.path());
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
    Ok((command, log))
}
