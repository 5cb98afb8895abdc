//! The test case: the file to reduce, its content and its language.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobSetBuilder};

use crate::failure::Failure;
use crate::grammar_args::GrammarArgs;
use crate::options::ReduceArgs;
use crate::{files, language, piped};
use lop_doctor::TrivialInputs;
use lop_files::project::{self, Archive, Entry, Kind, LeftOut, Member, Selection, TestCase};
use lop_grammar::{Choice, Grammar, Registry, TEXT};
use lop_languages::LANGUAGES;
use lop_reduce::{Keep, KeepSpec, Project};
use lop_report::text;
use lop_run::oracle::Subject;

use super::forms::{Test, names_below};

/// Folders that tools generate or download.
const MADE: [&str; 5] = ["build", "target", "node_modules", ".venv", "__pycache__"];

/// The hint on patterns of files.
const GLOBS: &str = "write paths relative to the directory, such as 'src/*.h', 'include' or '**/*.json'";

/// The test case.
#[derive(Debug)]
pub struct Case {
    /// The file to reduce, as the user named it; a name for standard input.
    pub path: PathBuf,
    /// Whether it was read from standard input, so that there is no file.
    pub is_piped: bool,
    /// Its content.
    pub content: Arc<[u8]>,
    /// Its grammar; `None` for text and for a directory.
    pub grammar: Option<Arc<Grammar>>,
    /// The test case as a test sees it.
    pub subject: Subject,
    /// Its files, if it has several; the content is an archive of them then.
    pub project: Option<Project>,
    /// Notes about entries of a directory that aren't part of the test case.
    pub notes: Vec<String>,
    /// The reason for this language.
    pub choice: Choice,
    /// Identifies the user's own parser and rules, as a suffix of the language's name.
    pub rules: String,
}

/// The origin of the test case.
#[derive(Debug)]
pub(crate) enum Source {
    /// The files that the command line names.
    Named,
    /// A journal or a result: this text, and its archive if it has several files.
    Stored(Option<Archive>, Vec<u8>),
}

impl Case {
    /// Reads the file that was `given` and finds its language.
    ///
    /// # Errors
    /// A file that cannot be read or is empty, an unknown language, wrong rules.
    pub(super) fn read(args: &ReduceArgs, paths: &[PathBuf], test: &Test, source: Source) -> Result<Self, Failure> {
        let words = if args.reduce_args.reduce_args { test.command_words() } else { &[] };
        // Without a file the case is the command, and has its name.
        let program = words.first().map(|word| base_name(Path::new(word))).unwrap_or_default();
        let given = paths.first().map_or(&*program, PathBuf::as_path);
        if !words.is_empty() && piped::is_stdin(given) {
            return Err(Failure::Usage {
                message: "--reduce-args cannot be combined with standard input".to_owned(),
                hint: "name a file".to_owned(),
            });
        }
        let (subject, content) = match source {
            Source::Stored(archive, text) => (stored_subject(paths, archive, &text, !words.is_empty())?, text),
            Source::Named if words.is_empty() => read_case(paths, args.allows_empty())?,
            Source::Named => read_with_words(paths, words, args.allows_empty())?,
        };
        if let Some(archive) = subject.archive().cloned() {
            if args.generator.generator.is_some() {
                return Err(Failure::Usage {
                    message: "--generator works only with a single file, which has its choices".to_owned(),
                    hint: "name one file".to_owned(),
                });
            }
            return Self::of_files(args, given, subject, (archive, content));
        }
        let language = language::Language::find(&args.language(), given, &content)?;
        let grammar = language.grammar(args.rules.rules.as_deref())?;
        let path = piped::name(given.to_owned(), grammar.as_deref());
        Ok(Case {
            subject: Subject::File(path.clone()),
            path,
            is_piped: piped::is_stdin(given),
            content: content.into(),
            grammar,
            project: None,
            notes: Vec::new(),
            rules: language.identity() + &args.rules.rules.as_deref().map(language::identity).unwrap_or_default(),
            choice: language.choice,
        })
    }

