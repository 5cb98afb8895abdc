//! An algorithm over one sequence on every list of a tree, or on the lines, words and characters of a text.

use std::collections::VecDeque;

use lop_passes::Removal;
use lop_syntax::{characters, lines, words};

use crate::algorithm::{Algorithm, Stopped};

use super::current::Current;

/// Gives each list of the tree to the algorithm, those nearer to the root first.
pub(super) fn reduce(current: &mut Current<'_>, algorithm: &dyn Algorithm) -> Result<(), Stopped> {
    let mut waiting = VecDeque::from([0]);
    while let Some(parent) = waiting.pop_front() {
        if current.is_gone(parent) {
            continue;
        }
        let units: Vec<_> = current.list(parent).map(|list| list.units).unwrap_or_default();
        let units: Vec<_> = units
            .into_iter()
            .filter_map(|unit| match unit.removal {
                Removal::Nodes(nodes) => Some(nodes.to_vec()),
                Removal::Edits(_) => None,
            })
            .collect();
        if !units.is_empty() {
            current.reduce_nodes(algorithm, &units)?;
        }
        let document = current.document();
        waiting.extend(document.children(parent).filter(|&child| !document.is_leaf(child) && !current.is_gone(child)));
    }
    Ok(())
}

/// Applies the algorithm to the lines of a text, then to the words and the characters of the rest.
pub(super) fn reduce_text(current: &mut Current<'_>, algorithm: &dyn Algorithm) -> Result<(), Stopped> {
    let text = current.best.clone();
    current.reduce_parts(algorithm, &lines(&text).collect::<Vec<_>>())?;
    let text = current.best.clone();
    current.reduce_parts(algorithm, &words(&text, 0..text.len()).collect::<Vec<_>>())?;
    let text = current.best.clone();
    current.reduce_parts(algorithm, &characters(&text, 0..text.len()).collect::<Vec<_>>())
}
