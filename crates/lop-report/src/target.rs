//! The files that results replace, in directories that are open from the start.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use lop_files::disk::{Folder, ReadAccess};

use super::result_file::{LeftAs, StoreError, check_directory, free_name, parent};

/// A file that results replace.
#[derive(Debug)]
pub(super) struct Target {
    /// The name as the user gave it, for messages.
    pub(super) name: PathBuf,
    /// The folder of the place, for the original and for results next to the place. It is open from the start, like
    /// `folder`: otherwise the owner of a parent folder could redirect a run.
    pub(super) near: Folder,
    /// The folder of the file after all symbolic links.
    pub(super) folder: Folder,
    /// That file's name.
    pub(super) file: OsString,
    /// The place of the original before the first write.
    pub(super) original: Option<PathBuf>,
    /// The mode and the owner of the replaced file.
    pub(super) like: Option<Metadata>,
    /// Readers of the input: the result has the same.
    pub(super) audience: ReadAccess,
    /// The state in which lop has left the place; any other is another program's writing.
    pub(super) left: LeftAs,
    /// The place of results since another program has written there.
    pub(super) beside: Option<PathBuf>,
}

impl Target {
    /// A file that nothing has the name of, for those who may read the input.
    pub(super) fn new_file(output: &Path, input: &Path) -> Result<Target, StoreError> {
        if output.symlink_metadata().is_ok() {
            let source = io::Error::other("it is a symbolic link to nothing");
            return Err(StoreError::NotWritable { output: output.to_owned(), source });
        }
        if output.file_name().is_none() || output.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(StoreError::OutputIsDirectory(output.to_owned()));
        }
        check_directory(output, &parent(output))?;
        let open =
            || Folder::of(output).map_err(|source| StoreError::NotWritable { output: output.to_owned(), source });
        let ((near, _), (folder, file)) = (open()?, open()?);
        Ok(Target {
            name: output.to_owned(),
            near,
            folder,
            file,
            original: None,
            like: None,
            audience: ReadAccess::of_file(input),
            left: LeftAs::nothing(),
            beside: None,
        })
    }

    /// Opens an existing file, to be replaced at its real path. Readers of the input can read the result.
    pub(super) fn existing(name: &Path, input: &Path) -> Result<Target, StoreError> {
        let failed = |source| StoreError::NotWritable { output: name.to_owned(), source };
        let path = fs::canonicalize(name).map_err(failed)?;
        let (near, _) = Folder::of(name).map_err(failed)?;
        let (folder, file) = Folder::of(&path).map_err(failed)?;
        // Renaming would bypass a read-only mode, which protects the file.
        let like = folder.open_any(&file, true).and_then(|file| file.metadata()).map_err(failed)?;
        check_directory(name, &parent(&path))?;
        Ok(Target {
            name: name.to_owned(),
            original: None,
            left: LeftAs::found(&folder, &file),
            near,
            folder,
            file,
            like: Some(like),
            audience: ReadAccess::of_file(input),
            beside: None,
        })
    }

    /// Where results go.
    pub(super) fn place(&self) -> (&Folder, &OsStr) {
        self.beside.as_ref().map_or((&self.folder, &self.file), |beside| (&self.near, last(beside)))
    }

    /// Redirects results to an unused name next to the place.
    pub(super) fn go_beside(&mut self) {
        self.beside.get_or_insert_with(|| free_name(&self.near, &self.name, ".reduced"));
    }

    /// A message for a user who looks for the result in its place.
    pub(super) fn notice(&self) -> Option<String> {
        let (name, beside) = (self.name.display(), self.beside.as_ref()?.display());
        Some(format!("{name} was changed by another program, so lop leaves it as it is; the result goes to {beside}"))
    }
}

/// The name at the end of a path.
pub(super) fn last(path: &Path) -> &OsStr {
    path.file_name().expect("the name of a file with an ending")
}
