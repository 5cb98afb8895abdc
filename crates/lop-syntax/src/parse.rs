//! Parsing with tree-sitter, or without a grammar: whole texts, and texts that differ little from a parsed one. Limits
//! the time for hopeless texts.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use lop_parser::{BoundedParser, Bounds};
use rustix::time::{ClockId, clock_gettime};
use tree_sitter::{InputEdit, Language, Point, Tree};

use super::differences::differences;
use super::edit::is_blank;
use super::structure::{Notation, Structure};
use super::tree::SyntaxTree;

/// Reads a text.
#[derive(Clone)]
enum Reader {
    Grammar(BoundedParser),
    Structure(Arc<Notation>),
}

/// Maximum number of edits of a tree: each of them costs the parser something.
const MOST_EDITS: usize = 4096;

/// A step is the work of a parser between two questions whether to stop: a hundred operations, or the reading of some
/// bytes. Both take 10 to 20 µs. A lexer that looks for the end of a comment reads without asking. lop counts steps and
/// not time, so that a text has the same outcome on every machine.
const READ_AT_A_TIME: usize = 4 << 10;

/// A scanner can work between two steps without being counted. The scanners of XML and HTML look at all open elements
/// for each token, which took 1.4 to 2.5 ms per step with 40,000 open elements. The processor time of a parse beyond
/// the first of these limits, and of each step beyond the second, counts as steps of the usual length. No ordinary text
/// comes near: the limit is the time of five to ten steps for each step.
const SLOW_AT_LEAST: Duration = Duration::from_millis(250);
const SLOW_STEP: Duration = Duration::from_micros(100);
const USUAL_STEP: Duration = Duration::from_micros(20);
/// Steps between two looks at the clock, …
const STEPS_PER_LOOK: usize = 16;

/// Steps do not bound the memory of a text with many readings side by side: 256 KB of comparisons in C++ that may be
/// templates took 0.6 GB in a third of the steps that they may take. A parse may take the first of these, and the second
/// for each byte of its text. A list of one-digit numbers, which has the most nodes, takes 230 bytes for each.
const MEMORY_AT_LEAST: usize = 96 << 20;
const MEMORY_PER_BYTE: usize = 320;

/// Bytes of the longest character in UTF-8.
const LONGEST_CHARACTER: usize = 4;

/// Number of bytes per step that error recovery may take. Ordinary texts take one step for 20 to 50 bytes, and a few a
/// third more if they are wrong everywhere. Calls with type arguments in TypeScript, which can also be comparisons,
/// take one step for 14 bytes. A text with more steps has many readings at the same time. If it ends in the middle, the
/// parser follows each of them separately and counts none of that: 64 KB of ambiguous casts in C, with a step for 7
/// bytes, took 14 s. The parse has to end before.
const BYTES_PER_STEP: usize = 9;

/// Steps that even the shortest text may take.
const STEPS_MINIMUM: usize = 2_000;

/// Steps that even the shortest text may take before the parser meets an error in all readings. Ordinary texts take a
/// dozen more than they have bytes for, at the most, but texts that are no Lua a thousand when they are read as Lua.
const STEPS_MINIMUM_RIGHT: usize = 1_200;

/// Number of bytes per step that may be taken until an unknown text has a tree, including the trials. If a text has
/// many readings at the same time, such as casts in C that can be calls, a step takes four times as long, and no count
/// shows it. Statements of one letter have the most steps of all ordinary texts: one for 14 bytes.
const BYTES_PER_STEP_IN_ALL: usize = 13;

/// This share of the steps that are left (one in nine) is kept in reserve. Some texts get more readings towards their end,
/// and the dearest parse is one that ends without a tree.
const RESERVE: usize = 9;

/// Steps that even a short text may take in all.
const STEPS_IN_ALL_MINIMUM: usize = 60_000;

/// Number of open levels per step that the parser may go through at a syntax error without asking whether to stop.
const LEVELS_PER_STEP: usize = 64;

/// Sum of the depths of all errors that makes a text too hard: a number per byte, and a minimum.
const LEVELS_PER_BYTE: usize = 4;
const LEVELS_MINIMUM: usize = 64 << 10;

/// The parser tries samples of the first size first, one in each part of the second size, in bytes. Where errors are
/// thick it does work that is counted nowhere, and grows with the square of their number: runs of comment closers in
/// C take half a second for 4 KB of them, and minutes for 64 KB. Between two samples is little enough.
const SAMPLE: usize = 1 << 10;
const SAMPLE_EVERY: usize = 8 << 10;

