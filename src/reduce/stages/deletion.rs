//! Stage 1, deletion: sibling lists by expected gain, or level by level.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::passes::{
    Ask, Bodies, Definitions, Pass, Prefer, Removal, Sequence, Siblings, Unit, Unreferenced, siblings,
};
use crate::reduce::gain::Gain;
use crate::reduce::halt::Halt;
use crate::reduce::lists::Lists;
use crate::reduce::ranked::Ranked;
use crate::reduce::reducer::Reducer;
use crate::reduce::session::Pursuit;
use crate::reduce::sweep::Sweep;
use crate::syntax::NodeId;

use super::closures::keep_closures;
use super::sweeps::sweep_over;

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

/// Takes out what can go, while something goes.
pub(crate) fn delete(reducer: &mut Reducer<'_, '_>) -> Result<bool, Halt> {
    let before = reducer.weight();
    reducer.coupled(delete_all)?;
    Ok(reducer.weight() < before)
}

fn delete_all(reducer: &mut Reducer<'_, '_>) -> Result<(), Halt> {
    loop {
        let before = reducer.weight();
        // Plain hierarchical delta debugging sees the whole tree first; the batches come after it.
        if reducer.by_levels() {
            sibling_lists(reducer)?;
            unreferenced_definitions(reducer)?;
        } else {
            keep_closures(reducer)?;
            unreferenced_definitions(reducer)?;
            sibling_lists(reducer)?;
        }
        sweep_over(reducer, &Bodies)?;
        if reducer.weight() >= before || reducer.tools.is_none() {
            return Ok(());
        }
    }
}

/// Definitions whose names are found nowhere else: all at once if possible, again while that
/// frees others.
fn unreferenced_definitions(reducer: &mut Reducer<'_, '_>) -> Result<(), Halt> {
    if !reducer.allows(&Unreferenced) {
        return Ok(());
    }
    let Some(tools) = &reducer.tools else { return Ok(()) };
    let mut definitions = Definitions::of(reducer.current().document(), tools.grammar);
    while reducer.allows(&Unreferenced) {
        let tokens_before = reducer.tokens();
        let Some(tools) = &mut reducer.tools else { return Ok(()) };
        let session = &reducer.session;
        let skip = |node| session.is_refused(Ask::Definition, node);
        let document = session.current().document();
        let Some(sequence) = definitions.unreferenced(document, tools.grammar, &mut tools.shapes, skip) else {
            break;
        };
        for unit in &sequence.units {
            reducer.learnt.unused.tolerate(document.node(node_of(unit)).kind);
        }
        reducer.session.enter_pass(Unreferenced.name(), reducer.round)?;
        let mut sweep = reducer.new_sweep(sequence);
        reducer.finish(&mut sweep)?;
        let tokens = reducer.tokens();
        for unit in sweep.kept().collect::<Vec<_>>() {
            let Removal::Nodes(nodes) = &sweep.sequence.units[unit].removal else { continue };
            for &node in nodes.iter() {
                reducer.session.refuse(Ask::Definition, node);
            }
            // One definition alone, maybe with its semicolon: its list would ask the same.
            let document = reducer.current().document();
            if nodes.iter().filter(|n| document.node(**n).is_named()).count() == 1 {
                refuse_unit(reducer, nodes[0]);
            }
        }
        let gone = tokens_before.saturating_sub(tokens);
        if sweep.removed_count() < MANY_DEFINITIONS && gone * LARGE_SHARE < tokens_before {
            break;
        }
        if reducer.current().document().shared_tree().known().is_some() {
            // Reading a megabyte again and looking for definitions takes longer than most tests.
            definitions.forget(|node| reducer.current().is_gone(node));
        } else {
            // Who asks for this tree now would have two in memory.
            reducer.rebase()?;
            let Some(tools) = &reducer.tools else { return Ok(()) };
            definitions = Definitions::of(reducer.current().document(), tools.grammar);
        }
    }
    reducer.rebase()
}

/// All sibling lists of the tree, from the root down.
pub(crate) fn sibling_lists(reducer: &mut Reducer<'_, '_>) -> Result<(), Halt> {
    if !reducer.allows(&Siblings) {
        return Ok(());
    }
    reducer.session.enter_pass(Siblings.name(), reducer.round)?;
    reducer.couple();
    let mut waiting = BinaryHeap::new();
    open(reducer, 0, &mut waiting);
    if reducer.algorithm.is_some() {
        return one_after_the_other(reducer, waiting);
    }
    let mut lists = Lists::default();
    let mut pursuit = Pursuit::default();
    let mut result = Ok(());
    while result.is_ok() {
        // Plain hierarchical delta debugging ends a level before it looks at the next. Elsewhere there may be more
        // workers by now.
        let slots = reducer.session.slots();
        let most = if slots == 1 || reducer.by_levels() { 1 } else { LISTS_PER_WORKER * slots };
        look_after(reducer, &mut lists, &mut waiting, most);
        if lists.is_empty() {
            break;
        }
        if reducer.session.wants_prospect() {
            reducer.look_ahead(waiting.iter().map(|list| list.item.outline()));
        }
        result = reducer.session.go_on(&mut lists.on(most), &mut pursuit);
        lists.refresh(most);
        if lists.take_giving_up() {
            waiting.clear();
        }
    }
    for turn in lists.turns() {
        turn.sweep.teach(&mut reducer.learnt.knowledge);
    }
    reducer.session.leave(pursuit, result)?;
    reducer.rebase()
}

