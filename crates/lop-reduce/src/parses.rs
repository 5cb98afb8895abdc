//! The memory of parses that a gate and its copies share: what a copy has parsed in speculation is there when the search
//! asks for it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lop_run::exec::{Key, key};
use lop_syntax::SyntaxTree;

/// Bytes of texts whose trees are kept. Trees of similar texts share most of their nodes.
const MOST_BYTES: usize = 2 << 20;
/// Trees of texts of more bytes are not kept: two of them take too much memory.
const LARGE: usize = 1 << 18;

/// A text that was parsed.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) text: Arc<[u8]>,
    pub(super) tree: SyntaxTree,
    pub(super) errors: usize,
    /// The text alone if the tree was parsed from scratch; otherwise the text and the tree that this one was made from.
    pub(super) origin: Key,
    /// Whether the tree was parsed from scratch, and not from another tree.
    pub(super) is_fresh: bool,
}

/// The origin of the tree of a text that is made from another one, or from scratch. Trees with the same origin are the
/// same.
pub(super) fn origin(text: &[u8], from: Option<&Parsed>) -> Key {
    let text = key(text);
    from.map_or(text, |from| key(&[from.origin, text].concat()))
}

/// Steps that a parse took.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub(super) parser: usize,
    /// To count the errors.
    pub(super) errors: usize,
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct Parses(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    parses: HashMap<Key, (Parsed, Steps)>,
    /// Their origins, the oldest first.
    order: VecDeque<Key>,
    bytes: usize,
}

impl Parses {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the parse with this origin, if it is kept and took the parser no more than this number of steps.
    pub(super) fn get(&self, origin: &Key, most: usize) -> Option<(Parsed, Steps)> {
        self.kept().parses.get(origin).filter(|(_, steps)| steps.parser <= most).cloned()
    }

    /// Keeps a parse.
    pub(super) fn keep(&self, parsed: &Parsed, steps: Steps) {
        if parsed.text.len() >= LARGE {
            return;
        }
        let mut kept = self.kept();
        if kept.parses.insert(parsed.origin, (parsed.clone(), steps)).is_some() {
            return;
        }
        kept.order.push_back(parsed.origin);
        kept.bytes += parsed.text.len();
        while kept.bytes > MOST_BYTES
            && let Some(oldest) = kept.order.pop_front()
        {
            let gone = kept.parses.remove(&oldest);
            kept.bytes -= gone.map_or(0, |(parsed, _)| parsed.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use lop_syntax::SyntaxParser;
    use lop_testing::parser;

    use super::*;

    fn parsed(parser: &mut SyntaxParser, text: &str, from: Option<&Parsed>) -> Parsed {
        let tree = parser.parse(text.as_bytes()).expect("a small text has a tree");
        let text: Arc<[u8]> = text.as_bytes().into();
        Parsed { origin: origin(&text, from), text, tree, errors: 0, is_fresh: from.is_none() }
    }

    #[test]
    fn a_parse_is_found_by_its_text_and_the_tree_that_it_was_made_from() {
        let (mut parser, parses) = (parser("x.js"), Parses::default());
        let first = parsed(&mut parser, "a(); b();", None);
        let (alone, from_first) = (parsed(&mut parser, "a();", None), parsed(&mut parser, "a();", Some(&first)));
        let steps = |parser| Steps { parser, errors: 0 };
        parses.keep(&from_first, steps(7));
        assert!(parses.get(&alone.origin, usize::MAX).is_none());
        parses.keep(&alone, steps(9));
        let took = |origin, most| parses.get(&origin, most).map(|(_, steps)| steps.parser);
        assert_eq!((took(from_first.origin, 7), took(alone.origin, 9)), (Some(7), Some(9)));
        assert_eq!(took(alone.origin, 8), None, "it would have been stopped");
    }

    #[test]
    fn the_oldest_give_way_and_large_ones_are_not_kept() {
        let (mut parser, parses) = (parser("x.js"), Parses::default());
        let text = |number: usize| format!("{number};{}", " ".repeat(LARGE / 2));
        let count = 2 * MOST_BYTES / (LARGE / 2);
        let all: Vec<_> = (0..count).map(|number| parsed(&mut parser, &text(number), None)).collect();
        all.iter().for_each(|parsed| parses.keep(parsed, Steps { parser: 0, errors: 0 }));
        let is_kept = |parsed: &Parsed| parses.get(&parsed.origin, 0).is_some();
        assert!(is_kept(&all[count - 1]) && !is_kept(&all[0]));
        assert!(all.iter().filter(|parsed| is_kept(parsed)).count() <= MOST_BYTES / (LARGE / 2));
        let large = parsed(&mut parser, &" ".repeat(LARGE), None);
        parses.keep(&large, Steps { parser: 0, errors: 0 });
        assert!(!is_kept(&large));
    }
}
