//! Makes parsers and the other tools for work on a tree.

use std::sync::Arc;

use lop_grammar::Grammar;
use lop_passes::{Brackets, TrialParser};
use lop_syntax::{Document, ParseError, Stop, SyntaxParser};

/// The tools for work on a tree, besides the tree.
#[derive(Clone)]
pub(super) struct Tools<'g> {
    pub(super) grammar: &'g Grammar,
    pub(super) parser: SyntaxParser,
    pub(super) shapes: TrialParser,
    pub(super) brackets: Brackets,
}

/// A parser for a language.
pub(super) fn parser(grammar: &Grammar, stop: &Stop) -> Result<SyntaxParser, ParseError> {
    Ok(grammar.parser()?.stopping(stop))
}

/// Parses an unknown text, after a trial of its prefixes.
pub(super) fn parse(grammar: &Grammar, text: &Arc<[u8]>, stop: &Stop) -> Result<Document, ParseError> {
    let mut parser = parser(grammar, stop)?.until_a_tree(text.len());
    parser.try_parts(text)?;
    parser.check_left(text.len())?;
    Document::parse(&mut parser, Arc::clone(text))
}

/// The tools for work on trees of this language.
pub(super) fn tools<'g>(grammar: &'g Grammar, stop: &Stop) -> Result<Tools<'g>, ParseError> {
    Ok(Tools {
        grammar,
        parser: parser(grammar, stop)?,
        shapes: TrialParser::new(parser(grammar, stop)?),
        brackets: Brackets::default(),
    })
}
