//! The typed options about the language of FILE.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use lop_languages::LANGUAGES;

use lop_grammar::{AUTO, Loaded};

use super::failure::Failure;
use super::reduce_option::ReduceOption;
use super::set_by::SetBy;
use super::values::SEARCH;

/// The extensions of shared libraries.
const LIBRARIES: [&str; 3] = [".so", ".dylib", ".node"];

/// Stands before the function that gives a parser.
pub(super) const SYMBOL: &str = "#";

/// The language of a file.
#[derive(Clone, Debug, Default, Args)]
pub struct GrammarArgs {
    /// Language of FILE, or text [default: by extension]
    ///
    /// A name from `lop grammars`, `text` for none, or `auto`: by the extension, or by the content if there is no extension.
    /// Also the path of any tree-sitter parser: a shared library, a directory with a language.toml, or the parser's npm
    /// package. Write a path with a `/`. lop runs code in the parser. If a library has several parsers, add
    /// `#tree_sitter_NAME`
    #[arg(long, value_name = "NAME|PATH", default_value = AUTO, hide_default_value = true, help_heading = SEARCH, add = SetBy::Project)]
    pub grammar: Wanted,
    /// Language of files with this extension
    ///
    /// A name or a path, as for --grammar, which takes precedence (repeatable)
    #[arg(long, value_name = "EXT=NAME|PATH", value_parser = for_extension, help_heading = SEARCH)]
    pub grammar_for: Vec<ForExtension>,
}

impl ReduceOption for GrammarArgs {
    const VERIFIED: bool = true;
}

/// A language as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// By its name.
    Name(String),
    /// By the place of its parser.
    Parser(ParserPath),
}

/// The place of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserPath {
    /// A library, a folder or a package.
    pub path: PathBuf,
    /// The function that gives the parser, if one of several is asked for.
    pub symbol: Option<String>,
}

impl ParserPath {
    /// Loads the parser.
    pub(super) fn open(&self) -> Result<Loaded, Failure> {
        Ok(Loaded::open(&self.path, self.symbol.as_deref(), &LANGUAGES)?)
    }
}

/// The language of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForExtension {
    /// The extension, in lower case and without the point.
    pub extension: String,
    /// Its language.
    pub wanted: Wanted,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted::Name(AUTO.to_owned())
    }
}

impl Wanted {
    /// The name that is asked for.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Wanted::Name(name) => Some(name),
            Wanted::Parser(_) => None,
        }
    }
}

impl From<&str> for Wanted {
    fn from(text: &str) -> Self {
        if !is_path(text) {
            return Wanted::Name(text.to_owned());
        }
        let (path, symbol) = parts(text);
        Wanted::Parser(ParserPath { path: path.into(), symbol: symbol.map(str::to_owned) })
    }
}

impl Wanted {
    /// The word that asks for it.
    fn word(&self) -> OsString {
        match self {
            Wanted::Name(name) => name.into(),
            Wanted::Parser(parser) => {
                let mut word = parser.path.clone().into_os_string();
                parser.symbol.iter().for_each(|symbol| word.push(format!("{SYMBOL}{symbol}")));
                word
            }
        }
    }
}

impl GrammarArgs {
    /// The words that say the same.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = vec!["--grammar".into(), self.grammar.word()];
        for entry in &self.grammar_for {
            let mut word = OsString::from(format!("--grammar-for={}=", entry.extension));
            word.push(entry.wanted.word());
            words.push(word);
        }
        words
    }

    /// All that is asked for.
    pub(super) fn all(&self) -> impl Iterator<Item = &Wanted> {
        std::iter::once(&self.grammar).chain(self.grammar_for.iter().map(|entry| &entry.wanted))
    }

    /// The language wanted for a file, and whether its extension decides that.
    pub(super) fn wanted(&self, path: &Path) -> (&Wanted, bool) {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let mapped = self.grammar_for.iter().find(|entry| Some(&entry.extension) == extension.as_ref());
        match mapped.filter(|_| self.grammar == Wanted::default()) {
            Some(entry) => (&entry.wanted, true),
            None => (&self.grammar, false),
        }
    }
}

/// Whether a language is asked for by the place of its parser.
pub(super) fn is_path(text: &str) -> bool {
    let (text, _) = parts(text);
    text.contains('/') || [".", ".."].contains(&text) || LIBRARIES.iter().any(|end| text.ends_with(end))
}

/// The path of a parser, and the name of its function; the path can contain a [`SYMBOL`], too.
fn parts(text: &str) -> (&str, Option<&str>) {
    let parts = text.rsplit_once(SYMBOL).filter(|(_, name)| name.starts_with("tree_sitter_"));
    parts.map_or((text, None), |(path, name)| (path, Some(name)))
}

fn for_extension(text: &str) -> Result<ForExtension, String> {
    match text.split_once('=') {
        Some((extension, language)) if !extension.is_empty() && !language.is_empty() => {
            Ok(ForExtension { extension: extension.trim_start_matches('.').to_lowercase(), wanted: language.into() })
        }
        _ => Err("write an extension and its language, as in x=NAME".to_owned()),
    }
}

/// The names of all languages, as the help says them.
pub(crate) fn names() -> String {
    let mut names: Vec<&str> = LANGUAGES.names().collect();
    names.sort_unstable();
    format!("Languages: {}.\nThe list says which of them are built in.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_a_name() {
        for path in
            ["./x", "x/", "/x", ".", "..", "parser.so", "two.so#tree_sitter_x", "x.node", "x.dylib", "@ast-grep/lang-x"]
        {
            assert!(is_path(path), "{path}");
        }
        for name in ["x", "x-y", "x.y", "auto", "so"] {
            assert!(!is_path(name), "{name}");
        }
    }

    #[test]
    fn a_function_stands_behind_a_path() {
        let rows = [
            ("./a.so", "./a.so", None),
            ("./a.so#tree_sitter_a", "./a.so", Some("tree_sitter_a")),
            ("c#/a.so", "c#/a.so", None),
            ("c#/a.so#tree_sitter_a", "c#/a.so", Some("tree_sitter_a")),
        ];
        for (text, path, symbol) in rows {
            let wanted = ParserPath { path: path.into(), symbol: symbol.map(str::to_owned) };
            assert_eq!(Wanted::from(text), Wanted::Parser(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_typed_for_a_file_counts_for_more_than_its_extension() {
        let typed = |grammar: &str| GrammarArgs {
            grammar: grammar.into(),
            grammar_for: vec![for_extension(".X=a").expect("sound"), for_extension("y=./b.so").expect("sound")],
        };
        assert_eq!(typed("auto").wanted(Path::new("f.x")), (&"a".into(), true));
        assert_eq!(typed("auto").wanted(Path::new("f.Y")), (&"./b.so".into(), true));
        assert_eq!(typed("auto").wanted(Path::new("f.z")), (&Wanted::default(), false));
        assert_eq!(typed("b").wanted(Path::new("f.x")), (&"b".into(), false));
        assert!(["x", "=a", "x="].iter().all(|text| for_extension(text).is_err()));
    }
}
