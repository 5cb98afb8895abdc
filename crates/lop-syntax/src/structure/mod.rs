//! The structure of texts without a grammar: brackets, quotes, block words, indentation, lines and separators make a
//! tree of any text.
//!
//! ```text
//!   f(a, "b c") {          line ── word f, group ── item …
//!     d = 1;                └───── group { } ── line ── word d, sign =, number 1, ;
//!   }
//! ```
//!
//! [`Notation`] defines the meaning of the characters. It comes from a language's folder, or is guessed from the text.
//! The lexer splits the text into tokens, [`pairs`] finds the pairs, and the builder makes an arena like that of a
//! grammar's tree. Everything takes linear time, and nothing is recursive. Rules are tree-sitter queries, and see the
//! same tree through an [`outline`].

mod builder;
mod kinds;
mod lexer;
mod notation;
mod outline;
mod pairs;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use notation::{Notation, fields};
pub use outline::Root;

use super::arena::Arena;
use lexer::{Class, Lexer};
use outline::Outline;
use pairs::Open;

/// A text with the parts of it that are looked at, whose tree is laid out when it is first needed.
pub struct Structure {
    notation: Arc<Notation>,
    text: Arc<[u8]>,
    parts: Vec<Range<usize>>,
    strays: Vec<Range<usize>>,
    arena: OnceLock<Arc<Arena>>,
    outline: OnceLock<Outline>,
}

impl Structure {
    /// Looks at some parts of a text, which ascend and do not overlap. No part may be 4 GiB long.
    pub(super) fn of(notation: &Arc<Notation>, text: &[u8], parts: Vec<Range<usize>>) -> Self {
        let mut open = Open::default();
        parts.iter().flat_map(|part| Lexer::new(notation, text, part.clone())).for_each(|token| open.see(&token));
        Structure {
            notation: Arc::clone(notation),
            text: text.into(),
            parts,
            strays: open.strays(),
            arena: OnceLock::new(),
            outline: OnceLock::new(),
        }
    }

    /// Brackets, quotes and block words without a partner, in the order of the text.
    pub(super) fn strays(&self) -> &[Range<usize>] {
        &self.strays
    }

    /// The nodes.
    pub(super) fn arena(&self) -> &Arc<Arena> {
        self.arena.get_or_init(|| Arc::new(builder::arena(&self.notation, &self.text, &self.parts)))
    }

    /// The root as rules see it.
    pub(super) fn root(&self) -> Root<'_> {
        self.outline.get_or_init(|| Outline::of(self.arena())).root()
    }

    /// Hashes the tokens and, if they mean something, the line breaks and the indentation before them.
    pub(super) fn shape(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let mut end = 0;
        for token in self.parts.iter().flat_map(|part| Lexer::new(&self.notation, &self.text, part.clone())) {
            if self.notation.lines {
                let gap = &self.text[end..token.start as usize];
                let line = memchr::memrchr(b'\n', gap).map(|at| gap.len() - at);
                line.hash(&mut hasher);
            }
            end = token.end as usize;
            (token.class == Class::Comment).hash(&mut hasher);
            self.text[token.range()].hash(&mut hasher);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests;
