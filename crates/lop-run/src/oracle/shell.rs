//! Formats a command as a line for a shell.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Formats words as one line for people, quoted as necessary. Bytes that aren't UTF-8 are shown as U+FFFD.
pub fn line<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> String {
    String::from_utf8_lossy(&exact_line(words)).into_owned()
}

/// The words as one line to keep, byte for byte.
pub fn exact_line<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> Vec<u8> {
    let words: Vec<Vec<u8>> = words.into_iter().map(|word| quote(word.as_bytes())).collect();
    words.join(&b' ')
}

fn quote(word: &[u8]) -> Vec<u8> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(byte);
    if !word.is_empty() && word.iter().all(is_plain) {
        return word.to_owned();
    }
    // Within the quotes only a quote means something.
    let parts: Vec<&[u8]> = word.split(|byte| *byte == b'\'').collect();
    [b"'", &*parts.join(&br"'\''"[..]), b"'"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let words = ["gcc", "-DX=1", "@@.c", "a b", "it's", "", "$HOME", "ä"];
        let expected = r"gcc -DX=1 @@.c 'a b' 'it'\''s' '' '$HOME' 'ä'";
        assert_eq!(line(words.iter().map(OsStr::new)), expected);
        let bytes = [OsStr::from_bytes(b"-D\xff"), OsStr::new("x")];
        assert_eq!(exact_line(bytes), b"'-D\xff' x");
        assert_eq!(line(bytes), "'-D\u{fffd}' x");
    }
}
