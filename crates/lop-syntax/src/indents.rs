//! Indentation as syntax: the facts that an edit needs, and how lines move with the text that they belong to.
//!
//! ```text
//! if a:                         A stretch of the old text that begins a line elsewhere takes the lines with it that
//!     if b:      becomes        stand at least as deep as its own first line did, up to the first one that does not.
//!         d()    if b:
//!     e()            d()
//! ```

use std::ops::Range;

use super::edit::Edit;

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// The meaning of the start of a line in the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStart {
    /// Its indentation determines the block that it belongs to.
    Syntax,
    /// It continues an earlier line or holds a comment. Its indentation means nothing, but it looks better if it
    /// follows the lines around it.
    Free,
    /// It is inside a string, so that its blanks are part of a value, or it is empty.
    Fixed,
}

/// A line of the text: its start, the number of blanks at its start, and their meaning.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    blanks: usize,
    is: LineStart,
}

/// A block: its elements are those with a larger indentation, and it may not be empty.
#[derive(Clone, Debug)]
pub struct Block {
    /// The end of the token in front of it.
    pub header_end: usize,
    /// Its elements, in order.
    pub elements: Vec<Range<usize>>,
    /// The text that comes in their place when all of them go.
    pub filler: String,
}

/// The indentation of a text in a language whose syntax it is.
#[derive(Clone, Debug, Default)]
pub struct Indents {
    lines: Vec<Line>,
    anchors: Vec<usize>,
    blocks: Vec<Block>,
}

impl Indents {
    /// Finds the lines of a text. `is` classifies a line by its start and its first byte that isn't blank. `anchors`,
    /// in ascending order, are the positions whose column can become the indentation of further lines.
    #[must_use]
    pub fn new(
        source: &[u8],
        anchors: Vec<usize>,
        blocks: Vec<Block>,
        mut is: impl FnMut(usize, usize) -> LineStart,
    ) -> Self {
        let ends = memchr::memchr_iter(b'\n', source).map(|end| end + 1);
        let lines = std::iter::once(0).chain(ends).map(|start| {
            let blanks = source[start..].iter().take_while(|byte| is_indent(**byte)).count();
            let is_empty = source.get(start + blanks).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
            let is = if is_empty { LineStart::Fixed } else { is(start, start + blanks) };
            Line { start, blanks, is }
        });
        Indents { lines: lines.collect(), anchors, blocks }
    }

    /// Where a text has to come in the place of elements that edits, in order, take out, and the text.
    pub(super) fn fillers(&self, edits: &[Edit]) -> Vec<(usize, &str)> {
        if self.blocks.is_empty() || edits.is_empty() {
            return Vec::new();
        }
        let mut holes: Vec<Range<usize>> = Vec::new();
        for edit in edits.iter().filter(|edit| edit.text.is_empty() && !edit.raw) {
            match holes.last_mut() {
                Some(last) if edit.start <= last.end => last.end = last.end.max(edit.end),
                _ => holes.push(edit.start..edit.end),
            }
        }
        let hole = |part: &Range<usize>| {
            let hole = holes.get(holes.partition_point(|hole| hole.end < part.end))?;
            (hole.start <= part.start && part.end <= hole.end).then_some(hole)
        };
        let is_emptied = |block: &&Block| {
            let first = block.elements.first().and_then(hole);
            first.is_some_and(|first| first.start >= block.header_end)
                && block.elements.iter().all(|element| hole(element).is_some())
        };
        let emptied = self.blocks.iter().filter(is_emptied);
        let mut fillers: Vec<_> = emptied.map(|block| (block.elements[0].start, block.filler.as_str())).collect();
        // Of two at one place the outer one stays the first.
        fillers.sort_by_key(|(place, _)| *place);
        fillers
    }

    /// The lines that start after `from`, up to `to`.
    fn starting(&self, from: usize, to: usize) -> &[Line] {
        let first = self.lines.partition_point(|line| line.start <= from);
        let after = self.lines.partition_point(|line| line.start <= to);
        &self.lines[first..after.max(first)]
    }

