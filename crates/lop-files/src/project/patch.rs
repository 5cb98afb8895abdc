//! Applies a patch to the files of an archive.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use diffy::Patch;
use diffy::patch_set::{FileMode, FileOperation, ParseOptions, PatchKind, PatchSet};

use super::{Kind, Member};

/// The mode of a new file if the patch doesn't specify one.
const USUAL_MODE: u32 = 0o644;

/// Maximum number of leading directories in a patch's paths that the files may lack.
const MOST_FOLDERS: usize = 16;

/// A patch that cannot be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The text isn't a patch.
    #[error("cannot be parsed as a patch: {0}")]
    Form(#[from] diffy::patch_set::PatchSetParseError),
    /// It changes no existing file.
    #[error("changes none of these files")]
    Elsewhere,
    /// It matches neither the files as they are nor the patched files.
    #[error("does not fit {path}: {reason}")]
    Unfit {
        /// The file, as the patch names it.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// Applies a patch to the files of the directory `at`, or reverses it if it is applied already. Also returns the paths
/// in the patch that aren't below this directory. The patch's paths may have leading directories that the files lack;
/// those of `at` are tried first.
///
/// # Errors
/// If the text isn't a patch, or doesn't match the files.
pub fn patched(members: &[Member], patch: &[u8], at: &Path) -> Result<(Vec<Member>, Vec<String>), PatchError> {
    let options = if has_git_headers(patch) { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let changes = PatchSet::parse_bytes(patch, options).collect::<Result<Vec<_>, _>>()?;
    let changes: Vec<Change<'_>> = changes.iter().filter_map(Change::of).collect();
    let known: BTreeSet<&[u8]> = members.iter().map(|member| member.path.as_slice()).collect();
    // The number of leading directories, and their names after the first, which is usually `a` or `b`.
    let fronts: BTreeSet<(usize, &[u8])> = changes
        .iter()
        .flat_map(|change| [change.before, change.after])
        .flatten()
        .flat_map(|path| (0..MOST_FOLDERS).filter_map(|folders| Some((folders, front(path, folders)?))))
        .collect();
    let is_known = |change: &Change<'_>, front: (usize, &[u8])| change.below(front).any(|path| known.contains(path));
    let rank = |&(folders, names): &(usize, &[u8])| {
        let count = changes.iter().filter(|change| is_known(change, (folders, names))).count();
        let is_here = count > 0 && !names.is_empty() && at.ends_with(OsStr::from_bytes(names));
        (is_here, count, Reverse(folders))
    };
    let front = fronts.into_iter().max_by_key(rank).filter(|front| rank(front).1 > 0).ok_or(PatchError::Elsewhere)?;
    // `diff -N` shows a missing file as an empty one.
    let changes: Vec<Change<'_>> =
        changes.into_iter().map(|change| if is_known(&change, front) { change } else { change.of_new() }).collect();
    // A new file belongs to the same directory as the others.
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| is_known(change, front) || change.is_made_or_gone(front));
    let forward = apply(members, &here, front.0, false);
    let changed = forward.or_else(|error| apply(members, &here, front.0, true).map_err(|_| error))?;
    Ok((changed, elsewhere.into_iter().map(Change::name).collect()))
}

fn has_git_headers(patch: &[u8]) -> bool {
    patch.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"diff --git "))
}

/// The changes of one file.
struct Change<'p> {
    before: Option<&'p [u8]>,
    after: Option<&'p [u8]>,
    mode: Option<FileMode>,
    /// `None` if the content isn't text.
    patch: Option<&'p Patch<'p, [u8]>>,
    is_copy: bool,
}

