//! The outline of a text: its brackets and separators, read without a tree of all of it.
//!
//! tree-sitter's tree of a text with many tokens takes a hundred times as much memory as the text. Here the text is
//! parsed window by window, each in the place where it stands: before it stands what is open there, and what is closed
//! is hidden from the parser, the inside of `{…}` and runs of elements between two separators. So each token is read as
//! in a tree of the whole text, or nearly so, and only one window's tree is in memory. What is concluded from an
//! outline has to be checked.

use std::ops::Range;

use tree_sitter::Node;

use super::parse::{Beginning, ParseError, SyntaxParser, SyntaxTree};

/// Bytes that are parsed at a time.
const WINDOW: usize = 1 << 16;
/// What stands so few bytes before the end of a window may be read otherwise with what comes behind it.
const MARGIN: usize = 1 << 10;
/// Most bytes before a window that are open: a text nested so deep would be read again and again.
const MOST_OPEN: usize = 3 * WINDOW;
/// Less is not worth a gap in what is shown to the parser.
const LEAST_HIDDEN: usize = 64;

/// Memory that each node of a tree takes, and what each separator takes besides: lists are kept as binary trees of
/// nodes without a name. Fitted to texts of a megabyte in three languages, with the arena's share.
const NODE_MEMORY: usize = 110;
const SEPARATOR_MEMORY: usize = 220;

/// Brackets and separators of a text, and how large a tree of it would be.
pub struct Outline {
    marks: Vec<Mark>,
    nodes: usize,
    tokens: usize,
    separators: usize,
    len: usize,
}

/// A token that structures a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    sign: Sign,
    /// The border of what is inside or between: the end of the token, for a closing bracket its start.
    at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// An opening bracket whose inside may go, as far as can be told from the bracket.
    OpenBlock,
    /// Another opening bracket.
    Open,
    Close,
    Comma,
    Semicolon,
}

/// Some marks that follow each other, and the part of the text in which they stand.
struct Level {
    marks: Range<usize>,
    part: Range<usize>,
}

impl Outline {
    /// Reads a text.
    ///
    /// # Errors
    /// [`ParseError::TooHard`] if its nesting is so deep, or its syntax so wrong, that it has no outline; and as for
    /// [`SyntaxParser::parse`].
    pub fn read(parser: &mut SyntaxParser, text: &[u8]) -> Result<Self, ParseError> {
        Self::read_behind(None, parser, text)
    }

    /// Reads a text of which a beginning has been parsed.
    ///
    /// # Errors
    /// As for [`Outline::read`].
    pub fn read_behind(
        beginning: Option<Beginning>,
        parser: &mut SyntaxParser,
        text: &[u8],
    ) -> Result<Self, ParseError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ParseError::TooLarge);
        }
        let mut reader = Reader::default();
        if let Some(Beginning { len, tree }) = beginning {
            reader.window(&tree, text, len);
        }
        while reader.at < text.len() {
            let end = (reader.at + WINDOW).min(text.len());
            let shown = reader.shown(end);
            if shown.iter().map(ExactSizeIterator::len).sum::<usize>() > MOST_OPEN + WINDOW {
                return Err(ParseError::TooHard);
            }
            let tree = parser.parse_parts(text, &shown)?;
            reader.window(&tree, text, end);
        }
        let Reader { marks, nodes, tokens, .. } = reader;
        let separators = marks.iter().filter(|mark| matches!(mark.sign, Sign::Comma | Sign::Semicolon)).count();
        Ok(Outline { marks, nodes, tokens, separators, len: text.len() })
    }

    /// Tokens of the text.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Bytes of memory that a tree of the text would take, about.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.nodes * NODE_MEMORY + self.separators * SEPARATOR_MEMORY
    }

    /// Parts of the text that may go as far as brackets and separators can tell: the insides of blocks and runs of
    /// elements, of at most `most` bytes each. They ascend and do not overlap.
    #[must_use]
    pub fn parts(&self, most: usize) -> Vec<Range<usize>> {
        let whole = Level { marks: 0..self.marks.len(), part: 0..self.len };
        let partners = partners(&self.marks);
        let mut splitter = Splitter { marks: &self.marks, partners, most, levels: vec![whole], parts: Vec::new() };
        while let Some(level) = splitter.levels.pop() {
            if level.part.len() > most {
                splitter.split(&level, Sign::Semicolon);
            } else {
                // Too little to look for elements, which may be needed as `;` is in `for (;;)`.
                splitter.open_brackets(&level);
            }
        }
        splitter.parts.sort_unstable_by_key(|part| part.start);
        splitter.parts
    }
}

