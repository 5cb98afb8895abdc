//! Errors in a language's files, and their line numbers.

use std::fmt;
use std::path::Path;

use miette::Diagnostic;
use tree_sitter::{QueryError, QueryErrorKind};

use lop_parser::Folder;

/// An error in a language's folder or in the choice of a language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    /// A file of the folder says something that the parser or lop does not know.
    #[error("{file}:{line}: {problem}")]
    File {
        /// The file, as `grammars/<folder>/<file>`.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The mistake.
        problem: Problem,
    },
    /// There is no language of this name.
    #[error("unknown grammar `{name}` (known: {})", known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Every known name.
        known: Vec<String>,
    },
    /// There is a language of this name, but the program was built without it.
    #[error("{}", not_built_in(name, feature))]
    NotBuiltIn {
        /// The name that was asked for.
        name: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// A folder has a name that already means something else, or the name of another folder.
    #[error("grammars/{name}: this name is taken; rename the folder")]
    NameTaken {
        /// The folder's name.
        name: String,
    },
    /// The parser was generated for a version of tree-sitter that this program does not read.
    #[error("{directory}: the parser cannot be used: {cause}")]
    Parser {
        /// Where the language's files are.
        directory: String,
        /// tree-sitter's or the description's complaint.
        cause: String,
    },
}

impl Diagnostic for GrammarError {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        // A name that doesn't exist is a slip on the command line, and no mistake in a file of rules.
        (!matches!(self, GrammarError::Unknown { .. })).then(|| Box::new("grammar") as Box<dyn fmt::Display>)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        let GrammarError::Unknown { name, known } = self else { return None };
        if Path::new(name).exists() {
            return Some(Box::new(format!("to use the parser in {name}, write --grammar ./{name}")));
        }
        let known = nearest(name, known.iter().map(String::as_str))?;
        Some(Box::new(format!("did you mean `{known}`?")))
    }
}

/// The likeness of two words from which one is taken for a slip of the other (Jaro-Winkler, 0 to 1). Lower, and any
/// short word is like some name.
const ALIKE: f64 = 0.84;

/// Returns the name that is most like a word, if it is like enough.
#[must_use]
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let alike = |name: &'n str| (strsim::jaro_winkler(word, name), name);
    let best = names.into_iter().map(alike).filter(|(alike, _)| *alike >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, name)| name)
}

/// A fault at one place of `language.toml` or `reduce.scm`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The TOML is malformed, has an unknown key or a value of the wrong type.
    #[error("{0}")]
    Toml(String),
    /// No node or token of this name occurs in the parser's trees.
    #[error("unknown {what} `{name}`: the parser has none of this name")]
    Unknown {
        /// `kind`, `token`, `field`, `rule`.
        what: &'static str,
        /// The name as written.
        name: String,
    },
    /// The language has a parser, and its texts are described all the same.
    #[error(
        "`[structure]` is for languages without a parser; remove it, or set parser = \"{}\"",
        lop_parser::STRUCTURE_NAME
    )]
    HasParser,
    /// There is no rule for all languages of this name.
    #[error("unknown rule `{name}` (known: {known})")]
    UnknownRule {
        /// The name as written.
        name: String,
        /// The rules that there are.
        known: String,
    },
    /// The parser knows both names, but no node of that kind has a child in that field.
    #[error("no `{parent}` node has a field `{field}`")]
    NoSuchChild {
        /// The parent's kind or supertype.
        parent: String,
        /// The field's name.
        field: String,
    },
    /// The embedded text is in a language that lop does not know.
    #[error("unknown language `{0}`: `lop grammars` lists those that are known")]
    UnknownLanguage(String),
    /// A regular expression does not compile.
    #[error("not a regular expression: {0}")]
    Regex(String),
    /// The query does not compile against the parser.
    #[error("{0}")]
    Query(String),
    /// A capture outside the documented set.
    #[error("unknown capture `@{name}` (known: {known})")]
    UnknownCapture {
        /// The name as written.
        name: String,
        /// The documented captures.
        known: String,
    },
    /// The captures of one pattern do not make a rule.
    #[error("a rule needs exactly one of {forms}; this one has {found}")]
    NotARule {
        /// The complete sets.
        forms: String,
        /// The captures of the pattern.
        found: String,
    },
    /// `#set!` with a key that no rule of this form reads, a key without a value, or an unknown predicate.
    #[error("unknown directive `{0}`")]
    UnknownDirective(String),
    /// A rule lacks a `#set!` that its form needs.
    #[error("this rule needs `(#set! {0} \"…\")`")]
    NotSet(&'static str),
    /// A template names a capture that its rule does not have.
    #[error("the template names `@{0}`, which this rule does not capture")]
    NoCapture(String),
}

impl GrammarError {
    /// Names the folder's own files by their real paths.
    pub(super) fn at(self, folder: &Folder<'_>) -> Self {
        self.moved(folder.name, folder.directory)
    }

    /// Names the files of the language by this directory.
    pub(super) fn moved(self, language: &str, directory: &str) -> Self {
        match self {
            GrammarError::File { file, line, problem } => {
                let name =
                    file.strip_prefix("grammars/").and_then(|file| file.strip_prefix(language)?.strip_prefix('/'));
                let file = name.map(|name| format!("{directory}/{name}")).unwrap_or(file);
                GrammarError::File { file, line, problem }
            }
            other => other,
        }
    }
}

/// Returns the line, counted from 1, of byte `offset` of `text`.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// A file of a folder: makes errors that name it.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The folder's name.
    pub(super) folder: &'a str,
    /// The file's name in it.
    pub(super) file: &'a str,
    /// The file's content.
    pub(super) text: &'a str,
}

impl Origin<'_> {
    /// The error that says `problem` about the line of byte `offset`.
    pub(super) fn error(&self, offset: usize, problem: Problem) -> GrammarError {
        self.error_in_line(line_of(self.text, offset), problem)
    }

    /// The error that says `problem` about a line, counted from 1.
    pub(super) fn error_in_line(&self, line: usize, problem: Problem) -> GrammarError {
        GrammarError::File { file: format!("grammars/{}/{}", self.folder, self.file), line, problem }
    }
}

/// The way to get a language that was left out.
pub(super) fn not_built_in(name: &str, feature: &str) -> String {
    format!("{name} is known, but not built into this lop: cargo install --path . --features {feature} builds it in")
}

/// The mistake in a query, in words.
pub(super) fn in_words(error: &QueryError) -> String {
    let what = match error.kind {
        QueryErrorKind::NodeType => "unknown kind ",
        QueryErrorKind::Field => "unknown field ",
        QueryErrorKind::Capture => "a predicate names an unknown capture ",
        QueryErrorKind::Predicate => "wrong predicate: ",
        QueryErrorKind::Structure => "this can never match:\n",
        QueryErrorKind::Syntax => "syntax error:\n",
        QueryErrorKind::Language => "",
    };
    format!("{what}{}", error.message)
}
