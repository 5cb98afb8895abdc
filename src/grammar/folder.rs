//! A language: the texts of one folder and the parser they speak about, be they built in or read at run time.

use std::fmt;

use tree_sitter_language::LanguageFn;

/// One language: a folder of `grammars/`, or what was read of one. Its name is the language's name.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    /// The folder's name and, with it, the language's.
    pub name: &'a str,
    /// Where its files are, as messages name it: `grammars/<name>`, or what the user typed.
    pub directory: &'a str,
    /// The text of `language.toml`.
    pub language: &'a str,
    /// The text of `reduce.scm`, empty when the folder has none.
    pub rules: &'a str,
    /// The text of `guard.toml`, empty when the folder has none.
    pub guard: &'a str,
    /// The user's own texts about the language, which count before all others; their name is their directory.
    pub user: Option<Texts<'a>>,
    /// The texts that the language takes over from those that it extends, the nearest first.
    pub inherited: &'a [Texts<'a>],
    /// Name and content of `sample.*`, the file that every rule must match.
    pub sample: Option<(&'a str, &'a [u8])>,
    /// The parser whose node kinds the files name.
    pub parser: Parser<'a>,
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
    /// The texts that the language takes over from those that it extends, the nearest first.
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
    /// The parser's `node-types.json`, empty when there is none: the only place where parsers of ABI 14 name supertypes.
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

impl fmt::Debug for Parser<'_> {
    /// A function and 100 KB of text say nothing to a reader.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Parser").finish_non_exhaustive()
    }
}

/// The folders that were in `grammars/` when the program was built and whose parsers were asked for, sorted by name.
pub static EMBEDDED: &[Folder<'static>] = include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

/// The other folders that were there, sorted by name.
pub static NOT_BUILT_IN: &[NotBuiltIn<'static>] = include!(concat!(env!("OUT_DIR"), "/not_built_in.rs"));
