//! Stage 1, deletion: sibling lists, unreferenced definitions and descents into nested nodes by expected gain, or lists level
//! by level.
//!
//! Five things stay out of this queue because they cost tests in it. Bodies: 131 tests became 154 on a preprocessed C
//! file. Closures after the first four tests of lists: 121 became 149 there, 103 became 105 and 152 stayed 152 on two
//! JavaScript files. Comments after the lists: 128 became 114 on a Go file, three files took one test less and two as
//! many, but 103 became 105 on a JavaScript file, 169 became 175 on a C file and 319 became 385 on a Rust file. The two
//! most promising local edits (mostly hoists) before the lists: six cases took 1 to 7 more tests of 89 to 759, and none
//! took fewer. Seconds instead of tests, with an interesting outcome 15 times as expensive as another: 121 tests became
//! 144 on the C file, 759 became 726 on a Rust file, and 102 stayed 102 on the file whose outcomes do differ that much.
//! Also, seconds differ from run to run, and one seed must give one sequence of tests.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::descent::{Descent, Part, Replacement, around};
use crate::gain::Gain;
use crate::interrupt::Interrupt;
use crate::ranked::Ranked;
use crate::reducer::Reducer;
use crate::size::Size;
use crate::sweep::SequenceSweep;
use lop_engine::Verdict;
use lop_passes::{
    Alike, Ask, Bodies, Chains, Constants, Definitions, Pass, Prefer, Removal, Sequence, Siblings, Unit, Unreferenced,
    siblings,
};
use lop_syntax::NodeId;

use super::closures::keep_closures;
use super::sweeps::sweep_over;

/// A list is put back after this number of units were found needed: another may promise more by then. With 6, two of six
/// cases took a fourth more tests, with 1 some ended larger.
const SLICE: usize = 2;

/// Before anything is known this share of such definitions is expected to go, with the weight of as many as were seen.
const MOST_DEFINITIONS: f64 = 0.9;
const DEFINITIONS_WEIGHT: f64 = 10.0;

/// A list can have almost all of the text.
const MOST_SHARE: f64 = 0.99;

/// Number of removed units in a sweep after which unreferenced definitions are searched for again. Otherwise a chain of
/// functions that call each other would be removed one by one, while a list of them takes a few runs.
const MANY_DEFINITIONS: usize = 3;

/// The root of a tree; it is never removed.
const ROOT: NodeId = 0;

/// A waiting search, ordered by the tokens that are expected to be removed per test; of equal ones the one nearer the
/// root comes first, and then the last in the text, by the node of its children.
type Waiting = Ranked<(Reverse<u32>, NodeId), Work>;

/// A list before and after its first turn, or a descent. The search over a list starts only then: with all evidence up to
/// that time, and without ten kilobytes for every list that never gets a turn.
#[derive(Clone)]
enum Work {
    Fresh(Arc<Sequence>),
    Begun(Arc<SequenceSweep>),
    Descent(Arc<Descent>),
}

impl Work {
    /// The kind, the depth and the undecided units of a list.
    fn outline(&self) -> Option<(u32, u32, usize)> {
        let (sequence, units) = match self {
            Work::Fresh(sequence) => (&**sequence, sequence.units.len()),
            Work::Begun(sweep) => (&sweep.sequence, sweep.undecided()),
            Work::Descent(_) => return None,
        };
        Some((sequence.kind, sequence.depth, units))
    }
}

/// Removes parts until nothing can be removed any more.
pub(crate) fn delete(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let before = reducer.weight();
    reducer.coupled(delete_all)?;
    Ok(reducer.weight() < before)
}

fn delete_all(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    loop {
        let before = reducer.weight();
        if !reducer.by_levels() {
            keep_closures(reducer)?;
        }
        sweep_over(reducer, &Constants)?;
        sibling_lists(reducer)?;
        sweep_over(reducer, &Bodies)?;
        // If no parser knows the meaning of names, similar definitions are most of the rest.
        if reducer.tools.as_ref().is_some_and(|tools| tools.grammar.notation().is_some()) {
            sweep_over(reducer, &Alike)?;
        }
        if reducer.weight() >= before || reducer.tools.is_none() {
            return Ok(());
        }
    }
}

