//! The two forms of a command line that reduces: `TEST FILE` and `FILE -- CMD ARGS…`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::args::Cli;
use crate::command_words::settled_command;
use crate::failure::Failure;
use crate::suggestion;
use lop_run::oracle::{CommandError, CommandOracle, Conditions, Subject};

/// The test in its two forms.
pub(crate) enum Test {
    /// An executable.
    File(PathBuf),
    /// A command with its arguments.
    Command(Vec<OsString>),
    /// A command that stays up.
    Server(Vec<OsString>),
}

impl Test {
    /// The words of the test; one word is a script of the user's.
    pub(crate) fn words(&self) -> Vec<OsString> {
        match self {
            Test::File(test) => vec![test.clone().into()],
            Test::Command(words) | Test::Server(words) => words.clone(),
        }
    }

    /// Returns the words of a command that starts for each candidate; none for a script, which is used as it is.
    pub(crate) fn command_words(&self) -> &[OsString] {
        match self {
            Test::File(_) | Test::Server(_) => &[],
            Test::Command(words) => words,
        }
    }

    /// The test of candidates for a test case, which is at `path`.
    pub(crate) fn oracle(
        &self,
        path: &Path,
        subject: Subject,
        conditions: Conditions,
    ) -> Result<CommandOracle, Failure> {
        match self {
            Test::File(test) => {
                let found = CommandOracle::test(test, subject, conditions.clone());
                found.map_err(|error| in_order(error, test, path, conditions))
            }
            Test::Command(words) => Ok(CommandOracle::command(words, subject, conditions)?),
            Test::Server(words) => Ok(CommandOracle::server(words, subject, conditions)?),
        }
    }
}

/// Returns the paths of several files below the directory that they share, as a test sees them.
///
/// # Errors
/// One of them is no file, or is named twice.
pub(super) fn names_below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
    if let Some(folder) = paths.iter().find(|path| path.is_dir()) {
        return Err(usage(
            format!("cannot combine the directory {} with other files", folder.display()),
            "name one directory with everything in it, or only files",
        ));
    }
    if let Some(missing) = paths.iter().find(|path| !path.is_file()) {
        return Err(usage(
            format!("{} does not exist or is not a file", missing.display()),
            "lop TEST FILE…, or lop FILE… -- CMD ARGS…, with @@1 and @@2 for their paths",
        ));
    }
    let real: io::Result<Vec<PathBuf>> = paths.iter().map(fs::canonicalize).collect();
    let real = real.map_err(Failure::Directory)?;
    if let Some(number) = (1..real.len()).find(|number| real[..*number].contains(&real[*number])) {
        return Err(usage(format!("{} is named twice", paths[number].display()), "name each file once"));
    }
    // A test has the same paths as the user if the working directory contains all files; otherwise paths below their
    // common directory.
    let here = std::env::current_dir().and_then(fs::canonicalize).map_err(Failure::Directory)?;
    let mut root = here.as_path();
    while !real.iter().all(|path| path.starts_with(root)) {
        root = root.parent().expect("everything is below the root");
    }
    let below = |path: &PathBuf| path.strip_prefix(root).map(Path::to_owned).unwrap_or_else(|_| path.clone());
    Ok(real.iter().map(below).collect())
}

/// Tells the two forms apart: `TEST FILE…` and `FILE… -- CMD ARGS…`.
///
/// # Errors
/// Any other form. With `--reduce-args` there must be a command, and there can be no file. A resumed run (`is_resumed`)
/// had the right form, and can have removed some of the files.
pub(crate) fn forms(
    words: &[PathBuf],
    test: &[OsString],
    reduces_args: bool,
    is_resumed: bool,
) -> Result<(Test, Vec<PathBuf>), Failure> {
    let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
    if let Some(command) = late_command(words) {
        return Err(usage(
            format!("`{command}` is a command of lop only as the first word"),
            &format!("lop {command} [OPTIONS]…, or ./{command} for a file of this name"),
        ));
    }
    if let Some(hint) = suggestion::command(words) {
        return Err(usage(format!("{} is not a command, a test or a file", words[0].display()), &hint));
    }
    match (words, test) {
        (_, []) if reduces_args => Err(usage(
            "--reduce-args needs a command".to_owned(),
            "lop --reduce-args FILE -- CMD ARGS…, or lop --reduce-args -- CMD ARGS…",
        )),
        ([], [_, ..]) if reduces_args => Ok((Test::Command(test.to_vec()), Vec::new())),
        ([file], [_, ..]) => Ok((Test::Command(test.to_vec()), vec![file.clone()])),
        ([], []) => Err(usage(
            "no file to reduce was given".to_owned(),
            "lop FILE -- CMD ARGS…, or lop TEST FILE; see lop --help",
        )),
        ([], _) => Err(usage(
            "no file to reduce before `--`".to_owned(),
            "lop FILE -- CMD ARGS…, with @@ for the path of the file",
        )),
        ([only], []) => Err(usage(
            format!("no test given for {}, or no file for this test", only.display()),
            "lop FILE -- CMD ARGS…, or lop TEST FILE; see lop --help",
        )),
        ([test, files @ ..], []) => Ok((Test::File(test.clone()), files.to_vec())),
        (files, _) if is_resumed => Ok((Test::Command(test.to_vec()), files.to_vec())),
        (files, command) if let Some(script) = stray_test(files, command) => Err(usage(
            format!("{} is an executable before `--`; give either TEST or a command, not both", script.display()),
            "lop TEST FILE… without `--`, or lop FILE… -- CMD ARGS…; to reduce the executable as one of several files, \
             name it in the command by its number (@@1, @@2, …)",
        )),
        (files, _) if files.iter().all(|file| file.exists()) => Ok((Test::Command(test.to_vec()), files.to_vec())),
        ([first, second, ..], _) => Err(usage(
            format!("expected one FILE before `--`, found {} and {}", first.display(), second.display()),
            "lop TEST FILE without `--`, or lop FILE -- CMD ARGS…; for several files, use @@1 and @@2 in the command",
        )),
    }
}