impl<'p> Change<'p> {
    fn of(file: &'p diffy::patch_set::FilePatch<'p, [u8]>) -> Option<Self> {
        let (before, after) = match file.operation() {
            FileOperation::Create(path) => (None, Some(&**path)),
            FileOperation::Delete(path) => (Some(&**path), None),
            FileOperation::Modify { original, modified } => (Some(&**original), Some(&**modified)),
            FileOperation::Rename { from, to } | FileOperation::Copy { from, to } => (Some(&**from), Some(&**to)),
        };
        let patch = if let PatchKind::Text(patch) = file.patch() { Some(patch) } else { None };
        Some(Change {
            before,
            after,
            mode: file.new_mode().copied(),
            patch,
            is_copy: matches!(file.operation(), FileOperation::Copy { .. }),
        })
    }

    /// Handles a missing file, if all its lines are added or removed.
    fn of_new(self) -> Self {
        let hunks = self.patch.map(Patch::hunks).unwrap_or_default();
        Change {
            before: self.before.filter(|_| hunks.iter().any(|hunk| !hunk.old_range().is_empty())),
            after: self.after.filter(|_| hunks.iter().any(|hunk| !hunk.new_range().is_empty())),
            ..self
        }
    }

    /// Strips these leading directories from its paths, if both have them.
    fn below<'f>(&'f self, (folders, names): (usize, &'f [u8])) -> impl Iterator<Item = &'p [u8]> + 'f {
        let paths = [self.before, self.after].into_iter().flatten();
        let paths = paths.filter(move |path| front(path, folders) == Some(names));
        paths.filter_map(move |path| without(path, folders))
    }

    fn is_made_or_gone(&self, front: (usize, &[u8])) -> bool {
        self.before.is_some() != self.after.is_some() && self.below(front).next().is_some()
    }

    fn name(&self) -> String {
        String::from_utf8_lossy(self.after.or(self.before).unwrap_or_default()).into_owned()
    }
}

/// Strips this number of leading directories from a path; `None` if it has fewer.
fn without(path: &[u8], folders: usize) -> Option<&[u8]> {
    (0..folders).try_fold(path, |path, _| Some(&path[memchr::memchr(b'/', path)? + 1..]))
}

/// Returns the names of this number of leading directories, without the first; `None` if there are fewer.
fn front(path: &[u8], folders: usize) -> Option<&[u8]> {
    let rest = without(path, folders)?;
    let names = &path[..path.len() - rest.len()];
    let first = memchr::memchr(b'/', names).map_or(0, |slash| slash + 1);
    Some(names[first..].strip_suffix(b"/").unwrap_or_default())
}

