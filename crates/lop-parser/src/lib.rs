//! Loads a tree-sitter parser from a shared library, limits parses, and contains the only unsafe code of lop.
//!
//! Before any code of a library runs, lop reads its symbol tables: they show whether it is a library for this platform
//! and has a parser. A library stays loaded until the program ends.
//!
//! Internal to lop: no version of this crate promises anything.

mod bounded;
mod folder;
mod symbols;

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use libloading::Library;
use miette::Diagnostic;
use tree_sitter_language::LanguageFn;

pub use bounded::{BoundedParser, Bounds, install_allocator};
pub use folder::{Catalog, Folder, NotBuiltIn, Parser, Texts};

unsafe extern "C" {
    fn tree_sitter_structure() -> *const ();
}

/// The parser for outlines of texts without a grammar: one byte for each token, and one for each start and end of an
/// inner node. tree-sitter has generated it from `structure/grammar.json`, which defines the bytes.
// SAFETY: the function is one that tree-sitter has generated, and gives the tables that are compiled into this crate.
pub const STRUCTURE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_structure) };

/// Its name, which is also the name of the language of all other texts.
pub const STRUCTURE_NAME: &str = "structure";

/// Its kinds of nodes are no classes of others.
pub const STRUCTURE_NODE_TYPES: &str = "[]";

/// A parser that was loaded.
#[derive(Clone)]
pub struct Loaded {
    /// The function that gives the parser.
    pub language: LanguageFn,
    /// The function's name, such as `tree_sitter_x`.
    pub symbol: String,
}

/// Why a library gives no parser.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is no shared library of a kind that lop knows.
    #[error("{} is not a shared library", .0.display())]
    NoLibrary(PathBuf),
    /// Its end is missing, as after a download that was interrupted; to load it would end the program.
    #[error("{} is cut short: get it again", .0.display())]
    CutShort(PathBuf),
    /// It is a library for another system or processor.
    #[error("{} is made for {found}, and this is {here}", path.display())]
    OtherPlatform {
        /// The library.
        path: PathBuf,
        /// The platform it is made for.
        found: String,
        /// The platform this program is made for.
        here: String,
    },
    /// It exports no parser.
    #[error("{} exports no parser: no function is called tree_sitter_NAME", .0.display())]
    NoParser(PathBuf),
    /// It exports several parsers, and its own name says nothing about which is meant.
    #[error("{} exports several parsers: {}", path.display(), symbols.join(", "))]
    Several {
        /// The library.
        path: PathBuf,
        /// The names of their functions.
        symbols: Vec<String>,
    },
    /// It does not export the function that was asked for.
    #[error("{} does not export {symbol}", path.display())]
    NoSymbol {
        /// The library.
        path: PathBuf,
        /// The symbol that was asked for.
        symbol: String,
        /// The names of the functions that give parsers.
        symbols: Vec<String>,
    },
    /// It registers itself with Node.js while it is loaded, which would end any other program.
    #[error("{} can be loaded by Node.js only", .0.display())]
    NeedsNode(PathBuf),
    /// This program was linked statically, and such a program can load nothing.
    #[error("this lop is one static program, which cannot load {}", .0.display())]
    Static(PathBuf),
    /// The system does not load it.
    #[error("the system cannot load {}", path.display())]
    System {
        /// The library.
        path: PathBuf,
        /// The error of the system.
        source: libloading::Error,
    },
    /// The function gives nothing.
    #[error("{symbol} of {} gives no parser", path.display())]
    Null {
        /// The library.
        path: PathBuf,
        /// The function.
        symbol: String,
    },
    /// The path of the library is unknown.
    #[error("cannot find {}", path.display())]
    Place {
        /// The library.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// The hint if a library gives no parser.
pub const BUILD_A_PARSER: &str = "build a library from the parser's sources with `tree-sitter build`, or install an npm \
                                  package called @ast-grep/lang-NAME, which has one";

impl Diagnostic for LoadError {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new("grammar"))
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(match self {
            LoadError::Several { symbols, .. } | LoadError::NoSymbol { symbols, .. } if !symbols.is_empty() => {
                format!("choose one with PATH#NAME: {}", symbols.join(", "))
            }
            LoadError::NoParser(_) | LoadError::NoSymbol { .. } => {
                format!("a Python package doesn't export its parser; {BUILD_A_PARSER}")
            }
            _ => BUILD_A_PARSER.to_owned(),
        }))
    }
}

/// Loads the parser of a library whose content has been read. Without a symbol, it is the only parser, or the one that
/// is named like the library, or like its folder if the library is called `parser`.
///
/// This runs the library's code: the caller has to have the user's word for the library.
///
/// # Errors
/// When the file is no library for this platform, has no such parser, or the system refuses it.
pub fn load(path: &Path, content: &[u8], symbol: Option<&str>) -> Result<Loaded, LoadError> {
    if cfg!(target_feature = "crt-static") {
        return Err(LoadError::Static(path.to_owned()));
    }
    let found = symbols::read(path, content)?;
    let symbol = choose(path, found, symbol)?;
    // The system would look up a name without a slash among its own libraries.
    let place = path.canonicalize().map_err(|source| LoadError::Place { path: path.to_owned(), source })?;
    let language = open(path, &place, &symbol)?;
    Ok(Loaded { language, symbol })
}

