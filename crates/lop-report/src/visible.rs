//! Texts of strangers (names of files, test cases, output of tests), as text that does nothing but say something.
//!
//! A raw control character can move a terminal's cursor or change its title. A character that reverses the direction of
//! writing shows a line that isn't there. A log line that starts with `::error` is a command for the service that reads
//! the log. All of them are written as escapes, such as `\u{1b}`. [`visible`], [`path`] and [`shown`] escape a text
//! inside a sentence. [`stdout`] and [`stderr`] escape every line again in case a call is missing, and only let lop's
//! own styles pass.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anstream::AutoStream;

/// The codes by which lop's own styles, and those of clap's messages, are switched on and off.
const STYLES: [&str; 8] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"];

/// Whether a character isn't visible: control characters, direction marks, line separators, and characters without a
/// width. White space and modifiers of the character before them are visible.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Formats `text` on one line: hidden characters except tabs are escaped, and it is cut after `width` characters.
#[must_use]
pub fn visible(text: &str, width: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(width));
    for (index, letter) in text.chars().enumerate() {
        if index == width {
            shown.push('…');
            break;
        }
        push(letter, &['\t'], &mut shown);
    }
    shown
}

/// `text` on one line, all of it.
#[must_use]
pub fn one_line(text: &str) -> String {
    visible(text, usize::MAX)
}

/// The name of a file on one line. Bytes of it that are no UTF-8 are written as `\xff`.
#[must_use]
pub fn path(path: &Path) -> String {
    readable(path.as_os_str().as_bytes(), &['\t'])
}

/// Formats bytes as readable text: line feeds and tabs stay, other hidden characters are escaped, and invalid UTF-8 is
/// written as `\xff`.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    readable(bytes, &['\n', '\t'])
}

fn readable(bytes: &[u8], stay: &[char]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|letter| push(letter, stay, &mut text));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

fn push(letter: char, stay: &[char], text: &mut String) {
    if is_hidden(letter) && !stay.contains(&letter) {
        text.extend(letter.escape_default());
    } else {
        text.push(letter);
    }
}

/// Standard output for text. A flush writes a line that has not ended, and so does the drop of this.
#[must_use]
pub fn stdout() -> Guarded<AutoStream<io::Stdout>> {
    Guarded::new(anstream::stdout())
}

/// Standard error for text, as [`stdout`].
#[must_use]
pub fn stderr() -> Guarded<AutoStream<io::Stderr>> {
    Guarded::new(anstream::stderr())
}

/// A stream that only passes text and lop's own styles.
#[derive(Debug)]
pub struct Guarded<W: Write> {
    out: W,
    /// The bytes of the unfinished line.
    line: Vec<u8>,
}

impl<W: Write> Guarded<W> {
    /// Stands before `out`.
    pub fn new(out: W) -> Self {
        Guarded { out, line: Vec::new() }
    }

    /// Writes an unfinished line.
    fn pass(&mut self) -> io::Result<()> {
        if self.line.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        match guarded(&line) {
            Some(text) => self.out.write_all(text.as_bytes()),
            None => self.out.write_all(&line),
        }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Guarded<W> {
    fn drop(&mut self) {
        // A caller that wants to hear of an error flushes.
        let _ = self.pass();
    }
}

/// Returns the safe form of a line, or `None` if it already is safe, which is the usual case.
fn guarded(line: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if line.iter().all(is_plain) && !line.windows(2).any(|pair| pair == b"::" || pair == b"##") {
        return None;
    }
    let mut text = String::with_capacity(line.len() + 16);
    // The line without styles, as it is in a log.
    let mut plain = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(letter) = rest.chars().next() {
            let style = STYLES.iter().find(|style| rest.starts_with(**style));
            if let Some(style) = style {
                text.push_str(style);
            } else {
                push(letter, &['\n', '\t'], &mut text);
                plain.push(letter);
            }
            rest = &rest[style.map_or(letter.len_utf8(), |style| style.len())..];
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    if is_command(&plain) {
        text = text.replacen("::", "\\u{3a}:", 1);
    }
    Some(without_marks(text))
}

/// Whether a line can be a workflow command: `::name …::…`, after any white space.
fn is_command(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("::") else { return false };
    rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) && rest.contains("::")
}

/// The other forms of such commands can be anywhere in a line: `##[name]`, `##vso[name]`.
pub(super) fn without_marks(text: String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("##") {
        let behind = rest[at..].trim_start_matches('#');
        let is_mark = behind.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).starts_with('[');
        let end = rest.len() - behind.len();
        if is_mark {
            out.push_str(&rest[..end - 1]);
            out.push_str("\\u{23}");
        } else {
            out.push_str(&rest[..end]);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(shown(b"a\n\tb\x1b[1m\xff\xc3\xa9\0\r"), "a\n\tb\\u{1b}[1m\\xff\u{e9}\\u{0}\\r");
        assert_eq!(shown("x\u{202e}y\u{61c}\u{200b}\u{feff}".as_bytes()), "x\\u{202e}y\\u{61c}\\u{200b}\\u{feff}");
        assert_eq!(path(Path::new(OsStr::from_bytes(b"a\nb\xff\x07"))), "a\\nb\\xff\\u{7}");
        assert_eq!(visible("ab\u{9b}c", 3), "ab\\u{9b}…");
    }

    fn written(text: &[u8]) -> String {
        let mut out = Vec::new();
        let mut guarded = Guarded::new(&mut out);
        // In small parts, as styles and names arrive.
        text.chunks(3).for_each(|part| guarded.write_all(part).expect("a vector takes everything"));
        drop(guarded);
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn only_own_styles_get_through() {
        assert_eq!(written(b"\x1b[1m\x1b[31merror:\x1b[0m x\n"), "\x1b[1m\x1b[31merror:\x1b[0m x\n");
        assert_eq!(
            written(b"\x1b[8mx\x1b]0;title\x07\x1b[2J\r\xff\n\xe2\x80\xaey"),
            "\\u{1b}[8mx\\u{1b}]0;title\\u{7}\\u{1b}[2J\\r\\xff\n\\u{202e}y"
        );
    }

    #[test]
    fn no_line_is_a_command_of_a_workflow() {
        for (line, safe) in [
            ("::error file=a::x\n", "\\u{3a}:error file=a::x\n"),
            ("  \x1b[2m::add-mask::x\n", "  \x1b[2m\\u{3a}:add-mask::x\n"),
            ("a ##[error]x\n", "a #\\u{23}[error]x\n"),
            ("###vso[task.x]\n", "##\\u{23}vso[task.x]\n"),
            // Nothing that means anything there.
            ("a ::error::x\n", "a ::error::x\n"),
            ("  ::f();\n", "  ::f();\n"),
            ("## a [b]\n", "## a [b]\n"),
        ] {
            assert_eq!(written(line.as_bytes()), safe);
        }
    }
}
