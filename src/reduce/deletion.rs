//! Stage 1, deletion: sibling lists by expected gain, or level by level.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::passes::{
    Ask, Bodies, Definitions, Pass, Prefer, Removal, Sequence, Siblings, Unit, Unreferenced, siblings,
};
use crate::syntax::NodeId;

use super::gain::Gain;
use super::halt::Halt;
use super::lists::Lists;
use super::ranked::Ranked;
use super::reducer::Reducer;
use super::session::Pursuit;
use super::sweep::Sweep;

/// A list is put back after this number of units were found needed: another may promise more by then.
const SLICE: usize = 6;

/// Lists at work per worker, where there are several: some wait for others to be judged with theirs. With one
/// per worker it took up to 7 % more rounds.
const LISTS_PER_WORKER: usize = 2;

/// Unreferenced definitions are looked for again at once after a sweep that took out this number, or the
/// `1 / LARGE_SHARE`-th part of the text. A chain of functions of which each calls the one before
/// would otherwise go link by link, where their list goes in a few runs.
const MANY_DEFINITIONS: usize = 3;
const LARGE_SHARE: usize = 10;

/// A list that waits for its turn, by the tokens expected to go per test; of equal ones the list nearer
/// the root comes first, and then the last in the text, by the node whose children it holds.
type Waiting = Ranked<(Reverse<u32>, NodeId), List>;

/// A list before and after its first turn. The search starts only then: from what is known by
/// that time, and without ten kilobytes for every list that never gets a turn.
enum List {
    Fresh(Sequence),
    Begun(Sweep),
}

impl List {
    /// Its kind, its depth and the units that are not decided.
    fn outline(&self) -> (u32, u32, usize) {
        let (sequence, units) = match self {
            List::Fresh(sequence) => (sequence, sequence.units.len()),
            List::Begun(sweep) => (&sweep.sequence, sweep.undecided()),
        };
        (sequence.kind, sequence.depth, units)
    }
}

impl Reducer<'_, '_> {
    /// Takes out what can go, while something goes.
    pub(super) fn delete(&mut self) -> Result<(), Halt> {
        self.coupled(Self::delete_all)
    }

    fn delete_all(&mut self) -> Result<(), Halt> {
        loop {
            let before = self.weight();
            // Plain hierarchical delta debugging sees the whole tree first; the batches come after it.
            if self.by_levels() {
                self.sibling_lists()?;
                self.unreferenced_definitions()?;
            } else {
                self.unreferenced_definitions()?;
                self.sibling_lists()?;
            }
            self.sweep_over(&Bodies)?;
            if self.weight() >= before || self.tools.is_none() {
                return Ok(());
            }
        }
    }

    /// Definitions whose names are found nowhere else: all at once if possible, again while that
    /// frees others.
    fn unreferenced_definitions(&mut self) -> Result<(), Halt> {
        if !self.allows(&Unreferenced) {
            return Ok(());
        }
        let Some(tools) = &self.tools else { return Ok(()) };
        let mut definitions = Definitions::of(self.current().document(), tools.grammar);
        while self.allows(&Unreferenced) {
            let tokens_before = self.tokens();
            let Some(tools) = &mut self.tools else { return Ok(()) };
            let session = &self.session;
            let skip = |node| session.is_refused(Ask::Definition, node);
            let document = session.current().document();
            let Some(sequence) = definitions.unreferenced(document, tools.grammar, &mut tools.shapes, skip) else {
                break;
            };
            for unit in &sequence.units {
                self.unused.tolerate(document.node(node_of(unit)).kind);
            }
            self.session.enter_pass(Unreferenced.name(), self.round)?;
            let mut sweep = self.new_sweep(sequence);
            self.finish(&mut sweep)?;
            let tokens = self.tokens();
            for unit in sweep.kept().collect::<Vec<_>>() {
                let Removal::Nodes(nodes) = &sweep.sequence.units[unit].removal else { continue };
                for &node in nodes.iter() {
                    self.session.refuse(Ask::Definition, node);
                }
                // One definition alone, maybe with its semicolon: its list would ask the same.
                let document = self.current().document();
                if nodes.iter().filter(|n| document.node(**n).is_named()).count() == 1 {
                    self.refuse_unit(nodes[0]);
                }
            }
            let gone = tokens_before.saturating_sub(tokens);
            if sweep.removed_count() < MANY_DEFINITIONS && gone * LARGE_SHARE < tokens_before {
                break;
            }
            if self.current().document().shared_tree().known().is_some() {
                // Reading a megabyte again and looking for definitions takes longer than most tests.
                definitions.forget(|node| self.current().is_gone(node));
            } else {
                // Who asks for this tree now would have two in memory.
                self.rebase()?;
                let Some(tools) = &self.tools else { return Ok(()) };
                definitions = Definitions::of(self.current().document(), tools.grammar);
            }
        }
        self.rebase()
    }