/// The form with `--server CMD`, in which all words are files.
///
/// # Errors
/// There is no file, or another test.
pub(crate) fn server_form(
    words: &[PathBuf],
    test: &[OsString],
    server: &str,
    reduces_args: bool,
) -> Result<(Test, Vec<PathBuf>), Failure> {
    let usage = |message: &str, hint: &str| Failure::Usage { message: message.to_owned(), hint: hint.to_owned() };
    let form = "lop --server CMD FILE…";
    if !test.is_empty() {
        return Err(usage("--server is the test, and there is another one after `--`", form));
    }
    if reduces_args {
        return Err(usage("--reduce-args needs a command after `--`, not --server", "omit one of them"));
    }
    let Some(first) = words.first() else { return Err(usage("no file to reduce was given", form)) };
    let command = settled_command("--server", server, first)?;
    if let Some(mark) = command.iter().find(|word| word.to_string_lossy().contains("@@")) {
        let message = format!("`{}` of --server: a server reads the path of each candidate as a line", mark.display());
        return Err(usage(&message, "omit @@"));
    }
    Ok((Test::Server(command), words.to_vec()))
}

/// The beginnings of programs and scripts.
const PROGRAMS: [&[u8]; 2] = [b"#!", b"\x7fELF"];

/// Returns the file before a command that must be a test: an executable whose number isn't in the command. On file
/// systems where everything is executable, a file that isn't a program is accepted.
fn stray_test<'f>(files: &'f [PathBuf], command: &[OsString]) -> Option<&'f Path> {
    let is_executable = |file: &&PathBuf| {
        fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let is_program = |file: &Path| {
        let mut start = Vec::new();
        let read = fs::File::open(file).and_then(|file| file.take(4).read_to_end(&mut start));
        read.is_ok() && PROGRAMS.iter().any(|program| start.starts_with(program))
    };
    let all = files.iter().all(|file| is_executable(&file));
    let is_named = |number: usize| {
        let mark = format!("@@{number}");
        let names = |word: &OsString| {
            let word = word.to_string_lossy();
            word.match_indices(&mark)
                .any(|(at, _)| !word[at + mark.len()..].starts_with(|next: char| next.is_ascii_digit()))
        };
        command.iter().any(names)
    };
    let mut suspects = files.iter().enumerate().filter(|(_, file)| is_executable(file));
    suspects.find(|(at, file)| (!all || is_program(file)) && !is_named(at + 1)).map(|(_, file)| &**file)
}

/// Returns the first word if it is a subcommand's name and no file: options preceded it.
fn late_command(words: &[PathBuf]) -> Option<&str> {
    let first = words.first().and_then(|word| word.to_str())?;
    let is_command = Cli::command().get_subcommands().any(|command| command.get_name() == first);
    (is_command && !suggestion::is_there(first)).then_some(first)
}

/// Points out arguments that were swapped: the file can be run and the test cannot.
fn in_order(error: CommandError, test: &Path, file: &Path, conditions: Conditions) -> Failure {
    let swapped =
        matches!(error, CommandError::NotExecutable { .. }) && CommandOracle::test(file, test, conditions).is_ok();
    if !swapped {
        return error.into();
    }
    Failure::Usage {
        message: format!("{} is not executable", test.display()),
        hint: format!("TEST comes first: lop {} {}", file.display(), test.display()),
    }
}
