//! The kinds of nodes, with the numbers of the outline's parser.

use tree_sitter::Language;

/// Kinds that have others inside, and those of leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Text,
    /// Two brackets and everything between them.
    Group,
    /// Two block words and everything between them, or lines that are indented more than the one before them.
    Block,
    Line,
    Statement,
    /// An element of a list, or tokens without a blank between them.
    Item,
    /// Lines without a blank line between them.
    Paragraph,
    Word,
    Number,
    String,
    Comment,
    Sign,
    Begin,
    End,
    /// A bracket or a separator: the name is its text.
    Mark(u8),
}

impl Kind {
    /// The byte in an outline for the start of the node, or for the leaf.
    pub(super) fn byte(self) -> u8 {
        match self {
            Kind::Text => 0,
            Kind::Group => b'G',
            Kind::Block => b'K',
            Kind::Line => b'L',
            Kind::Statement => b'S',
            Kind::Item => b'I',
            Kind::Paragraph => b'P',
            Kind::Word => b'w',
            Kind::Number => b'n',
            Kind::String => b's',
            Kind::Comment => b'c',
            Kind::Sign => b'o',
            Kind::Begin => b'b',
            Kind::End => b'e',
            Kind::Mark(mark) => mark,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Group => "group",
            Kind::Block => "block",
            Kind::Line => "line",
            Kind::Statement => "statement",
            Kind::Item => "item",
            Kind::Paragraph => "paragraph",
            Kind::Word => "word",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Comment => "comment",
            Kind::Sign => "sign",
            Kind::Begin => "begin",
            Kind::End => "end",
            Kind::Mark(b'(') => "(",
            Kind::Mark(b')') => ")",
            Kind::Mark(b'[') => "[",
            Kind::Mark(b']') => "]",
            Kind::Mark(b'{') => "{",
            Kind::Mark(b'}') => "}",
            Kind::Mark(b';') => ";",
            Kind::Mark(_) => ",",
        }
    }

    /// Whether the grammar names it: block words, brackets and separators are tokens without a name.
    pub(super) fn is_named(self) -> bool {
        !matches!(self, Kind::Begin | Kind::End | Kind::Mark(_))
    }

    /// Whether the node can be anywhere.
    pub(super) fn is_extra(self) -> bool {
        self == Kind::Comment
    }
}

/// The number of each kind.
pub(super) struct Numbers {
    language: Language,
    known: [u16; 256],
}

impl Numbers {
    pub(super) fn new() -> Self {
        Numbers { language: Language::new(lop_parser::STRUCTURE), known: [0; 256] }
    }

    pub(super) fn of(&mut self, kind: Kind) -> u16 {
        let known = &mut self.known[usize::from(kind.byte())];
        if *known == 0 {
            *known = self.language.id_for_node_kind(kind.name(), kind.is_named());
        }
        *known
    }
}