/// Bytes per error below which errors are too dense. Prose that is parsed as a program has one error in at least 14
/// bytes, and strings that are never closed have one in 10.
const BYTES_PER_ERROR: usize = 8;

/// Beginnings of a text that are tried first, in bytes. A part that is too hard takes up to sixteen times as long in
/// the next one.
const BEGINNINGS: [usize; 4] = [4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// Why a text has no tree.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The parser was built for another version of tree-sitter.
    #[error("the parser of this grammar does not fit this version of tree-sitter")]
    Language(#[from] tree_sitter::LanguageError),
    /// Error recovery took too long, or so did all the readings that a text has side by side.
    #[error("the text has too many syntax errors, or too many readings, to be parsed")]
    TooHard,
    /// The caller does not want the tree any more.
    #[error("the parser was told to stop")]
    Stopped,
    /// Offsets in the tree are 32 bits wide.
    #[error("texts of 4 GiB and more cannot be parsed")]
    TooLarge,
}

/// Says whether a parser is to stop. It is asked many times a second.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// A parser for one language. A clone is a parser of its own.
#[derive(Clone)]
pub struct SyntaxParser {
    reader: Reader,
    stop: Option<Stop>,
    /// Steps of the last parse.
    steps: usize,
    /// Steps that are left for all that is parsed.
    left: usize,
    /// The last text that has a tree: the steps that it took, and the bytes of it that were shown.
    last: (usize, usize),
    /// The parts of every text that are looked at, if not all of it is.
    inside: Option<Inside>,
    /// At more columns than these indented blocks may not be open at once.
    deepest: usize,
    /// Whether processor time counts, too, if steps are slow.
    weighs: bool,
}

/// Finds the parts of a text that are worked on. They ascend and do not overlap, and one may be empty.
pub type Inside = Arc<dyn Fn(&[u8]) -> Vec<Range<usize>> + Send + Sync>;

impl SyntaxParser {
    /// Makes a parser for a language.
    ///
    /// # Errors
    /// [`ParseError::Language`] if the language was generated for another tree-sitter.
    pub fn new(language: &Language) -> Result<Self, ParseError> {
        Ok(Self::with(Reader::Grammar(BoundedParser::new(language)?)))
    }

    /// Makes a parser for texts without a grammar, which are written in this way.
    #[must_use]
    pub fn structure(notation: &Arc<Notation>) -> Self {
        Self::with(Reader::Structure(Arc::clone(notation)))
    }

    fn with(reader: Reader) -> Self {
        SyntaxParser {
            reader,
            stop: None,
            steps: 0,
            left: usize::MAX,
            last: (0, 0),
            inside: None,
            deepest: usize::MAX,
            weighs: true,
        }
    }

    /// Makes the parser stop as soon as this function returns `true`.
    #[must_use]
    pub fn stopping(self, stop: &Stop) -> Self {
        SyntaxParser { stop: Some(Arc::clone(stop)), ..self }
    }

    /// Whether the parser has to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }

    /// Makes the parser parse only some parts of every text, as if they were the whole text. Positions in the trees are
    /// those in the whole text.
    #[must_use]
    pub fn inside(self, inside: &Inside) -> Self {
        SyntaxParser { inside: Some(Arc::clone(inside)), ..self }
    }

    /// A parser for texts that have had a tree before: nothing limits it, so that they get one again.
    pub(super) fn afresh(&self) -> Self {
        SyntaxParser { inside: self.inside.clone(), weighs: false, ..Self::with(self.reader.clone()) }
    }

    /// Whether it makes trees of texts without a grammar.
    #[must_use]
    pub fn is_of_structure(&self) -> bool {
        matches!(self.reader, Reader::Structure(_))
    }

    /// Sets the number of columns at which indented blocks may be open at the same time; a text with more is too hard.
    #[must_use]
    pub fn no_deeper(self, columns: Option<usize>) -> Self {
        SyntaxParser { deepest: columns.unwrap_or(usize::MAX), ..self }
    }

    /// Limits the steps of all parses together to those that a text of this many bytes may take until it has a tree.
    /// After that, every text is too hard.
    #[must_use]
    pub fn until_a_tree(self, len: usize) -> Self {
        SyntaxParser { left: STEPS_IN_ALL_MINIMUM.max(STEPS_MINIMUM + len / BYTES_PER_STEP_IN_ALL), ..self }
    }

    /// Whether the remaining steps, with a reserve, are enough for a text of this many bytes if it continues like the
    /// text that was parsed last.
    ///
    /// # Errors
    /// [`ParseError::TooHard`] if it cannot.
    pub fn check_left(&self, len: usize) -> Result<(), ParseError> {
        let (steps, shown) = self.last;
        let most = self.left - self.left / RESERVE;
        if steps.saturating_mul(len) > most.saturating_mul(shown) { Err(ParseError::TooHard) } else { Ok(()) }
    }

    /// Steps that the last parse took, whether it came to an end or not. A step takes 10 to 20 µs in any text.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Parses a text from scratch. Any bytes will do.
    ///
    /// # Errors
    /// [`ParseError::TooHard`] when error recovery does not come to an end,
    /// [`ParseError::TooLarge`] for 4 GiB and more.
    pub fn parse(&mut self, text: &[u8]) -> Result<SyntaxTree, ParseError> {
        self.run(text, None, most_steps(text.len()))
    }

    /// Parses an unknown text, which can be too hard.
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse`], and [`ParseError::TooHard`] for a text whose errors are so many and so
    /// deep that every similar text would take long.
    pub fn parse_unknown(&mut self, text: &[u8]) -> Result<SyntaxTree, ParseError> {
        let tree = self.parse(text)?;
        if Errors::of(&tree).are_too_hard(text.len()) { Err(ParseError::TooHard) } else { Ok(tree) }
    }

    /// [`SyntaxParser::parse`] in at most this number of steps.
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse`].
    pub fn parse_within(&mut self, text: &[u8], steps: usize) -> Result<SyntaxTree, ParseError> {
        self.run(text, None, most_steps(text.len()).min(steps))
    }

    /// Tries whether an unknown text can be parsed in reasonable time, by parsing samples and prefixes. If errors are
    /// many or deep, the time grows with the square of the length, and isn't known until the parse ends. A short text
    /// isn't tried.
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse`].
    pub fn try_parts(&mut self, text: &[u8]) -> Result<(), ParseError> {
        if text.len() > BEGINNINGS[0] {
            self.try_samples(text)?;
        }
        for len in BEGINNINGS.into_iter().take_while(|&len| len < text.len()) {
            self.parse_unknown(&text[..len])?;
        }
        Ok(())
    }

    /// Looks for a place where errors are too dense.
    fn try_samples(&mut self, text: &[u8]) -> Result<(), ParseError> {
        let are_thick = |errors: Errors| errors.count * BYTES_PER_ERROR > SAMPLE;
        for start in (0..text.len() - SAMPLE).step_by(SAMPLE_EVERY) {
            let end = start + SAMPLE;
            match self.parse(&text[start..end]) {
                Ok(tree) if !are_thick(Errors::of(&tree)) => continue,
                Ok(_) | Err(ParseError::TooHard) => {}
                Err(error) => return Err(error),
            }
            // A sample from the middle of a string or a comment is wrong only as long as it is alone. The text before
            // it can be parsed: the samples there were right.
            let tree = self.parse(&text[..end])?;
            // One long token would make all samples look so.
            return if are_thick(Errors::behind(&tree, start)) { Err(ParseError::TooHard) } else { Ok(()) };
        }
        Ok(())
    }

    /// Parses a text that is similar to an earlier one. Most of the common parts are neither parsed again nor stored
    /// twice.
    ///
    /// After syntax errors the tree can differ from that of [`SyntaxParser::parse`].
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse`].
    pub fn reparse(&mut self, old: &SyntaxTree, old_text: &[u8], text: &[u8]) -> Result<SyntaxTree, ParseError> {
        self.reparse_within(old, old_text, text, usize::MAX)
    }

    /// [`SyntaxParser::reparse`] in at most this number of steps.
    ///
    /// # Errors
    /// The errors of [`SyntaxParser::parse`].
    pub fn reparse_within(
        &mut self,
        old: &SyntaxTree,
        old_text: &[u8],
        text: &[u8],
        steps: usize,
    ) -> Result<SyntaxTree, ParseError> {
        let steps = steps.min(most_steps(text.len()));
        let differences = differences(old_text, text, MOST_EDITS);
        let (gone, came) =
            differences.iter().fold((0, 0), |(gone, came), (old, new)| (gone + old.len(), came + new.len()));
        // Little would be shared, or more than the rest would be copied: an edit copies every node that it touches,
        // even removed ones. Both would be nearly a second tree in memory.
        let SyntaxTree::Grammar(old) = old else { return self.run(text, None, steps) };
        if came > text.len() / 2 || gone > text.len() {
            return self.run(text, None, steps);
        }
        let mut edited = old.clone();
        let (mut at, mut done) = (Point::new(0, 0), 0);
        for (gone, came) in differences {
            // Each edit is of the text that the ones before it have made.
            let start = advance(at, &text[done..came.start]);
            let new_end = advance(start, &text[came.clone()]);
            edited.edit(&InputEdit {
                start_byte: came.start,
                old_end_byte: came.start + gone.len(),
                new_end_byte: came.end,
                start_position: start,
                old_end_position: advance(start, &old_text[gone]),
                new_end_position: new_end,
            });
            (at, done) = (new_end, came.end);
        }
        self.run(text, Some(&edited), steps)
    }

    fn run(&mut self, text: &[u8], old: Option<&Tree>, most: usize) -> Result<SyntaxTree, ParseError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ParseError::TooLarge);
        }
        let parts = match &self.inside {
            // A text without the context of its parts is never kept.
            Some(inside) => Some(inside(text)).filter(|parts| !parts.is_empty()).ok_or(ParseError::TooHard)?,
            None => std::iter::once(0..text.len()).collect(),
        };
        let shown: usize = parts.iter().map(Range::len).sum();
        let parser = match &mut self.reader {
            Reader::Grammar(parser) => parser,
            Reader::Structure(notation) => {
                self.steps = shown / READ_AT_A_TIME + 1;
                self.left = self.left.saturating_sub(self.steps);
                self.last = (self.steps, shown);
                return Ok(SyntaxTree::Structure(Arc::new(Structure::of(notation, text, parts))));
            }
        };
        if self.inside.is_some() {
            let ranges = included_ranges(text, &parts);
            parser.set_included_ranges(&ranges).expect("parts ascend and do not overlap");
        }
        let is_deep = |part: &Range<usize>| open_columns(&text[part.clone()]) > self.deepest;
        if self.deepest < usize::MAX && parts.iter().any(is_deep) {
            return Err(ParseError::TooHard);
        }
        let most = most.min(self.left);
        let right = most.min(most_steps_right(shown));
        let (steps, ended, is_right) = (Cell::new(0), Cell::new(None), Cell::new(true));
        let (began, slow) = (spent(), Cell::new(0));
        let is_over = Cell::new(false);
        let go_on = || {
            if is_over.get() {
                return false;
            }
            steps.set(steps.get() + 1);
            if self.weighs && steps.get() % STEPS_PER_LOOK == 0 {
                slow.set(slow_steps(steps.get(), spent().saturating_sub(began)));
            }
            if self.stop.as_ref().is_some_and(|stop| stop()) {
                ended.set(Some(ParseError::Stopped));
            } else if steps.get() + slow.get() >= if is_right.get() { right } else { most } {
                ended.set(Some(ParseError::TooHard));
            } else {
                return true;
            }
            is_over.set(true);
            false
        };
        let mut progress = |has_error: bool| {
            is_right.set(is_right.get() && !has_error);
            go_on()
        };
        let mut end = 0;
        let mut read = |at: usize| {
            let rest = text.get(at..).unwrap_or_default();
            let chunk = &rest[..rest.len().min(READ_AT_A_TIME)];
            // The parser asks again for a part of a character at the end of the last chunk, and reads the new chunk
            // without a look at its length.
            let is_asked_again = at < end && end - at < LONGEST_CHARACTER;
            // Where there is no more to read the parser comes to an end by itself.
            if go_on() || is_asked_again {
                end = at + chunk.len();
                chunk
            } else {
                &[]
            }
        };
        let memory = MEMORY_AT_LEAST + MEMORY_PER_BYTE.saturating_mul(shown);
        let bounds = Bounds { read: &mut read, progress: &mut progress, allocated: &mut { go_on }, memory };
        let tree = parser.parse(old, bounds);
        self.steps = steps.get() + slow.get();
        self.left = self.left.saturating_sub(self.steps);
        let ended = ended.take();
        match (tree, ended) {
            (Some(tree), None) => {
                self.last = (self.steps, shown);
                Ok(SyntaxTree::Grammar(tree))
            }
            (_, ended) => Err(ended.unwrap_or(ParseError::TooHard)),
        }
    }
}

