//! Permissions of the files that lop makes from another file: only users who can read that file can read them.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, Stat};

/// Reading and writing, for the group and for others.
const SHARED: u32 = 0o066;
/// Reading, for the group and for others.
const READING: u32 = 0o044;

/// The most permissive mode for a new file: that of another file. The owner can always read and write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAccess {
    shared: u32,
    /// The group that the group permissions apply to, if there are any.
    group: Option<u32>,
}

impl ReadAccess {
    /// Allows only the user.
    pub const OWN: ReadAccess = ReadAccess { shared: 0, group: None };

    /// Allows the users who can read or write a file with this metadata.
    #[must_use]
    pub fn of(facts: &Metadata) -> Self {
        ReadAccess { shared: facts.mode() & SHARED, group: Some(facts.gid()) }
    }

    /// Allows the users who can read or write this file, or only the user if the metadata cannot be read.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        fs::metadata(path).map_or(Self::OWN, |facts| Self::of(&facts))
    }

    /// Drops the permission to write.
    #[must_use]
    pub fn readers(self) -> Self {
        ReadAccess { shared: self.shared & READING, ..self }
    }

    /// Limits these permissions for a file of this group.
    #[must_use]
    pub fn narrow(self, mode: u32, group: u32) -> u32 {
        mode & (self.bits(group) | !SHARED) & 0o777
    }

    /// The mode for a new file in a directory with this metadata.
    pub(super) fn file_mode(self, folder: &Stat) -> u32 {
        0o600 | self.bits(group_in(folder))
    }

    /// The mode for a new directory in one with this metadata; readers can list it.
    pub(super) fn folder_mode(self, folder: &Stat) -> u32 {
        let reading = self.bits(group_in(folder)) & READING;
        0o700 | reading | reading >> 2
    }

    /// The permissions for the group and for others. If the group differs, both get the permissions that both had.
    fn bits(self, group: u32) -> u32 {
        if self.group == Some(group) {
            return self.shared;
        }
        let both = self.shared & self.shared >> 3 & 0o6;
        both | both << 3
    }
}

/// The group of a new file.
fn group_in(folder: &Stat) -> u32 {
    if cfg!(target_os = "linux") && !Mode::from_raw_mode(folder.st_mode).contains(Mode::SGID) {
        rustix::process::getegid().as_raw()
    } else {
        folder.st_gid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wider_and_another_group_gets_what_all_had() {
        let audience = |shared| ReadAccess { shared, group: Some(7) };
        for (shared, group, bits) in
            [(0o044, 7, 0o044), (0o040, 7, 0o040), (0o040, 8, 0), (0o064, 8, 0o044), (0o004, 8, 0), (0o066, 8, 0o066)]
        {
            assert_eq!(audience(shared).bits(group), bits, "{shared:o} {group}");
        }
        assert_eq!(ReadAccess::OWN.bits(7), 0);
        assert_eq!(audience(0o064).readers().bits(7), 0o044);
        assert_eq!((audience(0o040).narrow(0o6755, 7), audience(0o040).narrow(0o755, 8)), (0o751, 0o711));
    }
}