/// For each opening bracket the mark of the one that closes it.
fn partners(marks: &[Mark]) -> Vec<Option<u32>> {
    let mut partners = vec![None; marks.len()];
    let mut open = Vec::new();
    for (at, mark) in (0..).zip(marks) {
        match mark.sign {
            Sign::OpenBlock | Sign::Open => open.push(at),
            Sign::Close => {
                if let Some(opening) = open.pop() {
                    partners[opening as usize] = Some(at);
                }
            }
            Sign::Comma | Sign::Semicolon => {}
        }
    }
    partners
}

/// Takes a text apart.
struct Splitter<'o> {
    marks: &'o [Mark],
    partners: Vec<Option<u32>>,
    /// Bytes of a part at most.
    most: usize,
    /// What has not been looked at.
    levels: Vec<Level>,
    parts: Vec<Range<usize>>,
}

impl Splitter<'_> {
    /// Takes a level apart: runs of elements that are short enough are parts, and of the others, what is in their
    /// brackets is a part or a level.
    fn split(&mut self, level: &Level, separator: Sign) {
        let mut run: Option<Range<usize>> = None;
        let (mut start, mut first_mark, mut at) = (level.part.start, level.marks.start, level.marks.start);
        let mut is_first = true;
        loop {
            let mark = self.marks.get(at).filter(|_| at < level.marks.end);
            let is_last = mark.is_none();
            if mark.is_none_or(|mark| mark.sign == separator) {
                let end = mark.map_or(level.part.end, |mark| mark.at as usize);
                // What begins a list may belong to what is around it (`int a, b`), and what ends it has no separator.
                let has_to_stay = is_last || is_first && separator == Sign::Comma;
                if has_to_stay || end - start > self.most {
                    let element = Level { marks: first_mark..at, part: start..end };
                    match separator {
                        Sign::Semicolon => self.split(&element, Sign::Comma),
                        _ => self.open_brackets(&element),
                    }
                } else {
                    run = match run.take() {
                        Some(run) if run.end == start && end - run.start <= self.most => Some(run.start..end),
                        other => {
                            self.parts.extend(other);
                            Some(start..end)
                        }
                    };
                }
                (start, first_mark, is_first) = (end, at + 1, false);
            }
            if is_last {
                break;
            }
            // What is in brackets is of another level.
            at = self.partners[at].map_or(at, |close| close as usize) + 1;
        }
        self.parts.extend(run);
    }

    /// What is in the brackets of something that cannot go as a whole.
    fn open_brackets(&mut self, element: &Level) {
        let mut at = element.marks.start;
        while at < element.marks.end {
            let Some(close) = self.partners[at].map(|close| close as usize) else {
                at += 1;
                continue;
            };
            let inside = self.marks[at].at as usize..self.marks[close].at as usize;
            if self.marks[at].sign == Sign::OpenBlock && inside.len() <= self.most {
                self.parts.extend((!inside.is_empty()).then_some(inside));
            } else {
                self.levels.push(Level { marks: at + 1..close, part: inside });
            }
            at = close + 1;
        }
    }
}

/// What has been read of a text.
#[derive(Default)]
struct Reader {
    /// Up to here.
    at: usize,
    marks: Vec<Mark>,
    nodes: usize,
    tokens: usize,
    /// The brackets that are open.
    open: Vec<Open>,
    /// The end of the first separator outside all brackets.
    separated: Option<usize>,
    /// What the parser need not see again.
    hidden: Vec<Range<usize>>,
}

struct Open {
    bracket: u8,
    is_block: bool,
    /// Where its inside begins.
    inside: usize,
    /// The end of the first separator in it.
    separated: Option<usize>,
}

