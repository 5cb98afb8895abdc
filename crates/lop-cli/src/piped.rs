//! `-` as FILE: the test case is read from standard input, and gets a name here.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lop_grammar::Grammar;

use super::failure::Failure;
use super::files;
use lop_files::project::MOST_BYTES;

/// The name of the candidate, before the extension of its language.
const NAME: &str = "stdin";

/// The name that means standard output.
pub(super) const DASH: &str = "-";

/// Whether a path of the command line means standard output.
#[must_use]
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == DASH
}

/// Whether a path of the command line means standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    // The same sign means both.
    is_stdout(path)
}

/// All of it.
///
/// # Errors
/// The error of the system.
pub(super) fn read() -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    let path = PathBuf::from("standard input");
    match io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut content) {
        Ok(read) if read as u64 > MOST_BYTES => Err(files::too_large(&path)),
        Ok(_) => Ok(content),
        Err(source) => Err(Failure::Input { path, source }),
    }
}

/// Returns the name of a candidate: that of `path`, or for standard input a name with the extension of its language.
pub(super) fn name(path: PathBuf, grammar: Option<&Grammar>) -> PathBuf {
    if !is_stdin(&path) {
        return path;
    }
    let name = PathBuf::from(NAME);
    grammar.and_then(|grammar| grammar.extensions().first()).map_or(name.clone(), |first| name.with_extension(first))
}
