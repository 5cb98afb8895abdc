//! The words of a command with `@@`: the files that they need, and the words that a test gets.
//!
//! `@@` is the candidate's path, `@@.EXT` its path under a name that ends in `.EXT`. EXT is as long as it can be:
//! letters, digits, `_`, `-` and `+`, and further such parts after dots, so `@@.test.js` is one name. Where the candidate
//! is several files `@@2` is the path of the second.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Longest file name of the usual file systems, in bytes (NAME_MAX).
const NAME_MAX: usize = 255;

/// One word of a command.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(OsString),
    /// The path of the file with this index in the list of names.
    File(usize),
}

impl Word {
    /// The path of the file with this index.
    pub(crate) fn of_file(index: usize) -> Self {
        Self { pieces: vec![Piece::File(index)] }
    }

    /// Takes a word apart. `names` are the names the candidate needs in its directory, its `own` ones first; a name that
    /// is still missing is added.
    pub(crate) fn parse(word: &OsStr, own: usize, names: &mut Vec<OsString>) -> Self {
        let bytes = encode(word);
        let mut pieces = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some(at) = find_mark(rest) {
            let (before, after) = (&rest[..at], &rest[at + 2..]);
            push_text(&mut pieces, before);
            let (index, len) = numbered(after, own).unwrap_or_else(|| {
                let suffix = &after[..suffix_length(after)];
                (file_index(suffix, names), suffix.len())
            });
            pieces.push(Piece::File(index));
            rest = &after[len..];
        }
        push_text(&mut pieces, rest);
        Self { pieces }
    }

    /// The candidate paths in it: the index of a file, and the text after the path up to the end of the shell word.
    pub(crate) fn paths(&self) -> Vec<(usize, &[u8])> {
        let behind = |at: usize| match self.pieces.get(at + 1) {
            Some(Piece::Text(text)) => {
                let text = text.as_encoded_bytes();
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"'\"|;&<>()`:,".contains(byte);
                &text[..text.iter().position(ends).unwrap_or(text.len())]
            }
            Some(Piece::File(_)) | None => &[],
        };
        let pieces = self.pieces.iter().enumerate();
        pieces
            .filter_map(|(at, piece)| if let Piece::File(index) = piece { Some((*index, behind(at))) } else { None })
            .collect()
    }

    /// Whether a path of the candidate is in it.
    pub(crate) fn has_path(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::File(_)))
    }

    /// The word for a test in `directory`.
    pub(crate) fn render(&self, directory: &Path, names: &[OsString]) -> OsString {
        let mut word = OsString::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => word.push(text),
                Piece::File(index) => word.push(directory.join(&names[*index])),
            }
        }
        word
    }
}

fn find_mark(bytes: &[u8]) -> Option<usize> {
    bytes.windows(2).position(|pair| pair == b"@@")
}

/// Parses a file number from 1 to `own` at the start of `bytes`. Returns the index and the length of the number; `None`
/// if there is no number, or only one file.
fn numbered(bytes: &[u8], own: usize) -> Option<(usize, usize)> {
    let len = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: usize = std::str::from_utf8(&bytes[..len]).ok()?.parse().ok()?;
    (own > 1 && (1..=own).contains(&number)).then(|| (number - 1, len))
}

/// Returns the length of the `.EXT` at the start of `bytes`, 0 if there is none.
fn suffix_length(bytes: &[u8]) -> usize {
    let mut end = 0;
    while bytes.get(end) == Some(&b'.') {
        let part = bytes[end + 1..].iter().take_while(|&&b| b.is_ascii_alphanumeric() || b"_-+".contains(&b)).count();
        if part == 0 {
            break;
        }
        end += 1 + part;
    }
    end
}

/// The index of the name that ends in `suffix`.
fn file_index(suffix: &[u8], names: &mut Vec<OsString>) -> usize {
    let base = encode(&names[0]);
    if base.ends_with(suffix) {
        return 0;
    }
    let stem = if base.len() + suffix.len() > NAME_MAX { b"candidate".as_slice() } else { &base };
    let name = decode([stem, suffix].concat());
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn push_text(pieces: &mut Vec<Piece>, text: &[u8]) {
    if !text.is_empty() {
        pieces.push(Piece::Text(decode(text.to_vec())));
    }
}

fn encode(word: &OsStr) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(word).to_vec()
}

fn decode(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(word: &str, base: &str) -> (String, Vec<String>) {
        let mut names = vec![OsString::from(base)];
        let parsed = Word::parse(OsStr::new(word), 1, &mut names);
        let text = parsed.render(Path::new("/d"), &names);
        assert_eq!(parsed.has_path(), word.contains("@@"));
        let names = names[1..].iter().map(|name| name.to_string_lossy().into_owned()).collect();
        (text.to_string_lossy().into_owned(), names)
    }

    #[test]
    fn marks_become_paths_wherever_they_are() {
        for (word, base, expected, extra) in [
            ("plain", "a.c", "plain", ""),
            ("", "a.c", "", ""),
            ("@@", "a.c", "/d/a.c", ""),
            ("--in=@@,x", "a.c", "--in=/d/a.c,x", ""),
            ("@@.c", "a.c", "/d/a.c", ""),
            ("@@.i", "a.c", "/d/a.c.i", "a.c.i"),
            ("@@.test.js:1", "a", "/d/a.test.js:1", "a.test.js"),
            ("@@.", "a", "/d/a.", ""),
            ("@@..c", "a", "/d/a..c", ""),
            ("@@ @@.c @@.c", "a", "/d/a /d/a.c /d/a.c", "a.c"),
            ("@@@", "a", "/d/a@", ""),
            ("a@b", "a", "a@b", ""),
        ] {
            let (text, names) = render(word, base);
            assert_eq!((text.as_str(), names.join(" ").as_str()), (expected, extra), "{word} with {base}");
        }
    }

    #[test]
    fn a_name_that_would_be_too_long_is_replaced() {
        let (text, names) = render("@@.c", &"x".repeat(255));
        assert_eq!((text.as_str(), names), ("/d/candidate.c", vec!["candidate.c".to_owned()]));
    }
}
