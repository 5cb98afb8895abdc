//! Published algorithms on trees, in the place of lop's pipeline: yardsticks for it.
//!
//! Each is repeated while it makes the text smaller, and what is left is verified by lop. That, the
//! rendering (separators go with their elements), the units (what may go is found out by trial
//! parses), the gate and the cache are lop's own for all of them, and better than what their sources
//! have: the comparison favours them.

mod grammar_reducer;
mod hdd;
mod perses;
mod units;

use crate::passes::Removal;
use crate::syntax::{Document, Edit, NodeId};

use super::current::Candidate;
use super::halt::Halt;
use super::method::OnTree;
use super::ordered::first_interesting;
use super::reducer::Reducer;
use super::rounds::Plan;
use super::stages::minimality::verify;

/// What reduces by an algorithm on trees, to the fixpoint.
pub(super) fn plan(algorithm: OnTree) -> &'static Plan {
    const HDD: Plan = Plan { first: &[], round: &[|reducer| run(reducer, OnTree::Hdd), verify] };
    const GRAMMAR_REDUCER: Plan = Plan { first: &[], round: &[|reducer| run(reducer, OnTree::GrammarReducer), verify] };
    const PERSES: Plan = Plan { first: &[], round: &[|reducer| run(reducer, OnTree::Perses), verify] };
    match algorithm {
        OnTree::Hdd => &HDD,
        OnTree::GrammarReducer => &GRAMMAR_REDUCER,
        OnTree::Perses => &PERSES,
    }
}

/// Lets an algorithm work once on the whole tree; `true` if something has gone.
fn run(reducer: &mut Reducer<'_, '_>, algorithm: OnTree) -> Result<bool, Halt> {
    let before = reducer.weight();
    reducer.session.enter_pass(algorithm.name(), reducer.round)?;
    match algorithm {
        OnTree::Hdd => hdd::hdd(reducer)?,
        OnTree::GrammarReducer => grammar_reducer::grammar_reducer(reducer)?,
        OnTree::Perses => perses::perses(reducer)?,
    }
    Ok(reducer.weight() < before)
}

/// Makes the first of some edits, in their order, after which the text is interesting and shorter than before.
///
/// The sources bound their loops by the nodes of a tree, which get fewer with each step. Here a text is parsed anew after
/// each, and the new tree may have as many nodes as the old one: an element without text goes and comes back, or a
/// separator is put in where another one went. So the length of the text is the measure that falls.
fn make_first(reducer: &mut Reducer<'_, '_>, edits: &[Removal], what: &str) -> Result<Option<usize>, Halt> {
    first_interesting(&mut reducer.session, edits.len(), what, |at, current| {
        let candidate = current.candidate(std::iter::once(&edits[at]), false);
        let is_shorter = candidate.text.len() < current.best().text.len();
        // The session refuses it without a test, as an edit of a part that the user keeps.
        Candidate { kept: candidate.kept.filter(|_| is_shorter), ..candidate }
    })
}

/// A descendant in the place of a node.
fn keep_only(document: &Document, outer: NodeId, inner: NodeId) -> Removal {
    let (around, kept) = (document.node(outer).range(), document.node(inner).range());
    Removal::Edits(vec![Edit::delete(around.start..kept.start), Edit::delete(kept.end..around.end)])
}
