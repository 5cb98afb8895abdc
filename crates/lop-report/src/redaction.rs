//! Removes a run's directories from a text before it is published: the directories of tests, of lop's start and of
//! temporary files, and the user's home, whose name is often a person's.

use std::path::{Path, PathBuf};

use regex::Regex;

/// The texts that are left out, and those in their place, the most special first.
#[derive(Clone, Debug)]
pub struct Redaction {
    /// A test's own directory, wherever temporary files are.
    slot: Regex,
    places: Vec<(String, &'static str)>,
}

impl Redaction {
    /// Leaves out these directories: those of the run, which become nothing, so that names are relative; the place for
    /// temporary files; the user's home.
    #[must_use]
    pub fn new(run: &[PathBuf], temporary: &Path, home: Option<&Path>) -> Self {
        let text = |path: &Path| path.to_str().map(|text| text.trim_end_matches('/').to_owned());
        let run = run.iter().map(|path| (text(path), ""));
        let named = [(text(temporary), "$TMPDIR"), (home.and_then(text), "~")];
        // A root is no place that says anything.
        let places =
            run.chain(named).filter_map(|(place, instead)| Some((place.filter(|place| place.len() > 1)?, instead)));
        let mut places: Vec<_> = places.collect();
        // A directory inside another one comes first.
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
        let slot = Regex::new(r"/[^\s:;,'\x22`()\[\]<>]*lop-[A-Za-z0-9]{6}(/(test|tmp)[0-9]*)?(/|\b)");
        Redaction { slot: slot.expect("a constant and well formed"), places }
    }

    /// The text without them.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut text = self.slot.replace_all(text, "").into_owned();
        for (place, instead) in &self.places {
            text = without(&text, place, instead);
        }
        text
    }
}

/// `text` with each `place` replaced that is not the beginning of a longer name.
fn without(text: &str, place: &str, instead: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(place) {
        let (before, behind) = (&rest[..at], &rest[at + place.len()..]);
        out.push_str(before);
        rest = behind;
        if behind.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-') {
            out.push_str(place);
        } else if !instead.is_empty() {
            out.push_str(instead);
        } else if let Some(relative) = behind.strip_prefix('/') {
            rest = relative;
        } else {
            out.push('.');
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_the_run_are_left_out() {
        let run = [PathBuf::from("/people/ann/project"), PathBuf::from("/data/case/")];
        let redaction = Redaction::new(&run, Path::new("/tmp"), Some(Path::new("/people/ann")));
        for (text, expected) in [
            ("/dev/shm/lop-aB3xYz/test/a.c:1: error", "a.c:1: error"),
            ("in /tmp/lop-aB3xYz/test2/a.c and '/tmp/lop-aB3xYz/tmp'", "in a.c and ''"),
            ("gcc -I/people/ann/project/include -I/people/ann/project", "gcc -Iinclude -I."),
            ("/people/ann/project-old/x and /people/anna/y", "~/project-old/x and /people/anna/y"),
            ("/data/case/t.sh /tmp/x /usr/bin/gcc", "t.sh $TMPDIR/x /usr/bin/gcc"),
            ("/people/ann/.cache: ~", "~/.cache: ~"),
        ] {
            assert_eq!(redaction.text(text), expected);
        }
        let root = Redaction::new(&[PathBuf::from("/")], Path::new("/tmp"), Some(Path::new("/")));
        assert_eq!(root.text("/usr/bin/gcc /x"), "/usr/bin/gcc /x");
    }
}