/// The waiting lists, and the definitions whose names are found nowhere else: one more list, which is made again when
/// removals free further definitions.
#[derive(Clone)]
struct Queue {
    waiting: BinaryHeap<Waiting>,
    /// Nodes, each with the descendant that is in its place now.
    replaced: Vec<(NodeId, NodeId)>,
    definitions: Option<Arc<Definitions>>,
    /// Whether to search for definitions again after the next turn of another list.
    is_due: bool,
}

impl Queue {
    fn new(reducer: &mut Reducer<'_, '_>) -> Self {
        let tools = reducer.tools.as_ref().filter(|_| reducer.allows(&Unreferenced));
        let definitions = tools.map(|tools| Arc::new(Definitions::of(reducer.current().document(), tools.grammar)));
        let mut queue = Queue { waiting: BinaryHeap::new(), replaced: Vec::new(), definitions, is_due: false };
        queue.look_for_definitions(reducer);
        if reducer.allows(&Siblings) {
            open(reducer, ROOT, &mut queue.waiting);
        }
        queue
    }

    /// Puts the definitions whose names are found nowhere else any more into the queue.
    fn look_for_definitions(&mut self, reducer: &mut Reducer<'_, '_>) {
        let (Some(definitions), Some(tools)) = (&mut self.definitions, &mut reducer.tools) else { return };
        let session = &reducer.session;
        let current = session.current();
        let definitions = Arc::make_mut(definitions);
        definitions.forget(|node| current.is_gone(node));
        let skip = |node| session.is_refused(Ask::Definition, node);
        let document = current.document();
        let Some(sequence) = definitions.unreferenced(document, tools.grammar, &mut tools.shapes, skip) else { return };
        for unit in &sequence.units {
            reducer.evidence.unused.tolerate(document.node(node_of(unit)).kind);
        }
        self.waiting.push(waiting(reducer, ROOT, sequence));
    }

    /// Whether nothing but a part is left of a node.
    fn is_left(&self, reducer: &Reducer<'_, '_>, node: NodeId) -> bool {
        let document = reducer.current().document();
        let is_between =
            |outer, inner| document.contains(outer, node) && node != inner && document.contains(node, inner);
        self.replaced.iter().any(|&(outer, inner)| is_between(outer, inner))
    }

    /// Takes the decisions of a list.
    fn learn_from(&mut self, reducer: &mut Reducer<'_, '_>, sweep: &mut SequenceSweep) {
        let is_of_definitions = sweep.sequence.is_of_definitions();
        for (unit, stays) in sweep.newly_decided() {
            let counts = reducer.evidence.kinds.entry(sweep.sequence.kind).or_default();
            counts.1 += 1;
            if !stays {
                counts.0 += 1;
            } else if is_of_definitions {
                refuse_definition(reducer, &sweep.sequence.units[unit]);
            } else {
                // A unit that stays has its own lists.
                let node = node_of(&sweep.sequence.units[unit]);
                refuse_unit(reducer, node);
                open(reducer, node, &mut self.waiting);
            }
        }
        let removed = if is_of_definitions && sweep.is_finished() { sweep.removed_count() } else { 0 };
        let is_due = !is_of_definitions && std::mem::take(&mut self.is_due);
        if is_due || removed >= MANY_DEFINITIONS {
            self.look_for_definitions(reducer);
        } else {
            self.is_due |= removed > 0;
        }
    }
}

fn refuse_definition(reducer: &mut Reducer<'_, '_>, unit: &Unit) {
    let Removal::Nodes(nodes) = &unit.removal else { return };
    nodes.iter().for_each(|&node| reducer.session.refuse(Ask::Definition, node));
    // A single definition, perhaps with its semicolon: its list would ask the same.
    let document = reducer.current().document();
    if nodes.iter().filter(|node| document.node(**node).is_named()).count() == 1 {
        refuse_unit(reducer, nodes[0]);
    }
}

