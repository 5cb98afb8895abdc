//! Generalises a text: finds its variable parts and makes a regular expression.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use crate::oracle::char_boundary;

/// Maximum number of bytes of a text to use: messages differ at their start.
const LONGEST: usize = 240;

/// The treatment of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It stays as it is.
    Keep,
    /// FILE:LINE of a program's own source.
    Place,
    /// Anything on the line.
    Any,
    /// Anything, across lines.
    Gap,
    /// Any number.
    Number,
    /// Nothing is carried over.
    Skip,
    /// The scanner finds the parts that vary in it.
    Generalise,
}

impl Treatment {
    /// The treatment that the name of a group asks for.
    pub(super) fn named(group: &str) -> Self {
        let stem = group.trim_end_matches(|letter: char| letter.is_ascii_digit());
        match stem {
            "keep" => Self::Keep,
            "place" => Self::Place,
            "any" => Self::Any,
            "gap" => Self::Gap,
            "number" => Self::Number,
            "skip" => Self::Skip,
            _ => panic!("patterns.toml: the group {group} asks for nothing that is known"),
        }
    }
}

/// Finds the pieces of a text that may vary.
#[derive(Debug)]
pub(super) struct Scanner {
    piece: LazyLock<Regex>,
}

impl Default for Scanner {
    fn default() -> Self {
        let compile = || {
            let kinds = [
                r"(?<address>0x[0-9a-fA-F]+)",
                r"(?<quoted>'[^'\n]*'|\x22[^\x22\n]*\x22|‘[^’\n]*’|`[^`'\n]*['`])",
                r"(?<path>(?:\.{0,2}/)(?:[\w.+~@-]+/)*[\w.+~@-]+)",
                r"(?<word>[A-Za-z_][\w.+-]*\w|[A-Za-z_])",
                r"(?<number>\d+(?:\.\d+)*)",
                r"(?<blank>\s+)",
            ];
            Regex::new(&kinds.join("|")).expect("the pattern is a constant and well formed")
        };
        Scanner { piece: LazyLock::new(compile) }
    }
}

/// A regular expression in the making.
pub(super) struct Context<'a> {
    scanner: &'a Scanner,
    content: &'a [u8],
    name: &'a str,
    /// Whether anything may be between quotes.
    any_quotes: bool,
    pattern: String,
    used: usize,
}

impl<'a> Context<'a> {
    /// Nothing yet, of a message about the test case `content` in a file called `name`.
    pub(super) fn new(scanner: &'a Scanner, content: &'a [u8], name: &'a str) -> Self {
        Context { scanner, content, name, any_quotes: false, pattern: String::new(), used: 0 }
    }

    /// Allows anything between quotes.
    pub(super) fn with_any_quotes(self) -> Self {
        Context { any_quotes: true, ..self }
    }

    /// Adds a range of a text.
    pub(super) fn add(&mut self, text: &[u8], range: Range<usize>, treatment: Treatment) {
        let starts_line = range.start == 0 || text[range.start - 1] == b'\n';
        if treatment == Treatment::Skip || range.is_empty() || self.used >= LONGEST {
            return;
        }
        let fresh = self.pattern.is_empty();
        let piece = String::from_utf8_lossy(&text[range]).into_owned();
        match treatment {
            Treatment::Any => self.pattern.push_str(".*"),
            Treatment::Gap => self.pattern.push_str(r"[\s\S]*?"),
            Treatment::Number => self.pattern.push_str(r"\d+"),
            Treatment::Place => self.place(&piece),
            Treatment::Keep => {
                self.used += piece.len();
                escape(&piece, &mut self.pattern);
            }
            Treatment::Skip | Treatment::Generalise => {
                let room = LONGEST.saturating_sub(self.used);
                let piece = &piece[..char_boundary(&piece, room)];
                self.used += piece.len();
                self.generalise(piece);
            }
        }
        if fresh && starts_line && !piece.starts_with(char::is_whitespace) && !self.pattern.starts_with(['[', '.']) {
            self.pattern.insert(0, '^');
        }
    }

    /// The regular expression, without blanks at its ends.
    pub(super) fn finish(self) -> String {
        self.pattern.trim_matches(' ').to_owned()
    }

    /// The regular expression for a text that it matches from its start to its end.
    pub(super) fn finish_whole(self) -> String {
        let is_cut = self.used >= LONGEST;
        let pattern = self.finish();
        let start = if pattern.starts_with('^') { "" } else { "^" };
        format!("{start}{pattern}{}", if is_cut { "" } else { "$" })
    }

    /// A place in a source: directories differ from machine to machine.
    fn place(&mut self, piece: &str) {
        let (path, position) = piece.split_at(piece.find(':').unwrap_or(piece.len()));
        let base = path.rsplit('/').next().unwrap_or(path);
        if base == self.name {
            self.pattern.push_str(r"[^\s:]+");
            self.generalise(position);
            return;
        }
        if base.len() < path.len() {
            self.pattern.push_str(r"\S*");
        }
        escape(base, &mut self.pattern);
        escape(position, &mut self.pattern);
    }

