//! Observes the surroundings of a test: the files in directories before and after, and the names in the test's own
//! text.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum number of files in a watched directory: listing more would take longer than a test.
const MOST_ENTRIES: usize = 5_000;

/// Maximum number of bytes to read of a test's script.
const SCRIPT: u64 = 256 << 10;

/// The content of some directories at one moment.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    entries: BTreeMap<PathBuf, Stamp>,
    directories: Vec<PathBuf>,
}

/// The stamp of a file, which changes if the file changes.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Snapshot {
    /// Lists these directories, each once, without their subdirectories.
    pub(super) fn take(directories: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut snapshot = Self::default();
        for directory in directories.into_iter().filter_map(|directory| directory.canonicalize().ok()) {
            if snapshot.directories.contains(&directory) {
                continue;
            }
            let Some(entries) = list(&directory) else { continue };
            snapshot.entries.extend(entries);
            snapshot.directories.push(directory);
        }
        snapshot
    }

    /// Returns the files that are new or changed since then. Ignores files that this process has open (its output may
    /// go to one) and temporary files of another lop.
    pub(super) fn changes(&self) -> Vec<PathBuf> {
        let changed = |path: &PathBuf, stamp: &Stamp| {
            let is_new = self.entries.get(path).is_none_or(|before| before != stamp && path.is_file());
            is_new && !is_open_here(path) && !is_ours(path)
        };
        self.compare(changed)
    }

    fn compare(&self, differs: impl Fn(&PathBuf, &Stamp) -> bool) -> Vec<PathBuf> {
        let now = self.directories.iter().filter_map(|directory| list(directory)).flatten();
        now.filter(|(path, stamp)| differs(path, stamp)).map(|(path, _)| path).collect()
    }
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".lop-"))
}

fn list(directory: &Path) -> Option<Vec<(PathBuf, Stamp)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).ok()?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        entries.push((entry.path(), Stamp { length: metadata.len(), modified: metadata.modified().ok() }));
        if entries.len() > MOST_ENTRIES {
            return None;
        }
    }
    Some(entries)
}

#[cfg(target_os = "linux")]
fn is_open_here(path: &Path) -> bool {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target == path)
}

#[cfg(not(target_os = "linux"))]
fn is_open_here(_path: &Path) -> bool {
    false
}

/// The text of a test: its words, and the text of the scripts among them.
#[derive(Debug, Default)]
pub(super) struct Script {
    lines: Vec<String>,
}

impl Script {
    /// Reads the words of a command, and the scripts among them.
    pub(super) fn read(program: &Path, words: &[OsString]) -> Self {
        let mut script = Self::default();
        let arguments = words.iter().skip(1);
        script.lines.extend(arguments.clone().flat_map(|word| lines(&word.to_string_lossy())));
        for path in std::iter::once(program).chain(arguments.map(Path::new)) {
            let mut text = Vec::new();
            let read = File::open(path).and_then(|file| file.take(SCRIPT).read_to_end(&mut text));
            if read.is_ok() && !text.contains(&0) {
                script.lines.extend(lines(&String::from_utf8_lossy(&text)));
            }
        }
        script
    }

    /// Finds the first line that contains `words`, not followed by a character that would make it another name.
    pub(super) fn naming(&self, words: &str) -> Option<String> {
        let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_alphanumeric() || "._-/".contains(next));
        let names = |line: &&String| line.match_indices(words).any(|(at, found)| !goes_on(&line[at + found.len()..]));
        self.lines.iter().find(names).cloned()
    }
}

/// Lists the lines without comments and surrounding whitespace.
fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_and_what_is_different_is_told() {
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path().canonicalize().expect("it is there");
        let write = |name: &str, text: &str| fs::write(here.join(name), text).expect("writable");
        write("same", "1");
        write("other", "1");
        let snapshot = Snapshot::take([here.clone(), here.join("."), here.join("missing")]);
        assert_eq!(snapshot.changes(), Vec::<PathBuf>::new());
        write("other", "12");
        write("new", "");
        write(".lop-x.tmp", "");
        let open = File::create(here.join("open")).expect("writable");
        let mut changes = snapshot.changes();
        changes.sort();
        if cfg!(target_os = "linux") {
            assert_eq!(changes, [here.join("new"), here.join("other")]);
        }
        drop(open);
    }

    #[test]
    fn a_script_names_a_path_and_not_a_longer_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("test.sh");
        let text = "#!/bin/sh\n# cc /src/a.c\n  cc /src/a.cpp -o /dev/null\ncc /src/b.c\n";
        fs::write(&path, text).expect("writable");
        let script = Script::read(&path, &["x".into(), "-I/src/inc".into()]);
        assert_eq!(script.naming("/src/a.c"), None);
        assert_eq!(script.naming("/src/b.c").as_deref(), Some("cc /src/b.c"));
        assert_eq!(script.naming("-o /dev/null").as_deref(), Some("cc /src/a.cpp -o /dev/null"));
        assert_eq!(script.naming("/src/inc").as_deref(), Some("-I/src/inc"));
    }
}
