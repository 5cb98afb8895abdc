//! A language: the texts of one folder and the parser they speak about, be they built in or read at run time.

use std::fmt;

use tree_sitter_language::LanguageFn;

/// A language: a folder of `grammars/`, or the texts of one. Its name is the language's name.
#[derive(Clone, Copy)]
pub struct Folder<'a> {
    /// The folder's name and, with it, the language's.
    pub name: &'a str,
    /// The name of its directory in messages: `grammars/<name>`, or the path that the user typed.
    pub directory: &'a str,
    /// The text of `language.toml`.
    pub language: &'a str,
    /// The text of `reduce.scm`, empty when the folder has none.
    pub rules: &'a str,
    /// The text of `guard.toml`, empty when the folder has none.
    pub guard: &'a str,
    /// The user's own texts about the language, which count before all others; their name is their directory.
    pub user: Option<Texts<'a>>,
    /// The texts that the language inherits, the nearest first.
    pub inherited: &'a [Texts<'a>],
    /// Name and content of `sample.*`, the file that every rule must match.
    pub sample: Option<(&'a str, &'a [u8])>,
    /// The parser whose node kinds the files name.
    pub parser: Parser<'a>,
    /// The languages that its files can name, for parts of a text in another language.
    pub catalog: &'static Catalog,
}

/// The languages of a program.
#[derive(Debug)]
pub struct Catalog {
    /// Those whose parsers are built in, sorted by name.
    pub built_in: &'static [Folder<'static>],
    /// Those whose parsers were left out, sorted by name.
    pub left_out: &'static [NotBuiltIn<'static>],
}

impl Catalog {
    /// No languages.
    pub const NONE: &'static Catalog = &Catalog { built_in: &[], left_out: &[] };

    /// The built-in language of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Folder<'static>> {
        self.built_in.iter().find(|folder| folder.name == name)
    }

    /// The names of all languages, the built-in ones first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let left_out = self.left_out.iter().map(|folder| folder.texts.name);
        self.built_in.iter().map(|folder| folder.name).chain(left_out)
    }
}

/// The texts of a folder, which another one takes over that names it in its key `extends`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texts<'a> {
    /// The folder's name.
    pub name: &'a str,
    /// The text of its `language.toml`.
    pub language: &'a str,
    /// The text of its `reduce.scm`, empty when it has none.
    pub rules: &'a str,
    /// The text of its `guard.toml`, empty when it has none.
    pub guard: &'a str,
}

/// A folder of `grammars/` whose parser was left out when the program was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBuiltIn<'a> {
    /// Its own files; the folder's name is the language's.
    pub texts: Texts<'a>,
    /// The texts that the language inherits, the nearest first.
    pub inherited: &'a [Texts<'a>],
    /// The parser's crate and its version.
    pub parser: &'a str,
    /// The cargo feature that brings the parser.
    pub feature: &'a str,
}

/// A tree-sitter parser and the description of its node kinds.
#[derive(Clone, Copy)]
pub struct Parser<'a> {
    /// The function that gives the parser; its code stays in memory until the program ends.
    pub language: LanguageFn,
    /// The parser's `node-types.json`, or an empty text. For parsers of ABI 14 it is the only list of supertypes.
    pub node_types: &'a str,
    /// Its name and version: of its crate, or as a library says them.
    pub release: &'a str,
}

impl<'a> Folder<'a> {
    /// The texts of the folder itself.
    #[must_use]
    pub fn texts(&self) -> Texts<'a> {
        Texts { name: self.name, language: self.language, rules: self.rules, guard: self.guard }
    }
}

impl fmt::Debug for Folder<'_> {
    /// It is one of the languages that it refers to.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Folder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Parser<'_> {
    /// A function and 100 KB of text say nothing to a reader.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Parser").finish_non_exhaustive()
    }
}
