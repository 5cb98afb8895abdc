//! One `lop.toml`: checks its entries against the options with their names, and turns them into words of the command
//! line.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command, Id, ValueEnum};
use toml::{Spanned, Value};

use crate::failure::Failure;
use crate::format_arg::{FormatArg, OwnFormat};
use crate::grammar_args::{self, ForExtension, Wanted};
use crate::set_by::SetBy;

use super::owner::Owner;

/// Names that users may take for options, but that are positional.
const POSITIONAL: [&str; 4] = ["file", "test", "cmd", "command"];

/// A name is taken for a slip of another one from this likeness on (Jaro-Winkler, 0 to 1).
const LIKENESS: f64 = 0.7;

/// An option that a file sets.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The option's.
    pub(super) id: Id,
    /// The option's name without dashes.
    pub(crate) name: String,
    /// The value as it was written.
    pub(crate) shown: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The option on a command line; empty for a flag that is false.
    pub(super) words: Vec<OsString>,
}

/// Whether a file may set an option.
pub(super) fn may_be_set(arg: &Arg) -> bool {
    let is_set_here =
        matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version);
    !is_set_here && !matches!(arg.get::<SetBy>(), Some(SetBy::CommandLine(_)))
}

/// The entries of a file of this owner; a path that begins with `~/` is below `home`.
///
/// # Errors
/// Any error in it, with the line and the way out.
pub(super) fn entries(
    path: &Path,
    text: &str,
    command: &Command,
    home: Option<&Path>,
    owner: Owner<'_>,
) -> Result<Vec<Entry>, Failure> {
    let wrong = |offset: usize, message: String, hint: String| Failure::Usage {
        message: format!("{}:{}: {message}", path.display(), line_of(text, offset)),
        hint,
    };
    let table: BTreeMap<Spanned<String>, Spanned<Value>> = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let said = error.message().trim_end().replace('\n', " ");
        wrong(offset, said, "write one entry per line, such as `jobs = 4`; --no-config ignores the file".to_owned())
    })?;
    let mut entries = Vec::new();
    for (key, value) in &table {
        let (name, offset) = (key.get_ref(), key.span().start);
        let said = |(message, hint): (String, String)| wrong(offset, message, hint);
        let arg = option(command, name).map_err(said)?;
        owner.check(arg, name).map_err(said)?;
        if let Value::String(text) = value.get_ref()
            && is_a::<Wanted>(arg)
            && grammar_args::is_path(text)
        {
            owner.check_code(name, "a parser").map_err(said)?;
        }
        if let Value::String(text) = value.get_ref()
            && is_a::<FormatArg>(arg)
            && OwnFormat::from_str(text, false).is_err()
        {
            owner.check_code(name, "a command").map_err(said)?;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let words = words(arg, value.get_ref(), folder, home)
            .map_err(|takes| wrong(offset, format!("{name} {takes}"), format!("see --{name} in `lop help all`")))?;
        for word in words.iter().filter(|_| is_a::<PathBuf>(arg)) {
            let word = word.as_bytes();
            let value = &word[word.iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1)..];
            owner.check_path(name, Path::new(OsStr::from_bytes(value)), folder).map_err(said)?;
        }
        check(command, &words).map_err(|message| wrong(offset, message, "see `lop help all`".to_owned()))?;
        entries.push(Entry {
            id: arg.get_id().clone(),
            name: name.clone(),
            shown: shown(value.get_ref()),
            path: path.to_owned(),
            line: line_of(text, offset),
            words,
        });
    }
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

/// Whether this is the long name of an option, or its earlier one.
pub(super) fn has_name(arg: &Arg, name: &str) -> bool {
    arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
}

/// Finds the option with a name. The error has the message and the hint.
fn option<'c>(command: &'c Command, name: &str) -> Result<&'c Arg, (String, String)> {
    if POSITIONAL.contains(&name.to_ascii_lowercase().as_str()) {
        let message = format!("{name} cannot be set in a file; name the file and the test on the command line");
        return Err((message, "lop TEST FILE, or lop FILE -- CMD ARGS…".to_owned()));
    }
    let options = || command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
    if let Some((arg, _)) = options().find(|(arg, _)| has_name(arg, name)) {
        let Some(SetBy::CommandLine(why)) = arg.get() else { return Ok(arg) };
        return Err((format!("{name} cannot be set in a file: {why}"), format!("use --{name} on the command line")));
    }
    let likeness = |long: &str| strsim::jaro_winkler(long, &name.replace('_', "-"));
    let closest = options().map(|(_, long)| long).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = match closest.filter(|long| likeness(long) >= LIKENESS) {
        Some(long) => format!("{long} is an option"),
        None => "keys are the long options of `lop help all`, without the dashes".to_owned(),
    };
    Err((format!("unknown option {name}"), hint))
}