/// Applies changes to files, or reverses them.
fn apply(
    members: &[Member],
    changes: &[&Change<'_>],
    folders: usize,
    backwards: bool,
) -> Result<Vec<Member>, PatchError> {
    let mut all = members.to_vec();
    for change in changes {
        let unfit = |reason: &str| PatchError::Unfit { path: change.name(), reason: reason.to_owned() };
        let own = |path: Option<&[u8]>| path.and_then(|path| without(path, folders)).map(<[u8]>::to_vec);
        let (from, to) = if backwards { (change.after, change.before) } else { (change.before, change.after) };
        let (from, to) = (own(from), own(to));
        let patch = change.patch.ok_or_else(|| unfit("its content is no text"))?;
        let at = from.as_ref().map(|from| all.iter().position(|member| member.path == *from));
        let at = at.map(|at| at.ok_or_else(|| unfit("there is no such file"))).transpose()?;
        if to.as_ref().is_some_and(|to| from.as_ref() != Some(to) && all.iter().any(|member| member.path == *to)) {
            return Err(unfit("there is such a file already"));
        }
        let content = at.map(|at| all[at].content.clone()).unwrap_or_default();
        let reversed;
        let patch = if backwards {
            reversed = patch.reverse();
            &reversed
        } else {
            patch
        };
        let changed = diffy::apply_bytes(&content, patch).map_err(|error| unfit(&error.to_string()))?;
        let mode = match change.mode.filter(|_| !backwards) {
            Some(FileMode::Executable) => Some(0o755),
            Some(FileMode::Regular) => Some(USUAL_MODE),
            Some(FileMode::Symlink | FileMode::Gitlink) => return Err(unfit("it is a link")),
            None => None,
        };
        match (at, to) {
            (Some(at), None) => drop(all.remove(at)),
            (Some(at), Some(path)) if !change.is_copy => {
                let mode = mode.unwrap_or(all[at].mode);
                all[at] = Member { path, mode, content: changed, ..all[at].clone() };
            }
            (_, Some(path)) => {
                let mode = mode.unwrap_or(USUAL_MODE);
                all.push(Member { path, kind: Kind::File, mode, content: changed });
            }
            (None, None) => {}
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(path: &str, content: &str) -> Member {
        Member { path: path.into(), kind: Kind::File, mode: 0o644, content: content.into() }
    }

    const PATCH: &str = "\
From 0 Mon Sep 17 00:00:00 2001
Subject: [PATCH] two files

diff --git a/lib/a.txt b/lib/a.txt
index 1..2 100644
--- a/lib/a.txt
+++ b/lib/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/lib/new.sh b/lib/new.sh
new file mode 100755
index 0000000..1
--- /dev/null
+++ b/lib/new.sh
@@ -0,0 +1 @@
+echo
diff --git a/docs/x.md b/docs/x.md
index 1..2 100644
--- a/docs/x.md
+++ b/docs/x.md
@@ -1 +1 @@
-x
+y
";

    #[test]
    fn patch_is_applied_below_the_folders_that_are_there() {
        let before = [member("a.txt", "one\ntwo\nthree\n"), member("b.txt", "b\n")];
        let (after, elsewhere) = patched(&before, PATCH.as_bytes(), Path::new("/home/lib")).expect("it fits");
        let paths: Vec<_> = after.iter().map(|member| (String::from_utf8_lossy(&member.path), member.mode)).collect();
        assert_eq!(paths, [("a.txt".into(), 0o644), ("b.txt".into(), 0o644), ("new.sh".into(), 0o755)]);
        assert_eq!(after[0].content, b"one\n2\nthree\n");
        assert_eq!(elsewhere, ["b/docs/x.md"]);
        let (again, _) = patched(&after, PATCH.as_bytes(), Path::new("/home/lib")).expect("it fits backwards");
        assert_eq!(again, before);
    }

    #[test]
    fn patch_of_diff_n_makes_files() {
        let patch = "diff -ruN old/a new/a\n--- old/a\t1970\n+++ new/a\t1970\n@@ -1 +1 @@\n-1\n+2\ndiff -ruN old/b new/b\n\
                     --- old/b\t1970\n+++ new/b\t1970\n@@ -0,0 +1 @@\n+b\n";
        let (after, elsewhere) = patched(&[member("a", "1\n")], patch.as_bytes(), Path::new("/new")).expect("it fits");
        assert_eq!((after, elsewhere), (vec![member("a", "2\n"), member("b", "b\n")], Vec::new()));
    }

    #[test]
    fn patch_of_a_project_is_applied_to_a_folder_in_it() {
        let hunk = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n");
        let patch = ["x", "y", "crates/inner/x"].map(hunk).concat();
        let members = [member("x", "1\n"), member("y", "other\n")];
        let (after, elsewhere) =
            patched(&members, patch.as_bytes(), Path::new("/project/crates/inner")).expect("it fits");
        assert_eq!((&after[0], &after[1]), (&member("x", "2\n"), &members[1]), "x and y of the project are others");
        assert_eq!(elsewhere, ["b/x", "b/y"]);
    }

    #[test]
    fn patch_that_does_not_fit_says_where() {
        let other = [member("lib/a.txt", "something else\n")];
        let error = patched(&other, PATCH.as_bytes(), Path::new("/home/lib")).expect_err("it does not fit").to_string();
        assert!(error.starts_with("does not fit b/lib/a.txt: "), "{error}");
        let elsewhere =
            patched(&[member("z", "")], PATCH.as_bytes(), Path::new("/home/lib")).expect_err("it does not fit");
        assert!(matches!(elsewhere, PatchError::Elsewhere), "{elsewhere}");
        assert!(matches!(patched(&other, b"no patch", Path::new("/x")), Err(PatchError::Form(_))));
    }
}
