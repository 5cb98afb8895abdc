//! Models in files: what `--load-model` reads and `--save-model` writes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::grammar::Grammar;
use crate::reduce::Model;
use crate::report::{Kept, Store};

use super::failure::Failure;

/// No model is larger. A row takes about a hundred bytes, and large programs make a few hundred rows.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a model and makes sure that it is about files of this grammar.
///
/// # Errors
/// When the file cannot be read, is no model, or one of something else.
pub(super) fn load(path: &Path, grammar: Option<&Grammar>) -> Result<Model, Failure> {
    let refused = |source| Failure::Model { path: path.to_owned(), source };
    let text = read(path).map_err(|source| Failure::ModelUnread { path: path.to_owned(), source })?;
    let model = Model::from_json(&text).map_err(refused)?;
    model.fits(grammar).map_err(refused)?;
    Ok(model)
}

/// The model in a journal.
///
/// # Errors
/// When it is none.
pub(super) fn kept(text: &str, journal: &Path) -> Result<Model, Failure> {
    Model::from_json(text.as_bytes()).map_err(|source| Failure::Model { path: journal.to_owned(), source })
}

/// Reads a file that may be anything, as far as a model can go.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than any model"));
    }
    Ok(text)
}

/// The place where a model will be saved.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    store: Store,
}

impl Place {
    /// Finds out whether a model can be saved there. Nothing is created or changed.
    ///
    /// # Errors
    /// When the place is missing, a directory or not writable.
    pub(super) fn open(path: PathBuf, input: &Path) -> Result<Place, Failure> {
        let store = Store::open(input, &Kept::File(path.clone())).map_err(Failure::ModelPlace)?;
        Ok(Place { path, store })
    }

    /// The name as the user gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Saves a model; what was there before stays whole until then. Somebody who reads from a pipe is waited for as long
    /// as `waits` says so.
    ///
    /// # Errors
    /// When writing fails, or nobody has read from the pipe.
    pub fn save(&mut self, model: &Model, waits: &dyn Fn() -> bool) -> Result<(), Failure> {
        let text = model.to_json();
        let saved = self.store.finish(text.as_bytes(), waits);
        saved.map_err(|source| Failure::ModelUnsaved { path: self.path.clone(), source })
    }
}