/// Makes the words of a command line for an entry. The error names the values that the option takes.
fn words(arg: &Arg, value: &Value, folder: &Path, home: Option<&Path>) -> Result<Vec<OsString>, &'static str> {
    let long = arg.get_long().expect("it was found by its long name");
    let flag = || OsString::from(format!("--{long}"));
    let one = |value: &Value, takes: &'static str| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            _ => return Err(takes),
        };
        let mut word = flag();
        word.push("=");
        let (before, named) = text.split_at(text.len() - path_in(arg, &text).map_or(0, str::len));
        word.push(before);
        if !named.is_empty() || is_a::<PathBuf>(arg) {
            word.push(path(named, folder, home)?);
        }
        Ok(word)
    };
    match (arg.get_action(), value) {
        (ArgAction::SetTrue, Value::Boolean(set)) => Ok(if *set { vec![flag()] } else { Vec::new() }),
        (ArgAction::Set, Value::Boolean(set)) if arg.get_num_args().is_some_and(|values| values.min_values() == 0) => {
            Ok(if *set { vec![flag()] } else { Vec::new() })
        }
        (ArgAction::SetTrue, _) => Err("takes true or false"),
        (ArgAction::Count, Value::Integer(times @ 0..=9)) => Ok((0..*times).map(|_| flag()).collect()),
        (ArgAction::Count, _) => Err("takes a number from 0 to 9"),
        (ArgAction::Append, Value::Array(values)) => {
            values.iter().map(|value| one(value, "takes a list of strings or numbers")).collect()
        }
        _ => Ok(vec![one(value, "takes one string or number")?]),
    }
}

fn is_a<T: 'static>(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == std::any::TypeId::of::<T>()
}

/// The end of a value that is a path.
fn path_in<'v>(arg: &Arg, value: &'v str) -> Option<&'v str> {
    let language = match value.split_once('=') {
        Some((_, language)) if is_a::<ForExtension>(arg) => Some(language),
        _ => Some(value).filter(|_| is_a::<Wanted>(arg)),
    };
    language.filter(|language| grammar_args::is_path(language)).or(Some(value).filter(|_| is_a::<PathBuf>(arg)))
}

/// Paths in a file are relative to its folder, and no shell has expanded `~`.
fn path(text: &str, folder: &Path, home: Option<&Path>) -> Result<PathBuf, &'static str> {
    let Some(rest) = text.strip_prefix('~') else { return Ok(folder.join(text)) };
    match (rest.strip_prefix('/').or(rest.is_empty().then_some("")), home) {
        (Some(rest), Some(home)) => Ok(home.join(rest.trim_start_matches('/'))),
        (Some(_), None) => Err("begins with ~, but HOME is not set; write the whole path"),
        (None, _) => Err("begins with ~NAME, which lop doesn't expand; write the whole path, or ./~"),
    }
}

