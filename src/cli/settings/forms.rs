//! The two forms of a command line that reduces: `TEST FILE` and `FILE -- CMD ARGS…`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::cli::args::Cli;
use crate::cli::failure::Failure;
use crate::cli::suggestion;
use crate::oracle::{CommandError, CommandOracle, Conditions};

/// The test in its two forms.
pub(in crate::cli) enum Test {
    /// An executable.
    File(PathBuf),
    /// A command with its arguments.
    Command(Vec<OsString>),
}

impl Test {
    /// The words of the test; one word is a script of the user's.
    pub(in crate::cli) fn words(&self) -> Vec<OsString> {
        match self {
            Test::File(test) => vec![test.clone().into()],
            Test::Command(words) => words.clone(),
        }
    }

    /// The same; none of a script, which is taken as it is.
    pub(in crate::cli) fn command_words(&self) -> &[OsString] {
        match self {
            Test::File(_) => &[],
            Test::Command(words) => words,
        }
    }

    /// The test of candidates for `path`.
    pub(in crate::cli) fn oracle(&self, path: &Path, conditions: Conditions) -> Result<CommandOracle, Failure> {
        match self {
            Test::File(test) => {
                let found = CommandOracle::test(test, path, conditions.clone());
                found.map_err(|error| in_order(error, test, path, conditions))
            }
            Test::Command(words) => Ok(CommandOracle::command(words, path, conditions)?),
        }
    }
}

/// Tells the two forms apart: `TEST FILE` and `FILE -- CMD ARGS…`.
pub(in crate::cli) fn forms(words: &[PathBuf], test: &[OsString]) -> Result<(Test, PathBuf), Failure> {
    let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
    if let Some(command) = late_command(words) {
        return Err(usage(
            format!("`{command}` is a command of lop only where it is the first word"),
            &format!("lop {command} [OPTIONS]…, options behind it; a file of this name is ./{command}"),
        ));
    }
    if let Some(hint) = suggestion::command(words) {
        return Err(usage(format!("there is no command, test or file of the name {}", words[0].display()), &hint));
    }
    match (words, test) {
        ([test, file], []) => Ok((Test::File(test.clone()), file.clone())),
        ([file], [_, ..]) => Ok((Test::Command(test.to_vec()), file.clone())),
        ([], []) => Err(usage("nothing to do".to_owned(), "lop TEST FILE, or lop FILE -- CMD ARGS…; see lop --help")),
        ([], _) => Err(usage(
            "there is no file to reduce before `--`".to_owned(),
            "lop FILE -- CMD ARGS…, with @@ in the place of the candidate's path",
        )),
        ([only], []) if only.is_dir() => Err(Failure::InputIsDirectory(only.clone())),
        ([only], []) => Err(usage(
            format!("there is no test for {}, or no file for the test", only.display()),
            "lop TEST FILE, or lop FILE -- CMD ARGS…; see lop --help",
        )),
        ([_, files @ ..], []) => Err(several(files)),
        (files, _) if files.iter().all(|file| file.exists()) => Err(several(files)),
        ([first, second, ..], _) => Err(usage(
            format!("{} and {} stand before a command; one of them is too much", first.display(), second.display()),
            "lop TEST FILE without `--`, or lop FILE -- CMD ARGS…",
        )),
    }
}

fn several(files: &[PathBuf]) -> Failure {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Failure::Usage {
        message: format!("several files: lop reduces one file at a time, and these are {}", names.join(", ")),
        hint: "reduce the one that matters most, with the others where the test finds them by their absolute paths; \
               then the next"
            .to_owned(),
    }
}

/// The first word, where it names a subcommand and nothing that is there: options stood before it.
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