    /// Files that are in `content`, each in the language of its name.
    fn of_files(
        args: &ReduceArgs,
        given: &Path,
        subject: Subject,
        (archive, content): (Archive, Vec<u8>),
    ) -> Result<Self, Failure> {
        let project = project(&args.grammar, args.rules.rules.as_deref(), archive, &content)?;
        let project = if matches!(subject, Subject::Files(..)) { project.with_fixed_paths() } else { project };
        let rules = args.rules.rules.as_deref().map(language::identity).unwrap_or_default();
        Ok(Case {
            path: given.to_owned(),
            is_piped: false,
            content: content.into(),
            grammar: None,
            rules,
            project: Some(project),
            notes: if matches!(subject, Subject::Directory(..)) { notes(given) } else { Vec::new() },
            subject,
            choice: Choice::Extension,
        })
    }

    /// Makes its trivial forms.
    #[must_use]
    pub fn trivial_inputs(&self) -> TrivialInputs {
        TrivialInputs::new(self.grammar.as_deref(), self.project.as_ref())
    }

    /// The parts that stay as they are.
    ///
    /// # Errors
    /// An expression or a query that cannot be understood.
    pub(super) fn keep(&self, args: &ReduceArgs, max_parse: usize) -> Result<Keep, Failure> {
        let spec = KeepSpec {
            patterns: args.keep.keep.clone(),
            lines: args.keep.keep_lines.clone(),
            queries: args.keep.keep_query.clone(),
            parts: [self.program(), self.kept_files(args)?].concat(),
        };
        let archive = self.project.as_ref().map(Project::archive);
        let case = TestCase::new(archive, &self.content);
        Ok(Keep::find(&spec, case, self.grammar.as_deref(), max_parse)?)
    }

    /// Returns the range of the command's program, which has to stay if the command is reduced.
    fn program(&self) -> Vec<Range<usize>> {
        let entries = self.project.as_ref().map(|project| project.archive().entries(&self.content));
        let is_program = |entry: &Entry| entry.kind == Kind::Argument && entry.path == b"0";
        entries.into_iter().flatten().filter(is_program).map(|entry| entry.whole()).collect()
    }

    /// The files that stay as they are, by their places in the archive.
    fn kept_files(&self, args: &ReduceArgs) -> Result<Vec<Range<usize>>, Failure> {
        let of_several = [("--keep-files", &args.keep.keep_files), ("--only-files", &args.keep.only_files)];
        let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
        let Some(project) = &self.project else {
            let given = of_several.into_iter().find(|(_, globs)| !globs.is_empty());
            return given.map_or(Ok(Vec::new()), |(name, _)| {
                let message =
                    format!("{name} selects files of a directory, but {} is a single file", self.path.display());
                Err(usage(message, "to keep parts of a file, use --keep or --keep-lines"))
            });
        };
        if !args.keep.keep_lines.is_empty() {
            let message = "--keep-lines works only with a single file".to_owned();
            return Err(usage(message, "to keep whole files, use --keep-files; for parts of them, --keep"));
        }
        let entries = project.archive().files(&self.content);
        let mut sets = Vec::new();
        for (name, globs) in of_several {
            let mut set = GlobSetBuilder::new();
            for glob in globs {
                // A folder means all its files.
                for glob in [glob.trim_end_matches('/').to_owned(), format!("{}/**", glob.trim_end_matches('/'))] {
                    let built = GlobBuilder::new(&glob).literal_separator(true).build();
                    set.add(built.map_err(|error| usage(format!("{name} '{glob}': {}", error.kind()), GLOBS))?);
                }
            }
            let set = set.build().map_err(|error| usage(format!("{name}: {}", error.kind()), GLOBS))?;
            let is_one = |entry: &Entry| set.is_match(entry.path());
            if !globs.is_empty() && !entries.iter().any(is_one) {
                let message = format!("{name} {} matches no file in {}", globs.join(" "), self.path.display());
                return Err(usage(message, GLOBS));
            }
            sets.push(set);
        }
        let stays = |entry: &&Entry| {
            let [keep, only] = &sets[..] else { return false };
            keep.is_match(entry.path()) || (!only.is_empty() && !only.is_match(entry.path()))
        };
        Ok(entries.iter().filter(stays).map(Entry::whole).collect())
    }

