//! Finds parsers that other programs have installed. lop never loads them without the user's command.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lop_files::disk;
use lop_grammar::{library_in, parsers_in};

/// The owners of parsers, and their places. A part in braces is a folder of the user or a variable, see [`base`]; `*`
/// is any name.
const PLACES: [(&str, &str); 21] = [
    ("Helix", "{config}/helix/runtime/grammars/*"),
    ("Helix", "{HELIX_RUNTIME}/grammars/*"),
    ("Helix", "{HELIX_DEFAULT_RUNTIME}/grammars/*"),
    ("Helix", "/usr/lib/helix/runtime/grammars/*"),
    ("Helix", "/usr/local/lib/helix/runtime/grammars/*"),
    ("Helix", "/usr/share/helix/runtime/grammars/*"),
    ("Helix", "/opt/homebrew/opt/helix/libexec/runtime/grammars/*"),
    ("Neovim", "{VIMRUNTIME}/parser/*"),
    ("Neovim", "/usr/lib/nvim/parser/*"),
    ("Neovim", "/usr/lib/*/nvim/parser/*"),
    ("Neovim", "/usr/local/lib/nvim/parser/*"),
    ("Neovim", "/opt/homebrew/lib/nvim/parser/*"),
    ("Neovim", "/opt/*/lib/nvim/parser/*"),
    ("nvim-treesitter", "{data}/nvim/site/parser/*"),
    ("nvim-treesitter", "{data}/nvim/site/pack/*/*/nvim-treesitter/parser/*"),
    ("nvim-treesitter", "{data}/nvim/lazy/nvim-treesitter/parser/*"),
    ("nvim-treesitter", "{data}/nvim/plugged/nvim-treesitter/parser/*"),
    ("tree-sitter", "{cache}/tree-sitter/lib/*"),
    ("tree-sitter", "{TREE_SITTER_LIBDIR}/*"),
    ("tree-sitter", "/usr/lib/tree-sitter/*"),
    ("language pack", "{cache}/tree-sitter-language-pack/*/libs/*"),
];

/// Where tree-sitter's own program says in which folders its user keeps parsers.
const CONFIGURATION: &str = "{config}/tree-sitter/config.json";

/// No file of it is larger.
const LARGEST: u64 = 1 << 20;

/// A parser of another program.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Installed {
    /// Its language.
    pub(super) language: String,
    /// Whose it is.
    pub(super) owner: &'static str,
    /// The library.
    pub(super) library: PathBuf,
    /// The function that returns it, if the library has several.
    pub(super) symbol: Option<String>,
}

/// All that are found, by language.
pub(super) fn installed() -> Vec<Installed> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    found(&variable)
}

fn found(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<Installed> {
    let mut libraries: Vec<(&str, PathBuf)> = Vec::new();
    for (owner, pattern) in PLACES {
        libraries.extend(matching(pattern, variable).into_iter().map(|path| (owner, path)));
    }
    libraries.extend(configured(variable).into_iter().map(|path| ("tree-sitter", path)));
    // Two names of one file are one parser.
    let mut known = BTreeSet::new();
    libraries.retain(|(_, path)| path.canonicalize().is_ok_and(|place| known.insert(place)));
    let mut all = Vec::new();
    for (owner, library) in libraries {
        let parsers = parsers_in(&library);
        let several = parsers.len() > 1;
        all.extend(parsers.into_iter().map(|(language, symbol)| Installed {
            language,
            owner,
            library: library.clone(),
            symbol: several.then_some(symbol),
        }));
    }
    all.sort();
    all
}

/// Returns the folder that a name in braces means.
fn base(name: &str, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let in_home = |folder: &str| Some(variable("HOME")?.join(folder));
    let apple = cfg!(target_vendor = "apple");
    match name {
        "config" => variable("XDG_CONFIG_HOME").or_else(|| in_home(".config")),
        "data" => variable("XDG_DATA_HOME").or_else(|| in_home(".local/share")),
        "cache" if apple => in_home("Library/Caches"),
        "cache" => variable("XDG_CACHE_HOME").or_else(|| in_home(".cache")),
        other => variable(other),
    }
}

/// Returns the paths that match a pattern.
fn matching(pattern: &str, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for part in pattern.trim_start_matches('/').split('/') {
        if let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            paths = base(name, variable).into_iter().collect();
        } else if part == "*" {
            paths = paths.iter().flat_map(|path| inside(path)).collect();
        } else {
            paths.iter_mut().for_each(|path| path.push(part));
        }
    }
    paths
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The parsers in the folders that tree-sitter is configured with: those of them that are built.
fn configured(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let read = |path: &PathBuf| serde_json::from_slice::<serde_json::Value>(&disk::read(path, LARGEST).ok()?).ok();
    let configuration = matching(CONFIGURATION, variable).iter().find_map(read).unwrap_or_default();
    let folders = configuration["parser-directories"].as_array().into_iter().flatten().filter_map(|path| path.as_str());
    folders.flat_map(|folder| inside(Path::new(folder))).filter_map(|parser| library_in(&parser)).collect()
}
