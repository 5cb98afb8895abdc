//! The test case: the file to reduce, its content and its language.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::ReduceArgs;
use crate::cli::failure::Failure;
use crate::cli::{language, piped};
use crate::grammar::{Choice, Grammar, TEXT};
use crate::journal::Past;
use crate::reduce::{Keep, KeepSpec, MAX_PARSE};

/// The test case.
#[derive(Debug)]
pub struct Case {
    /// The file to reduce, as the user named it; a name for standard input.
    pub path: PathBuf,
    /// Whether it came on standard input, so that there is no file.
    pub is_piped: bool,
    /// Its content.
    pub content: Arc<[u8]>,
    /// Its grammar; `None` is text.
    pub grammar: Option<Arc<Grammar>>,
    /// The reason for this language.
    pub choice: Choice,
    /// Stands for the user's own parser and rules behind the name of the language.
    pub rules: String,
}

/// Where the input comes from.
pub(super) enum Source<'a> {
    /// The file that was named.
    File,
    /// The journal of an interrupted run.
    Journal(&'a Past),
    /// This text.
    Text(Vec<u8>),
}

impl Case {
    /// Reads the file that was `given` and finds its language.
    ///
    /// # Errors
    /// A file that cannot be read or is empty, an unknown language, wrong rules.
    pub(super) fn read(args: &ReduceArgs, given: &Path, source: Source<'_>) -> Result<Self, Failure> {
        let content = match source {
            Source::Journal(past) => past.input.clone(),
            Source::Text(text) => text,
            Source::File if args.allow_empty => read(given)?,
            Source::File => read_case(given)?,
        };
        let language = language::Language::find(&args.grammar, given, &content)?;
        let grammar = language.grammar(args.rules.as_deref())?;
        Ok(Case {
            path: piped::name(given.to_owned(), grammar.as_deref()),
            is_piped: piped::is_stdin(given),
            content: content.into(),
            grammar,
            rules: language.identity() + &args.rules.as_deref().map(language::identity).unwrap_or_default(),
            choice: language.choice,
        })
    }

    /// The parts that stay as they are.
    ///
    /// # Errors
    /// An expression or a query that cannot be understood.
    pub(super) fn keep(&self, args: &ReduceArgs) -> Result<Keep, Failure> {
        let spec =
            KeepSpec { patterns: args.keep.clone(), lines: args.keep_lines.clone(), queries: args.keep_query.clone() };
        Ok(Keep::find(&spec, &self.content, self.grammar.as_deref(), MAX_PARSE)?)
    }

    /// The language and the reason for it, in a line.
    #[must_use]
    pub fn language_and_reason(&self) -> String {
        self.choice.sentence(self.grammar.as_ref().map(|grammar| grammar.name()), &self.path)
    }

    /// The grammar's name, or `text`.
    #[must_use]
    pub fn language(&self) -> &str {
        self.grammar.as_ref().map_or(TEXT, |grammar| grammar.name())
    }
}

pub(in crate::cli) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if piped::is_stdin(path) {
        return piped::read();
    }
    if path.is_dir() {
        return Err(Failure::InputIsDirectory(path.to_owned()));
    }
    fs::read(path).map_err(|source| match source.kind() {
        // A directory that cannot be looked at is told from one that can by nothing but this.
        io::ErrorKind::IsADirectory => Failure::InputIsDirectory(path.to_owned()),
        _ => Failure::Input { path: path.to_owned(), source },
    })
}

/// The test case, which has something in it.
pub(in crate::cli) fn read_case(path: &Path) -> Result<Vec<u8>, Failure> {
    let content = read(path)?;
    if content.is_empty() && piped::is_stdin(path) {
        return Err(Failure::Usage {
            message: "standard input is empty: there is nothing to reduce".to_owned(),
            hint: "pipe the file that shows the bug into lop, or name it instead of `-`".to_owned(),
        });
    }
    if content.is_empty() && path.is_file() {
        return Err(Failure::Usage {
            message: format!("{} is empty: there is nothing to reduce", path.display()),
            hint: "name the file that shows the bug; what a redirection has emptied may still be in a copy".to_owned(),
        });
    }
    Ok(content)
}
