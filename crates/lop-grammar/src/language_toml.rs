//! The keys of `language.toml`. Other files resolve the names against the parser; here every string keeps its position,
//! so that an error can point to it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::problem::{GrammarError, Origin, Problem};
use lop_syntax::Notation;

/// The file's name in its folder.
pub(super) const FILE_NAME: &str = "language.toml";

/// A string and its place in the file.
pub(super) type Word = Spanned<String>;

/// `language.toml`. Every table and key is documented in `grammars/README.md`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageToml {
    #[serde(default)]
    pub(super) language: Language,
    #[serde(default)]
    pub(super) trivia: Trivia,
    #[serde(default)]
    pub(super) clean: Clean,
    #[serde(default)]
    pub(super) files: FileReferences,
    #[serde(default)]
    pub(super) lists: Lists,
    #[serde(default)]
    pub(super) classes: BTreeMap<String, Vec<Word>>,
    #[serde(default)]
    minimal: BTreeMap<Word, Vec<String>>,
    #[serde(default)]
    pub(super) identifiers: Identifiers,
    #[serde(default)]
    pub(super) literals: Literals,
    #[serde(default)]
    pub(super) canonical: Canonical,
    #[serde(default)]
    pub(super) order: Order,
    #[serde(default)]
    pub(super) layout: Layout,
    #[serde(default)]
    pub(super) embedded: Vec<Embedded>,
    pub(super) structure: Option<Spanned<Structure>>,
    pub(super) conditionals: Option<Conditionals>,
}

/// `[language]`: how the language is recognised and parsed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    /// The build script reads this and the next three of a built-in language.
    pub(super) parser: Option<Word>,
    pub(super) constant: Option<String>,
    #[serde(default, rename = "node_types")]
    _node_types: Option<String>,
    pub(super) extends: Option<Word>,
    #[serde(default)]
    pub(super) extensions: Vec<String>,
    pub(super) first_line: Option<Word>,
    pub(super) content: Option<Word>,
    #[serde(default)]
    pub(super) content_priority: i32,
    pub(super) keep_newlines: Option<bool>,
    pub(super) dialects: Option<bool>,
    pub(super) deepest: Option<usize>,
    #[serde(default)]
    pub(super) newline_sensitive: Vec<Word>,
    #[serde(default)]
    pub(super) empty: Vec<String>,
    #[serde(default)]
    pub(super) without: Vec<Word>,
}

/// `[trivia]`: text without meaning, such as comments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Trivia {
    pub(super) comments: Vec<Word>,
}

/// `[clean]`: text to remove before there is a tree.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Clean {
    pub(super) texts: Vec<Word>,
}

/// `[files]`: how a file names another.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FileReferences {
    pub(super) includes: Vec<Word>,
    pub(super) around: Vec<String>,
}

/// `[lists]`: the kinds that form sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Lists {
    pub(super) separators: Vec<Word>,
    pub(super) words: Vec<Word>,
    pub(super) opaque: Vec<Word>,
    pub(super) chains: Vec<Word>,
}

/// `[identifiers]`: the kinds of names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Identifiers {
    pub(super) kinds: Vec<Word>,
    pub(super) keep: Vec<String>,
    pub(super) inside: Vec<Word>,
    pub(super) used: Vec<Word>,
}

/// `[literals]`: the kinds of values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Literals {
    pub(super) number: Vec<Word>,
    pub(super) number_texts: Vec<String>,
    pub(super) string: Vec<Word>,
    pub(super) pattern: Vec<Word>,
}

/// `[canonical]`: the order of tokens that could replace each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Canonical {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) mirrors: Vec<(String, String)>,
}

/// `[order]`: from which end the children of a node are swept.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Order {
    pub(super) forward: Vec<Word>,
}

/// `[layout]`: how a text is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Layout {
    pub(super) blocks: Option<Vec<Word>>,
    pub(super) indented: Vec<Word>,
}

/// `[[embedded]]`: nodes whose text is in another language.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Embedded {
    pub(super) kind: Word,
    pub(super) parent: Option<Word>,
    pub(super) after: Option<Word>,
    pub(super) language: Word,
}

