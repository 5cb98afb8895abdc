//! Files of a test case that has several.

use std::ops::Range;

use crate::project::{Archive, Entry, Kind};
use crate::syntax::{Edit, count_words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Files go, or lose what they have in them.
pub struct Files;

impl Pass for Files {
    fn facts(&self) -> Facts {
        Facts::new("files", Stage::First, "files of a directory go, or become empty").led()
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(files) = &view.files else { return Proposals::default() };
        let entries = files.archive.entries(view.text);
        let whole = units(&entries, view.text, Entry::whole);
        let files: Vec<Entry> = entries.into_iter().filter(|entry| entry.kind == Kind::File).collect();
        let content = units(&files, view.text, |entry| entry.content.clone());
        let lists = [(list_kind::FILES, whole), (list_kind::CONTENTS, content)];
        let sequences = lists.into_iter().filter(|(_, units)| !units.is_empty());
        Proposals {
            sequences: sequences.map(|(kind, units)| Sequence::of(kind, units)).collect(),
            ..Proposals::default()
        }
    }
}

/// The files, with what of each would go.
fn units(entries: &[Entry], text: &[u8], part: impl Fn(&Entry) -> Range<usize>) -> Vec<Unit> {
    let parts = entries.iter().map(part).filter(|part| !part.is_empty());
    let unit = |part: Range<usize>| Unit {
        tokens: u32::try_from(count_words(&text[part.clone()])).unwrap_or(u32::MAX).max(1),
        removal: Removal::Edits(vec![Edit::delete_raw(part)]),
        cleared: false,
    };
    parts.map(unit).collect()
}

/// The texts of an archive's files in their order, without what is in those of which `is_wanted` is false.
#[must_use]
pub fn contents(archive: &Archive, text: &[u8], is_wanted: impl Fn(&Entry) -> bool) -> Vec<Range<usize>> {
    archive.entries(text).into_iter().filter(is_wanted).map(|entry| entry.content).collect()
}
