//! The gate: rejects candidates with new syntax errors without a test.
//!
//! If the user asks for it, the gate also rejects candidates without a syntax error, or all with one.
//!
//! It costs a parse, incremental from the best result's tree unless much of that would be copied. Without other
//! knowledge about a candidate it saves 30–45 % of the tests. It remembers its rejections only in the session's cache.
//!
//! Parses have a budget of steps for each test. If it is used up, the gate lets every candidate through: if a text is
//! hard to parse, a test is cheaper than a parse.

use std::sync::Arc;

use lop_syntax::{
    Document, Errors, ParseError, SyntaxParser, SyntaxTree, TreeOnDemand, shape, share_to_copy, token_count,
};

use super::syntax::Syntax;

/// Number of bytes from which the tree of a best result is dropped before a distant one is parsed.
const LARGE: usize = 1 << 18;
/// Share of the best result whose removal makes a candidate distant. Making its tree from the previous one would copy
/// as large a share of that.
const FAR: usize = 32;
/// Two trees, one made from the other, share all but this part at most.
const MOST_COPIED: f64 = 0.125;

/// Share of a tree's nodes from which an edit of a list copies nearly the whole tree, if they are the list's elements.
/// tree-sitter keeps the elements in a binary tree of unnamed nodes, and makes that again.
const WIDE: usize = 4;

/// Parser steps that may be taken without a test, and those that each test adds. Ordinary reductions take 2 to 10 per
/// test. 30 take 1 to 5 ms, at most a tenth of a test of 50 ms.
const STEPS_AT_FIRST: usize = 3_000;
const STEPS_PER_TEST: i64 = 30;
/// At the start the credit also covers this number of ordinary parses of the input, but no more steps than this: they
/// take one to two seconds, perhaps without any test between them.
const PARSES_AT_FIRST: usize = 4;
const MOST_AT_FIRST: usize = 80_000;

/// The tokens of each best result of up to this number of bytes are counted by its tree: that takes less time than a test.
const COUNTED: usize = 1 << 14;

/// An ordinary parse takes a step for this number of nodes of its tree, and for this number of bytes.
const NODES_PER_STEP: usize = 25;
const BYTES_PER_STEP: usize = 1 << 10;
/// A candidate's parse may take `HARD` times the steps of an ordinary parse, and `HARD_AT_LEAST` steps more.
const HARD: usize = 4;
const HARD_AT_LEAST: usize = 500;
/// A parse may take this number of steps more than there are left, which is a second or two. Ordinary parses of texts
/// of up to half a megabyte take fewer.
const MOST_OVERDRAWN: i64 = 80_000;

/// Judges the syntax of candidates by comparison with the best result.
#[derive(Clone)]
pub(super) struct Gate {
    parser: SyntaxParser,
    /// The tree of the text that was parsed from scratch last, which others may still ask for.
    document: Arc<TreeOnDemand>,
    /// Which part of that tree is not in the best result's any more, at most.
    drift: f64,
    best: Option<Parsed>,
    /// Whether the best result is large, and has little but one list in it.
    is_wide: bool,
    /// The tree of the last candidate: the one that is most likely accepted next.
    last: Option<Parsed>,
    /// Errors that a candidate may have at most.
    bound: usize,
    /// The syntax that the user asks of every candidate.
    wanted: Option<Syntax>,
    /// The shape that the tree of a candidate must have, if that matters.
    shape: Option<u64>,
    /// Remaining parser steps; negative if the last parse took more.
    credit: i64,
    /// Steps of an ordinary parse of the best result.
    usual: usize,
    /// The remaining steps when credit was granted last.
    granted: usize,
    /// Steps that all parses have taken.
    steps: u64,
}

#[derive(Clone)]
struct Parsed {
    text: Arc<[u8]>,
    tree: SyntaxTree,
    errors: usize,
    /// Whether the tree was parsed from scratch, and not from another tree.
    is_fresh: bool,
}

