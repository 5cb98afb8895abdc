//! The user's key, and marks made with it. They prove that lop wrote a file for this user, so that lop doesn't run a
//! command from somebody else's file without asking.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use lop_files::disk::{Distrusted, Folder, ReadAccess};

/// The key's file.
const NAME: &str = "key";
/// The system's source of random bytes.
const CHANCE: &str = "/dev/urandom";
/// Bytes of a key.
const LENGTH: usize = 32;

/// A key that only the user can read.
pub struct OwnKey([u8; LENGTH]);

impl OwnKey {
    /// Reads the key in a directory, and creates both if necessary.
    ///
    /// # Errors
    /// If it cannot be read or created, or another user can read it.
    pub fn in_folder(path: &Path) -> io::Result<OwnKey> {
        // Don't store it in another user's home, as with sudo.
        let there = path.ancestors().find_map(|folder| fs::metadata(folder).ok());
        if there.is_none_or(|facts| facts.uid() != rustix::process::geteuid().as_raw()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (folder, _) = Folder::make(path, ReadAccess::OWN)?;
        let name = OsStr::new(NAME);
        match folder.open(name, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && Distrusted::cause(&error).is_none() => {
                let mut key = [0; LENGTH];
                fs::File::open(CHANCE)?.read_exact(&mut key)?;
                let mut new = folder.temporary(name, ReadAccess::OWN)?;
                new.file().write_all(&key)?;
                match new.persist_noclobber(name) {
                    // Another lop was faster.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(folder.open(name, false)?),
                    other => other.map(|_| OwnKey(key)),
                }
            }
            other => read(other?),
        }
    }

    /// Computes the mark of a text.
    #[must_use]
    pub fn mark(&self, text: &[u8]) -> String {
        blake3::keyed_hash(&self.0, text).to_hex().to_string()
    }

    /// Whether a mark was made with this key for this text.
    #[must_use]
    pub fn has_made(&self, mark: &str, text: &[u8]) -> bool {
        // The time of the comparison doesn't depend on where they differ.
        blake3::Hash::from_hex(mark).is_ok_and(|mark| mark == blake3::keyed_hash(&self.0, text))
    }
}

fn read(mut file: fs::File) -> io::Result<OwnKey> {
    let facts = file.metadata()?;
    if facts.mode() & 0o077 != 0 || facts.len() != LENGTH as u64 {
        return Err(io::Error::other("it is no key, or others can read it"));
    }
    let mut key = [0; LENGTH];
    file.read_exact(&mut key)?;
    Ok(OwnKey(key))
}

impl std::fmt::Debug for OwnKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("OwnKey")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_knows_its_marks() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("deep/lop");
        let key = OwnKey::in_folder(&place).expect("it is made");
        let again = OwnKey::in_folder(&place).expect("it is there");
        let mark = key.mark(b"text");
        assert!(again.has_made(&mark, b"text") && !again.has_made(&mark, b"texts") && !again.has_made("", b"text"));
        let other = OwnKey::in_folder(&folder.path().join("other")).expect("it is made");
        assert!(!other.has_made(&mark, b"text"));
        let mode = fs::metadata(place.join(NAME)).expect("a file").mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_others_can_read_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("lop");
        OwnKey::in_folder(&place).expect("it is made");
        fs::set_permissions(place.join(NAME), fs::Permissions::from_mode(0o644)).expect("our own file");
        OwnKey::in_folder(&place).expect_err("others can read it");
    }
}
