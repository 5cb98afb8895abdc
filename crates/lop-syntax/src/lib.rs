//! Source text as a tree: parsing, the arena of nodes, and edits of the text.
//!
//! Only this crate and `lop-grammar` use tree-sitter.
//!
//! Internal to lop: no version of this crate promises anything.

mod arena;
mod differences;
mod document;
mod edit;
mod flat;
mod indents;
mod on_demand;
mod parse;
mod rendering;
mod structure;
#[cfg(test)]
mod testing;
mod tree;

pub use arena::{Fields, Node, NodeId};
pub use differences::differences;
pub use document::Document;
pub use edit::{Edit, is_blank, is_identifier, join, melt};
pub use flat::{characters, count_lines, count_words, lines, without_blanks, words};
pub use indents::{Block, Indents, LineStart, unindented};
pub use on_demand::TreeOnDemand;
pub use parse::{Errors, Inside, ParseError, Stop, SyntaxParser, error_count, error_places, shape, share_to_copy};
pub use rendering::{Rendering, render, render_around};
pub use structure::{Notation, Root, Structure, fields};
pub use tree::{SyntaxTree, token_count};