/// Parts of a text as tree-sitter wants them: with their rows and columns.
fn included_ranges(text: &[u8], parts: &[Range<usize>]) -> Vec<tree_sitter::Range> {
    let (mut at, mut point) = (0, Point::new(0, 0));
    let mut advance_to = |to: usize| {
        point = advance(point, &text[at..to]);
        at = to;
        point
    };
    let range = |part: &Range<usize>| {
        let (start_point, end_point) = (advance_to(part.start), advance_to(part.end));
        tree_sitter::Range { start_byte: part.start, end_byte: part.end, start_point, end_point }
    };
    parts.iter().map(range).collect()
}

/// The processor's time that this thread has taken.
fn spent() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Steps of the usual length that fit into the time that a number of steps has taken beyond its own.
fn slow_steps(steps: usize, taken: Duration) -> usize {
    let may = SLOW_AT_LEAST + SLOW_STEP * u32::try_from(steps).unwrap_or(u32::MAX);
    usize::try_from(taken.saturating_sub(may).as_micros() / USUAL_STEP.as_micros()).unwrap_or(usize::MAX / 2)
}

/// Returns an upper bound of the number of columns at which indented blocks are open at the same time. A line starts a
/// block at its indentation, and after each sign that starts an element or a value. A line that is further to the left
/// ends blocks.
fn open_columns(text: &[u8]) -> usize {
    let (mut open, mut most) = (Vec::new(), 0);
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let Some(indent) = line.iter().position(|byte| !is_blank(*byte)) else { continue };
        while open.last().is_some_and(|column| *column >= indent) {
            open.pop();
        }
        open.push(indent);
        let first = open.len();
        // After an open bracket or quote the parser can read the rest as anything.
        if signs(line, indent, true, &mut open).is_none() {
            open.truncate(first);
            signs(line, indent, false, &mut open);
        }
        most = most.max(open.len());
    }
    most
}

