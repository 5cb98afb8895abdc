//! What a result is claimed to be, as a file beside it: its hash, how it was tested, and the deletions that show that it
//! is 1-minimal. `lop verify` asks the same test about them again.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::{self, Audience, Folder};
use crate::engine::Verdict;
use crate::journal::OwnKey;
use crate::reduce::{Change, Claim, Known, Minimal, Report};

/// The file's name in the folder of what a run keeps.
pub const NAME: &str = "certificate";
/// What this version of lop writes, and the only one that it reads.
const VERSION: u32 = 1;
/// No certificate is larger. A deletion takes about a hundred bytes, and results have few.
const LARGEST: u64 = 256 << 20;

/// What is claimed of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The command line of the reduction, the program's name first: the test and its conditions are in it.
    pub command: Vec<OsString>,
    /// Where it was given.
    pub directory: PathBuf,
    /// The result's BLAKE3 hash.
    pub hash: String,
    /// What it is minimal in.
    pub level: Minimal,
    /// The passes that were left out on demand while the reduction ran, which its command line does not say.
    pub skipped: Vec<String>,
    /// The deletions that show it.
    pub claims: Vec<Claim>,
}

/// A certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// There is none.
    #[error("cannot read the certificate {}", path.display())]
    Unread {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no certificate.
    #[error("{} is no certificate of lop", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is the matter with it.
        source: serde_json::Error,
    },
    /// Another version of lop wrote it.
    #[error("the certificate {} is of version {version}; this lop reads version {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The file has changed since.
    #[error("{} is not the text that {} is about: it has changed since", result.display(), certificate.display())]
    Changed {
        /// The file that was named.
        result: PathBuf,
        /// The certificate.
        certificate: PathBuf,
    },
}

impl Certificate {
    /// What a report claims, for a reduction by this command line in this directory.
    #[must_use]
    pub fn new(report: &Report, command: Vec<OsString>, directory: PathBuf) -> Self {
        let levels = [Minimal::Unit, Minimal::Token, Minimal::Char];
        let level = levels.into_iter().find(|level| level.name() == report.minimal).unwrap_or(Minimal::None);
        let skipped = report.skipped.iter().map(|pass| (*pass).to_owned()).collect();
        Certificate { command, directory, hash: hash(&report.best), level, skipped, claims: report.claims.clone() }
    }

    /// Writes it to a folder, which is made if there is none, with the mark of the user's key, if there is one.
    ///
    /// # Errors
    /// What the system says, and when something in the folder is not lop's own.
    pub fn write(&self, folder: &Path, audience: Audience, key: Option<&OwnKey>) -> io::Result<()> {
        let mut stored = Stored::from(self);
        stored.mark = key.map(|key| key.mark(&stored.text())).unwrap_or_default();
        let mut text = stored.text();
        text.push(b'\n');
        Folder::make(folder, audience.readers())?.0.replace(OsStr::new(NAME), &text, audience.readers())
    }

    /// Reads one that is about `result`, the content of the file `path`. The second value says whether it was written
    /// with this key.
    ///
    /// # Errors
    /// When there is none, it is of another version, or about another text.
    pub fn read(
        from: &Path,
        path: &Path,
        result: &[u8],
        key: Option<&OwnKey>,
    ) -> Result<(Self, bool), CertificateError> {
        let unread = |source| CertificateError::Unread { path: from.to_owned(), source };
        let malformed = |source| CertificateError::Malformed { path: from.to_owned(), source };
        let text = disk::read(from, LARGEST).map_err(unread)?;
        let Versioned { version } = serde_json::from_slice(&text).map_err(malformed)?;
        if version != VERSION {
            return Err(CertificateError::Version { path: from.to_owned(), version });
        }
        let mut stored: Stored = serde_json::from_slice(&text).map_err(malformed)?;
        let mark = std::mem::take(&mut stored.mark);
        let is_own = key.is_some_and(|key| key.has_made(&mark, &stored.text()));
        let certificate = Certificate::from(stored);
        let is_about = |claim: &Claim| claim.candidate(result).is_some();
        if certificate.hash != hash(result) || !certificate.claims.iter().all(is_about) {
            return Err(CertificateError::Changed { result: path.to_owned(), certificate: from.to_owned() });
        }
        Ok((certificate, is_own))
    }
}

fn hash(text: &[u8]) -> String {
    blake3::hash(text).to_hex().to_string()
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    lop: String,
    level: Level,
    blake3: String,
    directory: Words,
    command: Vec<Words>,
    /// Passes that were not done, or not to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    not_done: Vec<String>,
    deletions: Vec<Deletion>,
    /// What shows that this user's lop has written it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    mark: String,
}

impl Stored {
    fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers are always JSON")
    }
}

#[derive(Serialize, Deserialize)]
struct Deletion {
    level: Level,
    verdict: Answer,
    /// From, to, and what would stand there instead.
    changes: Vec<(usize, usize, Words)>,
}

/// Text where it is text, bytes where it is not.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    None,
    Unit,
    Token,
    Char,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Interesting,
    NotInteresting,
    Invalid,
    Timeout,
    Unsound,
    NotAsked,
}

impl From<&[u8]> for Words {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Words::Text(text.to_owned()),
            Err(_) => Words::Bytes(bytes.to_vec()),
        }
    }
}

impl From<Words> for Vec<u8> {
    fn from(words: Words) -> Self {
        match words {
            Words::Text(text) => text.into_bytes(),
            Words::Bytes(bytes) => bytes,
        }
    }
}

impl From<Words> for OsString {
    fn from(words: Words) -> Self {
        OsString::from_vec(words.into())
    }
}

impl From<Minimal> for Level {
    fn from(minimal: Minimal) -> Self {
        match minimal {
            Minimal::None => Level::None,
            Minimal::Unit => Level::Unit,
            Minimal::Token => Level::Token,
            Minimal::Char => Level::Char,
        }
    }
}

