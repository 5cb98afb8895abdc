//! Trying single edits, as many at a time as there are workers: the questions about the edits of one tree.
//!
//! Until one is accepted all candidates are made from the same text. From then on those that are still being tested
//! are out of date: a refusal is learnt all the same, and what is interesting too and stands elsewhere is asked about
//! once more, together with what was accepted. Workers that wait for that try further edits on top of it. A single
//! worker asks about one edit after the other, until one is accepted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;

use crate::engine::Verdict;
use crate::grammar::RuleId;
use crate::passes::{Alternative, Class, Prefer, Removal, each_once};

use super::classes::Classes;
use super::current::{Candidate, Current};
use super::gain::Gain;
use super::outlook::{Ahead, until_accepted};
use super::question_source::QuestionSource;
use super::ranked::Ranked;

/// How many edits are made in larger trees before the tree is built anew.
pub(super) const EDITS_BEFORE_REBASE: usize = 12;
/// The value of an edit that saves only what does not count.
const LITTLE: f64 = 0.01;

/// An edit that waits for its turn, by the tokens it is expected to save; of equal ones the first in
/// the order in which they were proposed.
pub(super) type Waiting = Ranked<Reverse<usize>, Alternative>;

/// The text that edits are tried on, and the knowledge of edits like them.
pub(super) struct EditSpace<'t> {
    /// The text that edits are of.
    pub(super) source: &'t [u8],
    pub(super) heap: &'t mut BinaryHeap<Waiting>,
    /// The parts that were edited since the tree was built.
    pub(super) edited: &'t [Range<usize>],
    pub(super) classes: &'t mut Classes,
    pub(super) prefer: Prefer,
}

/// Edits that are tried on one tree.
pub(super) struct EditSearch<'t> {
    on: EditSpace<'t>,
    /// Edits that are asked about, by question.
    open: BTreeMap<u64, Alternative>,
    /// How many edits were accepted when the candidate of a question was made.
    made: HashMap<u64, usize>,
    /// Edits that are part of the best result now.
    taken: Vec<Alternative>,
    /// Memos of edits that were refused.
    refused: Vec<u64>,
    /// The rules behind those that were taken last.
    rules: Vec<RuleId>,
    /// Edits that are interesting without all that was accepted.
    proven: Vec<Alternative>,
    /// The question about some of the proven edits together.
    union: Option<(u64, usize)>,
    next: u64,
}

impl<'t> EditSearch<'t> {
    pub(super) fn new(on: EditSpace<'t>) -> Self {
        let (open, made, taken, refused, rules, proven) = Default::default();
        EditSearch { on, open, made, taken, refused, rules, proven, union: None, next: 0 }
    }

    /// The edits that are part of the best result now, and the memos of those that were refused.
    pub(super) fn into_taken_and_refused(self) -> (Vec<Alternative>, Vec<u64>) {
        (self.taken, self.refused)
    }