impl Reader {
    /// The text up to `end` without what is hidden.
    fn shown(&self, end: usize) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.hidden.iter().map(|part| part.end));
        let ends = self.hidden.iter().map(|part| part.start).chain(std::iter::once(end));
        starts.zip(ends).map(|(start, end)| start..end).filter(|part| !part.is_empty()).collect()
    }

    /// Takes in a window that ends at `end`.
    fn window(&mut self, tree: &SyntaxTree, text: &[u8], end: usize) {
        let from = self.at;
        let until = if end == text.len() { end } else { end.saturating_sub(MARGIN) };
        self.take(tree, text, until);
        if self.at == from || end == text.len() {
            // A token that is longer than a window, or blanks at the end.
            self.at = until;
        }
    }

    /// Takes in the nodes between what has been read and `until`.
    fn take(&mut self, tree: &SyntaxTree, text: &[u8], until: usize) {
        let from = self.at;
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_new = node.start_byte() >= from && node.end_byte() <= until;
            self.nodes += usize::from(is_new);
            if node.end_byte() > from && cursor.goto_first_child() {
                continue;
            }
            if is_new && node.child_count() == 0 && node.start_byte() < node.end_byte() {
                self.leaf(&node, text);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn leaf(&mut self, node: &Node<'_>, text: &[u8]) {
        self.at = node.end_byte();
        let token = &text[node.byte_range()];
        // Comments are no tokens, and neither are line breaks.
        if node.is_extra() && !node.is_error() || node.kind().chars().all(char::is_whitespace) {
            return;
        }
        self.tokens += 1;
        let (start, end) = (node.start_byte(), node.end_byte());
        match token {
            _ if node.is_named() => {}
            [b')', ..] => self.close(b'(', start),
            [b']', ..] => self.close(b'[', start),
            [b'}', ..] => self.close(b'{', start),
            [before @ .., bracket @ (b'(' | b'[' | b'{')] => {
                let is_block = *bracket == b'{' && before.is_empty();
                self.mark(if is_block { Sign::OpenBlock } else { Sign::Open }, end);
                self.open.push(Open { bracket: *bracket, is_block, inside: end, separated: None });
            }
            b"," => self.separate(Sign::Comma, end),
            b";" => self.separate(Sign::Semicolon, end),
            _ => {}
        }
    }

    fn mark(&mut self, sign: Sign, at: usize) {
        let at = u32::try_from(at).expect("longer texts are not read");
        self.marks.push(Mark { sign, at });
    }

    /// A closing bracket at `start`. One that closes nothing is none; what is open inside another is closed with it.
    fn close(&mut self, opening: u8, start: usize) {
        let Some(depth) = self.open.iter().rposition(|open| open.bracket == opening) else { return };
        for open in self.open.split_off(depth).into_iter().rev() {
            self.mark(Sign::Close, start);
            if open.is_block {
                self.hide(open.inside..start);
            }
        }
    }

    /// A separator that ends at `end`.
    fn separate(&mut self, sign: Sign, end: usize) {
        self.mark(sign, end);
        let first = match self.open.last_mut() {
            Some(open) => &mut open.separated,
            None => &mut self.separated,
        };
        let first = *first.get_or_insert(end);
        self.hide(first..end);
    }

    fn hide(&mut self, part: Range<usize>) {
        if part.len() >= LEAST_HIDDEN {
            let inside = self.hidden.iter().rev().take_while(|hidden| hidden.start >= part.start).count();
            self.hidden.truncate(self.hidden.len() - inside);
            self.hidden.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::testing::{BRACKETED, any_text, parser, shipped_sample};
    use crate::syntax::{Document, Edit, error_count, render};

    /// Many windows of what a language has, in blocks that are longer than a window.
    fn long_text(file: &str) -> Vec<u8> {
        let sample = shipped_sample(file);
        // An interpreter's line may only be the first of a file.
        let first_line = sample.iter().position(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let sample = if sample.starts_with(b"#!") { &sample[first_line..] } else { &sample };
        let many = |separator: &[u8]| vec![sample; 3 * WINDOW / sample.len()].join(separator);
        let minified = r#"var a={b:1,c:[1,2]};function d(e){for(;;)if(a)b(/[{(]/,"}",'[');else return`x${e}(`}"#;
        match file {
            "x.json" => [&b"{\"a\": ["[..], &many(b","), b"]}"].concat(),
            "x.js" => {
                [&many(b"\n"), &b"\n(function(){"[..], &minified.repeat(WINDOW / 32).into_bytes(), b"})();"].concat()
            }
            _ => many(b"\n"),
        }
    }

    #[test]
    fn windows_have_the_tokens_and_nodes_of_a_whole_tree() {
        for file in BRACKETED {
            let text = long_text(file);
            let outline = Outline::read(&mut parser(file), &text).expect("it is not deep");
            let document = Document::parse(&mut parser(file), text).expect("it has a tree");
            assert_eq!(document.errors(), 0, "{file}");
            let (read, whole) = (outline.tokens, document.tokens());
            assert!(read.abs_diff(whole) * 1000 <= whole, "{file}: {read} tokens of {whole}");
            let (read, whole) = (outline.nodes, document.node_count());
            assert!(read.abs_diff(whole) * 100 <= whole, "{file}: {read} nodes of {whole}");
        }
    }

    #[test]
    fn most_parts_of_long_texts_may_go_together() {
        for file in BRACKETED {
            let text = long_text(file);
            let most = text.len() / 64;
            let parts = Outline::read(&mut parser(file), &text).expect("it is not deep").parts(most);
            assert!(parts.iter().all(|part| part.len() <= most));
            let all: usize = parts.iter().map(ExactSizeIterator::len).sum();
            assert!(all * 2 > text.len(), "{file}: {all} bytes of {}", text.len());
            let edits = parts.into_iter().map(Edit::delete).collect();
            let left = render(&text, edits).text;
            let tree = parser(file).parse(&left).expect("it has a tree");
            assert_eq!(error_count(&tree), 0, "{file}");
        }
    }

    #[test]
    fn parts_are_runs_of_elements_and_insides_of_blocks() {
        let rows: [(&str, &str, usize, &[&str]); 12] = [
            ("x.json", "[1,2,3,4]", 4, &["2,3,"]),
            ("x.json", "[1,2,3,4]", 9, &[]),
            ("x.json", "[1,[2,3,4,5,6],7,8]", 6, &["3,4,5,", "7,"]),
            ("x.json", "{\"a\":{\"b\":1}}", 5, &["\"b\":1"]),
            ("x.js", "f();function g(){h();i()}j()", 8, &["f();", "h();i()"]),
            ("x.js", "for(a;b;c)d(function(){e()})", 5, &["e()"]),
            ("x.js", "a(\"{;\");b(\"}\")", 9, &["a(\"{;\");"]),
            ("x.js", "a(/[{;]/);b(`${d}`)", 10, &["a(/[{;]/);"]),
            ("x.js", "var a=1,b=2,d=3;e", 4, &["b=2,"]),
            ("x.js", "a[0,1,2];{b}", 3, &["1,", "b"]),
            ("x.c", "int a,b,c;int d;int e", 6, &["b,", "int d;"]),
            ("x.c", "struct a{int b;}c;\n#if 1\nint d;\n#endif\n", 6, &["int b;"]),
        ];
        for (file, text, most, expected) in rows {
            let parts = Outline::read(&mut parser(file), text.as_bytes()).expect("it is not deep").parts(most);
            let found: Vec<_> = parts.into_iter().map(|part| &text[part]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn brackets_that_are_not_closed_are_no_blocks() {
        let rows: [(&str, &[&str]); 3] = [("a({b", &[]), ("a(}b", &[]), ("{(a}b", &["(a"])];
        for (text, expected) in rows {
            let parts = Outline::read(&mut parser("x.js"), text.as_bytes()).expect("it is not deep").parts(3);
            let found: Vec<_> = parts.into_iter().map(|part| &text[part]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_has_no_outline() {
        let text = "[".repeat(MOST_OPEN + 2 * WINDOW);
        let read = Outline::read(&mut parser("x.json"), text.as_bytes());
        assert!(matches!(read, Err(ParseError::TooHard)));
    }

    /// The parser would see all that is before a window again with each.
    #[test]
    fn a_text_of_which_nothing_can_be_hidden_is_told_by_its_beginning() {
        let text = format!("x={}a;", "a+".repeat(5 * WINDOW));
        let mut parser = parser("x.js");
        let beginning = parser.try_parts(text.as_bytes()).expect("it is right");
        let steps = parser.steps();
        parser.parse(b"").expect("nothing is easy");
        let none = parser.steps();
        let read = Outline::read_behind(beginning, &mut parser, text.as_bytes());
        assert!(matches!(read, Err(ParseError::TooHard)));
        assert!(none < steps && parser.steps() == none, "something was parsed: {} steps", parser.steps());
    }

    #[test]
    fn what_is_read_behind_a_beginning_is_what_is_read_of_all() {
        for file in BRACKETED {
            let text = long_text(file);
            let text = if file == "x.json" {
                [b"[", &[text, long_text(file)].join(&b","[..])[..], b"]"].concat()
            } else {
                text.repeat(2)
            };
            let beginning = parser(file).try_parts(&text).expect("it is right");
            assert!(beginning.is_some());
            let whole = Outline::read(&mut parser(file), &text).expect("it is not deep");
            let behind = Outline::read_behind(beginning, &mut parser(file), &text).expect("it is not deep");
            assert!(whole.tokens.abs_diff(behind.tokens) * 1000 <= whole.tokens, "{file}: {}", behind.tokens);
            assert!(whole.marks.len().abs_diff(behind.marks.len()) * 1000 <= whole.marks.len(), "{file}");
        }
    }

    #[test]
    fn a_token_longer_than_windows_is_one() {
        let text = format!("[1,\"{}\",2,3]", "(a,".repeat(WINDOW));
        let outline = Outline::read(&mut parser("x.json"), text.as_bytes()).expect("it is not deep");
        let found: Vec<_> = outline.parts(100).into_iter().map(|part| &text[part]).collect();
        assert_eq!(found, ["2,"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parts_of_any_text_ascend_and_are_short(
            text in any_text(),
            most in 1_usize..60,
            file in prop::sample::select(&BRACKETED[..]),
        ) {
            let outline = Outline::read(&mut parser(file), &text).expect("it is short");
            let mut before = 0;
            for part in outline.parts(most) {
                prop_assert!(before <= part.start && part.start < part.end && part.end <= text.len());
                prop_assert!(part.len() <= most);
                before = part.end;
            }
        }
    }
}
