//! Sibling lists side by side: what several workers are asked about when one list has less to ask than
//! they could answer.
//!
//! Each list has its own search, which is told its answers as if it were alone. An answer does not know
//! what other lists found in the meantime: a candidate that was made before and turns out to be
//! interesting is no longer what the text would be, so it adds to the unjudged finds of its list, its *union*. The
//! unions of all lists are judged together, in one candidate; while one is out, nothing else is committed. If it is
//! refused they are judged one by one. A list whose own union is refused is asked about alone until that has come to
//! something: else two lists that disturb each other could go on for ever.
//!
//! Definitions that nothing refers to are a list among the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::engine::{QuestionId, Search, Verdict};
use crate::grammar::RuleId;
use crate::passes::{NO_DEPTH, Pass, Siblings, Unit, Unreferenced, each_once};
use crate::syntax::NodeId;

use super::current::{Candidate, Current};
use super::outlook::{Ahead, Sum};
use super::question_source::QuestionSource;
use super::sweep::SequenceSweep;

/// Numbers of questions: the turn's in the upper bits, the search's own below; unions have none of a turn.
const TURN: u32 = 40;

/// A list that is being asked about.
pub(super) struct Turn {
    number: u64,
    /// The node whose children it holds.
    parent: NodeId,
    pub(super) sweep: SequenceSweep,
    /// The expected saving, and the number of units found needed at which that is computed again.
    pub(super) value: f64,
    pub(super) until: usize,
}

impl Turn {
    /// Whether another list may promise more by now.
    pub(super) fn is_over(&self) -> bool {
        let search = self.search();
        search.needed_count() >= self.until && search.undecided() > 0 && search.unjudged_union().is_none()
    }

    fn pauses(&self, is_alone: bool) -> bool {
        self.sweep.is_finished() || self.is_over() || !is_alone && self.search().has_decided()
    }

    /// Whether it is asked about when one list may be asked about alone.
    fn is_asked(&self, alone: Option<u64>) -> bool {
        alone.is_none_or(|alone| alone == self.number)
    }

    /// The order between lists that promise the same.
    pub(super) fn tie(&self) -> (Reverse<u32>, NodeId) {
        (Reverse(self.sweep.sequence.depth), self.parent)
    }

    fn search(&self) -> &Search {
        &self.sweep.search
    }

    fn search_mut(&mut self) -> &mut Search {
        &mut self.sweep.search
    }
}

/// The finds of some lists, as a candidate.
struct Union {
    /// The number of each list's turn, and all that is gone of it then.
    parts: Vec<(u64, Vec<Range<usize>>)>,
    /// How often something had been committed when it was asked about.
    committed: u64,
}

/// The lists at work, the most promising first.
#[derive(Default)]
pub(super) struct Lists {
    turns: Vec<Turn>,
    next: u64,
    /// Unions that are asked about, and those that have to be asked about one by one.
    unions: BTreeMap<u64, Union>,
    apart: Vec<(u64, Vec<Range<usize>>)>,
    /// The turn of the list that is asked about alone.
    alone: Option<u64>,
    /// How often something was committed.
    committed: u64,
    /// The positions of its list that are gone in the candidate of a question.
    removals: BTreeMap<u64, Vec<Range<usize>>>,
    /// The rules behind the units that went last.
    rules: Vec<RuleId>,
    /// Whether those at work were given up because too much was asked without a test.
    gives_up: bool,
}

