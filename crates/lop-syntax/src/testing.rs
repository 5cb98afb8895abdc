//! The parsers for tests: a file's name chooses the language.

use tree_sitter::Language;

use crate::SyntaxParser;

/// The parser for a file's name.
pub(crate) fn parser(file: &str) -> SyntaxParser {
    let language = Language::new(lop_testing::folder(file).parser.language);
    let parser = SyntaxParser::new(&language).expect("built-in parsers fit");
    parser.no_deeper(lop_testing::grammar(file).deepest())
}
