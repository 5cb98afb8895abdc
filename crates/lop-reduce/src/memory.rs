//! Remembers outcomes by their subject: a text, a proposal or a node of the tree.
//!
//! lop knows a text's outcome, so that it doesn't test the text again, and its fate, for the report. A small text also
//! covers all texts that only differ in whitespace. lop doesn't try a rejected proposal or node again before the file
//! has shrunk: the text would differ, but the outcome would probably be the same.
//!
//! The memory lasts for one reduction. Outcomes of earlier runs come from `Remembering` in lop-run, instead of a test.

use std::hash::{DefaultHasher, Hash, Hasher};

use lop_engine::Verdict;
use lop_passes::Ask;
use lop_run::exec::{Key, key};
use lop_syntax::{NodeId, without_blanks};
use rpds::HashTrieMapSync as Map;

use super::tally::Tally;

/// A refused node or proposal is asked about again when the file has shrunk below this share of its size then.
const ASK_AGAIN_BELOW: f64 = 0.75;

/// Texts of more bytes are only compared as they are.
const MOST_WITHOUT_BLANKS: usize = 64 << 10;

/// Answers that no test can give.
pub(super) const CERTAIN: u32 = 1_000_000;

/// Why a token stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Without it the test says *not interesting*.
    Refused,
    /// The text without it has one more syntax error, so it wasn't tested.
    Unparsed,
    /// Without it the test calls the text invalid.
    Invalid,
    /// Without it the test runs into the deadline.
    Timeout,
    /// The text without it shows another crash.
    OtherCrash,
    /// The user wants it kept.
    Kept,
    /// The text without it was interesting, too, but that was known too late to be used.
    Removable,
    /// The result without it, and nothing else, was never asked about.
    Unasked,
}

/// The memory of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the test; `None` if no test was needed.
    pub test: Option<u64>,
    /// The pass that asked.
    pub pass: &'static str,
    /// The outcome, as the reason why a token stays.
    pub why: Why,
    /// The signature of another crash.
    pub slip: Option<String>,
}

impl Record {
    /// The outcome of a test; `None` if it had no verdict.
    pub(super) fn of(test: u64, pass: &'static str, verdict: Option<Verdict>, slip: Option<&String>) -> Option<Self> {
        let why = match (verdict?, slip) {
            (Verdict::Interesting, _) => Why::Removable,
            (_, Some(_)) => Why::OtherCrash,
            (Verdict::NotInteresting, None) => Why::Refused,
            (Verdict::Invalid, None) => Why::Invalid,
            (Verdict::Timeout, None) => Why::Timeout,
        };
        Some(Record { test: Some(test), pass, why, slip: slip.cloned() })
    }
}

/// The answers on a text.
#[derive(Clone, Copy)]
pub(super) struct Answers {
    pub(super) tally: Tally,
    /// Those of them that need not be learnt from any more; the first is nothing to learn from.
    pub(super) evidence: Tally,
    /// The last answer that was not *interesting*.
    pub(super) refusal: Verdict,
}

impl Answers {
    /// Outcomes that replace a test.
    pub(super) fn certain(verdict: Verdict) -> Self {
        let mut tally = Tally::default();
        match verdict {
            Verdict::Interesting => tally.yes = CERTAIN,
            _ => tally.no = CERTAIN,
        }
        Answers { tally, evidence: tally, refusal: verdict }
    }

    /// Whether the test has called the text *interesting*.
    pub(super) fn has_been_interesting(&self) -> bool {
        self.tally.yes > 0
    }

    /// The verdict, when it is decided whether the text is interesting.
    pub(super) fn decided(&self, interesting: bool) -> Verdict {
        if interesting { Verdict::Interesting } else { self.refusal }
    }
}

