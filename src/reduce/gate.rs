//! The gate: candidates with new syntax errors are refused without a test.
//!
//! Where the user asks for it, candidates without a syntax error are refused, too, or all that have one.
//!
//! It costs a parse, incremental from the best result's tree, and saves 30–45 % of the tests where
//! nothing else is known of a candidate. What it refuses it remembers only through the session's
//! cache.

use std::sync::Arc;

use crate::syntax::{Document, SyntaxParser, SyntaxTree, TreeOnDemand, error_count, shape};

use super::options::Syntax;

/// From so many bytes on the tree of a best result goes before one that is far from it is parsed.
const LARGE: usize = 1 << 18;
/// So large a part of the best result is gone from what is far from it. Making its tree from the one before would copy
/// as large a part of that.
const FAR: usize = 32;

/// A list has so large a part of all nodes as its own elements where an edit of it copies about all of its tree:
/// tree-sitter keeps the elements of a list in a binary tree of nodes that have no name, and makes that anew.
const WIDE: usize = 4;

/// Judges the syntax of candidates against that of the best result.
pub(super) struct Gate {
    parser: SyntaxParser,
    /// The tree of the text that was parsed from scratch last, which others may still ask for.
    document: Arc<TreeOnDemand>,
    best: Option<Parsed>,
    /// Whether the best result is large, and has little but one list in it.
    is_wide: bool,
    /// The tree of the last candidate: the one that is most likely accepted next.
    last: Option<Parsed>,
    /// Errors that a candidate may have at most.
    bound: usize,
    /// What the user asks of every candidate.
    wanted: Option<Syntax>,
    /// What the tree of a candidate has to look like, if that matters.
    shape: Option<u64>,
}

struct Parsed {
    text: Arc<[u8]>,
    tree: SyntaxTree,
    errors: usize,
}

impl Gate {
    /// A gate for an input that has been parsed. With `loose` more errors than before are no reason to
    /// refuse a candidate.
    pub(super) fn new(parser: SyntaxParser, input: &Document, wanted: Option<Syntax>, loose: bool) -> Self {
        let bound = if loose { usize::MAX } else { input.errors() };
        let document = Arc::clone(input.shared_tree());
        let mut gate = Gate { parser, document, bound, best: None, is_wide: false, last: None, wanted, shape: None };
        gate.adopt(input);
        gate
    }

    /// Whether every candidate has to be looked at, however likely it is that it passes.
    pub(super) fn is_strict(&self) -> bool {
        self.wanted.is_some()
    }

    /// The best result has been parsed from scratch: its tree is shared, and older ones go.
    pub(super) fn adopt(&mut self, best: &Document) {
        self.document = Arc::clone(best.shared_tree());
        self.best = Some(Parsed { text: Arc::clone(best.shared_source()), tree: best.tree(), errors: best.errors() });
        self.is_wide = is_wide(best);
        self.last = None;
        self.follow_bound();
    }

    /// A candidate is the best result now: the tree of the one before it goes, if that of the new one is known.
    pub(super) fn accept(&mut self, best: &Arc<[u8]>) {
        if self.last.as_ref().is_some_and(|last| last.text == *best) {
            self.best = self.last.take();
            if self.document.text().len() >= LARGE {
                self.document.release();
            }
            self.follow_bound();
        }
    }

    /// Lets go of all trees: the best result is about to be parsed from scratch, and two trees at
    /// a time would be the peak of the run's memory.
    pub(super) fn release(&mut self) {
        self.document.release();
        self.best = None;
        self.last = None;
    }

    /// From now on a candidate must have the tree that `document` has, but for blanks between tokens;
    /// with `None` any tree will do. What the parser could not read has no shape to keep.
    pub(super) fn keep_shape(&mut self, document: Option<&Document>) {
        self.shape = document.filter(|d| d.errors() == 0).map(|d| shape(&d.tree(), d.source()));
    }

    /// Whether a candidate has no more syntax errors than allowed.
    ///
    /// `best` is the best result's text, from whose tree the parse starts.
    pub(super) fn passes(&mut self, candidate: &Arc<[u8]>, best: &Arc<[u8]>) -> bool {
        // It may be asked about more than once before it is believed.
        let is_last = self.last.as_ref().is_some_and(|last| last.text == *candidate);
        if is_last && self.best.as_ref().is_none_or(|known| known.text == *best) {
            return self.last_holds();
        }
        if self.is_wide {
            // No tree is of any use for another.
            self.release();
        } else {
            self.follow(best);
            // It would be in memory beside the next one.
            self.last = None;
        }
        self.judge(candidate)
    }