    /// All sibling lists of the tree, from the root down.
    pub(super) fn sibling_lists(&mut self) -> Result<(), Halt> {
        if !self.allows(&Siblings) {
            return Ok(());
        }
        self.session.enter_pass(Siblings.name(), self.round)?;
        self.couple();
        let mut waiting = BinaryHeap::new();
        self.open(0, &mut waiting);
        if self.algorithm.is_some() {
            return self.one_after_the_other(waiting);
        }
        let mut lists = Lists::default();
        let mut pursuit = Pursuit::default();
        let mut result = Ok(());
        while result.is_ok() {
            // Plain hierarchical delta debugging ends a level before it looks at the next. Elsewhere there may be more
            // workers by now.
            let slots = self.session.slots();
            let most = if slots == 1 || self.by_levels() { 1 } else { LISTS_PER_WORKER * slots };
            self.look_after(&mut lists, &mut waiting, most);
            if lists.is_empty() {
                break;
            }
            if self.session.wants_prospect() {
                self.look_ahead(waiting.iter().map(|list| list.item.outline()));
            }
            result = self.session.go_on(&mut lists.on(most), &mut pursuit);
            lists.refresh(most);
            if lists.take_giving_up() {
                waiting.clear();
            }
        }
        for turn in lists.turns() {
            turn.sweep.teach(&mut self.knowledge);
        }
        self.session.leave(pursuit, result)?;
        self.rebase()
    }

    /// Sibling lists under an algorithm that decides all of a list at once.
    fn one_after_the_other(&mut self, mut waiting: BinaryHeap<Waiting>) -> Result<(), Halt> {
        while let Some(list) = waiting.pop() {
            if self.current().is_gone(list.tie.1) {
                continue;
            }
            let mut sweep = self.begun(list.item);
            let result = sweep.pursue(&mut self.session, usize::MAX);
            sweep.teach(&mut self.knowledge);
            result?;
            self.learn_from(&mut sweep, &mut waiting);
        }
        self.rebase()
    }

    /// Takes in what the lists at work have decided, and sees to it that the most promising `most` are at work.
    fn look_after(&mut self, lists: &mut Lists, waiting: &mut BinaryHeap<Waiting>, most: usize) {
        let slice = if self.by_levels() { usize::MAX } else { SLICE };
        lists.forget(|node| self.current().is_gone(node));
        for mut turn in lists.take_pausing(most) {
            let ends = turn.is_over();
            turn.sweep.teach(&mut self.knowledge);
            self.learn_from(&mut turn.sweep, waiting);
            if turn.sweep.is_finished() {
                continue;
            }
            if ends {
                let sweep = &turn.sweep;
                let mean = sweep.mean_left(|unit| self.size_of(unit));
                turn.value = self.expected_gain(sweep.sequence.kind, sweep.sequence.depth, sweep.needed(), mean);
                turn.until = turn.sweep.needed().saturating_add(slice);
                let tie = turn.tie();
                let next = Ranked { value: turn.value, tie, item: () };
                if waiting.peek().is_some_and(|first| (first.value, first.tie) > (next.value, next.tie)) {
                    waiting.push(Ranked { value: turn.value, tie, item: List::Begun(turn.sweep) });
                    continue;
                }
            }
            lists.take_up(turn);
        }
        while lists.len() < most
            && let Some(list) = waiting.pop()
        {
            if self.current().is_gone(list.tie.1) {
                continue;
            }
            let mut sweep = self.begun(list.item);
            sweep.begin_turn();
            let until = sweep.needed().saturating_add(slice);
            let turn = lists.turn(list.tie.1, sweep, list.value, until);
            lists.take_up(turn);
        }
    }

