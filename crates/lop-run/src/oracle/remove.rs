//! Removes a test's directory, in any state that the test has left it in.

use std::fs;
use std::io;
use std::path::Path;

/// Removes a directory and everything in it, even if it was made read-only, or a process still writes into it.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    const TRIES: usize = 4;
    let mut result = Ok(());
    for attempt in 0..TRIES {
        if attempt > 0 {
            make_writable(path);
        }
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => result = Err(error),
            _ => return Ok(()),
        }
    }
    result
}

/// Gives its owner every right on a directory and on those in it.
fn make_writable(path: &Path) {
    // A link that a test has put in the place of its directory would be followed, and rights changed elsewhere.
    let is_directory = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    let mut rest = if is_directory { vec![path.to_owned()] } else { Vec::new() };
    while let Some(directory) = rest.pop() {
        let _ = fs::set_permissions(&directory, std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        // `file_type` does not follow links: nothing outside is touched.
        let directories = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        rest.extend(directories.map(|entry| entry.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_change_in_the_slot_only() {
        use std::os::unix::fs::PermissionsExt;
        let [outside, slot] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        let link = slot.path().join("tmp");
        std::os::unix::fs::symlink(outside.path(), &link).expect("a link");
        make_writable(&link);
        let mode = fs::metadata(outside.path()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