/// Sibling lists under an algorithm that decides all of a list at once.
fn one_after_the_other(reducer: &mut Reducer<'_, '_>, mut waiting: BinaryHeap<Waiting>) -> Result<(), Halt> {
    while let Some(list) = waiting.pop() {
        if reducer.current().is_gone(list.tie.1) {
            continue;
        }
        let mut sweep = begun(reducer, list.item);
        let result = sweep.pursue(&mut reducer.session, usize::MAX);
        sweep.teach(&mut reducer.learnt.knowledge);
        result?;
        learn_from(reducer, &mut sweep, &mut waiting);
    }
    reducer.rebase()
}

/// Takes in what the lists at work have decided, and sees to it that the most promising `most` are at work.
fn look_after(reducer: &mut Reducer<'_, '_>, lists: &mut Lists, waiting: &mut BinaryHeap<Waiting>, most: usize) {
    let slice = if reducer.by_levels() { usize::MAX } else { SLICE };
    lists.forget(|node| reducer.current().is_gone(node));
    for mut turn in lists.take_pausing(most) {
        let ends = turn.is_over();
        turn.sweep.teach(&mut reducer.learnt.knowledge);
        learn_from(reducer, &mut turn.sweep, waiting);
        if turn.sweep.is_finished() {
            continue;
        }
        if ends {
            let sweep = &turn.sweep;
            let mean = sweep.mean_left(|unit| size_of(reducer, unit));
            turn.value = expected_gain(reducer, sweep.sequence.kind, sweep.sequence.depth, sweep.needed(), mean);
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
        if reducer.current().is_gone(list.tie.1) {
            continue;
        }
        let mut sweep = begun(reducer, list.item);
        sweep.begin_turn();
        let until = sweep.needed().saturating_add(slice);
        let turn = lists.turn(list.tie.1, sweep, list.value, until);
        lists.take_up(turn);
    }
}

fn begun(reducer: &Reducer<'_, '_>, list: List) -> Sweep {
    match list {
        List::Fresh(sequence) => reducer.new_sweep(sequence),
        List::Begun(sweep) => sweep,
    }
}

/// Takes in what a list has decided: what stays has lists of its own.
fn learn_from(reducer: &mut Reducer<'_, '_>, sweep: &mut Sweep, waiting: &mut BinaryHeap<Waiting>) {
    for (unit, stays) in sweep.newly_decided() {
        let counts = reducer.learnt.kinds.entry(sweep.sequence.kind).or_default();
        counts.1 += 1;
        if stays {
            let node = node_of(&sweep.sequence.units[unit]);
            refuse_unit(reducer, node);
            open(reducer, node, waiting);
        } else {
            counts.0 += 1;
        }
    }
}

/// Puts the lists at and below a node that stays on the heap, down to the next units.
fn open(reducer: &mut Reducer<'_, '_>, node: NodeId, heap: &mut BinaryHeap<Waiting>) {
    let mut below = vec![node];
    while let Some(parent) = below.pop() {
        let Some(tools) = &mut reducer.tools else { return };
        let session = &reducer.session;
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
            heap.push(waiting(reducer, parent, sequence));
        }
    }
}

/// A node stays, and the definitions that would have gone along.
fn refuse_unit(reducer: &mut Reducer<'_, '_>, node: NodeId) {
    if reducer.current().is_coupling() {
        reducer.session.refuse(Ask::Coupled, node);
    }
    if !reducer.current().is_coupled(node) {
        reducer.session.refuse(Ask::Unit, node);
    }
}

fn waiting(reducer: &Reducer<'_, '_>, parent: NodeId, sequence: Sequence) -> Waiting {
    let depth = sequence.depth;
    let size: f64 = sequence.units.iter().map(|unit| size_of(reducer, unit)).sum();
    let mean = size / sequence.units.len() as f64;
    let value = expected_gain(reducer, sequence.kind, depth, 0, mean);
    Ranked { value, tie: (Reverse(depth), parent), item: List::Fresh(sequence) }
}

/// What goes with a unit, in what the user prefers to have little of.
fn size_of(reducer: &Reducer<'_, '_>, unit: &Unit) -> f64 {
    let prefer = reducer.options.prefer;
    let gain = match &unit.removal {
        _ if prefer == Prefer::Tokens => Gain::default(),
        Removal::Nodes(nodes) => Gain::with_nodes(reducer.current().document(), nodes),
        Removal::Edits(edits) => Gain::by(reducer.current().source(), edits),
    };
    gain.value(prefer, unit.tokens)
}

/// Expected size that goes per test of a list: p(list) × mean size of a unit, where
/// p(list) = 2·p(kind) / (2 + needed so far).
fn expected_gain(reducer: &Reducer<'_, '_>, kind: u32, depth: u32, needed: usize, mean_size: f64) -> f64 {
    if reducer.by_levels() {
        return -f64::from(depth);
    }
    let (gone, asked) = reducer.learnt.kinds.get(&kind).copied().unwrap_or_default();
    let p_kind = (gone as f64 + 1.0) / (asked as f64 + 2.0);
    2.0 * p_kind / (2.0 + needed as f64) * mean_size
}

/// The node of a unit in a sibling list; a token that goes with it comes behind it.
fn node_of(unit: &Unit) -> NodeId {
    match &unit.removal {
        Removal::Nodes(nodes) => nodes[0],
        Removal::Edits(_) => unreachable!("sibling lists are made of nodes"),
    }
}
