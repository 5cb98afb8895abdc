//! Positions in a candidate that a tool's output contains: `line 3 column 7`, `x:3:7`, `char 41`, or a quoted line with
//! a marker below it. [`At`] is the condition on the text at the position.
//!
//! A position is a byte offset into the candidate. How a tool counts (from 0 or 1, in bytes or characters) is unknown,
//! but doesn't matter: the text is compared with the text at the position found in the same way in the input.

use std::ops::Range;

use memchr::{memchr_iter, memmem};
use regex::bytes::{Captures, Regex};

use super::condition_error::ConditionError;

/// The mark of the position in a pattern.
pub(super) const HERE: &str = "<here>";

/// A pattern sees no more than this in front of a position, in bytes.
const BEFORE: usize = 256;
/// A line that is shown and the mark below it are looked for in this number of lines around a message.
const AROUND: usize = 4;
/// No more matches of a message are looked at: a broken file may have thousands.
const MATCHES: usize = 64;

/// Line and column. A clock (`12:30:45`) has no letter or sign in front.
const LINE_AND_COLUMN: &str = r"(?xi)
    \b(?:line|row)[\ :=]*(?<line1>\d+),?\s+(?:column|col|char|character|position|pos)[\ .:=]*(?<column1>\d+)
    | (?<file>[^\s:(\[\x22']*[[:alpha:]_>)\]\x22'-]):(?<line2>\d+):(?<column2>\d+)
    | [(\[](?<line3>\d+)[:,]\ ?(?<column3>\d+)[)\]]
    | ^\s*(?<line4>\d+):(?<column4>\d+)(?::|\s)";
/// A number of characters from the start.
const OFFSET: &str = r"(?i)\b(?:character|char|position|pos|offset|byte|index)(?: offset)?[ :=]*(?<offset>\d+)";
/// A line alone.
const LINE: &str = r"(?i)(?:\bline[ :=]*|[[:alpha:]_>)\]\x22'-]:)(?<line>\d+)(?:\D|$)";
/// A mark below a line that is shown.
const MARK: &str = r"^[ \t]*\|?[ \t~-]*\^[ \t^~-]*\r?$";
/// The gutter before a line that is shown.
const GUTTER: &str = r"^\s*\d*\s*\|";

/// A line with the position of the message above it.
const LEADS_ON: &str = r"\A\s+(?:-->|in |at )";

/// Finds the places that are named in a text.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    line_and_column: Regex,
    offset: Regex,
    line: Regex,
    mark: Regex,
    gutter: Regex,
    leads_on: Regex,
}

impl Default for Finder {
    fn default() -> Self {
        let regex = |pattern: &str| {
            let builder = regex::bytes::RegexBuilder::new(pattern).multi_line(true).build();
            builder.expect("the patterns are constants and well formed")
        };
        Finder {
            line_and_column: regex(LINE_AND_COLUMN),
            offset: regex(OFFSET),
            line: regex(LINE),
            mark: regex(MARK),
            gutter: regex(GUTTER),
            leads_on: regex(LEADS_ON),
        }
    }
}

impl Finder {
    /// Finds the positions in `candidate` that the messages in a text name: the messages that match one of the
    /// patterns, or without patterns the first position in the text. In a test case of several files, a file has a
    /// `name`, and a message can be about another one.
    pub(super) fn places(&self, text: &[u8], messages: &[Regex], candidate: &[u8], name: Option<&str>) -> Vec<usize> {
        let ranges: Vec<Range<usize>> = if messages.is_empty() {
            let first = [&self.line_and_column, &self.offset, &self.mark];
            let first = first.iter().filter_map(|form| form.find(text)).min_by_key(regex::bytes::Match::start);
            first.map(|found| found.range()).into_iter().collect()
        } else {
            let found = messages.iter().flat_map(|message| message.find_iter(text).take(MATCHES));
            found.map(|found| found.range()).collect()
        };
        let mut places: Vec<usize> = ranges
            .into_iter()
            .filter_map(|range| {
                let names_another = |name| {
                    let said = self.line_and_column.captures(&text[whole_lines(text, range.clone())]);
                    said.and_then(|found| Some(is_other(found.name("file")?.as_bytes(), name))).unwrap_or(false)
                };
                if name.is_some_and(names_another) { None } else { self.place(text, range, candidate, name) }
            })
            .collect();
        places.dedup();
        places
    }

    /// Returns the position that the message in a range of a text names. If it names a file, it must be `name`.
    pub(super) fn place(
        &self,
        text: &[u8],
        message: Range<usize>,
        candidate: &[u8],
        name: Option<&str>,
    ) -> Option<usize> {
        let own = whole_lines(text, message);
        let shown = || self.shown(text, &own, candidate);
        let last_line = lines_before(text, own.end, 1).start.max(own.start)..own.end;
        let said = &text[last_line.clone()];
        // The line that is shown says more than a column, since tools count a tab in different ways.
        if let Some(found) = self.line_and_column.captures(said) {
            return shown().or_else(|| at_line_and_column(&found, candidate, name));
        }
        if let Some(found) = self.offset.captures(said) {
            let offset = number(&found["offset"])?;
            return nth_character(candidate, offset).or(Some(candidate.len()));
        }
        let behind = lines_after(text, own.end, 1);
        let named = |said: &[u8]| {
            self.line_and_column.captures(said).and_then(|found| at_line_and_column(&found, candidate, name))
        };
        let above = || text[own.start..last_line.start].split_inclusive(|byte| *byte == b'\n').rev().find_map(named);
        shown().or_else(|| named(behind).filter(|_| self.leads_on.is_match(behind))).or_else(above)
    }

    /// The start of the line of a file called `name` that the message in a range of a text names, or a line above it.
    pub(super) fn line_start(&self, text: &[u8], message: Range<usize>, candidate: &[u8], name: &str) -> Option<usize> {
        let own = whole_lines(text, message);
        let near = lines_before(text, own.start, AROUND).start..own.end;
        let lines = text[near].split(|byte| *byte == b'\n').rev();
        let mut named = lines.filter(|line| memmem::find(line, name.as_bytes()).is_some());
        let found = named.find_map(|line| self.line.captures(line))?;
        Some(line(candidate, number(&found["line"])?)?.start)
    }

    /// The place that a mark below a line of the candidate points to, near a message.
    fn shown(&self, text: &[u8], message: &Range<usize>, candidate: &[u8]) -> Option<usize> {
        let above = lines_before(text, message.start, AROUND);
        let below = message.end..message.end + lines_after(text, message.end, AROUND).len();
        for range in [above.start..message.end, message.start..below.end] {
            let Some(mark) = self.mark.find(&text[range.clone()]) else { continue };
            let mark = range.start + mark.start()..range.start + mark.end();
            let excerpt = lines_before(text, mark.start, 1);
            let over = lines_before(text, excerpt.start, 2).start.min(message.start);
            // The line's number is above the quoted line, or in the message.
            let numbered = self.line.captures_iter(&text[over..excerpt.start.max(message.end)]).last()?;
            let line = line(candidate, number(&numbered["line"])?)?;
            let excerpt = &text[excerpt];
            let gutter = self.gutter.find(excerpt).map_or(0, |found| found.end());
            let indent = excerpt[gutter..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let words = excerpt[gutter + indent..].trim_ascii_end();
            let pointer = text[mark].iter().position(|byte| *byte == b'^').expect("the mark has one");
            let behind = pointer.checked_sub(characters(&excerpt[..gutter + indent]))?;
            if words.is_empty() {
                return Some(line.start);
            }
            let words = line.start + memmem::find(&candidate[line.clone()], words)?;
            return Some(nth_character(&candidate[words..line.end], behind).map_or(line.end, |at| words + at));
        }
        None
    }
}

/// Whether a path leads to a file with another name. Standard input has several names.
fn is_other(path: &[u8], name: &str) -> bool {
    let base = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    base != name.as_bytes() && base != b"-" && !base.starts_with(b"<")
}

/// Returns the position, or `None` if it is in a file with another `name`.
fn at_line_and_column(found: &Captures<'_>, candidate: &[u8], name: Option<&str>) -> Option<usize> {
    if name.is_some_and(|name| found.name("file").is_some_and(|file| is_other(file.as_bytes(), name))) {
        return None;
    }
    let pair = ["1", "2", "3", "4"].into_iter().find_map(|form| {
        let part = |name: &str| found.name(&format!("{name}{form}")).and_then(|part| number(part.as_bytes()));
        Some((part("line")?, part("column")?))
    });
    let (number, column) = pair?;
    let line = line(candidate, number)?;
    Some(nth_character(&candidate[line.clone()], column.saturating_sub(1)).map_or(line.end, |at| line.start + at))
}

/// The line of this number, counted from 1, without its end.
fn line(text: &[u8], number: usize) -> Option<Range<usize>> {
    let start = match number.checked_sub(2) {
        Some(break_before) => memchr_iter(b'\n', text).nth(break_before)? + 1,
        None => 0,
    };
    Some(start..memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end))
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Where the character of this number begins, counted from 0; bytes that are no text count as characters.
fn nth_character(text: &[u8], number: usize) -> Option<usize> {
    text.iter().enumerate().filter(|(_, byte)| begins(**byte)).nth(number).map(|(at, _)| at)
}

fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| begins(**byte)).count()
}

