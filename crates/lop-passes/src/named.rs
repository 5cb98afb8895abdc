//! Finds the file of a test case that another file names, in an include or an import.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use regex::bytes::Regex;

use lop_files::project::Entry;

/// The files by the names that others may have for them.
pub(super) struct Named<'e> {
    entries: &'e [Entry],
    /// By the name of the file, with and without its extension.
    by_name: HashMap<&'e OsStr, Vec<usize>>,
}

impl<'e> Named<'e> {
    pub(super) fn new(entries: &'e [Entry]) -> Self {
        let mut by_name: HashMap<&OsStr, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let (name, stem) = (entry.path().file_name(), entry.path().file_stem());
            for name in name.into_iter().chain(stem.filter(|_| stem != name)) {
                by_name.entry(name).or_default().push(at);
            }
        }
        Named { entries, by_name }
    }

    /// The texts in a file that some expressions of its language find, each with the number of the file that it names.
    pub(super) fn in_file(&self, text: &[u8], from: &Entry, expressions: &[Regex]) -> Vec<(Range<usize>, usize)> {
        let content = &text[from.content.clone()];
        let found = expressions.iter().flat_map(|regex| regex.captures_iter(content)).filter_map(|found| {
            let (whole, name) = (found.get(0)?, found.get(1)?);
            let place = from.content.start + whole.start()..from.content.start + whole.end();
            Some((place, self.find(from, name.as_bytes())?))
        });
        found.collect()
    }

    /// Finds the file that a name means: relative to the folder of the naming file, perhaps without the extension, or
    /// else the only one whose path ends with it.
    fn find(&self, from: &Entry, name: &[u8]) -> Option<usize> {
        let name = Path::new(std::str::from_utf8(name).ok()?);
        let near = plain(&from.path().parent().unwrap_or(Path::new("")).join(name));
        let known = self.by_name.get(name.file_name()?)?;
        let others = || known.iter().copied().filter(|at| self.entries[*at].path != from.path);
        let path = |at: usize| self.entries[at].path();
        let is_near = |at: &usize| near.as_deref().is_some_and(|near| path(*at) == near);
        let is_nearly = |at: &usize| near.as_deref().is_some_and(|near| path(*at).with_extension("") == near);
        let mut ends = others().filter(|at| path(*at).ends_with(name));
        let only = ends.next().filter(|_| ends.next().is_none());
        others().find(is_near).or_else(|| others().find(is_nearly)).or(only)
    }
}

/// Returns a path without steps up, or `None` if it leads out of the root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::ParentDir if out.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}
