//! Languages that aren't built in: a parser in a shared library, and the texts next to it. Only a named library is
//! loaded.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lop_parser::{BUILD_A_PARSER, Catalog, Folder, LoadError, Parser, Texts};
use tree_sitter::{Language, LanguageMetadata};

use lop_files::disk;

use super::language_toml::{self, LanguageToml};
use super::problem::{GrammarError, Origin, Problem};
use super::{Grammar, rule_place};

/// The name of the file, as tree-sitter writes it.
const NODE_TYPES: &str = "node-types.json";

/// The prefix of a path in the key `parser`.
const FILE: &str = "file:";

/// No parser is larger.
const LARGEST: u64 = 1 << 30;

/// No text is larger.
const LARGEST_TEXT: u64 = 64 << 20;

/// A language that was read from the user's files, with its parser in memory.
#[derive(Debug)]
pub struct Loaded {
    name: String,
    directory: String,
    language: String,
    rules: String,
    inherited: Vec<Texts<'static>>,
    node_types: String,
    parser: Code,
    release: String,
    identity: String,
    catalog: &'static Catalog,
}

/// Why a language cannot be read.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum LoadedError {
    /// A file cannot be read.
    #[diagnostic(code(grammar))]
    #[error("cannot read {}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// There is no parser in a folder.
    #[diagnostic(code(grammar), help("{BUILD_A_PARSER}"))]
    #[error("{} has no parser for this system: neither language.toml nor parser.so, nor one in prebuilds or build", .0.display())]
    NoParser(PathBuf),
    /// The library of the parser cannot be used.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Library(#[from] LoadError),
    /// A file of the language is wrong.
    #[diagnostic(transparent)]
    #[error(transparent)]
    Language(#[from] GrammarError),
}

/// The names of the languages that a library has parsers for, with the functions that give these. Nothing of it is loaded:
/// its file is read. Empty when it is no library for this system.
#[must_use]
pub fn parsers_in(library: &Path) -> Vec<(String, String)> {
    let Ok(content) = disk::read(library, LARGEST) else { return Vec::new() };
    let symbols = lop_parser::parsers(library, &content).unwrap_or_default();
    symbols.into_iter().map(|symbol| (lop_parser::language(&symbol), symbol)).collect()
}

/// Finds the library in the folder of a parser, if there is one for this system.
#[must_use]
pub fn library_in(folder: &Path) -> Option<PathBuf> {
    Some(ParserFiles::of(folder).ok()?.library).filter(|library| library.is_file())
}

/// The function that gives a parser.
struct Code(lop_parser::Loaded);

impl Code {
    /// The parser of texts that have no other, which is not read from a file.
    fn of_structure() -> (Self, Vec<u8>) {
        let loaded =
            lop_parser::Loaded { language: lop_parser::STRUCTURE, symbol: lop_parser::STRUCTURE_NAME.to_owned() };
        (Code(loaded), Vec::new())
    }

    fn name(&self) -> String {
        lop_parser::language(&self.0.symbol)
    }

    /// The function's name, and the version that newer parsers say of themselves.
    fn release(&self) -> String {
        let symbol = &self.0.symbol;
        match Language::new(self.0.language).metadata() {
            Some(LanguageMetadata { major_version, minor_version, patch_version }) => {
                format!("{symbol} {major_version}.{minor_version}.{patch_version}")
            }
            None => symbol.clone(),
        }
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.symbol)
    }
}

/// Where the parts of a parser are.
struct ParserFiles {
    library: PathBuf,
    /// Where its descriptions may be.
    folders: Vec<PathBuf>,
}

impl Loaded {
    /// Reads a language and loads its parser: a shared library, a folder with a `language.toml` whose `parser` is
    /// `file:PATH` or `structure`, or the folder of a parser's npm package. Beside a library its `node-types.json` is
    /// taken if they are there. `symbol` is the function that gives the parser, for libraries with several.
    ///
    /// This runs the library's code, so the path must come from the user. The library stays loaded until the program
    /// ends.
    ///
    /// # Errors
    /// When something cannot be read, is wrong, or is no parser for this system.
    pub fn open(path: &Path, symbol: Option<&str>, languages: &'static Catalog) -> Result<Self, LoadedError> {
        let own = path.join(language_toml::FILE_NAME);
        if own.is_file() { Self::of_folder(path, symbol, languages) } else { Self::of_parser(path, symbol, languages) }
    }