/// Checks these words as clap would. The error is one line.
fn check(command: &Command, words: &[OsString]) -> Result<(), String> {
    let line = std::iter::once("lop".into()).chain(words.iter().cloned());
    let Err(error) = command.clone().try_get_matches_from(line) else { return Ok(()) };
    let said = error.render().to_string();
    let lines = said.lines().map(str::trim).take_while(|line| !line.starts_with("For more")).filter(|l| !l.is_empty());
    Err(lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned())
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    fn read(text: &str) -> Result<Vec<Entry>, Failure> {
        entries(Path::new("/p/lop.toml"), text, &Cli::command(), Some(Path::new("/h/me")), Owner::User)
    }

    fn wrong(text: &str) -> (String, String) {
        match read(text).expect_err(text) {
            Failure::Usage { message, hint } => (message, hint),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn entries_become_words_of_the_command_line() {
        let text = "fast = true\nquiet = false\njobs = 4\nverbose = 2\ntimeout = 1.5\nskip = [\"rename\", \"pairs\"]\n";
        let words: Vec<String> = read(text)
            .expect("it is sound")
            .into_iter()
            .flat_map(|entry| entry.words)
            .map(|word| word.into_string().expect("plain"))
            .collect();
        let expected =
            ["--fast", "--jobs=4", "--verbose", "--verbose", "--timeout=1.5", "--skip=rename", "--skip=pairs"];
        assert_eq!(words, expected);
    }

    #[test]
    fn paths_are_seen_from_the_file() {
        let entry = |text| read(text).expect("it is sound").remove(0).words.remove(0);
        assert_eq!(entry("rules = \"own\""), "--rules=/p/own");
        assert_eq!(entry("rules = \"/own\""), "--rules=/own");
        assert_eq!(entry("rules = \"~/own\""), "--rules=/h/me/own");
        assert_eq!(entry("rules = \"~\""), "--rules=/h/me/");
        assert_eq!(entry("rules = \"./~own\""), "--rules=/p/./~own");
        assert_eq!(entry("keep = [\"~/own\"]"), "--keep=~/own");
        let without = entries(Path::new("lop.toml"), "rules = \"~/own\"", &Cli::command(), None, Owner::User);
        assert!(without.is_err_and(|failure| failure.to_string().contains("HOME is not set")));
    }

    #[test]
    fn what_a_project_may_not_set_is_refused_with_the_place_for_it() {
        let command = Cli::command();
        let read = |text: &str| {
            let owner = Owner::Project(Some(Path::new("/h/me/.config/lop/lop.toml")));
            entries(Path::new("/p/lop.toml"), text, &command, None, owner)
        };
        let mut refused = Vec::new();
        for arg in command.get_arguments().filter(|arg| arg.get_long().is_some() && may_be_set(arg)) {
            let long = arg.get_long().expect("it has one");
            let values = ["true", "1", "\"x=y\"", "[]", "\"auto\"", "[1]"];
            let said = values.map(|value| {
                read(&format!("{long} = {value}")).err().map(|failure| match failure {
                    Failure::Usage { message, hint } => (message, hint),
                    other => panic!("{other}"),
                })
            });
            let is_refused = |said: &Option<(String, String)>| {
                said.as_ref().is_some_and(|(message, hint)| {
                    message.contains("cannot be set in a project's lop.toml") && hint.contains("/h/me/.config/lop")
                })
            };
            assert!(said.iter().all(is_refused) || !said.iter().any(is_refused), "{long}");
            if said.iter().all(is_refused) {
                refused.push(long);
            }
        }
        // All options that run, load or write something, or give a test more, are among them.
        for long in ["cache", "format-issue", "isolate", "memory-limit", "no-state", "yes"] {
            assert!(refused.contains(&long), "{long}: {refused:?}");
        }
        for text in ["rules = \"/etc\"", "rules = \"../x\"", "rules = \"a/../../x\""] {
            let said = read(text).expect_err(text).to_string();
            assert!(said.contains("points outside the project"), "{said}");
        }
        read("rules = \"own\"").expect("it is in the project");
    }

    #[test]
    fn whatever_is_wrong_has_its_line_and_a_way_out() {
        for (text, message, hint) in [
            ("\njob = 4", "/p/lop.toml:2: unknown option job", "jobs is an option"),
            ("max_tests = 4", "unknown option max_tests", "max-tests is an option"),
            ("qqq = 1", "unknown option qqq", "the long options"),
            ("jobs = [4]", ":1: jobs takes one string or number", "--jobs"),
            ("jobs = \"many\"", ":1: invalid value 'many'", "lop help all"),
            ("fast = 1", "fast takes true or false", "--fast"),
            ("verbose = true", "verbose takes a number", "--verbose"),
            ("skip = [true]", "skip takes a list", "--skip"),
            ("skip = [\"no-such\"]", "invalid value 'no-such'", "lop help all"),
            ("format = \"x\"", "[possible values: none, compact, pretty]", "lop help all"),
            ("output = \"x\"", "output cannot be set in a file: it names the result", "--output on the command line"),
            ("FILE = \"x\"", "FILE cannot be set in a file", "lop TEST FILE"),
            ("\ncache = \"~you/x\"", ":2: cache begins with ~NAME", "--cache"),
            ("a\nb", ":1: ", "jobs = 4"),
            ("[jobs]\nn = 1", ":1: jobs takes one string or number", "--jobs"),
        ] {
            let said = wrong(text);
            assert!(said.0.contains(message) && said.1.contains(hint), "{text}: {said:?}");
        }
    }
}
