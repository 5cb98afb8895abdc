//! A patch, applied to the files of an archive.

use std::collections::BTreeSet;

use diffy::Patch;
use diffy::patch_set::{FileMode, FileOperation, ParseOptions, PatchKind, PatchSet};

use super::{Kind, Member};

/// The mode of a file that a patch makes and says nothing else of.
const USUAL_MODE: u32 = 0o644;

/// Folders in front of the paths of a patch that a directory may be without.
const MOST_FOLDERS: usize = 16;

/// A patch that cannot be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// It is none.
    #[error("cannot be understood as a patch: {0}")]
    Form(#[from] diffy::patch_set::PatchSetParseError),
    /// It changes no file that is there.
    #[error("changes none of the files that are there")]
    Elsewhere,
    /// It fits neither the files as they are nor those that it makes.
    #[error("does not fit {path}: {reason}")]
    Unfit {
        /// The file, as the patch names it.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// The files after a patch, or before it where they have it already; and the paths in the patch that are in none of them.
/// Its paths may begin with folders that these have not.
///
/// # Errors
/// A text that is no patch, or does not fit.
pub fn patched(members: &[Member], patch: &[u8]) -> Result<(Vec<Member>, Vec<String>), PatchError> {
    let options = if has_git_headers(patch) { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let changes = PatchSet::parse_bytes(patch, options).collect::<Result<Vec<_>, _>>()?;
    let changes: Vec<Change<'_>> = changes.iter().filter_map(Change::of).collect();
    // As many folders are left out as make most files known.
    let known: BTreeSet<&[u8]> = members.iter().map(|member| member.path.as_slice()).collect();
    let is_known = |change: &&Change<'_>, folders| {
        [change.before, change.after]
            .iter()
            .flatten()
            .any(|path| without(path, folders).is_some_and(|path| known.contains(path)))
    };
    let count = |folders: usize| changes.iter().filter(|change| is_known(change, folders)).count();
    let folders = (0..MOST_FOLDERS).max_by_key(|&folders| (count(folders), std::cmp::Reverse(folders))).unwrap_or(0);
    if count(folders) == 0 {
        return Err(PatchError::Elsewhere);
    }
    // `diff -N` names a file that is not there as one that is, with nothing in it.
    let changes: Vec<Change<'_>> =
        changes.into_iter().map(|change| if is_known(&&change, folders) { change } else { change.of_new() }).collect();
    // A file that it makes is where its others are.
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| is_known(change, folders) || change.is_made_or_gone(folders));
    let forward = apply(members, &here, folders, false);
    let changed = forward.or_else(|error| apply(members, &here, folders, true).map_err(|_| error))?;
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
    /// `None`: the content is not one of lines.
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

    /// The same, of a file that is not there, if its lines are all new or all gone.
    fn of_new(self) -> Self {
        let hunks = self.patch.map(Patch::hunks).unwrap_or_default();
        Change {
            before: self.before.filter(|_| hunks.iter().any(|hunk| !hunk.old_range().is_empty())),
            after: self.after.filter(|_| hunks.iter().any(|hunk| !hunk.new_range().is_empty())),
            ..self
        }
    }

    fn is_made_or_gone(&self, folders: usize) -> bool {
        let one = if self.before.is_none() { self.after } else { self.before.filter(|_| self.after.is_none()) };
        one.is_some_and(|path| without(path, folders).is_some())
    }

    fn name(&self) -> String {
        String::from_utf8_lossy(self.after.or(self.before).unwrap_or_default()).into_owned()
    }
}

/// A path without this number of folders in front; `None` if it has fewer.
fn without(path: &[u8], folders: usize) -> Option<&[u8]> {
    (0..folders).try_fold(path, |path, _| Some(&path[memchr::memchr(b'/', path)? + 1..]))
}

/// The files after some changes, or before them.
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
        let (after, elsewhere) = patched(&before, PATCH.as_bytes()).expect("it fits");
        let paths: Vec<_> = after.iter().map(|member| (String::from_utf8_lossy(&member.path), member.mode)).collect();
        assert_eq!(paths, [("a.txt".into(), 0o644), ("b.txt".into(), 0o644), ("new.sh".into(), 0o755)]);
        assert_eq!(after[0].content, b"one\n2\nthree\n");
        assert_eq!(elsewhere, ["b/docs/x.md"]);
        let (again, _) = patched(&after, PATCH.as_bytes()).expect("it fits backwards");
        assert_eq!(again, before);
    }

    #[test]
    fn patch_of_diff_n_makes_files() {
        let patch = "diff -ruN old/a new/a\n--- old/a\t1970\n+++ new/a\t1970\n@@ -1 +1 @@\n-1\n+2\ndiff -ruN old/b new/b\n\
                     --- old/b\t1970\n+++ new/b\t1970\n@@ -0,0 +1 @@\n+b\n";
        let (after, elsewhere) = patched(&[member("a", "1\n")], patch.as_bytes()).expect("it fits");
        assert_eq!((after, elsewhere), (vec![member("a", "2\n"), member("b", "b\n")], Vec::new()));
    }

    #[test]
    fn patch_that_does_not_fit_says_where() {
        let other = [member("lib/a.txt", "something else\n")];
        let error = patched(&other, PATCH.as_bytes()).expect_err("it does not fit").to_string();
        assert!(error.starts_with("does not fit b/lib/a.txt: "), "{error}");
        let elsewhere = patched(&[member("z", "")], PATCH.as_bytes()).expect_err("it does not fit");
        assert!(matches!(elsewhere, PatchError::Elsewhere), "{elsewhere}");
        assert!(matches!(patched(&other, b"no patch"), Err(PatchError::Form(_))));
    }
}
