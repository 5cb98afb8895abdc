//! Helpers of the tests of several crates: languages by the names of files, as a user's files choose theirs, samples of
//! them, and texts to try everything on.
//!
//! Internal to lop: no version of this crate promises anything.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lop_grammar::{AUTO, Folder, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_syntax::SyntaxParser;
use proptest::prelude::*;
use tree_sitter::Node;

/// A file name for every language that the tables of the tests know.
pub const FILES: [&str; 5] = ["x.c", "x.js", "x.json", "x.py", "x.yaml"];

/// How many draws a test makes: a few each time, `LOP_TEST_EFFORT` times as many by `.ci/nightly`.
pub fn many(few: usize) -> usize {
    few * std::env::var("LOP_TEST_EFFORT").map_or(1, |times| times.parse().expect("a whole number"))
}

/// Grammars, each loaded once for all tests: compiling rules takes longer than most of them.
static LOADED: Mutex<BTreeMap<String, Arc<Grammar>>> = Mutex::new(BTreeMap::new());

/// The grammar for a file's name.
pub fn grammar(file: &str) -> Arc<Grammar> {
    let load = || Arc::new(Grammar::load(folder(file)).expect("built-in grammars load"));
    // A test that panicked elsewhere has left nothing half done.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(loaded.entry(file.to_owned()).or_insert_with(load))
}

/// The language of a file's name.
pub fn folder(file: &str) -> &'static Folder<'static> {
    let registry = Registry::of(&LANGUAGES).expect("built-in grammars load");
    let (folder, _) = registry.find(AUTO, Path::new(file), b"").expect("built-in grammars load");
    LANGUAGES.find(folder.expect("the extension is one of a language").name).expect("it was found there")
}

/// The parser for a file's name.
pub fn parser(file: &str) -> SyntaxParser {
    grammar(file).parser().expect("built-in parsers fit")
}

/// The sample that is shipped with the language of a file's name.
pub fn shipped_sample(file: &str) -> Vec<u8> {
    folder(file).sample.expect("a shipped language has a sample").1.to_vec()
}

/// Lists kind, range and flags of every node below a root, in preorder.
pub fn nodes(root: Node<'_>) -> Vec<(u16, Range<usize>, bool, bool)> {
    let mut cursor = root.walk();
    let mut all = Vec::new();
    loop {
        let node = cursor.node();
        all.push((node.kind_id(), node.byte_range(), node.is_error(), node.is_missing()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return all;
            }
        }
    }
}

/// Bytes as a text that an assertion can show.
pub fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Bytes of any kind, and words of programs in any order: random bytes alone hardly ever nest.
pub fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        ":",
        "=",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\n",
        " ",
        "\\",
        "#",
        "*",
        "<",
        "a",
        "main",
        "1",
        "0x",
        "int ",
        "struct ",
        "if",
        "else ",
        "for",
        "return ",
        "#define ",
        "#if 1\n",
        "#endif\n",
        "function ",
        "class ",
        "let ",
        "=>",
        "`",
        "${",
        "/",
        "null",
        "\u{feff}",
        "\u{e9}",
        "\r\n",
        "\0",
        "typedef ",
    ]);
    let soup = prop::collection::vec(words, 0..60).prop_map(|words| words.concat().into_bytes());
    prop_oneof![prop::collection::vec(any::<u8>(), 0..120), soup]
}
