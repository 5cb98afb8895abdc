//! The facts about a language for the list of all languages.

use lop_parser::{Folder, NotBuiltIn, Texts};

use super::guard::Guard;
use super::language_toml::{self, LanguageToml};
use super::problem::{GrammarError, Origin};

/// A language in a list of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The language's name.
    pub name: String,
    /// The extensions of its files, without the point.
    pub extensions: Vec<String>,
    /// The name of its parser, and its version if that is known.
    pub parser: String,
    /// The language's origin.
    pub home: Home,
    /// Whether it has rules, its own or such as it takes over.
    pub has_rules: bool,
    /// Whether a compiler's warnings can keep a program in it meaningful.
    pub has_guard: bool,
    /// Whether it has texts to replace its nodes, its own or inherited ones.
    pub has_minimal: bool,
}

/// The origin of a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// It is part of the program.
    BuiltIn,
    /// It can be made part of the program by this cargo feature.
    Feature(&'static str),
    /// It was read when the program ran, from this path.
    Path(String),
}

impl Listed {
    /// A language whose parser is there.
    ///
    /// # Errors
    /// If its `language.toml` or an inherited one is wrong.
    pub fn of(folder: &Folder<'_>, home: Home) -> Result<Self, GrammarError> {
        let listed = Self::new(folder.texts(), folder.inherited, folder.parser.release, home);
        // A run asks for the guard by the language's name.
        let has_guard = Guard::languages(folder.catalog).contains(&folder.name);
        listed.map(|listed| Self { has_guard, ..listed }).map_err(|error| error.at(folder))
    }

    /// A language whose parser was left out.
    ///
    /// # Errors
    /// The errors of [`Listed::of`].
    pub(super) fn not_built_in(folder: &NotBuiltIn<'static>) -> Result<Self, GrammarError> {
        Self::new(folder.texts, folder.inherited, folder.parser, Home::Feature(folder.feature))
    }

    fn new(own: Texts<'_>, inherited: &[Texts<'_>], parser: &str, home: Home) -> Result<Self, GrammarError> {
        let layers = || std::iter::once(&own).chain(inherited);
        let files = layers().map(|layer| {
            LanguageToml::parse(Origin { folder: layer.name, file: language_toml::FILE_NAME, text: layer.language })
        });
        let files: Vec<LanguageToml> = files.collect::<Result<_, _>>()?;
        Ok(Self {
            name: own.name.to_owned(),
            extensions: files[0].language.extensions.clone(),
            parser: parser.to_owned(),
            home,
            has_rules: layers().any(|layer| says_something(layer.rules)),
            has_guard: layers().any(|layer| !layer.guard.is_empty()),
            has_minimal: files.iter().any(|file| !file.minimal().is_empty()),
        })
    }
}

/// Whether a file of rules has more than comments.
fn says_something(rules: &str) -> bool {
    rules.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with(';'))
}
