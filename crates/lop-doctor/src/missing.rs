//! Finds files that a test lacks in its own directory: files that its messages name as missing and that exist in the
//! user's current directory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use regex::bytes::Regex;

use lop_run::oracle::{Table, Written};

/// Maximum number of further runs: a file that was missing may need another one.
const ROUNDS: usize = 5;

/// Stands for the test's directory in its messages.
const OWN_DIRECTORY: &str = r"/[^\s'\x22`:]*/lop-[A-Za-z0-9]{6}/test/";

/// Files that a test lacks in its own directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The line of the message.
    pub line: String,
    /// The files, relative to the current directory, to copy next to the candidate. If there are none, the message is
    /// about the test case itself.
    pub things: Vec<PathBuf>,
}

/// Finds the missing files from the test's messages. `written` is the output of a run for the test case `file`; `again`
/// runs the test with further files next to the candidate.
///
/// A file that is missing in the current directory too doesn't count: the command fails the same way there.
pub fn missing(
    table: &Table,
    written: &Written,
    file: &Path,
    again: &mut dyn FnMut(&[PathBuf]) -> Option<Written>,
) -> Option<Missing> {
    let own = Regex::new(OWN_DIRECTORY).expect("a constant and well formed");
    let mut found: Option<Missing> = None;
    let mut written = written.clone();
    for _ in 0..ROUNDS {
        let known = found.as_ref().map(|found| found.things.clone()).unwrap_or_default();
        let mut new = Vec::new();
        for text in [&written.stderr, &written.stdout] {
            for (line, name) in table.missing(&own.replace_all(text, &b""[..])) {
                let name = Path::new(OsStr::new(&name));
                if is_file(name, file) && known.is_empty() {
                    return Some(Missing { line, things: Vec::new() });
                }
                let thing = thing(name, file).filter(|thing| !known.contains(thing) && !new.contains(thing));
                if let Some(thing) = thing {
                    found.get_or_insert(Missing { line, things: Vec::new() });
                    new.push(thing);
                }
            }
        }
        let found = found.as_mut()?;
        if new.is_empty() {
            break;
        }
        found.things.extend(new);
        match again(&found.things) {
            Some(next) => written = next,
            None => break,
        }
    }
    found
}

/// Finds the files that the test case `file` includes: those of `names` that exist next to it or in the current
/// directory.
#[must_use]
pub fn named<'n>(names: impl IntoIterator<Item = &'n [u8]>, file: &Path) -> Vec<PathBuf> {
    let mut things: Vec<PathBuf> = Vec::new();
    for name in names {
        let name = Path::new(OsStr::from_bytes(name));
        things.extend(thing(name, file).filter(|thing| !things.contains(thing)));
    }
    things
}

/// Whether a path relative to the current directory is the test case.
fn is_file(name: &Path, file: &Path) -> bool {
    file.parent().is_some_and(|folder| !folder.as_os_str().is_empty()) && name == file
}

/// Finds the file or directory that must be next to the candidate so that the test finds this name: in the directory of
/// the test case, or in the current one.
fn thing(name: &Path, file: &Path) -> Option<PathBuf> {
    if name.is_absolute() {
        return None;
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    // npm packages are found by name in this directory.
    let packages = [folder, Path::new("")].map(|base| base.join("node_modules"));
    if let Some(packages) = packages.into_iter().find(|packages| packages.join(name).exists()) {
        return Some(packages);
    }
    let mut parts = name.components().filter(|part| *part != Component::CurDir);
    let Some(Component::Normal(first)) = parts.next() else { return None };
    let is_other = |path: &Path| path.file_name() != file.file_name();
    [folder, Path::new("")].into_iter().find_map(|base| {
        let clean: PathBuf = name.components().filter(|part| *part != Component::CurDir).collect();
        if base.join(&clean).exists() {
            return Some(base.join(first)).filter(|path| is_other(path));
        }
        module(base, first).map(|name| base.join(name)).filter(|path| is_other(path))
    })
}

/// Finds the file or directory of a module: its name without the extension, up to the first dot.
fn module(base: &Path, name: &OsStr) -> Option<OsString> {
    let name = name.to_str()?;
    let first = name.split('.').next()?;
    if first.is_empty() || Path::new(name).extension().is_some_and(|extension| extension.len() <= 2) {
        return None;
    }
    let listed = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let mut names: Vec<OsString> = fs::read_dir(listed).ok()?.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names.into_iter().find(|entry| Path::new(entry).file_stem() == Some(OsStr::new(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_beside_the_test_case_and_then_here() {
        let folder = tempfile::tempdir().expect("a directory");
        for name in ["src", "src/inc", "mods"] {
            fs::create_dir(folder.path().join(name)).expect("writable");
        }
        for name in ["src/beside.h", "src/inc/deep.h", "src/case.c", "src/checker.py"] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        let file = folder.path().join("src/case.c");
        let found = |name: &str| {
            let thing = thing(Path::new(name), &file)?;
            Some(thing.strip_prefix(folder.path()).expect("below the folder").display().to_string())
        };
        assert_eq!(found("beside.h").as_deref(), Some("src/beside.h"));
        assert_eq!(found("./inc/deep.h").as_deref(), Some("src/inc"), "with the folder it is found under its name");
        assert_eq!(found("checker").as_deref(), Some("src/checker.py"));
        assert_eq!(found("checker.sub").as_deref(), Some("src/checker.py"));
        for name in ["nowhere.h", "case.c", "../src/beside.h", "/usr", ""] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
