//! Reducing a file by a published algorithm: along its syntax tree, or by lines, words and characters if it has none.
//!
//! All algorithms share the rendering (separators go with their elements), the units (trial parses say which nodes may go),
//! the refusal of candidates with new syntax errors, and a cache of answers. Their sources have none of these, so a
//! comparison favours them. Each algorithm is repeated while it makes the text smaller.

mod current;
mod grammar_reducer;
mod gtr;
mod hdd;
mod lists;
mod perses;

use std::sync::Arc;

use lop_grammar::Grammar;

use crate::algorithm::{Algorithm, Stopped};
use crate::algorithms::{self, Ddmin};
use crate::files::JudgeTexts;

use current::Current;
pub use grammar_reducer::Combinations;

/// A way to reduce a file.
pub enum Method {
    /// An algorithm over one sequence, on each list of the tree from the root down.
    Lists(Box<dyn Algorithm>),
    /// One on the tree.
    Tree(OnTree),
}

/// An algorithm that works on the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTree {
    /// Hierarchical delta debugging.
    Hdd,
    /// Generalized tree reduction.
    Gtr,
    /// Perses.
    Perses,
    /// The grammar reducer of The Fuzzing Book.
    GrammarReducer(Combinations),
}

impl OnTree {
    const ALL: [OnTree; 5] = [
        OnTree::Hdd,
        OnTree::Gtr,
        OnTree::Perses,
        OnTree::GrammarReducer(Combinations::First),
        OnTree::GrammarReducer(Combinations::All),
    ];

    fn name(self) -> &'static str {
        match self {
            OnTree::Hdd => "hdd",
            OnTree::Gtr => "gtr",
            OnTree::Perses => "perses",
            OnTree::GrammarReducer(Combinations::First) => "grammar-reducer",
            OnTree::GrammarReducer(Combinations::All) => "grammar-reducer-all",
        }
    }
}

/// The outcome of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The smallest interesting text.
    pub best: Vec<u8>,
    /// Distinct candidates that were judged.
    pub tests: usize,
    /// Whether the algorithm came to its end.
    pub is_complete: bool,
}

impl Method {
    /// The names of all methods.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let lists = algorithms::all(0).into_iter().map(|algorithm| algorithm.name());
        lists.chain(OnTree::ALL.into_iter().map(OnTree::name)).collect()
    }

    /// The method of this name; chance comes from `seed`.
    #[must_use]
    pub fn named(name: &str, seed: u64) -> Option<Self> {
        let tree = OnTree::ALL.into_iter().find(|tree| tree.name() == name).map(Method::Tree);
        let lists = || algorithms::all(seed).into_iter().find(|algorithm| algorithm.name() == name).map(Method::Lists);
        tree.or_else(lists)
    }

    /// Reduces a text that is interesting, judging up to `width` candidates at once. `improved` hears of each text that is
    /// smaller than all before.
    pub fn reduce(
        &self,
        text: Vec<u8>,
        grammar: Option<Arc<Grammar>>,
        width: usize,
        judge: JudgeTexts<'_>,
        improved: &mut dyn FnMut(&[u8]),
    ) -> Reduced {
        let mut current = Current::new(text, grammar, width, judge, improved);
        let is_complete = self.to_the_end(&mut current).is_ok();
        Reduced { best: current.best, tests: current.tests, is_complete }
    }

    fn to_the_end(&self, current: &mut Current<'_>) -> Result<(), Stopped> {
        loop {
            let before = current.best.len();
            if current.parse() {
                match self {
                    Method::Lists(algorithm) => lists::reduce(current, &**algorithm)?,
                    Method::Tree(OnTree::Hdd) => hdd::reduce(current)?,
                    Method::Tree(OnTree::Gtr) => gtr::reduce(current)?,
                    Method::Tree(OnTree::Perses) => perses::reduce(current)?,
                    Method::Tree(OnTree::GrammarReducer(which)) => grammar_reducer::reduce(current, *which)?,
                }
            } else {
                let algorithm: &dyn Algorithm =
                    if let Method::Lists(algorithm) = self { &**algorithm } else { &Ddmin::MINIMISE };
                lists::reduce_text(current, algorithm)?;
            }
            if current.best.len() >= before {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_one_method() {
        let names = Method::names();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| Method::named(name, 0).is_some()));
        assert!(Method::named("no such", 0).is_none());
    }
}