    fn begun(&self, list: List) -> Sweep {
        match list {
            List::Fresh(sequence) => self.new_sweep(sequence),
            List::Begun(sweep) => sweep,
        }
    }

    /// Takes in what a list has decided: what stays has lists of its own.
    fn learn_from(&mut self, sweep: &mut Sweep, waiting: &mut BinaryHeap<Waiting>) {
        for (unit, stays) in sweep.newly_decided() {
            let counts = self.kinds.entry(sweep.sequence.kind).or_default();
            counts.1 += 1;
            if stays {
                let node = node_of(&sweep.sequence.units[unit]);
                self.refuse_unit(node);
                self.open(node, waiting);
            } else {
                counts.0 += 1;
            }
        }
    }

    /// Puts the lists at and below a node that stays on the heap, down to the next units.
    fn open(&mut self, node: NodeId, heap: &mut BinaryHeap<Waiting>) {
        let mut below = vec![node];
        while let Some(parent) = below.pop() {
            let Some(tools) = &mut self.tools else { return };
            let session = &self.session;
            let document = session.current().document();
            if document.is_leaf(parent) {
                continue;
            }
            let current = session.current();
            let couples = current.is_coupling();
            let skip = |child| {
                let is_refused = session.is_refused(Ask::Unit, child) && !(couples && current.is_coupled(child));
                is_refused || couples && session.is_refused(Ask::Coupled, child)
            };
            let list = siblings(document, tools.grammar, &mut tools.shapes, parent, skip);
            let units: Vec<_> = list.iter().flat_map(|list| &list.units).map(node_of).collect();
            let mut units = units.into_iter().peekable();
            for child in document.children(parent) {
                // A unit's own lists wait until it is known to stay.
                if units.next_if_eq(&child).is_none() {
                    below.push(child);
                }
            }
            if let Some(sequence) = list {
                heap.push(self.waiting(parent, sequence));
            }
        }
    }

    /// A node stays, and the definitions that would have gone along.
    fn refuse_unit(&mut self, node: NodeId) {
        if self.current().is_coupling() {
            self.session.refuse(Ask::Coupled, node);
        }
        if !self.current().is_coupled(node) {
            self.session.refuse(Ask::Unit, node);
        }
    }

    fn waiting(&self, parent: NodeId, sequence: Sequence) -> Waiting {
        let depth = sequence.depth;
        let size: f64 = sequence.units.iter().map(|unit| self.size_of(unit)).sum();
        let mean = size / sequence.units.len() as f64;
        let value = self.expected_gain(sequence.kind, depth, 0, mean);
        Ranked { value, tie: (Reverse(depth), parent), item: List::Fresh(sequence) }
    }

    /// What goes with a unit, in what the user prefers to have little of.
    fn size_of(&self, unit: &Unit) -> f64 {
        let prefer = self.options.prefer;
        let gain = match &unit.removal {
            _ if prefer == Prefer::Tokens => Gain::default(),
            Removal::Nodes(nodes) => Gain::with_nodes(self.current().document(), nodes),
            Removal::Edits(edits) => Gain::by(self.current().source(), edits),
        };
        gain.value(prefer, unit.tokens)
    }

    /// Expected size that goes per test of a list: p(list) × mean size of a unit, where
    /// p(list) = 2·p(kind) / (2 + needed so far).
    fn expected_gain(&self, kind: u32, depth: u32, needed: usize, mean_size: f64) -> f64 {
        if self.by_levels() {
            return -f64::from(depth);
        }
        let (gone, asked) = self.kinds.get(&kind).copied().unwrap_or_default();
        let p_kind = (gone as f64 + 1.0) / (asked as f64 + 2.0);
        2.0 * p_kind / (2.0 + needed as f64) * mean_size
    }
}

/// The node of a unit in a sibling list; a token that goes with it comes behind it.
fn node_of(unit: &Unit) -> NodeId {
    match &unit.removal {
        Removal::Nodes(nodes) => nodes[0],
        Removal::Edits(_) => unreachable!("sibling lists are made of nodes"),
    }
}