/// All sibling lists of the tree, from the root down, and definitions that nothing refers to.
pub(crate) fn sibling_lists(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let passes: [&dyn Pass; 2] = [&Siblings, &Unreferenced];
    let Some(first) = passes.into_iter().find(|pass| reducer.allows(*pass)) else { return Ok(()) };
    reducer.session.enter_pass(first.name(), reducer.round)?;
    reducer.couple();
    let queue = Queue::new(reducer);
    go_through(reducer, queue)
}

/// Gives the lists a turn, the most promising first, until none is left.
fn go_through(reducer: &mut Reducer<'_, '_>, mut queue: Queue) -> Result<(), Interrupt> {
    loop {
        reducer.checkpoint_with(&queue, go_through)?;
        let Some(list) = queue.waiting.pop() else { break };
        if !reducer.current().is_gone(list.tie.1) && !queue.is_left(reducer, list.tie.1) {
            take_turn(reducer, &mut queue, list)?;
        }
    }
    reducer.session.leave_course();
    reducer.rebase()
}

/// Asks about a list until it is decided or another may promise more.
fn take_turn(reducer: &mut Reducer<'_, '_>, queue: &mut Queue, list: Waiting) -> Result<(), Interrupt> {
    let parent = list.tie.1;
    let mut sweep = match list.item {
        Work::Fresh(sequence) => reducer.new_sweep(Arc::unwrap_or_clone(sequence)),
        Work::Begun(sweep) => Arc::unwrap_or_clone(sweep),
        Work::Descent(descent) => return descend(reducer, queue, Arc::unwrap_or_clone(descent)),
    };
    let is_of_definitions = sweep.sequence.is_of_definitions();
    sweep.pass = Some(if is_of_definitions { Unreferenced.name() } else { Siblings.name() });
    if reducer.session.wants_prospect() {
        reducer.look_ahead(queue.waiting.iter().filter_map(|list| list.item.outline()));
    }
    // Plain hierarchical delta debugging ends a level before it looks at the next.
    let slice = if reducer.by_levels() { usize::MAX } else { SLICE };
    let until = sweep.needed().saturating_add(slice);
    let result = sweep.pursue(&mut reducer.session, until);
    sweep.teach(&mut reducer.evidence.knowledge);
    result?;
    if sweep.is_given_up {
        // Others would not do better.
        queue.waiting.clear();
    }
    queue.learn_from(reducer, &mut sweep);
    if !sweep.is_finished() {
        let mean = sweep.mean_left(|unit| size_of(reducer, unit));
        let value = expected_gain(reducer, &sweep.sequence, sweep.needed(), sweep.undecided(), mean);
        let tie = (Reverse(sweep.sequence.depth), parent);
        queue.waiting.push(Ranked { value, tie, item: Work::Begun(Arc::new(sweep)) });
    }
    Ok(())
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
        if let Some(descent) =
            Descent::from(document, tools.grammar, parent, reducer.tokens(), &reducer.evidence.descents)
            && let Some(waiting) = waiting_descent(reducer, descent)
        {
            heap.push(waiting);
        }
        let Some(tools) = &mut reducer.tools else { return };
        let session = &reducer.session;
        let document = session.current().document();
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

/// Replaces a node by a part of it, if the test accepts that.
fn descend(reducer: &mut Reducer<'_, '_>, queue: &mut Queue, mut descent: Descent) -> Result<(), Interrupt> {
    let document = reducer.current().document();
    let Some(part) = best_part(reducer, &descent) else { return Ok(()) };
    let (outer, kind) = (descent.node, document.node(descent.node).kind);
    let removals = around(document, outer, part.node);
    let mut question = Replacement { removals: &removals, pass: Chains.name(), chance: part.chance, verdict: None };
    reducer.session.pursue(&mut question)?;
    let Some(verdict) = question.verdict else { return Ok(()) };
    // A part that doesn't parse in the node's place says nothing of the others.
    if verdict != Verdict::Invalid {
        reducer.evidence.descents.learn(kind, &part, verdict == Verdict::Interesting);
    }
    if verdict == Verdict::Interesting {
        queue.replaced.push((outer, part.node));
        open(reducer, part.node, &mut queue.waiting);
    } else {
        descent.refuse(part.node, verdict);
        queue.waiting.extend(waiting_descent(reducer, descent));
    }
    Ok(())
}

/// Returns the part that may replace the node of a descent.
fn best_part(reducer: &Reducer<'_, '_>, descent: &Descent) -> Option<Part> {
    let (tools, current) = (reducer.tools.as_ref()?, reducer.current());
    let is_removed = |node| current.is_removed(node);
    descent.best(current.document(), tools.grammar, &reducer.evidence.descents, is_removed)
}

/// Ranks a descent; `None` if no replacement is likely to be interesting.
fn waiting_descent(reducer: &Reducer<'_, '_>, descent: Descent) -> Option<Waiting> {
    if reducer.by_levels() || !reducer.allows(&Chains) {
        return None;
    }
    let document = reducer.current().document();
    let node = descent.node;
    let part = best_part(reducer, &descent)?;
    let (all, kept) = (document.text(node), document.text(part.node));
    let saved = document.tokens_of(node) - document.tokens_of(part.node);
    let gain = Gain::of_replacing(all, kept);
    let value = part.chance * gain.value(reducer.options.prefer, saved);
    let tie = (Reverse(document.depth(node)), node);
    Some(Ranked { value, tie, item: Work::Descent(Arc::new(descent)) })
}

/// A node stays, and so do the definitions that would have been removed with it.
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
    let value = expected_gain(reducer, &sequence, 0, sequence.units.len(), mean);
    Ranked { value, tie: (Reverse(depth), parent), item: Work::Fresh(Arc::new(sequence)) }
}

