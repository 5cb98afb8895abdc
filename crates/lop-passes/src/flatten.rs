//! Moves files up, out of directories that aren't needed.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lop_files::project::{Archive, Entry, Kind};
use lop_syntax::Edit;

use super::pass::{Facts, Pass, Proposals, Stage, View};

/// Maximum number of entries: with more, there are better questions than their places.
const MOST_ENTRIES: usize = 64;

/// Moves a folder's entries to the folder above.
pub struct Flatten;

impl Pass for Flatten {
    fn facts(&self) -> Facts {
        Facts::new("flatten", Stage::Late, "files move up a directory").led("its files are those of a directory")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(files) = &view.files else { return Proposals::default() };
        let mut entries = files.archive.entries(view.text);
        entries.retain(|entry| entry.kind != Kind::Argument);
        if entries.len() > MOST_ENTRIES {
            return Proposals::default();
        }
        let above = entries.iter().flat_map(|entry| entry.path().ancestors().skip(1));
        let folders: BTreeSet<&Path> = above.filter(|folder| !folder.as_os_str().is_empty()).collect();
        view.one_of(folders.into_iter().filter_map(|folder| flattened(files.archive, &entries, folder)))
    }
}

/// Makes the frames of all entries of a folder for the folder above; `None` if a path is taken.
fn flattened(archive: &Archive, entries: &[Entry], folder: &Path) -> Option<Vec<Edit>> {
    let outer = folder.parent()?;
    let moved = |entry: &Entry| entry.path().strip_prefix(folder).ok().map(|rest| outer.join(rest));
    let paths: BTreeSet<PathBuf> =
        entries.iter().map(|entry| moved(entry).unwrap_or_else(|| entry.path().to_owned())).collect();
    // Two entries have the same name, or a file has the name of a folder.
    let is_in_the_way = |path: &Path| path.ancestors().skip(1).any(|above| paths.contains(above));
    if paths.len() < entries.len() || paths.iter().any(|path| is_in_the_way(path)) {
        return None;
    }
    let edits = entries.iter().filter_map(|entry| {
        let frame = archive.frame(entry.kind, entry.mode, moved(entry)?.as_os_str().as_bytes());
        Some(Edit { raw: true, ..Edit::replace(entry.frame.clone(), frame) })
    });
    Some(edits.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_files::project::Member;

    fn flat(paths: &[&str], folder: &str) -> Option<Vec<String>> {
        let member = |path: &&str| Member {
            path: path.as_bytes().to_vec(),
            kind: Kind::File,
            mode: 0o644,
            content: b"x".to_vec(),
        };
        let (archive, text) = Archive::pack(&paths.iter().map(member).collect::<Vec<_>>());
        let mut after = text.clone();
        for edit in flattened(&archive, &archive.entries(&text), Path::new(folder))?.into_iter().rev() {
            after.splice(edit.start..edit.end, edit.text.iter().copied());
        }
        Some(archive.members(&after).into_iter().map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect())
    }

    #[test]
    fn a_folders_entries_move_into_the_folder_around_it() {
        let paths = ["a/b/c", "a/b/d/e", "a/f", "g"];
        assert_eq!(flat(&paths, "a/b").expect("free"), ["a/c", "a/d/e", "a/f", "g"]);
        assert_eq!(flat(&paths, "a").expect("free"), ["b/c", "b/d/e", "f", "g"]);
    }

    #[test]
    fn nothing_takes_the_name_of_another() {
        assert_eq!(flat(&["a/b", "b"], "a"), None);
        assert_eq!(flat(&["a/b/c", "b"], "a"), None, "a file where a folder would be");
        assert_eq!(flat(&["a/b", "b/c"], "a"), None);
        assert_eq!(flat(&["a/a"], "a").expect("free"), ["a"]);
    }
}
