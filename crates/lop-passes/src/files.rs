//! Removes the files of a test case with several files.

use std::ops::Range;

use lop_files::project::{Archive, Entry, Kind};
use lop_syntax::{Edit, count_words};

use super::named::Named;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Removes files, or empties them.
pub struct Files;

impl Pass for Files {
    fn facts(&self) -> Facts {
        Facts::new("files", Stage::First, "files of a directory go, or become empty")
            .led("a directory has an order of its own")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(files) = &view.files else { return Proposals::default() };
        let entries = files.archive.entries(view.text);
        let named = Named::new(&entries);
        // Where each file is named by others.
        let mut names: Vec<Vec<Range<usize>>> = vec![Vec::new(); entries.len()];
        for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
            let expressions = (files.grammar)(&entry.path).map(|grammar| grammar.includes()).unwrap_or_default();
            for (place, file) in named.in_file(view.text, entry, expressions) {
                names[file].push(place);
            }
        }
        let wholes = entries.iter().map(Entry::whole).zip(names);
        let with_names = wholes.map(|(whole, names)| std::iter::once(whole).chain(names).collect());
        let contents = entries.iter().filter(|entry| entry.kind == Kind::File).map(|entry| vec![entry.content.clone()]);
        // A file whose name has to stay may be empty.
        let lists =
            [(list_kind::FILES, units(view.text, with_names)), (list_kind::CONTENTS, units(view.text, contents))];
        let sequences = lists.into_iter().filter(|(_, units)| !units.is_empty());
        Proposals {
            sequences: sequences.map(|(kind, units)| Sequence::of(kind, units)).collect(),
            ..Proposals::default()
        }
    }
}

/// The units whose parts go together, the first of them with its size.
fn units(text: &[u8], parts: impl Iterator<Item = Vec<Range<usize>>>) -> Vec<Unit> {
    let unit = |parts: Vec<Range<usize>>| Unit {
        tokens: u32::try_from(count_words(&text[parts[0].clone()])).unwrap_or(u32::MAX).max(1),
        removal: Removal::Edits(parts.into_iter().map(Edit::delete_raw).collect()),
        known_to_parse: false,
    };
    parts.filter(|parts| !parts[0].is_empty()).map(unit).collect()
}

/// Returns the texts of an archive's files in their order, without the content of those that `is_wanted` rejects.
#[must_use]
pub fn contents(archive: &Archive, text: &[u8], is_wanted: impl Fn(&Entry) -> bool) -> Vec<Range<usize>> {
    archive.entries(text).into_iter().filter(is_wanted).map(|entry| entry.content).collect()
}