    fn new_question(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The most valuable edit that does not touch what was edited since the tree was built.
    fn next_edit(&mut self) -> Option<Alternative> {
        while let Some(mut next) = self.on.heap.pop() {
            // It waits for the tree in which its surroundings are as they are now.
            if self.touches(&next.item) || self.on.classes.is_in_vain(&next.item) {
                continue;
            }
            // Chances change with every answer; the heap learns of it when an edit comes up.
            let value = value(self.on.classes, self.on.prefer, self.on.source, &next.item);
            if value < next.value && self.on.heap.peek().is_some_and(|other| other.value > value) {
                next.value = value;
                self.on.heap.push(next);
                continue;
            }
            return Some(next.item);
        }
        None
    }

    fn touches(&self, alternative: &Alternative) -> bool {
        let range = &alternative.range;
        let others = self.taken.iter().chain(&self.proven).map(|other| &other.range);
        self.on.edited.iter().chain(others).any(|other| other.start < range.end && range.start < other.end)
    }

    /// Whether the candidate of a question has everything that was accepted in it.
    fn is_up_to_date(&self, question: u64) -> bool {
        self.made.get(&question) == Some(&self.taken.len())
    }

    /// Whether a test of an older text is still running.
    fn has_late_ones(&self) -> bool {
        self.open.keys().any(|question| !self.is_up_to_date(*question))
    }

    /// Edits without a test under way are tried on the new text, if at all.
    fn accept(&mut self, alternatives: Vec<Alternative>) {
        self.rules = each_once(alternatives.iter().flat_map(|alternative| &alternative.rules).copied());
        for alternative in alternatives {
            self.on.classes.learn(&alternative, true);
            self.taken.push(alternative);
        }
        let made = &self.made;
        self.open.retain(|question, _| made.contains_key(question));
    }

    fn observe_union(&mut self, question: u64, count: usize, verdict: Verdict) -> Option<u64> {
        self.union = None;
        if verdict != Verdict::Interesting {
            // One of them is enough to spoil it: fewer are tried.
            self.proven.truncate(count / 2);
            return None;
        }
        if !self.is_up_to_date(question) {
            return None;
        }
        let together = self.proven.drain(..count).collect();
        self.accept(together);
        Some(question)
    }

    /// The edits of a question's candidate besides those that were accepted.
    fn edits_of(&self, question: u64) -> &[Alternative] {
        match (self.union, self.open.get(&question)) {
            (Some((union, count)), _) if union == question => &self.proven[..count],
            (_, Some(alternative)) => std::slice::from_ref(alternative),
            _ => &[],
        }
    }
}

impl QuestionSource for EditSearch<'_> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        if !self.taken.is_empty() {
            if self.union.is_none() && !self.proven.is_empty() {
                self.union = Some((self.new_question(), self.proven.len()));
            }
            if self.union.is_none() && !self.has_late_ones() {
                return Vec::new();
            }
        }
        let union = self.union.map(|(question, _)| question);
        while self.open.len() + usize::from(union.is_some()) < most
            && self.taken.len() < EDITS_BEFORE_REBASE
            && let Some(next) = self.next_edit()
        {
            let question = self.new_question();
            self.open.insert(question, next);
        }
        union.into_iter().chain(self.open.keys().copied()).collect()
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        self.made.insert(question, self.taken.len());
        let edits = self.edits_of(question).iter();
        let removals: Vec<_> = edits.map(|alternative| Removal::Edits(alternative.edits.clone())).collect();
        current.candidate(removals.iter(), false)
    }

    fn wants(&self, question: u64) -> bool {
        self.open.contains_key(&question) || self.union.is_some_and(|(union, _)| union == question)
    }

    fn may_accept(&self, _: u64) -> bool {
        // An edit that is not accepted with its answer comes again, as another question.
        false
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        if let Some((union, count)) = self.union
            && union == question
        {
            return self.observe_union(question, count, verdict);
        }
        let alternative = self.open.remove(&question)?;
        if verdict != Verdict::Interesting {
            // A timeout says little about the edit: deletions make endless loops.
            if verdict != Verdict::Timeout {
                self.on.classes.learn(&alternative, false);
            }
            self.refused.push(alternative.memo);
            return None;
        }
        if self.is_up_to_date(question) {
            self.accept(vec![alternative]);
            return Some(question);
        }
        if !self.touches(&alternative) {
            self.proven.push(alternative);
        }
        None
    }

    fn give_up(&mut self) {
        self.on.heap.clear();
    }

    fn ahead(&self) -> Option<Ahead> {
        let edits = self.open.values().chain(self.on.heap.iter().map(|waiting| &waiting.item));
        let tests = until_accepted(edits.map(|edit| self.on.classes.chance(edit)));
        Some(Ahead { depth: None, units: self.open.len() + self.on.heap.len(), tests })
    }

    fn blanks_matter(&self) -> bool {
        false
    }

    fn pass(&self, question: u64) -> Option<&'static str> {
        self.edits_of(question).first().or(self.taken.last()).map(|alternative| alternative.pass)
    }

    fn rules(&self) -> &[RuleId] {
        &self.rules
    }

    fn describe(&self, question: u64) -> String {
        match self.edits_of(question) {
            [only] => {
                let class = only.class;
                format!("{} of kind {} by {}, {} tokens", only.pass, class.outer, class.inner, only.tokens)
            }
            several => format!("{} edits together", several.len()),
        }
    }
}

/// The expected saving of one test, in the measure that the user prefers to be small.
pub(super) fn value(classes: &Classes, prefer: Prefer, source: &[u8], alternative: &Alternative) -> f64 {
    let gain = match prefer {
        Prefer::Tokens => Gain::default(),
        Prefer::Bytes => Gain { bytes: alternative.bytes, lines: 0 },
        Prefer::Lines => Gain::by(source, &alternative.edits),
    };
    // An edit that saves nothing of that comes after all that do.
    let mut gain = gain.value(prefer, alternative.tokens).max(LITTLE);
    if alternative.class == Class::default() {
        // Nothing else tells edits apart that are of no class and save no token.
        let bytes = alternative.bytes.max(0) as f64;
        gain += LITTLE * bytes / (bytes + 1.0);
    }
    classes.chance(alternative) * gain
}
