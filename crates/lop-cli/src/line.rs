//! Classifies the words of a command line.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use super::args::Cli;

/// The words up to `--` that belong to an option as its value, by their positions. The first word is the program.
pub(super) fn values(words: &[OsString]) -> Vec<usize> {
    let all = Cli::command();
    let command = words.get(1).and_then(|word| all.find_subcommand(word)).unwrap_or(&all);
    let mut found = Vec::new();
    let mut rest = words.iter().enumerate().skip(1).take_while(|(_, word)| *word != "--");
    while let Some((_, word)) = rest.next() {
        if word.to_str().is_some_and(|word| wants_value(command, word)) {
            found.extend(rest.next().map(|(at, _)| at));
        }
    }
    found
}

/// Whether a word is an option whose value is the next word.
fn wants_value(command: &Command, word: &str) -> bool {
    let takes = |arg: Option<&clap::Arg>| arg.is_some_and(|arg| arg.get_action().takes_values());
    if let Some(long) = word.strip_prefix("--") {
        return takes(command.get_arguments().find(|arg| arg.get_long() == Some(long)));
    }
    let Some(letters) = word.strip_prefix('-') else { return false };
    let of = |letter: char| command.get_arguments().find(|arg| arg.get_short() == Some(letter));
    // In `-ofile` the letters after `o` are the value, so the next word is a value only if `o` is the last letter.
    let first = letters.char_indices().find(|(_, letter)| takes(of(*letter)));
    first.is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_files_and_flags() {
        let of = |line: &[&str]| values(&line.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["lop", "-o", "x.sh", "x.sh"]), [2]);
        assert_eq!(of(&["lop", "-qo", "-y", "-y", "--stderr", "-y", "a", "--", "cc", "-o", "b"]), [2, 5]);
        assert_eq!(of(&["lop", "-oout", "--stderr=x", "--yes", "a", "-j2", "b"]), [0_usize; 0]);
        assert_eq!(of(&["lop", "doctor", "-j", "1", "a"]), [3]);
    }
}
