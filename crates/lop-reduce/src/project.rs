//! A test case of several files: finds those in the same language, which share one tree.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lop_files::project::{Archive, Entry, Kind};
use lop_grammar::{Choice, Grammar, GrammarError, Registry};
use lop_passes::contents;
use lop_syntax::{Document, Inside, Stop, count_words};

use super::parsing::parser;

/// Number of bytes at the start of a file in which a zero byte means that it isn't text.
const LOOKED_AT: usize = 8 << 10;
/// Files that are counted by one tree: a parser looks for its place among them at each token.
const TOGETHER: usize = 64;

/// The files of a test case and their languages.
#[derive(Clone)]
pub struct Project(Arc<ProjectFiles>);

#[derive(Clone)]
struct ProjectFiles {
    archive: Archive,
    grammars: Vec<Arc<Grammar>>,
    /// The contents of each file of the input, by its path.
    contents: BTreeMap<Vec<u8>, Content>,
    /// Whether each file that is left has its own path.
    has_fixed_paths: bool,
    /// The files that the test names, and the directories whose files it names; empty if it names none, and `None` for a
    /// test that is no command.
    named: Option<Vec<Vec<u8>>>,
}

/// The contents of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// In the language with this number.
    Language(usize),
    Text,
    Binary,
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").field("languages", &self.names()).finish_non_exhaustive()
    }
}

impl Project {
    /// Makes the project of the files in `text`, a text of the archive. `language` returns the language of each file
    /// from its path and content; `None` is plain text. `registry` knows the extensions that several languages claim:
    /// for those, the content of all files with such an extension decides, so that a header has the language of the
    /// file that includes it. If the extension alone decides ([`Choice::Extension`]), all files with it have the same
    /// language.
    ///
    /// # Errors
    /// The errors of `language`.
    pub fn new<E: From<GrammarError>>(
        archive: Archive,
        text: &[u8],
        registry: &Registry<'_>,
        mut language: impl FnMut(&Path, &[u8]) -> Result<(Option<Arc<Grammar>>, Choice), E>,
    ) -> Result<Self, E> {
        let (mut grammars, mut contents) = (Vec::<Arc<Grammar>>::new(), BTreeMap::new());
        let mut known: BTreeMap<String, Option<usize>> = BTreeMap::new();
        let entries = archive.entries(text);
        let files: Vec<&Entry> = entries.iter().filter(|entry| entry.kind == Kind::File).collect();
        for file in &files {
            let content = &text[file.content.clone()];
            if content[..content.len().min(LOOKED_AT)].contains(&0) {
                contents.insert(file.path.clone(), Content::Binary);
                continue;
            }
            let extension = extension(file.path());
            let number = if let Some(number) = known.get(&extension) {
                *number
            } else {
                let rivals = registry.rivals(file.path());
                let (grammar, choice) = if rivals.is_empty() {
                    language(file.path(), content)?
                } else {
                    let beside = files.iter().filter(|other| rivals.contains(&&*self::extension(other.path())));
                    let all: Vec<u8> = beside.flat_map(|other| text[other.content.clone()].to_vec()).collect();
                    language(file.path(), &all)?
                };
                let number = grammar.map(|grammar| {
                    let same = grammars.iter().position(|same| same.name() == grammar.name());
                    same.unwrap_or_else(|| {
                        grammars.push(grammar);
                        grammars.len() - 1
                    })
                });
                if choice == Choice::Extension {
                    known.insert(extension, number);
                }
                number
            };
            contents.insert(file.path.clone(), number.map_or(Content::Text, Content::Language));
        }
        Ok(Project(Arc::new(ProjectFiles { archive, grammars, contents, has_fixed_paths: false, named: None })))
    }