/// `[conditionals]`: the lines by which a preprocessor keeps or drops others.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditionals {
    pub(super) begin: Word,
    pub(super) middle: Word,
    pub(super) end: Word,
}

/// `[structure]`: the notation of texts without a parser.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Structure {
    line_comments: Vec<String>,
    block_comments: Vec<(String, String)>,
    quotes: Option<String>,
    escape: Option<String>,
    name_quotes: String,
    name_signs: String,
    sigils: String,
    brackets: Option<Vec<Brackets>>,
    blocks: Vec<(String, String)>,
    ignores_case: bool,
    tags: bool,
    lines: Option<bool>,
    joins: Option<bool>,
    separators: Option<String>,
    terminators: Option<String>,
    records: bool,
}

/// An opening and a closing bracket, written side by side.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Brackets(u8, u8);

/// A text that isn't a pair of brackets.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an opening and a closing bracket, such as \"()\"")]
struct NotBrackets(String);

impl TryFrom<String> for Brackets {
    type Error = NotBrackets;

    fn try_from(pair: String) -> Result<Self, NotBrackets> {
        match pair.as_bytes() {
            &[open, close] if pair.is_ascii() && open != close => Ok(Brackets(open, close)),
            _ => Err(NotBrackets(pair)),
        }
    }
}

impl Structure {
    /// The notation that the table describes.
    pub(super) fn notation(&self) -> Notation {
        let usual = Notation::default();
        let signs =
            |signs: &Option<String>, usual: Vec<u8>| signs.as_ref().map_or(usual, |signs| signs.clone().into_bytes());
        let pair = |(begin, end): &(String, String)| (begin.clone().into_bytes(), end.clone().into_bytes());
        Notation {
            line_comments: self.line_comments.iter().map(|mark| mark.clone().into_bytes()).collect(),
            only_at_lines: false,
            block_comments: self.block_comments.iter().map(pair).collect(),
            quotes: signs(&self.quotes, usual.quotes),
            escape: self.escape.as_ref().map_or(usual.escape, |escape| escape.bytes().next()),
            name_quotes: self.name_quotes.clone().into_bytes(),
            name_signs: self.name_signs.clone().into_bytes(),
            sigils: self.sigils.clone().into_bytes(),
            brackets: self
                .brackets
                .as_ref()
                .map_or(usual.brackets, |all| all.iter().map(|pair| (pair.0, pair.1)).collect()),
            blocks: self.blocks.iter().map(pair).collect(),
            ignores_case: self.ignores_case,
            tags: self.tags,
            lines: self.lines.unwrap_or(usual.lines),
            joins: self.joins.unwrap_or(usual.joins),
            separators: signs(&self.separators, usual.separators),
            terminators: signs(&self.terminators, usual.terminators),
            is_certain: true,
            records: self.records,
        }
    }
}

impl Language {
    /// Whether the language has no parser: its texts are taken apart by their structure.
    pub(super) fn is_of_structure(&self) -> bool {
        self.parser.as_ref().is_some_and(|parser| parser.get_ref() == lop_parser::STRUCTURE_NAME)
    }
}

impl LanguageToml {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not TOML, has an unknown key or a value of the wrong type.
    pub(super) fn parse(origin: Origin<'_>) -> Result<Self, GrammarError> {
        toml::from_str(origin.text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            origin.error(offset, Problem::Toml(error.message().trim_end().to_owned()))
        })
    }

    /// Drops the tables in which another file says something.
    pub(super) fn leave_to(&mut self, other: &Self) {
        let Self { trivia, lists, minimal, identifiers, literals, .. } = other;
        if *trivia != Trivia::default() {
            self.trivia = Trivia::default();
        }
        if *lists != Lists::default() {
            self.lists = Lists::default();
        }
        if !minimal.is_empty() {
            self.minimal.clear();
        }
        if *identifiers != Identifiers::default() {
            self.identifiers = Identifiers::default();
        }
        if *literals != Literals::default() {
            self.literals = Literals::default();
        }
    }

    /// The entries of `[minimal]` from top to bottom: the first key that fits a node is the one that counts.
    pub(super) fn minimal(&self) -> Vec<(&Word, &[String])> {
        let mut entries: Vec<_> = self.minimal.iter().map(|(key, texts)| (key, texts.as_slice())).collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }
}
