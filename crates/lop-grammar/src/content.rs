//! Decides whether a file with an unknown extension is in a language: by its first line, or by how well it parses.
//!
//! Parsing alone isn't enough. A forgiving parser reads a list of words as a list of statements, so a language also has
//! an expression `content` that its files match. Then the share of bytes in syntax errors decides.

use std::cmp::Reverse;
use std::sync::OnceLock;

use regex::bytes::Regex;
use tree_sitter::{Language, Node, Parser as TreeSitter};

use super::language_toml::{self, Word};
use super::problem::{GrammarError, Origin, Problem};
use lop_parser::Parser;

/// Number of bytes of a file that are examined.
const LOOKED_AT: usize = 64 * 1024;

/// The largest share of bytes, in thousandths, that a parser may make nothing of. Files that are to be
/// reduced are often malformed; of 6,000 files in other languages the wrong parser lost at least 80,
/// but for tables of strings that are the same in all.
const MOST_UNPARSED: u64 = 40;

/// The weight of a token that the parser had to invent, in bytes it could make nothing of.
const MISSING_COUNTS: u64 = 4;

/// The keys of `language.toml` about content.
#[derive(Debug)]
pub(super) struct ContentTest {
    first_line: Option<Expression>,
    content: Option<Expression>,
    priority: i32,
    /// Whether every text has a tree, so that a tree proves nothing.
    is_of_structure: bool,
}

/// A regular expression of `language.toml`. It is compiled on its first use: most files have an extension that decides,
/// and compiling the expressions of all languages takes longer than many tests.
#[derive(Debug)]
struct Expression {
    word: Word,
    compiled: OnceLock<Regex>,
}

impl Expression {
    fn new(word: &Word) -> Self {
        Self { word: word.clone(), compiled: OnceLock::new() }
    }

    fn is_match(&self, text: &[u8], origin: Origin<'_>) -> Result<bool, GrammarError> {
        if self.compiled.get().is_none() {
            let compiled = Regex::new(self.word.get_ref())
                .map_err(|error| origin.error(self.word.span().start, Problem::Regex(error.to_string())))?;
            // A thread that was faster has compiled the same.
            let _ = self.compiled.set(compiled);
        }
        Ok(self.compiled.get().is_some_and(|regex| regex.is_match(text)))
    }
}

/// The misfit of a file and a language; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// False when the first line says it.
    by_parse: bool,
    priority: Reverse<i32>,
    /// The share of bytes that the parser could make nothing of, in thousandths.
    unparsed: u64,
}

impl ContentTest {
    /// The keys of the file about content.
    pub(super) fn new(file: &language_toml::Language) -> Self {
        let expression = |word: &Option<Word>| word.as_ref().map(Expression::new);
        Self {
            first_line: expression(&file.first_line),
            content: expression(&file.content),
            priority: file.content_priority,
            is_of_structure: file.is_of_structure(),
        }
    }

    /// Whether the first line says that `content` is in this language, as the line that names the program of a script.
    ///
    /// # Errors
    /// An invalid expression; `origin` is its file.
    pub(super) fn is_said_by_first_line(&self, content: &[u8], origin: Origin<'_>) -> Result<bool, GrammarError> {
        let first_line = head(content).and_then(|head| head.split(|&byte| byte == b'\n').next());
        let said = self.first_line.as_ref().zip(first_line).map(|(expression, line)| expression.is_match(line, origin));
        Ok(said.transpose()?.unwrap_or(false))
    }

    /// Returns the misfit of `content`, or `None` if it isn't in this language. A language without `content` is never
    /// found by its content.
    ///
    /// # Errors
    /// An invalid expression; `origin` is its file.
    pub(super) fn fit(
        &self,
        parser: &Parser<'_>,
        content: &[u8],
        origin: Origin<'_>,
    ) -> Result<Option<Fit>, GrammarError> {
        let Some(head) = head(content) else { return Ok(None) };
        let fit = Fit { by_parse: true, priority: Reverse(self.priority), unparsed: 0 };
        if self.is_said_by_first_line(content, origin)? {
            return Ok(Some(Fit { by_parse: false, ..fit }));
        }
        let Some(expression) = &self.content else { return Ok(None) };
        if !expression.is_match(head, origin)? {
            return Ok(None);
        }
        if self.is_of_structure {
            return Ok(Some(Fit { unparsed: MOST_UNPARSED, ..fit }));
        }
        let unparsed = unparsed(parser, head).filter(|&unparsed| unparsed < MOST_UNPARSED);
        Ok(unparsed.map(|unparsed| Fit { unparsed, ..fit }))
    }
}

/// The part of a file that is looked at: up to the last whole line in it. `None` when it is not text.
fn head(content: &[u8]) -> Option<&[u8]> {
    let cut = &content[..content.len().min(LOOKED_AT)];
    let head = match memchr::memrchr(b'\n', cut) {
        Some(end) if cut.len() < content.len() => &cut[..=end],
        _ => cut,
    };
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that the cut went through.
        Err(error) => error.error_len().is_none(),
    };
    (valid && memchr::memchr(0, head).is_none()).then_some(head)
}

/// The share of bytes, in thousandths, that the parser could make nothing of; comments are no
/// evidence for either side. `None` when it refuses.
fn unparsed(parser: &Parser<'_>, head: &[u8]) -> Option<u64> {
    let mut tree_sitter = TreeSitter::new();
    tree_sitter.set_language(&Language::new(parser.language)).ok()?;
    let tree = tree_sitter.parse(head, None)?;
    let (mut lost, mut seen) = (0, 0);
    let mut cursor = tree.walk();
    let mut in_error = vec![false];
    loop {
        let node = cursor.node();
        let here = node.is_error() || (in_error.last() == Some(&true) && !is_whole(node));
        let bytes = node.byte_range().len() as u64;
        if node.is_missing() {
            lost += MISSING_COUNTS;
        } else if !node.is_extra() && node.child_count() == 0 {
            seen += bytes;
            lost += if here { bytes } else { 0 };
        }
        if cursor.goto_first_child() {
            in_error.push(here);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(lost * 1000 / seen.max(1));
            }
            in_error.pop();
        }
    }
}

/// Whether a node inside an ERROR is something that was understood: the error of a file that was cut
/// through is its whole root, with nearly everything in it in order.
fn is_whole(node: Node<'_>) -> bool {
    !node.has_error() && node.named_child_count() > 0
}