    /// The language, as if it were built in.
    #[must_use]
    pub fn folder(&self) -> Folder<'_> {
        Folder {
            name: &self.name,
            directory: &self.directory,
            language: &self.language,
            rules: &self.rules,
            guard: "",
            user: None,
            inherited: &self.inherited,
            sample: None,
            parser: Parser { language: self.parser.0.language, node_types: &self.node_types, release: &self.release },
            catalog: self.catalog,
        }
    }

    /// The language's name: that of its folder, or of the function that returns the parser.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash of all files that were read, to detect changes.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The grammar.
    ///
    /// # Errors
    /// The errors of [`Grammar::load`].
    pub fn load(&self) -> Result<Grammar, GrammarError> {
        Grammar::load(&self.folder())
    }

    fn of_folder(path: &Path, symbol: Option<&str>, catalog: &'static Catalog) -> Result<Self, LoadedError> {
        let directory = shown(path);
        let read = |name| Ok::<_, LoadedError>(text(&path.join(name))?.unwrap_or_default());
        let language = read(language_toml::FILE_NAME)?;
        let absolute = path.canonicalize().map_err(|source| LoadedError::Unread { path: path.to_owned(), source })?;
        let name = absolute.file_name().unwrap_or(absolute.as_os_str()).to_string_lossy().into_owned();
        let origin = Origin { folder: &name, file: language_toml::FILE_NAME, text: &language };
        let here = |error: GrammarError| error.moved(&name, &directory);
        let file = LanguageToml::parse(origin).map_err(here)?.language;
        let (word, offset) = file.parser.as_ref().map_or(("", 0), |word| (word.get_ref().as_str(), word.span().start));
        let (node_types, (parser, library)) = if word == lop_parser::STRUCTURE_NAME {
            (lop_parser::STRUCTURE_NODE_TYPES.to_owned(), Code::of_structure())
        } else if let Some(parser) = word.strip_prefix(FILE) {
            let files = ParserFiles::of(&path.join(parser))?;
            let either = |own: String, name| if own.is_empty() { files.text(name) } else { Ok(own) };
            (either(read(NODE_TYPES)?, NODE_TYPES)?, files.load(symbol.or(file.constant.as_deref()))?)
        } else {
            let structure = lop_parser::STRUCTURE_NAME;
            let problem =
                format!("outside of lop `parser` is a file: parser = \"{FILE}PATH\"; or none: \"{structure}\"");
            return Err(here(origin.error(offset, Problem::Toml(problem))).into());
        };
        let rules = read(rule_place::RULES)?;
        let inherited = match &file.extends {
            Some(word) => inherited(word.get_ref(), catalog)
                .ok_or_else(|| here(origin.error(word.span().start, Problem::Toml(no_such(word.get_ref())))))?,
            None => Vec::new(),
        };
        let identity = identity(&[&library, language.as_bytes(), rules.as_bytes(), node_types.as_bytes()]);
        let release = parser.release();
        Ok(Self { name, directory, language, rules, inherited, node_types, parser, release, identity, catalog })
    }

    fn of_parser(path: &Path, symbol: Option<&str>, catalog: &'static Catalog) -> Result<Self, LoadedError> {
        let files = ParserFiles::of(path)?;
        let node_types = files.text(NODE_TYPES)?;
        let (parser, library) = files.load(symbol)?;
        let identity = identity(&[&library, node_types.as_bytes()]);
        Ok(Self {
            name: parser.name(),
            directory: shown(path),
            language: String::new(),
            rules: String::new(),
            inherited: Vec::new(),
            node_types,
            release: parser.release(),
            parser,
            identity,
            catalog,
        })
    }
}

/// Returns the texts that a language inherits from a built-in one; `None` if there is no language with this name.
fn inherited(name: &str, languages: &Catalog) -> Option<Vec<Texts<'static>>> {
    let folder = languages.find(name)?;
    Some(std::iter::once(folder.texts()).chain(folder.inherited.iter().copied()).collect())
}

fn no_such(name: &str) -> String {
    format!("it extends `{name}`, and no language of this name is built in")
}

impl ParserFiles {
    /// Describes a library, or the folder of a parser.
    fn of(path: &Path) -> Result<Self, LoadedError> {
        if !path.is_dir() {
            let mut folders: Vec<PathBuf> = path.parent().map(Path::to_owned).into_iter().collect();
            // A package keeps the libraries for all systems together, and the descriptions once.
            let package =
                path.ancestors().nth(3).filter(|_| path.ancestors().nth(2).is_some_and(|p| p.ends_with("prebuilds")));
            folders.extend(package.map(|package| package.join("src")));
            return Ok(Self { library: path.to_owned(), folders });
        }
        let (system, processor) = system();
        let named = [
            path.join(if cfg!(target_vendor = "apple") { "parser.dylib" } else { "parser.so" }),
            path.join("parser.so"),
            path.join(format!("prebuilds/prebuild-{}-{}/parser.so", system.1, processor.to_uppercase())),
        ];
        let folders = [format!("prebuilds/{}-{processor}", system.0), "build/Release".to_owned()];
        let library = named.into_iter().find(|path| path.is_file());
        let library = library.or_else(|| folders.iter().find_map(|folder| module(&path.join(folder))));
        let library = library.ok_or_else(|| LoadedError::NoParser(path.to_owned()))?;
        Ok(Self { library, folders: vec![path.to_owned(), path.join("src")] })
    }

    /// A description of the parser, empty when there is none.
    fn text(&self, name: &str) -> Result<String, LoadedError> {
        let mut found = self.folders.iter().map(|folder| text(&folder.join(name))).filter_map(Result::transpose);
        found.next().unwrap_or(Ok(String::new()))
    }

    /// The parser, and the content of its library.
    fn load(&self, symbol: Option<&str>) -> Result<(Code, Vec<u8>), LoadedError> {
        let path = &self.library;
        let content = disk::read(path, LARGEST);
        let content = content.map_err(|source| LoadedError::Unread { path: path.clone(), source })?;
        let parser = lop_parser::load(path, &content, symbol)?;
        Ok((Code(parser), content))
    }
}

/// This system and its processor, as npm packages name them: (`linux`, `Linux`) and `x64`.
fn system() -> ((&'static str, &'static str), &'static str) {
    let system = if cfg!(target_vendor = "apple") { ("darwin", "macOS") } else { ("linux", "Linux") };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    (system, processor)
}

/// The module for Node.js in a folder: the first by its name.
fn module(folder: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "node")).min()
}

fn text(path: &Path) -> Result<Option<String>, LoadedError> {
    let text = disk::read(path, LARGEST_TEXT)
        .and_then(|text| String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error)));
    match text {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LoadedError::Unread { path: path.to_owned(), source }),
    }
}

fn shown(path: &Path) -> String {
    let shown = path.display().to_string();
    shown.trim_end_matches('/').to_owned()
}

fn identity(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_string()
}
