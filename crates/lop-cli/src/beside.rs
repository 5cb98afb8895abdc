//! Copies the files of `--with`, so that tests find them next to the candidate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lop_files::tree::CopyLimits;
use lop_report::{Kept, state_directory};
use lop_run::oracle::{SideFile, SideFileError, SlotOptions};

/// Copies the files and directories at these paths. A copy of a directory with the test case in it leaves out the test
/// case and what lop writes: no test may find the original, nor anything that a reduction changes.
///
/// # Errors
/// When one of them is missing or cannot be copied.
pub(crate) fn side_files(paths: &[PathBuf], input: &Path, kept: &Kept) -> Result<Vec<Arc<SideFile>>, SideFileError> {
    let own = |path: &Path, ending: &str| {
        let mut name = path.components().collect::<PathBuf>().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut but = vec![input.to_owned(), own(input, ".orig"), own(input, ".lop"), state_directory(input, kept)];
    if let Kept::File(output) = kept {
        but.extend([output.clone(), own(output, ".orig")]);
    }
    // They need not be there yet.
    let real = |path: &PathBuf| {
        let folder = std::path::absolute(path).ok()?.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    let but: Vec<PathBuf> = but.iter().filter_map(real).collect();
    let slots = SlotOptions::of_program(0);
    paths.iter().map(|path| SideFile::copy(path, &but, CopyLimits::NAMED, &slots).map(Arc::new)).collect()
}