/// The functions in a library that give parsers, as its file says: no code of it runs.
///
/// # Errors
/// When the file is no library for this platform.
pub fn parsers(path: &Path, content: &[u8]) -> Result<Vec<String>, LoadError> {
    symbols::read(path, content)
}

/// The language in the name of such a function: `tree_sitter_c_sharp` is `c-sharp`.
#[must_use]
pub fn language(symbol: &str) -> String {
    symbols::name(symbol).replace('_', "-")
}

/// The unsafe part: `place` is a library of this platform that exports the function `symbol`.
fn open(path: &Path, place: &Path, symbol: &str) -> Result<LanguageFn, LoadError> {
    let system = |source| LoadError::System { path: path.to_owned(), source };
    // SAFETY: Loading runs the library's initialisers, about which nothing is known. Those of parsers made by
    // tree-sitter do nothing, and the user has named this library. Functions are bound on their first call, so that
    // functions of Node.js need not exist.
    let library = unsafe { Library::new(place) }.map_err(system)?;
    // SAFETY: By tree-sitter's convention a function of this name takes nothing and returns a pointer to a language.
    let found = unsafe { library.get::<unsafe extern "C" fn() -> *const ()>(symbol.as_bytes()) };
    let function = *found.map_err(system)?;
    // Languages, trees and the functions of the scanner point into the library for as long as they live, and they are
    // not counted. So it is never unloaded; a program loads a few at most.
    mem::forget(library);
    // SAFETY: As above; the library stays loaded, and the function only returns the address of a constant.
    let language = unsafe { function() };
    if language.is_null() {
        return Err(LoadError::Null { path: path.to_owned(), symbol: symbol.to_owned() });
    }
    // SAFETY: The function is a parser's, as far as its name and its answer tell, and stays loaded.
    Ok(unsafe { LanguageFn::from_raw(function) })
}

fn choose(path: &Path, mut found: Vec<String>, wanted: Option<&str>) -> Result<String, LoadError> {
    let path_of = || path.to_owned();
    if let Some(wanted) = wanted {
        return match found.iter().any(|symbol| symbol == wanted) {
            true => Ok(wanted.to_owned()),
            false => Err(LoadError::NoSymbol { path: path_of(), symbol: wanted.to_owned(), symbols: found }),
        };
    }
    match found.len() {
        0 => Err(LoadError::NoParser(path_of())),
        1 => Ok(found.remove(0)),
        _ => {
            let named = named_after(path).and_then(|name| found.iter().find(|symbol| symbols::name(symbol) == name));
            named.cloned().ok_or_else(|| LoadError::Several { path: path_of(), symbols: found.clone() })
        }
    }
}

/// The language that a library is named after, as a part of a symbol: `libtree-sitter-c-sharp.so` is `c_sharp`, and so is
/// `lang-c-sharp/parser.so`.
fn named_after(path: &Path) -> Option<String> {
    let plain = |name: Option<&OsStr>| Some(name?.to_str()?.replace('-', "_"));
    let mut name = plain(path.file_stem())?;
    if name == "parser" {
        name = plain(path.parent()?.file_name())?;
    }
    let name = ["lib", "tree_sitter_", "lang_"]
        .iter()
        .fold(name.as_str(), |name, start| name.strip_prefix(start).unwrap_or(name));
    let name = ["_parser", "_binding"].iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(path: &str, found: &[&str], wanted: Option<&str>) -> Result<String, String> {
        let found = found.iter().map(|symbol| (*symbol).to_owned()).collect();
        choose(Path::new(path), found, wanted).map_err(|error| error.to_string())
    }

    #[test]
    fn the_only_parser_is_taken_whatever_the_file_is_called() {
        assert_eq!(chosen("x.so", &["tree_sitter_a"], None), Ok("tree_sitter_a".to_owned()));
        assert!(chosen("x.so", &[], None).is_err_and(|said| said.contains("exports no parser")));
    }

    #[test]
    fn of_several_the_one_is_taken_that_the_file_is_named_after() {
        let both = ["tree_sitter_a", "tree_sitter_a_b"];
        for (path, symbol) in [
            ("libtree-sitter-a.so", both[0]),
            ("tree_sitter_a_binding.node", both[0]),
            ("a.so", both[0]),
            ("tree-sitter-a-b.node", both[1]),
            ("node_modules/lang-a-b/parser.so", both[1]),
            ("tree-sitter-a/parser.dylib", both[0]),
        ] {
            assert_eq!(chosen(path, &both, None), Ok(symbol.to_owned()), "{path}");
        }
        let said = chosen("x.so", &both, None).expect_err("neither");
        assert_eq!(said, "x.so exports several parsers: tree_sitter_a, tree_sitter_a_b");
    }

    #[test]
    fn what_is_asked_for_has_to_be_there() {
        let both = ["tree_sitter_a", "tree_sitter_b"];
        assert_eq!(chosen("a.so", &both, Some("tree_sitter_b")), Ok("tree_sitter_b".to_owned()));
        assert!(chosen("a.so", &both, Some("tree_sitter_c")).is_err_and(|said| said.contains("does not export")));
    }
}