    fn generalise(&mut self, text: &str) {
        let scanner = self.scanner;
        let mut at = 0;
        while let Some(found) = scanner.piece.captures_at(text, at) {
            let whole = found.get(0).expect("group 0 is the match");
            escape(&text[at..whole.start()], &mut self.pattern);
            let before = text[..whole.start()].chars().next_back();
            let after = &text[whole.end()..];
            let piece = whole.as_str();
            at = whole.end();
            if found.name("address").is_some() {
                self.pattern.push_str("0x[0-9a-fA-F]+");
            } else if found.name("quoted").is_some() {
                at = whole.start() + self.quoted(piece, before);
            } else if found.name("path").is_some() {
                at = whole.start() + self.path(piece, before);
            } else if found.name("word").is_some() {
                if piece == self.name { self.pattern.push_str(r"[^\s:]+") } else { escape(piece, &mut self.pattern) }
            } else if found.name("number").is_some() {
                self.number(piece, before, after);
            } else {
                self.blank(piece);
            }
        }
        escape(&text[at..], &mut self.pattern);
    }

    /// Adds a quoted piece and returns the number of its bytes; for an apostrophe, one.
    fn quoted(&mut self, piece: &str, before: Option<char>) -> usize {
        let open = piece.chars().next().expect("a quoted piece has its quotes");
        let close = piece.chars().next_back().expect("a quoted piece has its quotes");
        if before.is_some_and(char::is_alphanumeric) {
            escape(open.encode_utf8(&mut [0; 4]), &mut self.pattern);
            return open.len_utf8();
        }
        let inner = &piece[open.len_utf8()..piece.len() - close.len_utf8()];
        escape(open.encode_utf8(&mut [0; 4]), &mut self.pattern);
        // A message about a sign, such as a bracket, is about this sign, and not about a name that could be another
        // one.
        if inner.contains(char::is_alphanumeric)
            && (self.any_quotes || self.is_of_the_input(inner) || self.is_computed(inner))
        {
            // A name is still a name when it becomes another, and no sign.
            let is_name = !self.any_quotes && inner.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            if is_name { self.pattern.push_str(r"\w*") } else { self.pattern.push_str(&format!("[^{close}]*")) }
        } else {
            self.generalise(inner);
        }
        escape(close.encode_utf8(&mut [0; 4]), &mut self.pattern);
        piece.len()
    }

    fn is_of_the_input(&self, piece: &str) -> bool {
        memmem::find(self.content, piece.as_bytes()).is_some()
    }

    /// Whether a piece that isn't in the input was made from it: a value, and not one of the tool's own words, such as
    /// the name of a type.
    fn is_computed(&self, piece: &str) -> bool {
        if self.content.is_empty() {
            return false;
        }
        let content = self.content.to_ascii_lowercase();
        let is_there = |word: &str| memmem::find(&content, word.to_ascii_lowercase().as_bytes()).is_some();
        let mut words = piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let is_a_word = piece.starts_with(|letter: char| letter.is_alphabetic() || letter == '-');
        !is_a_word || words.all(|word| word.is_empty() || is_there(word))
    }

    /// Adds a path and returns the number of its bytes.
    fn path(&mut self, piece: &str, before: Option<char>) -> usize {
        if before.is_some_and(char::is_alphanumeric) {
            self.pattern.push('/');
            return piece.find('/').map_or(piece.len(), |slash| slash + 1);
        }
        let base = piece.rsplit('/').next().unwrap_or(piece);
        let temporary = piece.contains("/tmp/") || piece.contains("/lop-");
        self.pattern.push_str(if base == self.name || temporary { r"[^\s:]+" } else { r"\S*/" });
        if !(base == self.name || temporary) {
            escape(base, &mut self.pattern);
        }
        piece.len()
    }

    /// A number that is part of a name stays: the 8 of `utf-8`, the 32 of `32-bit`, the 0 of `#0`.
    fn number(&mut self, piece: &str, before: Option<char>, after: &str) {
        let mut next = after.chars();
        let part_of_next = match next.next() {
            Some('-') => next.next().is_some_and(char::is_alphabetic),
            letter => letter.is_some_and(char::is_alphabetic),
        };
        let hyphenated = self.pattern.ends_with('-')
            && self.pattern[..self.pattern.len() - 1].ends_with(|letter: char| letter.is_alphanumeric());
        let part_of_last = before.is_some_and(|letter| letter.is_alphanumeric() || letter == '#' || letter == '_');
        if part_of_next || part_of_last || hyphenated {
            return escape(piece, &mut self.pattern);
        }
        let sign = self.pattern.ends_with('-') && before == Some('-');
        if sign {
            self.pattern.pop();
        }
        self.pattern.push_str(match (sign, piece.contains('.')) {
            (true, _) => r"-?[\d.]+",
            (false, true) => r"[\d.]+",
            (false, false) => r"\d+",
        });
    }

    fn blank(&mut self, piece: &str) {
        self.pattern.push_str(match (piece.contains('\n'), piece.len()) {
            (true, 1) => r"\n",
            (true, _) => r"\n\s*",
            (false, 1) if piece == " " => " ",
            (false, _) => r"\s+",
        });
    }
}

/// Adds a text as a regular expression that matches it and nothing else, with no more backslashes than needed.
fn escape(text: &str, pattern: &mut String) {
    for letter in text.chars() {
        match letter {
            '\n' => pattern.push_str(r"\n"),
            '\t' => pattern.push_str(r"\t"),
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                pattern.extend(['\\', letter]);
            }
            other => pattern.push(other),
        }
    }
}