    /// Returns the project with fixed paths: no pass moves a file.
    #[must_use]
    pub fn with_fixed_paths(self) -> Self {
        Project(Arc::new(ProjectFiles { has_fixed_paths: true, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// The project with the paths that the test names: of files, or of directories whose files are meant. Paths of nothing
    /// in it don't count.
    #[must_use]
    pub fn with_named(self, paths: &[PathBuf]) -> Self {
        let mut files = Arc::unwrap_or_clone(self.0);
        let is_there = |path: &&[u8]| files.contents.keys().any(|file| is_at_or_below(file, path));
        let named = paths.iter().map(|path| path.as_os_str().as_bytes()).filter(is_there).map(<[u8]>::to_vec);
        files.named = Some(named.collect());
        Project(Arc::new(files))
    }

    /// Whether it has any file; a command may be a test case alone.
    #[must_use]
    pub fn has_files(&self) -> bool {
        !self.0.contents.is_empty()
    }

    fn named_paths(&self) -> &[Vec<u8>] {
        self.0.named.as_deref().unwrap_or_default()
    }

    /// Returns the text in which the files that the test names exist and are empty, as a command sees them; `None` for
    /// a test that isn't a command, which may only ask for the paths.
    #[must_use]
    pub fn emptied(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.0.named.as_ref().map(|_| self.filled(text, b""))
    }

    /// Whether the test names a file, or names none.
    fn is_meant(&self, entry: &Entry) -> bool {
        let named = self.named_paths();
        named.is_empty() || named.iter().any(|path| is_at_or_below(&entry.path, path))
    }

    /// The text in which each regular file that the test names has `content`; all of them if it names none.
    #[must_use]
    pub fn filled(&self, text: &[u8], content: &[u8]) -> Vec<u8> {
        self.archive().filled(text, |entry| self.is_meant(entry), content)
    }

    /// The regular files of a text that the test names, those named first before others; all of them if it names none.
    #[must_use]
    pub fn named(&self, text: &[u8]) -> Vec<Entry> {
        let entries = self.archive().entries(text).into_iter();
        let mut named: Vec<Entry> = entries.filter(|entry| entry.kind == Kind::File && self.is_meant(entry)).collect();
        named.sort_by_key(|entry| self.named_paths().iter().position(|path| is_at_or_below(&entry.path, path)));
        named
    }

    /// Whole files with nothing in them, in each of the languages.
    #[must_use]
    pub fn empty_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for text in self.grammars().iter().flat_map(|grammar| grammar.empty_texts()) {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        texts
    }

    /// Whether files may not move.
    pub(super) fn has_fixed_paths(&self) -> bool {
        self.0.has_fixed_paths
    }

    /// Returns the archive that splits the text into files.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.0.archive
    }

    /// The languages of the files.
    pub(super) fn grammars(&self) -> &[Arc<Grammar>] {
        &self.0.grammars
    }

    /// The names of the languages, as in `c, json`.
    #[must_use]
    pub fn names(&self) -> String {
        self.0.grammars.iter().map(|grammar| grammar.name()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the grammar of the file at a path; `None` is plain text.
    pub(super) fn grammar_of(&self, path: &[u8]) -> Option<&Grammar> {
        match self.0.content(path) {
            Content::Language(number) => Some(&*self.0.grammars[number]),
            Content::Text | Content::Binary => None,
        }
    }

    /// The contents of all files in one language.
    pub(super) fn inside(&self, language: usize) -> Inside {
        let Project(files) = self.clone();
        Arc::new(move |text| contents(&files.archive, text, |entry| files.is_in(entry, language)))
    }

    /// The content of the file at a path.
    pub(super) fn inside_file(&self, path: Vec<u8>) -> Inside {
        let Project(files) = self.clone();
        Arc::new(move |text| contents(&files.archive, text, |entry| entry.path == path))
    }

    /// The files of a text that are text in no language.
    pub(super) fn plain(&self, text: &[u8]) -> Vec<Entry> {
        let Project(files) = self;
        let is_plain = |entry: &Entry| {
            let is_known = files.content(&entry.path) != Content::Text;
            entry.kind == Kind::File && !is_known && !entry.content.is_empty()
        };
        files.archive.entries(text).into_iter().filter(is_plain).collect()
    }

    /// Counts the tokens of a text: leaves of the trees, or words without a tree. A language with more than `most`
    /// bytes has no tree.
    pub(super) fn tokens(&self, text: &Arc<[u8]>, most: usize, stop: &Stop) -> usize {
        let all = 0..self.grammars().len();
        let plain = self.plain_tokens(text);
        plain + all.map(|language| self.tokens_in(language, text, most, stop)).sum::<usize>()
    }

    /// The words of files without a tree, and of the command.
    fn plain_tokens(&self, text: &[u8]) -> usize {
        let words = self.archive().entries(text).into_iter().filter(|entry| entry.kind == Kind::Argument);
        self.plain(text).into_iter().chain(words).map(|entry| count_words(&text[entry.content])).sum()
    }

    fn tokens_in(&self, language: usize, text: &Arc<[u8]>, most: usize, stop: &Stop) -> usize {
        let parts = self.inside(language)(text);
        if parts.iter().map(Range::len).sum::<usize>() > most {
            return parts.into_iter().map(|part| count_words(&text[part])).sum();
        }
        let together = |parts: &[Range<usize>]| {
            let own = parts.to_vec();
            let inside: Inside = Arc::new(move |_| own.clone());
            let parser = parser(&self.grammars()[language], stop).map(|parser| parser.inside(&inside));
            let document = parser.and_then(|mut parser| Document::parse(&mut parser, Arc::clone(text)));
            let words = |_| parts.iter().map(|part| count_words(&text[part.clone()])).sum();
            document.map_or_else(words, |document| document.tokens())
        };
        parts.chunks(TOGETHER).map(together).sum()
    }

    /// Counts the tokens outside one language.
    pub(super) fn tokens_around(&self, language: usize, text: &Arc<[u8]>, most: usize, stop: &Stop) -> usize {
        let others = (0..self.grammars().len()).filter(|other| *other != language);
        let plain = self.plain_tokens(text);
        plain + others.map(|other| self.tokens_in(other, text, most, stop)).sum::<usize>()
    }
}

/// Whether a path is a file's or directory's path, or below it.
fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

fn name_of(path: &[u8]) -> Option<&OsStr> {
    Path::new(OsStr::from_bytes(path)).file_name()
}

/// The extension of a path in small letters; empty without one.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

impl ProjectFiles {
    fn is_in(&self, entry: &Entry, language: usize) -> bool {
        self.content(&entry.path) == Content::Language(language)
    }

    /// The contents of the file at a path; one that has moved is known by its name.
    fn content(&self, path: &[u8]) -> Content {
        let by_name =
            || self.contents.iter().find(|(known, _)| name_of(known) == name_of(path)).map(|(_, content)| content);
        self.contents.get(path).or_else(by_name).copied().unwrap_or(Content::Text)
    }
}