/// Adds the columns after the signs of a line, from `at` on. With `skipped`, those in brackets and quotes don't count;
/// an open one hides the rest of the line.
fn signs(line: &[u8], mut at: usize, skips: bool, open: &mut Vec<usize>) -> Option<()> {
    let (mut brackets, mut is_behind_blank) = (0_usize, true);
    while let Some(&byte) = line.get(at) {
        let begins = skips && (is_behind_blank || brackets > 0);
        match byte {
            b'#' if begins && brackets == 0 => break,
            b'"' | b'\'' if begins => at += 1 + line[at + 1..].iter().position(|other| *other == byte)?,
            b'{' | b'[' if begins => brackets += 1,
            b'}' | b']' => brackets = brackets.saturating_sub(1),
            b'-' | b'?' | b':' if brackets == 0 && line.get(at + 1).is_some_and(|next| is_blank(*next)) => {
                open.push(at + 1);
            }
            _ => {}
        }
        is_behind_blank = is_blank(byte);
        at += 1;
    }
    (brackets == 0).then_some(())
}

/// Steps that a text of this length may take.
fn most_steps(len: usize) -> usize {
    STEPS_MINIMUM + len / BYTES_PER_STEP
}

/// Steps that a text of this length may take until all readings are wrong.
fn most_steps_right(len: usize) -> usize {
    STEPS_MINIMUM_RIGHT + len / BYTES_PER_STEP
}

