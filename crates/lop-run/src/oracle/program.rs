//! Finds the user's program before anything runs.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::shell;

/// The command cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum CommandError {
    /// There is no such file.
    #[error("the test {} does not exist", path.display())]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A bare name was found nowhere.
    #[diagnostic(help("check the spelling, or write the path of the program"))]
    #[error("{} is neither a file in the current directory nor a command in PATH", name.display())]
    NotInPath {
        /// The name.
        name: OsString,
    },
    /// A bare command is a file in the current directory, which isn't searched.
    #[error("{0} is not a command in PATH; for the file here write ./{0}", name.display())]
    OnlyHere {
        /// The name.
        name: OsString,
    },
    /// It is a directory or something else that cannot be run.
    #[error("{} is not a file; give the program or script that tests a candidate", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// It may not be executed.
    #[error("{} is not executable; make it so with `chmod +x {}`", path.display(), super::shell::line([path.as_os_str()]))]
    NotExecutable {
        /// Its path.
        path: PathBuf,
    },
    /// Its directory cannot be searched, or another problem of the operating system.
    #[error("cannot inspect the test {}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Nothing follows `--`.
    #[error("there is no command; put one after `--`")]
    NoCommand,
    /// The path of the test case does not end in a file name.
    #[error("{} is not the path of a file", file.display())]
    NoFileName {
        /// The path.
        file: PathBuf,
    },
    /// A name of the test case contains a newline or a tab, and a server reads paths as lines.
    #[error("a server reads paths as lines, but the name `{}` contains a newline or a tab; rename the file", name.to_string_lossy().escape_debug())]
    NameOfLines {
        /// The name.
        name: OsString,
    },
    /// The current directory was removed or cannot be read.
    #[error("cannot find the current directory")]
    CurrentDirectory {
        /// The cause.
        source: io::Error,
    },
}

/// A command that is no test, found and ready to start.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    called: Option<OsString>,
    arguments: Vec<OsString>,
    /// The command as a shell line.
    pub(crate) line: String,
}

impl Program {
    /// Finds the program of a command.
    pub(crate) fn find(words: &[OsString]) -> Result<Self, CommandError> {
        let (first, arguments) = words.split_first().ok_or(CommandError::NoCommand)?;
        let (path, called) = find_command(first)?;
        let line = shell::line(words.iter().map(OsString::as_os_str));
        Ok(Self { path, called, arguments: arguments.to_vec(), line })
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(called) = &self.called {
            command.arg0(called);
        }
        command.args(&self.arguments);
        command
    }
}

/// The absolute path of a test: relative to the current directory, and for a bare name also in PATH.
pub(crate) fn find_test(test: &Path) -> Result<PathBuf, CommandError> {
    let here = absolute(test)?;
    if is_bare(test.as_os_str()) && !here.exists() {
        return search(test.as_os_str());
    }
    check(here)
}

/// The absolute path of a command, and how to call it when it was found in PATH.
pub(crate) fn find_command(word: &OsStr) -> Result<(PathBuf, Option<OsString>), CommandError> {
    if is_bare(word) {
        let found = search(word).map_err(|error| match error {
            CommandError::NotInPath { name } if Path::new(&name).is_file() => CommandError::OnlyHere { name },
            other => other,
        })?;
        Ok((found, Some(word.to_owned())))
    } else {
        Ok((check(absolute(Path::new(word))?)?, None))
    }
}

/// Whether a word is a program on PATH.
pub fn has_program(word: &OsStr) -> bool {
    is_bare(word) && search(word).is_ok()
}

fn is_bare(word: &OsStr) -> bool {
    !word.is_empty() && Path::new(word).parent().is_some_and(|parent| parent.as_os_str().is_empty())
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    // Not `canonicalize`: a program may look at the name by which it was called.
    let current = || std::env::current_dir().map_err(|source| CommandError::CurrentDirectory { source });
    if path.is_absolute() { Ok(path.to_owned()) } else { Ok(current()?.join(path)) }
}

fn search(name: &OsStr) -> Result<PathBuf, CommandError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut refused = None;
    for directory in std::env::split_paths(&path) {
        // An empty entry means the current directory.
        let candidate = absolute(&directory.join(name))?;
        match check(candidate) {
            Ok(found) => return Ok(found),
            Err(error @ CommandError::NotExecutable { .. }) => refused = refused.or(Some(error)),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| CommandError::NotInPath { name: name.to_owned() }))
}

fn check(path: PathBuf) -> Result<PathBuf, CommandError> {
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CommandError::NotFound { path }),
        Err(source) => Err(CommandError::Unreadable { path, source }),
        Ok(metadata) if !metadata.is_file() => Err(CommandError::NotAFile { path }),
        Ok(_) if !is_executable(&path) => Err(CommandError::NotExecutable { path }),
        Ok(_) => Ok(path),
    }
}

fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_command_is_found_in_path_and_keeps_its_name() {
        let (path, called) = find_command(OsStr::new("sh")).expect("every Unix has sh");
        assert!(path.is_absolute() && path.ends_with("sh"));
        assert_eq!(called.as_deref(), Some(OsStr::new("sh")));
        assert!(find_test(Path::new("sh")).expect("in PATH").is_absolute());
    }

    #[test]
    fn what_cannot_be_run_is_named_with_the_way_out() {
        let directory = tempfile::tempdir().expect("a directory");
        let script = directory.path().join("my test.sh");
        std::fs::write(&script, "#!/bin/sh\n").expect("writable");
        let error = |path: &Path| find_test(path).expect_err("it cannot be run").to_string();
        assert!(error(&script).contains("chmod +x '") && error(&script).contains("my test.sh'"));
        assert!(error(directory.path()).contains("is not a file"));
        assert!(error(&directory.path().join("none")).contains("does not exist"));
        assert!(error(&script.join("below")).contains("cannot inspect"));
        assert!(error(Path::new("no-such-command-anywhere")).contains("nor a command in PATH"));
        assert!(error(Path::new("./no-such-command-anywhere")).contains("does not exist"));
        assert!(find_command(OsStr::new("")).is_err());
    }
}
