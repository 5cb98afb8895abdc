//! The files on a command line: checks that no output replaces an input, and that no input can block forever.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use lop_files::disk::{self, Distrusted};
use lop_files::project::MOST_BYTES;
use lop_report::store::original_name;

use super::failure::Failure;

/// Reads a regular file. A pipe or a device can be endless, or have no data yet.
///
/// # Errors
/// When it is something else, or cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    disk::read(path, MOST_BYTES).map_err(|source| match source.kind() {
        io::ErrorKind::FileTooLarge => too_large(path),
        // A directory without read permission gives no other sign of being one.
        io::ErrorKind::IsADirectory => Failure::InputIsDirectory(path.to_owned()),
        _ if Distrusted::cause(&source).is_some() => Failure::InputIsSpecial(path.to_owned()),
        _ => Failure::Input { path: path.to_owned(), source },
    })
}

/// The failure for a test case that is too large to be in memory several times.
pub(super) fn too_large(path: &Path) -> Failure {
    Failure::Usage {
        message: format!("{} is larger than {} MiB", path.display(), MOST_BYTES >> 20),
        hint: "cut it first, for example with `head -c` or `split`, as long as the bug is still there".to_owned(),
    }
}

/// The files that lop reads, and those that it writes except for standard output.
pub(super) struct CheckedFiles<'p> {
    pub(super) input: &'p Path,
    pub(super) program: &'p Path,
    pub(super) output: Option<&'p Path>,
    pub(super) made: Option<&'p Path>,
    pub(super) json: Option<&'p Path>,
    pub(super) report: Option<&'p Path>,
}

impl CheckedFiles<'_> {
    /// Checks that no written file is one that is needed, or written twice. The output is compared with the input when
    /// it is opened.
    ///
    /// # Errors
    /// The first name that is taken.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let original = original_name(self.input);
        let program = (self.program, "the test's program");
        let result = self.output.map(|output| (output, "the result"));
        let input = [(self.input, "the file to reduce"), (original.as_path(), "the backup of the original"), program];
        let events = self.json.map(|json| (json, "the file for events"));
        free("-o", self.output, [program].into_iter())?;
        free("--made", self.made, input.into_iter().chain(result))?;
        free("--json", self.json, input.into_iter().chain(result))?;
        free("--report", self.report, input.into_iter().chain(result).chain(events))
    }
}

fn free<'p>(
    option: &str,
    name: Option<&Path>,
    mut taken: impl Iterator<Item = (&'p Path, &'static str)>,
) -> Result<(), Failure> {
    let Some(name) = name else { return Ok(()) };
    match taken.find(|(path, _)| is_same(name, path)) {
        None => Ok(()),
        Some((_, what)) => Err(Failure::Usage {
            message: format!("`{option} {}` would overwrite {what}", name.display()),
            hint: "name another file".to_owned(),
        }),
    }
}

/// Whether two names belong to one file, or will when it is created. Several outputs can share a device.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()),
        (Err(_), Err(_)) => {
            let place = |path: &Path| {
                let directory = match path.parent() {
                    Some(directory) if !directory.as_os_str().is_empty() => directory,
                    _ => Path::new("."),
                };
                Some(fs::canonicalize(directory).ok()?.join(path.file_name()?))
            };
            place(one).is_some_and(|one| place(other) == Some(one))
        }
        _ => false,
    }
}
