//! The language of FILE: a built-in one, or one whose parser the user names; with `--rules DIR`, also the user's rules.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use lop_files::disk;
use lop_grammar::{Choice, Folder, Grammar, Loaded, Overrides, Registry};
use lop_languages::LANGUAGES;

use super::failure::{Failure, RulesError};
use super::grammar_args::{GrammarArgs, Wanted};

/// The files that lop reads of the folder.
pub(super) const FILES: [&str; 2] = ["language.toml", "reduce.scm"];

/// No file of rules is larger.
pub(super) const LARGEST: u64 = 16 << 20;

/// The language of a file.
#[derive(Debug)]
pub(super) struct Language {
    registry: Arc<Registry<'static>>,
    /// The name of a language that is built in.
    name: Option<String>,
    /// The reason for this language.
    pub(super) choice: Choice,
    /// One that is not built in.
    loaded: Option<Loaded>,
}

impl Language {
    /// Finds the language, and loads its parser if that is a library.
    ///
    /// # Errors
    /// An unknown grammar, and whatever is wrong with a library.
    pub(super) fn find(args: &GrammarArgs, path: &Path, content: &[u8]) -> Result<Self, Failure> {
        Self::find_among(&Arc::new(Registry::of(&LANGUAGES)?), args, path, content)
    }

    /// Does the same with a registry that several calls share: it compiles the expressions for contents once.
    ///
    /// # Errors
    /// The errors of [`Language::find`].
    pub(super) fn find_among(
        registry: &Arc<Registry<'static>>,
        args: &GrammarArgs,
        path: &Path,
        content: &[u8],
    ) -> Result<Self, Failure> {
        let registry = Arc::clone(registry);
        let (wanted, by_extension) = args.wanted(path);
        let (name, choice, loaded) = match wanted {
            Wanted::Name(name) => {
                let (folder, choice) = registry.find(name, path, content)?;
                (folder.map(|folder| folder.name.to_owned()), choice, None)
            }
            Wanted::Parser(parser) => (None, Choice::Name, Some(parser.open()?)),
        };
        Ok(Self { registry, name, choice: if by_extension { Choice::Extension } else { choice }, loaded })
    }

    /// Returns its folder; `None` is text.
    pub(super) fn folder(&self) -> Option<Folder<'_>> {
        let built_in = || self.registry.folders().find(|folder| Some(folder.name) == self.name.as_deref()).copied();
        self.loaded.as_ref().map(Loaded::folder).or_else(built_in)
    }

    /// Returns the grammar, with the user's rules if there are any; `None` is text.
    ///
    /// # Errors
    /// Any error in the language's files, or in the rules.
    pub(super) fn grammar(&self, rules: Option<&Path>) -> Result<Option<Arc<Grammar>>, Failure> {
        match (self.folder(), rules) {
            (Some(folder), Some(rules)) => Ok(Some(Arc::new(Grammar::load(&read(rules)?.over(&folder)?)?))),
            (Some(folder), None) => Ok(Some(Arc::new(Grammar::load(&folder)?))),
            (None, None) => Ok(None),
            (None, Some(rules)) => Err(RulesError::NoGrammar(rules.to_owned()).into()),
        }
    }

    /// Returns the suffix that distinguishes it from others with the same name; empty for a built-in one.
    pub(super) fn identity(&self) -> String {
        self.loaded.as_ref().map(|loaded| format!(" from {}", loaded.identity())).unwrap_or_default()
    }
}

/// The user's files about a language.
///
/// # Errors
/// When they cannot be read.
pub(super) fn read(directory: &Path) -> Result<Overrides, RulesError> {
    fs::read_dir(directory).map_err(|source| RulesError::Unread { path: directory.to_owned(), source })?;
    let [language, rules] = FILES.map(|name| {
        let path = directory.join(name);
        let text = disk::read(&path, LARGEST);
        let text = text.and_then(|text| {
            String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        });
        match text {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(RulesError::Unread { path, source }),
        }
    });
    match (language?, rules?) {
        (None, None) => Err(RulesError::Nothing(directory.to_owned())),
        (language, rules) => {
            let shown = directory.display().to_string();
            let [language, rules] = [language, rules].map(Option::unwrap_or_default);
            Ok(Overrides { directory: shown.trim_end_matches('/').to_owned(), language, rules })
        }
    }
}

/// Returns the hash of a user's own rules, as a suffix of the language's name.
pub(super) fn identity(folder: &Path) -> String {
    let files = FILES.map(|name| disk::read(&folder.join(name), LARGEST).unwrap_or_default());
    format!(" with {}", blake3::hash(&files.join(&b"\0"[..])))
}