impl Lists {
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }

    pub(super) fn turns(&mut self) -> &mut [Turn] {
        &mut self.turns
    }

    /// Whether those at work were given up since this was asked last: others would fare no better.
    pub(super) fn take_giving_up(&mut self) -> bool {
        std::mem::take(&mut self.gives_up)
    }

    /// A turn for a list that is asked about from now on.
    pub(super) fn turn(&mut self, parent: NodeId, sweep: SequenceSweep, value: f64, until: usize) -> Turn {
        self.next += 1;
        Turn { number: self.next, parent, sweep, value, until }
    }

    pub(super) fn take_up(&mut self, turn: Turn) {
        let place = self.turns.partition_point(|other| (other.value, other.tie()) >= (turn.value, turn.tie()));
        self.turns.insert(place, turn);
    }

    /// Drops lists whose node is gone.
    pub(super) fn forget(&mut self, is_gone: impl Fn(NodeId) -> bool) {
        self.turns.retain(|turn| !is_gone(turn.parent));
        self.alone = self.alone.filter(|alone| self.turns.iter().any(|turn| turn.number == *alone));
    }

    /// The lists that have decided something. With `most` = 1 that is told at the end of a turn only.
    pub(super) fn take_pausing(&mut self, most: usize) -> Vec<Turn> {
        let turns: Vec<Turn> = self.turns.extract_if(.., |turn| turn.pauses(most == 1)).collect();
        self.alone = self.alone.filter(|alone| turns.iter().all(|turn| turn.number != *alone));
        turns
    }

    /// Has everything asked about anew where nothing was left to ask and no list has come to something.
    pub(super) fn refresh(&mut self, most: usize) {
        if !self.turns.iter().any(|turn| turn.pauses(most == 1)) {
            self.turns.iter_mut().for_each(|turn| turn.search_mut().forget_answers());
        }
    }

    /// The lists as a source of questions; `most` limits the lists at work.
    pub(super) fn on(&mut self, most: usize) -> ListsOn<'_> {
        ListsOn { lists: self, most }
    }

    /// The list that a question is about; none if that is a union.
    fn turn_of(&self, question: u64) -> Option<&Turn> {
        self.turns.iter().find(|turn| turn.number == question >> TURN)
    }

    fn numbered(&mut self, number: u64) -> Option<&mut Turn> {
        self.turns.iter_mut().find(|turn| turn.number == number)
    }

    /// Asks about what was found and not judged yet: all of it together, or list by list.
    fn unite(&mut self) {
        if !self.unions.is_empty() {
            return;
        }
        let mut candidates: Vec<Vec<_>> = std::mem::take(&mut self.apart).into_iter().map(|part| vec![part]).collect();
        if candidates.is_empty() {
            let found = |turn: &Turn| Some((turn.number, turn.search().unjudged_union()?));
            let parts: Vec<_> = self.turns.iter().filter(|turn| turn.is_asked(self.alone)).filter_map(found).collect();
            if parts.is_empty() {
                return;
            }
            candidates.push(parts);
        }
        for parts in candidates {
            self.next += 1;
            self.unions.insert(self.next, Union { parts, committed: self.committed });
        }
        self.turns.iter_mut().for_each(|turn| turn.search_mut().text_changed());
    }
}

/// Lists at work on a text.
pub(super) struct ListsOn<'l> {
    lists: &'l mut Lists,
    most: usize,
}

impl ListsOn<'_> {
    /// The candidate without these positions of some lists, besides those that are gone.
    fn candidate_of(&self, parts: &[(u64, Vec<Range<usize>>)], current: &Current<'_>) -> Candidate {
        let mut units: Vec<&Unit> = Vec::new();
        for turn in &self.lists.turns {
            let Some((_, gone)) = parts.iter().find(|(number, _)| *number == turn.number) else { continue };
            let (removed, positions) = (turn.search().removed(), turn.sweep.positions());
            let more = gone.iter().cloned().flatten().filter(|&position| !removed.contains(position));
            units.extend(more.map(|position| positions.unit(position)));
        }
        let cleared = units.iter().all(|unit| unit.cleared);
        current.candidate(units.into_iter().map(|unit| &unit.removal), cleared)
    }

    /// Units of a list have gone, by their positions.
    fn note_rules(&mut self, number: u64, gone: impl Iterator<Item = usize>) {
        let Some(turn) = self.lists.turns.iter().find(|turn| turn.number == number) else { return };
        let positions = turn.sweep.positions();
        self.lists.rules.extend(gone.flat_map(|position| positions.rules(position).iter().copied()));
    }

    /// Something of a list is gone for good.
    fn commit(&mut self, number: u64) {
        self.lists.committed += 1;
        self.lists.alone = self.lists.alone.filter(|alone| *alone != number);
        let others = self.lists.turns.iter_mut().filter(|turn| turn.number != number);
        others.for_each(|turn| turn.search_mut().text_changed());
    }

    fn union_answered(&mut self, question: u64, union: Union, verdict: Verdict) -> Option<u64> {
        let is_interesting = verdict == Verdict::Interesting;
        let is_overtaken = is_interesting && union.committed != self.lists.committed;
        if !is_interesting && union.parts.len() > 1 {
            self.lists.apart = union.parts;
        } else if !is_overtaken {
            for (number, gone) in &union.parts {
                let Some(turn) = self.lists.numbered(*number) else { continue };
                turn.search_mut().union_judged(gone, verdict);
                if is_interesting {
                    self.note_rules(*number, gone.iter().cloned().flatten());
                    self.commit(*number);
                } else {
                    self.lists.alone = Some(*number);
                }
            }
        }
        if self.lists.unions.is_empty() {
            self.lists.turns.iter_mut().for_each(|turn| turn.search_mut().forget_overtaken());
        }
        (is_interesting && !is_overtaken).then_some(question)
    }

    fn answered(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        let no_unions = self.lists.unions.is_empty();
        let number = question >> TURN;
        let turn = self.lists.numbered(number)?;
        let progress = turn.search_mut().observe(own(question), verdict);
        if no_unions {
            turn.search_mut().forget_overtaken();
        }
        self.note_rules(number, progress.newly_removed.into_iter().flatten());
        if progress.committed {
            self.commit(number);
        }
        progress.accepted.map(|id| number << TURN | id.0)
    }
}

