//! A test case of several files, as one text: an archive.
//!
//! ```text
//!   lop-files-91b2c4d5                       the mark: no file has it
//!   lop-files-91b2c4d5 file 644 src/a.c      a frame, from the newline before it to the one after it
//!   int a;                                   the file's bytes, up to the next frame
//!   lop-files-91b2c4d5 link 777 b.c          a symbolic link, with where it leads
//!   a.c
//!   lop-files-91b2c4d5 folder 755 empty      an empty directory
//!   lop-files-91b2c4d5 argument 0 2          the second argument of the test's command, where these are reduced, too
//!   -O2
//! ```
//!
//! To the rest of lop, a candidate is bytes, and [`TestCase`] says whether they are those of an archive. Deleting a frame with its bytes removes the file; deleting only the bytes
//! empties it. The bytes between two frames are exactly those of the file, with or without a newline at the end.

mod folder;
#[cfg(feature = "patch")]
mod patch;

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use memchr::memmem;

pub use folder::{LeftOut, MOST_BYTES, ReadError, Selection, WriteError, list, read, write, write_into};
#[cfg(feature = "patch")]
pub use patch::{PatchError, patched};

/// The start of the mark; part of a hash of the archive's content follows.
const MARK: &str = "lop-files-";

/// The kind of an entry of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link; its content is the path that it leads to.
    Link,
    /// An empty directory; other directories follow from the paths of their files.
    Folder,
    /// A word of the test's command; its path is its number, 0 for the program.
    Argument,
}

impl Kind {
    const ALL: [(Kind, &'static str); 4] =
        [(Kind::File, "file"), (Kind::Link, "link"), (Kind::Folder, "folder"), (Kind::Argument, "argument")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).expect("each kind is in the list").1
    }
}

/// A file, a link or an empty folder that goes into an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The path below the root, with `/`.
    pub path: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
    /// The permissions, as in `0o644`.
    pub mode: u32,
    /// The bytes of a file, the target of a link.
    pub content: Vec<u8>,
}

/// A member's place in the text of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path below the root, with `/`.
    pub path: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
    /// The permissions.
    pub mode: u32,
    /// The frame, with the newline before it.
    pub frame: Range<usize>,
    /// The bytes after the frame.
    pub content: Range<usize>,
}

impl Entry {
    /// The frame and the content.
    #[must_use]
    pub fn whole(&self) -> Range<usize> {
        self.frame.start..self.content.end
    }

    /// Returns the path as the system writes it.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }
}

/// A test case, or a candidate of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCase<'a> {
    /// The bytes of a single file, whatever they are.
    File(&'a [u8]),
    /// Several files, or a command: the text of an archive.
    Files(&'a Archive, &'a [u8]),
}

impl<'a> TestCase<'a> {
    /// Makes the test case that has this text, and an archive if it has several files.
    #[must_use]
    pub fn new(archive: Option<&'a Archive>, text: &'a [u8]) -> Self {
        archive.map_or(TestCase::File(text), |archive| TestCase::Files(archive, text))
    }

    /// Makes another candidate of the same test case.
    #[must_use]
    pub fn with(self, text: &'a [u8]) -> Self {
        Self::new(self.archive(), text)
    }

    /// Returns the bytes of the file, or the text of the archive.
    #[must_use]
    pub fn text(self) -> &'a [u8] {
        match self {
            TestCase::File(text) | TestCase::Files(_, text) => text,
        }
    }

    /// Returns the archive of several files.
    #[must_use]
    pub fn archive(self) -> Option<&'a Archive> {
        match self {
            TestCase::File(_) => None,
            TestCase::Files(archive, _) => Some(archive),
        }
    }

    /// Lists the files, links and directories; empty for a single file, which has no entry.
    #[must_use]
    pub fn files(self) -> Vec<Entry> {
        self.archive().map(|archive| archive.files(self.text())).unwrap_or_default()
    }

    /// Returns the words of the command, if it is part of the test case.
    #[must_use]
    pub fn words(self) -> Option<Vec<(usize, OsString)>> {
        self.archive()?.words(self.text())
    }
}

impl<'a> From<&'a [u8]> for TestCase<'a> {
    fn from(text: &'a [u8]) -> Self {
        TestCase::File(text)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for TestCase<'a> {
    fn from(text: &'a [u8; N]) -> Self {
        TestCase::File(text)
    }
}

/// The mark of a test case, by which its texts are split into members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The mark with the newline before it and the space after it, which start each frame.
    begin: Vec<u8>,
}

