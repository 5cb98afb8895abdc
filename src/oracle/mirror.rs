//! Responsible for running a command as where the user stands, with as little as possible of the user's in danger: a
//! [`Mirror`] of the current directory is made in a slot, with the candidate in the place of the test case.
//!
//! ```text
//!   SLOT/test/                  stands for /
//!     usr ─► /usr               beside the way: links to the real ones
//!     home/me/project/          on the way to the current directory and to the test case: directories
//!       include/a.h             the current directory and what is in it: copies, or links where they would be large
//!       src/case.c              the candidate
//! ```
//!
//! So relative paths lead where they lead at home, `..` too, and what the command writes beside the test case or below
//! the current directory goes with the slot. What is behind a link is the real thing, so that a command could change it.
//! A mirror must not have links in the current directory, nor in that of the test case, unless the command is kept from
//! writing through them ([`Cage::guarded`](super::confine::Cage::guarded)). Links beside the way are there in any case.

use std::collections::{HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// Entries of one directory beside the way. Of more only those that are named are to be found in the mirror.
const BESIDE: usize = 2_000;
/// Entries that are made again; a directory for which there are too few left is a link.
const ENTRIES: usize = 4_000;
/// Longest file that is copied, and the bytes of all copies.
const LONGEST: u64 = 1 << 20;
const COPIED: u64 = 48 << 20;

/// Where the user stands, and how the command names the test case from there.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    /// The current directory.
    current: PathBuf,
    /// The directory of the test case, without links on the way.
    folder: PathBuf,
    /// The same as the user has typed it.
    typed: PathBuf,
    /// Names that matter where a directory has too many.
    named: HashSet<Vec<u8>>,
    /// Whether there may be links in the directories that are made again.
    may_link: bool,
}

/// A mirror could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum MirrorError {
    /// What is there cannot be copied, and a link to it is not wanted.
    #[error("{} cannot be copied, and the command could write to it", path.display())]
    Link {
        /// The first such thing.
        path: PathBuf,
    },
    /// The system does not let it.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// Where a command is to be run.
#[derive(Debug)]
pub(super) struct Scene {
    /// The current directory.
    pub(super) current: PathBuf,
    /// Where the candidate belongs.
    pub(super) folder: PathBuf,
    /// How the command is told of that directory.
    pub(super) called: PathBuf,
    /// The program that is run.
    pub(super) program: PathBuf,
}

impl Mirror {
    /// A mirror of the current directory for a test case. In directories with many entries those are found whose names
    /// are in one of the `texts`. Without links, except beside the way, unless `may_link`.
    pub(super) fn new(file: &Path, texts: &[&[u8]], may_link: bool) -> io::Result<Self> {
        let typed = file.parent().unwrap_or(Path::new("")).to_owned();
        let [current, folder] = places(file)?;
        Ok(Self { current, folder, typed, named: names_in(texts), may_link })
    }

    /// Makes the mirror in an empty directory. `names` are those of the candidate, which are left free.
    pub(super) fn make(&self, root: &Path, own_program: &Path, names: &[OsString]) -> Result<Scene, MirrorError> {
        let within = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
        fs::create_dir_all(within(&self.current))?;
        fs::create_dir_all(within(&self.folder))?;
        for way in [&self.current, &self.folder] {
            // What the two of them have in them is copied.
            let is_beside = |above: &&Path| !above.starts_with(&self.current) && *above != self.folder;
            for above in way.ancestors().skip(1).filter(is_beside) {
                // Whoever may not look at it does not find anything in it by its name either, in most cases.
                for entry in self.listed(above, BESIDE) {
                    link(&entry.path(), &within(above).join(entry.file_name()))?;
                }
            }
        }
        let mut budget = Budget { entries: ENTRIES, bytes: COPIED };
        for place in [&self.current, &self.folder] {
            // The slot itself may be somewhere below, and would be copied into itself.
            let skips = |path: &Path| {
                let is_candidate =
                    path.parent() == Some(&self.folder) && names.iter().any(|name| path.file_name() == Some(name));
                is_candidate || Some(path) == root.parent()
            };
            self.copy(place, &within(place), &mut budget, &skips)?;
        }
        let (current, folder) = (within(&self.current), within(&self.folder));
        let typed = if self.typed.is_absolute() { within(&self.typed) } else { self.typed.clone() };
        let leads_there =
            current.join(&typed).canonicalize().is_ok_and(|to| Ok(to) == folder.canonicalize().map_err(drop));
        let program = Some(within(own_program)).filter(|own| own_program.starts_with(&self.current) && own.exists());
        Ok(Scene {
            program: program.unwrap_or_else(|| own_program.to_owned()),
            called: if leads_there { typed } else { folder.clone() },
            current,
            folder,
        })
    }

    /// What is in a directory, by name; where that is more than `most` entries, those that are named.
    fn listed(&self, directory: &Path, most: usize) -> Vec<fs::DirEntry> {
        let mut entries: Vec<fs::DirEntry> = fs::read_dir(directory).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        if entries.len() > most {
            entries.retain(|entry| is_named(&entry.file_name(), &self.named));
            entries.truncate(BESIDE);
        }
        entries
    }

