//! A command that proposes candidates. It stays up, and speaks the protocol of Shrink Ray's `--reduce-with`: a JSON object
//! per line, with contents in base64.
//!
//! ```text
//!   lop                                           proposer
//!   {"reduce": CONTENT}                      ──►               a text to make smaller
//!                                            ◄──  {"content": CONTENT}               a candidate, or several
//!   {"content": CONTENT, "interesting": true} ──►              the answer to each; an interesting one is the text now
//!                                            ◄──  {"idle": true}                     no more candidates for this text
//! ```

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::process::{Lasting, MARK, OUTPUT_LIMIT, Patience, ProcessRegistry, Reply};
use super::program::Program;
use super::{Cancel, CommandError, Exit, PrivateDirectory, output};

/// The variable by which Shrink Ray tells how many candidates it tests at a time. lop tests one after the other.
pub const PARALLELISM: &str = "SHRINKRAY_REDUCER_PARALLELISM";

/// Maximum time without a candidate.
const SILENCE: Duration = Duration::from_secs(120);

/// Number of lines in a turn that are no message: a proposer that writes more is taken for another program.
const MOST_NOISE: usize = 100;

/// Maximum length of a line in bytes, as a multiple of the text's length and beyond it.
const LONGEST: (usize, usize) = (4, 1 << 20);

/// A proposer, whose process starts with the first turn.
#[derive(Debug)]
pub struct Proposer {
    program: Program,
    running: Option<Running>,
    /// Number of lines in this turn that are no message.
    noise: usize,
}

#[derive(Debug)]
struct Running {
    process: Lasting,
    errors: File,
    longest: usize,
    _directory: PrivateDirectory,
}

/// A proposer is of no use.
#[derive(Debug, thiserror::Error)]
pub enum ProposerError {
    /// It cannot be started.
    #[error("`{line}` of --propose cannot be started")]
    Start {
        /// The command.
        line: String,
        /// The cause.
        source: io::Error,
    },
    /// Its pipes fail.
    #[error("cannot talk to `{line}` of --propose")]
    Talk {
        /// The command.
        line: String,
        /// The cause.
        source: io::Error,
    },
    /// It ended with an error.
    #[error("`{line}` of --propose ended with {exit}{said}")]
    Ended {
        /// The command.
        line: String,
        /// How it ended.
        exit: Exit,
        /// The end of its messages, after a separator.
        said: String,
    },
    /// It neither proposed anything nor said that it is idle.
    #[error("`{line}` of --propose was silent for {} s", SILENCE.as_secs())]
    Silent {
        /// The command.
        line: String,
    },
    /// It writes something other than messages.
    #[error("`{line}` of --propose writes no proposals to standard output, but {text}")]
    Noise {
        /// The command.
        line: String,
        /// A line of it.
        text: String,
    },
}

#[derive(serde::Deserialize)]
struct Message {
    content: Option<String>,
    idle: Option<bool>,
}

impl Proposer {
    /// Finds the program of a command.
    ///
    /// # Errors
    /// [`CommandError`] if it is missing or cannot be executed.
    pub fn new(words: &[OsString]) -> Result<Self, CommandError> {
        Ok(Self { program: Program::find(words)?, running: None, noise: 0 })
    }

