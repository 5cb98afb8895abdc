//! One round of single edits by expected gain: local edits, and also those of rules, windows, pairs and the late stage.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use crate::edit_search::{EditSearch, EditSpace, Waiting, value};
use crate::interrupt::Interrupt;
use crate::ranked::Ranked;
use crate::reducer::Reducer;
use lop_passes::{Alternative, Stage};

/// Maximum number of nodes of trees that are built again after every accepted edit, which makes new edits possible at
/// once.
const SMALL_TREE: usize = 20_000;
/// Number of edits in larger trees before the tree is built again.
const EDITS_BEFORE_REBASE: usize = 12;
/// Number of edits of a tree that are considered: those that save most.
const MOST_ALTERNATIVES: usize = 50_000;

/// One round of edits on one tree; `true` if one was accepted.
pub(super) fn edit_round(
    reducer: &mut Reducer<'_, '_>,
    stage: Stage,
    mut all: Vec<Alternative>,
) -> Result<bool, Interrupt> {
    if stage == Stage::LocalEdits {
        all.retain(|a| !a.is_late);
    }
    if all.is_empty() {
        return Ok(false);
    }
    if all.len() > MOST_ALTERNATIVES {
        all.sort_by_key(|a| Reverse(a.tokens));
        all.truncate(MOST_ALTERNATIVES);
    }
    let mut heap: BinaryHeap<_> = (0..)
        .zip(all)
        .map(|(number, item)| Ranked { value: expected_saving(reducer, &item), tie: Reverse(number), item })
        .collect();
    if let Some(most) = reducer.second_looks.left {
        heap = std::iter::from_fn(|| heap.pop()).take(most).collect();
    }
    let small = reducer.tools.is_none() || reducer.current().document().node_count() <= SMALL_TREE;
    let most = if small { 1 } else { EDITS_BEFORE_REBASE };
    reducer.couple();
    let mut edited: Vec<Range<usize>> = Vec::new();
    while edited.len() < most {
        reducer.look_ahead(std::iter::empty());
        let (taken, result) = try_edits(reducer, &mut heap, &edited);
        let is_last = taken.is_none();
        reducer.evidence.unused.learn(taken.as_ref());
        edited.extend(taken.into_iter().map(|alternative| alternative.range));
        result?;
        if is_last {
            break;
        }
    }
    reducer.rebase()?;
    Ok(!edited.is_empty())
}

/// Tests the most valuable edits that don't touch any part edited since the tree was built, until one is accepted.
/// Returns that one, and the interrupt that ended the search, if there was one.
fn try_edits(
    reducer: &mut Reducer<'_, '_>,
    heap: &mut BinaryHeap<Waiting>,
    edited: &[Range<usize>],
) -> (Option<Alternative>, Result<(), Interrupt>) {
    let tokens = reducer.session.size().tokens;
    let (source, prefer) = (Arc::clone(reducer.current().shared_source()), reducer.options.prefer);
    let payoff = reducer.payoff();
    let (classes, left_out) = (&mut reducer.evidence.classes, &mut reducer.findings.left_out);
    let mut search = EditSearch::new(EditSpace { source: &source, heap, edited, classes, prefer, payoff, left_out });
    let result = reducer.session.pursue(&mut search);
    let (taken, refused) = search.into_taken_and_refused();
    refused.into_iter().for_each(|memo| reducer.session.refuse_proposal(memo, tokens));
    (taken, result)
}

/// The expected saving of one test.
fn expected_saving(reducer: &Reducer<'_, '_>, alternative: &Alternative) -> f64 {
    value(&reducer.evidence.classes, reducer.options.prefer, reducer.current().source(), alternative)
}