    /// The same for a candidate that was interesting, and which is the best result next if it passes: where it is far
    /// from the best one before, the tree of that one goes first, and not afterwards.
    pub(super) fn admits(&mut self, candidate: &Arc<[u8]>, best: &Arc<[u8]>) -> bool {
        let is_last = self.last.as_ref().is_some_and(|last| last.text == *candidate);
        if is_last || !is_far(best, candidate) {
            return self.passes(candidate, best);
        }
        self.release();
        self.judge(candidate)
    }

    /// Parses a candidate, starting from the tree that there is.
    fn judge(&mut self, candidate: &Arc<[u8]>) -> bool {
        let parsed = match &self.best {
            // Under error recovery a tree made from another may differ: no promise is built on that.
            Some(best) if !self.is_strict() => self.parser.reparse(&best.tree, &best.text, candidate),
            _ => self.parser.parse(candidate),
        };
        // A candidate that sends the parser astray is worse than what we have.
        let Ok(tree) = parsed else { return false };
        self.last = Some(Parsed { text: Arc::clone(candidate), errors: error_count(&tree), tree });
        self.last_holds()
    }

    /// Whether the candidate that was parsed last is as all have to be.
    fn last_holds(&self) -> bool {
        self.last.as_ref().is_some_and(|Parsed { text, tree, errors }| {
            let is_shaped = self.shape.is_none_or(|wanted| shape(tree, text) == wanted);
            *errors <= self.bound && is_shaped && self.wanted.is_none_or(|wanted| wanted.holds(*errors))
        })
    }

    /// Makes sure that `self.best` is the tree of `best`.
    fn follow(&mut self, best: &Arc<[u8]>) {
        if self.best.as_ref().is_some_and(|b| b.text == *best) {
            return;
        }
        // Without the tree of the best result before it there is one of a candidate that is not accepted yet.
        if self.best.as_ref().map_or(best.len() >= LARGE, |old| is_far(&old.text, best)) {
            self.release();
        }
        let parsed = match &self.best {
            Some(old) => self.parser.reparse(&old.tree, &old.text, best),
            None => self.parser.parse(best),
        };
        self.best = parsed.ok().map(|tree| Parsed { text: Arc::clone(best), errors: error_count(&tree), tree });
        self.follow_bound();
    }

    /// Once the text is clean it stays clean. Until then what the input had is the bound: an error
    /// that vanishes by chance must not forbid the way to a smaller malformed text. A cleared
    /// candidate that brought errors after all raises it, or nothing could pass any more.
    fn follow_bound(&mut self) {
        if let Some(best) = &self.best {
            let clean = best.errors == 0 && self.bound != usize::MAX;
            self.bound = if clean { 0 } else { self.bound.max(best.errors) };
        }
    }
}

/// Whether a text is large, and most of it is one list of small elements.
fn is_wide(document: &Document) -> bool {
    let whole = document.source().len();
    if whole < LARGE {
        return false;
    }
    let mut outer = 0;
    loop {
        if document.children(outer).count() > document.node_count() / WIDE {
            return true;
        }
        let largest = document.children(outer).max_by_key(|&child| document.node(child).len());
        match largest.filter(|&child| document.node(child).len() > whole / 2) {
            Some(inner) => outer = inner,
            None => return false,
        }
    }
}

/// Whether the trees of two texts are so large, and have so little in common, that not both should be in memory.
fn is_far(best: &[u8], candidate: &[u8]) -> bool {
    best.len() >= LARGE && best.len().saturating_sub(candidate.len()) > best.len() / FAR
}

#[cfg(test)]
mod tests {
    use super::{LARGE, is_wide};
    use crate::passes::testing::Languages;

    #[test]
    fn wide_is_what_is_large_and_little_but_one_list_of_small_elements() {
        let is_wide = |file: &str, open: &str, element: &str, times: usize, close: &str| {
            is_wide(&Languages.sample(file, format!("{open}{}{close}", element.repeat(times))).document)
        };
        assert!(is_wide("x.json", "[", "12345,", LARGE / 5, "1]"));
        assert!(is_wide("x.json", "{\"a\": {\"b\": [", "1,", LARGE, "1]}}"), "wherever the list is");
        assert!(is_wide("x.js", "f(", "a,", LARGE, "b);"));
        assert!(!is_wide("x.json", "[", "12345,", 1000, "1]"), "it is small");
        assert!(!is_wide("x.c", "", "int f(int a) { return a + 1; }\n", LARGE / 20, ""), "its elements are large");
        assert!(!is_wide("x.json", &"[".repeat(LARGE), "1", 1, &"]".repeat(LARGE)), "it is deep");
    }
}
