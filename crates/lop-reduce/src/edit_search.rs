//! Tries single edits of one tree, one after the other, until one is accepted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use lop_engine::Verdict;
use lop_grammar::RuleId;
use lop_passes::{Alternative, Class, Prefer, Removal, each_once};

use super::classes::Classes;
use super::current::{Candidate, Current};
use super::gain::Gain;
use super::outlook::{RemainingEstimate, until_accepted};
use super::payoff::{LeftOut, Payoff};
use super::question_source::{QuestionSource, SourceState};
use super::ranked::Ranked;

/// The value of an edit that saves nothing in the preferred measure.
const LITTLE: f64 = 0.01;

/// A waiting edit, ordered by the tokens that it is expected to save, and then by the order of the proposals.
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
    /// The least that an edit must promise.
    pub(super) payoff: Payoff,
    /// Counts the edits that don't.
    pub(super) left_out: &'t mut LeftOut,
}

/// Edits that are tried on one tree.
pub(super) struct EditSearch<'t> {
    on: EditSpace<'t>,
    /// The edit that is asked about.
    open: Option<Alternative>,
    /// The edit that is part of the best result now.
    taken: Option<Alternative>,
    /// Memos of edits that were refused.
    refused: Vec<u64>,
    /// The rules of the accepted edit.
    rules: Vec<RuleId>,
    /// The number of edits at the start and the memo of the first one, which tell searches apart.
    first: (usize, Option<u64>),
    /// The answers since the start.
    heard: Vec<Heard>,
}

/// The state of an [`EditSearch`]: its `first` and `heard`.
type EditState = ((usize, Option<u64>), Vec<Heard>);

/// An answer, or the order to ask no more.
#[derive(Clone, Copy)]
enum Heard {
    Answer(Verdict),
    GiveUp,
}

impl<'t> EditSearch<'t> {
    pub(super) fn new(on: EditSpace<'t>) -> Self {
        let (open, taken, refused, rules, heard) = Default::default();
        let first = (on.heap.len(), on.heap.peek().map(|waiting| waiting.item.memo));
        EditSearch { first, on, open, taken, refused, rules, heard }
    }

    /// The accepted edit, and the memos of the refused ones.
    pub(super) fn into_taken_and_refused(self) -> (Option<Alternative>, Vec<u64>) {
        (self.taken, self.refused)
    }

    /// Returns the most valuable edit that doesn't touch any part edited since the tree was built.
    fn next_edit(&mut self) -> Option<Alternative> {
        while let Some(mut next) = self.on.heap.pop() {
            // It waits for the tree in which its surroundings are as they are now.
            if self.touches(&next.item) || self.on.classes.is_in_vain(&next.item) {
                continue;
            }
            let chance = self.on.classes.chance(&next.item);
            // An edit that saves nothing makes others possible.
            let tokens = if next.item.bytes > 0 { next.item.tokens } else { next.item.tokens.max(1) };
            if !self.on.payoff.is_worth(chance, f64::from(tokens), next.item.bytes.max(0) as f64) {
                *self.on.left_out.entry(next.item.pass).or_default() += 1;
                continue;
            }
            // Probabilities change with every outcome; the heap is updated when an edit reaches its top.
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
        self.on.edited.iter().any(|other| other.start < range.end && range.start < other.end)
    }

    /// The edit that is asked about, or was accepted.
    fn edit(&self) -> Option<&Alternative> {
        self.open.as_ref().or(self.taken.as_ref())
    }
}

impl QuestionSource for EditSearch<'_> {
    fn ask(&mut self) -> bool {
        if self.taken.is_none() && self.open.is_none() {
            self.open = self.next_edit();
        }
        self.open.is_some()
    }

    fn candidate(&mut self, current: &Current<'_>) -> Candidate {
        let edits = self.edit().map_or_else(Vec::new, |edit| edit.edits.clone());
        current.candidate(std::iter::once(&Removal::Edits(edits)), false)
    }

    fn observe(&mut self, verdict: Verdict) {
        let Some(alternative) = self.open.take() else { return };
        self.heard.push(Heard::Answer(verdict));
        if verdict == Verdict::Interesting {
            self.on.classes.learn(&alternative, true);
            self.rules = each_once(alternative.rules.iter().copied());
            self.taken = Some(alternative);
            return;
        }
        // A timeout says little about the edit: deletions make endless loops.
        if verdict != Verdict::Timeout {
            self.on.classes.learn(&alternative, false);
        }
        self.refused.push(alternative.memo);
    }

    fn chance(&self) -> f64 {
        self.edit().map_or(0.0, |edit| self.on.classes.chance(edit))
    }

    fn give_up(&mut self) {
        self.heard.push(Heard::GiveUp);
        self.on.heap.clear();
    }

    fn ahead(&self) -> Option<RemainingEstimate> {
        let edits = self.open.iter().chain(self.on.heap.iter().map(|waiting| &waiting.item));
        let tests = until_accepted(edits.map(|edit| self.on.classes.chance(edit)));
        Some(RemainingEstimate { depth: None, units: usize::from(self.open.is_some()) + self.on.heap.len(), tests })
    }

    fn blanks_matter(&self) -> bool {
        false
    }

    fn pass(&self) -> Option<&'static str> {
        self.edit().map(|edit| edit.pass)
    }

    fn rules(&self) -> &[RuleId] {
        &self.rules
    }

    /// There may be many thousand edits, but it takes little to choose among them again.
    fn state(&self) -> SourceState {
        Box::new((self.first, self.heard.clone()))
    }

    fn take_over(&mut self, state: &SourceState) -> bool {
        let Some((_, heard)) = state.downcast_ref::<EditState>().filter(|(first, _)| *first == self.first) else {
            return false;
        };
        for heard in heard {
            match heard {
                Heard::Answer(verdict) => {
                    self.ask();
                    self.observe(*verdict);
                }
                Heard::GiveUp => self.give_up(),
            }
        }
        self.ask();
        true
    }

    fn describe(&self) -> String {
        self.edit().map_or_else(String::new, |edit| {
            format!("{} of kind {} by {}, {} tokens", edit.pass, edit.class.outer, edit.class.inner, edit.tokens)
        })
    }
}

/// The expected saving of one test, in the measure that the user prefers to be small.
pub(super) fn value(classes: &Classes, prefer: Prefer, source: &[u8], alternative: &Alternative) -> f64 {
    let gain = match prefer {
        Prefer::Tokens => Gain::default(),
        Prefer::Bytes => Gain { bytes: alternative.bytes, lines: 0 },
        Prefer::Lines => Gain::by(source, &alternative.edits),
    };
    // An edit that saves nothing in this measure comes after all that do.
    let mut gain = gain.value(prefer, alternative.tokens).max(LITTLE);
    if alternative.class == Class::default() {
        // Edits without a class that save no token cannot be told apart otherwise.
        let bytes = alternative.bytes.max(0) as f64;
        gain += LITTLE * bytes / (bytes + 1.0);
    }
    classes.chance(alternative) * gain
}
