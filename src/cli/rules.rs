//! `--rules DIR`: a user's own rules and facts about the language in use.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk;
use crate::grammar::{Choice, Folder, Grammar, Overrides, Patched, Registry};

use super::failure::Failure;

/// What is read of the folder.
pub(super) const FILES: [&str; 2] = ["language.toml", "reduce.scm"];

/// No file of rules is larger.
pub(super) const LARGEST: u64 = 16 << 20;

/// Why a user's rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// A file, or the folder itself, cannot be read.
    #[error("cannot read {}", path.display())]
    Unread {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Nothing in the folder is for lop.
    #[error("{} has neither language.toml nor reduce.scm", .0.display())]
    Nothing(PathBuf),
    /// There is no language that the rules could be about.
    #[error("--rules {} adds to a language, and this is text without a grammar", .0.display())]
    NoGrammar(PathBuf),
}

/// The grammar of a file, with the user's rules if there are any, and what made it this one; `None` is text.
///
/// # Errors
/// An unknown grammar, and whatever is wrong with the rules.
pub(super) fn grammar(
    request: &str,
    path: &Path,
    content: &[u8],
    rules: Option<&Path>,
) -> Result<(Option<Arc<Grammar>>, Choice), Failure> {
    let registry = Registry::embedded()?;
    let (folder, choice) = registry.find(request, path, content)?;
    let Some(folder) = folder else {
        return rules.map_or(Ok((None, choice)), |rules| Err(RulesError::NoGrammar(rules.to_owned()).into()));
    };
    let patched = patched(folder, rules)?;
    Ok((Some(Arc::new(patched.load()?)), choice))
}

/// A language's folder with the user's files laid over it.
///
/// # Errors
/// Whatever is wrong with the files.
pub(super) fn patched<'a>(folder: &Folder<'a>, rules: Option<&Path>) -> Result<Patched<'a>, Failure> {
    match rules {
        Some(rules) => Ok(read(rules)?.patch(folder)?),
        None => Ok(Patched::nothing(folder)),
    }
}

fn read(directory: &Path) -> Result<Overrides, RulesError> {
    fs::read_dir(directory).map_err(|source| RulesError::Unread { path: directory.to_owned(), source })?;
    let [language, rules] = FILES.map(|name| {
        let path = directory.join(name);
        let text = disk::read(&path, LARGEST);
        let text = text.and_then(|text| {
            String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        });
        match text {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(RulesError::Unread { path, source }),
        }
    });
    match (language?, rules?) {
        (None, None) => Err(RulesError::Nothing(directory.to_owned())),
        (language, rules) => {
            let shown = directory.display().to_string();
            Ok(Overrides { directory: shown.trim_end_matches('/').to_owned(), language, rules })
        }
    }
}