/// The knowledge of a text.
#[derive(Clone, Default)]
struct Entry {
    answers: Option<Answers>,
    /// The record of the text, for the report. That of a text without its blanks is of one that differs in blanks only.
    record: Option<Record>,
    /// Whether a text was refused that differs from this one, which has none, in blanks only.
    is_refused_with_blanks: bool,
    /// Whether it was asked once more after it had timed out.
    had_second_chance: bool,
}

/// Identifies a proposal: the edit and the text that it edits.
pub(super) fn memo(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Proposals in one language that were refused, by [memo].
#[derive(Clone, Default)]
pub(super) struct Refusals {
    /// The tokens of the file then, and the number of the tree that it was proposed on.
    refused: Map<u64, (usize, u64)>,
    /// The number of the tree as it is now.
    tree: u64,
}

/// All that is remembered. Copies share it.
#[derive(Clone, Default)]
pub(super) struct Memory {
    texts: Map<Key, Entry>,
    proposals: Refusals,
    /// The tokens of the file when this was refused of the tree's nodes.
    nodes: Map<(Ask, NodeId), usize>,
}

impl Memory {
    fn edit(&mut self, text: Key, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.texts.get_mut(&text) {
            change(entry);
        } else {
            let mut entry = Entry::default();
            change(&mut entry);
            self.texts.insert_mut(text, entry);
        }
    }

    fn edit_all(&mut self, is_meant: impl Fn(&Entry) -> bool, change: impl Fn(&mut Entry)) {
        let meant: Vec<Key> = self.texts.iter().filter(|(_, entry)| is_meant(entry)).map(|(key, _)| *key).collect();
        meant.into_iter().for_each(|key| self.edit(key, &change));
    }

    /// The test's answers on a text.
    pub(super) fn answers(&self, text: &Key) -> Option<&Answers> {
        self.texts.get(text)?.answers.as_ref()
    }

    /// Forgets the answers on texts that the test has called interesting; those that need no test stay.
    pub(super) fn forget_interesting(&mut self) {
        let is_lucky = |answers: &Answers| answers.tally.yes > 0 && answers.tally.yes < CERTAIN;
        self.edit_all(|entry| entry.answers.as_ref().is_some_and(is_lucky), |entry| entry.answers = None);
    }

    /// Takes note of the answers on a text, all of them.
    pub(super) fn set_answers(&mut self, text: Key, answers: Answers) {
        self.edit(text, |entry| entry.answers = Some(answers));
    }

    /// Remembers the outcome of a text and, if `loosely`, of texts that differ only in blanks.
    pub(super) fn note(&mut self, text: &[u8], record: Record, loosely: bool) {
        if let Some(key) = blank_key(text).filter(|_| loosely) {
            self.edit(key, |entry| entry.record = Some(record.clone()));
        }
        self.edit(key(text), |entry| entry.record = Some(record));
    }

    /// The record of a text that was asked about, or of one that differs from it in blanks only.
    pub(super) fn record_of(&self, text: &[u8]) -> Option<&Record> {
        let record = |key| self.texts.get(&key)?.record.as_ref();
        record(key(text)).or_else(|| record(blank_key(text)?))
    }

    /// The last outcome of a text was *interesting*, but another one counts.
    pub(super) fn correct_record(&mut self, text: &Key, why: Why) {
        let record = self.texts.get_mut(text).and_then(|entry| entry.record.as_mut());
        if let Some(record) = record.filter(|record| record.why == Why::Removable) {
            record.why = why;
        }
    }

    /// Texts that were refused for a new syntax error may be asked about.
    pub(super) fn forget_unparsed(&mut self) {
        let is_unparsed = |entry: &Entry| entry.record.as_ref().is_some_and(|record| record.why == Why::Unparsed);
        self.edit_all(is_unparsed, |entry| entry.answers = None);
    }

    /// Remembers that a text was refused, and texts that differ only in blanks if that matters.
    pub(super) fn refuse_with_blanks(&mut self, text: &[u8]) {
        if let Some(key) = blank_key(text) {
            self.edit(key, |entry| entry.is_refused_with_blanks = true);
        }
    }

    /// Whether a text was refused that differs from this one in blanks only.
    pub(super) fn is_refused_with_blanks(&self, text: &[u8]) -> bool {
        let entry = blank_key(text).and_then(|key| self.texts.get(&key));
        entry.is_some_and(|entry| entry.is_refused_with_blanks)
    }

    /// A refusal says nothing any more of texts that differ in blanks: any may have been a lie.
    pub(super) fn distrust_blanks(&mut self) {
        self.edit_all(|entry| entry.is_refused_with_blanks, |entry| entry.is_refused_with_blanks = false);
    }

    /// Grants a text that timed out one more test; `false` if it had that before.
    pub(super) fn take_second_chance(&mut self, text: Key) -> bool {
        let is_first = !self.had_second_chance(&text);
        self.edit(text, |entry| entry.had_second_chance = true);
        is_first
    }

    /// Whether a text is asked once more after it had timed out.
    pub(super) fn had_second_chance(&self, text: &Key) -> bool {
        self.texts.get(text).is_some_and(|entry| entry.had_second_chance)
    }

    /// Notes that a proposal was refused when the file had this number of tokens.
    pub(super) fn refuse(&mut self, memo: u64, tokens: usize) {
        self.proposals.refused.insert_mut(memo, (tokens, self.proposals.tree));
    }

    /// Whether a proposal was refused when the file was not much larger than now.
    pub(super) fn is_refused(&self, memo: u64, tokens: usize) -> bool {
        self.proposals.refused.get(&memo).is_some_and(|&(then, _)| !is_worth_asking_again(then, tokens))
    }

    /// Whether a proposal was refused on the tree as it is now.
    pub(super) fn is_refused_now(&self, memo: u64) -> bool {
        self.proposals.refused.get(&memo).is_some_and(|&(_, tree)| tree == self.proposals.tree)
    }

    /// Puts the proposals in another language in the place of those in this one.
    pub(super) fn swap_proposals(&mut self, other: &mut Refusals) {
        std::mem::swap(&mut self.proposals, other);
    }

    /// Notes that the file of `tokens` tokens is not interesting when this is done to a node.
    pub(super) fn refuse_node(&mut self, ask: Ask, node: NodeId, tokens: usize) {
        self.nodes.insert_mut((ask, node), tokens);
    }

    /// Whether this was refused when the file was not much larger than now.
    pub(super) fn is_node_refused(&self, ask: Ask, node: NodeId, tokens: usize) -> bool {
        self.nodes.get(&(ask, node)).is_some_and(|&then| !is_worth_asking_again(then, tokens))
    }

    /// Moves the refusals of nodes to a new tree: `find` returns the new nodes in the same order. A forgotten refusal
    /// costs tests and never correctness.
    pub(super) fn change_tree<E>(
        &mut self,
        find: impl FnOnce(&mut dyn Iterator<Item = NodeId>) -> Result<Vec<Option<NodeId>>, E>,
    ) -> Result<(), E> {
        self.proposals.tree += 1;
        let old = std::mem::take(&mut self.nodes);
        let found = find(&mut old.keys().map(|(_, node)| *node))?;
        for (((ask, _), then), node) in old.iter().zip(found) {
            if let Some(node) = node {
                // Two nodes may have become one; the order of the map must not decide.
                let then = self.nodes.get(&(*ask, node)).map_or(*then, |other| *then.max(other));
                self.nodes.insert_mut((*ask, node), then);
            }
        }
        Ok(())
    }

    /// Forgets the refusals of nodes: their tree was replaced.
    pub(super) fn forget_nodes(&mut self) {
        self.nodes = Map::default();
    }

    /// Forgets the refusals of proposals and nodes, so that all are tested again. Outcomes of texts stay.
    pub(super) fn forget_refusals(&mut self) {
        self.proposals.refused = Map::default();
        self.nodes = Map::default();
    }
}

/// Whether something that was refused when the file had `then` tokens is worth another test.
fn is_worth_asking_again(then: usize, now: usize) -> bool {
    (now as f64) < ASK_AGAIN_BELOW * then as f64
}

/// The key of a small text without its blanks.
fn blank_key(text: &[u8]) -> Option<Key> {
    (text.len() <= MOST_WITHOUT_BLANKS).then(|| key(&without_blanks(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_what_came_of_a_test() {
        let why = |verdict, slip: Option<&str>| {
            Record::of(7, "tokens", verdict, slip.map(str::to_owned).as_ref()).map(|record| record.why)
        };
        assert_eq!(why(None, None), None);
        assert_eq!(why(Some(Verdict::NotInteresting), None), Some(Why::Refused));
        assert_eq!(why(Some(Verdict::NotInteresting), Some("SIGABRT")), Some(Why::OtherCrash));
        assert_eq!(why(Some(Verdict::Timeout), None), Some(Why::Timeout));
        assert_eq!(why(Some(Verdict::Invalid), None), Some(Why::Invalid));
        assert_eq!(why(Some(Verdict::Interesting), None), Some(Why::Removable));
    }

    #[test]
    fn what_was_refused_is_asked_again_when_a_quarter_of_the_file_is_gone() {
        let mut memory = Memory::default();
        memory.refuse(7, 100);
        memory.refuse_node(Ask::Body, 3, 100);
        assert!(memory.is_refused(7, 75) && memory.is_node_refused(Ask::Body, 3, 75));
        assert!(!memory.is_refused(7, 74) && !memory.is_node_refused(Ask::Body, 3, 74));
        assert!(!memory.is_refused(8, 100) && !memory.is_node_refused(Ask::Unit, 3, 100), "others");
        memory.forget_refusals();
        assert!(!memory.is_refused(7, 100) && !memory.is_node_refused(Ask::Body, 3, 100));
    }

    #[test]
    fn refusals_follow_the_nodes_of_a_new_tree_and_the_one_in_the_largest_file_counts() {
        let mut memory = Memory::default();
        memory.refuse(7, 100);
        for (node, tokens) in [(1, 100), (2, 50), (3, 10)] {
            memory.refuse_node(Ask::Unit, node, tokens);
        }
        // Two nodes have become one, and the third was removed.
        let find = |nodes: &mut dyn Iterator<Item = NodeId>| Ok(nodes.map(|node| (node < 3).then_some(8)).collect());
        assert!(memory.is_refused_now(7));
        assert_eq!(memory.change_tree::<()>(find), Ok(()));
        assert!(memory.is_refused(7, 100) && !memory.is_refused_now(7), "it was another tree");
        assert!(memory.is_node_refused(Ask::Unit, 8, 75) && !memory.is_node_refused(Ask::Unit, 8, 74));
        assert!(!memory.is_node_refused(Ask::Unit, 3, 10));
        assert_eq!(memory.change_tree(|_| Err("it has none")), Err("it has none"));
        assert!(!memory.is_node_refused(Ask::Unit, 8, 75), "there are no nodes");
    }

    #[test]
    fn a_small_text_stands_for_those_that_differ_in_blanks() {
        let mut memory = Memory::default();
        let record = Record { test: Some(1), pass: "tokens", why: Why::Refused, slip: None };
        memory.note(b"a  b", record.clone(), true);
        memory.note(b"c  d", record.clone(), false);
        memory.refuse_with_blanks(b"a  b");
        assert_eq!(memory.record_of(b"a b"), Some(&record));
        assert_eq!((memory.record_of(b"c d"), memory.record_of(b"c  d")), (None, Some(&record)));
        assert!(memory.is_refused_with_blanks(b" a b") && !memory.is_refused_with_blanks(b"c d"));
        memory.distrust_blanks();
        assert!(!memory.is_refused_with_blanks(b"a b") && memory.record_of(b"a b").is_some());
    }
}