impl Gate {
    /// A gate for an input that has been parsed. With `loose` more errors than before are no reason to
    /// refuse a candidate.
    pub(super) fn new(parser: SyntaxParser, input: &Document, wanted: Option<Syntax>, loose: bool) -> Self {
        let bound = if loose { usize::MAX } else { input.errors() };
        let document = Arc::clone(input.shared_tree());
        let (best, last, drift, is_wide, shape) = (None, None, 0.0, false, None);
        let usual = usual_steps(input);
        let (credit, granted, steps) = (at_first(usual), usual, 0);
        let mut gate =
            Gate { parser, document, drift, best, is_wide, last, bound, wanted, shape, credit, usual, granted, steps };
        gate.adopt(input);
        gate
    }

    /// Accepts every candidate from now on. Returns `false` if that was so before, or the user demands a kind of
    /// syntax.
    pub(super) fn open(&mut self) -> bool {
        let is_shut = !self.needs_trees() && self.bound != usize::MAX;
        if is_shut {
            self.bound = usize::MAX;
        }
        is_shut
    }

    /// Lets candidates through that have no more errors than the best result.
    pub(super) fn close(&mut self) {
        self.bound = self.best.as_ref().map_or(usize::MAX, |best| best.errors);
    }

    /// Whether every candidate must be parsed, even if it will probably pass.
    pub(super) fn is_strict(&self) -> bool {
        self.wanted.is_some()
    }

    /// The best result has been parsed from scratch: its tree is shared, and older ones go.
    pub(super) fn adopt(&mut self, best: &Document) {
        self.document = Arc::clone(best.shared_tree());
        self.drift = 0.0;
        let (text, errors) = (Arc::clone(best.shared_source()), best.errors());
        self.best = Some(Parsed { text, tree: best.tree(), errors, is_fresh: true });
        self.is_wide = is_wide(best);
        self.usual = usual_steps(best);
        // Parses of a text of half the size cost half as much: those of the larger one do not count against them.
        if self.usual * 2 <= self.granted {
            self.granted = self.usual;
            self.credit = self.credit.max(at_first(self.usual));
        }
        self.last = None;
        self.follow_bound();
    }

    /// A test was run.
    pub(super) fn earn(&mut self) {
        self.credit = self.credit.saturating_add(STEPS_PER_TEST);
    }

    /// Steps that parses have taken, 10 to 20 µs each.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether no candidate gets by without a tree.
    fn needs_trees(&self) -> bool {
        self.is_strict() || self.shape.is_some()
    }

    /// Steps that the next parse may take.
    fn most(&self) -> usize {
        let most = self.usual * HARD + HARD_AT_LEAST;
        if self.needs_trees() {
            return most;
        }
        let left = self.credit.saturating_add(MOST_OVERDRAWN);
        most.min(usize::try_from(left).unwrap_or(0))
    }

    /// Parses within the remaining steps, from another tree if there is one.
    fn make(&mut self, old: Option<&Parsed>, text: &Arc<[u8]>) -> Option<Parsed> {
        let again = old.map(|old| self.parser.reparse_within(&old.tree, &old.text, text, self.most()));
        if again.is_some() {
            self.spend(self.parser.steps());
        }
        // A text that is hard to parse from another tree may be easy alone.
        let is_fresh = again.as_ref().is_none_or(|tree| matches!(tree, Err(ParseError::TooHard)));
        let tree = match again {
            Some(tree) if !is_fresh => tree,
            _ => {
                let tree = self.parser.parse_within(text, self.most());
                self.spend(self.parser.steps());
                tree
            }
        };
        let tree = tree.ok()?;
        let errors = Errors::of(&tree);
        self.spend(errors.steps());
        Some(Parsed { text: Arc::clone(text), tree, errors: errors.count, is_fresh })
    }

    fn spend(&mut self, steps: usize) {
        self.credit = self.credit.saturating_sub(signed(steps));
        self.steps += steps as u64;
    }

