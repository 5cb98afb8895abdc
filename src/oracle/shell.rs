//! Responsible for showing a command as a line that can be pasted into a shell.

use std::ffi::OsStr;

/// The words as one line, each quoted where it has to be. Bytes that are not text are shown as U+FFFD.
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quote(&word.to_string_lossy())).collect();
    words.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let words = ["gcc", "-DX=1", "@@.c", "a b", "it's", "", "$HOME", "ä"];
        let expected = r"gcc -DX=1 @@.c 'a b' 'it'\''s' '' '$HOME' 'ä'";
        assert_eq!(line(words.iter().map(OsStr::new)), expected);
    }
}
