//! Edits of a text: the removed range and its replacement. Also decides which adjacent bytes could merge into one
//! token.

use std::borrow::Cow;
use std::ops::Range;

/// One replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// First byte that goes.
    pub start: usize,
    /// One past the last byte that goes.
    pub end: usize,
    /// The text that comes in its place. Where indentation is syntax its lines but the first are indented as at the
    /// start of a line: the depth of the place is added.
    pub text: Cow<'static, [u8]>,
    /// Put the text exactly so: no blank is added or taken away at the borders. For characters
    /// inside tokens and for text without a grammar.
    pub raw: bool,
}

impl Edit {
    /// Takes `start..end` out.
    #[must_use]
    pub fn delete(range: Range<usize>) -> Self {
        Edit { start: range.start, end: range.end, text: Cow::Borrowed(b""), raw: false }
    }

    /// Takes `start..end` out, and nothing around it is touched.
    #[must_use]
    pub fn delete_raw(range: Range<usize>) -> Self {
        Edit { raw: true, ..Edit::delete(range) }
    }

    /// Puts `text` in the place of `start..end`.
    #[must_use]
    pub fn replace(range: Range<usize>, text: impl Into<Cow<'static, [u8]>>) -> Self {
        Edit { text: text.into(), ..Edit::delete(range) }
    }
}

/// Joins texts, with a space between two that would otherwise become one token.
#[must_use]
pub fn join<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Vec<u8> {
    texts.into_iter().fold(Vec::new(), |mut all, text| {
        if let (Some(&last), Some(&next)) = (all.last(), text.first())
            && melt(last, next)
        {
            all.push(b' ');
        }
        all.extend_from_slice(text);
        all
    })
}

/// Whether two bytes side by side could be of one token.
#[must_use]
pub fn melt(last: u8, next: u8) -> bool {
    is_identifier(last) && is_identifier(next) || is_operator(last) && is_operator(next)
}

/// Whether a byte is a blank or ends a line.
#[must_use]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a byte can be part of a name, so that two in a row can be one token. Bytes above 127 are letters in some
/// encoding.
#[must_use]
pub fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 128..)
}

fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-'
            | b'*'
            | b'/'
            | b'%'
            | b'&'
            | b'|'
            | b'^'
            | b'!'
            | b'<'
            | b'>'
            | b'='
            | b'?'
            | b':'
            | b'~'
            | b'.'
            | b'#'
            | b'@'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_joined_do_not_melt_together() {
        let joined = |texts: &[&str]| String::from_utf8(join(texts.iter().map(|text| text.as_bytes()))).expect("ASCII");
        assert_eq!(joined(&["return", "a", "+", "+b", "", ";"]), "return a+ +b;");
        assert_eq!(joined(&[]), "");
    }
}