    /// Takes the new best result. Drops the previous tree if the new one is known.
    pub(super) fn accept(&mut self, best: &Arc<[u8]>) {
        if self.last.as_ref().is_some_and(|last| last.text == *best) {
            if self.document.text().len() >= LARGE {
                self.drift += self.best.as_ref().map_or(1.0, |old| share_to_copy(&old.tree, &old.text, best));
                // Until then most of it is shared with the new one.
                if self.drift > MOST_COPIED {
                    self.document.release();
                }
            }
            self.best = self.last.take();
            self.follow_bound();
        }
    }

    /// Counts the tokens of the new best result, unless its tree would be too large to make each time. A tree made from
    /// another one can differ after syntax errors, and isn't used for counting.
    pub(super) fn tokens(&mut self, best: &Arc<[u8]>) -> Option<usize> {
        if best.len() > COUNTED {
            return None;
        }
        let known = self.best.as_ref().filter(|known| known.text == *best && (known.errors == 0 || known.is_fresh));
        if let Some(known) = known {
            return Some(token_count(&known.tree));
        }
        // No answer of the gate depends on it.
        let tree = self.parser.parse_within(best, self.usual * HARD + HARD_AT_LEAST);
        tree.ok().map(|tree| token_count(&tree))
    }

    /// Drops all trees: the best result is about to be parsed from scratch, and two trees at a time would be the memory
    /// peak of the run. Returns the best result's tree if it would be made again.
    pub(super) fn hand_over(&mut self, best: &[u8]) -> Option<SyntaxTree> {
        let known = self.best.take().filter(|known| known.is_fresh && *known.text == *best);
        self.release();
        known.map(|known| known.tree)
    }

    /// Drops the tree of the last candidate.
    pub(super) fn forget_candidate(&mut self) {
        self.last = None;
    }

    fn release(&mut self) {
        self.document.release();
        self.best = None;
        self.last = None;
    }

    /// From now on a candidate must have the tree that `document` has, but for blanks between tokens;
    /// with `None` any tree will do. A tree with syntax errors has no shape to keep.
    pub(super) fn keep_shape(&mut self, document: Option<&Document>) {
        self.shape = document.filter(|d| d.errors() == 0).map(|d| shape(&d.tree(), d.source()));
    }

    /// Whether a candidate has no more syntax errors than allowed, as far as the remaining steps can tell.
    ///
    /// `best` is the best result's text, from whose tree the parse starts.
    pub(super) fn passes(&mut self, candidate: &Arc<[u8]>, best: &Arc<[u8]>) -> bool {
        // It may be asked about more than once before it is believed.
        let is_last = self.last.as_ref().is_some_and(|last| last.text == *candidate);
        if is_last && self.best.as_ref().is_none_or(|known| known.text == *best) {
            return self.last_holds();
        }
        if self.credit <= 0 && !self.needs_trees() {
            return true;
        }
        if self.is_wide {
            // No tree is of any use for another.
            self.release();
        } else {
            self.follow(best);
            // It would be in memory together with the next one.
            self.last = None;
        }
        self.judge(candidate)
    }

    /// Judges a candidate that the test accepted, and that becomes the best result if it passes. If it is distant from
    /// the previous one, the previous tree is dropped first.
    pub(super) fn admits(&mut self, candidate: &Arc<[u8]>, best: &Arc<[u8]>) -> bool {
        let is_last = self.last.as_ref().is_some_and(|last| last.text == *candidate);
        // Without a tree to start from the candidate's own is all that is needed.
        let is_far = |known: &Parsed| is_far(&known.tree, &known.text, candidate);
        let is_far = self.best.as_ref().map_or(best.len() >= LARGE, is_far);
        if is_last || !is_far {
            return self.passes(candidate, best);
        }
        self.release();
        self.judge(candidate)
    }