    /// Returns the command as a shell line.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.program.line
    }

    /// Begins a turn: asks for candidates that are smaller than `text`.
    ///
    /// # Errors
    /// [`ProposerError`] if it cannot be asked.
    pub fn begin(&mut self, text: &[u8], cancel: &Cancel) -> Result<(), ProposerError> {
        self.noise = 0;
        if !self.running.as_ref().is_some_and(|running| running.process.is_running()) {
            self.running = None;
            self.running = Some(self.start()?);
        }
        if let Some(running) = &mut self.running {
            running.longest = LONGEST.0.saturating_mul(text.len()).saturating_add(LONGEST.1);
        }
        self.send(&serde_json::json!({ "reduce": STANDARD.encode(text) }), cancel)
    }

    /// Waits for the next candidate. Returns `None` at the end of the turn, or if it is cancelled.
    ///
    /// # Errors
    /// [`ProposerError`] if there is none for a bad reason.
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<Vec<u8>>, ProposerError> {
        loop {
            let line = self.program.line.clone();
            let Some(running) = &mut self.running else { return Ok(None) };
            let reply = running.process.receive(&patience(&running.errors, running.longest, cancel));
            let text = match reply.map_err(|source| ProposerError::Talk { line: line.clone(), source })? {
                Reply::Line(text) => text,
                Reply::Cancelled => return Ok(None),
                Reply::TimedOut => return Err(self.fails(|line, _| ProposerError::Silent { line })),
                Reply::OutOfStep => return Err(self.fails(|line, _| too_long(line))),
                // It may end where it would be idle.
                Reply::Ended(Exit::Code(0)) => {
                    self.running = None;
                    return Ok(None);
                }
                Reply::Ended(exit) => return Err(self.fails(|line, said| ProposerError::Ended { line, exit, said })),
            };
            match serde_json::from_slice(&text) {
                Ok(Message { idle: Some(true), .. }) => return Ok(None),
                Ok(Message { content: Some(content), .. }) => {
                    if let Ok(content) = STANDARD.decode(content) {
                        return Ok(Some(content));
                    }
                }
                _ => {}
            }
            self.noise += 1;
            if self.noise > MOST_NOISE {
                let text = super::server::shown(&text);
                return Err(self.fails(|line, _| ProposerError::Noise { line, text }));
            }
        }
    }

    /// Tells the answer about a candidate.
    ///
    /// # Errors
    /// [`ProposerError`] if that is impossible.
    pub fn answer(&mut self, candidate: &[u8], interesting: bool, cancel: &Cancel) -> Result<(), ProposerError> {
        let message = serde_json::json!({ "content": STANDARD.encode(candidate), "interesting": interesting });
        self.send(&message, cancel)
    }

    /// Ends its process, for a turn that is given up.
    pub fn stop(&mut self) {
        self.running = None;
    }

    fn start(&self) -> Result<Running, ProposerError> {
        let at_start = |source| ProposerError::Start { line: self.program.line.clone(), source };
        let directory = PrivateDirectory::new(&std::env::temp_dir()).map_err(at_start)?;
        let path = directory.path().join("stderr");
        let errors = OpenOptions::new().read(true).append(true).create_new(true).open(path).map_err(at_start)?;
        let mut command = self.program.command();
        command.env(MARK, directory.path()).env(PARALLELISM, "1");
        command.stderr(errors.try_clone().map_err(at_start)?);
        let registry = Arc::new(ProcessRegistry::new(false));
        let process = Lasting::start(&mut command, &registry).map_err(at_start)?;
        Ok(Running { process, errors, longest: 0, _directory: directory })
    }

    fn send(&mut self, message: &serde_json::Value, cancel: &Cancel) -> Result<(), ProposerError> {
        let line = self.program.line.clone();
        // One that has ended is noticed when it is read from.
        let Some(running) = &mut self.running else { return Ok(()) };
        let sent =
            running.process.send(message.to_string().as_bytes(), &patience(&running.errors, running.longest, cancel));
        match sent.map_err(|source| ProposerError::Talk { line, source })? {
            Some(Reply::TimedOut) => Err(self.fails(|line, _| ProposerError::Silent { line })),
            _ => Ok(()),
        }
    }

    /// Ends the process; `error` gets the command and the end of its messages.
    fn fails(&mut self, error: impl FnOnce(String, String) -> ProposerError) -> ProposerError {
        let said = self.running.take().and_then(|running| {
            let tail = output::read(&running.errors, false).ok()?.tail;
            let text = String::from_utf8_lossy(&tail).into_owned();
            text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| format!("; it wrote: {}", line.trim()))
        });
        error(self.program.line.clone(), said.unwrap_or_default())
    }
}

fn patience<'a>(errors: &'a File, longest: usize, cancel: &'a Cancel) -> Patience<'a> {
    Patience { deadline: SILENCE, cancel, errors: (errors, OUTPUT_LIMIT), longest }
}

fn too_long(line: String) -> ProposerError {
    ProposerError::Noise { line, text: "a line that is much longer than the text".to_owned() }
}