impl QuestionSource for ListsOn<'_> {
    fn questions(&mut self, most: usize) -> Vec<u64> {
        let lists = &mut *self.lists;
        let is_alone = self.most == 1;
        if lists.turns.iter().any(|turn| turn.pauses(is_alone)) {
            return Vec::new();
        }
        lists.unite();
        let unions = lists.unions.keys().copied().take(most);
        let mut questions: Vec<u64> = unions.collect();
        lists.removals.clear();
        let mut others = Vec::new();
        // Further questions of a list are asked ahead only where there are too few lists.
        let alone = lists.alone;
        let mut asked: Vec<_> = lists.turns.iter_mut().filter(|turn| turn.is_asked(alone)).collect();
        let share = 1 + most.saturating_sub(asked.len());
        for turn in &mut asked {
            let number = turn.number;
            for question in turn.search_mut().next_tests(share) {
                let name = number << TURN | question.id.0;
                others.push((question.reach, name));
                lists.removals.insert(name, question.remove);
            }
        }
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        questions.extend(others.into_iter().map(|(_, name)| name));
        questions.truncate(most);
        questions
    }

    fn candidate(&mut self, question: u64, current: &Current<'_>) -> Candidate {
        if let Some(union) = self.lists.unions.get(&question) {
            return self.candidate_of(&union.parts, current);
        }
        let may_commit = self.lists.unions.is_empty();
        let id = own(question);
        let gone = self.lists.removals[&question].clone();
        let number = question >> TURN;
        let turn = self.lists.numbered(number).expect("only lists at work are asked about");
        turn.search_mut().is_made(id, may_commit);
        self.candidate_of(&[(number, gone)], current)
    }

    fn wants(&self, question: u64) -> bool {
        self.lists.unions.contains_key(&question)
            || self.lists.turn_of(question).is_some_and(|turn| turn.search().wants(own(question)))
    }

    fn may_accept(&self, question: u64) -> bool {
        self.lists.unions.contains_key(&question)
            || self.lists.turn_of(question).is_some_and(|turn| turn.search().may_accept(own(question)))
    }

    fn observe(&mut self, question: u64, verdict: Verdict) -> Option<u64> {
        self.lists.rules.clear();
        let accepted = match self.lists.unions.remove(&question) {
            Some(union) => self.union_answered(question, union, verdict),
            None => self.answered(question, verdict),
        };
        self.lists.rules = each_once(self.lists.rules.drain(..));
        accepted
    }

    fn give_up(&mut self) {
        self.lists.turns.iter_mut().for_each(|turn| turn.search_mut().give_up());
        self.lists.gives_up = true;
    }

    fn pass(&self, question: u64) -> Option<&'static str> {
        let is_of_definitions =
            self.lists.turn_of(question).is_some_and(|turn| turn.sweep.sequence.is_of_definitions());
        Some(if is_of_definitions { Unreferenced.name() } else { Siblings.name() })
    }

    fn rules(&self) -> &[RuleId] {
        &self.lists.rules
    }

    fn ahead(&self) -> Option<Ahead> {
        let turns = &self.lists.turns;
        let depth = turns.first()?.sweep.sequence.depth;
        let (mut units, mut tests) = (0, Sum::default());
        for turn in turns {
            units += turn.search().undecided();
            tests.add(1.0, turn.search().remaining_tests());
        }
        Some(Ahead { depth: (depth != NO_DEPTH).then_some(depth), units, tests: tests.estimate() })
    }

    fn describe(&self, question: u64) -> String {
        let Some(turn) = self.lists.turn_of(question) else {
            return "what several lists found".to_owned();
        };
        let gone = self.lists.removals.get(&question).map_or(&[][..], Vec::as_slice);
        turn.sweep.describe(gone)
    }
}

/// The name of a question in the search of its list.
fn own(question: u64) -> QuestionId {
    QuestionId(question & ((1 << TURN) - 1))
}
