//! Builds the tree: splits the text by the strongest separator that it contains.
//!
//! ```text
//! paragraphs ─► lines (with the lines that are indented more below them) ─► statements ─► elements of lists
//!            ─► what no blank divides ─► brackets, words and signs; between brackets the same again
//! ```
//!
//! The remaining work is on a stack, so any depth works.

use std::ops::Range;

use super::kinds::{Kind, Numbers};
use super::lexer::{Class, Lexer, Partner, Token};
use super::notation::Notation;
use super::pairs::{ALONE, partners};
use crate::arena::{Arena, Builder};

/// The nodes of some parts of a text.
pub(super) fn arena(notation: &Notation, text: &[u8], parts: &[Range<usize>]) -> Arena {
    let tokens: Vec<Token> = parts.iter().flat_map(|part| Lexer::new(notation, text, part.clone())).collect();
    let partners = partners(&tokens);
    let laid = Layout {
        notation,
        text,
        tokens: &tokens,
        partners: &partners,
        numbers: Numbers::new(),
        builder: Builder::default(),
        lines: Vec::new(),
        todo: Vec::new(),
    };
    laid.whole()
}

/// Tokens from one position to another, and brackets with their content.
type Slice = (usize, usize);

/// The next separator that a slice may be split by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Paragraphs,
    Lines,
    Statements,
    Elements,
    Blanks,
    Tokens,
}

/// A part of the work.
enum Todo {
    Slice(Slice, Level),
    Open(Kind, Slice),
    Close,
    Leaf(usize),
    /// Lines, by their numbers.
    Lines(usize, usize),
}

/// A line, and the first line after it that isn't indented more.
#[derive(Clone, Copy)]
struct Line {
    tokens: Slice,
    indent: usize,
    next: usize,
}

/// The blanks between two tokens.
#[derive(Clone, Copy)]
struct Gap {
    is_blank: bool,
    breaks: usize,
    /// Number of columns since the last line break.
    indent: usize,
}

struct Layout<'t> {
    notation: &'t Notation,
    text: &'t [u8],
    tokens: &'t [Token],
    partners: &'t [u32],
    numbers: Numbers,
    builder: Builder,
    lines: Vec<Line>,
    todo: Vec<Todo>,
}

