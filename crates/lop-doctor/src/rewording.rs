//! Rewrites the words of a command that only work in one directory, so that they work everywhere, or so that outputs go
//! next to the candidate.
//!
//! This code knows no command's options. It rewrites a word if the whole word is a path in the current directory, or
//! the part after the first `=`, after an `@`, or after the letters of an option. In a list with `:` or `,` it rewrites
//! each part.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Stands for the candidate's path in a word.
const MARK: &[u8] = b"@@";

/// A word that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reworded {
    /// Its index among the words of the command.
    pub at: usize,
    /// The word as typed.
    pub from: OsString,
    /// The rewritten word, which works in every directory.
    pub to: OsString,
}

impl fmt::Display for Reworded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from.display(), self.to.display())
    }
}

/// Finds the words of a command to rewrite, so that they mean in every directory what they mean `here`: existing paths
/// except the test case `file`, and outputs in another directory.
#[must_use]
pub fn settled_words(words: &[OsString], here: &Path, file: &Path) -> Vec<Reworded> {
    let mut changes = own_outputs(words, here);
    changes.extend(absolute_words(words, here, file));
    changes.sort_by_key(|change| change.at);
    changes
}

/// Finds the words, except the first, that are paths in the directory `here`, but neither the test case `file` nor the
/// command's output: a test must not get the path of a user's file to write to.
fn absolute_words(words: &[OsString], here: &Path, file: &Path) -> Vec<Reworded> {
    let place = Standpoint { here, file: here.join(file).canonicalize().ok() };
    reword(words, |at| if output(words, at).is_none() { place.reword(&words[at]) } else { None })
}

/// Finds words with the command's output, by the usual option, in a directory below `here` or next to it. The rewritten
/// word lacks the directory, which doesn't exist in a test's own directory, so the output stays there.
fn own_outputs(words: &[OsString], here: &Path) -> Vec<Reworded> {
    reword(words, |at| {
        let start = output(words, at)?;
        let (option, path) = words[at].as_bytes().split_at(start);
        let path = Path::new(OsStr::from_bytes(path));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && path.is_relative())?;
        let is_plain = !words[at].as_bytes().windows(MARK.len()).any(|part| part == MARK);
        let to = OsString::from_vec([option, path.file_name()?.as_bytes()].concat());
        (is_plain && here.join(folder).is_dir()).then_some(to)
    })
}

/// Finds the start of the output path in a word, if it has one.
fn output(words: &[OsString], at: usize) -> Option<usize> {
    const LONG: &str = "--output";
    let word = words[at].as_bytes();
    let is_option = |word: &OsString| word == "-o" || word == LONG;
    if is_option(&words[at - 1]) {
        return Some(0);
    }
    let long = word.strip_prefix(LONG.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    let rest = long.or_else(|| word.strip_prefix(b"-o").filter(|rest| !rest.is_empty()))?;
    Some(word.len() - rest.len())
}

fn reword(words: &[OsString], to: impl Fn(usize) -> Option<OsString>) -> Vec<Reworded> {
    let reworded = (1..words.len()).filter_map(|at| Some(Reworded { at, from: words[at].clone(), to: to(at)? }));
    reworded.collect()
}

/// Applies rewritten words.
#[must_use]
pub fn reworded(words: &[OsString], changes: &[Reworded]) -> Vec<OsString> {
    let mut words = words.to_vec();
    for change in changes {
        words[change.at].clone_from(&change.to);
    }
    words
}

struct Standpoint<'a> {
    here: &'a Path,
    file: Option<PathBuf>,
}

impl Standpoint<'_> {
    fn reword(&self, word: &OsStr) -> Option<OsString> {
        let bytes = word.as_bytes();
        if bytes.windows(MARK.len()).any(|part| part == MARK) {
            return None;
        }
        let from = |at: usize| Some([&bytes[..at], &self.list(&bytes[at..])?].concat());
        let behind_sign = || bytes.iter().position(|byte| *byte == b'=').and_then(|at| from(at + 1));
        let behind_letters = || {
            let is_option = bytes.len() > 2 && bytes[0] == b'-' && bytes[1].is_ascii_alphabetic();
            // Use the longest suffix that is a path: in `-Iinclude`, a file `e` would match only by chance.
            is_option.then(|| (2..bytes.len()).find_map(from)).flatten()
        };
        let behind_at = || if bytes.first() == Some(&b'@') { from(1) } else { None };
        let bytes = from(0).or_else(behind_sign).or_else(behind_at).or_else(behind_letters)?;
        Some(OsString::from_vec(bytes))
    }

    /// Rewrites a path, or a list of paths if at least one exists.
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
        // `..` stays: after a link it leads to the parent of the target.
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
            // These stay.
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
            assert_eq!(reworded(&words, &found).len(), 2);
        }
        assert_eq!(absolute_words(&["check.sh".into()], &here, file), []);
        let words = ["cc", "-Iinclude", "-o", "x.toml", "-ox.toml", "--output=x.toml", "x.toml"].map(OsString::from);
        assert_eq!(absolute_words(&words, &here, file).iter().map(|change| change.at).collect::<Vec<_>>(), [1, 6]);
    }

    #[test]
    fn what_is_written_to_a_folder_goes_to_the_directory_of_the_test() {
        let folder = tempfile::tempdir().expect("a directory");
        let here = folder.path().join("project");
        fs::create_dir_all(here.join("build")).expect("writable");
        for (words, expected) in [
            (["cc", "-o", "../project/build/x.o"], "x.o"),
            (["cc", "--output", "build/x"], "x"),
            (["cc", "-c", "-obuild/x.o"], "-ox.o"),
            (["cc", "-c", "--output=./build/x.o"], "--output=x.o"),
            // These stay: no directory, an existing one, the candidate's own, or no output.
            (["cc", "-o", "x.o"], ""),
            (["cc", "-o", "missing/x.o"], ""),
            (["cc", "-o", "/tmp/x.o"], ""),
            (["cc", "-o", "build/@@.o"], ""),
            (["cc", "-c", "build/x.o"], ""),
            (["cc", "-c", "-o"], ""),
        ] {
            let words = words.map(OsString::from);
            let found = own_outputs(&words, &here);
            assert_eq!(found.first().map(|found| found.to.clone()).unwrap_or_default(), expected, "{words:?}");
        }
    }
}
