//! Responsible for the words of a command that lead somewhere from one directory only: which they are, and what they
//! are when they lead there from everywhere.
//!
//! No command's options are known here. A word is rewritten where all of it names something in the current directory,
//! or what is behind its first `=`, behind an `@` or behind the letters of an option; of a list between `:` or `,` each
//! part by itself.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// The mark of the candidate's path in a word.
const MARK: &[u8] = b"@@";

/// A word that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reworded {
    /// Its place among the words of the command.
    pub at: usize,
    /// As it was typed.
    pub from: OsString,
    /// With a path that leads there from everywhere.
    pub to: OsString,
}

impl fmt::Display for Reworded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from.display(), self.to.display())
    }
}

/// Words of a command, all but the first, that name something in the directory `here` and not the test case `file`.
pub(super) fn absolute_words(words: &[OsString], here: &Path, file: &Path) -> Vec<Reworded> {
    let place = Place { here, file: here.join(file).canonicalize().ok() };
    let reworded = words.iter().enumerate().skip(1).filter_map(|(at, from)| {
        let to = place.reword(from)?;
        Some(Reworded { at, from: from.clone(), to })
    });
    reworded.collect()
}

/// Those of the changes that are not about what the command writes to, as the one usual option for that says: where
/// nothing has shown that such a word has to be another, no test gets the path of a user's file to write to.
pub(super) fn without_outputs(words: &[OsString], mut changes: Vec<Reworded>) -> Vec<Reworded> {
    let is_option = |word: &OsStr| word == "-o" || word == "--output";
    changes.retain(|change| {
        let word = change.from.as_bytes();
        let is_output = word.starts_with(b"-o") || word.starts_with(b"--output=") || is_option(&words[change.at - 1]);
        !is_output
    });
    changes
}

/// The words with some of them rewritten.
pub(super) fn with(words: &[OsString], changes: &[Reworded]) -> Vec<OsString> {
    let mut words = words.to_vec();
    for change in changes {
        words[change.at].clone_from(&change.to);
    }
    words
}

struct Place<'a> {
    here: &'a Path,
    file: Option<PathBuf>,
}

impl Place<'_> {
    fn reword(&self, word: &OsStr) -> Option<OsString> {
        let bytes = word.as_bytes();
        if bytes.windows(MARK.len()).any(|part| part == MARK) {
            return None;
        }
        let from = |at: usize| Some([&bytes[..at], &self.list(&bytes[at..])?].concat());
        let behind_sign = || bytes.iter().position(|byte| *byte == b'=').and_then(|at| from(at + 1));
        let behind_letters = || {
            let is_option = bytes.len() > 2 && bytes[0] == b'-' && bytes[1].is_ascii_alphabetic();
            // The longest end that leads somewhere: `-Iinclude` has a file `e` in it only by chance.
            is_option.then(|| (2..bytes.len()).find_map(from)).flatten()
        };
        let behind_at = || if bytes.first() == Some(&b'@') { from(1) } else { None };
        let bytes = from(0).or_else(behind_sign).or_else(behind_at).or_else(behind_letters)?;
        Some(OsString::from_vec(bytes))
    }

    /// A path, or a list of paths of which at least one leads somewhere.
    fn list(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some(path) = self.path(text) {
            return Some(path);
        }
        let separator = [b':', b','].into_iter().find(|separator| text.contains(separator))?;
        let parts: Vec<_> = text.split(|byte| *byte == separator).map(|part| (part, self.path(part))).collect();
        let found = parts.iter().any(|(_, path)| path.is_some());
        let parts: Vec<Vec<u8>> = parts.into_iter().map(|(part, path)| path.unwrap_or_else(|| part.to_vec())).collect();
        found.then(|| parts.join(&separator))
    }

    fn path(&self, text: &[u8]) -> Option<Vec<u8>> {
        let path = Path::new(OsStr::from_bytes(text));
        if text.is_empty() || path.is_absolute() {
            return None;
        }
        let full = self.here.join(path);
        let real = full.canonicalize().ok()?;
        if self.file.as_ref() == Some(&real) {
            return None;
        }
        // `..` stays: behind a link it leads elsewhere than to where the link stands.
        let parts = full.components().filter(|part| *part != Component::CurDir);
        let mut clean = parts.collect::<PathBuf>().into_os_string().into_vec();
        if text.ends_with(b"/") {
            clean.push(b'/');
        }
        Some(clean)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_leads_somewhere_from_here_leads_there_from_everywhere() {
        let folder = tempfile::tempdir().expect("a directory");
        let here = folder.path().canonicalize().expect("it is there");
        for name in ["include", "lib", "src"] {
            fs::create_dir(here.join(name)).expect("writable");
        }
        for name in ["x.toml", "check.sh", "args.rsp", "foo.h", "src/case.c", "e"] {
            fs::write(here.join(name), "").expect("writable");
        }
        let file = Path::new("src/case.c");
        for (word, expected) in [
            ("-Iinclude", "-I/include"),
            ("include", "/include"),
            ("include/", "/include/"),
            ("./check.sh", "/check.sh"),
            ("--config=x.toml", "--config=/x.toml"),
            ("x.toml", "/x.toml"),
            ("@args.rsp", "@/args.rsp"),
            ("-includefoo.h", "-include/foo.h"),
            ("-Llib", "-L/lib"),
            ("lib:include:/usr/x", "/lib:/include:/usr/x"),
            ("-I.", "-I"),
            ("src/../lib", "/src/../lib"),
            // Nothing of these is changed.
            ("-Wall", ""),
            ("src/case.c", ""),
            ("src/@@", ""),
            ("@@", ""),
            ("missing", ""),
            ("-c", ""),
            ("", ""),
        ] {
            let words = ["cc".into(), OsString::from(word)];
            let found = absolute_words(&words, &here, file);
            let root = here.to_str().expect("plain");
            let plain = found.first().map(|found| found.to.to_str().expect("plain").replace(root, ""));
            assert_eq!(plain.unwrap_or_default(), expected, "{word}");
            assert_eq!(with(&words, &found).len(), 2);
        }
        assert_eq!(absolute_words(&["check.sh".into()], &here, file), []);
        let words = ["cc", "-Iinclude", "-o", "x.toml", "-ox.toml", "--output=x.toml", "x.toml"].map(OsString::from);
        let kept = without_outputs(&words, absolute_words(&words, &here, file));
        assert_eq!(kept.iter().map(|change| change.at).collect::<Vec<_>>(), [1, 6]);
    }
}
