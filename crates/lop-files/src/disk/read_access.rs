//! Permissions of what lop makes of a file: only users who may read that file may read it.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, Stat};

/// Reading and writing, for the group and for others.
const SHARED: u32 = 0o066;
/// Reading, for the group and for others.
const READING: u32 = 0o044;

/// The permissions that a new file may have at most, because another file has no more. Its owner may always read and
/// write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAccess {
    shared: u32,
    /// The group that the permissions of a group are about; `None` where there are none.
    group: Option<u32>,
}

impl ReadAccess {
    /// Only the user.
    pub const OWN: ReadAccess = ReadAccess { shared: 0, group: None };

    /// The users who may read or write a file with these facts.
    #[must_use]
    pub fn of(facts: &Metadata) -> Self {
        ReadAccess { shared: facts.mode() & SHARED, group: Some(facts.gid()) }
    }

    /// The users who may read or write this file; only the user where that cannot be told.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        fs::metadata(path).map_or(Self::OWN, |facts| Self::of(&facts))
    }

    /// The same without those who may write.
    #[must_use]
    pub fn readers(self) -> Self {
        ReadAccess { shared: self.shared & READING, ..self }
    }

    /// The part of these permissions that goes with this audience, for a file of this group.
    #[must_use]
    pub fn narrow(self, mode: u32, group: u32) -> u32 {
        mode & (self.bits(group) | !SHARED) & 0o777
    }

    /// The mode to make a file with, in a folder with these facts.
    pub(super) fn file_mode(self, folder: &Stat) -> u32 {
        0o600 | self.bits(group_in(folder))
    }

    /// The mode to make a folder with, in another with these facts: readers may look into it.
    pub(super) fn folder_mode(self, folder: &Stat) -> u32 {
        let reading = self.bits(group_in(folder)) & READING;
        0o700 | reading | reading >> 2
    }

    /// The permissions for the group and for others. Where the group is another one, each of the two gets what both had.
    fn bits(self, group: u32) -> u32 {
        if self.group == Some(group) {
            return self.shared;
        }
        let both = self.shared & self.shared >> 3 & 0o6;
        both | both << 3
    }
}

/// The group that a new file gets.
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