    /// Makes what is in a directory again, what is less deep first.
    fn copy(
        &self,
        from: &Path,
        to: &Path,
        budget: &mut Budget,
        skips: &dyn Fn(&Path) -> bool,
    ) -> Result<(), MirrorError> {
        // What is mounted there is left alone: reading what a kernel shows as files may take for ever.
        let device = fs::metadata(from)?.dev();
        let mut rest = VecDeque::from([(from.to_owned(), to.to_owned())]);
        while let Some((from, to)) = rest.pop_front() {
            let entries = self.listed(&from, budget.entries);
            budget.entries = budget.entries.saturating_sub(entries.len());
            for entry in entries {
                let (path, place) = (entry.path(), to.join(entry.file_name()));
                let Ok(facts) = entry.metadata() else { continue };
                if skips(&path) {
                    continue;
                }
                let is_made = place.symlink_metadata().is_ok();
                let is_here = facts.dev() == device;
                if facts.is_dir() && is_here && (is_made || budget.has_room_for(&path)) {
                    if !is_made {
                        fs::create_dir(&place)?;
                    }
                    rest.push_back((path, place));
                } else if is_made {
                    // It is on the way.
                } else if !(facts.is_file() && is_here && budget.pays(facts.len()) && copy_file(&path, &place)) {
                    if !self.may_link {
                        return Err(MirrorError::Link { path });
                    }
                    link(&path, &place)?;
                }
            }
        }
        Ok(())
    }
}

/// The current directory and that of a test case, without links on the way.
pub(super) fn places(file: &Path) -> io::Result<[PathBuf; 2]> {
    let current = std::env::current_dir()?;
    let folder = current.join(file.parent().unwrap_or(Path::new(""))).canonicalize()?;
    Ok([current, folder])
}

/// What may still be made.
struct Budget {
    entries: usize,
    bytes: u64,
}

impl Budget {
    fn has_room_for(&self, directory: &Path) -> bool {
        fs::read_dir(directory).is_ok_and(|entries| entries.take(self.entries + 1).count() <= self.entries)
    }

    fn pays(&mut self, bytes: u64) -> bool {
        let is_enough = bytes <= LONGEST.min(self.bytes);
        self.bytes -= if is_enough { bytes } else { 0 };
        is_enough
    }
}

/// A link to the real thing, unless there is something already.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match symlink(from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A copy of the same age, because some commands compare ages. Whether there is one now.
fn copy_file(from: &Path, to: &Path) -> bool {
    let copy = || {
        fs::copy(from, to)?;
        // It may be read-only; its age is then that of the copy.
        let age = fs::metadata(from)?.modified()?;
        let _ = File::options().append(true).open(to).and_then(|file| file.set_modified(age));
        io::Result::Ok(())
    };
    let is_copied = copy().is_ok();
    if !is_copied {
        let _ = fs::remove_file(to);
    }
    is_copied
}

/// The parts of texts that may be names of files: what has no space, quote or bracket in it, each part of a path by
/// itself, and the ends of what begins like an option.
pub(crate) fn names_in(texts: &[&[u8]]) -> HashSet<Vec<u8>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"._+-~@%".contains(byte);
    let mut names = HashSet::new();
    for text in texts {
        for part in text.split(|byte| !is_part(byte)).filter(|part| !part.is_empty() && part.len() < 256) {
            let ends = if part[0] == b'-' || part[0] == b'@' { part.len().min(16) } else { 1 };
            names.extend((0..ends).map(|from| part[from..].to_vec()));
            let bare = part.strip_suffix(b".").unwrap_or(part);
            names.insert(bare.to_vec());
            // A module in a package, as many languages write it.
            names.extend(bare.split(|byte| *byte == b'.').filter(|name| name.len() > 1).map(<[u8]>::to_vec));
        }
    }
    names
}