impl Archive {
    /// Packs members, in this order, into a text. The archive reads that text and those of all its candidates.
    #[must_use]
    pub fn pack(members: &[Member]) -> (Self, Vec<u8>) {
        let mut hasher = blake3::Hasher::new();
        members.iter().for_each(|member| {
            hasher.update(&member.path);
            hasher.update(&member.content);
        });
        let hex = hasher.finalize().to_hex();
        // A file may contain the mark of another archive, but hardly all longer ones.
        let mark = (8..=hex.len()).map(|len| format!("{MARK}{}", &hex[..len])).find(|mark| {
            let finder = memmem::Finder::new(mark.as_bytes());
            members.iter().all(|member| finder.find(&member.content).is_none() && finder.find(&member.path).is_none())
        });
        let mark = mark.expect("no file has its own hash in it");
        let archive = Archive::with_mark(mark.as_bytes());
        let text = archive.text(members);
        (archive, text)
    }

    fn with_mark(mark: &[u8]) -> Self {
        Archive { begin: [b"\n", mark, b" "].concat() }
    }

    /// Packs members that don't contain the mark into a text of this archive.
    #[must_use]
    pub fn text(&self, members: &[Member]) -> Vec<u8> {
        let mut text = self.begin[1..self.begin.len() - 1].to_vec();
        for member in members {
            text.extend_from_slice(&self.frame(member.kind, member.mode, &member.path));
            text.extend_from_slice(&member.content);
        }
        text
    }

    /// The frame of a member.
    #[must_use]
    pub fn frame(&self, kind: Kind, mode: u32, path: &[u8]) -> Vec<u8> {
        [&self.begin, format!("{} {mode:o} {}\n", kind.name(), escaped(path)).as_bytes()].concat()
    }

    /// Recognises a stored archive by its mark; `None` if the text has none. A file can begin with a mark, too: ask only
    /// about a text that is known to be an archive.
    #[must_use]
    pub fn of(text: &[u8]) -> Option<Self> {
        let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let mark = &text[..end];
        let hex = mark.strip_prefix(MARK.as_bytes())?;
        (hex.len() >= 8 && hex.iter().all(u8::is_ascii_hexdigit)).then(|| Archive::with_mark(mark))
    }

    /// Lists the entries of a text in its order. A corrupt frame counts as content of the entry before it.
    #[must_use]
    pub fn entries(&self, text: &[u8]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for at in memmem::find_iter(text, &self.begin) {
            let words = at + self.begin.len();
            let Some(len) = memchr::memchr(b'\n', &text[words..]) else { continue };
            let Some((kind, mode, path)) = frame(&text[words..words + len]) else { continue };
            if let Some(last) = entries.last_mut() {
                // Split the text even if the newline between two frames is gone.
                last.content.end = at.max(last.content.start);
            }
            let frame = at..words + len + 1;
            entries.push(Entry { path, kind, mode, content: frame.end..text.len(), frame });
        }
        entries
    }

    /// Returns the files, links and directories of a text, with their content.
    #[must_use]
    pub fn members(&self, text: &[u8]) -> Vec<Member> {
        let member = |entry: Entry| Member {
            content: text[entry.content].to_vec(),
            path: entry.path,
            kind: entry.kind,
            mode: entry.mode,
        };
        self.files(text).into_iter().map(member).collect()
    }

    /// Describes a line that belongs to no file: the path for a frame, nothing for the mark.
    #[must_use]
    pub fn heading(&self, line: &[u8]) -> Option<String> {
        if *line == self.begin[1..self.begin.len() - 1] {
            return Some(String::new());
        }
        let (kind, _, path) = frame(line.strip_prefix(&self.begin[1..])?)?;
        let path = OsStr::from_bytes(&path).display().to_string();
        Some(if kind == Kind::Argument { format!("argument {path}") } else { path })
    }

    /// Replaces the content of the regular files that `is_meant` accepts.
    #[must_use]
    pub fn filled(&self, text: &[u8], is_meant: impl Fn(&Entry) -> bool, content: &[u8]) -> Vec<u8> {
        let (mut filled, mut at) = (Vec::with_capacity(text.len()), 0);
        for entry in self.entries(text).into_iter().filter(|entry| entry.kind == Kind::File && is_meant(entry)) {
            filled.extend_from_slice(&text[at..entry.content.start]);
            filled.extend_from_slice(content);
            at = entry.content.end;
        }
        filled.extend_from_slice(&text[at..]);
        filled
    }

    /// Returns the members in the order of their paths. The text has another order if a file was moved.
    #[must_use]
    pub fn sorted_members(&self, text: &[u8]) -> Vec<Member> {
        let mut members = self.members(text);
        members.sort_by(|one, other| one.path.cmp(&other.path));
        members
    }

    /// Returns the words of the command in a text, each with its number, if there are any.
    #[must_use]
    pub fn words(&self, text: &[u8]) -> Option<Vec<(usize, OsString)>> {
        let entries = self.entries(text).into_iter().filter(|entry| entry.kind == Kind::Argument);
        let words = entries.filter_map(|entry| {
            let number = std::str::from_utf8(&entry.path).ok()?.parse().ok()?;
            Some((number, OsStr::from_bytes(&text[entry.content]).to_owned()))
        });
        Some(words.collect::<Vec<_>>()).filter(|words| !words.is_empty())
    }