/// The ERROR and MISSING nodes of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// How many there are.
    pub count: usize,
    /// Their depths, added up.
    pub depths: usize,
}

impl Errors {
    /// Those of a tree. Error-free subtrees are not entered.
    #[must_use]
    pub fn of(tree: &SyntaxTree) -> Self {
        Self::behind(tree, 0)
    }

    /// The errors that start at a position or after it.
    #[must_use]
    pub fn behind(tree: &SyntaxTree, place: usize) -> Self {
        let tree = match tree {
            SyntaxTree::Grammar(tree) => tree,
            SyntaxTree::Structure(structure) => {
                let count = structure.strays().iter().filter(|stray| stray.start >= place).count();
                return Errors { count, depths: 0 };
            }
        };
        let mut cursor = tree.walk();
        let mut errors = Errors { count: 0, depths: 0 };
        let mut depth = 0;
        loop {
            let node = cursor.node();
            if node.has_error() && node.end_byte() >= place {
                if node.start_byte() >= place && (node.is_error() || node.is_missing()) {
                    errors = Errors { count: errors.count + 1, depths: errors.depths + depth };
                }
                if cursor.goto_first_child() {
                    depth += 1;
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return errors;
                }
                depth -= 1;
            }
        }
    }

    /// The approximate steps that they cost the parser, in addition to its own.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.depths / LEVELS_PER_STEP
    }

    /// Whether a text of this length takes too long to parse because of them.
    #[must_use]
    pub fn are_too_hard(&self, len: usize) -> bool {
        self.depths > LEVELS_MINIMUM + len * LEVELS_PER_BYTE
    }
}