    /// Parses a candidate from the current tree.
    fn judge(&mut self, candidate: &Arc<[u8]>) -> bool {
        let best = self.best.take();
        // Under error recovery a tree made from another may differ: no promise is built on that.
        self.last = self.make(best.as_ref().filter(|_| !self.is_strict()), candidate);
        self.best = best;
        // A text that is too hard is unknown.
        if self.last.is_some() { self.last_holds() } else { !self.needs_trees() }
    }

    /// Whether the candidate that was parsed last is as all have to be.
    fn last_holds(&self) -> bool {
        self.last.as_ref().is_some_and(|Parsed { text, tree, errors, .. }| {
            let is_shaped = self.shape.is_none_or(|wanted| shape(tree, text) == wanted);
            *errors <= self.bound && is_shaped && self.wanted.is_none_or(|wanted| wanted.holds(*errors))
        })
    }

    /// Makes sure that `self.best` is the tree of `best`.
    fn follow(&mut self, best: &Arc<[u8]>) {
        if self.best.as_ref().is_some_and(|b| b.text == *best) {
            return;
        }
        // Without the previous best result's tree, there can be that of a candidate that isn't accepted yet.
        if self.best.as_ref().map_or(best.len() >= LARGE, |old| is_far(&old.tree, &old.text, best)) {
            self.release();
        }
        let old = self.best.take();
        self.best = self.make(old.as_ref(), best);
        self.follow_bound();
    }

    /// A text without errors stays without errors. Until then the input's number is the limit: an error that disappears
    /// by chance must not block smaller malformed texts. If an accepted candidate had more errors after all, the limit
    /// rises, or nothing could pass any more.
    fn follow_bound(&mut self) {
        if let Some(best) = &self.best {
            let clean = best.errors == 0 && self.bound != usize::MAX;
            self.bound = if clean { 0 } else { self.bound.max(best.errors) };
        }
    }
}

fn signed(steps: usize) -> i64 {
    i64::try_from(steps).unwrap_or(i64::MAX)
}

/// Steps that parses may take before the first test on a text whose ordinary parse takes `usual` steps.
fn at_first(usual: usize) -> i64 {
    signed(STEPS_AT_FIRST + (PARSES_AT_FIRST * usual).min(MOST_AT_FIRST))
}