    /// The line that a place is in.
    fn line(&self, at: usize) -> Line {
        let after = self.lines.partition_point(|line| line.start <= at);
        self.lines[after.saturating_sub(1)]
    }
}

/// Whether a byte indents a line.
fn is_indent(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns the column after some text without a line break.
fn width(text: &[u8]) -> usize {
    text.iter().fold(0, |column, byte| if *byte == b'\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

/// Blanks as wide as some text of one line: itself, if it is nothing else.
fn blanks_for(text: &[u8]) -> Vec<u8> {
    if text.iter().copied().all(is_indent) { text.to_vec() } else { vec![b' '; width(text)] }
}

/// Lines that move with the line they belong to.
struct Shift {
    from: Vec<u8>,
    to: Vec<u8>,
}

/// The indentation of the lines while a text is rendered.
pub(super) struct Shifts<'i> {
    indents: &'i Indents,
    /// The parts that have moved and aren't complete yet, the innermost last.
    open: Vec<Shift>,
}

impl<'i> Shifts<'i> {
    pub(super) fn new(indents: &'i Indents) -> Self {
        Shifts { indents, open: Vec::new() }
    }

    /// Continues with the old text from `at`; `text` is the new text so far. Lines that belong to this position move
    /// with it.
    pub(super) fn begin(&mut self, source: &[u8], at: usize, text: &[u8]) {
        let blanks = source[at..].iter().take_while(|byte| is_indent(**byte)).count();
        let place = at + blanks;
        let line = self.indents.line(place);
        let begins_line = line.start + line.blanks == place && line.is == LineStart::Syntax;
        if !begins_line && self.indents.anchors.binary_search(&place).is_err() {
            return;
        }
        let from = blanks_for(&source[line.start..place]);
        let written = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let to = blanks_for(&[&text[written..], &source[at..place]].concat());
        self.close(width(&from));
        if from != to || !self.open.is_empty() {
            self.open.push(Shift { from, to });
        }
    }

    /// Ends the parts that are indented more than `column`.
    fn close(&mut self, column: usize) {
        while self.open.last().is_some_and(|shift| column < width(&shift.from)) {
            self.open.pop();
        }
    }

    /// Lists the lines of the old text that start after `from`, up to `to`, and get other blanks: the position, the old
    /// number and the new one.
    pub(super) fn moved(&mut self, source: &[u8], from: usize, to: usize) -> Vec<(usize, usize, Vec<u8>)> {
        if self.open.is_empty() {
            return Vec::new();
        }
        let indents = self.indents;
        let mut all = Vec::new();
        for line in indents.starting(from, to) {
            let blanks = &source[line.start..line.start + line.blanks];
            if line.is == LineStart::Syntax {
                self.close(width(blanks));
            }
            let Some(shift) = self.open.last().filter(|_| line.is != LineStart::Fixed) else { continue };
            let deeper = match blanks.strip_prefix(&shift.from[..]) {
                Some(rest) => rest.to_vec(),
                None => match width(blanks).checked_sub(width(&shift.from)) {
                    Some(deeper) => vec![b' '; deeper],
                    None => continue,
                },
            };
            let new = [&shift.to[..], &deeper].concat();
            if new != blanks {
                all.push((line.start, line.blanks, new));
            }
        }
        all
    }
}

/// The part at `at` of a text, as it reads at the start of a line: its other lines are indented by as much less.
#[must_use]
pub fn unindented(source: &[u8], at: usize, part: &[u8]) -> Vec<u8> {
    let line = source[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let own = width(&source[line..at]);
    let mut lines = part.split_inclusive(|byte| *byte == b'\n');
    let mut text = lines.next().unwrap_or_default().to_vec();
    for line in lines {
        let blanks = line.iter().take_while(|byte| is_indent(**byte)).count();
        let less = (0..=blanks).rev().find(|&end| width(&line[..end]) <= own).unwrap_or(0);
        text.extend_from_slice(&line[less..]);
    }
    text
}