/// Whether a file's name is among those, or what stands before its extension.
pub(crate) fn is_named(name: &OsStr, names: &HashSet<Vec<u8>>) -> bool {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    names.contains(name.as_bytes()) || names.contains(stem.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_code_options_and_messages() {
        let names = names_in(&[
            b"#include \"sub/beside.h\"\nimport helper.tools",
            b"-Iinclude @args.rsp --config=x.toml",
            b"cannot open 'data.txt'.",
        ]);
        for name in ["beside.h", "sub", "include", "args.rsp", "x.toml", "data.txt", "helper.py", "tools.js"] {
            assert!(is_named(OsStr::new(name), &names), "{name}");
        }
        for name in ["beside.c", "other", ".git", "h"] {
            assert!(!is_named(OsStr::new(name), &names) || name == "beside.c", "{name}");
        }
    }

    #[test]
    fn a_mirror_has_the_way_and_what_is_beside_it_and_writing_there_changes_nothing() {
        let home = tempfile::tempdir().expect("a directory");
        let here = home.path().canonicalize().expect("it is there");
        fs::create_dir_all(here.join("project/src")).expect("writable");
        fs::create_dir_all(here.join("library")).expect("writable");
        for name in ["project/src/case.x", "project/src/beside", "project/notes", "library/l"] {
            fs::write(here.join(name), name).expect("writable");
        }
        symlink("src", here.join("project/link")).expect("writable");
        let place = tempfile::tempdir().expect("a directory");
        let project = here.join("project");
        let mirror = |typed: &str| Mirror {
            current: project.clone(),
            folder: project.join("src"),
            typed: typed.into(),
            named: HashSet::new(),
            may_link: true,
        };
        let root = place.path().join("one");
        fs::create_dir(&root).expect("writable");
        let scene = mirror("src").make(&root, &project.join("notes"), &["case.x".into()]).expect("it can be made");
        assert_eq!(scene.called, Path::new("src"));
        assert!(scene.program.starts_with(&root));
        assert!(!scene.folder.join("case.x").exists(), "the candidate's place is free");
        let read = |path: &str| fs::read_to_string(scene.current.join(path)).expect("readable");
        assert_eq!(read("src/beside"), "project/src/beside");
        assert_eq!(read("../library/l"), "library/l");
        assert_eq!(read("link/../notes"), "project/notes");
        for path in ["src/beside", "notes", "src/new"] {
            fs::write(scene.current.join(path), "changed").expect("writable");
        }
        assert_eq!(fs::read_to_string(project.join("notes")).expect("readable"), "project/notes");
        assert_eq!(fs::read_to_string(project.join("src/beside")).expect("readable"), "project/src/beside");
        assert!(!project.join("src/new").exists());
        // By a link, or by its whole path, it is the candidate of the mirror as well.
        for typed in ["link".to_owned(), project.join("src").display().to_string()] {
            let root = tempfile::tempdir_in(place.path()).expect("a directory");
            let scene = mirror(&typed).make(root.path(), Path::new("/bin/sh"), &[]).expect("it can be made");
            assert!(scene.current.join(&scene.called).starts_with(root.path()), "{scene:?}");
            assert_eq!(scene.program, Path::new("/bin/sh"));
        }
    }

    #[test]
    fn a_mirror_that_may_have_no_links_is_whole_or_not_made() {
        let home = tempfile::tempdir().expect("a directory");
        let here = home.path().canonicalize().expect("it is there").join("project");
        fs::create_dir_all(here.join("sub")).expect("writable");
        fs::write(here.join("sub/a"), "a").expect("writable");
        let make = |may_link| {
            let (current, folder) = (here.clone(), here.clone());
            let mirror = Mirror { current, folder, typed: "".into(), named: HashSet::new(), may_link };
            let place = tempfile::tempdir().expect("a directory");
            mirror.make(place.path(), Path::new("/bin/sh"), &["case".into()]).map(drop)
        };
        let refuses = |name: &str| {
            assert!(make(true).is_ok());
            match make(false) {
                Err(MirrorError::Link { path }) => assert_eq!(path, here.join(name)),
                other => panic!("{other:?}"),
            }
        };
        assert!(make(false).is_ok(), "what is beside the way may be a link");
        // The candidate has a place of its own.
        symlink("sub/a", here.join("case")).expect("writable");
        assert!(make(false).is_ok());
        symlink("a", here.join("sub/link")).expect("writable");
        refuses("sub/link");
        fs::remove_file(here.join("sub/link")).expect("ours");
        File::create(here.join("large")).and_then(|file| file.set_len(LONGEST + 1)).expect("writable");
        refuses("large");
        fs::remove_file(here.join("large")).expect("ours");
        fs::create_dir(here.join("many")).expect("writable");
        (0..ENTRIES)
            .for_each(|number| drop(File::create(here.join("many").join(number.to_string())).expect("writable")));
        refuses("many");
    }

    #[test]
    fn a_directory_with_too_much_in_it_has_what_is_named() {
        let home = tempfile::tempdir().expect("a directory");
        let here = home.path().canonicalize().expect("it is there");
        for number in 0..ENTRIES + 1 {
            fs::write(here.join(format!("f{number}")), "").expect("writable");
        }
        let named = names_in(&[b"-cf17"]);
        let mirror = Mirror { current: here.clone(), folder: here, typed: "".into(), named, may_link: false };
        let place = tempfile::tempdir().expect("a directory");
        let scene = mirror.make(place.path(), Path::new("/bin/sh"), &[]).expect("it can be made");
        assert_eq!(fs::read_dir(&scene.current).expect("readable").count(), 1);
        assert!(scene.current.join("f17").exists());
        // Beside the way it is the same.
        let below = mirror.current.join("f17.d");
        fs::create_dir(&below).expect("writable");
        let mirror = Mirror { current: below.clone(), folder: below, ..mirror };
        let place = tempfile::tempdir().expect("a directory");
        let scene = mirror.make(place.path(), Path::new("/bin/sh"), &[]).expect("it can be made");
        assert!(scene.current.join("../f17").exists());
    }
}