/// The gain of a unit, in the measure that the user prefers to be small.
fn size_of(reducer: &Reducer<'_, '_>, unit: &Unit) -> f64 {
    let prefer = reducer.options.prefer;
    let gain = match &unit.removal {
        _ if prefer == Prefer::Tokens => Gain::default(),
        Removal::Nodes(nodes) => Gain::with_nodes(reducer.current().document(), nodes),
        Removal::Edits(edits) => Gain::by(reducer.current().source(), edits),
    };
    gain.value(prefer, unit.tokens)
}

/// Expected size of the next removal in a list with `left` undecided units: the size of the most promising run, where n
/// units are removed with probability qⁿ, and q = 2·p(kind) / (2 + needed so far).
fn expected_gain(reducer: &Reducer<'_, '_>, sequence: &Sequence, needed: usize, left: usize, mean_size: f64) -> f64 {
    if reducer.by_levels() {
        return if sequence.is_of_definitions() { f64::NEG_INFINITY } else { -f64::from(sequence.depth) };
    }
    let (gone, asked) = reducer.evidence.kinds.get(&sequence.kind).copied().unwrap_or_default();
    let (gone, asked) = (gone as f64, asked as f64);
    let p_kind = if sequence.is_of_definitions() {
        (gone + MOST_DEFINITIONS * DEFINITIONS_WEIGHT) / (asked + DEFINITIONS_WEIGHT)
    } else {
        (gone + 1.0) / (asked + 2.0)
    };
    let q = 2.0 * p_kind / (2.0 + needed as f64);
    // n·qⁿ is greatest at -1 / ln q.
    let run = (-1.0 / q.ln()).round().clamp(1.0, left.max(1) as f64);
    let size = run * mean_size;
    // The part that matters is likely to be in a large unit, but not in a definition without use.
    let is_anywhere = !sequence.is_of_definitions();
    let share = if is_anywhere { (size / whole_size(reducer)).min(MOST_SHARE) } else { 0.0 };
    (1.0 - share) * q.powf(run) * size
}

/// The size of the text, in the measure that the user prefers to be small.
fn whole_size(reducer: &Reducer<'_, '_>) -> f64 {
    let Size { bytes, tokens, lines } = reducer.session.size();
    let whole = match reducer.options.prefer {
        Prefer::Tokens => tokens,
        Prefer::Bytes => bytes,
        Prefer::Lines => lines,
    };
    whole.max(1) as f64
}

/// The node of a unit in a sibling list; a token that belongs to it comes after it.
fn node_of(unit: &Unit) -> NodeId {
    match &unit.removal {
        Removal::Nodes(nodes) => nodes[0],
        Removal::Edits(_) => unreachable!("sibling lists are made of nodes"),
    }
}
