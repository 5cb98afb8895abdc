//! Splits a text into tokens: words, numbers, strings, comments, brackets, separators and operators.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::notation::Notation;
use crate::flat::char_len;

/// The meaning of a token for the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Number,
    String,
    Comment,
    Sign,
    /// Starts a pair; the token with the same partner ends it.
    Open(Partner),
    Close(Partner),
    Comma,
    Semicolon,
    /// A quote that is not closed.
    Quote,
}

/// The mark that a beginning and its end have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Partner {
    /// The opening bracket.
    Bracket(u8),
    /// The number of the pair of block words.
    Words(u16),
    /// A hash of the name of a tag or an environment. Some tags are never closed.
    Tag(u16),
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) class: Class,
}

impl Token {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Longer names of tags are none.
const LONGEST_NAME: usize = 64;

/// The tokens of a part of a text.
pub(super) struct Lexer<'t> {
    notation: &'t Notation,
    text: &'t [u8],
    at: usize,
    end: usize,
    begins_line: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(notation: &'t Notation, text: &'t [u8], part: Range<usize>) -> Self {
        Lexer { notation, text, at: part.start, end: part.end, begins_line: true }
    }

    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..self.end]
    }

    /// Length and class of the token at the start of the rest, which is neither empty nor blank.
    fn token(&self) -> (usize, Class) {
        let rest = self.rest();
        let first = rest[0];
        if let Some(length) = self.comment() {
            return (length, Class::Comment);
        }
        if self.notation.separators.contains(&first) {
            return (1, Class::Comma);
        }
        if self.notation.terminators.contains(&first) {
            return (1, Class::Semicolon);
        }
        for &(open, close) in &self.notation.brackets {
            if first == open {
                return (1, Class::Open(Partner::Bracket(open)));
            }
            if first == close {
                return (1, Class::Close(Partner::Bracket(open)));
            }
        }
        if self.notation.quotes.contains(&first) {
            return quoted(rest, first, self.notation.escape)
                .map_or((1, Class::Quote), |length| (length, Class::String));
        }
        if self.notation.name_quotes.contains(&first) {
            return quoted(rest, first, None).map_or((1, Class::Quote), |length| (length, Class::Word));
        }
        if let Some(tag) = self.tag() {
            return tag;
        }
        let is_name = |byte: u8| self.notation.is_name(byte);
        if is_name(first) || (self.notation.sigils.contains(&first) && rest.get(1).is_some_and(|next| is_name(*next))) {
            let length = 1 + rest[1..].iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len() - 1);
            return self.word(&rest[..length]);
        }
        (sign(rest), Class::Sign)
    }

    fn word(&self, word: &[u8]) -> (usize, Class) {
        let rest = self.rest();
        if word[0].is_ascii_digit() {
            // A fraction.
            let fraction = match rest.get(word.len()..word.len() + 2) {
                Some([b'.', digit]) if digit.is_ascii_digit() => {
                    let digits = &rest[word.len() + 1..];
                    1 + digits.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(digits.len())
                }
                _ => 0,
            };
            return (word.len() + fraction, Class::Number);
        }
        (word.len(), self.block_word(word).unwrap_or(Class::Word))
    }

    fn block_word(&self, word: &[u8]) -> Option<Class> {
        let Notation { blocks, ignores_case, .. } = self.notation;
        let is = |known: &[u8]| if *ignores_case { known.eq_ignore_ascii_case(word) } else { known == word };
        let number = |at: usize| Partner::Words(u16::try_from(at).unwrap_or(u16::MAX));
        // One end may belong to several beginnings: they have the number of the first.
        let of_end = |end: &[u8]| blocks.iter().position(|(_, other)| other == end).map(number);
        match blocks.iter().find(|(begin, end)| is(begin) || is(end)) {
            Some((_, end)) if is(end) => of_end(end).map(Class::Close),
            Some((_, end)) => of_end(end).map(Class::Open),
            None => None,
        }
    }

    fn comment(&self) -> Option<usize> {
        let rest = self.rest();
        let is_behind_blank = self.at == 0 || self.text[self.at - 1].is_ascii_whitespace();
        for comment in &self.notation.line_comments {
            let counts =
                self.begins_line || (is_behind_blank || self.notation.is_certain) && !self.notation.only_at_lines;
            if counts && rest.starts_with(comment) {
                return Some(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
            }
        }
        self.notation.block_comments.iter().find_map(|(open, close)| {
            let inside = rest.strip_prefix(&open[..])?;
            Some(open.len() + memchr::memmem::find(inside, close)? + close.len())
        })
    }

    /// A tag such as `<x …>` or an environment such as `\begin{x}`.
    fn tag(&self) -> Option<(usize, Class)> {
        if !self.notation.tags {
            return None;
        }
        let rest = self.rest();
        for (start, close, class) in [
            (&b"\\begin{"[..], b'}', Class::Open as fn(Partner) -> Class),
            (b"\\end{", b'}', Class::Close),
            (b"</", b'>', Class::Close),
            (b"<", b'>', Class::Open),
        ] {
            let Some(inside) = rest.strip_prefix(start) else { continue };
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"*:_-.".contains(byte);
            let length = inside.iter().take(LONGEST_NAME).position(|byte| !is_name(byte))?;
            if length == 0 {
                return None;
            }
            let line = &inside[..memchr::memchr(b'\n', inside).unwrap_or(inside.len())];
            let end = memchr::memchr(close, line)?;
            if line[..end].ends_with(b"/") {
                return None;
            }
            let mut hasher = DefaultHasher::new();
            (close, &inside[..length]).hash(&mut hasher);
            let [low, high, ..] = hasher.finish().to_le_bytes();
            return Some((start.len() + end + 1, class(Partner::Tag(u16::from_le_bytes([low, high])))));
        }
        None
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while let Some(byte) = self.rest().first().filter(|byte| byte.is_ascii_whitespace() || **byte == 0x0B) {
            // A tab may be a separator.
            if self.notation.separators.contains(byte) {
                break;
            }
            self.begins_line |= *byte == b'\n';
            self.at += 1;
        }
        if self.rest().is_empty() {
            return None;
        }
        let start = self.at;
        let (length, class) = self.token();
        self.at += length;
        self.begins_line = false;
        let offset = |at: usize| u32::try_from(at).expect("longer texts are refused before");
        Some(Token { start: offset(start), end: offset(self.at), class })
    }
}

/// Length of a string with its quotes that ends on its line.
fn quoted(rest: &[u8], quote: u8, escape: Option<u8>) -> Option<usize> {
    let mut at = 1;
    loop {
        match *rest.get(at)? {
            b'\n' => return None,
            byte if byte == quote => return Some(at + 1),
            byte if Some(byte) == escape => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the length of a sign: repetitions of one character, a character before `=` or `>`, or a single character.
fn sign(rest: &[u8]) -> usize {
    let first = rest[0];
    if !first.is_ascii_punctuation() {
        return char_len(rest);
    }
    let same = rest.iter().take_while(|byte| **byte == first).count();
    let is_two = same == 1 && b"=<>!+-*/|&^%:~?".contains(&first) && matches!(rest.get(1), Some(b'=' | b'>'));
    if is_two { 2 } else { same }
}
