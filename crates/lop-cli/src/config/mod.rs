//! The configuration files: finds them, and merges them into the command line, which has precedence. A typed option
//! replaces the file's entry, even if it can be repeated, and drops entries that it conflicts with.

mod file;
mod owner;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, Id};

pub(crate) use file::Entry;

use lop_files::disk;

use super::args::Cli;
use super::failure::Failure;
use super::help;
use super::own_folder::{home, user_folder};
use super::refusal::refuse;
use owner::{Owner, is_planted};

/// The name of the files.
const NAME: &str = "lop.toml";

/// No file of options is larger.
const LARGEST: u64 = 1 << 20;

/// The folders that mark the root of a repository: no project reaches beyond it.
const ROOTS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// A command line with the additions of the files.
#[derive(Debug)]
pub(crate) struct Line {
    /// All of it.
    pub(crate) words: Vec<OsString>,
    /// The typed words, as clap sees them.
    pub(crate) typed: ArgMatches,
    /// The entries of the files that nothing replaced.
    pub(crate) entries: Vec<Entry>,
    /// Where files were looked for.
    pub(crate) places: ConfigFiles,
}

/// Where the files are.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigFiles {
    /// The project's file, if there is one.
    pub(crate) project: Option<PathBuf>,
    /// The path of the user's file, which need not exist.
    pub(crate) user: Option<PathBuf>,
    /// Files that aren't used as the project's because other users could have written them.
    pub(crate) planted: Vec<PathBuf>,
}

/// The subcommands that use those entries of the files that are also their options.
pub(crate) const READERS: [&str; 6] = ["corpus", "doctor", LISTS, "isolate", "triage", "verify"];

/// The one of these that without a file makes a list.
const LISTS: &str = crate::info_args::GRAMMARS;

/// The option that is ignored without a file: rules are tried on one.
const OF_A_FILE: &str = "rules";

/// The subcommand that shows the entries for a reduction.
const SHOWS: &str = crate::args::CONFIG;

/// Adds the files' entries to a command line that reduces, shows the configuration, or is one of the [`READERS`];
/// others stay as they are. Ends the process for the same reasons as clap.
///
/// # Errors
/// When a file cannot be read or something is wrong in it.
pub(crate) fn apply(words: Vec<OsString>) -> Result<Line, Failure> {
    let options = Cli::command();
    let mut command = options.clone();
    command.build();
    let parsed = help::command().try_get_matches_from(&words);
    let mut matches = parsed.unwrap_or_else(|error| refuse(error, &words));
    let mut lists = false;
    let at = match matches.remove_subcommand() {
        None => 1,
        Some((name, inner)) if name == SHOWS || READERS.contains(&name.as_str()) => {
            lists = name == LISTS && !inner.contains_id("file");
            command = command.find_subcommand(&name).cloned().expect("it was found by its name");
            matches = inner;
            2
        }
        Some(_) => return Ok(Line { words, typed: matches, entries: Vec::new(), places: ConfigFiles::default() }),
    };
    if matches.get_flag("no_config") {
        return Ok(Line { words, typed: matches, entries: Vec::new(), places: ConfigFiles::default() });
    }
    let places = ConfigFiles::find(&std::env::current_dir().map_err(Failure::Directory)?);
    let mut layers = Vec::new();
    let project = places.project.as_ref().map(|path| (path, Owner::Project(places.user.as_deref())));
    for (path, owner) in project.into_iter().chain(places.user.as_ref().map(|path| (path, Owner::User))) {
        if let Some(text) = read(path)? {
            let mut layer = file::entries(path, &text, &options, home().as_deref(), owner)?;
            layer.retain(|entry| takes(&command, &entry.name) && !(lists && entry.name == OF_A_FILE));
            layers.push(layer);
        }
    }
    let entries = merge(&command, &matches, layers)?;
    let mut all = words;
    all.splice(at..at, entries.iter().flat_map(|entry| entry.words.iter().cloned()));
    Ok(Line { words: all, typed: matches, entries, places })
}

/// Lists the options of one of the [`READERS`] that the files can set, and that are also options of a `reduction`.
pub(crate) fn taken<'c>(reader: &'c Command, reduction: &'c Command) -> impl Iterator<Item = &'c str> {
    let settable = reduction.get_arguments().filter(|arg| file::may_be_set(arg)).filter_map(clap::Arg::get_long);
    settable.filter(|long| takes(reader, long))
}