/// Estimates the share of a tree, from 0 to 1, that would be copied if its text became another one: the nodes with a
/// difference inside, and their children, whose unnamed parents are made again.
#[must_use]
pub fn share_to_copy(tree: &SyntaxTree, old_text: &[u8], text: &[u8]) -> f64 {
    // A structure shares nothing with the one before it.
    let SyntaxTree::Grammar(tree) = tree else { return 0.0 };
    let differences = differences(old_text, text, MOST_EDITS);
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        count += 1;
        let first = differences.partition_point(|(gone, _)| gone.end < node.start_byte());
        let differs = differences.get(first).is_some_and(|(gone, _)| gone.start <= node.end_byte());
        if differs && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count as f64 / tree.root_node().descendant_count() as f64;
            }
        }
    }
}

/// Number of ERROR and MISSING nodes in a tree.
#[must_use]
pub fn error_count(tree: &SyntaxTree) -> usize {
    Errors::of(tree).count
}

/// Where a tree has ERROR and MISSING nodes, in the order of the text; those inside others are left out.
#[must_use]
pub fn error_places(tree: &SyntaxTree) -> Vec<Range<usize>> {
    let tree = match tree {
        SyntaxTree::Grammar(tree) => tree,
        SyntaxTree::Structure(structure) => return structure.strays().to_vec(),
    };
    let mut cursor = tree.walk();
    let mut places = Vec::new();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            places.push(node.byte_range());
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return places;
            }
        }
    }
}

/// The shape of a tree, with any blanks between its leaves: a hash of the kinds and of the
/// numbers of children of all nodes, and of the texts of the leaves.
#[must_use]
pub fn shape(tree: &SyntaxTree, text: &[u8]) -> u64 {
    let tree = match tree {
        SyntaxTree::Grammar(tree) => tree,
        SyntaxTree::Structure(structure) => return structure.shape(),
    };
    let mut hasher = DefaultHasher::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        (node.kind_id(), node.child_count()).hash(&mut hasher);
        if cursor.goto_first_child() {
            continue;
        }
        text.get(node.byte_range()).hash(&mut hasher);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return hasher.finish();
            }
        }
    }
}