    /// The language and the reason for it, in a line.
    #[must_use]
    pub fn language_and_reason(&self) -> String {
        if let Some(project) = &self.project {
            let files = text::plural(project.archive().files(&self.content).len() as u64, "file");
            return format!("{}, by the names of {files}", self.language());
        }
        self.choice.sentence(self.grammar.as_ref().map(|grammar| grammar.name()), &self.path)
    }

    /// The grammar's name, those of several files, or `text`.
    #[must_use]
    pub fn language(&self) -> String {
        let files = self.project.as_ref().map(Project::names).filter(|names| !names.is_empty());
        let one = || self.grammar.as_ref().map_or(TEXT, |grammar| grammar.name()).to_owned();
        files.unwrap_or_else(one)
    }
}

/// The files in an archive, each in the language of its name.
///
/// # Errors
/// An unknown language, wrong rules.
pub(crate) fn project(
    grammar_args: &GrammarArgs,
    rules: Option<&Path>,
    archive: Archive,
    content: &[u8],
) -> Result<Project, Failure> {
    let registry = Arc::new(Registry::of(&LANGUAGES)?);
    let mut known: BTreeMap<String, Option<Arc<Grammar>>> = BTreeMap::new();
    Project::new(archive, content, &registry, |path, text| {
        let found = language::Language::find_among(&registry, grammar_args, path, text)?;
        let choice = found.choice;
        let Some(folder) = found.folder() else { return Ok((None, choice)) };
        if let Some(grammar) = known.get(folder.name) {
            return Ok((grammar.clone(), choice));
        }
        let grammar = found.grammar(rules)?;
        known.insert(folder.name.to_owned(), grammar.clone());
        Ok::<_, Failure>((grammar, choice))
    })
}

/// Packs several files under their names.
fn pack(names: &[PathBuf], paths: &[PathBuf]) -> Result<(Archive, Vec<u8>), Failure> {
    let members: Result<Vec<Member>, Failure> = names
        .iter()
        .zip(paths)
        .map(|(name, path)| {
            let failed = |source| Failure::Input { path: path.clone(), source };
            let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
            let content = files::read(path)?;
            Ok(Member { path: name.as_os_str().as_bytes().to_vec(), kind: Kind::File, mode, content })
        })
        .collect();
    Ok(Archive::pack(&members?))
}

