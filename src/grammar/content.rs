//! Whether a file of unknown extension is in a language: by its first line, or by how well it parses.
//!
//! Parsing alone is not enough. A forgiving parser reads a list of words as a list of statements, so a
//! language also says, with `content`, what its files contain; then the share of bytes that the
//! parser could make nothing of decides.

use std::cmp::Reverse;

use regex::bytes::Regex;
use tree_sitter::{Language, Node, Parser as TreeSitter};

use super::folder::Parser;
use super::language_toml::{self, Word};
use super::problem::{GrammarError, Origin, Problem};

/// How much of a file is looked at.
const LOOKED_AT: usize = 64 * 1024;

/// The largest share of bytes, in thousandths, that a parser may make nothing of. Files that are to be
/// reduced are often malformed; of 6,000 files in other languages the wrong parser lost at least 80,
/// but for tables of strings that are the same in all.
const MOST_UNPARSED: u64 = 40;

/// What a token that the parser had to invent counts, in bytes it could make nothing of.
const MISSING_COUNTS: u64 = 4;

/// The keys of `language.toml` about content.
#[derive(Debug)]
pub(super) struct ContentTest {
    first_line: Option<Regex>,
    content: Option<Regex>,
    priority: i32,
}

/// How well a file fits a language; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// False when the first line says it.
    by_parse: bool,
    priority: Reverse<i32>,
    /// The share of bytes that the parser could make nothing of, in thousandths.
    unparsed: u64,
}

impl ContentTest {
    /// Compiles the expressions.
    ///
    /// # Errors
    /// One that is not a regular expression.
    pub(super) fn new(file: &language_toml::Language, origin: Origin<'_>) -> Result<Self, GrammarError> {
        let compile = |word: &Option<Word>| {
            let compiled = word.as_ref().map(|word| {
                Regex::new(word.get_ref())
                    .map_err(|error| origin.error(word.span().start, Problem::Regex(error.to_string())))
            });
            compiled.transpose()
        };
        Ok(Self {
            first_line: compile(&file.first_line)?,
            content: compile(&file.content)?,
            priority: file.content_priority,
        })
    }

    /// Whether the first line says that `content` is in this language, as the line that names the program of a script.
    pub(super) fn is_said_by_first_line(&self, content: &[u8]) -> bool {
        let first_line = head(content).and_then(|head| head.split(|&byte| byte == b'\n').next());
        self.first_line.as_ref().zip(first_line).is_some_and(|(regex, line)| regex.is_match(line))
    }

    /// How well `content` fits, `None` when it is not in this language. A language without `content`
    /// is never found by its content.
    pub(super) fn fit(&self, parser: &Parser<'_>, content: &[u8]) -> Option<Fit> {
        let head = head(content)?;
        let fit = Fit { by_parse: true, priority: Reverse(self.priority), unparsed: 0 };
        if self.is_said_by_first_line(content) {
            return Some(Fit { by_parse: false, ..fit });
        }
        if !self.content.as_ref()?.is_match(head) {
            return None;
        }
        let unparsed = unparsed(parser, head)?;
        (unparsed < MOST_UNPARSED).then_some(Fit { unparsed, ..fit })
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