    /// Removes the words of the command from a text.
    #[must_use]
    pub fn without_words(&self, text: &[u8]) -> Vec<u8> {
        let (mut left, mut at) = (Vec::with_capacity(text.len()), 0);
        for entry in self.entries(text).iter().filter(|entry| entry.kind == Kind::Argument) {
            left.extend_from_slice(&text[at..entry.whole().start]);
            at = entry.whole().end;
        }
        left.extend_from_slice(&text[at..]);
        left
    }

    /// Returns the files, links and directories of a text.
    #[must_use]
    pub fn files(&self, text: &[u8]) -> Vec<Entry> {
        let mut entries = self.entries(text);
        entries.retain(|entry| entry.kind != Kind::Argument);
        entries
    }
}

/// Makes the members for the words of a command.
#[must_use]
pub fn of_words(words: &[OsString]) -> Vec<Member> {
    let member = |(number, word): (usize, &OsString)| Member {
        path: number.to_string().into_bytes(),
        kind: Kind::Argument,
        mode: 0,
        content: word.as_bytes().to_vec(),
    };
    words.iter().enumerate().map(member).collect()
}

/// Parses a frame after the mark. Rejects a path that leads out of the root.
fn frame(words: &[u8]) -> Option<(Kind, u32, Vec<u8>)> {
    let mut words = words.splitn(3, |byte| *byte == b' ');
    let (kind, mode, path) = (words.next()?, words.next()?, unescaped(words.next()?));
    let (kind, _) = Kind::ALL.into_iter().find(|(_, name)| name.as_bytes() == kind)?;
    let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
    is_inside(Path::new(OsStr::from_bytes(&path))).then_some((kind, mode & 0o777, path))
}

/// Whether a path is below the root.
fn is_inside(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Writes a path in a line of text.
fn escaped(path: &[u8]) -> String {
    let mut out = String::new();
    for chunk in path.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => out.push_str("\\\\"),
                letter if letter.is_control() => {
                    let mut bytes = [0; 4];
                    letter.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
                }
                letter => out.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let hex = text.get(at + 2..at + 4).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (text[at], text.get(at + 1), hex) {
            (b'\\', Some(b'x'), Some(byte)) => {
                out.push(byte);
                at += 4;
            }
            (b'\\', Some(next), _) => {
                out.push(*next);
                at += 2;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn member(path: &[u8], content: &[u8]) -> Member {
        Member { path: path.to_vec(), kind: Kind::File, mode: 0o644, content: content.to_vec() }
    }

    #[test]
    fn a_mode_from_an_archive_gives_no_rights_of_others() {
        let (archive, text) = Archive::pack(&[Member { mode: 0o6755, ..member(b"a", b"x") }]);
        assert_eq!(archive.members(&text)[0].mode, 0o755);
    }

    #[test]
    fn an_archive_gives_back_its_members() {
        let members = [
            member(b"a b\n\\x41.c", b"no line break at the end"),
            member(b"d/\xff\x01", b"\0\n\n"),
            Member { kind: Kind::Link, mode: 0o777, ..member(b"d/l", b"../a b") },
            Member { kind: Kind::Folder, mode: 0o755, ..member(b"e", b"") },
            member(b"empty", b""),
        ];
        let (archive, text) = Archive::pack(&members);
        assert_eq!(archive.members(&text), members);
    }

    #[test]
    fn a_file_may_be_an_archive_itself() {
        let (_, inner) = Archive::pack(&[member(b"a", b"1")]);
        let outer = [member(b"in", &inner), member(b"out", b"2")];
        let (archive, text) = Archive::pack(&outer);
        assert_eq!(archive.members(&text), outer);
    }

    #[test]
    fn a_path_that_leads_out_is_no_entry() {
        let (archive, text) = Archive::pack(&[member(b"../a", b"1"), member(b"/b", b"2"), member(b"c/./d", b"3")]);
        let paths: Vec<_> = archive.entries(&text).into_iter().map(|entry| entry.path).collect();
        assert_eq!(paths, [b"c/./d"]);
        assert!(Archive::of(b"").is_none() && Archive::of(b"lop-files-12 x\n").is_none());
    }

    proptest! {
        #[test]
        fn any_path_and_any_content_come_back(
            files in prop::collection::btree_map("[a-z\\\\\n\u{e9} ]{1,8}", prop::collection::vec(any::<u8>(), 0..60), 0..6)
        ) {
            let members: Vec<_> = files.iter().map(|(path, content)| member(path.as_bytes(), content)).collect();
            let (archive, text) = Archive::pack(&members);
            prop_assert_eq!(archive.members(&text), members);
        }
    }
}