fn takes(command: &Command, name: &str) -> bool {
    // Whether a stranger's command is run is another question than the one that a reduction asks.
    if (command.get_name(), name) == ("verify", "yes") {
        return false;
    }
    command.get_arguments().any(|arg| file::has_name(arg, name))
}

/// The entries of the layers, the more important first, that fit the typed options.
///
/// # Errors
/// When two entries of one file exclude each other.
fn merge(command: &Command, typed: &ArgMatches, layers: Vec<Vec<Entry>>) -> Result<Vec<Entry>, Failure> {
    let mut said: Vec<Id> =
        typed.ids().filter(|id| typed.value_source(id.as_str()) == Some(ValueSource::CommandLine)).cloned().collect();
    // The options with an effect: a flag that is false excludes nothing.
    let mut active = said.clone();
    let mut entries = Vec::new();
    for layer in layers {
        let fits = |entry: &Entry| {
            let excluded = !entry.words.is_empty() && active.iter().any(|id| exclude(command, id, &entry.id));
            !said.contains(&entry.id) && !excluded
        };
        let layer: Vec<Entry> = layer.into_iter().filter(fits).collect();
        let does: Vec<&Entry> = layer.iter().filter(|entry| !entry.words.is_empty()).collect();
        for (at, entry) in does.iter().enumerate() {
            if let Some(other) = does[..at].iter().find(|other| exclude(command, &other.id, &entry.id)) {
                return Err(opposed(other, entry));
            }
        }
        active.extend(does.iter().map(|entry| entry.id.clone()));
        said.extend(layer.iter().map(|entry| entry.id.clone()));
        entries.extend(layer);
    }
    Ok(entries)
}

fn opposed(first: &Entry, second: &Entry) -> Failure {
    let place = format!("{}:{}", second.path.display(), second.line);
    Failure::Usage {
        message: format!("{place}: {} conflicts with {} in line {}", second.name, first.name, first.line),
        hint: "remove one of the two lines, or override them on the command line".to_owned(),
    }
}

/// Whether clap would reject two options together.
fn exclude(command: &Command, one: &Id, other: &Id) -> bool {
    let arg = |id: &Id| command.get_arguments().find(|arg| arg.get_id() == id);
    let (Some(one), Some(other)) = (arg(one), arg(other)) else { return false };
    let names = |a, b: &clap::Arg| command.get_arg_conflicts_with(a).iter().any(|arg| arg.get_id() == b.get_id());
    names(one, other) || names(other, one)
}

impl Line {
    /// The note for the user on files that change a run.
    pub(crate) fn note(&self) -> Option<String> {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        let mut files: Vec<String> = self.entries.iter().map(|entry| entry.path.display().to_string()).collect();
        files.dedup();
        (!names.is_empty()).then(|| format!("{} from {}; see lop config", names.join(", "), files.join(" and ")))
    }
}

impl Line {
    /// Whether lop says only errors because the user wants it so, and not a project's file.
    pub(crate) fn is_quiet(&self) -> bool {
        let said = self.entries.iter().find(|entry| entry.name == "quiet");
        said.is_none_or(|entry| self.places.project.as_ref() != Some(&entry.path))
    }

    /// The note for the user on files that do not count.
    pub(crate) fn left_out(&self) -> Option<String> {
        owner::left_out(&self.places.planted)
    }
}

impl ConfigFiles {
    /// Looks for the files as seen from a directory.
    fn find(from: &Path) -> ConfigFiles {
        let home = home();
        let user = user_folder().map(|folder| folder.join(NAME));
        let (mut project, mut planted) = (None, Vec::new());
        for directory in from.ancestors() {
            let path = directory.join(NAME);
            if path.is_file() && user.as_ref() != Some(&path) {
                if !is_planted(directory, &path) {
                    project = Some(path);
                    break;
                }
                planted.push(path);
            }
            if ROOTS.iter().any(|root| directory.join(root).exists()) || home.as_deref() == Some(directory) {
                break;
            }
        }
        ConfigFiles { project, user, planted }
    }
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    let text = disk::read(path, LARGEST);
    match text
        .and_then(|text| String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error)))
    {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        // In another user's home, the existence of the file is unknown.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && fs::symlink_metadata(path).is_err() => {
            Ok(None)
        }
        Err(error) => Err(Failure::Usage {
            message: format!("cannot read {}: {error}", path.display()),
            hint: "fix the file, or ignore it with --no-config".to_owned(),
        }),
    }
}