impl From<Level> for Minimal {
    fn from(level: Level) -> Self {
        match level {
            Level::None => Minimal::None,
            Level::Unit => Minimal::Unit,
            Level::Token => Minimal::Token,
            Level::Char => Minimal::Char,
        }
    }
}

impl From<Known> for Answer {
    fn from(known: Known) -> Self {
        match known {
            Known::Judged(Verdict::Interesting) => Answer::Interesting,
            Known::Judged(Verdict::NotInteresting) => Answer::NotInteresting,
            Known::Judged(Verdict::Invalid) => Answer::Invalid,
            Known::Judged(Verdict::Timeout) => Answer::Timeout,
            Known::Unsound => Answer::Unsound,
            Known::Unasked => Answer::NotAsked,
        }
    }
}

impl From<Answer> for Known {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Interesting => Known::Judged(Verdict::Interesting),
            Answer::NotInteresting => Known::Judged(Verdict::NotInteresting),
            Answer::Invalid => Known::Judged(Verdict::Invalid),
            Answer::Timeout => Known::Judged(Verdict::Timeout),
            Answer::Unsound => Known::Unsound,
            Answer::NotAsked => Known::Unasked,
        }
    }
}

impl From<&Certificate> for Stored {
    fn from(certificate: &Certificate) -> Self {
        let deletion = |claim: &Claim| Deletion {
            level: claim.level.into(),
            verdict: claim.known.into(),
            changes: claim.changes.iter().map(|c| (c.range.start, c.range.end, c.text.as_slice().into())).collect(),
        };
        Stored {
            version: VERSION,
            lop: env!("CARGO_PKG_VERSION").to_owned(),
            level: certificate.level.into(),
            blake3: certificate.hash.clone(),
            directory: certificate.directory.as_os_str().as_bytes().into(),
            command: certificate.command.iter().map(|word| word.as_bytes().into()).collect(),
            not_done: certificate.skipped.clone(),
            deletions: certificate.claims.iter().map(deletion).collect(),
            mark: String::new(),
        }
    }
}

impl From<Stored> for Certificate {
    fn from(stored: Stored) -> Self {
        let claim = |deletion: Deletion| Claim {
            level: deletion.level.into(),
            known: deletion.verdict.into(),
            changes: deletion
                .changes
                .into_iter()
                .map(|(start, end, text)| Change { range: start..end, text: text.into() })
                .collect(),
        };
        Certificate {
            command: stored.command.into_iter().map(OsString::from).collect(),
            directory: OsString::from(stored.directory).into(),
            hash: stored.blake3,
            level: stored.level.into(),
            skipped: stored.not_done,
            claims: stored.deletions.into_iter().map(claim).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn certificate(result: &[u8]) -> Certificate {
        let change = |range, text: &[u8]| Change { range, text: text.to_vec() };
        Certificate {
            command: ["lop", "test", "x"]
                .map(OsString::from)
                .into_iter()
                .chain([OsString::from_vec(vec![255])])
                .collect(),
            directory: "/some/where".into(),
            hash: hash(result),
            level: Minimal::Token,
            skipped: vec!["hoist".to_owned()],
            claims: vec![
                Claim {
                    level: Minimal::Unit,
                    changes: vec![change(0..1, b""), change(2..3, b" ")],
                    known: Known::Judged(Verdict::Timeout),
                },
                Claim { level: Minimal::Token, changes: vec![change(1..2, &[200])], known: Known::Unsound },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().expect("a directory");
        let state = folder.path().join("x.lop");
        certificate(b"abc").write(&state, Audience::OWN, None).expect("there is room");
        let read = Certificate::read(&state.join(NAME), Path::new("x"), b"abc", None).expect("it is about this text");
        assert_eq!(read, (certificate(b"abc"), false));
    }

    #[test]
    fn only_what_was_written_with_the_key_and_not_changed_since_is_ones_own() {
        let folder = tempfile::tempdir().expect("a directory");
        let keys = ["one", "other"].map(|name| OwnKey::in_folder(&folder.path().join(name)).expect("it is made"));
        let state = folder.path().join("x.lop");
        let file = state.join(NAME);
        let is_own = |key| Certificate::read(&file, Path::new("x"), b"abc", Some(key)).expect("it is sound").1;
        certificate(b"abc").write(&state, Audience::OWN, Some(&keys[0])).expect("there is room");
        assert_eq!((is_own(&keys[0]), is_own(&keys[1])), (true, false));
        let text = fs::read_to_string(&file).expect("it was written");
        fs::write(&file, text.replace("\"test\"", "\"rm\"")).expect("our own file");
        assert!(!is_own(&keys[0]), "its command is another one");
    }

    #[test]
    fn a_certificate_of_another_text_or_version_is_refused() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join(NAME);
        let read =
            |text: &[u8]| Certificate::read(&file, Path::new("x"), text, None).expect_err("it is refused").to_string();
        assert!(read(b"").contains("cannot read"));
        certificate(b"abc").write(folder.path(), Audience::OWN, None).expect("there is room");
        assert!(read(b"abd").contains("x is not the text that"), "{}", read(b"abd"));
        fs::write(&file, "{}").expect("a file");
        assert!(read(b"abc").contains("is no certificate"));
        fs::write(&file, r#"{"version": 2}"#).expect("a file");
        assert!(read(b"abc").contains("of version 2; this lop reads version 1"));
        // The hash of another text: its deletions are not within this one.
        let other = Certificate { hash: hash(b"a"), ..certificate(b"abc") };
        other.write(folder.path(), Audience::OWN, None).expect("there is room");
        assert!(read(b"a").contains("it has changed since"));
    }
}