/// Whether a byte of UTF-8 is the first of a character.
fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

fn whole_lines(text: &[u8], range: Range<usize>) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..range.start]).map_or(0, |end| end + 1);
    start..memchr::memchr(b'\n', &text[range.end..]).map_or(text.len(), |end| range.end + end + 1)
}

/// The last lines before one that starts at `at`, as a range that ends there.
fn lines_before(text: &[u8], at: usize, lines: usize) -> Range<usize> {
    let inner = &text[..at.saturating_sub(1)];
    memchr::memrchr_iter(b'\n', inner).nth(lines - 1).map_or(0, |end| end + 1).min(at)..at
}

fn lines_after(text: &[u8], at: usize, lines: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..memchr_iter(b'\n', rest).nth(lines - 1).map_or(rest.len(), |end| end + 1)]
}

/// A pattern for the text at the position that a message names.
#[derive(Clone, Debug)]
pub(super) struct At {
    before: Option<Regex>,
    after: Regex,
}

impl At {
    /// Compiles a regular expression that starts at the position, or that contains `<here>` for the position.
    pub(super) fn new(pattern: &str) -> Result<Self, ConditionError> {
        let (before, after) = match pattern.split_once(HERE) {
            Some((before, after)) => (Some(before).filter(|before| !before.is_empty()), after),
            None => (None, pattern),
        };
        let regex = |text: String| {
            Regex::new(&text).map_err(|source| ConditionError::Regex {
                option: "--at",
                pattern: pattern.to_owned(),
                source,
            })
        };
        // Halves that are invalid alone are reported as the user typed them.
        let sound = |half: &str| regex(half.to_owned()).map(|_| ());
        sound(before.unwrap_or_default()).and_then(|()| sound(after))?;
        let before = before.map(|before| regex(format!(r"(?:{before})\z"))).transpose()?;
        Ok(At { before, after: regex(format!(r"\A(?:{after})"))? })
    }