fn base_name(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

/// Lists the entries of a directory that aren't part of the test case, and those that need not be, as sentences.
fn notes(path: &Path) -> Vec<String> {
    let Selection { members, left_out: found } = project::list(path).unwrap_or_default();
    let named = |why: &str, is_one: fn(&LeftOut) -> Option<&PathBuf>| {
        let paths: Vec<String> = found.iter().filter_map(is_one).map(|path| path.display().to_string()).collect();
        (!paths.is_empty()).then(|| format!("ignored: {} ({why})", paths.join(", ")))
    };
    let all = [
        named("version control", |left| if let LeftOut::Tool(path) = left { Some(path) } else { None }),
        named("a link out of the directory", |left| if let LeftOut::Link(path) = left { Some(path) } else { None }),
        named("not a regular file", |left| if let LeftOut::Special(path) = left { Some(path) } else { None }),
    ];
    all.into_iter().flatten().chain(made(path, &members)).collect()
}

/// The sentence about folders of files that tools have made.
fn made(root: &Path, members: &[Member]) -> Option<String> {
    let mut folders: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for member in members {
        let path = Path::new(OsStr::from_bytes(&member.path));
        let above = path.ancestors().skip(1).filter(|folder| MADE.iter().any(|name| folder.ends_with(name)));
        if let Some(folder) = above.last() {
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    let named =
        folders.iter().map(|(folder, files)| format!("{}/ ({})", folder.display(), text::plural(*files, "file")));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| {
        let (named, root) = (named.join(", "), root.display());
        format!(
            "the test case includes {named}; if the bug doesn't need that, move it out of {root}, and if only the test \
             needs it, add it with --with"
        )
    })
}

/// Reads a file, standard input or a directory. Of a directory, it also returns the archive.
pub(crate) fn read(path: &Path) -> Result<(Option<Archive>, Vec<u8>), Failure> {
    if piped::is_stdin(path) {
        return Ok((None, piped::read()?));
    }
    if path.is_dir() {
        let found = project::read(path)?;
        if found.members.is_empty() {
            return Err(Failure::Usage {
                message: format!("{} has no files, so there is nothing to reduce", path.display()),
                hint: "name the directory that shows the bug".to_owned(),
            });
        }
        let (archive, text) = Archive::pack(&found.members);
        return Ok((Some(archive), text));
    }
    Ok((None, files::read(path)?))
}

/// Reads the test case at some paths: a file, a directory, or several files. A single file must have some content unless
/// it `may_be_empty`.
pub(crate) fn read_case(paths: &[PathBuf], may_be_empty: bool) -> Result<(Subject, Vec<u8>), Failure> {
    let [path] = paths else {
        let names = names_below(paths)?;
        let (archive, text) = pack(&names, paths)?;
        return Ok((Subject::Files(names, archive), text));
    };
    let (archive, content) = read(path)?;
    if let Some(archive) = archive {
        return Ok((Subject::Directory(real_path(path)?, archive), content));
    }
    if content.is_empty() && !may_be_empty && piped::is_stdin(path) {
        return Err(Failure::Usage {
            message: "standard input is empty, so there is nothing to reduce".to_owned(),
            hint: "pipe the file that shows the bug into lop, or name it instead of `-`".to_owned(),
        });
    }
    if content.is_empty() && !may_be_empty && path.is_file() {
        return Err(Failure::Usage {
            message: format!("{} is empty, so there is nothing to reduce", path.display()),
            hint: "name the file that shows the bug. Did a redirection (`>`) empty it?".to_owned(),
        });
    }
    Ok((Subject::File(path.clone()), content))
}

/// Reads the test case at some paths, perhaps none, and adds the words of the command.
fn read_with_words(paths: &[PathBuf], words: &[OsString], may_be_empty: bool) -> Result<(Subject, Vec<u8>), Failure> {
    let (subject, content) = match paths {
        [] => (Subject::Files(Vec::new(), Archive::pack(&[]).0), Vec::new()),
        [path] if !path.is_dir() => {
            // A single file gets an archive, together with the words.
            let names = vec![base_name(path)];
            let (archive, text) = pack(&names, paths)?;
            (Subject::Files(names, archive), text)
        }
        paths => read_case(paths, may_be_empty)?,
    };
    let files = subject.archive().map(|archive| archive.members(&content)).unwrap_or_default();
    let (archive, text) = Archive::pack(&[project::of_words(words), files].concat());
    let subject = match subject {
        Subject::Files(names, _) => Subject::Files(names, archive),
        Subject::Directory(path, _) => Subject::Directory(path, archive),
        Subject::File(path) => Subject::Files(vec![path], archive),
    };
    Ok((subject, text))
}

/// Returns the subject of a stored test case, whose files can have changed or disappeared since.
fn stored_subject(
    paths: &[PathBuf],
    archive: Option<Archive>,
    text: &[u8],
    has_words: bool,
) -> Result<Subject, Failure> {
    let changed = |path: &Path, kind: &str| Failure::Usage {
        message: format!("{} is not a {kind} any more", path.display()),
        hint: "start a new run".to_owned(),
    };
    match (paths, archive) {
        ([], archive) => Ok(Subject::Files(Vec::new(), archive.unwrap_or_else(|| Archive::pack(&[]).0))),
        ([path], None) if path.is_dir() => Err(changed(path, "file")),
        ([path], None) => Ok(Subject::File(path.clone())),
        ([path, ..], None) => Err(changed(path, "directory")),
        ([path], Some(archive)) if has_words && !path.is_dir() => Ok(Subject::Files(vec![base_name(path)], archive)),
        ([path], Some(_)) if path.is_file() => Err(changed(path, "directory")),
        // While a result takes its place, a directory can be missing for an instant.
        ([path], Some(archive)) => Ok(Subject::Directory(real_path(path).unwrap_or_else(|_| path.clone()), archive)),
        (_, Some(archive)) => {
            let names = archive.members(text).into_iter().map(|member| OsString::from_vec(member.path).into());
            Ok(Subject::Files(names.collect(), archive))
        }
    }
}

/// Returns the path of a directory with a name: `.` has none.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|source| Failure::Input { path: path.to_owned(), source })
}
