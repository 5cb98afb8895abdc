//! The classes of a text's tokens for colours: keywords, names, numbers, strings, comments. They follow from the tree
//! and the grammar's data, without code for any language.

use std::ops::Range;
use std::sync::Arc;

use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId, SyntaxParser};

/// Larger texts are shown without colours: they are parsed in the time between two pictures.
const MOST: usize = 256 << 10;

/// The class of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaf {
    /// Anything else, and text without a tree.
    #[default]
    Plain,
    /// A word that the grammar itself contains.
    Keyword,
    /// Brackets, operators and separators that the grammar itself contains.
    Sign,
    /// A name.
    Name,
    /// A number.
    Number,
    /// A part of a string.
    Text,
    /// A comment.
    Comment,
    /// Something in a syntax error.
    Error,
}

/// Determines the classes of leaves.
#[derive(Default)]
pub struct TokenView {
    tools: Option<(Arc<Grammar>, SyntaxParser)>,
}

impl TokenView {
    /// For texts of a grammar; without one all is plain.
    #[must_use]
    pub fn new(grammar: Option<Arc<Grammar>>) -> Self {
        let tools = grammar.and_then(|grammar| {
            let parser = grammar.parser().ok()?;
            Some((grammar, parser))
        });
        TokenView { tools }
    }

    /// The leaves of a text, first to last. The text between them is plain.
    pub fn of(&mut self, text: &[u8]) -> Vec<(Range<usize>, Leaf)> {
        let Some((grammar, parser)) = self.tools.as_mut().filter(|_| text.len() <= MOST) else { return Vec::new() };
        let Ok(document) = Document::parse(parser, text.to_vec()) else { return Vec::new() };
        let leaves = document.ids().filter(|id| document.is_leaf(*id) && !document.node(*id).is_empty());
        leaves.map(|id| (document.node(id).range(), kind(&document, grammar, id))).collect()
    }
}

/// Returns the class of a leaf: by its own kind, by an enclosing node's kind, or by its text.
fn kind(document: &Document, grammar: &Grammar, id: NodeId) -> Leaf {
    let around = || std::iter::successors(Some(id), |at| document.parent(*at)).take(3).map(|at| document.node(at));
    if around().any(|node| grammar.is_comment(node.kind)) {
        return Leaf::Comment;
    }
    if around().any(|node| grammar.is_string(node.kind)) {
        return Leaf::Text;
    }
    let node = document.node(id);
    let parent = document.parent(id).map(|parent| document.node(parent));
    let is_word = document.text(id).first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    if grammar.is_number(node.kind) {
        Leaf::Number
    } else if grammar.is_identifier(node.kind) {
        Leaf::Name
    } else if node.is_error() || parent.is_some_and(|parent| parent.is_error()) {
        Leaf::Error
    } else if !node.is_named() {
        if is_word { Leaf::Keyword } else { Leaf::Sign }
    } else if is_word {
        // A rule that is one word: a type, a constant.
        Leaf::Keyword
    } else {
        Leaf::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_testing::{FILES, shipped_sample};

    #[test]
    fn the_leaves_of_every_shipped_sample_are_of_several_kinds() {
        for file in FILES {
            let sample = shipped_sample(file);
            let found = TokenView::new(Some(lop_testing::grammar(file))).of(&sample);
            for wanted in [Leaf::Sign, Leaf::Number, Leaf::Text] {
                assert!(found.iter().any(|(_, leaf)| *leaf == wanted), "{file}: no {wanted:?} in {found:?}");
            }
            assert!(found.is_sorted_by_key(|(range, _)| range.start), "{file}");
        }
    }

    #[test]
    fn a_leaf_is_what_its_tree_says() {
        let text = b"/* while */ int f(void) { return g(\"while\", 17); }";
        let found = TokenView::new(Some(lop_testing::grammar("x.c"))).of(text);
        let kind_of = |word: &[u8]| {
            let at = text.windows(word.len()).rposition(|window| window == word).expect("it is there");
            found.iter().find(|(range, _)| range.contains(&at)).map(|(_, leaf)| *leaf)
        };
        assert_eq!(kind_of(b"return"), Some(Leaf::Keyword));
        assert_eq!(kind_of(b"while"), Some(Leaf::Text), "what looks like a keyword is a part of the string here");
        assert_eq!(kind_of(b"17"), Some(Leaf::Number));
        assert_eq!(kind_of(b"g"), Some(Leaf::Name));
        assert_eq!(kind_of(b"{"), Some(Leaf::Sign));
        assert_eq!(found[0].1, Leaf::Comment);
    }

    #[test]
    fn without_a_grammar_all_is_plain() {
        assert_eq!(TokenView::new(None).of(b"while (1) {}"), []);
    }
}
