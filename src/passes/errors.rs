//! Syntax errors: what stands around one need not stand there.
//!
//! Whoever reduces a malformed text mostly wants the place where it is malformed. The shells
//! between the root and an ERROR node are a sequence, as those of a chain are: if the error is all that
//! matters, it takes one test to take all of them away.

use crate::syntax::{Document, NodeId};

use super::chains::shell;
use super::{Sequence, list_kind};

/// The shells around the first and around the last syntax error of a text.
#[must_use]
pub fn error_shells(document: &Document) -> Vec<Sequence> {
    if document.errors() == 0 {
        return Vec::new();
    }
    let faults: Vec<_> = document.ids().filter(|id| is_fault(document, *id)).collect();
    // An error inside an error is the nearer look at it.
    let first = faults.iter().zip(&faults[1..]).find(|(outer, inner)| !document.contains(**outer, **inner));
    let (last, first) = (faults.last(), first.map(|(first, _)| first));
    last.into_iter().chain(first).filter_map(|fault| shells(document, *fault)).collect()
}

fn is_fault(document: &Document, id: NodeId) -> bool {
    document.node(id).is_error() || document.node(id).is_missing()
}

/// The shells from the root to a node; `None` if there are none.
fn shells(document: &Document, fault: NodeId) -> Option<Sequence> {
    // What is missing has no text: its surroundings are the error.
    let inmost = document.parent(fault).filter(|_| document.node(fault).is_missing()).unwrap_or(fault);
    let mut path: Vec<_> = std::iter::successors(Some(inmost), |at| document.parent(*at)).collect();
    path.reverse();
    path.dedup_by(|inner, outer| document.node(*inner).range() == document.node(*outer).range());
    let units: Vec<_> = path.windows(2).map(|pair| shell(document, pair[0], pair[1])).collect();
    (!units.is_empty()).then_some(Sequence { kind: list_kind::CHAIN, depth: 0, units })
}
