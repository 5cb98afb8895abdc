//! Splits text without a tree into lines, words and characters.

use std::ops::Range;

/// The lines of a text, each with its line feed.
pub fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let left = &text[start..];
        let length = memchr::memchr(b'\n', left).map_or(left.len(), |feed| feed + 1);
        let line = start..start + length;
        start = line.end;
        (length > 0).then_some(line)
    })
}

/// Number of lines; a last line without a line feed counts.
#[must_use]
pub fn count_lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count() + usize::from(text.last().is_some_and(|&b| b != b'\n'))
}

/// The words, runs of blanks and single other characters of a part of a text.
pub fn words(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = part.start;
    std::iter::from_fn(move || {
        if at >= part.end {
            return None;
        }
        let class = Class::of(text[at]);
        let mut end = at + 1;
        match class {
            Class::Other => end = at + char_len(&text[at..part.end]),
            _ => {
                while end < part.end && Class::of(text[end]) == class {
                    end += 1;
                }
            }
        }
        let word = at..end;
        at = end;
        Some(word)
    })
}

/// Number of words and single other characters that are not blank.
#[must_use]
pub fn count_words(text: &[u8]) -> usize {
    words(text, 0..text.len()).filter(|w| Class::of(text[w.start]) != Class::Blank).count()
}

/// The text without blanks around it, with one line feed for a run of blanks that has one, and with other blanks only
/// between words and between characters that are none: `a  +b ;` is `a+b;`.
#[must_use]
pub fn without_blanks(source: &[u8]) -> Vec<u8> {
    let is_blank = |byte: &u8| Class::of(*byte) == Class::Blank;
    let mut left = Vec::with_capacity(source.len());
    let mut rest = source;
    loop {
        let (text, blanks) = rest.split_at(rest.iter().position(is_blank).unwrap_or(rest.len()));
        left.extend_from_slice(text);
        let Some(end) = blanks.iter().position(|byte| !is_blank(byte)) else { return left };
        let (blanks, after) = blanks.split_at(end);
        match left.last() {
            None => {}
            Some(_) if blanks.contains(&b'\n') => left.push(b'\n'),
            Some(before) if Class::of(*before) == Class::of(after[0]) => left.push(b' '),
            Some(_) => {}
        }
        rest = after;
    }
}

/// Lists the characters of a part of a text: UTF-8 sequences if they are valid, otherwise single bytes.
pub fn characters(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = part.start;
    std::iter::from_fn(move || {
        let start = at;
        at += if start < part.end { char_len(&text[start..part.end]) } else { return None };
        Some(start..at)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Other,
}

impl Class {
    fn of(byte: u8) -> Class {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Word,
            b' ' | b'\t'..=b'\r' => Class::Blank,
            _ => Class::Other,
        }
    }
}

/// Length of the character at the start of a text that is not empty.
pub(super) fn char_len(text: &[u8]) -> usize {
    let len = match text[0] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return 1,
    };
    match text.get(..len) {
        Some(sequence) if std::str::from_utf8(sequence).is_ok() => len,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], parts: impl Iterator<Item = Range<usize>>) -> Vec<Vec<u8>> {
        parts.map(|p| text[p].to_vec()).collect()
    }

    #[test]
    fn lines_keep_their_line_feed_and_the_last_may_lack_it() {
        let text = b"a\n\r\nb";
        assert_eq!(cut(text, lines(text)), [b"a\n".to_vec(), b"\r\n".to_vec(), b"b".to_vec()]);
        assert_eq!(count_lines(text), 3);
        assert_eq!(count_lines(b"a\n"), 1);
        assert_eq!(count_lines(b""), 0);
    }

    #[test]
    fn words_are_runs_of_one_class() {
        let text = "ab1 \n+=\u{e9}x".as_bytes();
        let all = words(text, 0..text.len());
        assert_eq!(
            cut(text, all),
            [b"ab1".to_vec(), b" \n".to_vec(), b"+".to_vec(), b"=".to_vec(), vec![0xC3, 0xA9], b"x".to_vec()]
        );
        assert_eq!(count_words(text), 5);
    }

    #[test]
    fn blanks_stay_where_without_them_there_would_be_another_word() {
        let rows = [
            ("  int  x = y ;\n", "int x=y;"),
            ("a + +b", "a+ +b"),
            ("#define A 1\n \n\nA", "#define A 1\nA"),
            ("a\r\nb\r\n", "a\nb"),
            (" \n", ""),
            ("", ""),
        ];
        for (text, left) in rows {
            assert_eq!(String::from_utf8_lossy(&without_blanks(text.as_bytes())), left, "{text:?}");
        }
    }

    #[test]
    fn characters_of_broken_text_are_bytes() {
        let text = b"\xC3\xA9\xFF\xE2\x82\xED\xA0\x80";
        let lens: Vec<_> = characters(text, 0..text.len()).map(|part| part.len()).collect();
        // The last three bytes encode a surrogate, which is not valid UTF-8.
        assert_eq!(lens, [2, 1, 1, 1, 1, 1, 1]);
    }
}