    /// Whether the text at the position matches.
    pub(super) fn holds(&self, candidate: &[u8], place: usize) -> bool {
        let (before, after) = candidate.split_at(place.min(candidate.len()));
        let near = &before[before.len().saturating_sub(BEFORE)..];
        self.before.as_ref().is_none_or(|wanted| wanted.is_match(near)) && self.after.is_match(after)
    }
}

/// Makes a pattern for [`At`] of the text around a position of the input: the signs on both sides, with a word as any
/// word. Returns `None` if there are only blanks.
pub(super) fn around(input: &[u8], place: usize) -> Option<String> {
    let text = |range: Range<usize>| String::from_utf8_lossy(&input[range]).into_owned();
    let (before, after) = (text(0..place), text(place..input.len()));
    let (left, right) = (before.trim_end(), after.trim_start());
    let (last, next) = (left.chars().next_back(), right.chars().next());
    if last.is_none() && next.is_none() {
        return None;
    }
    let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    let class = |sign: char| if is_word(Some(sign)) { r"\w".to_owned() } else { regex::escape(&sign.to_string()) };
    // A blank between two words matters.
    let parted = left.len() < before.len() || right.len() < after.len();
    let [gap_before, gap_after] = match (is_word(last) && is_word(next), parted) {
        (true, false) => ["", ""],
        (true, true) if left.len() < before.len() => [r"\s+", r"\s*"],
        (true, true) => ["", r"\s+"],
        (false, _) => [r"\s*", r"\s*"],
    };
    let before = last.map(|sign| class(sign) + gap_before).unwrap_or_default();
    let after = next.map_or_else(|| r"\z".to_owned(), class);
    let after = format!("{gap_after}{after}");
    Some(if before.is_empty() { after.trim_start_matches(r"\s*").to_owned() } else { format!("{before}{HERE}{after}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rest of a text from the place that a message names in it.
    fn named<'t>(said: &str, pattern: &str, text: &'t str) -> Option<&'t str> {
        let message = Regex::new(&format!("(?m){pattern}")).expect("a constant");
        let places = Finder::default().places(said.as_bytes(), &[message], text.as_bytes(), None);
        places.first().map(|place| &text[*place..])
    }

    #[test]
    fn lines_columns_and_offsets_are_places() {
        let text = "{\n \"ä\": [1,,2]\n}\n";
        let rows = [
            ("Expecting value: line 2 column 10 (char 11)", Some(",2]\n}\n")),
            ("parse error: x at line 2, column 10", Some(",2]\n}\n")),
            ("bad character in JSON at position 11", Some(",2]\n}\n")),
            ("a/b.json:2:10: bad", Some(",2]\n}\n")),
            ("<stdin>:2:10: bad", Some(",2]\n}\n")),
            ("b.json(2,10): bad", Some(",2]\n}\n")),
            ("bad token (2:10)", Some(",2]\n}\n")),
            ("  2:10  error  bad", Some(",2]\n}\n")),
            ("bad: line 2 column 99", Some("\n}\n")),
            ("bad at offset 99", Some("")),
            ("bad: line 9 column 1", None),
            ("bad at 12:30:45", None),
            ("bad", None),
        ];
        for (said, wanted) in rows {
            assert_eq!(named(said, "(?i)bad|expecting|parse", text), wanted, "{said}");
        }
    }

    #[test]
    fn a_mark_below_a_line_is_a_place() {
        let python = "  File \"/a/x.py\", line 2\n    y = = 3\n        ^\nSyntaxError: invalid syntax\n";
        assert_eq!(named(python, "^SyntaxError", "x = 1\n    y = = 3\n"), Some("= 3\n"));
        let node = "/a/x.js:1\n[1,,}\n    ^\n\nSyntaxError: Unexpected token '}'\n    at x (y.js:3:4)\n";
        assert_eq!(named(node, "^SyntaxError", "[1,,}"), Some("}"));
        let xml = "x.xml:1: parser error : mismatch\n<a><b></a>\n          ^\nx.xml:2: parser error : end\n";
        assert_eq!(named(xml, "mismatch", "<a><b></a> "), Some(" "));
        let gcc = "x.c:1:13: error: no\n    1 |         int x\n      |             ^\n";
        assert_eq!(named(gcc, "error: no", "\tint x"), Some("x"), "as it is shown");
        let rust = "error: bad\n --> x.rs:1:4\n";
        assert_eq!(named(rust, "error: bad", "fn (x)"), Some("(x)"));
        let yaml = "while parsing\n  in \"x\", line 1, column 1\nexpected ']'\n  in \"x\", line 1, column 4\n";
        assert_eq!(named(yaml, "while (?s:.*)expected.*", "[1 }"), Some("}"));
        let frames = "TypeError: no\n    at f (/lib/y.js:1:2)\n";
        let message = Regex::new("TypeError: no").expect("a constant").find(frames.as_bytes()).expect("there").range();
        assert_eq!(Finder::default().place(frames.as_bytes(), message, b"abc", Some("x.js")), None, "in another file");
    }

    #[test]
    fn only_the_place_of_the_message_counts() {
        let said = "x:1:1: warning: odd\nx:1:3: error: bad\nx:1:5: error: bad\n";
        let message = Regex::new("error: bad").expect("a constant");
        assert_eq!(Finder::default().places(said.as_bytes(), &[message], b"abcdef", None), [2, 4]);
        assert_eq!(Finder::default().places(said.as_bytes(), &[], b"abcdef", None), [0]);
    }

    #[test]
    fn what_stands_around_a_place_is_a_pattern_that_holds_there() {
        for (text, at, pattern) in [
            ("[1, 2, , 3]", 7, r",\s*<here>\s*,"),
            ("{\"a\": 1 \"b\"}", 8, "\\w\\s*<here>\\s*\""),
            ("[1, 2", 5, r"\w\s*<here>\s*\z"),
            (", 1", 0, ","),
            ("print x", 6, r"\w\s+<here>\s*\w"),
            ("print x", 2, r"\w<here>\w"),
            ("a (", 1, r"\w\s*<here>\s*\("),
        ] {
            let found = around(text.as_bytes(), at).expect("there is something");
            assert_eq!(found, pattern, "{text}");
            assert!(At::new(&found).expect("a good pattern").holds(text.as_bytes(), at), "{text}");
        }
        assert_eq!(around(b" \n", 1), None);
    }

    #[test]
    fn a_pattern_without_a_mark_begins_at_the_place() {
        let holds = |pattern, text: &str, at| At::new(pattern).expect("a good pattern").holds(text.as_bytes(), at);
        assert!(holds(",", "1,", 1) && !holds(",", "1,", 0) && !holds(",", "1,", 2));
        assert!(holds("a<here>b|c", "ab", 1) && !holds("a<here>b|c", "xb", 1));
        assert!(At::new("(a<here>b)").is_err() && At::new("a(").is_err());
    }
}