/// Steps of an ordinary parse of a text.
fn usual_steps(document: &Document) -> usize {
    document.node_count() / NODES_PER_STEP + document.source().len() / BYTES_PER_STEP
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

/// Whether the tree of a text is so large, and shares so little with another text's tree, that both should not be in
/// memory together.
fn is_far(tree: &SyntaxTree, text: &[u8], other: &[u8]) -> bool {
    is_much_gone(text, other) || (text.len() >= LARGE && share_to_copy(tree, text, other) > MOST_COPIED)
}

/// Whether a text is large, and much of it was removed from another one.
fn is_much_gone(text: &[u8], other: &[u8]) -> bool {
    text.len() >= LARGE && text.len().saturating_sub(other.len()) > text.len() / FAR
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Gate, LARGE, MOST_OVERDRAWN, Syntax, is_far, is_wide};
    use lop_syntax::{Document, shape};
    use lop_testing::parser;

    fn parsed(file: &str, text: impl Into<Vec<u8>>) -> Document {
        Document::parse(&mut parser(file), text.into()).expect("a small text has a tree")
    }

    #[test]
    fn a_tree_is_handed_over_if_a_parse_of_the_text_alone_would_make_it() {
        let text = |text: &str| Arc::<[u8]>::from(text.as_bytes());
        let (input, candidate) = (text("a(); b(); d();"), text("a(); d();"));
        let document = parsed("x.js", input.to_vec());
        let new = || Gate::new(parser("x.js"), &document, None, false);
        let given = new().hand_over(&input).expect("it has been parsed");
        assert_eq!(shape(&given, &input), shape(&document.tree(), &input));
        assert!(new().hand_over(&candidate).is_none(), "the tree of another text");
        let mut gate = new();
        assert!(gate.passes(&candidate, &input));
        gate.accept(&candidate);
        assert!(gate.hand_over(&candidate).is_none(), "made from the tree of another text");
        assert!(gate.hand_over(&candidate).is_none(), "gone");
        let large = text(&"a();\n".repeat(LARGE / 4));
        let half = text(&"a();\n".repeat(LARGE / 8));
        let document = parsed("x.js", large.to_vec());
        let mut gate = Gate::new(parser("x.js"), &document, None, false);
        assert!(gate.admits(&half, &large));
        gate.accept(&half);
        assert!(gate.hand_over(&half).is_some(), "too far to start from the tree of the other");
    }

    #[test]
    fn a_parse_takes_no_more_steps_than_are_left_and_some_more() {
        let (input, candidate) = ("a(b + 1);\n".repeat(2_000), "a(b + 1);\n".repeat(1_990) + "x;");
        let [input, candidate] = [input, candidate].map(|text| Arc::<[u8]>::from(text.as_bytes()));
        let document = parsed("x.js", input.to_vec());
        let new = |credit| {
            let mut gate = Gate::new(parser("x.js"), &document, None, true);
            gate.release();
            gate.credit = credit;
            gate
        };
        let mut gate = new(0);
        assert!(gate.judge(&candidate) && gate.last.is_some());
        let steps = gate.steps();
        assert!(steps > 100, "{steps} steps");
        let mut gate = new(100 - MOST_OVERDRAWN);
        assert!(gate.judge(&candidate), "of what took too many nothing is known");
        assert!(gate.last.is_none());
        assert_eq!(gate.steps(), 100);
        let mut gate = new(100 - MOST_OVERDRAWN);
        gate.wanted = Some(Syntax::Valid);
        assert!(gate.judge(&candidate) && gate.last.is_some(), "where trees are needed they are made");
    }

    #[test]
    fn far_is_what_lacks_much_or_differs_in_many_places() {
        let element = |number: usize| format!("f({number}, g({number}));\n");
        let is_far = |count: usize, new: &dyn Fn(usize) -> String| {
            let old: String = (0..count).map(element).collect();
            let new: String = (0..count).map(new).collect();
            let document = parsed("x.js", old.clone());
            is_far(&document.tree(), old.as_bytes(), new.as_bytes())
        };
        let many = LARGE / 10;
        assert!(!is_far(many, &|number| if number == 7 { String::new() } else { element(number) }));
        assert!(
            is_far(many, &|number| if number < many / 8 { String::new() } else { element(number) }),
            "much is gone"
        );
        let every_tenth = |number| if number % 10 == 0 { element(number).replace("g", "") } else { element(number) };
        assert!(is_far(many, &every_tenth), "not much is gone, but in many places");
        assert!(!is_far(100, &every_tenth), "it is small");
    }

    #[test]
    fn wide_is_what_is_large_and_little_but_one_list_of_small_elements() {
        let is_wide = |file: &str, open: &str, element: &str, times: usize, close: &str| {
            is_wide(&parsed(file, format!("{open}{}{close}", element.repeat(times))))
        };
        assert!(is_wide("x.json", "[", "12345,", LARGE / 5, "1]"));
        assert!(is_wide("x.json", "{\"a\": {\"b\": [", "1,", LARGE, "1]}}"), "wherever the list is");
        assert!(is_wide("x.js", "f(", "a,", LARGE, "b);"));
        assert!(!is_wide("x.json", "[", "12345,", 1000, "1]"), "it is small");
        assert!(!is_wide("x.c", "", "int f(int a) { return a + 1; }\n", LARGE / 20, ""), "its elements are large");
        assert!(!is_wide("x.json", &"[".repeat(LARGE), "1", 1, &"]".repeat(LARGE)), "it is deep");
    }
}