/// Returns the position after `text` if `text` starts at `from`.
pub(super) fn advance(from: Point, text: &[u8]) -> Point {
    match memchr::memrchr(b'\n', text) {
        Some(last) => Point::new(from.row + memchr::memchr_iter(b'\n', text).count(), text.len() - last - 1),
        None => Point::new(from.row, from.column + text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parser;
    use lop_testing::{FILES, nodes, shipped_sample};

    #[test]
    fn columns_at_which_blocks_are_open_are_counted() {
        let rows: [(&[u8], usize); 12] = [
            (b"a: {b: 1, c: [d: 2, '}: ']}", 2),
            (b"a: \"b: c: d\" # e: f: g", 2),
            (b"a: {b: 1, c: 2", 4),
            (b"a: 'b: c: d", 4),
            (b"a: it's - - b", 4),
            (b"", 0),
            (b"a\nb\n\nc", 1),
            (b"a:\n  b\n  c\n d", 2),
            (b"a:\r\n  b:\r\n\r\n    c\r\nd", 3),
            (b"- - a\n- b", 3),
            (b"? a\n: b", 2),
            (b"a-b:c?\n", 1),
        ];
        for (text, columns) in rows {
            assert_eq!(open_columns(text), columns, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn parser_counts_the_time_of_slow_steps_only() {
        let rows = [(0, 250, 0), (0, 251, 50), (1000, 20, 0), (1000, 350, 0), (1000, 2350, 100_000)];
        for (steps, millis, slow) in rows {
            assert_eq!(slow_steps(steps, Duration::from_millis(millis)), slow, "{steps} steps in {millis} ms");
        }
    }

    #[test]
    fn positions_count_lines_and_columns() {
        let at = advance(Point::new(2, 5), b"ab");
        assert_eq!((at.row, at.column), (2, 7));
        let at = advance(Point::new(2, 5), b"ab\n\nxyz");
        assert_eq!((at.row, at.column), (4, 3));
    }

    #[test]
    fn parsing_again_equals_parsing() {
        let rows = [
            ("x.c", "int a;\nint f(void) { return a; }\n", "int f(void) { return a; }\n"),
            ("x.c", "int a;\nint f(void) { return a; }\n", "int a;\nint f(void) { }\n"),
            ("x.c", "int a = 1;", "int a = 1;"),
            ("x.c", "int a = 1;", ""),
            ("x.c", "", "int a = 1;"),
            ("x.c", "#define A 1\nint a;\n", "int a;\n"),
            ("x.c", "int a(b);", "a(b);"),
            ("x.c", "int f(void) { a * b; }", "int f(void) { int a, b; a * b; }"),
            ("x.js", "a()\nb()\n", "a()\n(b)()\n"),
            ("x.js", "x = a / b / d;", "x = /b/ / d;"),
            ("x.js", "`a${b}`;", "`a{b}`;"),
            ("x.js", "if (a) b(); else d();", "if (a) b();"),
            ("x.json", "[1, 2, [3, 4]]", "[1, [3, 4]]"),
            ("x.json", "\u{feff}[1, 2]", "\u{feff}[2]"),
            ("x.json", "[1, 2]", "\u{feff}[1, 2]"),
            ("x.json", "[1,\r\n2]", "[1, 2]"),
        ];
        for (file, old, new) in rows {
            let mut parser = parser(file);
            let tree = parser.parse(old.as_bytes()).expect("a small text has a tree");
            let fresh = parser.parse(new.as_bytes()).expect("a small text has a tree");
            let again = parser.reparse(&tree, old.as_bytes(), new.as_bytes()).expect("a small text has a tree");
            assert_eq!(error_count(&fresh), 0, "{new}");
            assert_eq!(nodes(again.root().node()), nodes(fresh.root().node()), "{old} to {new}");
        }
    }

    #[test]
    fn what_is_copied_is_what_is_around_a_difference() {
        let function = |number: usize| format!("int f{number}(int a) {{ return a + {number}; }}\n");
        let old: String = (100..200).map(function).collect();
        let tree = parser("x.c").parse(old.as_bytes()).expect("a small text has a tree");
        let share = |new: &str| share_to_copy(&tree, old.as_bytes(), new.as_bytes());
        let none = share(&old);
        assert!(none < 0.001, "the root: {none}");
        // The children of the root, and the nodes from the function to the number.
        let one = share(&old.replace("a + 150", "a"));
        assert!(0.03 < one && one < 0.06, "{one}");
        let some = share(&old.replace("a + 10", "a").replace("a + 12", "a").replace("a + 14", "a"));
        let all = share(&old.replace("a + ", ""));
        assert!(0.2 < some && some < 0.3, "{some}");
        assert!(0.5 < all && all < 0.9, "{all}");
    }

    #[test]
    fn errors_are_unplaced_and_invented_nodes() {
        let rows = [
            ("x.c", "int a;", 0),
            ("x.c", "int a", 1),
            ("x.c", "int f(void) { return 1 }", 1),
            ("x.c", "int a; ) int b; ) int d;", 2),
            ("x.js", "let a =", 1),
            ("x.js", "a b", 1),
            ("x.json", "[1, 2,]", 1),
            ("x.json", "[1, ?? 2, !! 3]", 2),
            ("x.json", "", 0),
        ];
        for (file, text, errors) in rows {
            let tree = parser(file).parse(text.as_bytes()).expect("a small text has a tree");
            assert_eq!(error_count(&tree), errors, "{text}");
        }
    }

    #[test]
    fn places_of_errors_are_the_outermost() {
        let rows: [(&str, &str, &[&str]); 4] = [
            ("x.json", "[1, 2]", &[]),
            ("x.json", "[1, ?? 2, !! 3]", &["??", "!!"]),
            ("x.c", "int f(void) { return 1 }", &[""]),
            ("x.js", "else a;", &["else"]),
        ];
        for (file, text, places) in rows {
            let tree = parser(file).parse(text.as_bytes()).expect("a small text has a tree");
            let found: Vec<_> = error_places(&tree).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, places, "{text}");
        }
    }

    #[test]
    fn a_parse_may_end_where_a_character_is_cut() {
        let mut parser = parser("x.lua");
        let text = [&b"--[[ [[ ]"[..]; 9].join(&b"\xe9"[..]);
        let ended = (1..200).filter(|&most| parser.parse_within(&[&text[..], b"\xe9"].concat(), most).is_err()).count();
        assert!(ended > 0, "each was parsed in a step");
    }

    #[test]
    fn steps_until_a_tree_are_counted_over_all_that_is_parsed() {
        let text = format!("[{}1]", "1,".repeat(250_000));
        let mut parser = parser("x.json").until_a_tree(text.len());
        let mut all = 0;
        let parses = (0..9).take_while(|_| {
            let parsed = parser.parse(text.as_bytes());
            all += parser.steps();
            parsed.is_ok()
        });
        assert_eq!(parses.count(), 2);
        assert_eq!(all, STEPS_IN_ALL_MINIMUM);
        assert!(matches!(parser.parse(b"1"), Err(ParseError::TooHard)));
        let long = 10 * STEPS_IN_ALL_MINIMUM * BYTES_PER_STEP_IN_ALL;
        assert_eq!(parser.until_a_tree(long).left, STEPS_MINIMUM + 10 * STEPS_IN_ALL_MINIMUM);
    }

    #[test]
    fn a_text_that_goes_on_as_it_began_is_too_hard_if_its_steps_are_not_left() {
        let beginning = format!("[{}1", "1,".repeat(100_000));
        let mut parser = parser("x.json").until_a_tree(1 << 20);
        parser.check_left(1 << 30).expect("nothing is known of it");
        parser.parse(beginning.as_bytes()).expect("it is short");
        let (steps, left) = (parser.steps(), parser.left);
        let most = beginning.len() * (left - left / RESERVE) / steps;
        parser.check_left(most).expect("the steps are left");
        assert!(matches!(parser.check_left(most + beginning.len()), Err(ParseError::TooHard)));
        assert_eq!((parser.steps(), parser.left), (steps, left), "nothing is parsed");
    }

    /// The work of the parser at the end of such a text is not counted.
    #[test]
    fn a_text_with_many_readings_is_given_up_before_its_end() {
        let casts = "(a)-(b)".repeat(20_000);
        for front in ["int f(int a){ return ", "int f(int a){ return ) +"] {
            let mut parser = parser("x.c");
            assert!(matches!(parser.parse(&[front, &casts].concat().as_bytes()[..64 << 10]), Err(ParseError::TooHard)));
            assert_eq!(parser.steps(), most_steps_right(64 << 10), "{front}");
        }
        let mut parser = parser("x.c").until_a_tree(casts.len());
        let whole = ["int f(int a){ return ", &casts, "0; }"].concat();
        assert!(matches!(parser.try_parts(whole.as_bytes()), Err(ParseError::TooHard)));
        assert_eq!(parser.steps(), most_steps_right(64 << 10));
    }

    #[test]
    fn ordinary_texts_take_less_than_half_of_the_steps_that_right_ones_may() {
        for file in FILES {
            let sample = shipped_sample(file);
            for times in [1, 20] {
                let mut parser = parser(file);
                let text = sample.repeat(times);
                parser.parse(&text).expect("it is right");
                assert!(parser.steps() * 2 < most_steps_right(text.len()), "{file}: {} steps", parser.steps());
            }
        }
    }

    /// A parser that gave up starts afresh with the next text.
    #[test]
    fn hopeless_texts_are_given_up_and_forgotten() {
        let mut parser = parser("x.js");
        // Both answers are right. The test is that there is one.
        let _ = parser.parse("(".repeat(50_000).as_bytes());
        let tree = parser.parse(b"a();").expect("a small text has a tree");
        assert_eq!(error_count(&tree), 0);
        assert_eq!(tree.root().node().byte_range(), 0..4);
    }
}