impl Layout<'_> {
    fn whole(mut self) -> Arena {
        let count = self.tokens.len();
        let start = self.tokens.first().map_or(0, |token| token.start);
        let end = u32::try_from(self.text.len()).expect("longer texts are refused before");
        let kind = self.numbers.of(Kind::Text);
        self.builder.open(kind, start..end);
        self.todo.push(Todo::Slice((0, count), Level::Paragraphs));
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Slice((from, to), _) if from >= to => {}
                Todo::Slice(slice, level) => self.split(slice, level),
                Todo::Open(kind, (from, to)) => {
                    let kind = self.numbers.of(kind);
                    self.builder.open(kind, self.tokens[from].start..self.tokens[to - 1].end);
                }
                Todo::Close => self.builder.close(),
                Todo::Leaf(at) => self.leaf(at),
                Todo::Lines(from, to) => self.nest(from, to),
            }
        }
        self.builder.close();
        self.builder.finish()
    }

    fn leaf(&mut self, at: usize) {
        let token = self.tokens[at];
        let first = self.text[token.start as usize];
        let kind = match token.class {
            Class::Word => Kind::Word,
            Class::Number => Kind::Number,
            Class::String => Kind::String,
            Class::Comment => Kind::Comment,
            Class::Sign | Class::Quote => Kind::Sign,
            Class::Comma => Kind::Mark(b','),
            Class::Semicolon => Kind::Mark(b';'),
            // Without a partner it is a sign like others.
            _ if self.partners[at] == ALONE => Kind::Sign,
            Class::Open(Partner::Bracket(b'(' | b'[' | b'{')) => Kind::Mark(first),
            Class::Close(Partner::Bracket(b'(' | b'[' | b'{')) => Kind::Mark(first),
            Class::Open(_) => Kind::Begin,
            Class::Close(_) => Kind::End,
        };
        let kind = (self.numbers.of(kind), kind.is_named(), kind.is_extra());
        self.builder.leaf(kind, token.start..token.end);
    }

    /// Returns the position after the atom that starts with a token: the token, or the brackets with their content.
    fn after(&self, at: usize) -> usize {
        match self.partners[at] {
            partner if partner != ALONE && partner as usize > at => partner as usize + 1,
            _ => at + 1,
        }
    }

    fn gap_before(&self, at: usize) -> Gap {
        let start = self.tokens[at].start as usize;
        let end = at.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let gap = &self.text[end..start];
        let last = memchr::memrchr(b'\n', gap);
        let breaks = if last.is_some() { memchr::memchr_iter(b'\n', gap).count() } else { 0 };
        let is_first = at == 0;
        let indent = last.map_or(if is_first { start } else { 0 }, |last| gap.len() - last - 1);
        Gap { is_blank: !gap.is_empty(), breaks: if is_first { breaks.max(1) } else { breaks }, indent }
    }

    /// The parts of a slice; a new one begins with each atom that `begins` says so of. It is asked with the atom's first
    /// token and the last token before it.
    fn parts(&self, (from, to): Slice, mut begins: impl FnMut(&Self, usize, usize) -> bool) -> Vec<Slice> {
        let mut parts = Vec::new();
        let (mut first, mut at) = (from, self.after(from));
        while at < to {
            if begins(self, at, at - 1) {
                parts.push((first, at));
                first = at;
            }
            at = self.after(at);
        }
        parts.push((first, to));
        parts
    }

    fn split(&mut self, slice: Slice, level: Level) {
        match level {
            Level::Paragraphs => self.paragraphs(slice),
            Level::Lines => self.split_lines(slice),
            Level::Statements => self.statements(slice),
            Level::Elements => self.elements(slice),
            Level::Blanks => self.blanks(slice),
            Level::Tokens => self.atoms(slice),
        }
    }

    fn paragraphs(&mut self, slice: Slice) {
        if !self.notation.lines {
            return self.todo.push(Todo::Slice(slice, Level::Statements));
        }
        let base = self.gap_before(slice.0).indent;
        let mut lines = 1;
        let parts = self.parts(slice, |layout, at, _| {
            let gap = layout.gap_before(at);
            lines += usize::from(gap.breaks > 0);
            gap.breaks > 1 && gap.indent <= base
        });
        // Where each line is a paragraph there are only lines.
        if parts.len() < 2 || lines < parts.len() + parts.len() / 2 {
            return self.todo.push(Todo::Slice(slice, Level::Lines));
        }
        for part in parts.into_iter().rev() {
            let is_one_line = self.parts(part, |layout, at, _| layout.gap_before(at).breaks > 0).len() == 1;
            let kind = if is_one_line { Kind::Line } else { Kind::Paragraph };
            let level = if is_one_line { Level::Statements } else { Level::Lines };
            self.node(kind, part, level);
        }
    }

    /// A node with a slice inside, as the next to be laid out.
    fn node(&mut self, kind: Kind, slice: Slice, level: Level) {
        self.todo.extend([Todo::Close, Todo::Slice(slice, level), Todo::Open(kind, slice)]);
    }

    fn split_lines(&mut self, slice: Slice) {
        let parts = self.parts(slice, |layout, at, _| layout.gap_before(at).breaks > 0);
        if parts.len() < 2 {
            return self.todo.push(Todo::Slice(slice, Level::Statements));
        }
        // A list whose elements are on lines of their own is a list.
        let commas = parts.iter().filter(|(_, to)| self.tokens[to - 1].class == Class::Comma).count();
        if commas * 2 >= parts.len() - 1 {
            return self.todo.push(Todo::Slice(slice, Level::Elements));
        }
        let first = self.lines.len();
        let indents = parts.iter().map(|&(from, _)| self.gap_before(from).indent).collect::<Vec<_>>();
        self.lines.extend(parts.into_iter().zip(indents).map(|(tokens, indent)| Line { tokens, indent, next: 0 }));
        let mut deeper: Vec<usize> = Vec::new();
        for at in first..self.lines.len() {
            while let Some(line) = deeper.pop_if(|line| self.lines[*line].indent >= self.lines[at].indent) {
                self.lines[line].next = at;
            }
            deeper.push(at);
        }
        for line in deeper {
            self.lines[line].next = self.lines.len();
        }
        self.todo.push(Todo::Lines(first, self.lines.len()));
    }

    /// The lines of a level, each with the lines that are indented more and the line that closes them.
    fn nest(&mut self, from: usize, to: usize) {
        let mut todo = Vec::new();
        let mut at = from;
        while at < to {
            let mut inside = Vec::new();
            let mut line = at;
            loop {
                let after = self.lines[line].next.min(to);
                inside.push(Todo::Slice(self.lines[line].tokens, Level::Statements));
                if line + 1 < after {
                    let below = (self.lines[line + 1].tokens.0, self.lines[after - 1].tokens.1);
                    inside.extend([Todo::Open(Kind::Block, below), Todo::Lines(line + 1, after), Todo::Close]);
                }
                let has_below = line + 1 < after;
                line = after;
                if line >= to || !self.continues(line, self.lines[at], has_below) {
                    break;
                }
            }
            let whole = (self.lines[at].tokens.0, self.lines[line - 1].tokens.1);
            todo.push(Todo::Open(Kind::Line, whole));
            todo.append(&mut inside);
            todo.push(Todo::Close);
            at = line;
        }
        self.todo.extend(todo.into_iter().rev());
    }

    /// Whether a line belongs to an earlier one with the same indentation: it closes the lines that are indented more,
    /// or is the body in braces of the line before.
    fn continues(&self, line: usize, head: Line, has_below: bool) -> bool {
        let Line { tokens: (from, _), indent, .. } = self.lines[line];
        if indent != head.indent {
            return false;
        }
        let token = self.tokens[from];
        let text = &self.text[token.range()];
        let is_brace = matches!(token.class, Class::Open(Partner::Bracket(b'{')));
        let last = self.tokens[self.lines[line - 1].tokens.1 - 1].class;
        let is_open = last != Class::Semicolon && !matches!(last, Class::Close(Partner::Bracket(b'{')));
        (is_brace && is_open) || (has_below && self.notation.closes(text)) || matches!(token.class, Class::Close(_))
    }

    fn statements(&mut self, slice: Slice) {
        let is_end = |layout: &Self, at: usize| layout.tokens[at].class == Class::Semicolon;
        let parts = self.parts(slice, |layout, _, before| is_end(layout, before));
        let is_only = parts.len() == 1;
        for (from, to) in parts.into_iter().rev() {
            let end = if is_end(self, to - 1) { to - 1 } else { to };
            let mut inside = vec![Todo::Slice((from, end), Level::Elements)];
            if end < to {
                inside.push(Todo::Leaf(end));
            }
            if !is_only && to - from > 1 {
                inside.insert(0, Todo::Open(Kind::Statement, (from, to)));
                inside.push(Todo::Close);
            }
            self.todo.extend(inside.into_iter().rev());
        }
    }

    fn elements(&mut self, slice: Slice) {
        let is_comma = |layout: &Self, at: usize| layout.tokens[at].class == Class::Comma;
        let parts = self.parts(slice, |layout, at, before| is_comma(layout, at) || is_comma(layout, before));
        if parts.len() < 2 {
            return self.todo.push(Todo::Slice(slice, Level::Blanks));
        }
        for part in parts.into_iter().rev() {
            match part.1 == self.after(part.0) {
                true => self.todo.push(Todo::Slice(part, Level::Tokens)),
                false => self.node(Kind::Item, part, Level::Blanks),
            }
        }
    }

    fn blanks(&mut self, slice: Slice) {
        let parts = self.parts(slice, |layout, at, _| layout.gap_before(at).is_blank);
        if parts.len() < 2 || !self.notation.joins {
            return self.todo.push(Todo::Slice(slice, Level::Tokens));
        }
        for part in parts.into_iter().rev() {
            match part.1 == self.after(part.0) {
                true => self.todo.push(Todo::Slice(part, Level::Tokens)),
                false => self.node(Kind::Item, part, Level::Tokens),
            }
        }
    }

    fn atoms(&mut self, (from, to): Slice) {
        let mut todo = Vec::new();
        let mut at = from;
        while at < to {
            let after = self.after(at);
            if self.partners[at] == ALONE {
                todo.push(Todo::Leaf(at));
            } else {
                let kind = if matches!(self.tokens[at].class, Class::Open(Partner::Bracket(_))) {
                    Kind::Group
                } else {
                    Kind::Block
                };
                todo.push(Todo::Open(kind, (at, after)));
                todo.push(Todo::Leaf(at));
                todo.push(Todo::Slice((at + 1, after - 1), Level::Paragraphs));
                todo.push(Todo::Leaf(after - 1));
                todo.push(Todo::Close);
            }
            at = after;
        }
        self.todo.extend(todo.into_iter().rev());
    }
}
